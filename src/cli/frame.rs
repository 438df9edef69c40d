//! The frame of the work on one input: its clock, messages, progress, outputs and statistics.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use lacuna::internals::name_of;
use lacuna::output::geometry::Geometry;
use lacuna::plot::Series;
use lacuna::report::Report;
use lacuna::snapshot::Checkpoint;

use super::arguments::bars::Drawing;
use super::ending;
use super::error::Result;
use super::locked;
use super::notes::{Notes, tell};
use super::outputs::{Files, Inputs, Outputs};
use super::progress::Meter;
use super::record::Record;
use super::sink::Sink;
use super::stop_request;

/// State of the work on an input, from its beginning to its end.
pub(crate) struct Frame<'a> {
    /// Name of the input in messages.
    pub(crate) name: String,
    pub(crate) notes: Notes,
    pub(crate) meter: Meter,
    pub(crate) record: Record,
    /// Where the state of the computation is saved.
    pub(crate) checkpoint: &'a dyn Checkpoint,
    /// The state of the batch, if the input is in one.
    pub(crate) batch: Option<InBatch<'a>>,
    /// Whether the answer lacks a part, because the run was asked to end.
    pub(crate) is_unfinished: bool,
    start: Instant,
    outputs: Outputs,
    /// The result, where it is drawn together with those of other inputs.
    pub(crate) series: Option<Series>,
}

/// The work on an input of a batch.
pub(crate) struct InBatch<'a> {
    /// The formats detected so far, which are not reported again.
    pub(crate) detected: &'a Mutex<Vec<String>>,
    /// Messages that are to be printed later, where the input is processed by one thread beside others.
    pub(crate) messages: Option<Vec<Message>>,
    /// Whether the result is drawn together with those of other inputs.
    pub(crate) keeps_series: bool,
}

/// A message that is to be printed later.
pub(crate) enum Message {
    Line(String),
    /// The name of an input, and the format that was detected.
    Detected(String, String),
}

/// The results of the work on an input that are still to be reported.
pub(crate) struct Done {
    pub(crate) record: Record,
    /// Messages that are still to be printed.
    pub(crate) messages: Vec<Message>,
    pub(crate) series: Option<Series>,
}

/// Reports the detected format of an input, in a batch only for the first of each format.
pub(crate) fn tell_detected(notes: Notes, detected: &Mutex<Vec<String>>, name: &str, found: String) {
    let mut detected = locked(detected);
    if !detected.contains(&found) {
        notes.note(format_args!("{name}: {found}, and others like it"));
        detected.push(found);
    }
}

impl<'a> Frame<'a> {
    /// Opens the outputs of a run on one input, before anything is read. None of them may be the input.
    pub(crate) fn open(start: Instant, input: &Path, files: Files<'_>, notes: Notes) -> Result<Self> {
        let outputs = Outputs::open(files, &Inputs::of([input]))?;
        let meter = Meter::new(notes);
        Ok(Frame::of(start, name_of(input), input.display().to_string(), outputs, notes, meter))
    }

    /// The frame of the work on an input that began at `start` and whose outputs are open; statistics call it `file`.
    pub(crate) fn of(
        start: Instant,
        name: String,
        file: String,
        outputs: Outputs,
        notes: Notes,
        meter: Meter,
    ) -> Self {
        let mut record = Record::new();
        record.set("file", file);
        let (checkpoint, batch, series) = (&(), None, None);
        Frame { name, notes, meter, record, checkpoint, batch, is_unfinished: false, start, outputs, series }
    }

    /// Whether all threads work on this input, and not each on one of its own.
    pub(crate) fn is_alone(&self) -> bool {
        self.batch.as_ref().is_none_or(|batch| batch.messages.is_none())
    }

    /// Prints a line, unless quiet.
    pub(crate) fn note(&mut self, line: impl Display) {
        if !self.notes.quiet {
            self.tell(line);
        }
    }

    /// Prints a warning, unless quiet.
    pub(crate) fn warn(&self, line: impl Display) {
        self.meter.aside(|| self.notes.warn(line));
    }

    /// Prints a line that was asked for.
    pub(crate) fn tell(&mut self, line: impl Display) {
        match self.batch.as_mut().and_then(|batch| batch.messages.as_mut()) {
            Some(messages) => messages.push(Message::Line(line.to_string())),
            None => self.meter.aside(|| tell(line)),
        }
    }

