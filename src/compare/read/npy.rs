//! `npy`: a NumPy array of shape (bars, 3) with the columns dim, birth, death; or of shape (bars, 9) from
//! CubicalRipser, whose other columns are coordinates of voxels.
//!
//! The dtype is `f4` or `f8`, in either byte order; the order is C or Fortran.

use npyz::{Deserialize, NpyFile, Order, TypeChar};
use phat_formats::dipha::DiagramPoint;

use super::Problem;
use super::number::{self, CRIPSER_COLUMNS};
use crate::compare::Bars;
use crate::input::Place;
use crate::input::npy::{Array, check_header, dtype_problem, header_problem, scalar};
use crate::input::npz::Archive;

pub(super) use crate::input::npy::MAGIC;

/// Number of columns: dim, birth, death.
const COLUMNS: usize = 3;

/// Reads the bars of the file `bytes`.
pub(super) fn read(bytes: &[u8]) -> Result<Bars, Problem> {
    let data_at = check_header(bytes)?;
    let file = NpyFile::new(bytes).map_err(|error| header_problem(error.to_string()))?;
    let (kind, size) = scalar(&file.dtype())?;
    let [rows, width] = extents(file.shape(), bytes.len() - data_at, size, &[COLUMNS, CRIPSER_COLUMNS])?;
    let fortran = file.order() == Order::Fortran;
    let values = match (kind, size) {
        (TypeChar::Float, 8) => values(file, |x: f64| x)?,
        (TypeChar::Float, 4) => values(file, |x: f32| x.into())?,
        _ => return Err(dtype_problem(&file.dtype())),
    };
    let index = |row: usize, column: usize| if fortran { column * rows + row } else { row * width + column };
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
        let death = if width == CRIPSER_COLUMNS && number::is_never(death) { f64::INFINITY } else { death };
        Ok(DiagramPoint { dim, birth, death, essential: death.is_infinite() })
    };
    (0..rows).map(bar).collect::<Result<_, _>>().map(Bars::new)
}

/// Reads the bars of an archive with one array per dimension, whose rows are birth and death and whose name ends with
/// the dimension.
pub(super) fn read_by_dimension(archive: &Archive<'_>) -> Result<Bars, Problem> {
    let dims: Vec<(u32, &str)> = archive
        .names()
        .filter_map(|name| {
            let digits = name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
            digits.parse().ok().map(|dim| (dim, name))
        })
        .collect();
    if dims.is_empty() || dims.len() != archive.names().count() {
        let names: Vec<&str> = archive.names().take(8).collect();
        let expected = "an array bars or pairs, or arrays whose names end with dimensions, as arr_0";
        return Err(Problem::new(Place::Whole, expected, names.join(", ")));
    }
    let mut points = Vec::new();
    for &(dim, name) in &dims {
        let file = archive.read(name)?;
        let array = Array::parse(&file)?;
        let &[rows, 2] = &array.shape[..] else {
            let expected = format!("2 columns in {name:?}: birth, death");
            return Err(Problem::new(Place::Whole, expected, format!("shape {:?}", array.shape)));
        };
        let (rows, numbers) = (rows as usize, array.numbers()?);
        for row in 0..rows {
            let at =
                |column: usize| numbers[if array.fortran { column * rows + row } else { 2 * row + column }];
            let (birth, death) = (at(0), at(1));
            if birth.is_nan() || death.is_nan() {
                let expected = format!("numbers in {name:?}");
                return Err(Problem::new(Place::Whole, expected, format!("NaN in row {row}")));
            }
            points.push(DiagramPoint { dim, birth, death, essential: death.is_infinite() });
        }
    }
    let mut bars = Bars::new(points);
    bars.dims.extend(dims.iter().map(|&(dim, _)| dim));
    Ok(bars)
}

/// The numbers of rows and columns, if the length of the data agrees with the shape.
fn extents(shape: &[u64], found: usize, size: usize, widths: &[usize]) -> Result<[usize; 2], Problem> {
    let &[rows, columns] = shape else {
        let found = format!("{} of shape {shape:?}", shape.len());
        return Err(Problem::new(Place::Byte(10), "an array of 2 dimensions", found));
    };
    if !widths.iter().any(|&width| width as u64 == columns) {
        return Err(Problem::new(Place::Byte(10), "3 columns: dim, birth, death", columns.to_string()));
    }
    let bytes = rows.checked_mul(columns).and_then(|count| count.checked_mul(size as u64));
    if bytes != Some(found as u64) {
        let expected = format!("{rows} × {columns} elements of {size} bytes after the header");
        return Err(Problem::new(Place::Whole, expected, format!("{found} bytes")));
    }
    Ok([rows as usize, columns as usize])
}

fn values<S: Deserialize>(file: NpyFile<&[u8]>, convert: impl Fn(S) -> f64) -> Result<Vec<f64>, Problem> {
    let elements = file.data::<S>().map_err(|error| header_problem(error.to_string()))?;
    elements.map(|x| x.map(&convert).map_err(|error| header_problem(error.to_string()))).collect()
}
