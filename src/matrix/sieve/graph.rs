//! Blocks of the matrix that are graphs, solved by union-find.
//!
//! Block d of the matrix, its columns of dimension d, pairs cells of dimension d − 1 with cells of dimension d, and no
//! other block does. When every column of a block has two ones at most it is the incidence matrix of a graph: nodes are
//! rows, edges are columns, a column with a single one is an edge to a *ground* node that is older than all. Reducing it is
//! Kruskal's algorithm with the elder rule: an edge between two trees pairs with the younger of their oldest nodes
//! (Edelsbrunner, Letscher, Zomorodian 2002). That is block 1 of every simplicial or cubical complex.
//!
//! When every *row* of a block has two ones at most, so does every column of its anti-transpose, and the same is true read
//! backwards: nodes are the cells of dimension d, edges those of dimension d − 1, the last first, and of two trees
//! the one whose last node is earlier is paired (de Silva, Morozov, Vejdemo-Johansson 2011: same pairs). That is the top block of
//! every complex in which a facet lies in two cells at most: images, alpha complexes, triangulated manifolds.

use crate::matrix::mates::Mates;
use crate::matrix::row::{Atomic, touch};
use crate::matrix::scan::{Leftmost, batches, tasks};
use crate::matrix::{BoundaryMatrix, Dimension, Row};

use rayon::prelude::*;

/// Whether the columns of block `dim` have two ones at most.
pub(super) fn by_columns<I: Row>(matrix: &BoundaryMatrix<I>, dim: Dimension) -> bool {
    tasks(matrix.len())
        .all(|mut columns| columns.all(|j| matrix.dim(j) != dim || matrix.column(j).len() <= 2))
}

/// The ends of the edges that the rows of a block are, read backwards: two columns or one.
pub(super) struct Ends<I: Row> {
    /// For each row one of its columns plus one; zero for other rows.
    pub(super) first: Vec<I::Atomic>,
    /// At the row plus one, its other column plus one, or zero.
    second: Vec<I::Atomic>,
}

impl<I: Row> Ends<I> {
    /// The ends of the rows of block `dim`; none when some row has a third column.
    pub(super) fn of(matrix: &BoundaryMatrix<I>, dim: Dimension) -> Option<Self> {
        let ends = Ends { first: I::zeros(matrix.len()), second: I::zeros(matrix.len() + 1) };
        let alone = rayon::current_num_threads() == 1;
        let at_most_two = tasks(matrix.len()).all(|columns| {
            batches(columns).all(|columns| {
                let mut columns = columns.filter(|&column| matrix.dim(column) == dim);
                let rows = columns.clone().flat_map(|column| matrix.column(column));
                touch::<I>(&ends.first, rows.map(|row| row.to_usize()));
                columns.all(|column| {
                    let number = I::from_usize(column + 1);
                    matrix.column(column).iter().all(|row| ends.note(row.to_usize(), number, alone))
                })
            })
        });
        at_most_two.then_some(ends)
    }

    /// Notes a column of a row; false when it is the third.
    #[inline]
    fn note(&self, row: usize, column: I, alone: bool) -> bool {
        [&self.first[row], &self.second[row + 1]].into_iter().any(|end| {
            if alone {
                let free = end.peek() == I::default();
                if free {
                    end.put(column);
                }
                free
            } else {
                end.exchange(I::default(), column).is_ok()
            }
        })
    }

    /// The table of first ends, and what else is known.
    pub(super) fn into_parts(self) -> (Vec<I::Atomic>, Vec<I::Atomic>) {
        (self.first, self.second)
    }
}

/// Room for the trees of `cells` cells.
pub(super) fn nodes<I: Row>(cells: usize) -> Vec<I::Atomic> {
    I::zeros(cells + 1)
}

