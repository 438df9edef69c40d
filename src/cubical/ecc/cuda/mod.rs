//! The curve on a device: of an image in a buffer of the device (`counting`), or of one that comes a piece at a time (`pieces`).

pub(crate) mod counting;
mod pieces;
mod ring;

pub use counting::{DeviceError, Prepared, Resident, ecc_device};
