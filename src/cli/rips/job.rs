//! One input of `lacuna rips`: read, computed, written.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::time::Instant;

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
use crate::cli::error::{CliError, EndedEarly};
use crate::cli::interruption;
use crate::cli::long_run::LongRun;
use crate::cli::notes::{Notes, Times, counted, tell};
use crate::cli::progress::Meter;
use crate::cli::record::{Record, VERSION};
use crate::cli::sink::Sink;
use crate::cli::threads;
use crate::cli::timing::timed;

/// The most bytes of an input that is left to one thread.
const SMALL: u64 = 256 << 10;

/// What all inputs share.
pub(super) struct Job<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) weights: Option<DistanceToMeasure>,
    pub(super) backend: Backend,
    pub(super) format: OutputFormat,
    /// What is drawn, if anything is: of a run on one input alone.
    pub(super) drawing: Option<Drawing<'a>>,
    /// The picture of the bars, if one is wanted of each input.
    pub(super) picture: Option<Picture<'a>>,
    /// Whether the bars of all inputs are to be drawn into one picture.
    pub(super) is_kept: bool,
    pub(super) notes: Notes,
    /// Whether there are other inputs, so that errors name this one.
    pub(super) is_batch: bool,
}

/// Where goes what is wanted beside the bars.
#[derive(Debug, Default)]
pub(super) struct Beside<'a> {
    pub(super) geometry: Option<&'a mut Sink>,
    pub(super) picture: Option<&'a mut Sink>,
    pub(super) report: Option<&'a mut Sink>,
}

/// Which threads an input is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Crew {
    /// All that have been started.
    All,
    /// This thread alone, and others only when it turns out that there is much to do.
    Late,
    /// This thread alone, while other threads have other inputs. What is to be said is kept.
    One,
}

/// An input that has been answered.
pub(super) struct Answered {
    pub(super) record: Record,
    /// Notes that are still to be said.
    pub(super) notes: Vec<String>,
    /// The bars, where they are drawn with those of others.
    pub(super) series: Option<Series>,
}

impl Job<'_> {
    /// Whether an input may be so light that it is done before threads have started. Nobody must have said how many they are to be.
    pub(super) fn may_be_light(&self, task: &Task) -> bool {
        let is_small = fs::metadata(&task.input).is_ok_and(|found| found.is_file() && found.len() <= SMALL);
        is_small && !self.arguments.machine.threads.are_told() && !self.arguments.machine.insist_on_gpu()
    }

    /// How many inputs are done side by side, one a thread, if they are: if there are many, all of them small, none of which a device is to do.
    /// What -v and --explain say is of inputs that have the machine for themselves.
    pub(super) fn workers(&self, tasks: &Tasks) -> Option<usize> {
        let threads = rayon::current_num_threads();
        let are_told_of = self.notes.verbose || self.arguments.report.messages.explain;
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
        answer: &mut Sink,
        beside: Beside<'_>,
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
            // Those of one file are alike.
            (Some(why), Some(0)) => say(format!("{name}: {format} ({why}), and others like it")),
            _ => {}
        }
        said.into_iter().for_each(|note| say(format!("{name}: {note}")));
        let coordinates = self.coordinates(&name, &input)?;
        // What has no coordinates to draw in has a page without them.
        let reported = beside.report.as_ref().and_then(|_| self.coordinates_of_report(&input));
        if let Some(long) = long {
            long.begin(|| self.fingerprint(&input))?;
        }
        let outcome = self.solve((&name, task.place), input, crew, long)?;
        if self.is_batch && outcome.unfinished.is_some() {
            // Among the answers of many inputs one that is partial would be taken for whole.
            return Err(EndedEarly::now().into());
        }
        if let Some(dim) = outcome.unfinished {
            say(format!("{name}: the time is up: the bars are those of the dimensions below {dim}"));
        }
        outcome.notes.iter().for_each(|note| say(note.clone()));
        if arguments.report.messages.explain {
            tell(&outcome.plan);
        }
        let (written, write) = timed(|| {
            self.write_bars(&outcome, answer)?;
            if let (Some(picture), Some(sink)) = (self.picture, beside.picture) {
                picture.put(sink, &Series::of_diagram(name.as_str(), &self.diagram(&outcome)))?;
            }
            match (&coordinates, beside.geometry) {
                (Some(coordinates), Some(geometry)) => self.draw(&name, &outcome, coordinates, geometry),
                _ => Ok(0),
            }
        });
        let drawn = written?;
        if coordinates.is_some() && drawn == 0 {
            say(format!("{name}: no cycle to draw: none of the bars is of dimension 1 or 2"));
        }
        let times = Times { read, write, total: start.elapsed() };
        if let Some(sink) = beside.report {
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
        // Where there are others, what is done of them is saved first.
        let has_others = crew == Crew::One || self.is_batch && interruption::keeps_state();
        if has_others { read() } else { interruption::while_reading(read)? }
    }

    /// Where points are drawn, if they are.
    fn coordinates(&self, name: &str, input: &Input) -> Result<Option<CloudCoordinates>, CliError> {
        if self.drawing.is_none() {
            return Ok(None);
        }
        let coordinates = CloudCoordinates::of(input, self.arguments.representatives.axes());
        coordinates.map(Some).map_err(|error| CliError::about(name, error))
    }

    /// Where the page about the run draws points, if it is to have cycles and the points lie in the plane or in space.
    fn coordinates_of_report(&self, input: &Input) -> Option<CloudCoordinates> {
        let request = self.arguments.representatives.request()?;
        let has_cycles = request.kinds.contains(&RepresentativeKind::Cycles);
        if has_cycles { CloudCoordinates::of(input, &[]).ok() } else { None }
    }

    /// The page about the run.
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
        // Bars that --ratio leaves out would move the places of the others.
        if let Some(representatives) = outcome.representatives().filter(|_| self.arguments.ratio <= 1.0) {
            report.representatives(representatives, coordinates);
        }
        report
    }

    /// Writes the cycles as they are drawn; tells how many they are.
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

    /// The run by what its answer depends on, and its state.
    fn fingerprint(&self, input: &Input) -> Fingerprint {
        self.fingerprint_of(Fingerprint::new("rips").with("input", input.identity()))
    }

    /// The run on a batch by what its answers depend on but for the inputs, of which each is known by itself.
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

    /// The bars that are wanted.
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

/// What messages call an input, and its place in a batch.
type Named<'a> = (&'a str, Option<(usize, usize)>);

/// What messages call an input.
fn name(task: &Task) -> String {
    match task.number {
        None => name_of(&task.input),
        Some(number) => name_of_cloud(&task.input, number),
    }
}
