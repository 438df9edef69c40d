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

use std::sync::atomic::{AtomicBool, Ordering};

use phat_formats::{BoundaryMatrix, Dimension};
use rayon::prelude::*;

use crate::matrix::index::{AtomicIndex, SharedIndex};
use crate::matrix::leftmost_ones::{claim, note_leftmost, pair_stable};
use crate::matrix::mates::Mates;
use crate::matrix::optional_table::cell;
use crate::matrix::traversal::{batches, each_task, touch};

/// What one look at every one of a matrix tells: which blocks are graphs, and the leftmost ones of the others.
pub(super) struct Survey<I: SharedIndex> {
    /// Whether block 1 is a graph.
    pub(super) bottom: bool,
    /// Whether the top block is a graph when it is read backwards.
    pub(super) top: bool,
    /// A column of each row: that of its leftmost one where its block is no graph; one of its columns (either, if it has two) where
    /// its block is the top one and a graph. Column numbers are one greater, and zero stands for none.
    pub(super) columns: Vec<I::Atomic>,
    /// The other column of each row of a top block that is a graph, plus one, or zero. It lies at the place after the row's. The
    /// places of other dimensions are zero: union-find needs them.
    pub(super) nodes: Vec<I::Atomic>,
}

impl<I: SharedIndex> Survey<I> {
    /// Looks at a matrix of dimension `max_dim`.
    pub(super) fn of(matrix: &BoundaryMatrix<I>, max_dim: Dimension) -> Self {
        let (first, nodes) = (I::zeros(matrix.len()), I::zeros(matrix.len() + 1));
        let (bottom, top) = (AtomicBool::new(max_dim >= 1), AtomicBool::new(max_dim >= 2));
        let alone = rayon::current_num_threads() == 1;
        each_task(matrix.len(), &|columns| {
            for columns in batches(columns) {
                touch::<I>(&first, matrix.rows_of(columns.clone()).iter().map(|row| row.to_usize()));
                for column in columns {
                    let (dim, rows) = (matrix.dim(column), matrix.column(column));
                    let number = I::from_usize(column + 1);
                    if dim == max_dim && max_dim >= 2 {
                        let note = |row: &I| note::<I>(&first, &nodes, row.to_usize(), number, alone);
                        if !rows.iter().all(note) {
                            top.store(false, Ordering::Relaxed);
                        }
                    } else if dim != 1 {
                        rows.iter().for_each(|row| claim::<I>(&first[row.to_usize()], number, alone));
                    } else if rows.len() > 2 {
                        bottom.store(false, Ordering::Relaxed);
                    }
                }
            }
        });
        let (bottom, top) = (bottom.into_inner(), top.into_inner());
        let mut survey = Survey { bottom, top, columns: first, nodes };
        survey.mend(matrix, max_dim);
        survey
    }

    /// Scans block 1 and the top block where they turned out to be no graphs.
    fn mend(&mut self, matrix: &BoundaryMatrix<I>, max_dim: Dimension) {
        let (bottom, top) = (self.bottom, self.top || max_dim < 2);
        if bottom && top || max_dim == 0 {
            return;
        }
        if !top {
            let rows = self.columns.par_iter_mut().zip(&mut self.nodes[1..]).zip(matrix.dims());
            rows.filter(|(_, dim)| **dim == max_dim - 1).for_each(|((first, second), _)| {
                first.put(I::default());
                second.put(I::default());
            });
        }
        let is_left = |dim| dim == 1 && !bottom || dim == max_dim && !top;
        note_leftmost(matrix, &self.columns, is_left);
    }

    /// The stable pairs of all blocks that were scanned.
    pub(super) fn pair_stable(&self, matrix: &BoundaryMatrix<I>, max_dim: Dimension) -> Mates<I> {
        pair_stable(matrix, &self.columns, |dim| self.scanned(dim, max_dim))
    }

    /// Whether a block was scanned.
    pub(super) fn scanned(&self, dim: Dimension, max_dim: Dimension) -> bool {
        !(self.bottom && dim == 1 || self.top && dim == max_dim)
    }
}

/// Notes a column of a row; false when it is the third.
#[inline]
fn note<I: SharedIndex>(
    first: &[I::Atomic],
    second: &[I::Atomic],
    row: usize,
    column: I,
    alone: bool,
) -> bool {
    let free = |end: &I::Atomic| {
        // Looking costs less than an exchange that fails.
        end.peek() == I::default()
            && if alone {
                end.put(column);
                true
            } else {
                end.exchange(I::default(), column).is_ok()
            }
    };
    free(&first[row]) || free(&second[row + 1])
}

/// Pairs block `dim` of a matrix whose columns have two ones at most. Of `nodes`, the places of cells of dimension `dim` − 1 are zero,
/// and used.
pub(super) fn pair_by_columns<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    dim: Dimension,
    nodes: &[I::Atomic],
    mates: &Mates<I>,
) {
    // Node i has age i + 1, the ground 0.
    let forest = Forest::<I, _> { drop: nodes, place: |age| age };
    // A column whose cell creates a class closes a cycle: its edge joins nothing.
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
pub(super) fn pair_by_rows<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    dim: Dimension,
    first: &[I::Atomic],
    nodes: &[I::Atomic],
    mates: &Mates<I>,
) {
    let n = matrix.len();
    // Read backwards: node j has age n − j, the ground 0.
    let forest = Forest::<I, _> { drop: nodes, place: |age| if age == 0 { 0 } else { n + 1 - age } };
    // A destroyer of the block below closes a cycle backwards: its edge joins nothing.
    let edges = (0..n).rev().filter(|&row| matrix.dim(row) == dim - 1 && !mates.is_destroyer(row));
    let ends = edges.filter_map(|row| {
        let other = cell(nodes[row + 1].peek());
        Some((row, n - cell(first[row].peek())?, other.map_or(0, |column| n - column)))
    });
    forest.join(ends, |younger, row| mates.pair(row, n - younger));
}

/// Trees of nodes, numbered by age: a root is the least number of its tree.
struct Forest<'a, I: SharedIndex, P> {
    /// How far below a node its parent is, zero for a root: at place 0 for node 0, the ground, and else at the node's cell plus one.
    /// Other threads use other places.
    drop: &'a [I::Atomic],
    /// The place of a node.
    place: P,
}

/// Edges whose ends are looked up together.
const BATCH: usize = 16;

impl<I: SharedIndex, P: Fn(usize) -> usize> Forest<'_, I, P> {
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
            // These loads overlap, since nothing depends on them: see `touch`.
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
