//! Compression (Zhang et al. 2019, Lemmas 3 and 4; Bauer, Kerber, Reininghaus 2014): ones that do not matter are taken out of
//! the unstable columns.
//!
//! A row can be dropped from a column when it will never be the column's low:
//!
//! - the row of a *destroyer* is never anybody's low (Lemma 4 finds destroyers: they hold a leftmost one);
//! - a row that is the low of a stable column whose other rows can all be dropped: adding that column removes the one and brings in
//!   nothing that matters (Lemma 3). Such rows are *compressible*. Which are, is found by a search that remembers its answers.
//!
//! A row that is the low of a stable column but not compressible is removed by adding that column. What is left has rows only
//! that no stable column has as low: so no stable column is added ever after.
//!
//! The search goes from a row to the other rows of its stable column, which are smaller, so it ends. It keeps its own
//! stack: chains of rows grow as long as the matrix. Workers share the answers; two may search the same row and find the same.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::columns::{BitTree, WorkingColumn};
use super::scan::Scan;
use super::state::Columns;
use super::{BoundaryMatrix, Index, Row};

/// What compression took away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compressed {
    /// Columns that are zero now.
    pub columns: usize,
    /// Ones before less ones now.
    pub entries: isize,
    /// Additions of stable columns.
    pub additions: u64,
}

/// Compresses the unstable columns.
pub fn compress<I: Row>(columns: &Columns<'_, I>, scan: &Scan<I>) -> Compressed {
    let search = Search { matrix: columns.matrix(), scan, answers: answers(columns.len()) };
    let total = [const { AtomicUsize::new(0) }; 4];
    let [emptied, before, after, additions] = &total;
    scan.unstable.par_iter().for_each_init(
        || Worker { column: BitTree::new(columns.len()), kept: Vec::new(), stack: Vec::new() },
        |worker, column| {
            let column = column.to_usize();
            before.fetch_add(columns.get(column).len(), Ordering::Relaxed);
            additions.fetch_add(worker.compress(columns.get(column), &search), Ordering::Relaxed);
            columns.set(column, &worker.kept);
            after.fetch_add(worker.kept.len(), Ordering::Relaxed);
            emptied.fetch_add(usize::from(worker.kept.is_empty()), Ordering::Relaxed);
        },
    );
    let [emptied, before, after, additions] = total.map(AtomicUsize::into_inner);
    Compressed { columns: emptied, entries: before as isize - after as isize, additions: additions as u64 }
}

/// Whether rows are compressible, as far as it has been asked.
struct Search<'a, I: Row> {
    matrix: &'a BoundaryMatrix<I>,
    scan: &'a Scan<I>,
    answers: Vec<AtomicU8>,
}

const UNKNOWN: u8 = 0;
const COMPRESSIBLE: u8 = 1;
const INCOMPRESSIBLE: u8 = 2;

fn answers(rows: usize) -> Vec<AtomicU8> {
    (0..rows).map(|_| AtomicU8::new(UNKNOWN)).collect()
}

/// A row that is being asked about, and how many of the other rows of its stable column have been.
type Asked = (usize, usize);

impl<I: Row> Search<'_, I> {
    fn is_compressible(&self, row: usize, stack: &mut Vec<Asked>) -> bool {
        stack.push((row, 0));
        while let Some(&mut (row, ref mut asked)) = stack.last_mut() {
            let answer = match self.known(row) {
                UNKNOWN => {
                    // Rows with an answer of their own are answered by `known`: this one has a stable column.
                    let others = self.scan.lookup.get(row).map_or(&[][..], |stable| self.others(stable));
                    let open = others[*asked..].iter().position(|&other| self.known(other.to_usize()) != COMPRESSIBLE);
                    match open {
                        None => COMPRESSIBLE,
                        Some(place) => {
                            *asked += place;
                            let other = others[*asked].to_usize();
                            match self.known(other) {
                                INCOMPRESSIBLE => INCOMPRESSIBLE,
                                _ => {
                                    stack.push((other, 0));
                                    continue;
                                }
                            }
                        }
                    }
                }
                answer => answer,
            };
            self.answers[row].store(answer, Ordering::Relaxed);
            stack.pop();
        }
        self.known(row) == COMPRESSIBLE
    }

    /// The answer for a row, if it is known or needs no search.
    fn known(&self, row: usize) -> u8 {
        match self.answers[row].load(Ordering::Relaxed) {
            UNKNOWN if self.scan.destroyers[row] => COMPRESSIBLE,
            UNKNOWN if self.scan.lookup.get(row).is_none() => INCOMPRESSIBLE,
            answer => answer,
        }
    }

    /// The rows of a stable column but its low.
    fn others(&self, stable: usize) -> &[I] {
        let rows = self.matrix.column(stable);
        &rows[..rows.len() - 1]
    }
}

struct Worker<I> {
    column: BitTree<I>,
    kept: Vec<I>,
    stack: Vec<Asked>,
}

impl<I: Row> Worker<I> {
    /// Leaves in `kept` what matters of a column; answers the number of columns added.
    fn compress(&mut self, rows: &[I], search: &Search<'_, I>) -> u64 {
        self.kept.clear();
        self.column.add(rows);
        let mut additions = 0;
        while let Some(row) = self.column.pivot() {
            if search.is_compressible(row.to_usize(), &mut self.stack) {
                self.column.pop();
            } else if let Some(stable) = search.scan.lookup.get(row.to_usize()) {
                self.column.add(search.matrix.column(stable));
                additions += 1;
            } else {
                self.kept.extend(self.column.pop());
            }
        }
        self.kept.reverse();
        additions
    }
}
