//! Twist: columns of descending dimension, with clearing (Chen, Kerber 2011).
//!
//! ```text
//! for each dimension, from the greatest down:
//!     for each column j of it, from left to right:
//!         while some reduced column has the low of j:
//!             add it to j
//!         if j is not zero: its low i is paired with it, and column i is made zero
//! ```
//!
//! The difference from [`mod@super::standard`] is the order, and the last words. A cell that is the low of a reduced
//! column creates a class, and the columns of creators reduce to zero: the dearest work of the standard algorithm is
//! not done. Column i is one dimension lower than j, so its turn is still to come. Only essential classes are still
//! added down to zero. One thread does it.

use super::problem::{Additions, Problem};
use super::team::Worker;
use crate::matrix::columns::WorkingColumn;
use crate::matrix::{Index, Row};

/// Columns of descending dimension, with clearing.
pub fn twist<I: Row, C: WorkingColumn<I>>(problem: &Problem<'_, I>) -> Additions {
    let mut worker = Worker::<I, C>::new(problem.columns.len());
    for columns in problem.dimensions() {
        for column in columns.into_iter().map(Index::to_usize) {
            if let Some(pivot) = worker.reduce(problem.columns, column, |pivot| problem.reduced(pivot)) {
                problem.pair(pivot, column);
            }
        }
    }
    worker.additions
}
