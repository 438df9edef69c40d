//! One reader per file format, and format detection.

mod cloud;
mod detect;
mod distance;
mod error;
mod format;
mod square;
mod text;
mod triangle;

pub use error::{Place, Problem, ReadError};
pub use format::{Format, UnknownFormat};

use super::{Distances, MetricError};
use std::io::Read;
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
    let stdin = path == Path::new("-");
    let name = if stdin { "standard input".to_owned() } else { path.display().to_string() };
    let bytes = if stdin { read_stdin() } else { std::fs::read(path) };
    let bytes = bytes.map_err(|error| ReadError::Io { file: name.clone(), error })?;
    read_bytes(&name, &bytes, format)
}

fn read_stdin() -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
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
        let input = read_as(bytes, format).map_err(|problem| malformed(Some(format), None, problem))?;
        return Ok(Loaded { input, format, detection: None });
    }
    let found = detect::detect(name, bytes).map_err(|problem| malformed(None, None, problem))?;
    let input = match found.table {
        Some(table) => read_table(text::without_bom(bytes), table, found.format),
        None => read_as(bytes, found.format),
    };
    let detection = Some(found.why);
    match input {
        Ok(input) => Ok(Loaded { input, format: found.format, detection }),
        Err(problem) => Err(malformed(Some(found.format), detection, problem)),
    }
}

fn read_as(bytes: &[u8], format: Format) -> Result<Input, Problem> {
    let text = text::without_bom(bytes);
    read_table(text, Table::parse(text)?, format)
}

/// What a text format makes of the numbers of `text`.
fn read_table(text: &[u8], table: Table, format: Format) -> Result<Input, Problem> {
    match format {
        Format::LowerDistance => triangle::read_lower(text, table).map(Input::from),
        Format::UpperDistance => triangle::read_upper(text, table).map(Input::from),
        Format::Distance => distance::read(text, table).map(Input::from),
        Format::PointCloud => cloud::read(text, table).map(Input::from),
        Format::Sparse | Format::Dipha | Format::Binary | Format::Npy => Err(Problem::new(
            Place::Whole,
            "a text matrix or points (the other readers are to come)",
            format.name(),
        )),
    }
}

/// The error for what a reader did not check itself before it made the distances.
fn metric_problem(error: MetricError) -> Problem {
    Problem::new(Place::Whole, "sound distances", error.to_string())
}
