//! The frame of a run with one input and one answer: its clock, outputs and messages.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use lacuna::plot::Series;
use lacuna::report::Report;
use serde::Serialize;

use super::arguments::picture::Picture;
use super::error::CliError;
use super::notes::Notes;
use super::outputs::{Files, Inputs, Outputs};
use super::progress::Meter;
use super::timing::timed;

/// State that a run holds from its beginning to its end.
pub(crate) struct Frame {
    start: Instant,
    pub(crate) notes: Notes,
    pub(crate) meter: Meter,
    outputs: Outputs,
}

impl Frame {
    /// Opens the outputs of a run that began at `start`, before anything is read. None of them may be the input.
    pub(crate) fn open(
        start: Instant,
        input: &Path,
        files: &Files<'_>,
        notes: Notes,
    ) -> Result<Frame, CliError> {
        Ok(Frame::of(start, Outputs::open(files, &Inputs::of([input]))?, notes))
    }

    /// Frame of a run that began at `start` and whose outputs are already open.
    pub(crate) fn of(start: Instant, outputs: Outputs, notes: Notes) -> Frame {
        Frame { start, notes, meter: Meter::new(notes.progress()), outputs }
    }

    /// Writes the drawing, if its file is open, and reports the time that it took.
    pub(crate) fn draw(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Duration, CliError> {
        let Some(geometry) = &mut self.outputs.geometry else { return Ok(Duration::ZERO) };
        self.meter.stage("drawing");
        let (written, took) = timed(|| geometry.fill(write));
        written.map(|()| took)
    }

    /// Writes the page about the run, if there is a file for it.
    pub(crate) fn report(&mut self, report: impl FnOnce() -> Report) -> Result<(), CliError> {
        let Some(sink) = &mut self.outputs.report else { return Ok(()) };
        self.meter.stage("reporting");
        sink.fill(|out| report().write(out))
    }

    /// Writes the picture, if requested, and reports the time that it took.
    pub(crate) fn plot(
        &mut self,
        picture: Option<Picture<'_>>,
        series: impl FnOnce() -> Series,
    ) -> Result<Duration, CliError> {
        let (Some(sink), Some(picture)) = (&mut self.outputs.picture, picture) else {
            return Ok(Duration::ZERO);
        };
        self.meter.stage("plotting");
        let (written, took) = timed(|| picture.put(sink, &series()));
        written.map(|()| took)
    }

    /// Writes the answer, and returns the time that it took.
    pub(crate) fn write(
        &mut self,
        write: impl FnOnce(&Meter, &mut dyn Write) -> io::Result<()>,
    ) -> Result<Duration, CliError> {
        self.meter.stage("writing");
        let (written, took) = timed(|| self.outputs.fill(|out| write(&self.meter, out)));
        written.map(|()| took)
    }

    /// Commits the file of the answer, so that it stays even if the run or its statistics fail later.
    pub(crate) fn commit_answer(&mut self) -> Result<(), CliError> {
        self.outputs.commit_answer()
    }

    /// Seconds since the run began.
    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Writes the statistics, if requested, and commits all files.
    pub(crate) fn finish(self, record: &impl Serialize) -> Result<(), CliError> {
        drop(self.meter);
        self.outputs.commit(record)
    }
}
