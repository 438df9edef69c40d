//! Options of reading an image.

use super::error::{ImageProblem, Place, shape_at};
use super::format::ImageFormat;
use crate::cubical::shape::{Order, Shape};
use crate::cubical::voxel::VoxelType;

/// Options of reading an image. If no format is given, it is detected from content and name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImageOptions {
    /// The format. If `raw` is given, it is [`ImageFormat::Raw`].
    pub format: Option<ImageFormat>,
    /// Shape and type of the voxels of a file without a header; for [`ImageFormat::Raw`] only.
    pub raw: Option<Raw>,
    /// The channel to read of an image with several, counted from 0. Formats without channels have one.
    pub channel: Option<usize>,
    /// The frame to read of an image with several, counted from 0. Formats without time have one.
    pub frame: Option<usize>,
    /// Whether an image of four axes is read as one. If not, it is an error, or one frame is picked.
    pub four_axes: bool,
    /// The name of the array to read from an archive; for [`ImageFormat::Npz`] only.
    pub key: Option<String>,
    /// Value that replaces NaN, rounded to the voxel type; if `None`, NaN is an error.
    pub nan: Option<f64>,
}

impl ImageOptions {
    /// The shape that a header states at `place`: extents of at least 1, at most three of them greater, or four.
    pub(super) fn shape_at(&self, place: Place, axes: &[u64], order: Order) -> Result<Shape, ImageProblem> {
        shape_at(place, axes, order, self.four_axes)
    }
}

/// The picked channel or frame, after checking that it is one of `count`.
pub(super) fn pick(what: &str, picked: Option<usize>, count: usize) -> Result<Option<usize>, ImageProblem> {
    match picked {
        Some(picked) if picked >= count => {
            let expected = match count {
                0 | 1 => format!("{what} 0, the only one"),
                count => format!("a {what} from 0 to {}", count - 1),
            };
            Err(ImageProblem::whole(expected, format!("{what} {picked}")))
        }
        picked => Ok(picked),
    }
}

/// Content of a file without a header: little-endian voxels and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    /// Number of voxels along each axis, as the user indexes them.
    pub shape: Vec<usize>,
    /// Type of the voxels.
    pub dtype: VoxelType,
    /// The axis that varies fastest.
    pub order: Order,
}

impl Raw {
    /// Number of bytes of the voxels, if it fits 64 bits.
    pub(super) fn bytes(&self) -> Option<u64> {
        let size = self.dtype.bytes() as u64;
        self.shape.iter().try_fold(size, |bytes, &extent| bytes.checked_mul(extent as u64))
    }
}
