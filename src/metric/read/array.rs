//! Distances and points in matrices, dense or sparse: arrays of NumPy, archives of them, SciPy's sparse matrices, and
//! Matrix Market's files, whose sparse matrices (`coordinate`) hold the distances of some pairs of points, and dense
//! ones (`array`) distances or points.

use super::{Context, DistanceFormat, Input, npy, triangle};
use crate::input::matrix_market::{self, Matrix};
use crate::input::npz::Archive;
use crate::input::triplets::{Triplet, Triplets};
use crate::input::{Place, Problem};
use crate::metric::pairs::{self, Entry};
use crate::metric::square::{self, DISTANCE, SAY_WHICH};
use crate::metric::{DistanceMatrix, Distances, PointCloud, Value};

/// Maximal number of points of a sparse matrix, so that a short file cannot ask for gigabytes.
const POINTS: usize = 1 << 24;

/// Reads the array `key` of an archive, its only array, or its sparse matrix, and adds notes on corrections.
pub(super) fn read_archive(
    bytes: &[u8],
    format: DistanceFormat,
    context: &mut Context,
) -> Result<Input, Problem> {
    let archive = Archive::open(bytes)?;
    let key = context.options.key.as_deref();
    if key.is_none() && archive.is_sparse() {
        return read_sparse(&archive.sparse()?, context);
    }
    let array = match key {
        Some(key) => archive.read(key).map_err(|problem| {
            let names: Vec<&str> = archive.names().collect();
            problem.note(format!("--key takes one of {}", names.join(", ")))
        }),
        None => archive.single().map_err(|problem| match archive.names().count() {
            0 | 1 => problem,
            _ => problem.note("--key says which one to read"),
        }),
    }?;
    // Byte offsets in the array are not offsets in the archive.
    npy::read(&array, format, context).map_err(|problem| Problem { place: Place::Whole, ..problem })
}

/// Reads a Matrix Market file, and adds notes on corrections.
pub(super) fn read_matrix_market(
    bytes: &[u8],
    format: DistanceFormat,
    context: &mut Context,
) -> Result<Input, Problem> {
    let matrix = match matrix_market::read(bytes)? {
        Matrix::Sparse(matrix) => return read_sparse(&matrix, context),
        Matrix::Dense(matrix) => matrix,
    };
    let (rows, columns) = (matrix.rows, matrix.columns);
    if matrix.values.is_empty() {
        return Err(Problem::whole("at least one point", format!("{rows} × {columns}")));
    }
    let array = Array { rows, columns, fortran: true, place: &|_| Place::Whole, values: matrix.values };
    Ok(Input::Double(distances(array, format, context)?))
}

/// Makes the graph of a sparse matrix, and adds notes on corrections.
fn read_sparse(matrix: &Triplets, context: &mut Context) -> Result<Input, Problem> {
    let Triplets { rows, columns, entries, .. } = matrix;
    let shape = |expected: &str| Problem::whole(expected, format!("{rows} × {columns}"));
    if rows != columns {
        return Err(shape("a square sparse matrix, a row and a column for each point"));
    }
    if !(1..=POINTS).contains(rows) {
        return Err(shape("a sparse matrix of 1 to 16777216 points"));
    }
    let problem = |k: usize, expected: &str| {
        let Triplet { row, column, value } = entries[k];
        Problem::new(matrix.place(k), expected, format!("{value} in row {row}, column {column} from 0"))
    };
    let entry = |e: &Triplet| Entry { row: e.row as u32, column: e.column as u32, value: e.value };
    let listed: Vec<Entry<f64>> = entries.iter().map(entry).collect();
    Ok(Input::Double(pairs::graph(*rows, &listed, context, &problem)?.into()))
}

/// An array in memory.
pub(super) struct Array<'a, T> {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) fortran: bool,
    /// The place in the file of an element, given by its index in file order.
    pub(super) place: &'a dyn Fn(usize) -> Place,
    /// The elements in file order.
    pub(super) values: Vec<T>,
}

