//! `npy`: NumPy arrays of two axes, and lists of distances.
//!
//! | dtype | distances in |
//! |---|---|
//! | `f8`, `i4`, `i8`, `u4`, `u8` | double precision; whole numbers past 2^53 are rounded, which a note says |
//! | `f4`, `f2`, `i1`, `i2`, `u1`, `u2`, `b1` | single precision, which holds all of them exactly |
//!
//! Either byte order, C or Fortran order. What an array holds:
//!
//! | array | holds |
//! |---|---|
//! | n×n with a zero diagonal, or one that is zero up to rounding in an array that is symmetric otherwise | distances, which must be symmetric |
//! | n×n, n ≥ 3, symmetric, with another diagonal | distances or points: an error, unless the diagonal is said to hold births |
//! | any other of two dimensions | points, one a row |
//! | of one dimension | distances of all pairs or points: an error without a format |
//!
//! `--format distance` and `--format point-cloud` on a `.npy` file say which it is; `--format lower-distance` and
//! `upper-distance` read a list of the n(n−1)/2 distances on one side of the diagonal.

use super::array::{Array, distances};
use super::{Context, DistanceFormat, Input};
use crate::input::npy;
use crate::input::{Place, Problem};

/// Reads an array as `format`, and adds notes on corrections.
pub(super) fn read(bytes: &[u8], format: DistanceFormat, context: &mut Context) -> Result<Input, Problem> {
    let array = npy::Array::parse(bytes)?;
    let [rows, columns] = shape(&array.shape, format)?;
    let (fortran, place) = (array.fortran, &|k| array.place(k));
    if !array.scalar()?.is_wide() {
        let singles = Array { rows, columns, fortran, place, values: array.singles()? };
        return Ok(Input::Single(distances(singles, format, context)?));
    }
    let (values, rounded) = array.doubles()?;
    let doubles = Array { rows, columns, fortran, place, values };
    let input = Input::Double(distances(doubles, format, context)?);
    if rounded > 0 {
        let plural = if rounded == 1 { "whole number past 2^53 is" } else { "whole numbers past 2^53 are" };
        context.notes.push(format!("{rounded} {plural} rounded to double precision"));
    }
    Ok(input)
}

/// Returns rows and columns. A list that is declared to hold points or condensed distances is one column.
fn shape(shape: &[u64], format: DistanceFormat) -> Result<[usize; 2], Problem> {
    let problem = |expected: &str, found: String| Problem::new(Place::Byte(10), expected, found);
    let list = [DistanceFormat::PointCloud, DistanceFormat::LowerDistance, DistanceFormat::UpperDistance];
    let (rows, columns) = match *shape {
        [rows, columns] => (rows, columns),
        [length] if list.contains(&format) => (length, 1),
        [0, _, _] => {
            let expected = "at least one input, an array of points or distances";
            return Err(problem(expected, format!("none, an array of shape {shape:?}")));
        }
        _ => {
            let found = format!("{} of shape {shape:?}", shape.len());
            let problem = problem("an array of 2 dimensions", found);
            return Err(match shape {
                [_] => problem.note(
                    "--format condensed reads a list of distances as scipy's pdist makes it, --format point-cloud one of points in dimension 1",
                ),
                [_, _, _] => problem.note("a file of three axes holds several inputs, whose bars go into -o DIR"),
                _ => problem,
            });
        }
    };
    match rows == 0 || columns == 0 {
        true => Err(problem("at least one point", format!("an array of shape {shape:?}"))),
        false => Ok([rows as usize, columns as usize]),
    }
}
