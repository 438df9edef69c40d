//! Types that a device holds as the host does.

use cudarc::driver::{DeviceRepr, ValidAsZeroBits};

use crate::cuda::filtration_construction::Tile;

/// Types that a device holds as the host does, and whose zero is all bits zero.
pub trait Plain: DeviceRepr + ValidAsZeroBits + Copy + Send + Sync + 'static {}

impl<T: DeviceRepr + ValidAsZeroBits + Copy + Send + Sync + 'static> Plain for T {}

// SAFETY: `Tile` is `repr(C)` and has integers side by side without padding, as the kernels declare it.
unsafe impl DeviceRepr for Tile {}
// SAFETY: every field of `Tile` is an integer, of which zero is a value.
unsafe impl ValidAsZeroBits for Tile {}
