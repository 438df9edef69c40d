//! How to read.

use super::error::ImageProblem;
use super::format::ImageFormat;
use crate::cubical::shape::Order;
use crate::cubical::voxel::VoxelType;

/// How to read. Without a format, content and name tell.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImageOptions {
    /// The format; with `raw` and without a format, it is [`ImageFormat::Raw`].
    pub format: Option<ImageFormat>,
    /// What a file without a header holds; for [`ImageFormat::Raw`] only.
    pub raw: Option<Raw>,
    /// Which channel to take of an image that has several, counted from 0. An image of a format without channels has one.
    pub channel: Option<usize>,
    /// Which frame to take of an image that changes in time, counted from 0. An image of a format without time has one.
    pub frame: Option<usize>,
    /// The name of the array to read of an archive of several; for [`ImageFormat::Npz`] only.
    pub key: Option<String>,
    /// What voxels become that are not a number, rounded to their type; without it they are an error.
    pub nan: Option<f64>,
}

impl ImageOptions {
    /// An error when a channel or a frame is picked of an image that has one of each.
    pub(super) fn check_single(&self) -> Result<(), ImageProblem> {
        pick("channel", self.channel, 1)?;
        pick("frame", self.frame, 1)?;
        Ok(())
    }
}

/// Which of `count` channels or frames is picked, when one is.
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

/// What a file without a header holds: little-endian voxels and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    /// Voxels along each axis, as its user indexes it.
    pub shape: Vec<usize>,
    /// Their type.
    pub dtype: VoxelType,
    /// Which axis varies fastest.
    pub order: Order,
}

impl Raw {
    /// The bytes of the voxels, where 64 bits hold their number.
    pub(super) fn bytes(&self) -> Option<u64> {
        let size = self.dtype.bytes() as u64;
        self.shape.iter().try_fold(size, |bytes, &extent| bytes.checked_mul(extent as u64))
    }
}
