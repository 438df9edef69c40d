//! `lacuna rips`: the barcode of a Vietoris–Rips filtration.

mod job;
mod representatives;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ArgMatches;
use lacuna::backend::Backend;
use lacuna::metric::read::count_clouds;
use lacuna::output;
use lacuna::rips::{Collapse, DistanceToMeasure, RipsOptions, SecondLayer};

use self::job::Job;
use self::representatives::RepresentativesArguments;
use super::arguments::distances::DistancesArguments;
use super::arguments::picture::PictureArguments;
use super::arguments::run::RunArguments;
use super::arguments::weights::WeightsArguments;
use super::batch::Tasks;
use super::error::{Result, usage};
use super::naming::OutputFormat;
use super::parse;
use super::run::{Run, SMALL, Setup};
use super::{exit_codes, help, ranks};

/// Compute the barcode of the Vietoris–Rips filtration of distances or points
///
/// Bars go to standard output, everything else to standard error. The text format is that of Ripser 1.2.1.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::BATCH))]
#[command(mut_arg("stats", |arg| arg.help("Write counts and times of each dimension to FILE as JSON")))]
#[command(mut_arg("time_limit", |arg| arg.help(TIME_LIMIT[0]).long_help(TIME_LIMIT.join("\n\n"))))]
pub(crate) struct Arguments {
    /// Input files; - is standard input, a directory stands for its files
    ///
    /// Each matrix or cloud of a NumPy array of three axes is an input of its own.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Highest homology dimension
    ///
    /// It is limited to the number of points minus 2.
    #[arg(long, visible_alias = "dim", value_name = "K", help_heading = "Filtration", default_value = "1",
        value_parser = parse::count, allow_hyphen_values = true)]
    max_dim: usize,

    /// Largest diameter, or inf for no limit [default: enclosing radius]
    ///
    /// No bar is born or dies beyond the enclosing radius, the smallest r such that some point is within
    /// distance r of all others. Lists of edges have no enclosing radius and are used whole.
    #[arg(long, value_name = "T", help_heading = "Filtration",
        value_parser = parse::threshold, allow_hyphen_values = true)]
    threshold: Option<f64>,

    /// Coefficients in Z/P, P a prime below 65536
    #[arg(long, value_name = "P", help_heading = "Filtration", default_value = "2",
        value_parser = parse::modulus, allow_hyphen_values = true)]
    modulus: u16,

    /// Use K landmarks chosen by farthest-point sampling from the first point
    ///
    /// This is n_perm of ripser.py. The covering radius, the greatest distance of a point to its nearest
    /// landmark, is in JSON and statistics, and -v prints it. In a metric space, bars move by at most twice the
    /// covering radius. Lists of edges cannot be sampled.
    #[arg(long, value_name = "K", help_heading = "Filtration",
        value_parser = parse::at_least_one, allow_hyphen_values = true)]
    landmarks: Option<usize>,

    #[command(flatten)]
    weights: WeightsArguments,

    /// Format: text, csv, json, npy, npz [default: by extension, or text]
    ///
    /// text  as Ripser 1.2.1 prints them
    /// csv   one bar per line: dim,birth,death; essential bars die at inf
    /// json  {"points", "modulus", "threshold", "max_dim", "bars": [...]}; a bar is
    ///       {"dim", "birth", "death"}; null stands for infinity
    /// npy   NumPy array of doubles, one bar per row: dim, birth, death
    /// npz   archive of NumPy arrays: `bars`, as in npy; with representatives, for each
    ///       dimension D `index_D`, `birth_simplices_D`, `death_simplices_D`,
    ///       `birth_edges_D`, `death_edges_D`
    ///
    /// Extensions: .txt, .csv, .json, .npy, .npz
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        hide_possible_values = true, value_parser = parse::one_of::<output::OutputFormat>(), verbatim_doc_comment)]
    output: Option<output::OutputFormat>,

    /// Write the bars to FILE, or one file per input to DIR
    ///
    /// In DIR, each file is named after its input and the format. An input that fails does not stop the others.
    /// Many small inputs run side by side, one per thread. A file is replaced as a whole when its bars are
    /// known.
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    output_file: Option<PathBuf>,

    /// Omit finite bars of dimension ≥ 1 with death ≤ R × birth; R ≥ 1
    #[arg(hide_short_help = true, long, value_name = "R", help_heading = "Output", default_value = "1",
        value_parser = parse::ratio, allow_hyphen_values = true)]
    ratio: f64,

    #[command(flatten)]
    picture: PictureArguments,

    #[command(flatten)]
    representatives: RepresentativesArguments,

    /// Collapse edges that do not affect the barcode
    ///
    /// This saves much work where neighbourhoods overlap. The bars and their order do not change. Counts in
    /// --stats are those of the collapsed graph. auto collapses as long as that is expected to save time.
    #[arg(long, value_name = "auto|on|off", help_heading = "Computation", default_value = "auto",
        hide_possible_values = true, value_parser = parse::one_of::<Collapse>())]
    collapse: Collapse,

    /// Look-up of apparent pairs: implicit (recomputed, no memory) or sorted (stored)
    #[arg(hide_short_help = true, long, value_name = "LAYER", help_heading = "Computation", default_value = "implicit",
        hide_possible_values = true, value_parser = parse::one_of::<SecondLayer>())]
    pair_store: SecondLayer,

    #[command(flatten)]
    run: RunArguments,

    #[command(flatten)]
    distances: DistancesArguments,
}

