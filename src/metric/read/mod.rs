//! One reader per file format, and format detection.
//!
//! | format | content | reader |
//! |---|---|---|
//! | `distance` | text, n rows of n distances, zero diagonal | `distance` |
//! | `lower-distance` | text, the n(n−1)/2 distances below the diagonal, in lines of any length | `triangle` |
//! | `upper-distance` | text, those above it | `triangle` |
//! | `point-cloud` | text, a point a line | `read_points` |
//! | `sparse` | text, `i j d` a line, ids from 0; or `i j`, of length 1 | `edges` |
//! | `dipha` | DIPHA file type 7 or 8 | `dipha`, [`phat_formats::dipha`] |
//! | `binary` | little-endian `f32`, the distances below the diagonal | `triangle` |
//! | `npz` | archive of NumPy arrays, of which one is read, or sparse matrix of SciPy | `array` |
//! | `matrix-market` | Matrix Market's text: sparse or dense matrix | `array` |
//! | `off`, `obj`, `ply` | meshes and scans, of which the vertices are points, and for [`read_mesh`] the faces and edges polygons | `off`, `obj`, `ply`, `vertices`, `polygons` |
//! | `xyz` | molecules, of which the atoms are points | `xyz`, `vertices` |
//! | `npy` | NumPy array: n×n distances, n×m points (of three axes several of them, see [`read_cloud`]), or with `upper-distance` and `lower-distance` a list of distances | `npy` |
//!
//! Files of every format may be compressed with gzip; an extension `.gz` is ignored when the format is detected.
//!
//! **Text.** Numbers are separated by blanks, tabs, or one of `,` `;` `:` `|` with optional blanks around it; a
//! separator may end a line. A byte order mark, blank lines, lines that begin with `#` or `%`, and anything after a `#`
//! are skipped. Lines end at LF, CRLF or CR; UTF-16 with a byte order mark is converted to UTF-8 first. Numbers are
//! rounded to `f32` directly from the decimal. `inf` is a distance (never connected) but not a coordinate. NaN,
//! negative distances, decimals that overflow `f32` and any other text are errors, where Ripser stops reading and
//! computes with the part before. Headers, row names and decimal commas are recognised where they cannot be numbers,
//! see `layout`.
//!
//! **Rounding.** Square matrices may deviate from symmetry, from a zero diagonal and from non-negative entries by up to
//! 1e-4 of their greatest finite distance; the distance below the diagonal is used, as in Ripser. Larger deviations are
//! errors, unless [`DistanceOptions::symmetrize`] says which of two distances to use.
//!
//! **Births.** With [`Diagonal::Births`] the diagonal of a matrix holds the births of its points. A
//! text without a format is then a square matrix or a list of edges.
//!
//! **Detection.** Without a format, the first rule that holds decides:
//!
//! | the file | is read as |
//! |---|---|
//! | begins with NumPy's magic bytes | `npy` |
//! | begins with DIPHA's magic number | `dipha` |
//! | begins with `%%MatrixMarket` | `matrix-market` |
//! | begins with `OFF`, or that with letters for normals and colors before | `off` |
//! | begins with a line `ply` | `ply` |
//! | is empty | an error |
//! | begins as files of other programs do | an error that says what they are and what helps |
//! | begins as zip archives do | `npz` |
//! | is called `*.npy`; `*.npz`; `*.mtx`, `*.mm`; `*.dipha`, `*.complex`; `*.off`; `*.ply` | `npy`; `npz`; `matrix-market`; `dipha`; `off`; `ply`, whose reader then says what is missing |
//! | is not text and is called `*.bin` | `binary` |
//! | is not text | an error |
//! | is called `*.obj`, or its first lines are vertices and other statements of that format alone | `obj` |
//! | has a first line of one whole number and a third line of a name and three numbers | `xyz` |
//! | is called `*.lower…`; `*.upper…`, `*.condensed`, `*.pdist`; `*.point…`, `*.pts`, `*.xyz`; `*.sparse`, `*.edges…`, `*.coo` | `lower-distance`; `upper-distance`; `point-cloud`; `sparse` |
//! | has lines of a dimension and cells, as PHAT's boundary matrices | an error that names `lacuna reduce` |
//! | has n ≥ 3 rows of n distances, symmetric with zeros on the diagonal, below a row or beside a column of numbers that count from 0 or 1 | `distance`, without them; other numbers there: an error |
//! | has n rows of n numbers with zeros on the diagonal, or with zeros up to rounding and symmetric | `distance` |
//! | has rows of 1, 2, 3, … or …, 3, 2, 1 numbers, every one with a zero where the diagonal would be, but not only zeros | an error: is the diagonal part of it? |
//! | has rows of 1, 2, 3, … numbers (one number: two points) | `lower-distance` |
//! | has rows of …, 3, 2, 1 numbers | `upper-distance` |
//! | is called `*.dist…` | `distance` |
//! | has lines `i j d` with whole numbers i ≠ j from 0, no pair twice, and some d has a fraction or every id up to the greatest occurs, or a header calls them edges | `sparse` |
//! | has such lines of three points or more, with pairs in both directions or given again, and every id from 0 or 1 on occurs (or some d has a fraction, and pairs agree); or each pair once and every id from 1 on | an error: edges or points? |
//! | has lines of two different whole numbers, no pair twice in one direction, of which about as many or all from 0 or 1 on occur | an error: edges or points? |
//! | has lines for all entries of a symmetric matrix of three points or more, with zeros on the diagonal | an error: edges or points? |
//! | has n(n−1)/2 ≥ 3 non-negative numbers in one row, in one column, or in rows of equal length but the last | an error: all distances of n points, above or below the diagonal, or points? |
//! | has rows of m ≥ 3 numbers, all written with a fraction, below a row of 0, 1, …, m−1 | `point-cloud`, without that row |
//! | has rows of m ≥ 2 numbers of which the first is 0, 1, …, m−1; or three and more rows with a first column that counts from 0 or 1 | an error: labels or points? |
//! | has rows of unequal length | an error |
//! | has n ≥ 3 rows of n numbers, symmetric, none negative | an error: distances or points? |
//! | has rows of equal length | `point-cloud` |
//!
//! With a format, given or implied by the name, numbers are data, as in Ripser. Only numbers beside a `distance` matrix
//! that count its rows or columns are left out.

