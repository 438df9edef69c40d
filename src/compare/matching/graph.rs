//! The graph of near points, with the queries of the augmenting-path search.

use super::tree::Tree;
use crate::kd_tree::{Point, Site};

/// Maximum number of listed edges per point, and in all: a quarter of a gigabyte.
const LISTED: usize = 256;
const MOST: usize = 1 << 26;

/// The neighbours in B of points of A. In each search, every point of B is returned at most once.
pub(super) struct Graph {
    tolerance: f64,
    /// All points of B.
    all: Tree,
    edges: Edges,
    work: u64,
}

enum Edges {
    /// A list of all edges that a search has reached.
    Listed(List),
    /// If there are too many edges to list: the points of B in one tree per layer.
    Trees(Vec<Tree>),
}

/// The edges of each point of A that a search has reached.
struct List {
    /// Maximum number of edges.
    most: usize,
    /// The range of the edges of each point, or [`UNLISTED`] for points that were not reached.
    ranges: Vec<(usize, usize)>,
    ends: Vec<u32>,
    /// The next edge to visit of each point of A.
    next: Vec<usize>,
    /// The layer of each point of B, or [`NONE`].
    layers: Vec<u32>,
}

const UNLISTED: (usize, usize) = (usize::MAX, usize::MAX);
const NONE: u32 = u32::MAX;

impl Graph {
    /// Creates the graph of `count_of_a` points of A with the points `all` of B.
    pub(super) fn new(count_of_a: usize, count_of_b: usize, all: Tree, tolerance: f64) -> Self {
        let edges = if count_of_b < NONE as usize {
            Edges::Listed(List {
                most: (LISTED * count_of_a.max(count_of_b)).min(MOST),
                ranges: vec![UNLISTED; count_of_a],
                ends: Vec::new(),
                next: vec![0; count_of_a],
                layers: vec![NONE; count_of_b],
            })
        } else {
            Edges::Trees(Vec::new())
        };
        Graph { tolerance, all, edges, work: 0 }
    }

    /// Number of visited edges and nodes.
    pub(super) fn work(&self) -> u64 {
        self.all.work + self.work
    }

    /// Begins the search for layers.
    pub(super) fn begin_layers(&mut self) {
        match &mut self.edges {
            Edges::Listed(list) => {
                list.layers.fill(NONE);
                list.rewind();
            }
            Edges::Trees(_) => self.all.restore(),
        }
    }

    /// Whether there are too many edges to list. If so, they are no longer listed, and the search for layers has to
    /// begin again.
    pub(super) fn has_too_many(&mut self) -> bool {
        let has = matches!(&self.edges, Edges::Listed(list) if list.ends.len() > list.most);
        if has {
            self.edges = Edges::Trees(Vec::new());
        }
        has
    }

    /// Returns a point of B near point `a` of A that is in no layer yet, and adds it to `layer`.
    pub(super) fn reach(&mut self, layer: usize, a: usize, at: Point) -> Option<usize> {
        match &mut self.edges {
            Edges::Listed(list) => {
                if list.ranges[a] == UNLISTED {
                    list.add(a, at, self.tolerance, &mut self.all);
                }
                let b = list.find(a, NONE, &mut self.work)?;
                list.layers[b] = layer as u32;
                Some(b)
            }
            Edges::Trees(_) => self.all.take(at, self.tolerance),
        }
    }

    /// Begins the search for paths through the given layers, lists of points of B with their indices.
    pub(super) fn begin_paths(&mut self, layers: Vec<Vec<Site>>) {
        match &mut self.edges {
            Edges::Listed(list) => list.rewind(),
            Edges::Trees(trees) => *trees = layers.into_iter().map(Tree::new).collect(),
        }
    }

    /// Returns a point of B in `layer`, near point `a` of A, that no path has visited.
    pub(super) fn pass(&mut self, layer: usize, a: usize, at: Point) -> Option<usize> {
        match &mut self.edges {
            Edges::Listed(list) => {
                let b = list.find(a, layer as u32, &mut self.work)?;
                list.layers[b] = NONE;
                Some(b)
            }
            Edges::Trees(trees) => {
                let tree = &mut trees[layer];
                let before = tree.work;
                let found = tree.take(at, self.tolerance);
                self.work += tree.work - before;
                found
            }
        }
    }
}

impl List {
    /// Lists the edges of a point.
    fn add(&mut self, a: usize, at: Point, tolerance: f64, all: &mut Tree) {
        let start = self.ends.len();
        // If the limit is exceeded, the list will be abandoned, so no more edges are added.
        if start <= self.most {
            all.each(at, tolerance, &mut |b| self.ends.push(b as u32));
        }
        self.ranges[a] = (start, self.ends.len());
        self.next[a] = start;
    }

    /// Resets every point to its first edge.
    fn rewind(&mut self) {
        for (next, &(start, _)) in self.next.iter_mut().zip(&self.ranges) {
            *next = start;
        }
    }

    /// The end of the next edge of `a` that is in `layer`.
    fn find(&mut self, a: usize, layer: u32, work: &mut u64) -> Option<usize> {
        let (next, end) = (self.next[a], self.ranges[a].1);
        let ahead = self.ends[next..end].iter().position(|&b| self.layers[b as usize] == layer);
        *work += ahead.map_or(end - next, |ahead| ahead + 1) as u64;
        self.next[a] = ahead.map_or(end, |ahead| next + ahead + 1);
        ahead.map(|ahead| self.ends[next + ahead] as usize)
    }
}
