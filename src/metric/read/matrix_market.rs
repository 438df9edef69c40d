//! `matrix-market`: the text format of Matrix Market. A sparse matrix (`coordinate`) holds the distances of some pairs of
//! points, of which all others are never connected; a dense one (`array`) holds distances or points as a NumPy array does.

use super::diagonal::Entries;
use super::error::Problem;
use super::{DistanceFormat, Input, npy, triplets};
use crate::input::matrix_market::{self, Matrix};

pub(super) use crate::input::matrix_market::is_matrix_market;

/// What the file holds, and what there is to say of it.
pub(super) fn read(
    bytes: &[u8],
    format: DistanceFormat,
    entries: Entries,
) -> Result<(Input, Vec<String>), Problem> {
    match matrix_market::read(bytes)? {
        Matrix::Sparse(matrix) => triplets::read(&matrix, entries),
        Matrix::Dense(matrix) => {
            npy::read_columns(matrix.rows, matrix.columns, matrix.values, format, entries)
        }
    }
}
