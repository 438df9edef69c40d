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
use super::outputs::{Inputs, Outputs};
use super::progress::Meter;
use super::sink::Content;
use super::timing::timed;

/// The files of a run.
#[derive(Debug)]
pub(crate) struct Files<'a> {
    /// Input, `-` for standard input.
    pub(crate) input: &'a Path,
    /// File of the answer; standard output when `None`.
    pub(crate) answer: Option<&'a Path>,
    /// Whether the answer is text or binary.
    pub(crate) content: Content,
    /// File of the statistics, if requested.
    pub(crate) stats: Option<&'a Path>,
}

/// State that a run holds from its beginning to its end.
pub(crate) struct Frame {
    start: Instant,
    pub(crate) notes: Notes,
    pub(crate) meter: Meter,
    outputs: Outputs,
}

impl Frame {
    /// Opens the outputs of a run that began at `start`, before anything is read. None of them may be the input.
    pub(crate) fn open(start: Instant, files: &Files<'_>, notes: Notes) -> Result<Frame, CliError> {
        let Files { input, answer, content, stats } = *files;
        let outputs = Outputs::open(answer, content, stats, &Inputs::of([input]))?;
        Ok(Frame::of(start, outputs, notes))
    }

    /// Frame of a run that began at `start` and whose outputs are already open.
    pub(crate) fn of(start: Instant, outputs: Outputs, notes: Notes) -> Frame {
        Frame { start, notes, meter: Meter::new(notes.progress()), outputs }
    }

    /// Opens the file of the drawing. It may be neither `input` nor another output.
    pub(crate) fn with_geometry(
        self,
        path: &Path,
        content: Content,
        input: &Path,
    ) -> Result<Frame, CliError> {
        let outputs = self.outputs.with_geometry(path, content, &Inputs::of([input]))?;
        Ok(Frame { outputs, ..self })
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

    /// Opens the file of the picture, if requested. It may be neither `input` nor another output.
    pub(crate) fn with_picture(self, picture: Option<Picture<'_>>, input: &Path) -> Result<Frame, CliError> {
        let outputs = self.outputs.with_picture(picture, &Inputs::of([input]))?;
        Ok(Frame { outputs, ..self })
    }

    /// Opens the file of the page about the run, if requested. It may be neither `input` nor another output.
    pub(crate) fn with_report(self, path: Option<&Path>, input: &Path) -> Result<Frame, CliError> {
        let outputs = self.outputs.with_report(path, &Inputs::of([input]))?;
        Ok(Frame { outputs, ..self })
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
