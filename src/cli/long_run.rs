//! Long runs: the time limit, the directory of the checkpoint, and the messages about both.

use lacuna::snapshot::{Checkpoint, CheckpointDirectory, Fingerprint};

use super::arguments::limits::{CheckpointArguments, TimeLimitArguments};
use super::error::CliError;
use super::notes::Notes;
use super::sink;

/// Checkpoint directory of a run, if it has one.
#[derive(Debug)]
pub(crate) struct LongRun {
    directory: Option<CheckpointDirectory>,
    notes: Notes,
}

impl LongRun {
    /// Starts the time limit and opens the checkpoint directory, before anything is read.
    pub(crate) fn open(
        limit: &TimeLimitArguments,
        checkpoint: &CheckpointArguments,
        notes: Notes,
    ) -> Result<LongRun, CliError> {
        let directory = checkpoint.open(notes)?;
        limit.start()?;
        Ok(LongRun { directory, notes })
    }

    /// Compares the fingerprint of the run with that of the checkpoint, once the input is known: the saved state is
    /// resumed from or rejected.
    pub(crate) fn begin(&self, run: impl FnOnce() -> Fingerprint) -> Result<(), CliError> {
        let Some(directory) = &self.directory else { return Ok(()) };
        if directory.begin(&run())? {
            self.notes.note(format_args!("resumes from {}", directory.path().display()));
        }
        Ok(())
    }

    /// The checkpoint, which saves nothing if the run has no directory.
    pub(crate) fn checkpoint(&self) -> &dyn Checkpoint {
        match &self.directory {
            Some(directory) => directory,
            None => &(),
        }
    }

    /// Removes the checkpoint of a finished run, once the answer is on the disk.
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
