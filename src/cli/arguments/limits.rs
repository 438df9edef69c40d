//! How long a run may last, and where it keeps its state.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use lacuna::snapshot::CheckpointDirectory;

use crate::cli::deadline;
use crate::cli::error::{CliError, MachineError};
use crate::cli::interruption;
use crate::cli::notes::Notes;
use crate::cli::parse;
use crate::cli::progress;

/// How long a run may last.
#[derive(Debug, clap::Args)]
pub(crate) struct TimeLimitArguments {
    /// End after TIME, as 90s or 2h 30m, with exit code 4
    ///
    /// There is no answer then; with --checkpoint what is done is kept, and the same command goes on with it.
    #[arg(long, value_name = "TIME", help_heading = "Long runs",
        value_parser = parse::time, allow_hyphen_values = true)]
    time_limit: Option<Duration>,
}

impl TimeLimitArguments {
    /// Has the time run.
    pub(crate) fn start(&self) -> Result<(), CliError> {
        let limited = self.time_limit.map_or(Ok(()), interruption::limit);
        limited.map_err(|source: io::Error| MachineError::Clock { source }.into())
    }
}

/// How long a run may last that has its answer as a whole or not at all.
#[derive(Debug, clap::Args)]
pub(crate) struct DeadlineArguments {
    /// End after TIME, as 90s or 2h 30m, with exit code 4; what is being written to a file is not there then
    #[arg(long, value_name = "TIME", help_heading = "Computation",
        value_parser = parse::time, allow_hyphen_values = true)]
    time_limit: Option<Duration>,
}

impl DeadlineArguments {
    /// Has the time run.
    pub(crate) fn start(&self) -> Result<(), CliError> {
        let Some(time) = self.time_limit else { return Ok(()) };
        progress::note_where_it_is();
        deadline::start(time).map_err(|source: io::Error| MachineError::Clock { source }.into())
    }
}

/// Where a run keeps its state.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckpointArguments {
    /// Keep the state of the run in DIR, and go on from what is kept there
    ///
    /// The same command goes on after Ctrl-C, after SIGTERM (both then end with exit code 3; another one a second later or more ends at once), after
    /// --time-limit, and after a crash. Another input, or other options that change the answer, are refused. When the run is done, what was kept is
    /// removed.
    #[arg(long, value_name = "DIR", help_heading = "Long runs")]
    checkpoint: Option<PathBuf>,

    /// With --checkpoint: save after that time, again and again, and less often where saving would take more than a fortieth of the time
    ///
    /// 0s saves whenever the run can, however much longer the run takes for it, and the end of every stage.
    #[arg(long, value_name = "TIME", help_heading = "Long runs", default_value = "60s", requires = "checkpoint",
        value_parser = parse::time_or_none, allow_hyphen_values = true)]
    every: Duration,
}

impl CheckpointArguments {
    /// Whether the run keeps its state.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Opens the directory, if there is to be one, and locks it. From then on a signal has the run save its state.
    pub(crate) fn open(&self, notes: Notes) -> Result<Option<CheckpointDirectory>, CliError> {
        let Some(path) = &self.checkpoint else { return Ok(None) };
        let warn = move |error: &lacuna::snapshot::SnapshotError| {
            notes.warn(format_args!("{error}; the run goes on, and what was kept before stays"));
        };
        let directory = CheckpointDirectory::open(path, self.every, Box::new(warn))?;
        interruption::hear_signals(path);
        Ok(Some(directory))
    }
}
