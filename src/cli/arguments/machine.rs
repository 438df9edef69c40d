//! Options for threads, GPUs and memory.

use lacuna::backend::{Backend, BackendRequest, Choice};
use lacuna::internals::has_driver;

use super::memory::MemoryArguments;
use crate::cli::error::Result;
use crate::cli::notes::Notes;
use crate::cli::{parse, ranks, threads};

/// How many threads there are to be.
#[derive(Debug, clap::Args)]
pub(crate) struct ThreadsArguments {
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Computation",
        value_parser = parse::threads, allow_hyphen_values = true)]
    threads: Option<usize>,
}

impl ThreadsArguments {
    /// Starts the threads that everything runs on, and says how many there are.
    pub(crate) fn start(&self, notes: Notes) -> Result<usize> {
        threads::start(self.threads, notes)
    }

    /// Whether the number was asked for.
    pub(crate) fn are_asked_for(&self) -> bool {
        self.threads.is_some()
    }
}

/// Threads, memory, and which machine does the regular work.
#[derive(Debug, clap::Args)]
pub(crate) struct MachineArguments {
    #[command(flatten)]
    pub(crate) threads: ThreadsArguments,

    #[command(flatten)]
    pub(crate) memory: MemoryArguments,

    /// Device for data-parallel stages
    ///
    /// auto uses a GPU when that is expected to be faster; cuda requires one.
    #[arg(long, value_name = "auto|cpu|cuda", help_heading = "Computation", default_value = "auto",
        hide_possible_values = true, value_parser = parse::one_of::<Choice>())]
    backend: Choice,

    /// CUDA devices, separated by commas [default: 0]
    ///
    /// Several processes of a machine divide these between them; by default each takes one, in turn.
    #[arg(hide_short_help = true, long, value_name = "N,...", help_heading = "Computation", value_delimiter = ',',
        value_parser = parse::device, allow_hyphen_values = true)]
    devices: Vec<usize>,

    /// Memory limit of each CUDA device, such as 256M or 2G [default: free memory]
    #[arg(hide_short_help = true, long, value_name = "BYTES", help_heading = "Computation",
        value_parser = parse::bytes, allow_hyphen_values = true)]
    device_memory: Option<u64>,

    /// Run each stage on both CPU and GPU and compare the results
    #[arg(hide_short_help = true, long, help_heading = "Computation")]
    self_check: bool,
}

impl MachineArguments {
    /// Whether nothing but a GPU will do.
    pub(crate) fn insist_on_gpu(&self) -> bool {
        self.backend == Choice::Cuda || self.self_check
    }

    /// Whether a GPU may be of use, if there is one.
    pub(crate) fn may_take_devices(&self) -> bool {
        self.insist_on_gpu() || self.backend == Choice::Auto && has_driver()
    }

    /// The machines; a GPU that is asked for begins to be opened.
    pub(crate) fn backend(&self) -> Backend {
        let request = BackendRequest {
            choice: self.backend,
            devices: self.devices.clone(),
            memory: self.device_memory,
            self_check: self.self_check,
        };
        Backend::among(request, ranks::place())
    }
}
