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

use super::diagonal::{self, Entries};
use super::error::{Place, Problem};
use super::{DistanceFormat, Input, detect, triangle};
use crate::input::npy::{Header, dtype_problem, half, scalar};
use crate::metric::square::{self, DIAGONAL, DISTANCE, SquareFault};
use crate::metric::{DistanceMatrix, Distances, PointCloud, Value};
use npyz::{DType, Endianness, TypeChar};

/// Reads an array as `format`, with notes on corrections.
pub(super) fn read(
    bytes: &[u8],
    format: DistanceFormat,
    entries: Entries,
) -> Result<(Input, Vec<String>), Problem> {
    let Header { dtype, shape: extents, fortran, data_at } = Header::parse(bytes)?;
    let (kind, size) = scalar(&dtype)?;
    let [rows, columns] = shape(&extents, bytes.len() - data_at, size, format)?;
    let layout = Layout { rows, columns, fortran, data_at: Some(data_at), size };
    let big = matches!(&dtype, DType::Plain(plain) if plain.endianness() == Endianness::Big);
    let data = &bytes[data_at..];
    let mut rounded = 0;
    let single =
        |values| distances(Array { layout, values }, format, entries).map(|(d, n)| (Input::Single(d), n));
    let double =
        |values| distances(Array { layout, values }, format, entries).map(|(d, n)| (Input::Double(d), n));
    let (input, note) = match (kind, size) {
        (TypeChar::Float, 8) => double(elements(data, big, f64::from_le_bytes)),
        (TypeChar::Float, 4) => single(elements(data, big, f32::from_le_bytes)),
        (TypeChar::Float, 2) => single(elements(data, big, |x| half(u16::from_le_bytes(x)))),
        (TypeChar::Bool, 1) => single(elements(data, big, |x| f32::from(u8::from(x != [0])))),
        (TypeChar::Int, 1) => single(elements(data, big, |x| i8::from_le_bytes(x).into())),
        (TypeChar::Uint, 1) => single(elements(data, big, |x| u8::from_le_bytes(x).into())),
        (TypeChar::Int, 2) => single(elements(data, big, |x| i16::from_le_bytes(x).into())),
        (TypeChar::Uint, 2) => single(elements(data, big, |x| u16::from_le_bytes(x).into())),
        (TypeChar::Int, 4) => double(elements(data, big, |x| i32::from_le_bytes(x).into())),
        (TypeChar::Uint, 4) => double(elements(data, big, |x| u32::from_le_bytes(x).into())),
        (TypeChar::Int, 8) => double(elements(data, big, |x| {
            let whole = i64::from_le_bytes(x);
            rounded += usize::from(whole as f64 as i128 != i128::from(whole));
            whole as f64
        })),
        (TypeChar::Uint, 8) => double(elements(data, big, |x| {
            let whole = u64::from_le_bytes(x);
            rounded += usize::from(whole as f64 as u128 != u128::from(whole));
            whole as f64
        })),
        _ => Err(dtype_problem(&dtype)),
    }?;
    let mut notes: Vec<String> = note.into_iter().collect();
    if rounded > 0 {
        let plural = if rounded == 1 { "whole number past 2^53 is" } else { "whole numbers past 2^53 are" };
        notes.push(format!("{rounded} {plural} rounded to double precision"));
    }
    Ok((input, notes))
}

/// The elements of an array in file order; `convert` receives their bytes in little-endian order.
fn elements<T, const SIZE: usize>(
    data: &[u8],
    big: bool,
    mut convert: impl FnMut([u8; SIZE]) -> T,
) -> Vec<T> {
    let elements = data.as_chunks::<SIZE>().0.iter();
    elements
        .map(|&element| {
            let mut element = element;
            if big {
                element.reverse();
            }
            convert(element)
        })
        .collect()
}

