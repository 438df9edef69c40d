//! `dipha`: DIPHA distance matrices, file types 7 (dense) and 8 (sparse).
//!
//! The doubles are rounded to `f32`, as Ripser does, unless double precision is requested; overflow is an error. A
//! dense matrix must be symmetric, and its diagonal zero or births, as in the `distance` format. In a sparse matrix, an
//! entry may be given in one direction or in both; then both must agree, and the row of the greater point is used. A
//! diagonal entry must be 0, or is a birth if so requested.

use super::Context;
use crate::input::{Place, Problem};
use crate::metric::pairs::{self, Entry};
use crate::metric::square::{self, DISTANCE};
use crate::metric::{Distances, Value};
use phat_formats::dipha::{self, FileType, SparseEntry};

const SINGLE: &str = "a distance that fits single precision (below 3.4028236e38)";

/// Reads the distances of a file, and adds notes on corrections.
pub(super) fn read<T: Value>(bytes: &[u8], context: &mut Context) -> Result<Distances<T>, Problem> {
    match dipha::file_type(bytes)? {
        FileType::DistanceMatrix => {
            let matrix = dipha::DistanceMatrix::from_bytes(bytes)?;
            if matrix.is_empty() {
                return Err(Problem::new(Place::Byte(dipha::HEADER), "at least one point", "0"));
            }
            let at = |i, j| rounded(matrix.get(i, j));
            let wrong = |i, j, expected: &str| problem(matrix.offset_of(i, j), expected, matrix.get(i, j));
            Ok(square::matrix(matrix.len(), &at, context, &wrong)?.into())
        }
        FileType::SparseDistanceMatrix => {
            let matrix = dipha::SparseDistanceMatrix::from_bytes(bytes)?;
            if u32::try_from(matrix.len()).is_err() {
                let (place, found) = (Place::Byte(dipha::HEADER), matrix.len().to_string());
                return Err(Problem::new(place, "fewer than 2^32 points", found));
            }
            let entry = |e: SparseEntry| Entry {
                row: e.row as u32,
                column: e.column as u32,
                value: rounded(e.distance),
            };
            let entries: Vec<Entry<T>> = matrix.entries().map(entry).collect();
            let wrong = |k: usize, expected: &str| {
                let entry = matrix.entries().nth(k);
                entry.map_or(Problem::whole(expected, "none"), |entry| {
                    problem(entry.offset, expected, entry.distance)
                })
            };
            Ok(pairs::graph(matrix.len(), &entries, context, &wrong)?.into())
        }
        other => {
            let [dense, sparse] = [FileType::DistanceMatrix, FileType::SparseDistanceMatrix];
            let problem = Problem::new(Place::Byte(8), format!("DIPHA file type {dense} or {sparse}"), other);
            Err(match other {
                FileType::BoundaryMatrix => problem.note("lacuna reduce reads boundary matrices"),
                FileType::Image => problem.note("lacuna cubical reads images"),
                FileType::Diagram => problem.note("lacuna plot, compare and convert read diagrams"),
                FileType::DistanceMatrix | FileType::SparseDistanceMatrix => problem,
            })
        }
    }
}

/// Rounds to the nearest number of this precision; NaN for a finite number that overflows.
fn rounded<T: Value>(distance: f64) -> T {
    let rounded = T::from_f64(distance);
    if rounded.into().is_finite() || !distance.is_finite() { rounded } else { T::from_f64(f64::NAN) }
}

/// The error for an unexpected distance at an offset. One that is expected to be a distance, and is, overflows.
fn problem(offset: usize, expected: &str, found: f64) -> Problem {
    let overflows = expected == DISTANCE && found.is_finite() && found > 0.0;
    Problem::new(Place::Byte(offset), if overflows { SINGLE } else { expected }, found)
}
