//! One input of `lacuna rips`: reading, computing, writing.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::time::Instant;

use hashbrown::HashMap;
use lacuna::Diagram;
use lacuna::backend::Backend;
use lacuna::internals::name_of;
use lacuna::metric::read::{Diagonal, Input, Loaded, name_of_cloud};
use lacuna::output::geometry::{CloudCoordinates, Geometry};
use lacuna::output::{Barcode, OutputFormat};
use lacuna::plot::Series;
use lacuna::report::Report;
use lacuna::rips::{DistanceToMeasure, Landmarks, Outcome, RepresentativeKind, RipsOptions, Summary};
use lacuna::snapshot::{Checkpoint, Fingerprint, Resumable};

use super::Arguments;
use crate::cli::arguments::bars::Drawing;
use crate::cli::arguments::picture::{Picture, title_of};
use crate::cli::batch::{Task, Tasks};
use crate::cli::error::{CliError, ended};
use crate::cli::interruption;
use crate::cli::long_run::LongRun;
use crate::cli::notes::{Notes, Times, counted, tell};
use crate::cli::outputs::Outputs;
use crate::cli::progress::Meter;
use crate::cli::record::{Record, VERSION};
use crate::cli::sink::Sink;
use crate::cli::threads;
use crate::cli::timing::timed;

/// Largest input, in bytes, that is processed by a single thread.
const SMALL: u64 = 256 << 10;

/// Settings shared by all inputs of a run.
pub(super) struct Job<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) weights: Option<DistanceToMeasure>,
    pub(super) backend: Backend,
    pub(super) format: OutputFormat,
    /// The drawing of cycles, if requested; only for a single input.
    pub(super) drawing: Option<Drawing<'a>>,
    /// The picture of the bars, if requested for each input.
    pub(super) picture: Option<Picture<'a>>,
    /// Whether bars are kept to draw those of all inputs into one picture.
    pub(super) is_kept: bool,
    pub(super) notes: Notes,
    /// Whether the run has several inputs, so that errors name this one.
    pub(super) is_batch: bool,
}

/// The threads that work on an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Crew {
    /// All threads of the pool.
    All,
    /// The current thread; others are started only if there turns out to be much to do.
    Late,
    /// The current thread, while other threads process other inputs. Messages are collected.
    One,
}

/// The result of one input.
pub(super) struct Answered {
    pub(super) record: Record,
    /// Messages that are still to be printed.
    pub(super) notes: Vec<String>,
    /// Bars, where they are drawn together with those of other inputs.
    pub(super) series: Option<Series>,
}

