//! A run that may be long: its limit of time, the directory where it keeps its state, and what is said of both.

use lacuna::snapshot::{Checkpoint, CheckpointDirectory, Fingerprint};

use super::arguments::limits::{CheckpointArguments, TimeLimitArguments};
use super::error::CliError;
use super::notes::Notes;
use super::sink;

/// Where a run keeps its state, if anywhere.
#[derive(Debug)]
pub(crate) struct LongRun {
    directory: Option<CheckpointDirectory>,
    notes: Notes,
}

impl LongRun {
    /// Has the time of the run begin, and opens the directory of its checkpoint, before anything is read.
    pub(crate) fn open(
        limit: &TimeLimitArguments,
        checkpoint: &CheckpointArguments,
        notes: Notes,
    ) -> Result<LongRun, CliError> {
        let directory = checkpoint.open(notes)?;
        limit.start()?;
        Ok(LongRun { directory, notes })
    }

    /// Says what the run is, when its input is known: what is kept is gone on from, or refused.
    pub(crate) fn begin(&self, run: impl FnOnce() -> Fingerprint) -> Result<(), CliError> {
        let Some(directory) = &self.directory else { return Ok(()) };
        if directory.begin(&run())? {
            self.notes.note(format_args!("resumes from {}", directory.path().display()));
        }
        Ok(())
    }

    /// What keeps the state.
    pub(crate) fn checkpoint(&self) -> &dyn Checkpoint {
        match &self.directory {
            Some(directory) => directory,
            None => &(),
        }
    }

    /// Removes what was kept, as the run is done; not before the answer is on the disk.
    pub(crate) fn finish(self) {
        let Some(directory) = self.directory else { return };
        if let Err(error) = sink::settle() {
            let kept = directory.path().display();
            return self.notes.warn(format_args!("{error}; the saved state stays in {kept}"));
        }
        if let Err(error) = directory.finish() {
            self.notes.warn(error);
        }
    }
}
