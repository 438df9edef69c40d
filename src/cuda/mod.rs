//! The GPU: devices, memory, kernels. The only place of calls into CUDA's driver, and of the `unsafe` these take.
//!
//! Nothing here is needed to build or to run without a GPU: the driver's library is looked for at run time, and its absence
//! is an answer like any other ([`CudaError::NoDriver`]). Kernels are embedded as PTX, made from `kernels/` by
//! `cargo xtask ptx`; the driver compiles them for its device. Whoever computes on the device finds one struct a file of kernels,
//! whose methods are the kernels; a launch is given slices whose lengths it checks, so that the methods are safe.

pub(crate) mod ecc;
pub(crate) mod ecc_rows;
mod error;
pub(crate) mod filtration_construction;
mod gpu;
pub(crate) mod gradient;
pub(crate) mod leftmost_ones;
pub(crate) mod smooth;
pub(crate) mod sort;
mod start;
pub(crate) mod thinning;

use std::fmt;

pub use ecc::KernelVoxel;
pub use error::{CudaError, Reported};
pub use filtration_construction::KernelRank;
pub(crate) use gpu::Kernel;
pub use gpu::{Buffer, DeviceInfo, Gpu, Inbox, Pinned, Plain, Unsigned, devices};
pub use leftmost_ones::KernelIndex;
pub use start::Starting;

#[cfg(test)]
mod tests;

/// The embedded kernels' files.
pub const KERNELS: [&str; 9] = [
    "ecc",
    "ecc_rows",
    "gradient",
    "leftmost_ones",
    "filtration_construction",
    "smooth",
    "sort",
    "thinning",
    "thinning_subfields",
];

/// CUDA's version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Of 12.4: 12.
    pub major: i32,
    /// Of 12.4: 4.
    pub minor: i32,
}

impl Version {
    /// The kernels' PTX is that of CUDA 12.4.
    pub const NEEDED: Version = Version { major: 12, minor: 4 };

    /// From the driver's number: 12040.
    fn of(number: i32) -> Version {
        Version { major: number / 1000, minor: number % 1000 / 10 }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
