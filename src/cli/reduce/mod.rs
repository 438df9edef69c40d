//! `lacuna reduce`: the persistence pairs of a boundary matrix.

mod representatives;

use std::path::PathBuf;
use std::time::Instant;

use lacuna::matrix::{Algorithm, Dualize, ReductionRequest, Representation};
use lacuna::output::pairs;
use lacuna::snapshot::Fingerprint;

use super::arguments::limits::{CheckpointArguments, TimeLimitArguments};
use super::arguments::machine::MachineArguments;
use super::arguments::matrix::MatrixArguments;
use super::arguments::picture::PictureArguments;
use super::arguments::report::ReportArguments;
use super::error::{CliError, UsageError};
use super::exit_codes::EXIT_CODES;
use super::frame::{Files, Frame};
use super::input_identity;
use super::job::Job;
use super::long_run::LongRun;
use super::naming::{OutputFormat, format_of};
use super::parse::{self, OrAuto};
use super::sink::Content;
use representatives::RepresentativesArguments;

/// Persistence pairs of a boundary matrix, or of a DIPHA image or distance matrix
///
/// Coefficients are Z/2. The pairs go to standard output, everything else to standard error. PHAT's files are PHAT's
/// byte for byte, whatever the algorithm and the number of threads. `lacuna phat` takes PHAT's own options.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"), after_help = EXAMPLES)]
#[command(mut_arg("plot", |arg| arg.help("Draw the bars into FILE, too: .svg, .png or .pdf")))]
#[command(mut_arg("report", |arg| arg.help("Write a page about the run into FILE.html, too: input, plan, times, linked pictures, a table; it needs no network")))]
#[command(mut_arg("explain", |arg| arg.help("Say on standard error what was chosen (algorithm, columns, dualization, threads) and why")))]
#[command(mut_arg("verbose", |arg| arg.help("Say on standard error how long each stage took, and what was counted")))]
pub(crate) struct Arguments {
    /// Input file, `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    input: MatrixArguments,

    /// Algorithm: auto looks at the matrix; --explain says what it saw
    ///
    /// sieve              each dimension in the way that suits it: scan, union-find,
    ///                    annotations, reduction of what is left; what auto chooses
    /// hypha              scan, clearing and compression, then ss-plus
    /// hypha-twist        scan, clearing and compression, then twist
    /// ss-plus            spectral sequence, tiles or columns in parallel
    /// spectral-sequence  stripes of columns in parallel
    /// twist              columns of descending dimension, with clearing
    /// standard           columns left to right
    /// row                rows from the last to the first
    /// chunk              chunks of columns in parallel, compression, then the rest
    /// lock-free          all columns in parallel
    #[arg(long, value_name = "ALGORITHM", help_heading = "Computation", default_value = "auto",
        value_parser = parse::auto_or_one_of::<Algorithm>(), hide_possible_values = true, verbatim_doc_comment)]
    algorithm: OrAuto<Algorithm>,

    /// How a column is held while others are added to it [default: chosen with the algorithm]
    #[arg(long, value_name = "COLUMNS", help_heading = "Computation", value_parser = parse::one_of::<Representation>())]
    columns: Option<Representation>,

    /// Whether to reduce the anti-transpose, which has the same pairs and may be far easier, or harder
    #[arg(long, value_name = "WHETHER", help_heading = "Computation", default_value = "auto",
        value_parser = parse::one_of::<Dualize>())]
    dualize: Dualize,

    #[command(flatten)]
    pub(super) machine: MachineArguments,

    #[command(flatten)]
    limit: TimeLimitArguments,

    #[command(flatten)]
    checkpoint: CheckpointArguments,

    /// Format of the pairs [default: by the name of FILE, else phat-ascii, of DIPHA input csv]
    ///
    /// Names: .txt and .dat phat-ascii, .bin phat-binary, .diagram and .dipha dipha, .csv, .json, .npz
    ///
    /// phat-ascii   the number of pairs, then a line a pair: birth death, cells from 0
    /// phat-binary  the same as 64-bit integers
    /// dipha        DIPHA's persistence diagram
    /// csv          a line a class: dim,birth,death; essential ones die at inf
    /// json         {"cells", "pairs": [[birth, death], ...], "essential": [...]}, of DIPHA
    ///              input {"cells", "bars": [{"dim", "birth", "death"}, ...]}; with cycles
    ///              "representatives": [{"dim", "birth_cell", "death_cell", "cycle"}, ...]
    /// npz          archive of NumPy arrays: `pairs` and `essential`, of DIPHA input `bars`; with
    ///              cycles `dims`, `births`, `deaths` (-1: essential), `offsets`, `cells`
    ///
    /// PHAT's hold cells; the others hold the values of DIPHA input, without classes that
    /// die where they are born, and else cells.
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<pairs::PairsFormat>(), hide_possible_values = true, verbatim_doc_comment)]
    output: Option<pairs::PairsFormat>,

    /// Write the pairs to FILE, replaced as a whole when the run has succeeded
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    picture: PictureArguments,

    #[command(flatten)]
    representatives: RepresentativesArguments,

    #[command(flatten)]
    pub(super) report: ReportArguments,
}

