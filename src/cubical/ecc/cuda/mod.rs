//! Euler characteristic curves on the GPU: of an image in a device buffer (`counting`) and of a streamed image
//! (`pieces`).

pub(crate) mod counting;
mod pieces;

pub use counting::{Prepared, Resident};
