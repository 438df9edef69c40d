//! `npy`: NumPy arrays with at most three axes longer than 1.
//!
//! The dtypes are `u1` to `u8`, `i1` to `i8`, `f4` and `f8` in either byte order; `f2`, whose values become `f4`; and
//! `b1`, whose values become the `u8` 0 and 1. C or Fortran order is kept: nothing is transposed.

use npyz::{TypeChar, TypeStr};

use super::bytes::Bytes;
use super::error::{Fault, ImageProblem, Place};
use super::layout::{FileLayout, Meaning};
use super::options::ImageOptions;
use super::stream::Stream;
use crate::cubical::key::Coding;
use crate::cubical::shape::Order;
use crate::cubical::voxel::VoxelType;
use crate::input::npy::Header;

pub(super) use crate::input::npy::MAGIC;

pub(super) fn open(bytes: Bytes, options: &ImageOptions) -> Result<Stream, Fault> {
    layout(bytes.head(), options)?.open(bytes)
}

/// The layout that the header describes.
fn layout(head: &[u8], options: &ImageOptions) -> Result<FileLayout, ImageProblem> {
    let Header { dtype, shape, fortran, data_at } = Header::parse(head)?;
    let (voxels, big_endian, meaning) = voxels(&dtype)?;
    let order = if fortran { Order::F } else { Order::C };
    let shape = options
        .shape_at(Place::Byte(10), &shape, order)
        .map_err(|problem| problem.note("save a part of it, such as a[..., 0]"))?;
    Ok(FileLayout { big_endian, meaning, ..FileLayout::new(shape, voxels, data_at as u64) })
}

/// The type of the elements, whether they are big-endian, and how they are interpreted.
pub(super) fn voxels(dtype: &TypeStr) -> Result<(VoxelType, bool, Meaning), ImageProblem> {
    let problem = || {
        let expected = "dtype b1, u1, u2, u4, u8, i1, i2, i4, i8, f2, f4 or f8";
        ImageProblem::at(10, expected, format!("'{dtype}'")).note("save it as one of these with a.astype(…)")
    };
    let bytes = dtype.num_bytes().ok_or_else(problem)?;
    let (coding, meaning) = match (dtype.type_char(), bytes) {
        (TypeChar::Bool, 1) => (Coding::Unsigned, Meaning::Truths),
        (TypeChar::Uint, _) => (Coding::Unsigned, Meaning::Values),
        (TypeChar::Int, _) => (Coding::Signed, Meaning::Values),
        (TypeChar::Float, 2) => (Coding::Unsigned, Meaning::Halves),
        (TypeChar::Float, _) => (Coding::Float, Meaning::Values),
        _ => return Err(problem()),
    };
    let numbers = VoxelType::of(coding, bytes).ok_or_else(problem)?;
    Ok((numbers, dtype.endianness() == npyz::Endianness::Big, meaning))
}
