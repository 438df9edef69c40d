//! Types with the same representation on device and host.

use cudarc::driver::{DeviceRepr, ValidAsZeroBits};

use crate::cuda::filtration_construction::Tile;

/// A type with the same representation on device and host, for which all-zero bits are the value zero.
pub trait Plain: DeviceRepr + ValidAsZeroBits + Copy + Send + Sync + 'static {}

impl<T: DeviceRepr + ValidAsZeroBits + Copy + Send + Sync + 'static> Plain for T {}

// SAFETY: `Tile` is `repr(C)` and consists of integers without padding, as the kernels declare it.
unsafe impl DeviceRepr for Tile {}
// SAFETY: every field of `Tile` is an integer, so all-zero bits are a valid value.
unsafe impl ValidAsZeroBits for Tile {}
