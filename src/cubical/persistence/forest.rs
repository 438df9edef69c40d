//! Ends of paths along the gradient, and the trees that critical cells join them into.
//!
//! Paths are followed from the critical cells that join trees only, so that a smooth image, which has few, is hardly
//! looked at. What one path has found is remembered for all others: a thread passes no place twice.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{PoisonError, RwLock};

use hashbrown::HashMap;

use super::cell::{Cell, Entry};
use super::grid::Grid;
use super::order;
use crate::cubical::construction::Construction;
use crate::memory::{self, Refused};
use crate::parallel;
use crate::progress::Progress;

/// Ends of gradient paths, found as far as they are asked for.
struct Ends<S> {
    known: Known,
    /// The step along the path from a place; 0 where it ends.
    step: S,
}

/// Where the paths from places end, as far as it is known: one more than the number of the node.
enum Known {
    /// By place, 0 where nothing is known. Zeroed memory is only mapped when it is first touched.
    Everywhere(Vec<AtomicU32>),
    /// On grids that are too large for a table: at the nodes, and at some places by which longer paths pass.
    Somewhere(Vec<Table>),
}

/// Number of critical cells that a thread takes at a time.
const PART: usize = 1 << 12;

/// One in so many places on a path is remembered by [`Known::Somewhere`].
const SOME: usize = 64;
/// Number of tables of [`Known::Somewhere`], so that threads seldom wait for each other.
const TABLES: usize = 256;

/// A table of what is known of some places.
type Table = RwLock<HashMap<usize, u32>>;

