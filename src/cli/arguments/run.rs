//! The options of whole runs: what computes, how long it may take, and what is reported.

use std::path::PathBuf;
use std::time::Duration;

use super::limits::{CheckpointArguments, DeadlineArguments};
use super::machine::MachineArguments;
use super::memory::MemoryArguments;
use crate::cli::notes::Notes;
use crate::cli::parse;

/// The options of a run whose state can be saved.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) machine: MachineArguments,

    /// Stop after TIME, such as 90s or 2h 30m, with exit code 4
    ///
    /// There is then no result. With --checkpoint, the state is saved and the same command resumes the run.
    #[arg(long, value_name = "TIME", help_heading = "Limits and checkpoints",
        value_parser = parse::time, allow_hyphen_values = true)]
    pub(crate) time_limit: Option<Duration>,

    #[command(flatten)]
    pub(crate) checkpoint: CheckpointArguments,

    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

/// The options of a command that has its answer as a whole or not at all.
#[derive(Debug, clap::Args)]
pub(crate) struct CommonArguments {
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,

    #[command(flatten)]
    pub(crate) deadline: DeadlineArguments,

    #[command(flatten)]
    pub(crate) notes: Notes,
}

/// The file of the statistics, and what is reported on standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArguments {
    /// Write counts and times to FILE as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output", value_parser = parse::file())]
    pub(crate) stats: Option<PathBuf>,

    /// Print the plan and the reasons for it to standard error
    ///
    /// The plan covers algorithms, data structures, threads and device.
    #[arg(long, help_heading = "Messages")]
    pub(crate) explain: bool,

    #[command(flatten)]
    pub(crate) notes: Notes,
}
