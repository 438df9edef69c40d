//! Ends of paths along the gradient, and the trees that critical cells join them into.
//!
//! Paths are followed from the critical cells that join trees only, so that a smooth image, which has few, is hardly
//! looked at. What one path has found is remembered for all others: a thread passes no place twice.
//!
//! # Merging
//!
//! Edges between nodes are added in the given order. Each that joins two trees merges the one whose oldest node is
//! younger: Kruskal's algorithm with the elder rule. Much of it is done on all threads. If the first edge of a node
//! leads to an older one, then nothing merges with the node before, and the edge merges it, whatever else is added (an
//! apparent pair of dimension 0). All these nodes are found at once; their other edges are later, and pass to the older
//! node. So it goes on with the nodes that are left, in rounds, as long as these are worth it. A few threads are faster
//! one edge after the other.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

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
    /// At the nodes, and at some of the places on paths: where few are followed, or the grid is too large for a table.
    Somewhere {
        nodes: HashMap<usize, u32>,
        /// By the low bits of a place, what was last remembered there: the high bits of the place above 32 bits of the
        /// end. What it replaces is found again where it is needed.
        places: Vec<AtomicU64>,
    },
}

/// Number of critical cells that a thread takes at a time.
const PART: usize = 1 << 12;

/// Number of places at the start of a path that are kept until its end is known; others are found again then.
const FIRST: usize = 8;

/// One in so many places on a path is remembered by [`Known::Somewhere`].
const SOME: usize = 4;

/// Whether a place is remembered, which has nothing to do with whether its neighbours are.
fn is_remembered(place: usize) -> bool {
    ((place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).is_multiple_of(SOME as u64)
}

impl Known {
    /// The ends of the paths from nodes, which are numbered from 1. Others will be followed from so many saddles.
    ///
    /// # Errors
    /// [`Refused`]: memory does not suffice.
    fn new(grid: &Grid<'_>, nodes: &[Cell], saddles: usize) -> Result<Self, Refused> {
        let numbers = |range: Range<usize>| (range.start as u32 + 2..).zip(&nodes[range]);
        if grid.has_table_for(saddles) {
            let known: Vec<AtomicU32> = memory::zeroed(grid.places())?;
            parallel::ranges(nodes.len(), PART, &|range| {
                numbers(range).for_each(|(number, &node)| known[grid.place(node)].store(number, Relaxed));
            });
            return Ok(Known::Everywhere(known));
        }
        let nodes = numbers(0..nodes.len()).map(|(number, &node)| (grid.place(node), number)).collect();
        // At most half a byte per place, and an eighth of what is left of the memory for the bottom and the top.
        let most = memory::room().map_or(usize::MAX, |room| (room / 128) as usize).min(grid.places() / 16);
        // A place has 36 bits, of which a slot holds 32.
        let bits = saddles.saturating_mul(64).min(most).max(16).ilog2();
        Ok(Known::Somewhere { nodes, places: memory::zeroed(1 << bits)? })
    }
}

impl<S: Fn(usize) -> isize + Sync> Ends<S> {
    /// The node at which the path from a place ends. Paths that end at no node end at node 0.
    fn of(&self, place: usize) -> u32 {
        match &self.known {
            Known::Everywhere(known) => self.by_table(known, place) - 1,
            Known::Somewhere { nodes, places } => by_some(nodes, places, &self.step, place) - 1,
        }
    }

    /// Finds the ends of the paths from places, so that they are known.
    fn follow(&self, places: impl Iterator<Item = usize>) {
        match &self.known {
            Known::Everywhere(known) => places.for_each(|place| _ = self.by_table(known, place)),
            Known::Somewhere { nodes, places: some } => in_turns(nodes, some, &self.step, places),
        }
    }

    /// Loads what is known of these places.
    fn touch(&self, places: &[usize]) {
        if let Known::Everywhere(known) = &self.known {
            touch(places.iter().map(|&place| known[place].load(Relaxed)));
        }
    }

    fn by_table(&self, all: &[AtomicU32], place: usize) -> u32 {
        let (mut at, mut known) = (place, all[place].load(Relaxed));
        let (mut first, mut passed) = ([0; FIRST], 0);
        while known == 0 {
            if passed < FIRST {
                first[passed] = at;
            }
            passed += 1;
            match (self.step)(at) {
                0 => known = 1,
                step => {
                    at = at.wrapping_add_signed(step);
                    known = all[at].load(Relaxed);
                }
            }
        }
        // All places on the path lead there. Threads that follow it at the same time find the same end.
        first[..passed.min(FIRST)].iter().for_each(|&place| all[place].store(known, Relaxed));
        at = first[FIRST - 1];
        for _ in FIRST..passed {
            at = at.wrapping_add_signed((self.step)(at));
            all[at].store(known, Relaxed);
        }
        known
    }
}

/// Like [`Ends::of`], one more than that, where some places are known.
#[inline(never)]
fn by_some(
    nodes: &HashMap<usize, u32>,
    places: &[AtomicU64],
    step: impl Fn(usize) -> isize,
    at: usize,
) -> u32 {
    let mut path = Path { at, passed: Vec::new() };
    loop {
        if let Some(end) = path.advance(nodes, places, &step) {
            return end;
        }
    }
}

/// Finds the ends of paths so that they are known, some paths in turns: while one waits for memory, others go on.
#[inline(never)]
fn in_turns(
    nodes: &HashMap<usize, u32>,
    places: &[AtomicU64],
    step: impl Fn(usize) -> isize,
    mut starts: impl Iterator<Item = usize>,
) {
    let mut paths: Vec<Path> =
        starts.by_ref().take(TURNS).map(|at| Path { at, passed: Vec::new() }).collect();
    while !paths.is_empty() {
        let mut k = 0;
        while k < paths.len() {
            if paths[k].advance(nodes, places, &step).is_none() {
                k += 1;
            } else if let Some(at) = starts.next() {
                paths[k].at = at;
            } else {
                paths.swap_remove(k);
            }
        }
    }
}

/// Number of paths that a thread follows in turns.
const TURNS: usize = 8;

/// A path on a grid where some places are remembered.
struct Path {
    at: usize,
    /// The places passed that are remembered once the end is known.
    passed: Vec<usize>,
}

impl Path {
    /// Goes on by one step. Returns one more than the number of the node where the path ends, once that is known.
    #[inline(always)]
    fn advance(
        &mut self,
        nodes: &HashMap<usize, u32>,
        places: &[AtomicU64],
        step: &impl Fn(usize) -> isize,
    ) -> Option<u32> {
        let slot = |place: usize| &places[place & (places.len() - 1)];
        let known = |place: usize, end: u32| ((place >> places.len().ilog2()) as u64) << 32 | u64::from(end);
        let at = self.at;
        let end = 'end: {
            if is_remembered(at) {
                let word = slot(at).load(Relaxed);
                let end = word as u32;
                if end > 0 && word == known(at, end) {
                    break 'end end;
                }
                self.passed.push(at);
            }
            match step(at) {
                0 => nodes.get(&at).copied().unwrap_or(1),
                step => {
                    self.at = at.wrapping_add_signed(step);
                    return None;
                }
            }
        };
        self.passed.drain(..).for_each(|place| slot(place).store(known(place, end), Relaxed));
        Some(end)
    }
}