impl<T: Value> Array<'_, T> {
    fn index(&self, i: usize, j: usize) -> usize {
        let &Array { rows, columns, fortran, .. } = self;
        if fortran { j * rows + i } else { i * columns + j }
    }

    fn at(&self, i: usize, j: usize) -> T {
        self.values[self.index(i, j)]
    }

    /// The error for an unexpected entry `(i, j)`.
    fn problem(&self, i: usize, j: usize, expected: &str) -> Problem {
        let found: f64 = self.at(i, j).into();
        Problem::new((self.place)(self.index(i, j)), expected, format!("{found} in row {i}, column {j}"))
    }

    /// The error for unexpected extents.
    fn shape_problem(&self, expected: &str) -> Problem {
        let Array { rows, columns, .. } = self;
        Problem::whole(expected, format!("{rows} × {columns}"))
    }
}

/// Interprets an array as distances or points, and adds notes on corrections.
pub(super) fn distances<T: Value>(
    array: Array<'_, T>,
    format: DistanceFormat,
    context: &mut Context,
) -> Result<Distances<T>, Problem> {
    let Array { rows, columns, .. } = array;
    let at = |i, j| array.at(i, j);
    match format {
        DistanceFormat::Distance => Ok(matrix(&array, context)?.into()),
        DistanceFormat::PointCloud => Ok(cloud(array)?.into()),
        DistanceFormat::LowerDistance | DistanceFormat::UpperDistance => Ok(condensed(array, format)?.into()),
        DistanceFormat::Npy | DistanceFormat::Npz | DistanceFormat::MatrixMarket => {
            if context.options.has_births() {
                return Ok(matrix(&array, context)?.into());
            }
            let square = rows == columns;
            if square && square::has_zero_diagonal(rows, &at) {
                let matrix = matrix(&array, context);
                return Ok(matrix.map_err(|problem| problem.also(SAY_WHICH))?.into());
            }
            if square && let Some((i, remedy)) = square::off_zero(rows, &at) {
                return Err(array.problem(i, i, "a zero diagonal in a symmetric array").note(remedy));
            }
            Ok(cloud(array)?.into())
        }
        _ => Err(super::no_reader("a format of distances or points that an array can hold", format)),
    }
}

fn matrix<T: Value>(array: &Array<'_, T>, context: &mut Context) -> Result<DistanceMatrix<T>, Problem> {
    let &Array { rows, columns, .. } = array;
    if rows != columns {
        return Err(array.shape_problem("a square array"));
    }
    let problem = |i, j, expected: &str| array.problem(i, j, expected);
    square::matrix(rows, &|i, j| array.at(i, j), context, &problem)
}

/// Makes the matrix from a list of the distances on one side of the diagonal.
fn condensed<T: Value>(array: Array<'_, T>, format: DistanceFormat) -> Result<DistanceMatrix<T>, Problem> {
    let Array { rows, columns, .. } = array;
    if rows != 1 && columns != 1 {
        return Err(array.shape_problem("a list of distances").note("--format distance reads square arrays"));
    }
    if let Some(k) = array.values.iter().position(|&d| !matches!(d.into(), 0.0..)) {
        let (i, j) = if columns == 1 { (k, 0) } else { (0, k) };
        return Err(array.problem(i, j, DISTANCE));
    }
    Ok(match format {
        DistanceFormat::LowerDistance => DistanceMatrix::from_lower(array.values)?,
        _ => triangle::from_upper(&array.values)?,
    })
}

fn cloud<T: Value>(array: Array<'_, T>) -> Result<PointCloud<T>, Problem> {
    let Array { rows, columns, fortran, .. } = array;
    let entries = || (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    if let Some((i, j)) = entries().find(|&(i, j)| !array.at(i, j).into().is_finite()) {
        return Err(array.problem(i, j, "a finite coordinate"));
    }
    let coordinates = if fortran { entries().map(|(i, j)| array.at(i, j)).collect() } else { array.values };
    PointCloud::new(columns, coordinates)
}
