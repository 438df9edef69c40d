//! `lacuna reduce`: the persistence pairs of a boundary matrix.

use std::path::PathBuf;
use std::time::Instant;

use lacuna::matrix::{Algorithm, Dualize, Representation, Request, read};
use lacuna::output::pairs;

use super::backend::BackendArguments;
use super::error::{CliError, UsageError};
use super::job::Job;
use super::naming::{OutputFormat, format_of};
use super::notes::Notes;
use super::outputs::{Inputs, Outputs};
use super::parse::{self, OrAuto};
use super::sink::Content;
use super::{EXIT_CODES, threads};

/// Persistence pairs of a boundary matrix, or of a DIPHA image or distance matrix
///
/// Coefficients are Z/2. The pairs go to standard output, everything else to standard error. PHAT's files are PHAT's
/// byte for byte, whatever the algorithm and the number of threads. `lacuna phat` takes PHAT's own options.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"), after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Input file, `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Format of the input [default: detected from its content and name]
    ///
    /// phat-ascii     text, a cell a line: its dimension, then the cells of its boundary
    /// phat-binary    64-bit integers: the number of cells, then of each its dimension,
    ///                the size of its boundary and the cells of its boundary
    /// dipha          DIPHA's weighted boundary matrix, image or distance matrix
    /// npz            SciPy's sparse matrix, as scipy.sparse.save_npz writes it
    /// matrix-market  Matrix Market's text
    ///
    /// Of the last two, rows and columns are the cells in filtration order, and entries are
    /// 0, 1 or -1. A column of zeros is a vertex; any other cell is one dimension above the
    /// rows of its column. An array "dims" in the archive gives the dimensions instead.
    ///
    /// Any of them may be compressed with gzip.
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Input",
        verbatim_doc_comment,
        allow_hyphen_values = true
    )]
    format: Option<read::Format>,

    /// Highest homology dimension, of a DIPHA image or distance matrix
    ///
    /// Distance matrices need it: all their cells are 2^points. Images are taken whole without it.
    #[arg(long, value_name = "K", help_heading = "Input",
        value_parser = parse::dimension, allow_hyphen_values = true)]
    max_dim: Option<usize>,

    /// The same as DIPHA counts: the highest dimension of cells, which is K + 1
    #[arg(long, value_name = "U", help_heading = "Input", conflicts_with = "max_dim",
        value_parser = parse::dimension, allow_hyphen_values = true)]
    upper_dim: Option<usize>,

    /// Check that boundaries have no boundary [default: on if the file gives boundaries]
    ///
    /// Pairs of a matrix that fails mean nothing, and differ between algorithms. --check=off spares the check, for files
    /// that are known to be right, and reduces others all the same. Of images and distances, whose boundaries are made
    /// here, it is off unless asked for.
    #[arg(long, value_name = "WHETHER", help_heading = "Input", num_args = 0..=1, require_equals = true,
        default_missing_value = "on", value_parser = parse::on_or_off())]
    check: Option<bool>,

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

    /// Number of threads [default: one a core]
    #[arg(long, value_name = "N", help_heading = "Computation",
        value_parser = parse::threads, allow_hyphen_values = true)]
    threads: Option<usize>,

    #[command(flatten)]
    machine: BackendArguments,

    /// Format of the pairs [default: by the name of FILE, else phat-ascii, of DIPHA input csv]
    ///
    /// Names: .txt and .dat phat-ascii, .bin phat-binary, .diagram and .dipha dipha, .csv, .json
    ///
    /// phat-ascii   the number of pairs, then a line a pair: birth death, cells from 0
    /// phat-binary  the same as 64-bit integers
    /// dipha        DIPHA's persistence diagram
    /// csv          a line a class: dim,birth,death; essential ones die at inf
    /// json         {"cells", "pairs": [[birth, death], ...], "essential": [...]}, of DIPHA
    ///              input {"cells", "bars": [{"dim", "birth", "death"}, ...]}
    ///
    /// PHAT's hold cells; the others hold the values of DIPHA input, without classes that
    /// die where they are born, and else cells.
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<pairs::Format>(), hide_possible_values = true, verbatim_doc_comment)]
    output: Option<pairs::Format>,

    /// Write the pairs to FILE, replaced as a whole when the run has succeeded
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    /// Write counts and times to FILE, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output", value_parser = parse::file())]
    stats: Option<PathBuf>,

    /// Say on standard error what was chosen (algorithm, columns, dualization, threads) and why
    #[arg(long, help_heading = "Messages")]
    explain: bool,

    /// Say nothing on standard error but errors and what was asked for
    #[arg(short, long, help_heading = "Messages", conflicts_with = "verbose")]
    quiet: bool,

    /// Say on standard error how long each stage took, and what was counted
    #[arg(short, long, help_heading = "Messages")]
    verbose: bool,
}

const EXAMPLES: &str = "\
Examples:
  lacuna reduce filtration.dat
  lacuna reduce --output phat-binary -o pairs.bin filtration.bin
  lacuna reduce --algorithm chunk --dualize on --check -v filtration.bin
  lacuna reduce --max-dim 1 -o sphere.diagram sphere.complex";

/// Reads, reduces, writes.
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
    let path = arguments.output_file.as_deref();
    let output = format_of(arguments.output, path)?;
    // What suits the input, where nobody says, is text.
    let content = output.map_or(Content::Text, OutputFormat::content);
    let outputs = Outputs::open(path, content, arguments.stats.as_deref(), &Inputs::of([&arguments.file]))?;
    let notes = Notes { quiet: arguments.quiet, verbose: arguments.verbose };
    let threads = threads::start(arguments.threads, notes)?;
    let job = Job {
        start,
        file: &arguments.file,
        options: read::Options { format: arguments.format, upper_dim: arguments.upper_dim() },
        check: arguments.check,
        request: arguments.request(threads),
        backend,
        output,
        explain: arguments.explain,
        notes,
    };
    let report = job.run(outputs)?;
    if arguments.verbose {
        report.tell();
    }
    Ok(())
}

impl Arguments {
    /// What is asked of the reduction, on as many threads as have been started.
    fn request(&self, threads: usize) -> Request {
        Request {
            algorithm: self.algorithm.0,
            columns: self.columns,
            dualize: self.dualize,
            threads: self.threads.map(|_| threads),
        }
    }

    /// The greatest dimension of the cells: homology of a dimension takes the cells one above it.
    fn upper_dim(&self) -> Option<usize> {
        self.upper_dim.or(self.max_dim.map(|dim| dim.saturating_add(1)))
    }
}
