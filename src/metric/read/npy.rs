//! `npy`: two-dimensional NumPy arrays.
//!
//! | dtype | distances in |
//! |---|---|
//! | `f8` | double precision |
//! | `f4`, `i1`, `i2`, `i4`, `i8`, `u1`, `u2`, `u4`, `u8` | single precision |
//!
//! Either byte order, C or Fortran order. What an array holds:
//!
//! | array | holds |
//! |---|---|
//! | n×n with a zero diagonal | distances, which must be symmetric |
//! | n×n, n ≥ 3, symmetric, with another diagonal | nobody knows: an error |
//! | any other | points, one a row |
//!
//! `--format distance` and `--format point-cloud` on a `.npy` file say which of the two it is.

use super::error::{Place, Problem, quote};
use super::square::{self, DIAGONAL, DISTANCE, SquareFault};
use super::{Format, Input};
use crate::metric::{DistanceMatrix, Distances, PointCloud, Value};
use npyz::{DType, Deserialize, NpyFile, Order, TypeChar};

/// What every array file begins with.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// NumPy itself refuses longer headers unless told otherwise.
const LONGEST_HEADER: usize = 10_000;

/// The array that the file `bytes` holds, as what `format` says.
pub(super) fn read(bytes: &[u8], format: Format) -> Result<Input, Problem> {
    let data_at = check_header(bytes)?;
    let file = NpyFile::new(bytes).map_err(|error| header_problem(error.to_string()))?;
    let (kind, size) = scalar(&file.dtype())?;
    let [rows, columns] = shape(file.shape(), bytes.len() - data_at, size)?;
    let layout = Layout { rows, columns, fortran: file.order() == Order::Fortran, data_at, size };
    match (kind, size) {
        (TypeChar::Float, 8) => {
            distances(Array::<f64>::new(layout, file, |x: f64| x)?, format).map(Input::Double)
        }
        (TypeChar::Float, 4) => distances(Array::new(layout, file, |x: f32| x)?, format).map(Input::Single),
        (TypeChar::Int, 1) => {
            distances(Array::new(layout, file, |x: i8| x.into())?, format).map(Input::Single)
        }
        (TypeChar::Int, 2) => {
            distances(Array::new(layout, file, |x: i16| x.into())?, format).map(Input::Single)
        }
        (TypeChar::Int, 4) => {
            distances(Array::new(layout, file, |x: i32| x as f32)?, format).map(Input::Single)
        }
        (TypeChar::Int, 8) => {
            distances(Array::new(layout, file, |x: i64| x as f32)?, format).map(Input::Single)
        }
        (TypeChar::Uint, 1) => {
            distances(Array::new(layout, file, |x: u8| x.into())?, format).map(Input::Single)
        }
        (TypeChar::Uint, 2) => {
            distances(Array::new(layout, file, |x: u16| x.into())?, format).map(Input::Single)
        }
        (TypeChar::Uint, 4) => {
            distances(Array::new(layout, file, |x: u32| x as f32)?, format).map(Input::Single)
        }
        (TypeChar::Uint, 8) => {
            distances(Array::new(layout, file, |x: u64| x as f32)?, format).map(Input::Single)
        }
        _ => Err(dtype_problem(&file.dtype())),
    }
}

/// Where the data starts. The header is screened for what its parser is not made for: nesting deeper than its
/// stack, and shapes whose product overflows.
pub(crate) fn check_header(bytes: &[u8]) -> Result<usize, Problem> {
    if !bytes.starts_with(MAGIC) {
        let found = quote(&bytes[..bytes.len().min(MAGIC.len())]);
        return Err(Problem::new(Place::Byte(0), "NumPy's magic bytes \"\\x93NUMPY\"", found));
    }
    let (length_at, length) = header_length(bytes)?;
    let end = length_at.1 + length;
    let header = bytes.get(length_at.1..end).filter(|_| length <= LONGEST_HEADER).ok_or_else(|| {
        let expected = format!("a header length of at most {LONGEST_HEADER} and within the file");
        Problem::new(Place::Byte(length_at.0), expected, length.to_string())
    })?;
    let brackets = header.iter().filter(|b| b"([{".contains(b)).count();
    let digits = header.iter().filter(|b| b.is_ascii_digit()).count();
    let prefixed = header.windows(2).any(|w| w[0] == b'0' && w[1].is_ascii_alphabetic());
    if brackets > 2 || digits > 19 || prefixed {
        return Err(header_problem(quote(header)));
    }
    Ok(end)
}