/// Critical cells at which gradient paths end, and the critical cells that join the trees of these paths.
pub(super) struct Merging {
    /// The cells where paths end, in the order in which they are born. Nodes are numbered from 1.
    pub(super) nodes: Vec<Cell>,
    /// The cells that join trees or close cycles, in the order in which they are added.
    pub(super) saddles: Vec<Cell>,
    /// For each saddle, the node whose tree it merges into an older one, or 0.
    merged: Vec<u32>,
    /// For each node, the number of the saddle that merges it, or [`NONE`]; the entry of node 0 is meaningless.
    pub(super) killers: Vec<u32>,
    /// For each merged node, the oldest node of the tree that it was merged into, or one that had been merged into this
    /// tree before; 0 for the others.
    into: Vec<u32>,
    /// Whether nodes and saddles are in the reverse of filtration order, as in the top dimension.
    is_top: bool,
}

/// Number that stands for no saddle.
const NONE: u32 = u32::MAX;

/// Births and deaths in the grid, sorted by the image's birth in ascending or descending order.
pub(super) type Pairs = Vec<(Entry, Entry)>;

/// Joins trees of gradient paths by saddles, which it takes in the order in which they are added.
pub(super) type Merge<'a> = Box<dyn FnOnce(Vec<Cell>) -> Merging + Send + 'a>;

