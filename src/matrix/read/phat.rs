//! `phat-ascii`, `phat-binary`: PHAT's boundary matrices.

use phat_formats::phat::matrix::{self, Read};
use phat_formats::{FormatError, Index, MatrixSize, Source};

use super::complex::{AnyComplex, Content, LoadedComplex};
use crate::backend::Backend;
use crate::input::Problem;
use crate::matrix::expected;
use crate::matrix::index::SharedIndex;
use crate::matrix::leftmost_ones::estimate;
use crate::progress::Progress;

/// What learns of a binary file while it is read.
pub(super) struct Watched<'a> {
    /// Opens a device where a scan of the matrix will pay.
    pub(super) backend: &'a Backend,
    /// Receives the columns and entries read so far; the expected costs of later stages follow from the size.
    pub(super) progress: &'a dyn Progress,
}

/// Reads the matrix of a binary file.
pub(super) fn read_binary(source: &dyn Source, watched: &Watched<'_>) -> Result<Content, Problem> {
    let size = matrix::size(source)?;
    if size.fits::<u32>() {
        Ok(content(read_binary_as(source, size, watched)?, AnyComplex::Narrow))
    } else {
        Ok(content(read_binary_as(source, size, watched)?, AnyComplex::Wide))
    }
}

fn read_binary_as<I: SharedIndex>(
    source: &dyn Source,
    size: MatrixSize,
    &Watched { backend, progress }: &Watched<'_>,
) -> Result<Read<I>, FormatError> {
    backend.expect(&estimate::<I>(size));
    progress.expect(&expected::with_reading(size));
    progress.begin("reading", None, expected::units(size));
    matrix::read_binary_showing(source, |size| progress.advance(expected::units(size)))
}

/// Reads the matrix of a text.
pub(super) fn read_ascii(text: &[u8]) -> Result<Content, Problem> {
    // A column takes at least two bytes, and so does a row.
    if text.len() / 2 < u32::MOST {
        Ok(content(matrix::read_ascii(text)?, AnyComplex::Narrow))
    } else {
        Ok(content(matrix::read_ascii(text)?, AnyComplex::Wide))
    }
}

fn content<I: Index>(read: Read<I>, input: impl FnOnce(LoadedComplex<I>) -> AnyComplex) -> Content {
    let Read { matrix, unsorted, first_unsorted } = read;
    let warning = first_unsorted.map(|first| {
        let columns = if unsorted == 1 { "1 column".to_owned() } else { format!("{unsorted} columns") };
        format!("{}: expected ascending rows in column {}; sorted {columns}", first.place, first.column)
    });
    Content { input: input(LoadedComplex::of(matrix)), warning, gives_boundaries: true }
}