/// Where the header's length is given and where the header starts, and the length.
fn header_length(bytes: &[u8]) -> Result<((usize, usize), usize), Problem> {
    const AT: usize = 8;
    let field = match bytes.get(6..AT) {
        Some([1, 0]) => bytes.get(AT..10).map(|b| (10, usize::from(u16::from_le_bytes([b[0], b[1]])))),
        Some([2 | 3, 0]) => {
            bytes.get(AT..12).map(|b| (12, u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize))
        }
        Some(version) => {
            let found = format!("{}.{}", version[0], version[1]);
            return Err(Problem::new(Place::Byte(6), "version 1.0, 2.0 or 3.0 of the array format", found));
        }
        None => None,
    };
    let (start, length) =
        field.ok_or_else(|| Problem::new(Place::Byte(bytes.len()), "a header", "the end of the file"))?;
    Ok(((AT, start), length))
}

pub(crate) fn header_problem(found: String) -> Problem {
    Problem::new(Place::Byte(8), "a header with the descr, fortran_order and shape of one plain array", found)
}

/// The kind and the size in bytes of an element.
pub(crate) fn scalar(dtype: &DType) -> Result<(TypeChar, usize), Problem> {
    match dtype {
        DType::Plain(plain) => {
            let size = plain.num_bytes().ok_or_else(|| dtype_problem(dtype))?;
            Ok((plain.type_char(), size))
        }
        _ => Err(dtype_problem(dtype)),
    }
}

pub(crate) fn dtype_problem(dtype: &DType) -> Problem {
    let expected = "dtype f4, f8, i1, i2, i4, i8, u1, u2, u4 or u8";
    Problem::new(Place::Byte(10), expected, quote(dtype.descr().trim_matches('\'').as_bytes()))
}

/// The two extents, when the data is exactly as long as they say.
fn shape(shape: &[u64], found: usize, size: usize) -> Result<[usize; 2], Problem> {
    let &[rows, columns] = shape else {
        return Err(Problem::new(
            Place::Byte(10),
            "an array of 2 dimensions",
            format!("{} of shape {shape:?}", shape.len()),
        ));
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

/// How an array lies in its file.
#[derive(Debug, Clone, Copy)]
struct Layout {
    rows: usize,
    columns: usize,
    fortran: bool,
    data_at: usize,
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
    fn new<S: Deserialize>(
        layout: Layout,
        file: NpyFile<&[u8]>,
        convert: impl Fn(S) -> T,
    ) -> Result<Self, Problem> {
        let mut values = Vec::with_capacity(layout.rows * layout.columns);
        for element in file.data::<S>().map_err(|error| header_problem(error.to_string()))? {
            values.push(convert(element.map_err(|error| header_problem(error.to_string()))?));
        }
        Ok(Array { layout, values })
    }

    fn at(&self, i: usize, j: usize) -> T {
        self.values[self.layout.index(i, j)]
    }

    /// The error that entry `(i, j)` is not what was expected.
    fn problem(&self, i: usize, j: usize, expected: impl Into<String>) -> Problem {
        let Layout { data_at, size, .. } = self.layout;
        let place = Place::Byte(data_at + size * self.layout.index(i, j));
        let found: f64 = self.at(i, j).into();
        Problem::new(place, expected, format!("{found} in row {i}, column {j}"))
    }
}

/// What the array holds.
fn distances<T: Value>(array: Array<T>, format: Format) -> Result<Distances<T>, Problem> {
    let Layout { rows, columns, .. } = array.layout;
    let square = rows == columns;
    let zero_diagonal = square && (0..rows).all(|i| array.at(i, i).into() == 0.0);
    match format {
        Format::Distance => matrix(array).map(Distances::from),
        Format::PointCloud => cloud(array).map(Distances::from),
        _ if zero_diagonal => matrix(array).map(Distances::from).map_err(|problem| problem.note(SAY_WHICH)),
        _ if square && square::looks_like_a_matrix(rows, |i, j| array.at(i, j)) => {
            let expected = "a zero diagonal in a symmetric array";
            let at = (0..rows).find(|&i| array.at(i, i).into() != 0.0).unwrap_or(0);
            Err(array.problem(at, at, expected).note(SAY_WHICH))
        }
        _ => cloud(array).map(Distances::from),
    }
}

const SAY_WHICH: &str = "if the rows are points, say so with --format point-cloud";

fn matrix<T: Value>(array: Array<T>) -> Result<DistanceMatrix<T>, Problem> {
    let Layout { rows, columns, .. } = array.layout;
    if rows != columns {
        return Err(Problem::new(Place::Byte(10), "a square array", format!("{rows} × {columns}")));
    }
    let lower = square::lower_of(rows, |i, j| array.at(i, j)).map_err(|fault| match fault {
        SquareFault::Diagonal(i) => array.problem(i, i, DIAGONAL),
        SquareFault::Value(i, j) => array.problem(i, j, DISTANCE),
        SquareFault::Asymmetric(i, j) => {
            let other: f64 = array.at(j, i).into();
            array.problem(i, j, format!("the same distance as row {j}, column {i}: {other}"))
        }
    })?;
    DistanceMatrix::from_lower(lower).map_err(super::metric_problem)
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