/// Interprets a matrix of doubles in column-major order, with notes on corrections.
pub(super) fn read_columns(
    rows: usize,
    columns: usize,
    values: Vec<f64>,
    format: DistanceFormat,
    entries: Entries,
) -> Result<(Input, Vec<String>), Problem> {
    if values.is_empty() {
        return Err(Problem::new(Place::Whole, "at least one point", format!("{rows} × {columns}")));
    }
    let layout = Layout { rows, columns, fortran: true, data_at: None, size: 8 };
    let (distances, note) = distances(Array { layout, values }, format, entries)?;
    Ok((Input::Double(distances), note.into_iter().collect()))
}

/// Validates the extents against the data and returns rows and columns. A list that is declared to hold points or
/// condensed distances is one column.
fn shape(shape: &[u64], found: usize, size: usize, format: DistanceFormat) -> Result<[usize; 2], Problem> {
    let (rows, columns) = match (shape, format) {
        (&[rows, columns], _) => (rows, columns),
        (
            &[length],
            DistanceFormat::PointCloud | DistanceFormat::LowerDistance | DistanceFormat::UpperDistance,
        ) => (length, 1),
        (&[0, _, _], _) => {
            let expected = "at least one input, an array of points or distances";
            return Err(Problem::new(
                Place::Byte(10),
                expected,
                format!("none, an array of shape {shape:?}"),
            ));
        }
        _ => {
            let found = format!("{} of shape {shape:?}", shape.len());
            let problem = Problem::new(Place::Byte(10), "an array of 2 dimensions", found);
            return Err(match shape {
                [_] => problem.note(
                    "--format condensed reads a list of distances as scipy's pdist makes it, --format point-cloud one of points in dimension 1",
                ),
                [_, _, _] => problem.note("a file of three axes holds several inputs, whose bars go into -o DIR"),
                _ => problem,
            });
        }
    };
    if rows == 0 || columns == 0 {
        return Err(Problem::new(
            Place::Byte(10),
            "at least one point",
            format!("an array of shape {shape:?}"),
        ));
    }
    let bytes = rows.checked_mul(columns).and_then(|count| count.checked_mul(size as u64));
    if bytes != Some(found as u64) {
        let expected = format!("{rows} × {columns} elements of {size} bytes after the header");
        return Err(Problem::new(Place::Whole, expected, format!("{found} bytes")));
    }
    Ok([rows as usize, columns as usize])
}

/// Layout of an array in its file.
#[derive(Debug, Clone, Copy)]
struct Layout {
    rows: usize,
    columns: usize,
    fortran: bool,
    /// Offset of the data; `None` if the array does not lie in the file byte for byte.
    data_at: Option<usize>,
    size: usize,
}

impl Layout {
    fn index(&self, i: usize, j: usize) -> usize {
        if self.fortran { j * self.rows + i } else { i * self.columns + j }
    }
}

/// An array in memory.
struct Array<T> {
    layout: Layout,
    values: Vec<T>,
}

impl<T: Value> Array<T> {
    fn at(&self, i: usize, j: usize) -> T {
        self.values[self.layout.index(i, j)]
    }

    /// Place of the extents, for messages.
    fn shape_place(&self) -> Place {
        self.layout.data_at.map_or(Place::Whole, |_| Place::Byte(10))
    }

    /// The error for an unexpected entry `(i, j)`.
    fn problem(&self, i: usize, j: usize, expected: impl Into<String>) -> Problem {
        let Layout { data_at, size, .. } = self.layout;
        let place = data_at.map_or(Place::Whole, |at| Place::Byte(at + size * self.layout.index(i, j)));
        let found: f64 = self.at(i, j).into();
        Problem::new(place, expected, format!("{found} in row {i}, column {j}"))
    }
}

