//! `lacuna rips`: the barcode of a Vietoris–Rips filtration.

use std::path::PathBuf;
use std::time::Instant;

use lacuna::backend::Backend;
use lacuna::internals::name_of;
use lacuna::metric::read::Loaded;
use lacuna::output::{self, Barcode};
use lacuna::rips::{Collapse, DistanceToMeasure, Landmarks, Outcome, RipsOptions, SecondLayer};

use super::arguments::distances::DistancesArguments;
use super::arguments::machine::MachineArguments;
use super::arguments::report::ReportArguments;
use super::arguments::weights::WeightsArguments;
use super::batch::{Task, Tasks, tell_stats};
use super::error::CliError;
use super::exit_codes::EXIT_CODES;
use super::naming::OutputFormat;
use super::notes::{Notes, Times, counted, tell};
use super::outputs::Outputs;
use super::parse;
use super::progress::Meter;
use super::record::{Record, Records, VERSION};
use super::sink::Sink;
use super::timing::timed;

/// Barcode of the Vietoris–Rips filtration of a distance matrix or point cloud
///
/// The bars go to standard output, everything else to standard error. The text is that of Ripser 1.2.1.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"), after_help = EXAMPLES)]
#[command(mut_arg("stats", |arg| arg.help("Write counts and times of every dimension to FILE, as JSON")))]
#[command(mut_arg("explain", |arg| arg.help("Say on standard error what was chosen (widths, shape, pair store, threads) and why")))]
pub(crate) struct Arguments {
    /// Input files, `-` for standard input; of a directory, its files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    distances: DistancesArguments,

    /// Highest homology dimension, cut to the number of points less 2
    #[arg(long, visible_alias = "dim", value_name = "K", help_heading = "Filtration", default_value = "1",
        value_parser = parse::dimension, allow_hyphen_values = true)]
    max_dim: usize,

    /// Greatest diameter: a number, or inf for the whole filtration [default: enclosing radius]
    ///
    /// Past the enclosing radius, the smallest r such that some point is within r of all others, no bar is born or
    /// dies. Lists of edges have none and are taken whole.
    #[arg(long, value_name = "T", help_heading = "Filtration",
        value_parser = parse::threshold, allow_hyphen_values = true)]
    threshold: Option<f64>,

    /// Coefficients in Z/P, P a prime below 65536
    #[arg(long, value_name = "P", help_heading = "Filtration", default_value = "2",
        value_parser = parse::modulus, allow_hyphen_values = true)]
    modulus: u16,

    /// Take K points for all, each farthest from those before it, beginning with the first; as ripser.py's n_perm
    ///
    /// The greatest distance of a point to the nearest landmark, the covering radius, is in JSON and statistics, and -v says it.
    /// Bars of a metric space move by twice that at most. Lists of edges have no landmarks.
    #[arg(long, value_name = "K", help_heading = "Filtration",
        value_parser = parse::at_least_one, allow_hyphen_values = true)]
    landmarks: Option<usize>,

    #[command(flatten)]
    weights: WeightsArguments,

    #[command(flatten)]
    machine: MachineArguments,

    /// Whether edges are left out first without which the bars are the same: much less work where neighbourhoods overlap a lot
    ///
    /// The bars and their order do not change. Counts in --stats are those of the collapsed graph.
    #[arg(long, value_name = "WHEN", help_heading = "Computation", default_value = "off",
        value_parser = parse::one_of::<Collapse>())]
    collapse: Collapse,

    /// How apparent pairs are looked up: recomputed, which takes no memory, or kept sorted
    #[arg(long, value_name = "LAYER", help_heading = "Computation", default_value = "implicit",
        value_parser = parse::one_of::<SecondLayer>())]
    pair_store: SecondLayer,

    /// Format of the bars [default: by the name of FILE (.txt, .csv, .json, .npy), else text]
    ///
    /// text  as Ripser prints them
    /// csv   a line a bar: dim,birth,death; essential bars die at inf
    /// json  {"points", "modulus", "threshold", "max_dim", "bars": [...]},
    ///       a bar is {"dim", "birth", "death"}; null stands for infinity
    /// npy   NumPy array of doubles, a row a bar: dim, birth, death
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<output::OutputFormat>(), verbatim_doc_comment)]
    output: Option<output::OutputFormat>,

    /// Write the bars to FILE; or those of several inputs into DIR, each by its input's name and the format's
    ///
    /// Files are replaced as a whole, when their bars are known.
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    output_file: Option<PathBuf>,

    /// Above dimension 0, leave out finite bars whose death is not above R times their birth; R is 1 or more
    #[arg(long, value_name = "R", help_heading = "Output", default_value = "1",
        value_parser = parse::ratio, allow_hyphen_values = true)]
    ratio: f64,

    #[command(flatten)]
    report: ReportArguments,
}

