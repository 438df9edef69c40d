//! Blocks of the matrix that are graphs, solved by union-find.
//!
//! Block d of the matrix, its columns of dimension d, pairs cells of dimension d − 1 with cells of dimension d, and
//! no other block does. If every column of a block has at most two ones, the block is the incidence matrix of a
//! graph: nodes are rows, edges are columns, and a column with a single one is an edge to a *ground* node that is
//! older than all. Reducing it is Kruskal's algorithm with the elder rule: an edge between two trees pairs with the
//! younger of their oldest nodes (Edelsbrunner, Letscher, Zomorodian 2002). Block 1 of every simplicial or cubical
//! complex is such a graph.
//!
//! If every *row* of a block has at most two ones, then so does every column of its anti-transpose, and the same
//! algorithm works backwards: nodes are the cells of dimension d, edges those of dimension d − 1, the last first, and
//! of two trees the one whose last node is earlier is paired (de Silva, Morozov, Vejdemo-Johansson 2011: same pairs).
//! The top block is such a graph in every complex in which a facet lies in at most two cells: images, alpha
//! complexes, triangulated manifolds.

use std::sync::atomic::{AtomicBool, Ordering};

use phat_formats::{BoundaryMatrix, Dimension};

use crate::matrix::cell_table::cell;
use crate::matrix::index::{AtomicIndex, SharedIndex};
use crate::matrix::leftmost_ones::{claim, note_leftmost, pair_stable};
use crate::matrix::mates::Mates;
use crate::matrix::traversal::{TASK, batches, touch};
use crate::parallel;

/// The result of one pass over all entries: which blocks are graphs, and the leftmost ones of the others.
pub(super) struct Survey<I: SharedIndex> {
    /// Whether block 1 is a graph.
    pub(super) bottom: bool,
    /// Whether the top block, read backwards, is a graph.
    pub(super) top: bool,
    /// A column of each row, plus one, or zero for none. If its block is no graph, the column is that of the leftmost
    /// one; if its block is the top one and a graph, it is any of its at most two columns.
    pub(super) columns: Vec<I::Atomic>,
    /// The other column of each row of a top block that is a graph, plus one, or zero. It is stored at the row plus
    /// one. The entries of other dimensions are zero, as union-find needs them to be.
    pub(super) nodes: Vec<I::Atomic>,
}

impl<I: SharedIndex> Survey<I> {
    /// Surveys a matrix of dimension `max_dim`.
    pub(super) fn of(matrix: &BoundaryMatrix<I>, max_dim: Dimension) -> Self {
        let (first, nodes) = (I::zeros(matrix.len()), I::zeros(matrix.len() + 1));
        let (bottom, top) = (AtomicBool::new(max_dim >= 1), AtomicBool::new(max_dim >= 2));
        let alone = rayon::current_num_threads() == 1;
        parallel::ranges(matrix.len(), TASK, &|columns| {
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
        let survey = Survey { bottom, top, columns: first, nodes };
        survey.mend(matrix, max_dim);
        survey
    }

    /// Scans block 1 and the top block if they turned out not to be graphs.
    fn mend(&self, matrix: &BoundaryMatrix<I>, max_dim: Dimension) {
        let (bottom, top) = (self.bottom, self.top || max_dim < 2);
        if bottom && top || max_dim == 0 {
            return;
        }
        if !top {
            parallel::ranges(matrix.len(), TASK, &|rows| {
                for row in rows.filter(|&row| matrix.dim(row) == max_dim - 1) {
                    self.columns[row].put(I::default());
                    self.nodes[row + 1].put(I::default());
                }
            });
        }
        let is_left = |dim| dim == 1 && !bottom || dim == max_dim && !top;
        note_leftmost(matrix, &self.columns, is_left);
    }

    /// The stable pairs of all scanned blocks.
    pub(super) fn pair_stable(&self, matrix: &BoundaryMatrix<I>, max_dim: Dimension) -> Mates<I> {
        pair_stable(matrix, &self.columns, |dim| self.scanned(dim, max_dim))
    }

    /// Whether a block was scanned.
    pub(super) fn scanned(&self, dim: Dimension, max_dim: Dimension) -> bool {
        !(self.bottom && dim == 1 || self.top && dim == max_dim)
    }
}

/// Records a column of a row; returns false if it is the third.
#[inline]
fn note<I: SharedIndex>(
    first: &[I::Atomic],
    second: &[I::Atomic],
    row: usize,
    column: I,
    alone: bool,
) -> bool {
    let free = |end: &I::Atomic| {
        // A load is cheaper than an exchange that fails.
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

/// Pairs block `dim` of a matrix whose columns have at most two ones. The entries of `nodes` for cells of dimension
/// `dim` − 1 must be zero, and are overwritten.
pub(super) fn pair_by_columns<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    dim: Dimension,
    nodes: &[I::Atomic],
    mates: &Mates<I>,
) {
    // Node i has age i + 1, the ground 0.
    let forest = Forest::<I, _> { drop: nodes, place: |age| age };
    // The column of a creator closes a cycle, so its edge joins no trees.
    let edges = (0..matrix.len()).filter(|&column| matrix.dim(column) == dim && !mates.is_creator(column));
    let ends = edges.filter_map(|column| match *matrix.column(column) {
        [a, b] => Some((column, a.to_usize() + 1, b.to_usize() + 1)),
        [a] => Some((column, 0, a.to_usize() + 1)),
        _ => None,
    });
    forest.join(ends, |younger, column| mates.pair(younger - 1, column));
}

/// Pairs block `dim` of a matrix whose rows have at most two ones: one in the column in `first`, the other, if there
/// is one, in that in `nodes` at the row plus one. The entries of `nodes` for cells of dimension `dim` must be zero,
/// and are overwritten.
pub(super) fn pair_by_rows<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    dim: Dimension,
    first: &[I::Atomic],
    nodes: &[I::Atomic],
    mates: &Mates<I>,
) {
    let n = matrix.len();
    // Backwards, node j has age n − j, and the ground has age 0.
    let forest = Forest::<I, _> { drop: nodes, place: |age| if age == 0 { 0 } else { n + 1 - age } };
    // Backwards, a destroyer of the block below closes a cycle, so its edge joins no trees.
    let edges = (0..n).rev().filter(|&row| matrix.dim(row) == dim - 1 && !mates.is_destroyer(row));
    let ends = edges.filter_map(|row| {
        let other = cell(nodes[row + 1].peek());
        Some((row, n - cell(first[row].peek())?, other.map_or(0, |column| n - column)))
    });
    forest.join(ends, |younger, row| mates.pair(row, n - younger));
}

/// A union-find forest. Nodes are numbered by age, and a root is the least number of its tree.
struct Forest<'a, I: SharedIndex, P> {
    /// The distance from each node's age down to that of its parent, zero for a root. The ground is at place 0,
    /// another node at its cell plus one. Other threads use other places.
    drop: &'a [I::Atomic],
    /// Maps the age of a node to its place.
    place: P,
}

/// Number of edges whose ends are looked up together.
const BATCH: usize = 16;

impl<I: SharedIndex, P: Fn(usize) -> usize> Forest<'_, I, P> {
    /// Adds edges (name, end, end) in order. For each edge that joins two trees, calls `joined` with the root of the
    /// younger tree and the edge's name.
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

    /// Finds the root of a node's tree, with path halving.
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
