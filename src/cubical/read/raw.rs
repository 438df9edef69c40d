//! `raw`: voxels without a header, little-endian, with shape and type given by the caller.
//!
//! The file has exactly the length of its voxels. With order C the last axis varies fastest, with order F the first.

use super::bytes::Bytes;
use super::error::{Fault, Place};
use super::layout::FileLayout;
use super::options::{ImageOptions, Raw};
use super::stream::Stream;

pub(super) fn open(bytes: Bytes, raw: &Raw, options: &ImageOptions) -> Result<Stream, Fault> {
    let axes: Vec<u64> = raw.shape.iter().map(|&extent| extent as u64).collect();
    let shape = options.shape_at(Place::Whole, &axes, raw.order)?;
    FileLayout::new(shape, raw.dtype, 0).open(bytes)
}
