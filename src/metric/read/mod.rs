//! One reader per file format, and format detection.
//!
//! | format | content | reader |
//! |---|---|---|
//! | `distance` | text, n rows of n distances, zero diagonal | `distance` |
//! | `lower-distance` | text, the n(n−1)/2 distances below the diagonal, in lines of any length | `triangle` |
//! | `upper-distance` | text, those above it | `triangle` |
//! | `point-cloud` | text, a point a line | `cloud` |
//! | `sparse` | text, `i j d` a line, ids from 0 | `sparse` |
//! | `dipha` | DIPHA file type 7 or 8 | `dipha`, [`phat_formats::dipha`] |
//! | `binary` | little-endian `f32`, the distances below the diagonal | `binary` |
//! | `npy` | NumPy array, n×n distances or n×m points | `npy` |
//!
//! **Text.** Numbers are separated by blanks, tabs, or one of `,` `;` `:` `|` with or without blanks around it; a
//! separator may end a line. A byte order mark, CRLF line ends, blank lines and lines that begin with `#` are
//! skipped. Numbers are rounded to `f32` straight from the decimal. `inf` is a distance (never connected) but no
//! coordinate. NaN, negative distances, decimals that overflow `f32` and any other text are errors, where Ripser
//! stops reading and answers for the part before.
//!
//! **Detection.** Without a format, the first rule that holds decides:
//!
//! | the file | is read as |
//! |---|---|
//! | begins with NumPy's magic bytes | `npy` |
//! | begins with DIPHA's magic number | `dipha` |
//! | is empty | an error |
//! | is called `*.npy`; `*.dipha`, `*.complex` | `npy`; `dipha` (and found wanting) |
//! | is not text and is called `*.bin` | `binary` |
//! | is not text | an error |
//! | is called `*.lower…`; `*.upper…`; `*.point…`, `*.pts`, `*.xyz`; `*.sparse`, `*.edges`, `*.coo` | `lower-distance`; `upper-distance`; `point-cloud`; `sparse` |
//! | has n rows of n numbers with zeros on the diagonal | `distance` |
//! | has rows of 1, 2, 3, … or …, 3, 2, 1 numbers, every one with a zero where the diagonal would be, but not only zeros | an error: is the diagonal part of it? |
//! | has rows of 1, 2, 3, … numbers (one number: two points) | `lower-distance` |
//! | has rows of …, 3, 2, 1 numbers | `upper-distance` |
//! | is called `*.dist…` | `distance` |
//! | has lines `i j d` with whole numbers i ≠ j from 0, no pair twice, and some d has a fraction or every id up to the greatest occurs | `sparse` |
//! | has rows of unequal length | an error |
//! | has n ≥ 3 rows of n numbers, symmetric, none negative | an error: distances or points? |
//! | has rows of equal length | `point-cloud` |

mod binary;
mod cloud;
pub(crate) mod detect;
mod dipha;
mod distance;
pub(crate) mod error;
mod format;
pub(crate) mod npy;
mod sparse;
mod square;
pub(crate) mod text;
mod triangle;

pub use error::{Place, Problem, ReadError};
pub use format::{Format, UnknownFormat};

use super::{Distances, MetricError, Value};
use crate::input;
use std::path::Path;
use text::Table;

/// Distances in the precision of their file: `.npy` arrays of `f64` are `Double`, everything else is `Single`
/// (Ripser's precision).
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

/// What was read, and as what.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The distances.
    pub input: Input,
    /// The format they were read in.
    pub format: Format,
    /// Why this format, when none was given.
    pub detection: Option<String>,
}

/// Reads the file at `path`, or standard input when it is `-`. Without a format, the content and the name tell.
///
/// # Errors
/// The file cannot be read, or its content is not what its format promises.
pub fn read_path(path: &Path, format: Option<Format>) -> Result<Loaded, ReadError> {
    let name = input::name_of(path);
    let bytes = input::read_all(path).map_err(|error| ReadError::Io { file: name.clone(), error })?;
    read_bytes(&name, &bytes, format)
}

/// Reads the content of a file; `name` is used for messages and, without a format, for its extension.
///
/// # Errors
/// The content is not what its format promises.
pub fn read_bytes(name: &str, bytes: &[u8], format: Option<Format>) -> Result<Loaded, ReadError> {
    let malformed = |format, detection, problem| ReadError::Malformed {
        file: name.to_owned(),
        format,
        detection,
        problem: Box::new(problem),
    };
    if let Some(format) = format {
        let input = read_as(bytes, format, None).map_err(|problem| malformed(Some(format), None, problem))?;
        return Ok(Loaded { input, format, detection: None });
    }
    let found = detect::detect(name, bytes).map_err(|problem| malformed(None, None, problem))?;
    let input = read_as(bytes, found.format, found.table);
    let detection = Some(found.why);
    match input {
        Ok(input) => Ok(Loaded { input, format: found.format, detection }),
        Err(problem) => Err(malformed(Some(found.format), detection, problem)),
    }
}

/// Reads DIPHA distances in the precision asked for; `dipha` files are otherwise read in single precision.
///
/// # Errors
/// The content is not that of a DIPHA distance matrix, dense or sparse.
pub fn read_dipha<T: Value>(bytes: &[u8]) -> Result<Distances<T>, Problem> {
    dipha::read(bytes)
}

/// Reads `bytes` in this format; `table` holds the numbers of the text when they are parsed already.
fn read_as(bytes: &[u8], format: Format, table: Option<Table>) -> Result<Input, Problem> {
    let text = text::without_bom(bytes);
    let table = || table.map_or_else(|| Table::parse(text), Ok);
    match format {
        Format::Npy => npy::read(bytes, format),
        Format::Distance | Format::PointCloud if bytes.starts_with(npy::MAGIC) => npy::read(bytes, format),
        Format::Dipha => dipha::read::<f32>(bytes).map(Input::from),
        Format::Binary => binary::read(bytes).map(Input::from),
        Format::Sparse => sparse::read(text).map(Input::from),
        Format::LowerDistance => triangle::read_lower(text, table()?).map(Input::from),
        Format::UpperDistance => triangle::read_upper(text, table()?).map(Input::from),
        Format::Distance => distance::read(text, table()?).map(Input::from),
        Format::PointCloud => cloud::read(text, table()?).map(Input::from),
    }
}

/// The error for what a reader did not check itself before it made the distances.
fn metric_problem(error: MetricError) -> Problem {
    Problem::new(Place::Whole, "sound distances", error.to_string())
}
