//! `matrix-market`: the text format of Matrix Market. A sparse matrix (`coordinate`) holds the distances of some pairs
//! of points; all other pairs are never connected. A dense matrix (`array`) holds distances or points, as a NumPy array
//! does.

use super::diagonal::Entries;
use super::error::Problem;
use super::{DistanceFormat, Input, npy, triplets};
use crate::input::matrix_market::{self, Matrix};

pub(super) use crate::input::matrix_market::is_matrix_market;

/// Reads the content of a file, with notes on corrections.
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
