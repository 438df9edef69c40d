//! A complex read from a file, with the format it was read in.

use std::io;

use phat_formats::{BoundaryMatrix, Dimension, Index, Source};

use super::format::MatrixFormat;
use crate::input::no_room;
use crate::memory;

/// Options for reading a matrix.
#[derive(Debug, Clone, Copy, Default)]
pub struct MatrixReadOptions {
    /// The format; if `None`, content and name decide.
    pub format: Option<MatrixFormat>,
    /// The maximal dimension of cells of an image or of distances. Other files list their cells themselves.
    pub upper_dim: Option<usize>,
}

/// A filtered cell complex from a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoadedComplex<I> {
    /// The boundary matrix.
    pub matrix: BoundaryMatrix<I>,
    /// The value of each cell, ascending, if the file has values.
    pub values: Option<Vec<f64>>,
    /// The dimension of the complex, at least that of any cell; 0 without cells.
    pub max_dim: Dimension,
    /// Whether cells of dimension above `max_dim` were, or may have been, left out.
    pub cut: bool,
}

impl<I: Index> LoadedComplex<I> {
    /// The complex of a matrix without values.
    pub fn of(matrix: BoundaryMatrix<I>) -> Self {
        LoadedComplex { max_dim: matrix.max_dim().unwrap_or(0), matrix, values: None, cut: false }
    }
}

/// A filtered cell complex of either index width.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyComplex {
    /// Cells are numbered by 32 bits.
    Narrow(LoadedComplex<u32>),
    /// Cells are numbered by 64 bits.
    Wide(LoadedComplex<u64>),
}

/// The result of reading a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoadedMatrix {
    /// The complex.
    pub input: AnyComplex,
    /// The format that was read.
    pub format: MatrixFormat,
    /// The reason for this format, if it was detected.
    pub detection: Option<String>,
    /// The correction that was made while reading, if any.
    pub warning: Option<String>,
    /// Whether the file itself contains the boundaries. Those of images and distances are computed here, and are
    /// right.
    pub gives_boundaries: bool,
}

/// The result of the reader of one format.
pub(super) struct Content {
    pub(super) input: AnyComplex,
    pub(super) warning: Option<String>,
    pub(super) gives_boundaries: bool,
}

/// The first bytes of a source, at most `most`.
pub(super) fn bytes(source: &dyn Source, most: u64) -> io::Result<Vec<u8>> {
    let count = usize::try_from(source.size()?.min(most)).map_err(io::Error::other)?;
    let mut bytes = memory::zeroed(count).map_err(no_room)?;
    source.read_exact_at(0, &mut bytes)?;
    Ok(bytes)
}
