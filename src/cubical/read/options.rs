//! How to read.

use super::{Format, VoxelType};
use crate::cubical::Order;

/// How to read. Without a format, content and name tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The format; with `raw` and without a format, it is [`Format::Raw`].
    pub format: Option<Format>,
    /// What a file without a header holds; for [`Format::Raw`] only.
    pub raw: Option<Raw>,
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
