//! CUDA devices: memory, kernels and launches.
//!
//! | file | content |
//! |---|---|
//! | `driver/` | the calls into CUDA's driver |
//! | `error.rs` | errors |
//! | `constants.rs` | the constants on which kernels and launching code must agree |
//! | `filtration_construction.rs`, `leftmost_ones.rs`, … | the kernels of the file of that name in `kernels/` |
//!
//! Neither CUDA nor a GPU is needed to build or to run: the driver's library is loaded at run time, and its absence
//! is an ordinary error ([`CudaError::NoDriver`]). Kernels are embedded as PTX, which `cargo xtask ptx` compiles from
//! `kernels/`; the driver compiles it for its device. Each file of kernels has one struct here, with a method per
//! kernel. A method takes typed buffers and checks their lengths before the launch, so that it is safe to call.
//!
//! A build without the feature `cuda` embeds no kernels and does not load the driver: every request for a device ends
//! with [`CudaError::NotBuilt`].

/// Turns each section of constants into a module.
macro_rules! constants {
    ($($(#[$file_doc:meta])* $file:ident { $($(#[$doc:meta])* $name:ident = $value:literal;)* })*) => {$(
        $(#[$file_doc])*
        pub(crate) mod $file {
            $($(#[$doc])* pub(crate) const $name: u32 = $value;)*
        }
    )*};
}

pub(crate) mod array;
pub(crate) mod constants;
mod driver;
pub(crate) mod ecc;
pub(crate) mod ecc_rows;
mod error;
pub(crate) mod filtration_construction;
pub(crate) mod gradient;
pub(crate) mod leftmost_ones;
pub(crate) mod merge_tree;
pub(crate) mod smooth;
pub(crate) mod sort;
pub(crate) mod thinning;

use std::fmt;

pub use driver::{Buffer, Foreign, Gpu, Plain, device_of, devices, has_driver};
pub(crate) use driver::{Inbox, Kernel, Pinned, blocks_of};
pub use error::{CudaError, Reported};
pub(crate) use filtration_construction::KernelRank;
pub(crate) use leftmost_ones::KernelIndex;
pub use merge_tree::{MergeTreeKernels, Planes};

#[cfg(test)]
mod tests;

/// The PTX of a kernel file, compressed with gzip.
pub(crate) type Ptx = &'static [u8];

/// The [`Ptx`] of the file whose name is given in pieces. A build without the feature `cuda` embeds none.
macro_rules! ptx {
    ($($name:expr),+) => {
        if cfg!(feature = "cuda") {
            include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/ptx/", $($name,)+ ".ptx.gz")) as $crate::cuda::Ptx
        } else {
            &[]
        }
    };
}
use ptx;

/// The names of the kernel files.
pub const KERNELS: [&str; 11] = [
    "array",
    "ecc",
    "ecc_rows",
    "gradient",
    "leftmost_ones",
    "filtration_construction",
    "merge_tree",
    "smooth",
    "sort",
    "thinning",
    "thinning_subfields",
];

/// The properties of a device, known without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The number of the device.
    pub ordinal: usize,
    /// The name of the device.
    pub name: String,
    /// The compute capability, major and minor number.
    pub capability: (i32, i32),
    /// Memory of the device in bytes.
    pub memory: u64,
    /// Number of multiprocessors.
    pub multiprocessors: i32,
}

/// Pending work of other libraries on a device, which may write memory that is lent to a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    /// No work is pending.
    Nothing,
    /// All work that has been requested in this process.
    All,
    /// The work of one stream, given by its handle; 1 and 2 are the legacy default stream and this thread's default
    /// stream.
    Stream(usize),
}

/// A version of CUDA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The major number: 12 in 12.4.
    pub major: i32,
    /// The minor number: 4 in 12.4.
    pub minor: i32,
}

impl Version {
    /// The version for which the kernels' PTX is compiled. Older drivers do not load it.
    pub const NEEDED: Version = Version { major: 12, minor: 4 };
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
