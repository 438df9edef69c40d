//! The processor or a GPU: which of them runs a stage, and what happens when a GPU fails.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | what the user asks for |
//! | `decision.rs` | which machine is to run a stage, and why, by what the user asks for and how long each machine should take |
//! | `run.rs` | running a stage on the machine that was decided on, with the processor to replace it or to check it |
//! | `difference.rs` | the first thing that a device found otherwise than the processor |
//! | `error.rs` | why no machine runs a stage |
//! | `threads.rs` | the threads that a computation runs on |
//!
//! A decision is made once, when the amount of work is known. Opening a device takes longer than many runs: with `auto` none is opened
//! unless the estimates say that it will pay; with `cuda` it is opened in the background at once. What ran in the end is recorded in the
//! [`Decision`] and nowhere else, so that messages and statistics are true after the processor has replaced a device.
//!
//! Two words mean the same in every stage that has kernels. *Prepared* is a device with the kernels of the stage loaded; *resident* is
//! an input that lies in the memory of a device, to be worked on there again and again.

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
pub(crate) use run::guarded;
pub(crate) use run::{Outcome, Stage};
pub use threads::ThreadsError;
pub(crate) use threads::on_threads;

pub use crate::cuda::{CudaError, Reported};
pub use crate::memory::Refused;

/// The machine that the user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Choice {
    /// The machine that should finish first.
    #[default]
    Auto,
    /// The processor's cores.
    Cpu,
    /// CUDA devices.
    #[cfg_attr(feature = "cli", value(alias = "gpu"))]
    Cuda,
}

/// All that the user asks for about machines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackendRequest {
    /// The machine.
    pub choice: Choice,
    /// The numbers of the devices to use; the first device if the list is empty.
    pub devices: Vec<usize>,
    /// Bytes of each device's memory to use at most; all that is free when `None`.
    pub memory: Option<u64>,
    /// Whether the processor does the work too, and what both find is compared.
    pub self_check: bool,
}
