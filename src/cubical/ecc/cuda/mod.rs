//! Euler characteristic curves on the GPU: of an image in a device buffer (`counting`), of a streamed image (`pieces`),
//! and of a sequence of images (`repeated`).

pub(crate) mod counting;
mod pieces;
pub(crate) mod repeated;
mod ring;

pub use counting::{DeviceError, Prepared, Resident, ecc_device};
