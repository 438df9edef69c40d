//! One input of `lacuna rips`: reading, computing, writing.

use lacuna::Diagram;
use lacuna::backend::Backend;
use lacuna::internals::{Alone, Ranks, take_part};
use lacuna::metric::read::{Input, Loaded, Problem};
use lacuna::output::geometry::{CloudCoordinates, Geometry};
use lacuna::output::{Barcode, OutputFormat};
use lacuna::plot::Series;
use lacuna::progress::Resumable;
use lacuna::report::Report;
use lacuna::rips::{CollapseStats, DistanceToMeasure, Landmarks, Outcome, Plan, Stats, Summary};

use super::Arguments;
use crate::cli::arguments::bars::Drawing;
use crate::cli::batch::Task;
use crate::cli::error::{CliError, Result, ended};
use crate::cli::frame::Frame;
use crate::cli::notes::counted;
use crate::cli::ranks::{self, ranks};
use crate::cli::record::Record;
use crate::cli::run::Run;
use crate::cli::threads;

/// Settings shared by all inputs of a run.
pub(super) struct Job<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) weights: Option<DistanceToMeasure>,
    pub(super) backend: Backend,
    pub(super) format: OutputFormat,
    /// The drawing of cycles, if requested; only for a single input.
    pub(super) drawing: Option<Drawing<'a>>,
}

impl Job<'_> {
    pub(super) fn run(&self, run: &Run<'_>, task: &Task, frame: &mut Frame<'_>) -> Result<()> {
        let Arguments { distances, weights, representatives, .. } = self.arguments;
        // Of several inputs, each rank takes some; it shares a single one with the others.
        let ranks: &dyn Ranks = if frame.batch.is_some() { &Alone } else { ranks() };
        if ranks.rank() > 0 {
            return Ok(take_part(ranks, &self.backend)?);
        }
        let read = |_: &_| distances.read(&task.input, task.number, weights.diagonal());
        let Loaded { input, format, detection, notes, .. } = frame.read(read)??;
        frame.detected(detection.map(|why| format!("{format} ({why})")));
        let name = frame.name.clone();
        notes.iter().for_each(|note| frame.note(format_args!("{name}: {note}")));
        let coordinates = self.coordinates(&input).map_err(|error| CliError::about(&name, error))?;
        run.begin(&|| Ok(input.identity()))?;
        let outcome = self.solve(run, ranks, input, frame)?;
        fill(&mut frame.record, format.to_string(), &outcome);
        if frame.batch.is_none() {
            ranks::fill(&mut frame.record);
        }
        if let Some(dim) = outcome.unfinished {
            if frame.batch.is_some() {
                // In a batch, a partial answer could be mistaken for a complete one.
                return Err(ended());
            }
            frame.is_unfinished = true;
            frame.note(format_args!(
                "{name}: the time is up: the bars are those of the dimensions below {dim}"
            ));
        }
        outcome.notes.iter().for_each(|note| frame.note(note));
        if self.arguments.run.report.explain {
            frame.tell(&outcome.plan);
        }
        let diagram = outcome.diagram.with_ratio(self.arguments.ratio, outcome.summary.precision);
        self.write_bars(&outcome, &diagram, frame)?;
        if let (Some(drawing), Some(found), Some(coordinates)) =
            (self.drawing, outcome.representatives(), &coordinates)
        {
            let geometry = Geometry::of_cloud(found, coordinates);
            frame.draw(drawing, &geometry.map_err(|error| CliError::about(&name, error))?)?;
        }
        if frame.notes.verbose {
            outcome.landmarks.iter().for_each(|landmarks| frame.tell(described(landmarks)));
            let Plan { points, max_dim, asked_dim, .. } = outcome.plan;
            if max_dim < asked_dim {
                let had = format!("{points} points have no more");
                frame.tell(format_args!("dimension {asked_dim} asked, {max_dim} computed: {had}"));
            }
        }
        frame.show(
            |name| Ok(Series::of_diagram(name, &diagram)),
            |page| {
                self.describe(page, &format.to_string(), &outcome);
                // Leaving out bars with --ratio would shift the indices of the others.
                if let Some(found) = outcome.representatives().filter(|_| self.arguments.ratio <= 1.0) {
                    let has_cycles = representatives.wants_cycles();
                    page.representatives(found, coordinates.as_ref().filter(|_| has_cycles));
                }
            },
        )
    }

    /// Coordinates for the drawing of cycles, if requested, or for the page about the run, if cycles are requested and
    /// the points have two or three coordinates.
    fn coordinates(&self, input: &Input) -> Result<Option<CloudCoordinates>, Problem> {
        let representatives = &self.arguments.representatives;
        if self.drawing.is_some() {
            return CloudCoordinates::of(input, &representatives.geometry_axes).map(Some);
        }
        let is_on_page = self.arguments.picture.file.report.is_some() && representatives.wants_cycles();
        Ok(if is_on_page { CloudCoordinates::of(input, &[]).ok() } else { None })
    }

    /// Adds to the page about the run.
    fn describe(&self, page: &mut Report, format: &str, outcome: &Outcome) {
        let Summary { points, ambient_dimension, value_range, edges, threshold, .. } = outcome.summary;
        page.fact("format", format).fact("points", points);
        ambient_dimension.iter().for_each(|dimension| _ = page.fact("coordinates", dimension));
        if let Some((least, most)) = value_range {
            page.fact("distances", format_args!("{least} to {most}"));
        }
        page.fact("edges up to the threshold", edges).fact("threshold", threshold);
        page.fact("coefficients", format_args!("Z/{}", self.arguments.modulus)).plan(&outcome.plan);
        outcome.landmarks.iter().for_each(|landmarks| _ = page.fact("landmarks", described(landmarks)));
    }

    fn solve(&self, run: &Run<'_>, ranks: &dyn Ranks, input: Input, frame: &Frame<'_>) -> Result<Outcome> {
        let progress = &Resumable { progress: &frame.meter, checkpoint: frame.checkpoint };
        let options = self.arguments.options(self.weights, self.backend.clone());
        let solved = match options.prepare(input, ranks, progress) {
            Ok(prepared) if run.is_light() && !prepared.is_light() => {
                threads::start_late(frame.notes)?.install(|| prepared.solve_with(ranks, progress))
            }
            prepared => prepared.and_then(|prepared| prepared.solve_with(ranks, progress)),
        };
        let is_batch = frame.batch.is_some();
        solved.map_err(|error| if is_batch { CliError::about(&frame.name, error) } else { error.into() })
    }

    fn write_bars(&self, outcome: &Outcome, diagram: &Diagram, frame: &mut Frame<'_>) -> Result<()> {
        let Arguments { modulus, representatives, .. } = self.arguments;
        let unfinished =
            outcome.unfinished.map(|first| (first..=outcome.plan.max_dim).collect::<Vec<usize>>());
        let barcode = Barcode {
            diagram,
            summary: &outcome.summary,
            modulus: *modulus,
            landmarks: outcome.landmarks.as_ref(),
            representatives: outcome.representatives().filter(|_| representatives.are_named()),
            unfinished: unfinished.as_deref().unwrap_or_default(),
        };
        frame.write(|_, out| self.format.write(&barcode, out))
    }
}

