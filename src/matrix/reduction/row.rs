//! The row algorithm: reduces rows from the bottom up (de Silva, Morozov, Vejdemo-Johansson 2011, `pHrow`).
//!
//! ```text
//! for each row i, from the last to the first:
//!     of the columns whose low is i, the leftmost is paired with i
//!     it is added to each of the others
//!     if there is one: column i is made zero
//! ```
//!
//! When row i is reached, no addition of a later row can give another column the low i, so the leftmost is reduced.
//! A column has one low, so it waits in the list of one row, and two arrays hold all lists.
//!
//! Clearing needs no extra step: a cell of greater number is processed as a row before it could be added as a column,
//! so column i is made zero before it enters a list. A column is written back after each addition, so the algorithm
//! is slow if many others are added to a long column. Intermediate columns are stored here and not in
//! [`ReductionMatrix`], which keeps all versions. The algorithm runs on one thread.

use hashbrown::HashMap;
use phat_formats::Index;

use super::problem::{Additions, ReductionProblem};
use crate::matrix::index::SharedIndex;
#[cfg(doc)]
use crate::matrix::reduction_matrix::ReductionMatrix;
use crate::matrix::working_columns;
use crate::progress::check;

/// Number of additions between checks whether the run is to end.
const STEPS: Additions = 32;

/// For each row, a linked list of the columns that have it as their low.
struct Waiting<I> {
    /// For each row, its last column plus one; zero for none.
    last: Vec<I>,
    /// For each column, the previous column of its row plus one; zero for none.
    before: Vec<I>,
}

impl<I: Index> Waiting<I> {
    fn new(columns: usize) -> Self {
        Waiting { last: vec![I::default(); columns], before: vec![I::default(); columns] }
    }

    fn push(&mut self, row: usize, column: usize) {
        self.before[column] = self.last[row];
        self.last[row] = I::from_usize(column + 1);
    }

    fn of(&self, row: usize) -> Vec<usize> {
        let link = |next: I| next.to_usize().checked_sub(1);
        std::iter::successors(link(self.last[row]), |&column| link(self.before[column])).collect()
    }
}

/// Reduces rows from the bottom up.
pub fn row<I: SharedIndex>(problem: &ReductionProblem<'_, I>) -> Additions {
    let (matrix, lookup) = (problem.matrix, problem.lookup);
    let mut waiting = Waiting::<I>::new(matrix.len());
    let mut changed: HashMap<usize, Vec<I>> = HashMap::new();
    let mut working = working_columns::column(problem.columns, matrix.len());
    let mut additions = 0;
    let mut todo = problem.todo.iter().rev().map(|column| column.to_usize()).peekable();
    for row in (0..matrix.len()).rev() {
        let mut waits = waiting.of(row);
        if todo.next_if_eq(&row).is_some() && waits.is_empty() && lookup.get(row).is_none() {
            matrix.low(row).into_iter().for_each(|low| waiting.push(low, row));
        }
        if lookup.get(row).is_none() {
            let Some(&leftmost) = waits.iter().min() else { continue };
            if let Some(rows) = changed.remove(&leftmost) {
                matrix.set(leftmost, &rows);
            }
            waits.retain(|&column| column != leftmost);
            problem.pair(row, leftmost);
        }
        let Some(reduced) = problem.reduced(row) else { continue };
        for column in waits {
            let rows = changed.entry(column).or_insert_with(|| matrix.column(column).into());
            working.add(rows);
            additions += 1;
            if additions % STEPS == 0 {
                check(problem.progress);
            }
            working.add(reduced);
            match working.pivot() {
                Some(pivot) => waiting.push(pivot.to_usize(), column),
                None => matrix.clear(column),
            }
            working.take(rows);
        }
    }
    additions
}
