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
//! | has gzip's magic number | its content, unpacked |
//! | begins with DIPHA's magic number | `dipha` |
//! | has the magic number of zip archives | `npz` |
//! | begins with `%%MatrixMarket` | `matrix-market` |
//! | is an image, a NumPy array, an HDF5 file, … | an error that says what to do |
//! | is empty | an error |
//! | is called `*.dipha`, `*.complex` | `dipha` (which may turn out to be something else) |
//! | is a table of numbers that cannot be cells | an error that says what to do |
//! | begins with text | `phat-ascii` |
//! | begins with anything else | `phat-binary` |
//!
//! Cells and entries are numbered by 32-bit integers if there are fewer than 2^31, and by 64-bit integers otherwise.

mod complex;
mod detect;
mod dipha;
mod error;
mod format;
mod phat;
mod sparse;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::Path;

use phat_formats::Source;

use self::complex::{Content, bytes};
use self::phat::Watched;
use crate::backend::Backend;
use crate::input::{Problem, gzip, no_room, source, text::plain};
use crate::memory;
use crate::progress::Progress;

pub use complex::{AnyComplex, LoadedComplex, LoadedMatrix, MatrixReadOptions};
pub use error::MatrixReadError;
pub use format::MatrixFormat;
#[cfg(feature = "sprs")]
pub(crate) use sparse::derived_dims;

/// Reads the file at `path`, or standard input if it is `-`. Binary files of PHAT are not held in memory as a whole.
///
/// # Errors
/// The file cannot be read, or its content violates its format.
pub fn read_path(path: &Path, options: &MatrixReadOptions) -> Result<LoadedMatrix, MatrixReadError> {
    read_path_watched(path, options, &Backend::default(), &())
}

/// Like [`read_path`], but reports to `progress` how much of a binary file of PHAT has been read, and the cells of an
/// image of DIPHA, and has `backend` open a device meanwhile where a scan of a binary file of PHAT will pay.
///
/// # Errors
/// The errors of [`read_path`].
pub fn read_path_watched(
    path: &Path,
    options: &MatrixReadOptions,
    backend: &Backend,
    progress: &dyn Progress,
) -> Result<LoadedMatrix, MatrixReadError> {
    let watched = Watched { backend, progress };
    let name = source::name_of(path);
    let failed = |error| MatrixReadError::Io { file: name.clone(), error };
    if path == Path::new("-") {
        return read_source_watched(&name, &source::read_all(path).map_err(failed)?, options, &watched);
    }
    let mut file = File::open(path).map_err(failed)?;
    #[cfg(unix)]
    if file.metadata().map_err(failed)?.is_file() {
        return read_source_watched(&name, &file, options, &watched);
    }
    // A pipe cannot be read at an offset.
    let bytes = source::all_of(&mut file, 0).map_err(failed)?;
    read_source_watched(&name, &bytes, options, &watched)
}

/// Reads the content of a file; `name` is used in messages and, without a format, for its extension.
///
/// # Errors
/// The content cannot be read or violates its format.
pub fn read_source(
    name: &str,
    source: &(impl Source + ?Sized),
    options: &MatrixReadOptions,
) -> Result<LoadedMatrix, MatrixReadError> {
    read_source_watched(name, &source, options, &Watched { backend: &Backend::default(), progress: &() })
}

/// The problem of a highest dimension for a format that lists its cells.
fn upper_dim_of_cells() -> Problem {
    let expected = "no highest dimension (--max-dim, --upper-dim) with a boundary matrix";
    Problem::whole(expected, "one").note("its cells are those of the file")
}

fn read_source_watched(
    name: &str,
    source: &dyn Source,
    options: &MatrixReadOptions,
    watched: &Watched<'_>,
) -> Result<LoadedMatrix, MatrixReadError> {
    let failed = |error| MatrixReadError::Io { file: name.to_owned(), error };
    let malformed =
        |format, detection, problem| MatrixReadError::of(name.to_owned(), format, detection, problem);
    let head = bytes(source, detect::HEAD).map_err(failed)?;
    if detect::is_gzip(&head) {
        let packed = bytes(source, u64::MAX).map_err(failed)?;
        let unpacked = gzip::unpacked(&packed);
        let unpacked = unpacked.map_err(|problem| malformed(options.format, None, problem))?;
        if !detect::is_gzip(&unpacked) {
            let inner = name.strip_suffix(".gz").unwrap_or(name);
            let loaded = read_source_watched(inner, &&unpacked[..], options, watched);
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
    if format == MatrixFormat::PhatBinary {
        // The file's 64-bit words become indices of at least half that width.
        memory::probe(source.size().map_err(failed)? / 2).map_err(no_room).map_err(failed)?;
    }
    let content = match (format, options.upper_dim) {
        (MatrixFormat::Dipha, upper_dim) => dipha::read(source, upper_dim, watched.progress),
        (_, Some(_)) => Err(upper_dim_of_cells()),
        (MatrixFormat::PhatBinary, None) => {
            phat::read_binary(source, watched).map_err(|problem| detect::text_for_binary(&head, problem))
        }
        (MatrixFormat::PhatAscii, None) => phat::read_ascii(&plain(&whole()?)),
        (MatrixFormat::Npz, None) => sparse::read_npz(&whole()?),
        (MatrixFormat::MatrixMarket, None) => sparse::read_matrix_market(&whole()?),
    };
    match content {
        Ok(Content { input, warning, gives_boundaries }) => {
            Ok(LoadedMatrix { input, format, detection, warning, gives_boundaries })
        }
        Err(problem) => Err(malformed(Some(format), detection, problem)),
    }
}