impl Arguments {
    /// The options of the library for this run.
    fn options(&self, weights: Option<DistanceToMeasure>, backend: Backend) -> RipsOptions {
        let Arguments { max_dim, threshold, modulus, pair_store, collapse, landmarks, .. } = *self;
        RipsOptions {
            max_dim,
            threshold,
            modulus: modulus.into(),
            pair_store,
            collapse,
            weights,
            landmarks,
            representatives: self.representatives.request(),
            backend,
            ..RipsOptions::default()
        }
    }
}

/// Help of --time-limit: here the finished dimensions are an answer.
const TIME_LIMIT: [&str; 2] = [
    "Stop after TIME, such as 90s or 2h 30m; finished dimensions are output",
    "The bars of finished dimensions are output, standard error names the other dimensions, and the exit code is 4. With several inputs, \
     unfinished ones have no result.",
];

const EXAMPLES: &str = "\
Examples:
  lacuna rips --max-dim 2 distances.txt
  lacuna rips --threshold 1.5 -o bars.csv points.txt
  lacuna rips --output json -o bars/ monday.txt tuesday.txt
  lacuna rips --representatives simplices --longest 3 -o bars.json points.npy
  lacuna rips --geometry loops.vtk --longest 3 --tighten points.npy
  lacuna rips --max-dim 3 --threads 4 --explain --stats stats.json points.npy
  gunzip -c edges.gz | lacuna rips --format sparse --modulus 3 -";

/// Runs the command: reads, computes and writes the inputs.
pub(crate) fn run(arguments: &Arguments, given: &ArgMatches) -> Result<()> {
    let start = Instant::now();
    let Arguments { run: common, picture, representatives, .. } = arguments;
    let weights = arguments.weights.measure()?;
    let backend = common.machine.backend();
    let (path, notes) = (arguments.output_file.as_deref(), common.report.notes);
    // Errors of a file are reported when it is read.
    let count = |file: &Path| count_clouds(file).ok().flatten();
    let text = output::OutputFormat::Text;
    let (tasks, format) =
        Tasks::plan(&arguments.files, path, arguments.output, text, notes, &count, |_| false)?;
    representatives.check(format, arguments.ratio)?;
    if common.checkpoint.is_asked_for() && !tasks.is_batch && representatives.request().is_some() {
        return Err(usage(
            "--checkpoint: expected a run without --representatives and --geometry, whose simplices are not saved, \
             found one of these",
        ));
    }
    let drawing = representatives.drawing(arguments.max_dim)?;
    let setup = Setup {
        plot_kind: picture.plot_kind,
        content: format.content(),
        drawing,
        may_be_light: true,
        is_shared: true,
        is_for_devices: ranks::are_several() && common.machine.may_take_devices(),
        is_kept_by_root: true,
        ..Setup::new("rips", given, common, &picture.file)
    };
    let run = Run::open(start, tasks, setup)?;
    let job = Job { arguments, weights, backend, format, drawing };
    // Side by side only if there are enough for all threads, and without -v and --explain, whose times assume an
    // otherwise idle machine.
    let is_worth_it = run.share() >= rayon::current_num_threads();
    let is_worth_it = is_worth_it && !notes.verbose && !common.report.explain;
    let workers = if is_worth_it { run.workers(SMALL) } else { 1 };
    run.each(workers, &|_| Box::new(|run, task, frame| job.run(run, task, frame)), |_, _| ())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    /// Without options, the command asks for the defaults of the library.
    #[test]
    fn defaults_are_those_of_the_library() {
        let Alone { arguments } = Alone::parse_from(["rips", "points.txt"]);
        let weights = arguments.weights.measure().unwrap();
        let found = arguments.options(weights, Backend::default());
        assert_eq!(format!("{found:?}"), format!("{:?}", RipsOptions::default()));
    }
}
