//! The curve on a device: of an image in a buffer of the device (`counting`), of one that comes a piece at a time (`pieces`), or of one after
//! another (`repeated`).

pub(crate) mod counting;
mod pieces;
pub(crate) mod repeated;
mod ring;

pub use counting::{DeviceError, Prepared, Resident, ecc_device};
