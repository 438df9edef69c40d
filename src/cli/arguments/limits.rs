//! How long a run may last, and where it keeps its state.

use std::path::PathBuf;
use std::time::Duration;

use lacuna::snapshot::{CheckpointDirectory, SnapshotError};

use crate::cli::error::Result;
use crate::cli::notes::Notes;
use crate::cli::parse;
use crate::cli::ranks;
use crate::cli::temporary::hear_signals;

/// How long a run may last that has its answer as a whole or not at all.
#[derive(Debug, clap::Args)]
pub(crate) struct DeadlineArguments {
    /// Stop after TIME, such as 90s or 2h 30m; incomplete output is discarded
    #[arg(long, value_name = "TIME", help_heading = "Limits",
        value_parser = parse::time, allow_hyphen_values = true)]
    pub(crate) time_limit: Option<Duration>,
}

/// Where a run keeps its state.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckpointArguments {
    /// Save the state of the run in DIR, and resume from there
    ///
    /// The same command resumes the run after Ctrl-C or SIGTERM (exit code 3; a second signal a second or more
    /// later ends the run at once), after --time-limit, and after a crash. Another input, or other options that
    /// change the result, are refused. The saved state is removed when the run is done.
    #[arg(long, value_name = "DIR", help_heading = "Limits and checkpoints")]
    checkpoint: Option<PathBuf>,

    /// Time between checkpoints
    ///
    /// Saving takes at most about one fortieth of the run time, so the interval grows where saving is slow. 0s
    /// saves as often as possible, at any cost, and at the end of every stage.
    #[arg(hide_short_help = true, long, value_name = "TIME", help_heading = "Limits and checkpoints", default_value = "60s", requires = "checkpoint",
        value_parser = parse::time_or_none, allow_hyphen_values = true)]
    every: Duration,
}

impl CheckpointArguments {
    /// Whether the run keeps its state.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Opens the directory, if there is to be one, and locks it. From then on a signal has the run save its state.
    pub(crate) fn open(&self, notes: Notes) -> Result<Option<CheckpointDirectory>> {
        let Some(path) = &self.checkpoint else { return Ok(None) };
        if !ranks::is_root() {
            // Rank 0 has the state. A signal to all must not end this rank before that is saved, as it would end all.
            hear_signals(path);
            return Ok(None);
        }
        let warn = move |error: &SnapshotError| {
            notes.warn(format_args!("{error}; the run goes on, and the state saved before stays"));
        };
        let directory = CheckpointDirectory::open(path, self.every, Box::new(warn))?;
        hear_signals(path);
        Ok(Some(directory))
    }
}
