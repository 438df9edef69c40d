//! A complex that was read, and how it was read.

use std::io;

use phat_formats::{BoundaryMatrix, Dimension, Source};

use super::format::MatrixFormat;
use crate::input::no_room;
use crate::memory;

/// How to read a matrix.
#[derive(Debug, Clone, Copy, Default)]
pub struct MatrixReadOptions {
    /// The format; without it, content and name tell.
    pub format: Option<MatrixFormat>,
    /// The greatest dimension of the cells to take of an image or of distances. Other files list their cells themselves.
    pub upper_dim: Option<usize>,
}

/// A filtered cell complex from a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoadedComplex<I> {
    /// Its boundary matrix.
    pub matrix: BoundaryMatrix<I>,
    /// The value of each cell, ascending, where the file has values.
    pub values: Option<Vec<f64>>,
    /// The dimension of the complex, not below any cell's; 0 without cells.
    pub max_dim: Dimension,
    /// Whether cells above `max_dim` were, or may have been, left out.
    pub cut: bool,
}

/// A filtered cell complex whose cells are numbered by integers that are wide enough.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyComplex {
    /// Cells are numbered by 32 bits.
    Narrow(LoadedComplex<u32>),
    /// Cells are numbered by 64 bits.
    Wide(LoadedComplex<u64>),
}

/// What was read, and as what.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoadedMatrix {
    /// The complex.
    pub input: AnyComplex,
    /// The format it was read in.
    pub format: MatrixFormat,
    /// Why this format, when none was given.
    pub detection: Option<String>,
    /// What was corrected while reading.
    pub warning: Option<String>,
    /// Whether the file itself gives the boundaries. Those of images and distances are computed here, and are right.
    pub gives_boundaries: bool,
}

/// What the reader of a format makes of a file.
pub(super) struct Content {
    pub(super) input: AnyComplex,
    pub(super) warning: Option<String>,
    pub(super) gives_boundaries: bool,
}

/// The first bytes of a source, at most `most`.
pub(super) fn bytes(source: &(impl Source + ?Sized), most: u64) -> io::Result<Vec<u8>> {
    let count = usize::try_from(source.size()?.min(most)).map_err(io::Error::other)?;
    let mut bytes = memory::zeroed(count).map_err(no_room)?;
    source.read_exact_at(0, &mut bytes)?;
    Ok(bytes)
}
