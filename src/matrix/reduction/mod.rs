//! Reduction: one algorithm a file.

use super::{BoundaryMatrix, Pairs, Plan, Row};

/// The persistence pairs of a matrix, found as planned.
pub fn reduce<I: Row>(matrix: &BoundaryMatrix<I>, plan: &Plan) -> Pairs<I> {
    let _ = (matrix, plan);
    unimplemented!()
}