impl Merging {
    /// Follows the paths from `saddles`, any of which may merge trees on a grid later, in filtration order or, if
    /// `is_top`, in the reverse. `step` returns the step along the path from a place, or 0 at its end. Paths that end
    /// at no node end at node 0, which is older than all others. `ends` returns the two places that a saddle joins.
    /// Nodes and saddles are in the order of places.
    ///
    /// # Errors
    /// [`Refused`]: memory does not suffice.
    pub(super) fn prepare<'a>(
        grid: &Grid,
        step: impl Fn(usize) -> isize + Sync + Send + 'a,
        mut nodes: Vec<Cell>,
        saddles: &[Cell],
        is_top: bool,
        ends: impl Fn(Cell) -> [usize; 2] + Sync + Send + 'a,
        progress: &dyn Progress,
    ) -> Result<Merge<'a>, Refused> {
        sort(&mut nodes, is_top);
        let found = Ends { known: Known::new(grid, &nodes, saddles.len())?, step };
        // Paths are followed by place, while what they need is in the caches. Then their ends are known.
        parallel::ranges(saddles.len(), PART, &|range| {
            progress.advance(0);
            found.follow(saddles[range].iter().flat_map(|&saddle| ends(saddle)));
        });
        Ok(Box::new(move |saddles| {
            let ends = parallel::listed(saddles.len(), PART, &|range| {
                let (mut places, mut all) = (Vec::with_capacity(BATCH), Vec::with_capacity(range.len()));
                for batch in saddles[range].chunks(BATCH) {
                    places.clear();
                    places.extend(batch.iter().map(|&saddle| ends(saddle)));
                    found.touch(places.as_flattened());
                    all.extend(places.iter().map(|places| places.map(|place| found.of(place))));
                }
                all
            });
            drop(found);
            let worth = if rayon::current_num_threads() < MANY { usize::MAX } else { WORTH };
            let [merged, killers, into] = Trees::new(nodes.len(), saddles.len()).merge(&ends, worth);
            Merging { nodes, saddles, merged, killers, into, is_top }
        }))
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
            let killer = |node: usize| self.saddles.get(self.killers[node] as usize);
            parallel::found(self.nodes.len(), |k| killer(k + 1).map(|&saddle| pair(k + 1, saddle)))
        } else {
            let merged = |k: usize| (self.merged[k] > 0).then_some(self.merged[k] as usize);
            parallel::found(self.saddles.len(), |k| merged(k).map(|node| pair(node, self.saddles[k])))
        }
    }

    /// When the nodes enter that no saddle merges.
    pub(super) fn unmerged(&self) -> Vec<Entry> {
        let nodes = self.nodes.iter().zip(&self.killers[1..]);
        nodes.filter(|(_, killer)| **killer == NONE).map(|(node, _)| node.entry()).collect()
    }

    /// Whether this saddle merges trees.
    pub(super) fn merges(&self, saddle: Cell) -> bool {
        let is_before = |other: &Cell| if self.is_top { *other > saddle } else { *other < saddle };
        self.merged[self.saddles.partition_point(is_before)] > 0
    }

    /// Splits the saddles into those that merge trees and the others, each in order.
    pub(super) fn split(&self) -> (Vec<Cell>, Vec<Cell>) {
        let is = |merging: bool, k: usize| (self.merged[k] > 0) == merging;
        let those =
            |merging| parallel::found(self.saddles.len(), |k| is(merging, k).then_some(self.saddles[k]));
        (those(true), those(false))
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
        self.nodes[survivor(&self.killers, &self.into, node) - 1]
    }
}

/// The oldest node of the tree that `node` was merged into, by the killers of nodes and what they were merged into.
fn survivor(killers: &[u32], into: &[u32], node: usize) -> usize {
    let mut survivor = into[node] as usize;
    // This one had itself been merged earlier.
    while survivor > 0 && killers[survivor] < killers[node] {
        survivor = into[survivor] as usize;
    }
    survivor
}

/// Sorts cells in filtration order, or in the reverse.
pub(super) fn sort(cells: &mut [Cell], is_reversed: bool) {
    order::sort(cells);
    if is_reversed {
        cells.reverse();
    }
}

/// An edge between two nodes.
#[derive(Clone, Copy)]
struct Edge {
    /// The number of its saddle: edges are added in this order.
    number: u32,
    ends: [u32; 2],
}

impl Edge {
    /// Whether its ends are different nodes.
    fn is_open(&self) -> bool {
        self.ends[0] != self.ends[1]
    }
}

/// Trees that edges merge, each known by its oldest node: that with the least number.
struct Trees {
    /// For each saddle, the node that it merges, or 0.
    merged: Vec<AtomicU32>,
    /// For each merged node, the node that it was merged into, or 0.
    into: Vec<AtomicU32>,
    /// For each node, itself, or one nearer to the oldest of its tree.
    parents: Vec<AtomicU32>,
}

/// Least number of edges that are merged on all threads.
const WORTH: usize = 1 << 16;
/// Least number of threads that merge edges together: rounds are thrice as much work as edges one by one, and the
/// threads are shared by the bottom and the top.
const MANY: usize = 12;

