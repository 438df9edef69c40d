//! Boundary matrices from files.
//!
//! | format | content | reader |
//! |---|---|---|
//! | `phat-ascii`, `phat-binary` | a boundary matrix | [`phat_formats::phat::matrix`] |
//! | `dipha` | a weighted boundary matrix; an image; a distance matrix, dense or sparse | `dipha`, [`phat_formats::dipha`] |
//! | `npz` | a boundary matrix that `scipy.sparse.save_npz` wrote | `sparse` |
//! | `matrix-market` | a boundary matrix as Matrix Market's text | `sparse` |
//!
//! An image becomes the cubical complex whose vertices are its voxels, and distances a Vietoris–Rips complex: see
//! [`crate::cells`].
//!
//! **Detection.** Without a format, the first rule that holds decides:
//!
//! | the file | is read as |
//! |---|---|
//! | begins as files of gzip do | what it holds, unpacked |
//! | begins with DIPHA's magic number | `dipha` |
//! | begins as zip archives do | `npz` |
//! | begins with `%%MatrixMarket` | `matrix-market` |
//! | is an image, a NumPy array, an HDF5 file, … | an error that says what to do |
//! | is empty | an error |
//! | is called `*.dipha`, `*.complex` | `dipha` (and found wanting) |
//! | is a table of numbers that are no cells | an error that says what to do |
//! | begins with text | `phat-ascii` |
//! | begins with anything else | `phat-binary` |
//!
//! Cells and entries are numbered by 32-bit integers while they are fewer than 2^31, by 64-bit integers past that.

mod detect;
mod dipha;
mod error;
mod format;
mod phat;
mod sparse;
mod watch;

pub use error::{Problem, ReadError};
pub use format::Format;
pub use watch::Watch;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use phat_formats::Source;

use super::{BoundaryMatrix, Dimension};
use crate::input::{self, gzip, text::plain};

/// How to read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The format; without it, content and name tell.
    pub format: Option<Format>,
    /// Of an image or of distances, the greatest dimension of the cells to take. The others have cells of their own.
    pub upper_dim: Option<usize>,
}

/// A filtered cell complex from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells<I> {
    /// Its boundary matrix.
    pub matrix: BoundaryMatrix<I>,
    /// The value of each cell, ascending, where the file has values.
    pub values: Option<Vec<f64>>,
    /// The dimension of the complex, not below any cell's; 0 without cells.
    pub max_dim: Dimension,
    /// Whether cells above it were, or may have been, left out.
    pub cut: bool,
}

/// A filtered cell complex, its cells numbered by integers that are wide enough.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// By 32 bits.
    Narrow(Cells<u32>),
    /// By 64 bits.
    Wide(Cells<u64>),
}

/// What was read, and as what.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The complex.
    pub input: Input,
    /// The format it was read in.
    pub format: Format,
    /// Why this format, when none was given.
    pub detection: Option<String>,
    /// What was mended.
    pub warning: Option<String>,
    /// Whether the file itself gives the boundaries. Those of images and distances are made here, and are right.
    pub gives_boundaries: bool,
}

/// What a reader makes of a file.
struct Content {
    input: Input,
    warning: Option<String>,
    gives_boundaries: bool,
}

/// Reads the file at `path`, or standard input when it is `-`. Binary files of PHAT are not held in memory.
///
/// # Errors
/// The file cannot be read, or its content is not what its format promises.
pub fn read_path(path: &Path, options: &Options) -> Result<Loaded, ReadError> {
    read_path_watched(path, options, &())
}

/// The same, and `watch` sees columns as they are read.
///
/// # Errors
/// As [`read_path`].
pub fn read_path_watched(path: &Path, options: &Options, watch: &impl Watch) -> Result<Loaded, ReadError> {
    let name = input::name_of(path);
    let failed = |error| ReadError::Io { file: name.clone(), error };
    if path == Path::new("-") {
        return read_source_watched(&name, &input::read_all(path).map_err(failed)?, options, watch);
    }
    let mut file = File::open(path).map_err(failed)?;
    #[cfg(unix)]
    if file.metadata().map_err(failed)?.is_file() {
        return read_source_watched(&name, &file, options, watch);
    }
    // What is no file, such as a pipe, has no places to read at.
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    read_source_watched(&name, &bytes, options, watch)
}

/// Reads the content of a file; `name` is used for messages and, without a format, for its extension.
///
/// # Errors
/// The content cannot be read or is not what its format promises.
pub fn read_source(
    name: &str,
    source: &(impl Source + ?Sized),
    options: &Options,
) -> Result<Loaded, ReadError> {
    read_source_watched(name, source, options, &())
}

fn read_source_watched(
    name: &str,
    source: &(impl Source + ?Sized),
    options: &Options,
    watch: &impl Watch,
) -> Result<Loaded, ReadError> {
    let failed = |error| ReadError::Io { file: name.to_owned(), error };
    let malformed = |format, detection, problem| ReadError::Malformed {
        file: name.to_owned(),
        format,
        detection,
        problem: Box::new(problem),
    };
    let head = bytes(source, detect::HEAD).map_err(failed)?;
    if detect::is_gzip(&head) {
        let packed = bytes(source, u64::MAX).map_err(failed)?;
        let unpacked = gzip::unpacked(&packed);
        let unpacked = unpacked.map_err(|problem| malformed(options.format, None, problem.into()))?;
        if !detect::is_gzip(&unpacked) {
            let inner = name.strip_suffix(".gz").unwrap_or(name);
            let loaded = read_source_watched(inner, &unpacked[..], options, watch);
            return loaded.map_err(|error| error.renamed(name));
        }
    }
    let (format, detection) = match options.format {
        Some(format) => (format, None),
        None => {
            let found = detect::detect(name, &head).map_err(|problem| malformed(None, None, problem))?;
            (found.0, Some(found.1))
        }
    };
    let whole = || bytes(source, u64::MAX).map_err(failed);
    let content = match (format, options.upper_dim) {
        (Format::Dipha, upper_dim) => dipha::read(source, upper_dim),
        (_, Some(_)) => Err(Problem::UpperDim),
        (Format::PhatBinary, None) => phat::read_binary(source, watch),
        (Format::PhatAscii, None) => phat::read_ascii(&plain(&whole()?)),
        (Format::Npz, None) => sparse::read_npz(&whole()?),
        (Format::MatrixMarket, None) => sparse::read_matrix_market(&whole()?),
    };
    match content {
        Ok(Content { input, warning, gives_boundaries }) => {
            Ok(Loaded { input, format, detection, warning, gives_boundaries })
        }
        Err(problem) => Err(malformed(Some(format), detection, problem)),
    }
}

/// The first bytes, at most `most`.
fn bytes(source: &(impl Source + ?Sized), most: u64) -> io::Result<Vec<u8>> {
    let count = usize::try_from(source.size()?.min(most)).map_err(io::Error::other)?;
    let mut bytes = vec![0; count];
    source.read_exact_at(0, &mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