mod array;
mod clouds;
mod detect;
mod dipha;
mod distance;
mod edges;
mod format;
mod layout;
mod npy;
mod obj;
mod off;
mod options;
mod ply;
mod polygons;
mod text;
mod triangle;
mod vertices;
mod xyz;

pub use crate::input::{Place, Problem};
pub use clouds::{count_clouds, name_of_cloud, read_cloud};
pub use format::DistanceFormat;
pub(crate) use options::Context;
pub use options::{Columns, Decimal, Diagonal, DistanceOptions, Symmetrize};
pub use polygons::Polygons;

use super::{Distances, DistancesError, MetricError, PointCloud, Value};
use crate::input::matrix_market::is_matrix_market;
use crate::input::{self, gzip, npy::MAGIC as NPY, npz::MAGIC as NPZ, source, text::plain};
use crate::progress::Progress;
use detect::Kind;
use std::path::Path;
use text::Table;

/// The error of reading a file of distances.
pub type ReadError = input::ReadError<DistanceFormat>;

impl input::Formats for DistanceFormat {
    const REMEDY: &'static str = "--format says otherwise";
}

/// Distances in the precision of their file. Arrays of `f64` and of 32- and 64-bit integers, SciPy's sparse matrices
/// and Matrix Market files are `Double`; everything else is `Single`, Ripser's precision.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Single precision.
    Single(Distances<f32>),
    /// Double precision.
    Double(Distances<f64>),
}

impl<D: Into<Distances<f32>>> From<D> for Input {
    fn from(distances: D) -> Self {
        Input::Single(distances.into())
    }
}