/// A table of `value(k)` for `k` below `count`.
fn table(count: usize, value: impl Fn(u32) -> u32) -> Vec<AtomicU32> {
    (0..count as u32).map(|number| AtomicU32::new(value(number))).collect()
}

impl Trees {
    fn new(nodes: usize, saddles: usize) -> Self {
        let (merged, into) = (table(saddles, |_| 0), table(nodes + 1, |_| 0));
        Trees { merged, into, parents: table(nodes + 1, |node| node) }
    }

    /// Adds edges between these nodes: in rounds while there are `worth` edges or more. Returns for each edge the node
    /// that it merges, or 0; for each node the edge that merges it, or [`NONE`]; and what the node is merged into.
    fn merge(self, ends: &[[u32; 2]], worth: usize) -> [Vec<u32>; 3] {
        let edge = |number: usize| Edge { number: number as u32, ends: ends[number] };
        let killers = table(self.into.len(), |_| NONE);
        if ends.len() < worth {
            self.one_by_one(ends.len(), edge);
        } else {
            let mut before = ends.len();
            let mut open = self.round(&killers, before, &edge);
            // What a round costs is worth a fifth of the edges: else nodes wait for each other in long chains.
            while open.len() >= worth && before - open.len() >= before / 5 {
                before = open.len();
                open = self.round(&killers, before, &|k| open[k]);
            }
            self.one_by_one(open.len(), |k| open[k]);
        }
        parallel::ranges(ends.len(), PART, &|range| {
            for saddle in range {
                let merged = self.merged[saddle].load(Relaxed);
                if merged > 0 {
                    killers[merged as usize].store(saddle as u32, Relaxed);
                }
            }
        });
        [self.merged, killers, self.into].map(|table| table.into_iter().map(AtomicU32::into_inner).collect())
    }

    /// Adds so many edges, in order.
    fn one_by_one(&self, count: usize, edge: impl Fn(usize) -> Edge) {
        for batch in (0..count).step_by(BATCH) {
            let batch = batch..count.min(batch + BATCH);
            let parent = |node: u32| self.parents[node as usize].load(Relaxed);
            touch(batch.clone().flat_map(|k| edge(k).ends).map(parent));
            for k in batch {
                let edge = edge(k);
                let ends = edge.ends.map(|node| self.root(node));
                if ends[0] != ends[1] {
                    self.join(Edge { ends, ..edge });
                }
            }
        }
    }

    /// Merges the nodes whose first edge leads to an older node. `first` is a table of nodes that holds [`NONE`] for
    /// those that are not merged. Returns the edges that are left, between the oldest nodes of trees.
    fn round(&self, first: &[AtomicU32], count: usize, edge: &(dyn Fn(usize) -> Edge + Sync)) -> Vec<Edge> {
        parallel::ranges(count, PART, &|range| {
            for edge in range.map(edge).filter(Edge::is_open) {
                for node in edge.ends {
                    let first = &first[node as usize];
                    if node > 0 && first.load(Relaxed) > edge.number {
                        first.fetch_min(edge.number, Relaxed);
                    }
                }
            }
        });
        parallel::ranges(count, PART, &|range| {
            let younger = |edge: &Edge| edge.ends[0].max(edge.ends[1]) as usize;
            let merges = |edge: &Edge| first[younger(edge)].load(Relaxed) == edge.number;
            range.map(edge).filter(|edge| edge.is_open() && merges(edge)).for_each(|edge| self.join(edge));
        });
        let left = parallel::listed(count, PART, &|range| {
            let left = |edge: Edge| Edge { ends: edge.ends.map(|node| self.root(node)), ..edge };
            range.map(edge).map(left).filter(Edge::is_open).collect()
        });
        parallel::ranges(first.len(), PART, &|range| {
            for node in range {
                if self.parents[node].load(Relaxed) as usize == node {
                    first[node].store(NONE, Relaxed);
                }
            }
        });
        left
    }

    /// Merges the younger of the ends of an edge, which are the oldest nodes of their trees, into the older.
    fn join(&self, Edge { number, ends: [a, b] }: Edge) {
        let (older, younger) = (a.min(b), a.max(b));
        self.merged[number as usize].store(younger, Relaxed);
        self.into[younger as usize].store(older, Relaxed);
        self.parents[younger as usize].store(older, Relaxed);
    }

    /// The oldest node of a node's tree, with path halving. Threads that halve a path at the same time all store nodes
    /// that are nearer to it.
    #[inline]
    fn root(&self, mut node: u32) -> u32 {
        loop {
            let parent = self.parents[node as usize].load(Relaxed);
            let grandparent = self.parents[parent as usize].load(Relaxed);
            if parent == grandparent {
                return parent;
            }
            self.parents[node as usize].store(grandparent, Relaxed);
            node = grandparent;
        }
    }
}

