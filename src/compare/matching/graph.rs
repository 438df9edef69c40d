//! The graph of near points, as the search for paths asks about it.

use super::tree::Tree;
use super::{Point, Tagged};

/// Edges for each point up to which all are listed, and edges in all: a quarter of a gigabyte.
const LISTED: usize = 256;
const MOST: usize = 1 << 26;

/// Points of B near points of A. Those that a search has been told are not told again until the next begins.
pub(super) enum Graph {
    /// Few edges, listed.
    Listed(List),
    /// Many, which are found as they are asked for.
    Trees(Trees),
}

/// The edges of each point of A.
pub(super) struct List {
    /// Where the edges of each point start, and at the end their number.
    starts: Vec<usize>,
    ends: Vec<u32>,
    /// The edge of each point of A that is looked at next.
    next: Vec<usize>,
    /// The layer of each point of B, or [`NONE`].
    layers: Vec<u32>,
    work: u64,
}

const NONE: u32 = u32::MAX;

/// The points of B, all of them and by layers.
pub(super) struct Trees {
    all: Tree,
    layers: Vec<Tree>,
    work: u64,
}

impl Graph {
    /// The graph of points of A with those of B, `all`.
    pub(super) fn new(of_a: &[Tagged], count_of_b: usize, mut all: Tree, tolerance: f64) -> Self {
        let most = (LISTED * of_a.len().max(count_of_b)).min(MOST);
        let (mut starts, mut ends) = (vec![0], Vec::new());
        for a in of_a {
            all.each(a.at, tolerance, &mut |b| ends.push(b as u32));
            starts.push(ends.len());
            if ends.len() > most || count_of_b >= NONE as usize {
                return Graph::Trees(Trees { all, layers: Vec::new(), work: 0 });
            }
        }
        let (next, layers) = (starts.clone(), vec![NONE; count_of_b]);
        Graph::Listed(List { starts, ends, next, layers, work: all.work })
    }

    /// Edges and nodes that were looked at.
    pub(super) fn work(&self) -> u64 {
        match self {
            Graph::Listed(list) => list.work,
            Graph::Trees(trees) => trees.all.work + trees.work,
        }
    }

    /// Begins to look for layers.
    pub(super) fn begin_layers(&mut self) {
        match self {
            Graph::Listed(list) => {
                list.layers.fill(NONE);
                list.next.copy_from_slice(&list.starts);
            }
            Graph::Trees(trees) => trees.all.restore(),
        }
    }

    /// A point of B near point `a` of A that is in no layer yet, and now is in this one.
    pub(super) fn reach(&mut self, layer: usize, a: usize, at: Point, tolerance: f64) -> Option<usize> {
        match self {
            Graph::Listed(list) => {
                let b = list.find(a, NONE)?;
                list.layers[b] = layer as u32;
                Some(b)
            }
            Graph::Trees(trees) => trees.all.take(at, tolerance),
        }
    }

    /// Begins to look for paths through these layers, each a list of points of B and where they are.
    pub(super) fn begin_paths(&mut self, layers: Vec<Vec<(Point, usize)>>) {
        match self {
            Graph::Listed(list) => list.next.copy_from_slice(&list.starts),
            Graph::Trees(trees) => trees.layers = layers.into_iter().map(Tree::new).collect(),
        }
    }

    /// A point of B near point `a` of A, in this layer, that no path has come to.
    pub(super) fn pass(&mut self, layer: usize, a: usize, at: Point, tolerance: f64) -> Option<usize> {
        match self {
            Graph::Listed(list) => {
                let b = list.find(a, layer as u32)?;
                list.layers[b] = NONE;
                Some(b)
            }
            Graph::Trees(trees) => {
                let tree = &mut trees.layers[layer];
                let before = tree.work;
                let found = tree.take(at, tolerance);
                trees.work += tree.work - before;
                found
            }
        }
    }
}

impl List {
    /// The next end of an edge of `a` that is in this layer.
    fn find(&mut self, a: usize, layer: u32) -> Option<usize> {
        let (next, end) = (self.next[a], self.starts[a + 1]);
        let ahead = self.ends[next..end].iter().position(|&b| self.layers[b as usize] == layer);
        self.work += ahead.map_or(end - next, |ahead| ahead + 1) as u64;
        self.next[a] = ahead.map_or(end, |ahead| next + ahead + 1);
        ahead.map(|ahead| self.ends[next + ahead] as usize)
    }
}