/// A number that has nothing to do with those of the place's neighbours.
fn scattered(place: usize) -> usize {
    ((place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
}

/// The table that what is known of a place belongs to.
fn table_of(tables: &[Table], place: usize) -> &Table {
    &tables[scattered(place) / SOME % TABLES]
}

impl Known {
    fn new(grid: &Grid<'_>) -> Result<Self, Refused> {
        Ok(match grid.is_held() {
            true => Known::Everywhere(memory::zeroed(grid.places())?),
            false => Known::Somewhere((0..TABLES).map(|_| RwLock::default()).collect()),
        })
    }

    /// Remembers where the path from a place ends.
    fn remember(&self, place: usize, end: u32) {
        match self {
            Known::Everywhere(known) => known[place].store(end, Relaxed),
            Known::Somewhere(tables) => remember(tables, place, end),
        }
    }
}

impl<S: Fn(usize) -> isize + Sync> Ends<S> {
    /// The node at which the path from a place ends. Paths that end at no node end at node 0.
    fn of(&self, place: usize) -> u32 {
        match &self.known {
            Known::Everywhere(known) => self.by_table(known, place) - 1,
            Known::Somewhere(tables) => by_tables(tables, &self.step, place) - 1,
        }
    }

    fn by_table(&self, all: &[AtomicU32], place: usize) -> u32 {
        let (mut at, mut known) = (place, all[place].load(Relaxed));
        while known == 0 {
            match (self.step)(at) {
                0 => known = 1,
                step => {
                    at = at.wrapping_add_signed(step);
                    known = all[at].load(Relaxed);
                }
            }
        }
        // All places on the path lead there. Threads that follow it at the same time find the same end.
        let end = std::mem::replace(&mut at, place);
        while all[at].load(Relaxed) == 0 {
            all[at].store(known, Relaxed);
            if at != end {
                at = at.wrapping_add_signed((self.step)(at));
            }
        }
        known
    }
}

/// Like [`Ends::of`], one more than that, where not all places are known. A call of the step costs little beside the
/// search for its star.
#[cold]
fn by_tables(tables: &[Table], step: &dyn Fn(usize) -> isize, mut at: usize) -> u32 {
    let known = |place: usize| {
        let table = table_of(tables, place).read();
        table.unwrap_or_else(PoisonError::into_inner).get(&place).copied()
    };
    let mut passed = Vec::new();
    let end = loop {
        if scattered(at).is_multiple_of(SOME) {
            if let Some(end) = known(at) {
                break end;
            }
            passed.push(at);
        }
        match step(at) {
            0 => break known(at).unwrap_or(1),
            step => at = at.wrapping_add_signed(step),
        }
    };
    passed.into_iter().for_each(|place| remember(tables, place, end));
    end
}

/// Remembers where the path from a place ends.
fn remember(tables: &[Table], place: usize, end: u32) {
    table_of(tables, place).write().unwrap_or_else(PoisonError::into_inner).insert(place, end);
}

/// Critical cells at which gradient paths end, and the critical cells that join the trees of these paths.
pub(super) struct Merging {
    /// The cells where paths end, in the order in which they are born. Nodes are numbered from 1.
    pub(super) nodes: Vec<Cell>,
    /// The cells that join trees or close cycles, in the order in which they are added.
    pub(super) saddles: Vec<Cell>,
    /// For each saddle, the node whose tree it merges into an older one, or 0.
    merged: Vec<u32>,
    /// For each merged node, the oldest node of the tree that it was merged into; 0 for the others.
    survivors: Vec<u32>,
    /// The nodes that no saddle merges.
    roots: Vec<u32>,
    /// Whether nodes and saddles are in the reverse of filtration order, as in the top dimension.
    is_top: bool,
}

/// Number that stands for no saddle.
const NONE: u32 = u32::MAX;

/// Births and deaths in the grid, sorted by the image's birth in ascending or descending order.
pub(super) type Pairs = Vec<(Entry, Entry)>;

impl Merging {
    /// Merges the trees of gradient paths on a grid, in filtration order or, if `is_top`, in the reverse. `step`
    /// returns the step along the path from a place, or 0 at its end. Paths that end at no node end at node 0, which is
    /// older than all others. `ends` returns the two places that a saddle joins. Nodes and saddles are in the order of
    /// places.
    ///
    /// # Errors
    /// [`Refused`]: memory does not suffice.
    pub(super) fn new(
        grid: &Grid,
        step: impl Fn(usize) -> isize + Sync,
        mut nodes: Vec<Cell>,
        mut saddles: Vec<Cell>,
        is_top: bool,
        ends: impl Fn(Cell) -> [usize; 2] + Sync,
        progress: &dyn Progress,
    ) -> Result<Self, Refused> {
        let found = Ends { known: Known::new(grid)?, step };
        sort(&mut nodes, is_top);
        parallel::ranges(nodes.len(), PART, &|range| {
            for (number, &node) in (range.start as u32 + 2..).zip(&nodes[range]) {
                found.known.remember(grid.place(node), number);
            }
        });
        // Paths are followed by place, while what they need is in the caches. Then their ends are known.
        parallel::ranges(saddles.len(), PART, &|range| {
            progress.advance(0);
            saddles[range].iter().flat_map(|&saddle| ends(saddle)).for_each(|place| _ = found.of(place));
        });
        sort(&mut saddles, is_top);
        let ends = parallel::table(saddles.len(), |k| ends(saddles[k]).map(|place| found.of(place)));
        drop(found);
        let (merged, survivors, roots) = merge(nodes.len(), &ends);
        Ok(Merging { nodes, saddles, merged, survivors, roots, is_top })
    }

    /// The pairs of nodes with the saddles that merge them: births and deaths, or, in the top dimension, deaths and
    /// births.
    pub(super) fn pairs(&self, construction: Construction) -> Pairs {
        let pair = |node: usize, saddle: Cell| {
            let (node, saddle) = (self.nodes[node - 1].entry(), saddle.entry());
            if self.is_top { (saddle, node) } else { (node, saddle) }
        };
        // Nodes are the births of the image below, and above in the dual complex.
        if self.is_top == construction.is_reversed() {
            let killers = self.killers();
            let merged = (1..killers.len()).filter(|&node| killers[node] != NONE);
            merged.map(|node| pair(node, self.saddles[killers[node] as usize])).collect()
        } else {
            let merging = self.merged.iter().zip(&self.saddles).filter(|(merged, _)| **merged > 0);
            merging.map(|(&merged, &saddle)| pair(merged as usize, saddle)).collect()
        }
    }

    /// When the nodes enter that no saddle merges.
    pub(super) fn unmerged(&self) -> Vec<Entry> {
        self.roots.iter().map(|&node| self.nodes[node as usize - 1].entry()).collect()
    }

    /// Whether this saddle merges trees.
    pub(super) fn merges(&self, saddle: Cell) -> bool {
        let is_before = |other: &Cell| if self.is_top { *other > saddle } else { *other < saddle };
        self.merged[self.saddles.partition_point(is_before)] > 0
    }

    /// Splits the saddles into those that merge trees and the others, each in order.
    pub(super) fn split(&self) -> (Vec<Cell>, Vec<Cell>) {
        let (mut merging, mut others) = (Vec::new(), Vec::new());
        for (&saddle, &merged) in self.saddles.iter().zip(&self.merged) {
            if merged > 0 { &mut merging } else { &mut others }.push(saddle);
        }
        (merging, others)
    }

    /// The number of the saddle that merged each node, or [`NONE`]; the entry of node 0 is meaningless.
    pub(super) fn killers(&self) -> Vec<u32> {
        let mut killers = vec![NONE; self.nodes.len() + 1];
        for (saddle, &merged) in self.merged.iter().enumerate() {
            killers[merged as usize] = saddle as u32;
        }
        killers
    }

    /// The number of the node that enters with this voxel.
    pub(super) fn node(&self, entry: Entry) -> usize {
        let is_before = |node: &Cell| if self.is_top { node.entry() > entry } else { node.entry() < entry };
        let at = self.nodes.partition_point(is_before);
        debug_assert_eq!(self.nodes.get(at).map(|node| node.entry()), Some(entry));
        at + 1
    }

    /// The oldest node of the tree that a merged node was merged into.
    pub(super) fn survivor(&self, node: usize) -> Cell {
        self.nodes[self.survivors[node] as usize - 1]
    }
}

/// Sorts cells in filtration order, or in the reverse.
fn sort(cells: &mut [Cell], is_reversed: bool) {
    order::sort(cells);
    if is_reversed {
        cells.reverse();
    }
}

/// Adds edges between nodes in the given order. Each edge that joins two trees merges the one whose oldest node is
/// younger, which has the greater number (Kruskal's algorithm with the elder rule). Node 0 is older than all others.
///
/// Returns for each edge the node that it merges, or 0; for each node the older one that it was merged into, or 0; and
/// the nodes from 1 on that no edge merges.
fn merge(nodes: usize, ends: &[[u32; 2]]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut parents: Vec<u32> = (0..=nodes as u32).collect();
    let mut merged = Vec::with_capacity(ends.len());
    let mut survivors = vec![0; nodes + 1];
    for ends in ends.chunks(BATCH) {
        // Independent loads, so that their latencies overlap.
        let touched = ends.iter().fold(0, |sum, &[a, b]| sum ^ parents[a as usize] ^ parents[b as usize]);
        std::hint::black_box(touched);
        for &[a, b] in ends {
            let (a, b) = (root(&mut parents, a), root(&mut parents, b));
            let (older, younger) = (a.min(b), a.max(b));
            parents[younger as usize] = older;
            merged.push(if a == b { 0 } else { younger });
            if a != b {
                survivors[younger as usize] = older;
            }
        }
    }
    let roots = (1..).zip(&parents[1..]).filter(|(node, parent)| node == *parent).map(|(node, _)| node);
    (merged, survivors, roots.collect())
}

/// Number of edges whose ends are loaded together.
const BATCH: usize = 16;

/// The root of a node's tree, with path halving.
#[inline]
fn root(parents: &mut [u32], mut node: u32) -> u32 {
    loop {
        let parent = parents[node as usize];
        let grandparent = parents[parent as usize];
        if parent == grandparent {
            return parent;
        }
        parents[node as usize] = grandparent;
        node = grandparent;
    }
}
