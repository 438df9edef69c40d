//! `npy`: a NumPy array of shape (bars, 3), the columns dim, birth, death.
//!
//! The dtype is `f4` or `f8`, in either byte order; the order is C or Fortran.

use npyz::{Deserialize, NpyFile, Order, TypeChar};
use phat_formats::dipha::DiagramPoint;

use super::Problem;
use super::number;
use crate::compare::Bars;
use crate::input::Place;
use crate::input::npy::{check_header, dtype_problem, header_problem, scalar};

pub(super) use crate::input::npy::MAGIC;

/// Dim, birth and death.
const COLUMNS: usize = 3;

/// The bars that the file `bytes` holds.
pub(super) fn read(bytes: &[u8]) -> Result<Bars, Problem> {
    let data_at = check_header(bytes)?;
    let file = NpyFile::new(bytes).map_err(|error| header_problem(error.to_string()))?;
    let (kind, size) = scalar(&file.dtype())?;
    let rows = rows(file.shape(), bytes.len() - data_at, size)?;
    let fortran = file.order() == Order::Fortran;
    let values = match (kind, size) {
        (TypeChar::Float, 8) => values(file, |x: f64| x)?,
        (TypeChar::Float, 4) => values(file, |x: f32| x.into())?,
        _ => return Err(dtype_problem(&file.dtype())),
    };
    let index =
        |row: usize, column: usize| if fortran { column * rows + row } else { row * COLUMNS + column };
    let bar = |row| {
        let [dim, birth, death] = [0, 1, 2].map(|column| values[index(row, column)]);
        let at = |column, expected, found: f64| {
            let byte = data_at + size * index(row, column);
            Problem::new(Place::Byte(byte), expected, format!("{found:?} in row {row}"))
        };
        if birth.is_nan() || death.is_nan() {
            let column = if birth.is_nan() { 1 } else { 2 };
            return Err(at(column, "a number", f64::NAN));
        }
        let dim = number::dimension(dim).ok_or_else(|| at(0, number::DIMENSION, dim))?;
        Ok(DiagramPoint { dim, birth, death, essential: death.is_infinite() })
    };
    (0..rows).map(bar).collect::<Result<_, _>>().map(Bars::new)
}

/// The number of rows, when the data is exactly as long as the shape says.
fn rows(shape: &[u64], found: usize, size: usize) -> Result<usize, Problem> {
    let &[rows, columns] = shape else {
        let found = format!("{} of shape {shape:?}", shape.len());
        return Err(Problem::new(Place::Byte(10), "an array of 2 dimensions", found));
    };
    if columns != COLUMNS as u64 {
        return Err(Problem::new(Place::Byte(10), "3 columns: dim, birth, death", columns.to_string()));
    }
    let bytes = rows.checked_mul(columns).and_then(|count| count.checked_mul(size as u64));
    if bytes != Some(found as u64) {
        let expected = format!("{rows} × {columns} elements of {size} bytes after the header");
        return Err(Problem::new(Place::Whole, expected, format!("{found} bytes")));
    }
    Ok(rows as usize)
}

fn values<S: Deserialize>(file: NpyFile<&[u8]>, convert: impl Fn(S) -> f64) -> Result<Vec<f64>, Problem> {
    let elements = file.data::<S>().map_err(|error| header_problem(error.to_string()))?;
    elements.map(|x| x.map(&convert).map_err(|error| header_problem(error.to_string()))).collect()
}