fn described(landmarks: &Landmarks) -> String {
    let Landmarks { points, of, covering_radius, .. } = landmarks;
    format!("{} of {of} points, covering radius {covering_radius}", counted(points.len(), "landmark"))
}

/// Fills in the statistics of an input.
///
/// | key | value |
/// |---|---|
/// | `version` | of the program |
/// | `file`, `format` | the input, and what it was read as |
/// | `ranks`, `traffic` | how many processes took part, and what process 0 exchanged with them ([`Traffic`](lacuna::internals::Traffic)), if there were several |
/// | `backend`, `threads` | what did the work |
/// | `plan` | the choices, as `--explain` prints them; a `threshold` of `null` is infinity |
/// | `landmarks` | `null` without `--landmarks`; else their `points`, 0-based, `of` how many they are, and the `covering_radius`, `null` for infinity |
/// | `unfinished` | the first dimension that was not done when `--time-limit` was up; missing if all are |
/// | `read_seconds`, `write_seconds`, `total_seconds` | input file to distances; bars to output; the whole run, up to this file |
/// | `rank_seconds`, `components_seconds` | distances to ranks; pairs of dimension 0 |
/// | `collapse` | `null` where no edge was tried; else edges `before`, how many were `tried`, the last first, and `after`, how many of these are `shifted` to a greater distance, `seconds`, the last dimension `ordered` by computing it again (`null`: none), and `order_seconds` for that |
/// | `dimensions` | counts and times of each dimension from 1 up: [`lacuna::rips::DimensionStats`] |
/// | `device_memory` | the most that was in use of a device, in bytes; 0 without |
fn fill(record: &mut Record, format: String, outcome: &Outcome) {
    let Outcome { plan, landmarks, unfinished, stats, .. } = outcome;
    record.set("format", format).set("backend", plan.backend_name()).set("threads", plan.threads);
    record.set("plan", plan).set("landmarks", landmarks);
    unfinished.iter().for_each(|dim| _ = record.set("unfinished", dim));
    let Stats { rank_seconds, components_seconds, collapse, dimensions, .. } = stats;
    record.set("dimensions", dimensions).set("rank_seconds", rank_seconds).set("collapse", collapse);
    record.set("components_seconds", components_seconds).set("device_memory", stats.device_memory);
    record.stage("rank", *rank_seconds, "");
    if let Some(collapse) = collapse {
        let CollapseStats { before, after, .. } = *collapse;
        record.stage("collapse", collapse.seconds, format!(", {after} of {} left", counted(before, "edge")));
        if let Some(dim) = collapse.ordered {
            record.stage("order", collapse.order_seconds, format!(", to dimension {dim}"));
        }
    }
    record.stage("dimension 0", *components_seconds, "");
    for stats in dimensions {
        let always = [("assembly", stats.assembly_seconds), ("reduction", stats.reduction_seconds)];
        let wanted =
            [("representatives", stats.representatives_seconds), ("tightening", stats.tightening_seconds)];
        let wanted = wanted.into_iter().filter(|&(_, seconds)| seconds > 0.0);
        for (stage, seconds) in always.into_iter().chain(wanted) {
            record.stage(format!("dimension {} {stage}", stats.dim), seconds, "");
        }
    }
}
