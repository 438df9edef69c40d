//! The options of a command that has its answer as a whole or not at all.

use super::limits::DeadlineArguments;
use super::memory::MemoryArguments;
use crate::cli::notes::Notes;

/// How much memory and time a run may take, and what is reported.
#[derive(Debug, clap::Args)]
pub(crate) struct CommonArguments {
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,

    #[command(flatten)]
    pub(crate) deadline: DeadlineArguments,

    #[command(flatten)]
    pub(crate) notes: Notes,
}
