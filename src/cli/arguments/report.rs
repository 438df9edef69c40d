//! What a run tells beside its answer: the statistics in a file, the rest on standard error.

use super::messages::MessageArguments;
use super::stats::StatsArguments;

/// The file of the statistics, and what is said on standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArguments {
    #[command(flatten)]
    pub(crate) stats: StatsArguments,

    #[command(flatten)]
    pub(crate) messages: MessageArguments,
}