const EXAMPLES: &str = "\
Examples:
  lacuna reduce filtration.dat
  lacuna reduce --output phat-binary -o pairs.bin filtration.bin
  lacuna reduce --algorithm chunk --dualize on --check -v filtration.bin
  lacuna reduce --max-dim 1 -o sphere.diagram sphere.complex
  lacuna reduce --representatives cycles --min-persistence 100 -o cycles.json filtration.bin";

/// Reads the matrix, reduces it and writes the pairs.
pub(crate) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let start = Instant::now();
    if arguments.algorithm.0 == Some(Algorithm::Sieve) && arguments.columns.is_some() {
        return Err(UsageError::SieveColumns.into());
    }
    if let Some(algorithm) = arguments.algorithm.0.filter(|algorithm| !algorithm.scans())
        && arguments.machine.insist_on_gpu()
    {
        return Err(UsageError::NoScan { algorithm }.into());
    }
    let backend = arguments.machine.backend();
    let answer = arguments.output_file.as_deref();
    let output = format_of(arguments.output, answer)?;
    arguments.representatives.check(output, arguments.input.check)?;
    // The default format, which suits the input, is always text.
    let content = output.map_or(Content::Text, OutputFormat::content);
    let ReportArguments { stats, messages } = &arguments.report;
    let files = Files { input: &arguments.file, answer, content, stats: stats.path() };
    let picture = arguments.picture.picture()?;
    let frame = Frame::open(start, &files, messages.notes())?.with_picture(picture, &arguments.file)?;
    let frame = frame.with_report(arguments.picture.report()?, &arguments.file)?;
    let long = LongRun::open(&arguments.limit, &arguments.checkpoint, frame.notes)?;
    if arguments.checkpoint.is_asked_for() {
        let run = arguments.fingerprint()?;
        long.begin(|| run)?;
    }
    let threads = arguments.machine.threads.start(frame.notes)?;
    let job = Job {
        file: &arguments.file,
        options: arguments.input.options(),
        check: arguments.input.check,
        request: arguments.request(threads),
        backend,
        output,
        picture,
        cycles: arguments.representatives.selection(),
        explain: messages.explain,
        long: Some(&long),
    };
    let report = job.run(frame)?;
    long.finish();
    if messages.notes().verbose {
        report.tell();
    }
    Ok(())
}

impl Arguments {
    /// Fingerprint of the run: everything that its answer and saved state depend on.
    fn fingerprint(&self) -> Result<Fingerprint, CliError> {
        let algorithm = self.algorithm.0.map_or_else(|| "auto".to_owned(), |algorithm| algorithm.to_string());
        let run = Fingerprint::new("reduce").with("input", input_identity::of_bytes(&self.file)?);
        let run = self.input.known_by(run).with("--algorithm", algorithm);
        Ok(run.with("--dualize", self.dualize))
    }

    /// The requested reduction, on `threads` threads.
    fn request(&self, threads: usize) -> ReductionRequest {
        ReductionRequest {
            algorithm: self.algorithm.0,
            columns: self.columns,
            dualize: self.dualize,
            threads: self.machine.threads.are_asked_for().then_some(threads),
        }
    }
}
