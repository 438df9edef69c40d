//! Errors of reading an image file.

use std::fmt;
use std::io;

use phat_formats::FormatError;

use super::format::ImageFormat;
use crate::cubical::shape::{Order, Shape, ShapeError};
use crate::input;
pub use crate::input::Place;
use crate::memory;

/// Error of reading an image.
pub type ImageReadError = input::ReadError<ImageFormat>;

impl input::Formats for ImageFormat {
    const REMEDY: &'static str = "--format says otherwise";
}

/// A problem of an image file.
pub type ImageProblem = input::Problem;

impl ImageProblem {
    /// A problem at an offset into the file.
    pub(super) fn at(byte: u64, expected: impl Into<String>, found: impl fmt::Display) -> Self {
        ImageProblem::new(Place::Byte(byte as usize), expected, found)
    }

    /// A problem of a page.
    #[cfg(feature = "codecs")]
    pub(super) fn page(page: usize, expected: impl Into<String>, found: impl fmt::Display) -> Self {
        ImageProblem::new(Place::Page(page), expected, found)
    }
}

/// Returns an error if memory does not suffice for `wanted` elements in place of those of a vector.
pub(super) fn room<T>(held: &Vec<T>, wanted: usize) -> Result<(), Fault> {
    if wanted <= held.capacity() {
        return Ok(());
    }
    let bytes = (wanted as u64).saturating_mul(size_of::<T>() as u64);
    memory::probe(bytes).map_err(|refused| Fault::System(input::no_room(refused)))
}

/// Gives a buffer this length; bytes that are added are 0.
pub(super) fn resize(buffer: &mut Vec<u8>, length: usize) -> Result<(), Fault> {
    room(buffer, length)?;
    buffer.resize(length, 0);
    Ok(())
}

/// An empty buffer with room for as many bytes.
pub(super) fn with_room(length: usize) -> Result<Vec<u8>, Fault> {
    let mut buffer = Vec::new();
    room(&buffer, length)?;
    buffer.reserve_exact(length);
    Ok(buffer)
}

/// The first of the names of arrays, for messages.
pub(super) fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 8;
    let names: Vec<&str> = names.take(MOST + 1).collect();
    if names.len() <= MOST { names.join(", ") } else { format!("{}, …", names[..MOST].join(", ")) }
}

/// The shape that a header states at `place`: extents of at least 1, at most three of them greater, or `four`.
pub(super) fn shape_at(place: Place, axes: &[u64], order: Order, four: bool) -> Result<Shape, ImageProblem> {
    let extents: Option<Vec<usize>> = axes.iter().map(|&axis| usize::try_from(axis).ok()).collect();
    let shape = extents.map(|extents| Shape::new(&extents, order));
    let expected = match shape {
        Some(Ok(shape)) if four || shape.dim() < 4 => return Ok(shape),
        Some(Err(ShapeError::Axes { .. })) if four => "1 to 4 axes of more than one voxel",
        Some(Ok(_)) => "1 to 3 axes of more than one voxel, or 4 with --frame all",
        Some(Err(ShapeError::Axes { .. })) => "1 to 3 axes of more than one voxel",
        Some(Err(ShapeError::Empty { .. })) => "at least one voxel along each axis",
        _ => "fewer than 2^63 voxels",
    };
    Err(ImageProblem::new(place, expected, format!("shape {axes:?}")))
}

/// The error of a reader: the content is malformed, or the system failed.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) enum Fault {
    Content(#[from] ImageProblem),
    System(#[from] io::Error),
}

impl Fault {
    /// A problem of the file as a whole.
    pub(super) fn of(expected: impl Into<String>, found: impl fmt::Display) -> Self {
        ImageProblem::whole(expected, found).into()
    }
}

impl From<io::ErrorKind> for Fault {
    fn from(kind: io::ErrorKind) -> Self {
        Fault::System(kind.into())
    }
}

impl From<FormatError> for Fault {
    fn from(error: FormatError) -> Self {
        input::Problem::from(error).into()
    }
}

/// The file and its format, for messages.
#[derive(Debug, Clone, Default)]
pub(super) struct Context {
    pub(super) file: String,
    pub(super) format: Option<ImageFormat>,
    pub(super) detection: Option<String>,
}

impl Context {
    pub(super) fn error(&self, fault: Fault) -> ImageReadError {
        let Context { file, format, detection } = self.clone();
        match fault {
            Fault::Content(problem) => ImageReadError::of(file, format, detection, problem),
            Fault::System(error) => ImageReadError::Io { file, error },
        }
    }
}
