//! The files of a run: the answer and, if asked for, the statistics. All are put in their places or, on failure, none.

use std::io::{self, Write};
use std::path::Path;

use super::error::CliError;
use super::sink::Sink;

/// The outputs, open.
#[derive(Debug)]
pub(crate) struct Outputs {
    answer: Sink,
    stats: Option<Sink>,
}

impl Outputs {
    /// Opens both before the work starts; no `answer` is standard output.
    pub(crate) fn open(answer: Option<&Path>, stats: Option<&Path>) -> Result<Outputs, CliError> {
        let answer = Sink::open(answer)?;
        let stats = stats.map(|path| Sink::open(Some(path))).transpose()?;
        match (answer.file(), stats.as_ref().and_then(Sink::file)) {
            (Some(path), Some(other)) if path == other => {
                Err(CliError::SameFile { path: path.to_path_buf() })
            }
            _ => Ok(Outputs { answer, stats }),
        }
    }

    /// Writes the answer.
    pub(crate) fn fill(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CliError> {
        self.answer.fill(write)
    }

    /// Puts the answer in its place, whatever becomes of the run and its statistics.
    pub(crate) fn commit_answer(&mut self) -> Result<(), CliError> {
        std::mem::replace(&mut self.answer, Sink::Stdout).commit()
    }

    /// Writes the statistics, if they are wanted, then puts all files in their places.
    pub(crate) fn commit(
        self,
        write_stats: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CliError> {
        let Some(mut stats) = self.stats else { return self.answer.commit() };
        stats.fill(write_stats)?;
        self.answer.commit()?;
        stats.commit()
    }
}
