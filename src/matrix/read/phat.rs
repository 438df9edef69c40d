//! `phat-ascii`, `phat-binary`: PHAT's boundary matrices.

use phat_formats::phat::matrix::{self, Read};
use phat_formats::{Index, Source};

use super::complex::{AnyComplex, Content, LoadedComplex};
use super::error::MatrixFileProblem;
use super::observer::ReadObserver;

/// Reads the matrix of a binary file.
pub(super) fn read_binary(
    source: &(impl Source + ?Sized),
    observer: &impl ReadObserver,
) -> Result<Content, MatrixFileProblem> {
    let size = matrix::size(source)?;
    if size.fits::<u32>() {
        observer.begin::<u32>(size);
        Ok(content(matrix::read_binary_showing(source, |part| observer.narrow(&part))?, AnyComplex::Narrow))
    } else {
        observer.begin::<u64>(size);
        Ok(content(matrix::read_binary_showing(source, |part| observer.wide(&part))?, AnyComplex::Wide))
    }
}

/// Reads the matrix of a text.
pub(super) fn read_ascii(text: &[u8]) -> Result<Content, MatrixFileProblem> {
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
    let max_dim = matrix.max_dim().unwrap_or(0);
    Content {
        input: input(LoadedComplex { matrix, values: None, max_dim, cut: false }),
        warning,
        gives_boundaries: true,
    }
}