/// Loads words that are used soon. The loads are independent, so that their latencies overlap.
#[inline(always)]
fn touch(words: impl Iterator<Item = u32>) {
    std::hint::black_box(words.fold(0, |all, word| all ^ word));
}

/// Number of edges whose ends are loaded together.
const BATCH: usize = 16;

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    /// The node that each saddle merges, the saddle that merges each node, and the oldest node of the tree that the
    /// node is merged into.
    fn merged(nodes: usize, ends: &[[u32; 2]], worth: usize) -> [Vec<u32>; 3] {
        let [merged, killers, into] = Trees::new(nodes, ends.len()).merge(ends, worth);
        let survivors = (0..=nodes).map(|node| survivor(&killers, &into, node) as u32).collect();
        [merged, killers, survivors]
    }

    #[test]
    fn paths_end_where_they_do_wherever_ends_are_remembered() {
        let mut rng = Pcg64Mcg::seed_from_u64(5);
        let places = 20_000;
        // Some steps are long, and some paths end at no node.
        let reach = |place: usize| if place.is_multiple_of(7) { place } else { place.min(3) };
        let steps: Vec<usize> = (0..places)
            .map(|place| if rng.random_ratio(1, 50) { 0 } else { rng.random_range(0..=reach(place)) })
            .collect();
        let step = |place: usize| -steps[place].cast_signed();
        let is_node = |place: &usize| steps[*place] == 0 && !place.is_multiple_of(5);
        let nodes: HashMap<usize, u32> = (0..places).filter(is_node).zip(2..).collect();
        let mut plain = vec![1; places];
        for place in 0..places {
            plain[place] = match steps[place] {
                0 => nodes.get(&place).copied().unwrap_or(1),
                step => plain[place - step],
            };
        }
        let everywhere: Vec<AtomicU32> = memory::zeroed(places).unwrap();
        nodes.iter().for_each(|(&place, &end)| everywhere[place].store(end, Relaxed));
        let known =
            [16, 1024, 1 << 15].map(|slots| (nodes.clone(), memory::zeroed(slots).unwrap())).into_iter();
        let known = known.map(|(nodes, places)| Known::Somewhere { nodes, places });
        for known in known.chain([Known::Everywhere(everywhere)]) {
            let found = Ends { known, step };
            let wanted = (0..2 * places).map(|_| rng.random_range(0..places));
            for place in wanted.chain(0..places) {
                assert_eq!(found.of(place) + 1, plain[place], "from {place}");
            }
        }
    }

    #[test]
    fn rounds_merge_what_edges_merge_one_by_one() {
        let mut rng = Pcg64Mcg::seed_from_u64(7);
        for (nodes, edges, reach) in [(1, 3, 1), (9, 4, 9), (9, 30, 9), (700, 1500, 700), (3000, 9000, 5)] {
            let mut end = |from: u32| (from + rng.random_range(0..=reach)).min(nodes);
            let ends: Vec<[u32; 2]> = (0..edges)
                .map(|k| {
                    let a = end(k % nodes);
                    [a, end(a.saturating_sub(reach))]
                })
                .collect();
            let one_by_one = merged(nodes as usize, &ends, usize::MAX);
            // The plain algorithm, which looks through all nodes.
            let mut oldest: Vec<u32> = (0..=nodes).collect();
            for (saddle, &[a, b]) in ends.iter().enumerate() {
                let (a, b) = (oldest[a as usize], oldest[b as usize]);
                let (older, younger) = (a.min(b), a.max(b));
                assert_eq!(one_by_one[0][saddle], if a == b { 0 } else { younger });
                if a != b {
                    assert_eq!(one_by_one[1][younger as usize], saddle as u32);
                    assert_eq!(one_by_one[2][younger as usize], older);
                    oldest.iter_mut().filter(|root| **root == younger).for_each(|root| *root = older);
                }
            }
            assert_eq!(merged(nodes as usize, &ends, 1), one_by_one);
        }
    }

    #[test]
    fn chains_in_which_each_node_waits_for_the_next() {
        let last = 5000;
        let ends: Vec<[u32; 2]> = (1..=last).rev().map(|node| [node - 1, node]).collect();
        let [merged, killers, survivors] = merged(last as usize, &ends, 1);
        assert!(merged.iter().copied().eq((1..=last).rev()));
        assert!(killers[1..].iter().rev().copied().eq(0..last));
        assert!(survivors[1..].iter().copied().eq(0..last));
    }
}