impl Input {
    /// Replaces the edge lengths of a graph by the lengths of its shortest paths. Each point is reported to `progress`,
    /// which may end the work by unwinding, see [`interruptible`](crate::progress::interruptible).
    ///
    /// # Errors
    /// Those of [`SparseDistances::shortest_paths`](crate::metric::SparseDistances::shortest_paths), and
    /// an input that has the distances of all pairs already.
    pub fn shortest_paths(self, progress: &dyn Progress) -> Result<Input, DistancesError> {
        fn of<T: Value>(
            distances: &Distances<T>,
            progress: &dyn Progress,
        ) -> Result<Distances<T>, DistancesError> {
            let found = match distances {
                Distances::Sparse(graph) => return Ok(graph.shortest_paths_watched(progress)?.into()),
                Distances::Points(_) => "points",
                Distances::Matrix(_) => "a matrix of distances",
            };
            let expected = "a graph, as a list of edges or a sparse matrix";
            Err(MetricError::new(Place::Named("shortest paths".to_owned()), expected, found).into())
        }
        Ok(match self {
            Input::Single(distances) => Input::Single(of(&distances, progress)?),
            Input::Double(distances) => Input::Double(of(&distances, progress)?),
        })
    }

    /// Describes the distances with their [checksum](Distances::checksum), so that a resumed run can recognise its
    /// input.
    pub fn identity(&self) -> String {
        fn of<T: Value>(distances: &Distances<T>, precision: &str) -> String {
            let (n, sum) = (distances.len(), distances.checksum());
            let shape = match distances {
                Distances::Matrix(_) => format!("the distances of {n} points"),
                Distances::Points(cloud) => format!("{n} points in dimension {}", cloud.dimension()),
                Distances::Sparse(graph) => format!("{} edges of {n} points", graph.edges().len()),
            };
            format!("{shape} of {precision} precision with checksum {sum:032x}")
        }
        match self {
            Input::Single(distances) => of(distances, "single"),
            Input::Double(distances) => of(distances, "double"),
        }
    }
}

/// An input with the format in which it was read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The distances.
    pub input: Input,
    /// The format they were read in.
    pub format: DistanceFormat,
    /// Reason for this format, if none was given.
    pub detection: Option<String>,
    /// Notes on what the reader left out, replaced or took for rounding.
    pub notes: Vec<String>,
}

/// Reads the file at `path`, or standard input if it is `-`. Without a format, the content and the name decide.
///
/// # Errors
/// The file cannot be read, its content is malformed, or it is ambiguous.
pub fn read_path(path: &Path, options: impl Into<DistanceOptions>) -> Result<Loaded, ReadError> {
    let name = source::name_of(path);
    let bytes = source::read_all(path).map_err(|error| ReadError::Io { file: name.clone(), error })?;
    read_bytes(&name, &bytes, options)
}

/// Like [`read_path`], but keeps the doubles of a file of DIPHA, of which barcodes are computed in single precision.
///
/// # Errors
/// Those of [`read_path`].
pub fn read_path_exactly(path: &Path, options: DistanceOptions) -> Result<Loaded, ReadError> {
    let name = source::name_of(path);
    let bytes = source::read_all(path).map_err(|error| ReadError::Io { file: name.clone(), error })?;
    let is_symmetrized = options.symmetrize.is_some();
    let mut loaded = read_bytes(&name, &bytes, options)?;
    if loaded.format == DistanceFormat::Dipha
        && !is_symmetrized
        && let Ok(distances) = read_dipha::<f64>(&bytes)
    {
        loaded.input = Input::Double(distances);
    }
    Ok(loaded)
}

/// Like [`read_path`], but returns the faces and edges of a mesh as well. Other files have none.
///
/// # Errors
/// Those of [`read_path`]; a face or edge is malformed.
pub fn read_mesh(path: &Path, options: &DistanceOptions) -> Result<(Loaded, Polygons), ReadError> {
    let name = source::name_of(path);
    let bytes = source::read_all(path).map_err(|error| ReadError::Io { file: name.clone(), error })?;
    let mut polygons = Polygons::default();
    Ok((read_with(&name, &bytes, options.clone(), Some(&mut polygons))?, polygons))
}

/// Reads the content of a file. `name` is used in messages and, without a format, for its extension.
///
/// # Errors
/// The content is malformed or ambiguous.
pub fn read_bytes(
    name: &str,
    bytes: &[u8],
    options: impl Into<DistanceOptions>,
) -> Result<Loaded, ReadError> {
    read_with(name, bytes, options.into(), None)
}