/// Pairs block `dim` of a matrix whose columns have two ones at most. Of `nodes`, the places of cells of dimension `dim` − 1 are zero,
/// and used.
pub(super) fn pair_by_columns<I: Row>(
    matrix: &BoundaryMatrix<I>,
    dim: Dimension,
    nodes: &[I::Atomic],
    mates: &Mates<I>,
) {
    // Node i has age i + 1, the ground 0.
    let forest = Forest::<I, _> { drop: nodes, place: |age| age };
    // A creator of the block above closes a cycle: its edge joins nothing.
    let edges = (0..matrix.len()).filter(|&column| matrix.dim(column) == dim && !mates.is_creator(column));
    let ends = edges.filter_map(|column| match *matrix.column(column) {
        [a, b] => Some((column, a.to_usize() + 1, b.to_usize() + 1)),
        [a] => Some((column, 0, a.to_usize() + 1)),
        _ => None,
    });
    forest.join(ends, |younger, column| mates.pair(younger - 1, column));
}

/// Pairs block `dim` of a matrix whose rows have these ends: one in `first`, the other, if there is one, in `nodes` at the row plus one. Of `nodes`, the
/// places of cells of dimension `dim` are zero, and used.
pub(super) fn pair_by_rows<I: Row>(
    matrix: &BoundaryMatrix<I>,
    dim: Dimension,
    first: &Leftmost<I>,
    nodes: &[I::Atomic],
    mates: &Mates<I>,
) {
    let n = matrix.len();
    // Read backwards: node j has age n − j, the ground 0.
    let forest = Forest::<I, _> { drop: nodes, place: |age| if age == 0 { 0 } else { n + 1 - age } };
    // And so does a destroyer of the block below.
    let edges = (0..n).rev().filter(|&row| matrix.dim(row) == dim - 1 && !mates.is_destroyer(row));
    let ends = edges.filter_map(|row| {
        let other = nodes[row + 1].peek().to_usize().checked_sub(1);
        Some((row, n - first.get(row)?, other.map_or(0, |column| n - column)))
    });
    forest.join(ends, |younger, row| mates.pair(row, n - younger));
}

/// Trees of nodes, numbered by age: a root is the least number of its tree.
struct Forest<'a, I: Row, P> {
    /// How far below a node its parent is, zero for a root: at place 0 for node 0, the ground, and else at the node's cell plus one.
    /// Other threads use other places.
    drop: &'a [I::Atomic],
    /// The place of a node.
    place: P,
}

/// Edges whose ends are looked up together.
const BATCH: usize = 16;

impl<I: Row, P: Fn(usize) -> usize> Forest<'_, I, P> {
    /// Adds edges (name, end, end) one after the other. For each that joins two trees, `joined` hears the root of the younger one and
    /// the edge's name.
    fn join(
        &self,
        mut edges: impl Iterator<Item = (usize, usize, usize)>,
        mut joined: impl FnMut(usize, usize),
    ) {
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            batch.extend(edges.by_ref().take(BATCH));
            if batch.is_empty() {
                return;
            }
            // Loads that nothing waits for: see `touch`.
            let touched = batch.iter().fold(0, |sum, &(_, a, b)| sum ^ self.parent(a) ^ self.parent(b));
            std::hint::black_box(touched);
            for (edge, a, b) in batch.drain(..) {
                let (a, b) = (self.root(a), self.root(b));
                if a != b {
                    let (older, younger) = (a.min(b), a.max(b));
                    self.drop[(self.place)(younger)].put(I::from_usize(younger - older));
                    joined(younger, edge);
                }
            }
        }
    }

    #[inline]
    fn parent(&self, node: usize) -> usize {
        node - self.drop[(self.place)(node)].peek().to_usize()
    }

    /// The root of a node's tree; paths are halved on the way.
    #[inline]
    fn root(&self, mut node: usize) -> usize {
        loop {
            let parent = self.parent(node);
            if parent == node {
                return node;
            }
            let grandparent = self.parent(parent);
            if grandparent != parent {
                self.drop[(self.place)(node)].put(I::from_usize(node - grandparent));
            }
            node = grandparent;
        }
    }
}
