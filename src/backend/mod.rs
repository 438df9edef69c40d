//! Choice between processor and GPU for each stage, with fall-back to the processor if a GPU fails.
//!
//! | file | content |
//! |---|---|
//! | `mod.rs` | the user's request |
//! | `decision.rs` | the decision for a stage with its reason, by the request and the estimated durations |
//! | `run.rs` | running a stage by its decision, with the processor as replacement or for verification |
//! | `difference.rs` | the first difference between device and processor |
//! | `error.rs` | errors |
//! | `threads.rs` | the threads that a computation runs on |
//!
//! A decision is made once, when the amount of work is known. Opening a device takes longer than many runs: with
//! `auto`, devices are opened only if the estimates say that it pays; with `cuda`, they are opened in the background
//! at once. The final outcome is recorded in the [`Decision`] and nowhere else, so that messages and statistics are
//! correct after the processor has replaced a device.
//!
//! Two words have the same meaning in every stage that has kernels: a device is *prepared* when the kernels of the
//! stage are loaded; an input is *resident* when it is in the memory of a device and is processed there repeatedly.

mod decision;
mod difference;
mod error;
mod run;
#[cfg(test)]
mod tests;
mod threads;

pub(crate) use decision::Estimate;
#[cfg(test)]
pub(crate) use decision::OPENING;
pub use decision::{Backend, Decision};
pub use difference::Difference;
pub(crate) use difference::expect_same;
pub use error::{BackendError, MachineError};
pub(crate) use run::{Stage, guarded};
pub use threads::ThreadsError;
pub(crate) use threads::on_threads;

pub use crate::cuda::{CudaError, Reported};
pub use crate::memory::Refused;

/// The choice between processor and GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Choice {
    /// Use a GPU if that is expected to be faster.
    #[default]
    Auto,
    /// Use the processor.
    Cpu,
    /// Use CUDA devices.
    #[cfg_attr(feature = "cli", value(alias = "gpu"))]
    Cuda,
}

/// The user's request about devices.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackendRequest {
    /// The choice between processor and GPU.
    pub choice: Choice,
    /// Numbers of the devices to use; the first device if the list is empty.
    ///
    /// Several processes of a machine divide the list between them, or all its devices if the list is empty.
    pub devices: Vec<usize>,
    /// Maximum bytes of each device's memory to use; all free memory if `None`.
    pub memory: Option<u64>,
    /// Whether the processor repeats the work and the results are compared.
    pub self_check: bool,
}
