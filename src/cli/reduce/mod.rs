//! `lacuna reduce`: the persistence pairs of a boundary matrix.

pub(super) mod job;
mod representatives;

use std::path::PathBuf;
use std::time::Instant;

use clap::ArgMatches;
use lacuna::matrix::{Algorithm, Dualize, ReductionRequest, Representation};
use lacuna::output::pairs;

use super::arguments::matrix::MatrixArguments;
use super::arguments::picture::PictureArguments;
use super::arguments::run::RunArguments;
use super::batch::Tasks;
use super::error::{Result, usage};
use super::input_identity;
use super::naming::{OutputFormat, format_of};
use super::parse::{self, OrAuto};
use super::run::{Run, Setup, Work};
use super::sink::Content;
use super::{exit_codes, help};
use job::Job;
use representatives::RepresentativesArguments;

/// Compute the persistence pairs of a boundary matrix or of DIPHA input
///
/// The input is a boundary matrix, or an image or distance matrix of DIPHA. Coefficients are in Z/2. Pairs
/// go to standard output, everything else to standard error. PHAT formats match the output of PHAT byte for
/// byte, with every algorithm and number of threads. lacuna phat takes the options of PHAT itself.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::RESUMABLE))]
#[command(mut_arg("plot", |arg| arg.long_help(None)))]
#[command(mut_arg("report", |arg| arg.long_help("Also write a report of the run to FILE (.html)\n\nThe report shows the input, the plan, times, linked pictures and a table, and needs no network.")))]
#[command(mut_arg("verbose", |arg| arg.help("Print the times and counts of each stage to standard error")))]
pub(crate) struct Arguments {
    /// Input file, - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Format: phat-ascii, phat-binary, dipha, csv, json, npz [default: by extension, else
    /// phat-ascii; csv for DIPHA input]
    ///
    /// phat-ascii   the number of pairs, then one pair per line: birth death, cells from 0
    /// phat-binary  the same as 64-bit integers
    /// dipha        DIPHA's persistence diagram
    /// csv          one class per line: dim,birth,death; essential classes die at inf
    /// json         {"cells", "pairs": [[birth, death], ...], "essential": [...]}; for DIPHA
    ///              input {"cells", "bars": [{"dim", "birth", "death"}, ...]}; with cycles
    ///              "representatives": [{"dim", "birth_cell", "death_cell", "cycle"}, ...]
    /// npz          archive of NumPy arrays: `pairs` and `essential`, for DIPHA input `bars`;
    ///              with cycles `dims`, `births`, `deaths` (-1: essential), `offsets`, `cells`
    ///
    /// PHAT formats hold cells. The others hold values for DIPHA input, without classes that die
    /// at birth, and cells for other input. Extensions: .txt and .dat phat-ascii, .bin
    /// phat-binary, .diagram and .dipha dipha, .csv, .json, .npz
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<pairs::PairsFormat>(), hide_possible_values = true, verbatim_doc_comment)]
    output: Option<pairs::PairsFormat>,

    /// Write the pairs to FILE, replaced as a whole on success
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    picture: PictureArguments,

    #[command(flatten)]
    representatives: RepresentativesArguments,

    /// Algorithm: sieve, hypha, hypha-twist, ss-plus, spectral-sequence, twist, standard, row, chunk, lock-free or auto
    ///
    /// auto               chosen from the matrix; --explain prints why
    /// sieve              each dimension by the method that suits it: scan, union-find,
    ///                    annotations, then reduction of the rest; the usual choice of auto
    /// hypha              scan, clearing and compression, then ss-plus
    /// hypha-twist        scan, clearing and compression, then twist
    /// ss-plus            spectral sequence, tiles or columns in parallel
    /// spectral-sequence  stripes of columns in parallel
    /// twist              columns in descending dimension, with clearing
    /// standard           columns from left to right
    /// row                rows from last to first
    /// chunk              chunks of columns in parallel, compression, then the rest
    /// lock-free          all columns in parallel
    #[arg(long, value_name = "ALGORITHM", help_heading = "Computation", default_value = "auto",
        value_parser = parse::auto_or_one_of::<Algorithm>(), hide_possible_values = true, verbatim_doc_comment)]
    algorithm: OrAuto<Algorithm>,

    /// Columns: bit-tree, heap, full, sparse, vector [default: by algorithm]
    #[arg(long, value_name = "COLUMNS", help_heading = "Computation", hide_possible_values = true, value_parser = parse::one_of::<Representation>())]
    columns: Option<Representation>,

    /// Reduce the anti-transpose: auto, on, off
    ///
    /// It has the same pairs, and may be far easier or harder to reduce.
    #[arg(long, value_name = "WHETHER", help_heading = "Computation", default_value = "auto",
        hide_possible_values = true, value_parser = parse::one_of::<Dualize>())]
    dualize: Dualize,

    #[command(flatten)]
    run: RunArguments,

    #[command(flatten)]
    input: MatrixArguments,
}

const EXAMPLES: &str = "\
Examples:
  lacuna reduce filtration.dat
  lacuna reduce --output phat-binary -o pairs.bin filtration.bin
  lacuna reduce --algorithm chunk --dualize on --check -v filtration.bin
  lacuna reduce --max-dim 1 -o sphere.diagram sphere.complex
  lacuna reduce --representatives cycles --min-persistence 100 -o cycles.json filtration.bin";

/// Reads the matrix, reduces it and writes the pairs.
pub(crate) fn run(arguments: &Arguments, given: &ArgMatches) -> Result<()> {
    let start = Instant::now();
    let Arguments { run: common, picture, input, file, representatives, .. } = arguments;
    if arguments.algorithm.0 == Some(Algorithm::Sieve) && arguments.columns.is_some() {
        return Err(usage("--columns: expected an algorithm with a choice of columns, found sieve"));
    }
    if let Some(algorithm) = arguments.algorithm.0.filter(|algorithm| !algorithm.scans())
        && common.machine.insist_on_gpu()
    {
        return Err(usage(format_args!(
            "--algorithm: expected one with a scan, which a GPU can run (sieve, hypha, hypha-twist), found {algorithm}"
        )));
    }
    let answer = arguments.output_file.as_deref();
    let output = format_of(arguments.output, answer)?;
    representatives.check(output, input.check)?;
    let setup = Setup {
        plot_kind: picture.plot_kind,
        // The default format, which suits the input, is always text.
        content: output.map_or(Content::Text, OutputFormat::content),
        ..Setup::new("reduce", given, common, &picture.file)
    };
    let run = Run::open(start, Tasks::one(file, answer), setup)?;
    let threads = rayon::current_num_threads();
    let request = ReductionRequest {
        algorithm: arguments.algorithm.0,
        columns: arguments.columns,
        dualize: arguments.dualize,
        threads: common.machine.threads.are_asked_for().then_some(threads),
    };
    let job = Job {
        file,
        options: input.options(),
        check: input.check,
        request,
        backend: common.machine.backend(),
        output,
        cycles: representatives.selection(),
        explain: common.report.explain,
    };
    let reduce = |_: usize| -> Work<'_> {
        Box::new(|run, _, frame| {
            run.begin(&|| input_identity::of_bytes(file))?;
            job.run(frame)
        })
    };
    run.each(1, &reduce, |_, _| ())
}
