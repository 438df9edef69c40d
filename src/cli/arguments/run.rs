//! The options of a run whose state can be saved.

use super::limits::{CheckpointArguments, TimeLimitArguments};
use super::machine::MachineArguments;
use super::report::ReportArguments;

/// What computes, how long it may take, where its state is saved, and what is reported.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) machine: MachineArguments,

    #[command(flatten)]
    pub(crate) limit: TimeLimitArguments,

    #[command(flatten)]
    pub(crate) checkpoint: CheckpointArguments,

    #[command(flatten)]
    pub(crate) report: ReportArguments,
}
