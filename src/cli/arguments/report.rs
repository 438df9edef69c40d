//! What a run reports beside its answer: statistics in a file, the rest on standard error.

use std::path::PathBuf;

use crate::cli::notes::Notes;
use crate::cli::parse;

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
