//! Compression (Zhang et al. 2019, Lemmas 3 and 4, Algorithms 4 and 5; Bauer, Kerber, Reininghaus 2014): removes
//! entries that cannot affect any later addition from the unstable columns.
//!
//! A row can be dropped from a column if it will never be the column's low. There are two kinds of such rows:
//!
//! - The row of a *destroyer* is never the low of a reduced column (Lemma 4: a cell whose column holds a leftmost one
//!   is a destroyer).
//! - A row is *compressible* if it is the low of a stable column whose other rows can all be dropped: adding that
//!   column removes the row and brings in only rows that can be dropped in turn (Lemma 3). A memoised search finds
//!   these rows.
//!
//! A row that is the low of a stable column but not compressible is removed by adding that column. None of the
//! remaining rows is the low of a stable column, so the reduction that follows adds no stable column.
//!
//! The search goes from a row to the other rows of its stable column, which are smaller, so it ends. It keeps its own
//! stack, because a chain of rows may be as long as the matrix. Workers share the answers; two of them may search the
//! same row and find the same answer.

use std::cell::RefCell;
use std::sync::atomic::{AtomicIsize, AtomicU8, AtomicUsize, Ordering};

use super::problem::ReductionProblem;
use super::team::{Rewrite, Team, Worker};
use crate::matrix::index::SharedIndex;

/// Numbers of columns and entries that compression removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compressed {
    /// Number of columns that became zero.
    pub columns: usize,
    /// Number of entries before compression less the number after it.
    pub entries: isize,
    /// Number of additions of stable columns.
    pub additions: u64,
}

/// Compresses the unreduced columns of a problem whose pairs are the stable ones. `is_destroyer` says of each cell
/// whether it is known to destroy a class.
pub fn compress<I: SharedIndex>(problem: &ReductionProblem<'_, I>, is_destroyer: &[bool]) -> Compressed {
    let matrix = problem.matrix;
    let compression = Compression::new(problem, is_destroyer);
    let (emptied, entries) = (AtomicUsize::new(0), AtomicIsize::new(0));
    let mut team = Team::new(problem);
    team.each(problem.todo, |worker, column| {
        let column = column.to_usize();
        let before = matrix.column(column).len();
        compression.compress(worker, column);
        let after = matrix.column(column).len();
        entries.fetch_add(before as isize - after as isize, Ordering::Relaxed);
        emptied.fetch_add(usize::from(after == 0), Ordering::Relaxed);
    });
    Compressed { columns: emptied.into_inner(), entries: entries.into_inner(), additions: team.additions() }
}

/// The memoised search for compressible rows. The pairs whose creators have the dimension of the rows of compressed
/// columns, and the columns of these pairs, must not change meanwhile.
pub(super) struct Compression<'a, I: SharedIndex> {
    problem: &'a ReductionProblem<'a, I>,
    is_destroyer: &'a [bool],
    answers: Vec<AtomicU8>,
}

const UNKNOWN: u8 = 0;
const COMPRESSIBLE: u8 = 1;
const INCOMPRESSIBLE: u8 = 2;

/// A frame of the search: a row, and how many of the other rows of its stable column are known to be compressible.
type Frame = (usize, usize);

impl<'a, I: SharedIndex> Compression<'a, I> {
    pub(super) fn new(problem: &'a ReductionProblem<'a, I>, is_destroyer: &'a [bool]) -> Self {
        let answers = (0..is_destroyer.len()).map(|_| AtomicU8::new(UNKNOWN)).collect();
        Compression { problem, is_destroyer, answers }
    }

    /// Compresses a column.
    pub(super) fn compress(&self, worker: &mut Worker<'_, I>, column: usize) {
        let stack = RefCell::default();
        worker.rewrite(self.problem.matrix, column, |row| match self.problem.reduced(row) {
            _ if self.is_compressible(row, &mut stack.borrow_mut()) => Rewrite::Drop,
            Some(stable) => Rewrite::Add(stable),
            None => Rewrite::Keep,
        });
    }

    fn is_compressible(&self, row: usize, stack: &mut Vec<Frame>) -> bool {
        if self.known(row) == UNKNOWN {
            stack.push((row, 0));
        }
        while let Some(&mut (row, ref mut settled)) = stack.last_mut() {
            // A row whose answer is unknown is the low of a stable column, see `known`.
            let others =
                self.problem.reduced(row).and_then(<[I]>::split_last).map_or(&[][..], |column| column.1);
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

    /// Returns the answer for a row if it is known or follows from the pairs alone.
    fn known(&self, row: usize) -> u8 {
        match self.answers[row].load(Ordering::Relaxed) {
            UNKNOWN if self.is_destroyer[row] => COMPRESSIBLE,
            UNKNOWN if self.problem.lookup.get(row).is_none() => INCOMPRESSIBLE,
            answer => answer,
        }
    }
}
