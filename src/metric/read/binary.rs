//! `binary`: the entries below the diagonal as little-endian `f32`.
//!
//! | bytes | type | content |
//! |---|---|---|
//! | 0–(2n(n−1) − 1) | `f32` | d(1,0), d(2,0), d(2,1), d(3,0), … |
//!
//! An empty file is an error, not one point.

use super::error::{Place, Problem};
use super::triangle;
use crate::metric::DistanceMatrix;
use crate::metric::square::DISTANCE;

/// Reads the lower triangle of a matrix.
pub(super) fn read(bytes: &[u8]) -> Result<DistanceMatrix<f32>, Problem> {
    if bytes.is_empty() {
        return Err(Problem::new(Place::Whole, "at least one point", "an empty file"));
    }
    let (entries, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let found = format!("{} more", rest.len());
        return Err(Problem::new(Place::Byte(4 * entries.len()), "entries of 4 bytes", found));
    }
    triangle::points(entries.len())?;
    let lower: Vec<f32> = entries.iter().map(|&entry| f32::from_le_bytes(entry)).collect();
    if let Some(k) = lower.iter().position(|d| d.is_nan() || *d < 0.0) {
        return Err(Problem::new(Place::Byte(4 * k), DISTANCE, lower[k].to_string()));
    }
    DistanceMatrix::from_lower(lower).map_err(super::metric_problem)
}