/// Interprets the array as distances or points, with notes on corrections.
fn distances<T: Value>(
    array: Array<T>,
    format: DistanceFormat,
    entries: Entries,
) -> Result<(Distances<T>, Option<String>), Problem> {
    let Layout { rows, columns, .. } = array.layout;
    let square = rows == columns;
    let matrix = |array| matrix(array, entries).map(|(matrix, note)| (matrix.into(), note));
    match format {
        DistanceFormat::Distance => matrix(array),
        DistanceFormat::PointCloud => Ok((cloud(array)?.into(), None)),
        DistanceFormat::LowerDistance | DistanceFormat::UpperDistance => {
            Ok((condensed(array, format)?.into(), None))
        }
        DistanceFormat::Npy | DistanceFormat::Npz | DistanceFormat::MatrixMarket => {
            if entries.has_births() {
                return matrix(array);
            }
            if square && square::has_zero_diagonal(rows, |i, j| array.at(i, j)) {
                return matrix(array).map_err(|problem| problem.also(SAY_WHICH));
            }
            let is_similar = square && square::looks_like_similarities(rows, |i, j| array.at(i, j));
            if is_similar || square && square::looks_like_a_matrix(rows, |i, j| array.at(i, j)) {
                let expected = "a zero diagonal in a symmetric array";
                let at = (0..rows).find(|&i| array.at(i, i).into() != 0.0).unwrap_or(0);
                let problem = array.problem(at, at, expected);
                return Err(problem.note(if is_similar { detect::SIMILARITIES } else { SAY_WHICH }));
            }
            Ok((cloud(array)?.into(), None))
        }
        DistanceFormat::Sparse
        | DistanceFormat::Dipha
        | DistanceFormat::Binary
        | DistanceFormat::Off
        | DistanceFormat::Obj
        | DistanceFormat::Ply
        | DistanceFormat::Xyz => {
            Err(super::no_reader("a format of distances or points that an array can hold", format))
        }
    }
}

const SAY_WHICH: &str = "if the rows are points, say so with --format point-cloud";

fn matrix<T: Value>(
    array: Array<T>,
    entries: Entries,
) -> Result<(DistanceMatrix<T>, Option<String>), Problem> {
    let Layout { rows, columns, .. } = array.layout;
    if rows != columns {
        return Err(Problem::new(array.shape_place(), "a square array", format!("{rows} × {columns}")));
    }
    let faulty = |fault| match fault {
        SquareFault::Diagonal(i) => array.problem(i, i, DIAGONAL),
        SquareFault::Value(i, j) => array.problem(i, j, DISTANCE),
        SquareFault::Asymmetric(i, j) => {
            let other: f64 = array.at(j, i).into();
            let expected = format!("the same distance as row {j}, column {i}: {other}");
            array.problem(i, j, expected).note(square::ASYMMETRIC)
        }
    };
    let entry = |i, j, expected: &str| array.problem(i, j, expected);
    diagonal::matrix(rows, |i, j| array.at(i, j), entries, faulty, entry)
}

/// Makes the matrix from a list of the distances on one side of the diagonal.
fn condensed<T: Value>(array: Array<T>, format: DistanceFormat) -> Result<DistanceMatrix<T>, Problem> {
    let Layout { rows, columns, .. } = array.layout;
    if rows != 1 && columns != 1 {
        let found = format!("{rows} × {columns}");
        return Err(Problem::new(array.shape_place(), "a list of distances", found)
            .note("--format distance reads square arrays"));
    }
    triangle::points(array.values.len())?;
    if let Some(k) = array.values.iter().position(|&d| !matches!(d.into(), 0.0..)) {
        let (i, j) = if columns == 1 { (k, 0) } else { (0, k) };
        return Err(array.problem(i, j, DISTANCE));
    }
    match format {
        DistanceFormat::LowerDistance => {
            DistanceMatrix::from_lower(array.values).map_err(super::metric_problem)
        }
        _ => triangle::from_upper(&array.values),
    }
}

fn cloud<T: Value>(array: Array<T>) -> Result<PointCloud<T>, Problem> {
    let Layout { rows, columns, fortran, .. } = array.layout;
    let entries = || (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    if let Some((i, j)) = entries().find(|&(i, j)| !array.at(i, j).into().is_finite()) {
        return Err(array.problem(i, j, "a finite coordinate"));
    }
    let coordinates = if fortran { entries().map(|(i, j)| array.at(i, j)).collect() } else { array.values };
    PointCloud::new(columns, coordinates).map_err(super::metric_problem)
}
