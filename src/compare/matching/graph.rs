//! The graph of near points, as the search for paths asks about it.

use super::Point;
use super::tree::Tree;

/// Edges for each point up to which they are listed, and edges in all: a quarter of a gigabyte.
const LISTED: usize = 256;
const MOST: usize = 1 << 26;

/// Points of B near points of A. Those that a search has been told are not told again until the next begins.
pub(super) struct Graph {
    tolerance: f64,
    /// All points of B.
    all: Tree,
    edges: Edges,
    work: u64,
}

enum Edges {
    /// Few, listed.
    Listed(List),
    /// Many, which are found as they are asked for: the points of B by layers.
    Trees(Vec<Tree>),
}

/// The edges of each point of A that a search came to.
struct List {
    /// How many there may be.
    most: usize,
    /// Where the edges of each point start and end; of those that were not come to, [`UNLISTED`].
    ranges: Vec<(usize, usize)>,
    ends: Vec<u32>,
    /// The edge of each point of A that is looked at next.
    next: Vec<usize>,
    /// The layer of each point of B, or [`NONE`].
    layers: Vec<u32>,
}

const UNLISTED: (usize, usize) = (usize::MAX, usize::MAX);
const NONE: u32 = u32::MAX;

impl Graph {
    /// The graph of so many points of A with those of B, `all`.
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

    /// Edges and nodes that were looked at.
    pub(super) fn work(&self) -> u64 {
        self.all.work + self.work
    }

    /// Begins to look for layers.
    pub(super) fn begin_layers(&mut self) {
        match &mut self.edges {
            Edges::Listed(list) => {
                list.layers.fill(NONE);
                list.rewind();
            }
            Edges::Trees(_) => self.all.restore(),
        }
    }

    /// Whether there are more edges than can be listed. They are not from now on, and the search for layers has to begin again.
    pub(super) fn has_too_many(&mut self) -> bool {
        let has = matches!(&self.edges, Edges::Listed(list) if list.ends.len() > list.most);
        if has {
            self.edges = Edges::Trees(Vec::new());
        }
        has
    }

    /// A point of B near point `a` of A that is in no layer yet, and now is in this one.
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

    /// Begins to look for paths through these layers, each a list of points of B and where they are.
    pub(super) fn begin_paths(&mut self, layers: Vec<Vec<(Point, usize)>>) {
        match &mut self.edges {
            Edges::Listed(list) => list.rewind(),
            Edges::Trees(trees) => *trees = layers.into_iter().map(Tree::new).collect(),
        }
    }

    /// A point of B near point `a` of A, in this layer, that no path has come to.
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
        // None if there are too many already: all will be found in other ways.
        if start <= self.most {
            all.each(at, tolerance, &mut |b| self.ends.push(b as u32));
        }
        self.ranges[a] = (start, self.ends.len());
        self.next[a] = start;
    }

    /// Begins with the first edge of each point again.
    fn rewind(&mut self) {
        for (next, &(start, _)) in self.next.iter_mut().zip(&self.ranges) {
            *next = start;
        }
    }

    /// The next end of an edge of `a` that is in this layer.
    fn find(&mut self, a: usize, layer: u32, work: &mut u64) -> Option<usize> {
        let (next, end) = (self.next[a], self.ranges[a].1);
        let ahead = self.ends[next..end].iter().position(|&b| self.layers[b as usize] == layer);
        *work += ahead.map_or(end - next, |ahead| ahead + 1) as u64;
        self.next[a] = ahead.map_or(end, |ahead| next + ahead + 1);
        ahead.map(|ahead| self.ends[next + ahead] as usize)
    }
}