impl Job<'_> {
    /// Whether an input may be small enough to finish before threads have started. Only if the number of threads was
    /// not specified.
    pub(super) fn may_be_light(&self, task: &Task) -> bool {
        let is_small = fs::metadata(&task.input).is_ok_and(|found| found.is_file() && found.len() <= SMALL);
        is_small && !self.arguments.machine.threads.are_told() && !self.arguments.machine.insist_on_gpu()
    }

    /// Number of inputs processed in parallel, one a thread; `None` for one after another. Parallel if there are many
    /// small inputs and none for a device, and without -v and --explain, whose times assume an otherwise idle machine.
    pub(super) fn workers(&self, tasks: &Tasks) -> Option<usize> {
        let threads = rayon::current_num_threads();
        let are_told_of = self.notes.verbose || self.arguments.report.explain;
        let mut inputs_of: HashMap<&Path, u64> = HashMap::new();
        tasks.tasks.iter().for_each(|task| *inputs_of.entry(&task.input).or_default() += 1);
        let is_small = |(file, inputs): (&&Path, &u64)| {
            fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() / inputs <= SMALL)
        };
        let is_worth_it = tasks.tasks.len() >= threads && !are_told_of;
        let beside = is_worth_it && !self.arguments.machine.insist_on_gpu() && inputs_of.iter().all(is_small);
        beside.then_some(threads)
    }

    pub(super) fn run(
        &self,
        task: &Task,
        outputs: &mut Outputs,
        start: Instant,
        crew: Crew,
        long: Option<&LongRun>,
    ) -> Result<Answered, CliError> {
        let Job { arguments, notes, .. } = *self;
        let name = name(task);
        let mut kept = Vec::new();
        let mut say = |line: String| if crew == Crew::One { kept.push(line) } else { notes.note(line) };
        let (loaded, read) = timed(|| self.read(task, crew));
        let Loaded { input, format, detection, notes: said, .. } = loaded?;
        match (detection, task.number) {
            (Some(why), None) => say(format!("{name}: {format} ({why})")),
            // Inputs of one file have the same format.
            (Some(why), Some(0)) => say(format!("{name}: {format} ({why}), and others like it")),
            _ => {}
        }
        said.into_iter().for_each(|note| say(format!("{name}: {note}")));
        let coordinates = self.coordinates(&name, &input)?;
        // Without drawable coordinates, the page lacks the drawing.
        let reported = outputs.report.as_ref().and_then(|_| self.coordinates_of_report(&input));
        if let Some(long) = long {
            long.begin(|| self.fingerprint(&input))?;
        }
        let outcome = self.solve((&name, task.place), input, crew, long)?;
        if self.is_batch && outcome.unfinished.is_some() {
            // In a batch, a partial answer could be mistaken for a complete one.
            return Err(ended());
        }
        if let Some(dim) = outcome.unfinished {
            say(format!("{name}: the time is up: the bars are those of the dimensions below {dim}"));
        }
        outcome.notes.iter().for_each(|note| say(note.clone()));
        if arguments.report.explain {
            tell(&outcome.plan);
        }
        let (written, write) = timed(|| {
            self.write_bars(&outcome, &mut outputs.answer)?;
            if let (Some(picture), Some(sink)) = (self.picture, &mut outputs.picture) {
                picture.put(sink, &Series::of_diagram(name.as_str(), &self.diagram(&outcome)))?;
            }
            match (&coordinates, &mut outputs.geometry) {
                (Some(coordinates), Some(geometry)) => self.draw(&name, &outcome, coordinates, geometry),
                _ => Ok(0),
            }
        });
        let drawn = written?;
        if coordinates.is_some() && drawn == 0 {
            say(format!("{name}: no cycle to draw: none of the bars is of dimension 1 or 2"));
        }
        let times = Times { read, write, total: start.elapsed() };
        if let Some(sink) = &mut outputs.report {
            let report = self.report(&name, &format, &outcome, &times, reported.as_ref());
            sink.fill(|out| report.write(out))?;
        }
        if let (Some(landmarks), true) = (&outcome.landmarks, notes.verbose) {
            let Landmarks { points, of, covering_radius, .. } = landmarks;
            let count = counted(points.len(), "landmark");
            tell(format_args!("{count} of {of} points, covering radius {covering_radius}"));
        }
        notes.timings(&outcome.plan, &outcome.stats, &times);
        let series = self.is_kept.then(|| Series::of_diagram(title_of(&name), &self.diagram(&outcome)));
        let record = Record {
            version: VERSION,
            file: task.number.map_or_else(|| task.input.display().to_string(), |_| name),
            format: format.to_string(),
            backend: outcome.plan.backend_name().to_string(),
            threads: outcome.plan.threads,
            plan: outcome.plan,
            landmarks: outcome.landmarks,
            unfinished: outcome.unfinished,
            times: times.into(),
            stats: outcome.stats,
        };
        Ok(Answered { record, notes: kept, series })
    }

    fn read(&self, task: &Task, crew: Crew) -> Result<Loaded, CliError> {
        let diagonal = self.arguments.weights.diagonal();
        let read = || self.arguments.distances.read(&task.input, task.number, diagonal);
        // In a batch, results of other inputs must be saved before the program ends.
        let has_others = crew == Crew::One || self.is_batch && interruption::keeps_state();
        if has_others { read() } else { interruption::while_reading(read)? }
    }

    /// Coordinates for the drawing of cycles, if requested.
    fn coordinates(&self, name: &str, input: &Input) -> Result<Option<CloudCoordinates>, CliError> {
        if self.drawing.is_none() {
            return Ok(None);
        }
        let coordinates = CloudCoordinates::of(input, self.arguments.representatives.axes());
        coordinates.map(Some).map_err(|error| CliError::about(name, error))
    }

    /// Coordinates for the cycles on the page about the run, if cycles are requested and the points have two or three
    /// coordinates.
    fn coordinates_of_report(&self, input: &Input) -> Option<CloudCoordinates> {
        let request = self.arguments.representatives.request()?;
        let has_cycles = request.kinds.contains(&RepresentativeKind::Cycles);
        if has_cycles { CloudCoordinates::of(input, &[]).ok() } else { None }
    }

    /// Builds the page about the run.
    fn report(
        &self,
        name: &str,
        format: &impl Display,
        outcome: &Outcome,
        times: &Times,
        coordinates: Option<&CloudCoordinates>,
    ) -> Report {
        let diagram = self.diagram(outcome);
        let mut report = Report::new(title_of(name), &Series::of_diagram(name, &diagram));
        let Summary { points, ambient_dimension, value_range, edges, threshold, .. } = outcome.summary;
        report.fact("file", name).fact("format", format).fact("points", points);
        if let Some(dimension) = ambient_dimension {
            report.fact("coordinates", dimension);
        }
        if let Some((least, most)) = value_range {
            report.fact("distances", format_args!("{least} to {most}"));
        }
        report.fact("edges up to the threshold", edges).fact("threshold", threshold);
        report.fact("coefficients", format_args!("Z/{}", self.arguments.modulus)).plan(&outcome.plan);
        if let Some(Landmarks { points, of, covering_radius, .. }) = &outcome.landmarks {
            report.fact(
                "landmarks",
                format_args!("{} of {of}, covering radius {covering_radius}", points.len()),
            );
        }
        for (stage, seconds) in times.stages(&outcome.stats) {
            report.stage(stage, seconds);
        }
        // Leaving out bars with --ratio would shift the indices of the others.
        if let Some(representatives) = outcome.representatives().filter(|_| self.arguments.ratio <= 1.0) {
            report.representatives(representatives, coordinates);
        }
        report
    }

    /// Writes the drawing of the cycles; reports their number.
    fn draw(
        &self,
        name: &str,
        outcome: &Outcome,
        coordinates: &CloudCoordinates,
        out: &mut Sink,
    ) -> Result<usize, CliError> {
        let (Some(drawing), Some(representatives)) = (self.drawing, outcome.representatives()) else {
            return Ok(0);
        };
        let geometry = Geometry::of_cloud(representatives, coordinates);
        let geometry = geometry.map_err(|error| CliError::about(name, error))?;
        out.fill(|out| drawing.format.write(&geometry, out))?;
        Ok(geometry.cycles().len())
    }

    fn solve(
        &self,
        (name, place): Named<'_>,
        input: Input,
        crew: Crew,
        long: Option<&LongRun>,
    ) -> Result<Outcome, CliError> {
        let meter = if crew == Crew::One { Meter::silent() } else { Meter::new(self.notes.progress()) };
        if place.is_some() {
            meter.file(name.to_owned(), place);
        }
        let checkpoint: &dyn Checkpoint = match long {
            Some(long) => long.checkpoint(),
            None => &(),
        };
        let progress = &Resumable { progress: &meter, checkpoint };
        let options = self.options();
        let solved = match crew {
            Crew::All | Crew::One => options.solve(input, progress),
            Crew::Late => match options.prepare(input, progress) {
                Ok(prepared) if !prepared.is_light() => {
                    threads::start_late(self.notes)?.install(|| prepared.solve(progress))
                }
                prepared => prepared.and_then(|prepared| prepared.solve(progress)),
            },
        };
        solved.map_err(|error| if self.is_batch { CliError::about(name, error) } else { error.into() })
    }

    fn options(&self) -> RipsOptions {
        self.arguments.options(self.weights, self.backend.clone())
    }

    /// Fingerprint of the run: everything that its answer and saved state depend on.
    fn fingerprint(&self, input: &Input) -> Fingerprint {
        self.fingerprint_of(Fingerprint::new("rips").with("input", input.identity()))
    }

    /// Fingerprint of a batch: everything that the answers depend on except the inputs, which are identified one by
    /// one.
    pub(super) fn fingerprint_of_batch(&self) -> Fingerprint {
        let Arguments { ratio, representatives, .. } = self.arguments;
        let run = self.fingerprint_of(Fingerprint::new("rips of several inputs"));
        let run = self.arguments.distances.known_by(run);
        let run = run.with("--output", format!("{:?}", self.format).to_lowercase()).with("--ratio", ratio);
        run.with_some("--representatives", representatives.request().map(|request| format!("{request:?}")))
    }

    fn fingerprint_of(&self, run: Fingerprint) -> Fingerprint {
        let Arguments { max_dim, threshold, modulus, collapse, landmarks, .. } = *self.arguments;
        let threshold = threshold.map_or("the enclosing radius".to_owned(), |t| t.to_string());
        let is_diagonal = self.arguments.weights.diagonal() == Diagonal::Births;
        let weights = self.weights.map(|measure| format!("{measure:?}"));
        let weights = weights.or_else(|| is_diagonal.then(|| "diagonal".to_owned()));
        let run = run.with("--max-dim", max_dim).with("--threshold", threshold).with("--modulus", modulus);
        let run = run
            .with("--collapse", format!("{collapse:?}").to_lowercase())
            .with_some("--landmarks", landmarks);
        run.with_some("--weights", weights)
    }

    /// The bars that pass --ratio.
    fn diagram(&self, outcome: &Outcome) -> Diagram {
        outcome.diagram.with_ratio(self.arguments.ratio, outcome.summary.precision)
    }

    fn write_bars(&self, outcome: &Outcome, answer: &mut Sink) -> Result<(), CliError> {
        let modulus = self.arguments.modulus;
        let diagram = self.diagram(outcome);
        let (summary, landmarks) = (&outcome.summary, outcome.landmarks.as_ref());
        let representatives =
            outcome.representatives().filter(|_| self.arguments.representatives.are_named());
        let unfinished =
            outcome.unfinished.map(|first| (first..=outcome.plan.max_dim).collect::<Vec<usize>>());
        let unfinished = unfinished.as_deref().unwrap_or_default();
        let barcode = Barcode { diagram: &diagram, summary, modulus, landmarks, representatives, unfinished };
        answer.fill(|out| self.format.write(&barcode, out))
    }
}

/// Name of an input in messages, and its place in a batch.
type Named<'a> = (&'a str, Option<(usize, usize)>);

/// Name of an input in messages.
fn name(task: &Task) -> String {
    match task.number {
        None => name_of(&task.input),
        Some(number) => name_of_cloud(&task.input, number),
    }
}
