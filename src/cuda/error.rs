//! What can go wrong on the way to a GPU and on it.

use super::Version;

/// Why the GPU does not do the work.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
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
    /// There are not so many.
    #[error("no CUDA device {ordinal}: expected one of the {count} that there are, counted from 0")]
    NoSuchDevice {
        /// What was asked for.
        ordinal: usize,
        /// Devices there are.
        count: usize,
    },
    /// A device cannot run the kernels.
    #[error("{device}: expected compute capability 7.5 or later, found {major}.{minor}")]
    OldDevice {
        /// The device.
        device: String,
        /// Its capability.
        major: i32,
        /// Its capability.
        minor: i32,
    },
    /// Device memory is exhausted.
    #[error("{device}: {asked} bytes of device memory wanted, {available} available")]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes wanted.
        asked: u64,
        /// Bytes to be had.
        available: u64,
    },
    /// The kernels have a limit that the work goes beyond.
    #[error("the kernels take up to {limit} {what}, here are {found}")]
    Unfit {
        /// Of what.
        what: &'static str,
        /// So many.
        limit: usize,
        /// There are so many.
        found: usize,
    },
    /// A kernel was not found, not launched, or failed.
    #[error("{device}: kernel {kernel}, {blocks} blocks of {threads} threads: {error}")]
    Kernel {
        /// The device.
        device: String,
        /// The kernel.
        kernel: &'static str,
        /// Blocks launched.
        blocks: u32,
        /// Threads of a block.
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
    /// Another call failed.
    #[error("{device}: {what}: {error}")]
    Call {
        /// The device.
        device: String,
        /// What was being done.
        what: &'static str,
        /// What the driver says.
        error: Reported,
    },
}

/// The driver's name of an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Reported(pub(super) String);