    /// Reports the format of the input. `found` is the detected format and the reason; `None` if the format was given.
    pub(crate) fn detected(&mut self, found: Option<impl Display>) {
        let Some(found) = found else { return };
        let (name, notes, found) = (&self.name, self.notes, found.to_string());
        match &mut self.batch {
            Some(InBatch { messages: Some(messages), .. }) => {
                messages.push(Message::Detected(name.clone(), found));
            }
            Some(batch) => self.meter.aside(|| tell_detected(notes, batch.detected, name, found)),
            None => self.note(format!("{}: {found}", self.name)),
        }
    }

    /// Reads the input, or a part of it. If the time is up meanwhile, the program ends at once, unless results of other
    /// inputs must be saved before.
    pub(crate) fn read<T>(&mut self, read: impl FnOnce(&Meter) -> T) -> Result<T> {
        self.meter.stage("reading");
        let has_others = !self.is_alone() || self.batch.is_some() && stop_request::keeps_state();
        let read = || read(&self.meter);
        let read = || if has_others { Ok(read()) } else { ending::while_reading(read) };
        self.record.timed("read", read)
    }

    /// Writes the answer.
    pub(crate) fn write(
        &mut self,
        write: impl FnOnce(&Meter, &mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let Frame { meter, outputs, record, .. } = self;
        meter.stage("writing");
        if matches!(outputs.answer, Sink::Stdout) {
            // The answer and a bar would mix on one terminal.
            meter.hide_bar();
        }
        record.timed("write", || outputs.answer.fill(|out| write(meter, out)))
    }

    /// Writes the drawing of cycles.
    pub(crate) fn draw(&mut self, drawing: Drawing<'_>, geometry: &Geometry) -> Result<()> {
        let Some(sink) = &mut self.outputs.geometry else { return Ok(()) };
        self.meter.stage("drawing");
        self.record.timed("write", || sink.fill(|out| drawing.format.write(geometry, out)))?;
        if geometry.cycles().is_empty() {
            self.note(format!("{}: no cycle to draw: none of the bars is of dimension 1 or 2", self.name));
        }
        Ok(())
    }

    /// Writes the graph of the skeleton.
    pub(crate) fn write_graph(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let Some(sink) = &mut self.outputs.graph else { return Ok(()) };
        self.meter.stage("writing");
        self.record.timed("write", || sink.fill(write))
    }

    /// Draws the picture of the result, if requested, prints the times, and writes the page about the run, which
    /// `describe` adds to.
    pub(crate) fn show(
        &mut self,
        series: impl FnOnce(String) -> Result<Series>,
        describe: impl FnOnce(&mut Report),
    ) -> Result<()> {
        let keeps_series = self.batch.as_ref().is_some_and(|batch| batch.keeps_series);
        if self.outputs.picture.is_none() && self.outputs.page.is_none() && !keeps_series {
            self.tell_times();
            return Ok(());
        }
        let title = Path::new(&self.name).file_name().map(|last| last.to_string_lossy().into_owned());
        let title = title.unwrap_or_else(|| self.name.clone());
        let series = series(title.clone())?;
        if let Some((picture, sink)) = &mut self.outputs.picture {
            self.meter.stage("plotting");
            self.record.timed("write", || picture.put(sink, std::slice::from_ref(&series)))?;
        }
        self.tell_times();
        if let Some(sink) = &mut self.outputs.page {
            self.meter.stage("reporting");
            let mut report = Report::new(title, &series);
            report.fact("file", &self.name);
            describe(&mut report);
            self.record.describe(&mut report);
            sink.fill(|out| report.write(out))?;
        }
        self.series = keeps_series.then_some(series);
        Ok(())
    }

    /// Takes the time of the whole work and, if verbose, prints the times of all stages.
    pub(crate) fn tell_times(&mut self) {
        self.record.time("total", self.start.elapsed());
        if self.notes.verbose {
            let lines: Vec<String> = self.record.lines().collect();
            lines.iter().for_each(|line| self.tell(line));
        }
    }

    /// Commits the files of the answer and of the graph, so that they stay even if the run or its statistics fail
    /// later.
    pub(crate) fn commit_answer(&mut self) -> Result<()> {
        std::mem::replace(&mut self.outputs.answer, Sink::Stdout).commit()?;
        self.outputs.graph.take().map_or(Ok(()), Sink::commit)
    }

    /// Writes the statistics, if requested, and commits all files.
    pub(crate) fn finish(self) -> Result<Done> {
        let Frame { meter, record, outputs, batch, series, .. } = self;
        drop(meter);
        outputs.commit(&record)?;
        let messages = batch.and_then(|batch| batch.messages).unwrap_or_default();
        Ok(Done { record, messages, series })
    }
}
