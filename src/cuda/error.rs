//! Errors of CUDA devices.

use super::Version;

/// The error of a CUDA device or its driver.
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
        /// The CUDA version of the driver.
        found: Version,
        /// The CUDA version that the kernels need.
        needed: Version,
    },
    /// No thread could be started that works for a device.
    #[error(
        "no thread could be started that works for a CUDA device; the system's limits of processes and memory \
         (ulimit -u, ulimit -v) may allow more"
    )]
    NoThread,
    /// The driver finds no device.
    #[error("the CUDA driver finds no device")]
    NoDevice,
    /// No device has the requested number.
    #[error("no CUDA device {ordinal}: expected one of the {count} that there are, counted from 0")]
    NoSuchDevice {
        /// The requested number.
        ordinal: usize,
        /// Number of devices.
        count: usize,
    },
    /// A device cannot run the kernels.
    #[error("{device}: expected compute capability 7.5 or later, found {major}.{minor}")]
    OldDevice {
        /// Name of the device.
        device: String,
        /// The major number of its compute capability.
        major: i32,
        /// The minor number of its compute capability.
        minor: i32,
    },
    /// Device memory is exhausted.
    #[error("{device}: {asked} bytes of device memory wanted, {available} available")]
    OutOfMemory {
        /// Name of the device.
        device: String,
        /// Number of bytes requested.
        asked: u64,
        /// Number of bytes that can be allocated.
        available: u64,
    },
    /// The work exceeds a limit of the kernels.
    #[error("the kernels take up to {limit} {what}, here are {found}")]
    Unfit {
        /// Name of the limited quantity.
        what: &'static str,
        /// The limit.
        limit: usize,
        /// The quantity found.
        found: usize,
    },
    /// A kernel was not found, could not be launched, or failed.
    #[error("{device}: kernel {kernel}, {blocks} blocks of {threads} threads: {error}")]
    Kernel {
        /// Name of the device.
        device: String,
        /// Name of the kernel.
        kernel: &'static str,
        /// Number of blocks of the launch.
        blocks: u32,
        /// Number of threads in a block.
        threads: u32,
        /// The driver's error.
        error: Reported,
    },
    /// The code for the device panicked: a bug in this program.
    #[error("the work on the device broke off: {reason}")]
    Panicked {
        /// The panic's message.
        reason: String,
    },
    /// Another call into the driver failed.
    #[error("{device}: {what}: {error}")]
    Call {
        /// Name of the device.
        device: String,
        /// The purpose of the call.
        what: &'static str,
        /// The driver's error.
        error: Reported,
    },
}

/// An error of the driver, by its name in the driver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Reported(pub(super) String);
