//! What can go wrong on the way to a GPU and on it.

use super::Version;

/// Why the GPU does not do the work.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The program was built without CUDA support.
    #[error("this build has no CUDA support: it was built without the feature `cuda`")]
    NotBuilt,
    /// The driver's library is not installed, or cannot be loaded.
    #[error("no CUDA driver: the library libcuda cannot be loaded")]
    NoDriver,
    /// The driver does not know the kernels' instruction set.
    #[error("the CUDA driver is too old: expected one for CUDA {needed} or later, found one for {found}")]
    OldDriver {
        /// CUDA's version that the driver was made for.
        found: Version,
        /// What the kernels need.
        needed: Version,
    },
    /// No thread could be started to open the devices.
    #[error("no thread could be started to open the CUDA devices")]
    NoThread,
    /// The driver finds no device.
    #[error("the CUDA driver finds no device")]
    NoDevice,
    /// No device has the number that was asked for.
    #[error("no CUDA device {ordinal}: expected one of the {count} that there are, counted from 0")]
    NoSuchDevice {
        /// The number that was asked for.
        ordinal: usize,
        /// The number of devices.
        count: usize,
    },
    /// A device cannot run the kernels.
    #[error("{device}: expected compute capability 7.5 or later, found {major}.{minor}")]
    OldDevice {
        /// The device.
        device: String,
        /// The major number of its compute capability.
        major: i32,
        /// The minor number of its compute capability.
        minor: i32,
    },
    /// Device memory is exhausted.
    #[error("{device}: {asked} bytes of device memory wanted, {available} available")]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes that were asked for.
        asked: u64,
        /// Bytes that can be allocated.
        available: u64,
    },
    /// The kernels have a limit that the work goes beyond.
    #[error("the kernels take up to {limit} {what}, here are {found}")]
    Unfit {
        /// What is limited.
        what: &'static str,
        /// The greatest number that the kernels take.
        limit: usize,
        /// The number that the work has.
        found: usize,
    },
    /// A kernel was not found, not launched, or failed.
    #[error("{device}: kernel {kernel}, {blocks} blocks of {threads} threads: {error}")]
    Kernel {
        /// The device.
        device: String,
        /// The kernel.
        kernel: &'static str,
        /// The number of blocks of the launch.
        blocks: u32,
        /// The number of threads of a block.
        threads: u32,
        /// What the driver says.
        error: Reported,
    },
    /// The code that drives the device panicked: a mistake of this program.
    #[error("the work on the device broke off: {reason}")]
    Panicked {
        /// What the panic says.
        reason: String,
    },
    /// Another call into the driver failed.
    #[error("{device}: {what}: {error}")]
    Call {
        /// The device.
        device: String,
        /// What the call was to do.
        what: &'static str,
        /// What the driver says.
        error: Reported,
    },
}

/// An error of the driver, by the driver's name for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Reported(pub(super) String);