/// Reads the content of a file, with the faces and edges of a mesh if there is a place for them.
fn read_with(
    name: &str,
    bytes: &[u8],
    options: DistanceOptions,
    polygons: Option<&mut Polygons>,
) -> Result<Loaded, ReadError> {
    let mut context = Context::new(options);
    let input = gzip::unpacked(bytes).and_then(|bytes| read(name, &bytes, &mut context, polygons));
    let Context { format, detection, notes, .. } = context;
    match input {
        Ok((input, format)) => Ok(Loaded { input, format, detection, notes }),
        // The format is the assumed one, for the message if the input turns out to be something else.
        Err(problem) => Err(ReadError::of(name.to_owned(), format, detection, problem)),
    }
}

/// Reads the content of a file, and tells its format.
fn read(
    name: &str,
    bytes: &[u8],
    context: &mut Context,
    polygons: Option<&mut Polygons>,
) -> Result<(Input, DistanceFormat), Problem> {
    let matrix = match context.format {
        Some(_) => None,
        None => match detect::kind_of(name, bytes)? {
            Kind::Known(format, why) => {
                context.detected(format, why);
                None
            }
            Kind::Table(matrix) => matrix,
        },
    };
    let container = context.format.and_then(|format| Some((format, container(bytes, format)?)));
    check_options(&context.options, container.map(|(_, container)| container))?;
    let input = match container {
        Some((format, container)) => read_container(bytes, (container, format), polygons, context)?,
        None => read_text(bytes, matrix, context)?,
    };
    // The format of a text has been detected by now.
    let format = context.format.unwrap_or(DistanceFormat::Distance);
    check_entries(&context.options, &input, format)?;
    Ok((input, format))
}

/// Container format of a file that is not plain text; `format` may say whether its arrays hold points or distances.
fn container(bytes: &[u8], format: DistanceFormat) -> Option<DistanceFormat> {
    if !format.is_table() {
        return Some(format);
    }
    let arrays = [
        (DistanceFormat::Npy, bytes.starts_with(NPY)),
        (DistanceFormat::Npz, bytes.starts_with(NPZ)),
        (DistanceFormat::MatrixMarket, is_matrix_market(bytes)),
    ];
    arrays.into_iter().find(|(_, is_it)| *is_it).map(|(format, _)| format)
}

/// Reads a file that is not plain text, with its content interpreted as `format`.
fn read_container(
    bytes: &[u8],
    (container, format): (DistanceFormat, DistanceFormat),
    polygons: Option<&mut Polygons>,
    context: &mut Context,
) -> Result<Input, Problem> {
    let is_array =
        matches!(container, DistanceFormat::Npy | DistanceFormat::Npz | DistanceFormat::MatrixMarket);
    if bytes.is_empty() && !is_array {
        return Err(Problem::whole("at least one point", "an empty file"));
    }
    match container {
        DistanceFormat::Npy => npy::read(bytes, format, context),
        DistanceFormat::Npz => array::read_archive(bytes, format, context),
        DistanceFormat::MatrixMarket => array::read_matrix_market(bytes, format, context),
        DistanceFormat::Dipha => Ok(dipha::read::<f32>(bytes, context)?.into()),
        DistanceFormat::Binary => Ok(triangle::read_binary(bytes)?.into()),
        DistanceFormat::Off => Ok(off::read(bytes, polygons, &mut context.notes)?.into()),
        DistanceFormat::Obj => Ok(obj::read(bytes, polygons, &mut context.notes)?.into()),
        DistanceFormat::Ply => ply::read(bytes, polygons, &mut context.notes),
        DistanceFormat::Xyz => Ok(xyz::read(bytes)?.into()),
        _ => Err(no_reader("a file that is no table of text", container)),
    }
}

/// The error for a format that this reader does not handle.
fn no_reader(expected: &str, format: DistanceFormat) -> Problem {
    Problem::whole(expected, format!("the format {format}"))
}

