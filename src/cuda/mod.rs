//! The GPU: devices, memory, kernels.
//!
//! | file | holds |
//! |---|---|
//! | `driver/` | the calls into CUDA's driver; `absent.rs` stands in its place in a build without the feature `cuda` |
//! | `start.rs` | devices that are opened in the background |
//! | `error.rs` | what can go wrong |
//! | `constants.rs` | the numbers on which kernels and the code that launches them have to agree |
//! | `unsigned.rs` | unsigned integers, whose memory may be filled with any bits |
//! | `filtration_construction.rs`, `leftmost_ones.rs`, … | the kernels of the file of that name in `kernels/` |
//!
//! Neither CUDA nor a GPU is needed to build, nor to run: the driver's library is looked for at run time, and its absence is an answer
//! like any other ([`CudaError::NoDriver`]). Kernels are embedded as PTX, made from `kernels/` by `cargo xtask ptx`; the driver compiles
//! them for its device. Each file of kernels has one struct here, whose methods are the kernels. A method takes typed buffers and checks
//! their lengths before the launch, so that it is safe to call.

/// Makes each section of numbers a module of constants.
macro_rules! constants {
    ($($(#[$file_doc:meta])* $file:ident { $($(#[$doc:meta])* $name:ident = $value:literal;)* })*) => {$(
        $(#[$file_doc])*
        pub(crate) mod $file {
            $($(#[$doc])* pub(crate) const $name: u32 = $value;)*
        }
    )*};
}

#[cfg(not(feature = "cuda"))]
mod absent;
pub(crate) mod array;
pub(crate) mod constants;
#[cfg(feature = "cuda")]
mod driver;
pub(crate) mod ecc;
pub(crate) mod ecc_rows;
mod error;
pub(crate) mod filtration_construction;
pub(crate) mod gradient;
pub(crate) mod leftmost_ones;
pub(crate) mod smooth;
pub(crate) mod sort;
mod start;
pub(crate) mod thinning;
mod unsigned;

use std::fmt;

#[cfg(not(feature = "cuda"))]
use absent as driver;

pub(crate) use driver::has_driver;
pub use driver::{Buffer, Foreign, Gpu, device_of, devices};
pub(crate) use driver::{Inbox, Kernel, Pinned, Plain};
pub use ecc::KernelVoxel;
pub use error::{CudaError, Reported};
pub(crate) use filtration_construction::KernelRank;
pub(crate) use leftmost_ones::KernelIndex;
pub(crate) use start::Starting;
pub(crate) use unsigned::Unsigned;

#[cfg(test)]
mod tests;

/// The PTX text of the kernels of a file, whose name is given in pieces. A build without the feature `cuda` embeds none.
macro_rules! ptx {
    ($($name:expr),+) => {
        if cfg!(feature = "cuda") {
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/ptx/", $($name,)+ ".ptx"))
        } else {
            ""
        }
    };
}
use ptx;

/// The names of the files of kernels.
pub const KERNELS: [&str; 10] = [
    "array",
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

/// What is known of a device without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The number of the device.
    pub ordinal: usize,
    /// The name of the device.
    pub name: String,
    /// The compute capability, major and minor number.
    pub capability: (i32, i32),
    /// Bytes of memory.
    pub memory: u64,
    /// The number of multiprocessors.
    pub multiprocessors: i32,
}

/// Work of others on a device that may write memory which is lent to a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    /// There is none.
    Nothing,
    /// All work that has been asked for in this process.
    All,
    /// That of one stream, as the driver names it; 1 and 2 are the legacy default stream and the default stream of this thread.
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
    /// The version that the kernels' PTX is made for. Older drivers do not load it.
    pub const NEEDED: Version = Version { major: 12, minor: 4 };
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