const EXAMPLES: &str = "\
Examples:
  lacuna rips --max-dim 2 distances.txt
  lacuna rips --threshold 1.5 -o bars.csv points.txt
  lacuna rips --output json -o bars/ monday.txt tuesday.txt
  lacuna rips --max-dim 3 --threads 4 --explain --stats stats.json points.npy
  gunzip -c edges.gz | lacuna rips --format sparse --modulus 3 -";

/// Reads, computes, writes, input by input.
pub(crate) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let start = Instant::now();
    let notes = arguments.report.messages.notes();
    let weights = arguments.weights.measure()?;
    let backend = arguments.machine.backend();
    let path = arguments.output_file.as_deref();
    let (tasks, format) =
        Tasks::plan(&arguments.files, path, arguments.output, output::OutputFormat::Text, notes)?;
    let (inputs, stats) = (&tasks.inputs, arguments.report.stats.path());
    let job = Job { arguments, weights, backend, format, notes };
    if let Some(task) = tasks.only() {
        let mut outputs = Outputs::open(task.output.as_deref(), format.content(), stats, inputs)?;
        arguments.machine.threads.start(notes)?;
        let record = job.run(task, &mut outputs.answer, start)?;
        return outputs.commit(&record);
    }
    let stats = tasks.open_stats(stats)?;
    arguments.machine.threads.start(notes)?;
    let ran = tasks.run(|task| {
        let start = Instant::now();
        let mut answer = tasks.open_answer(task, format.content(), stats.as_ref())?;
        let record = job.run(task, &mut answer, start)?;
        answer.commit().map(|()| record)
    })?;
    tell_stats(stats, &Records::new(&ran, start))?;
    ran.verdict()
}

/// What all inputs share.
struct Job<'a> {
    arguments: &'a Arguments,
    weights: Option<DistanceToMeasure>,
    backend: Backend,
    format: output::OutputFormat,
    notes: Notes,
}

impl Job<'_> {
    fn run(&self, task: &Task, answer: &mut Sink, start: Instant) -> Result<Record, CliError> {
        let Job { arguments, notes, .. } = *self;
        let (loaded, read) = timed(|| arguments.distances.read(&task.input, arguments.weights.diagonal()));
        let Loaded { input, format, detection, notes: said, .. } = loaded?;
        if let Some(why) = detection {
            notes.note(format_args!("{}: {format} ({why})", name_of(&task.input)));
        }
        said.iter().for_each(|note| notes.note(format_args!("{}: {note}", name_of(&task.input))));
        let meter = Meter::new(notes.wants_progress());
        let outcome = arguments.options(self.weights, self.backend.clone()).solve(input, &meter)?;
        drop(meter);
        outcome.notes.iter().for_each(|note| notes.note(note));
        if arguments.report.messages.explain {
            tell(&outcome.plan);
        }
        let (written, write) = timed(|| arguments.write_bars(&outcome, self.format, answer));
        written?;
        if let (Some(landmarks), true) = (&outcome.landmarks, notes.verbose) {
            let Landmarks { points, of, covering_radius, .. } = landmarks;
            tell(format_args!(
                "{} of {of} points, covering radius {covering_radius}",
                counted(points.len(), "landmark")
            ));
        }
        let times = Times { read, write, total: start.elapsed() };
        notes.timings(&outcome.plan, &outcome.stats, &times);
        Ok(Record {
            version: VERSION,
            file: task.input.display().to_string(),
            format: format.to_string(),
            backend: outcome.plan.backend_name().to_string(),
            threads: outcome.plan.threads,
            plan: outcome.plan,
            landmarks: outcome.landmarks,
            times: times.into(),
            stats: outcome.stats,
        })
    }
}

impl Arguments {
    fn options(&self, weights: Option<DistanceToMeasure>, backend: Backend) -> RipsOptions {
        RipsOptions {
            max_dim: self.max_dim,
            threshold: self.threshold,
            modulus: self.modulus.into(),
            pair_store: self.pair_store,
            collapse: self.collapse,
            weights,
            landmarks: self.landmarks,
            backend,
        }
    }

    fn write_bars(
        &self,
        outcome: &Outcome,
        format: output::OutputFormat,
        answer: &mut Sink,
    ) -> Result<(), CliError> {
        let diagram = outcome.diagram.with_ratio(self.ratio, outcome.summary.precision);
        let landmarks = outcome.landmarks.as_ref();
        let barcode =
            Barcode { diagram: &diagram, summary: &outcome.summary, modulus: self.modulus, landmarks };
        answer.fill(|out| format.write(&barcode, out))
    }
}