/// Reads a text. `matrix` is the reason if its name says that it holds a matrix.
fn read_text(bytes: &[u8], matrix: Option<String>, context: &mut Context) -> Result<Input, Problem> {
    let plain = plain(bytes);
    let numbers = layout::numbers_only(&plain, context)?;
    if context.format.is_none() && context.options.has_births() {
        let (format, why) = detect::with_births(&numbers.text)?;
        context.detected(format, why);
    }
    let reading = match context.format {
        Some(DistanceFormat::Sparse) => return Ok(edges::read(&numbers.text, context)?.into()),
        Some(format) => detect::reading_as(numbers, format, context)?,
        None => {
            let reading = detect::reading(numbers, matrix, context)?;
            context.detected(reading.format, reading.why.clone());
            reading
        }
    };
    read_table(&reading.text, reading.table, reading.format, context)
}

/// Reads the numbers of a text in this format.
fn read_table(
    text: &[u8],
    table: Table,
    format: DistanceFormat,
    context: &mut Context,
) -> Result<Input, Problem> {
    context.notes.extend(text::rounded_integers(text, &table));
    Ok(match format {
        DistanceFormat::Sparse => edges::read(text, context)?.into(),
        DistanceFormat::LowerDistance => triangle::read_lower(text, table)?.into(),
        DistanceFormat::UpperDistance => triangle::read_upper(text, table)?.into(),
        DistanceFormat::PointCloud => {
            table.check_values(text, "a finite coordinate", f32::is_finite)?;
            PointCloud::new(table.check_width(text)?, table.values)?.into()
        }
        DistanceFormat::Distance => distance::read(text, table, context)?.into(),
        _ => return Err(no_reader("a table of text", format)),
    })
}

/// Rejects options that do not apply to a file in this container, or to a text.
fn check_options(options: &DistanceOptions, container: Option<DistanceFormat>) -> Result<(), Problem> {
    let is_archive = container == Some(DistanceFormat::Npz);
    let given = [
        ("--skip-rows", "a table of text", options.skip_rows.is_some() && container.is_some()),
        ("--columns", "a table of text", options.columns.is_some() && container.is_some()),
        ("--decimal", "a table of text", options.decimal.is_some() && container.is_some()),
        ("--key", "an .npz archive", options.key.is_some() && !is_archive),
    ];
    match given.into_iter().find(|option| option.2) {
        Some((option, expected, _)) => {
            let found = container.map_or("text".to_owned(), |format| format!("a file of format {format}"));
            Err(Problem::whole(format!("{expected}, which {option} is for"), found))
        }
        None => Ok(()),
    }
}

/// Rejects `symmetrize`, and births on the diagonal, for an input without two distances of each pair or without a
/// diagonal. For lists of entries, `pairs` checks whether a pair has two distances.
fn check_entries(options: &DistanceOptions, input: &Input, format: DistanceFormat) -> Result<(), Problem> {
    let found = match (input, format) {
        (Input::Single(Distances::Points(_)) | Input::Double(Distances::Points(_)), _) => "points",
        (_, DistanceFormat::LowerDistance | DistanceFormat::UpperDistance | DistanceFormat::Binary) => {
            "the distances on one side of the diagonal"
        }
        _ => return Ok(()),
    };
    if options.symmetrize.is_some() {
        return Err(nothing_to_symmetrize(found));
    }
    if options.has_births() {
        let expected = "a matrix or edges with the births of points, which --weights diagonal is for";
        return Err(Problem::whole(expected, found));
    }
    Ok(())
}

/// The error for an input without two distances of a pair.
pub(super) fn nothing_to_symmetrize(found: &str) -> MetricError {
    MetricError::whole("a matrix with two distances for each pair, which --symmetrize is for", found)
}

/// Reads DIPHA distances in the requested precision; files in the `dipha` format are otherwise read in single
/// precision. If the triangles differ by rounding, the entry below the diagonal is used.
///
/// # Errors
/// The content is not that of a DIPHA distance matrix, dense or sparse.
pub fn read_dipha<T: Value>(bytes: &[u8]) -> Result<Distances<T>, Problem> {
    dipha::read(bytes, &mut Context::default())
}
