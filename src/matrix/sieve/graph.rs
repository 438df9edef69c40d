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
use crate::matrix::row::Atomic;
use crate::matrix::scan::{Leftmost, tasks};
use crate::matrix::{BoundaryMatrix, Dimension, Row};

use rayon::prelude::*;

/// Pairs block `dim` of a matrix if its columns have two ones at most; else changes nothing and answers `false`.
pub(super) fn pair_by_columns<I: Row>(matrix: &BoundaryMatrix<I>, dim: Dimension, mates: &Mates<I>) -> bool {
    if tasks(matrix.len())
        .any(|mut columns| columns.any(|j| matrix.dim(j) == dim && matrix.column(j).len() > 2))
    {
        return false;
    }
    // Node i has age i + 1, the ground 0.
    let mut forest = Forest::<I>::new(matrix.len() + 1);
    // A creator of the block above closes a cycle: its edge joins nothing.
    let edges = (0..matrix.len()).filter(|&column| matrix.dim(column) == dim && !mates.is_creator(column));
    let ends = edges.filter_map(|column| match *matrix.column(column) {
        [a, b] => Some((column, a.to_usize() + 1, b.to_usize() + 1)),
        [a] => Some((column, 0, a.to_usize() + 1)),
        _ => None,
    });
    forest.join(ends, |younger, column| mates.pair(younger - 1, column));
    true
}

/// Pairs block `dim` of a matrix if its rows have two ones at most; else changes nothing and answers `false`.
pub(super) fn pair_by_rows<I: Row>(
    matrix: &BoundaryMatrix<I>,
    dim: Dimension,
    leftmost: &Leftmost<I>,
    mates: &Mates<I>,
) -> bool {
    let Some(second) = second_ones(matrix, dim, leftmost) else { return false };
    let n = matrix.len();
    // Read backwards: node j has age n − j, the ground 0.
    let mut forest = Forest::<I>::new(n + 1);
    // And so does a destroyer of the block below.
    let edges = (0..n).rev().filter(|&row| matrix.dim(row) == dim - 1 && !mates.is_destroyer(row));
    let ends = edges.filter_map(|row| {
        let other = second[row].peek().to_usize().checked_sub(1);
        Some((row, n - leftmost.get(row)?, other.map_or(0, |column| n - column)))
    });
    forest.join(ends, |younger, row| mates.pair(row, n - younger));
    true
}

/// For each row of block `dim`, the column plus one of its second one, zero when there is none. None when some row has a third.
fn second_ones<I: Row>(
    matrix: &BoundaryMatrix<I>,
    dim: Dimension,
    leftmost: &Leftmost<I>,
) -> Option<Vec<I::Atomic>> {
    let second = I::zeros(matrix.len());
    let at_most_two = |columns: std::ops::Range<usize>| {
        for column in columns.filter(|&column| matrix.dim(column) == dim) {
            for &row in matrix.column(column) {
                let row = row.to_usize();
                let first = leftmost.get(row) == Some(column);
                if !first && second[row].exchange(I::default(), I::from_usize(column + 1)).is_err() {
                    return false;
                }
            }
        }
        true
    };
    tasks(matrix.len()).all(at_most_two).then_some(second)
}

/// Trees of nodes, numbered by age: a root is the least number of its tree.
struct Forest<I> {
    /// How far below a node its parent is; zero for a root.
    drop: Vec<I>,
}

/// Edges whose ends are looked up together.
const BATCH: usize = 16;

impl<I: Row> Forest<I> {
    fn new(nodes: usize) -> Self {
        Forest { drop: vec![I::default(); nodes] }
    }

    /// Adds edges (name, end, end) one after the other. For each that joins two trees, `joined` hears the root of the younger one and
    /// the edge's name.
    fn join(
        &mut self,
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
                    self.drop[younger] = I::from_usize(younger - older);
                    joined(younger, edge);
                }
            }
        }
    }

    #[inline]
    fn parent(&self, node: usize) -> usize {
        node - self.drop[node].to_usize()
    }

    /// The root of a node's tree; paths are halved on the way.
    #[inline]
    fn root(&mut self, mut node: usize) -> usize {
        loop {
            let parent = self.parent(node);
            if parent == node {
                return node;
            }
            let grandparent = self.parent(parent);
            self.drop[node] = I::from_usize(node - grandparent);
            node = grandparent;
        }
    }
}
