//! Compression (Zhang et al. 2019, Lemmas 3 and 4, Algorithms 4 and 5; Bauer, Kerber, Reininghaus 2014): ones that decide
//! no addition are taken out of the unstable columns.
//!
//! A row can be dropped from a column when it will never be the column's low:
//!
//! - the row of a *destroyer* is never the low of a reduced column (Lemma 4 finds destroyers: their columns hold a leftmost one);
//! - a row that is the low of a stable column whose other rows can all be dropped: adding that column removes the one
//!   and brings in rows only that can be dropped in turn (Lemma 3). Such rows are *compressible*; a search that remembers its
//!   answers finds them.
//!
//! A row that is the low of a stable column but not compressible is removed by adding that column. The rows that are left
//! are the lows of no stable column, so the reduction that follows adds no stable column.
//!
//! The search goes from a row to the other rows of its stable column, which are smaller, so it ends. It keeps its own
//! stack, because a chain of rows may be as long as the matrix. Workers share the answers; two of them may search one row,
//! and find the same answer.

use std::cell::RefCell;
use std::sync::atomic::{AtomicIsize, AtomicU8, AtomicUsize, Ordering};

use phat_formats::BoundaryMatrix;

use super::index::SharedIndex;
use super::leftmost_ones::Scan;
use super::reduction::problem::ReductionProblem;
use super::reduction::team::{Rewrite, Team};
use super::working_columns::WorkingColumn;

/// What compression removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compressed {
    /// Columns that are zero now.
    pub columns: usize,
    /// The number of ones before compression less the number after it.
    pub entries: isize,
    /// Additions of stable columns.
    pub additions: u64,
}

/// Compresses the columns that a problem has to reduce. Its look-up table is that of `scan`.
pub fn compress<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    scan: &Scan<I>,
) -> Compressed {
    let matrix = problem.matrix;
    let search = Search { matrix: matrix.boundaries(), scan, answers: answers(matrix.len()) };
    let (emptied, entries) = (AtomicUsize::new(0), AtomicIsize::new(0));
    let mut team = Team::new(problem);
    team.each(problem.todo, |worker, column| {
        let column = column.to_usize();
        let before = matrix.column(column).len();
        let stack = RefCell::default();
        worker.rewrite(matrix, column, |row| match scan.lookup.get(row) {
            _ if search.is_compressible(row, &mut stack.borrow_mut()) => Rewrite::Drop,
            Some(stable) => Rewrite::Add(matrix.column(stable)),
            None => Rewrite::Keep,
        });
        let after = matrix.column(column).len();
        entries.fetch_add(before as isize - after as isize, Ordering::Relaxed);
        emptied.fetch_add(usize::from(after == 0), Ordering::Relaxed);
    });
    Compressed { columns: emptied.into_inner(), entries: entries.into_inner(), additions: team.additions() }
}

/// Whether rows are compressible, as far as it has been asked.
struct Search<'a, I: SharedIndex> {
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

/// A row that is being asked about, and how many of the other rows of its stable column are compressible.
type Asked = (usize, usize);

impl<I: SharedIndex> Search<'_, I> {
    fn is_compressible(&self, row: usize, stack: &mut Vec<Asked>) -> bool {
        if self.known(row) == UNKNOWN {
            stack.push((row, 0));
        }
        while let Some(&mut (row, ref mut settled)) = stack.last_mut() {
            // Without an answer of its own, the row is the low of a stable column.
            let others = self.scan.lookup.get(row).map_or(&[][..], |stable| self.others(stable));
            let dropped = |other: &&I| self.known(other.to_usize()) == COMPRESSIBLE;
            *settled += others[*settled..].iter().take_while(dropped).count();
            let answer =
                match others.get(*settled).map(|other| (other.to_usize(), self.known(other.to_usize()))) {
                    None => COMPRESSIBLE,
                    Some((_, INCOMPRESSIBLE)) => INCOMPRESSIBLE,
                    Some((other, _)) => {
                        stack.push((other, 0));
                        continue;
                    }
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
