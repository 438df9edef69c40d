//! `lacuna phat`: the command line of PHAT.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use lacuna::backend::Backend;
use lacuna::matrix::read::{self, MatrixFormat};
use lacuna::matrix::{Algorithm, Dualize, ReductionRequest, Representation};
use lacuna::output::pairs;

use super::error::{CliError, Result, usage};
use super::frame::Frame;
use super::naming::OutputFormat;
use super::notes::{Notes, ProgressMode, printable};
use super::outputs::Files;
use super::parse;
use super::record::Record;
use super::reduce::job::Job;
use super::{exit_codes, help};

/// Compute persistence pairs with the command line of PHAT
///
/// Replaces phat in scripts: the same options and the same files, byte for byte. The last of several
/// exclusive options counts. Options that are not given are chosen as by `lacuna reduce`: the algorithm,
/// then the columns and whether to dualize; a named algorithm is not dualized without --dualize. Unlike
/// phat, `lacuna phat` refuses input that is not a boundary matrix, where the boundary of some boundary is
/// not zero.
///
/// The environment variable OMP_NUM_THREADS sets the number of threads.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::PLAIN))]
pub(crate) struct Arguments {
    /// File of the boundary matrix, - for standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,

    /// File of the persistence pairs, replaced as a whole on success
    #[arg(value_name = "OUTPUT", value_parser = parse::file())]
    output: PathBuf,

    #[command(flatten)]
    flags: Flags,

    /// Reduce the anti-transpose
    #[arg(long, help_heading = "Algorithm", overrides_with = "dualize")]
    dualize: bool,

    /// Check that the boundary of every boundary is zero [default: on]
    ///
    /// PHAT reduces any matrix; --check=off does so too.
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, require_equals = true, default_missing_value = "on",
        value_parser = parse::on_or_off(), overrides_with = "check")]
    check: Option<bool>,

    /// Print stages and times to standard output, in the words of phat
    #[arg(long, overrides_with = "verbose")]
    verbose: bool,
}

const EXAMPLES: &str = "\
Examples:
  lacuna phat filtration.bin pairs.bin
  lacuna phat --ascii --verbose filtration.dat pairs.dat
  OMP_NUM_THREADS=4 lacuna phat --chunk --dualize filtration.bin pairs.bin";

/// Mutually exclusive options: the last one given counts.
#[derive(Debug)]
struct Flags {
    /// Whether files are text; PHAT's default is binary.
    ascii: bool,
    columns: Option<Representation>,
    algorithm: Option<Algorithm>,
    /// Whether the algorithm runs on one thread.
    sequential: bool,
}

/// A flag and its help text.
type Flag = (&'static str, &'static str);

const FILES: [Flag; 2] =
    [("ascii", "Read and write text"), ("binary", "Read and write binary files (default)")];

const COLUMNS: [(Flag, Representation); 8] = [
    (("vector_vector", "Same as --columns vector of lacuna reduce"), Representation::Vector),
    (("vector_heap", "Same as --columns heap of lacuna reduce"), Representation::Heap),
    (("vector_set", "Same as --columns sparse of lacuna reduce"), Representation::Sparse),
    (("vector_list", "Same as --columns vector of lacuna reduce"), Representation::Vector),
    (("full_pivot_column", "Same as --columns full of lacuna reduce"), Representation::Full),
    (("sparse_pivot_column", "Same as --columns sparse of lacuna reduce"), Representation::Sparse),
    (("heap_pivot_column", "Same as --columns heap of lacuna reduce"), Representation::Heap),
    (("bit_tree_pivot_column", "Same as --columns bit-tree of lacuna reduce"), Representation::BitTree),
];

const ALGORITHMS: [(Flag, Algorithm); 6] = [
    (("standard", "Columns from left to right"), Algorithm::Standard),
    (("twist", "Columns in descending dimension, with clearing"), Algorithm::Twist),
    (("chunk", "Chunks of columns in parallel, compression, then the rest"), Algorithm::Chunk),
    ((SEQUENTIAL, "chunk on one thread"), Algorithm::Chunk),
    (("spectral_sequence", "Stripes of columns in parallel"), Algorithm::SpectralSequence),
    (("row", "Rows from last to first"), Algorithm::Row),
];

const SEQUENTIAL: &str = "chunk_sequential";

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        let command = one_of(command, "Files", &FILES);
        let command = one_of(command, "Columns", &COLUMNS.map(|(flag, _)| flag));
        one_of(command, "Algorithm", &ALGORITHMS.map(|(flag, _)| flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Adds a group of flags; the last one given counts.
fn one_of(command: Command, heading: &'static str, flags: &[Flag]) -> Command {
    let names = || flags.iter().map(|&(name, _)| name);
    command.args(flags.iter().map(|&(name, help)| {
        let flag = Arg::new(name).long(name).help(help).help_heading(heading);
        flag.action(ArgAction::SetTrue).overrides_with_all(names())
    }))
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let columns = COLUMNS.iter().find(|((name, _), _)| matches.get_flag(name));
        let algorithm = ALGORITHMS.iter().find(|((name, _), _)| matches.get_flag(name));
        Ok(Flags {
            ascii: matches.get_flag("ascii"),
            columns: columns.map(|&(_, columns)| columns),
            algorithm: algorithm.map(|&(_, algorithm)| algorithm),
            sequential: matches.get_flag(SEQUENTIAL),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Reads the matrix, reduces it and writes the pairs.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let start = Instant::now();
    let notes = Notes { quiet: false, verbose: false, progress: ProgressMode::None };
    let (format, output) = arguments.formats();
    let Arguments { input: file, output: answer, .. } = arguments;
    let files = Files { answer: Some(answer), content: output.content(), ..Files::default() };
    let mut frame = Frame::open(start, file, files, notes)?;
    let mut request = arguments.request(threads(std::env::var_os(THREADS).as_deref())?);
    let started = super::threads::start(request.threads, notes)?;
    request.threads = request.threads.map(|_| started);
    let job = Job {
        file,
        options: read::MatrixReadOptions { format: Some(format), upper_dim: None },
        check: arguments.check,
        request,
        backend: Backend::default(),
        output: Some(output),
        cycles: None,
        explain: false,
    };
    job.run(&mut frame)?;
    let record = frame.finish()?.record;
    if arguments.verbose { arguments.tell(&record) } else { Ok(()) }
}

impl Arguments {
    /// The formats of the matrix and of the pairs.
    fn formats(&self) -> (MatrixFormat, pairs::PairsFormat) {
        if self.flags.ascii {
            (MatrixFormat::PhatAscii, pairs::PairsFormat::PhatAscii)
        } else {
            (MatrixFormat::PhatBinary, pairs::PairsFormat::PhatBinary)
        }
    }

    fn request(&self, threads: Option<usize>) -> ReductionRequest {
        let Flags { columns, algorithm, sequential, .. } = self.flags;
        ReductionRequest {
            algorithm,
            columns,
            dualize: match algorithm {
                _ if self.dualize => Dualize::On,
                Some(_) => Dualize::Off,
                None => Dualize::Auto,
            },
            threads: if sequential { Some(1) } else { threads },
        }
    }

    /// Prints what PHAT prints with `--verbose`, with more digits.
    fn tell(&self, record: &Record) -> Result<()> {
        let mode = if self.flags.ascii { "ascii" } else { "binary" };
        let [input, output] = [&self.input, &self.output].map(|path| path.display().to_string());
        let (input, output) = (printable(&input), printable(&output));
        let [read, reduce, dualize, write] =
            ["read", "reduce", DUALIZE, "write"].map(|stage| record.seconds(stage));
        let mut lines = format!("Reading input file {input} in {mode} mode\n");
        lines += &format!("Reading input file took {read:.4}s\n");
        if self.dualize {
            lines += &format!("Dualizing ...\nDualizing took {dualize:.4}s\n");
        }
        let computing = reduce - if self.dualize { dualize } else { 0.0 };
        lines += "Computing persistence pairs ...\n";
        lines += &format!("Computing persistence pairs took {computing:.4}s\n");
        lines += &format!("Writing output file {output} in {mode} mode ...\n");
        lines += &format!("Writing output file took {write:.4}s\n");
        match io::stdout().write_all(lines.as_bytes()) {
            Err(source) if source.kind() != ErrorKind::BrokenPipe => {
                Err(CliError::write("standard output", &source))
            }
            _ => Ok(()),
        }
    }
}

/// Part of a reduction that builds the anti-transpose.
const DUALIZE: &str = "  anti-transpose";

/// The environment variable of OpenMP, with which PHAT is built.
const THREADS: &str = "OMP_NUM_THREADS";

/// Number of threads in the variable's value. In a list, the first number is that of the outermost region.
fn threads(value: Option<&OsStr>) -> Result<Option<usize>> {
    let Some(value) = value else { return Ok(None) };
    let value = value.to_string_lossy();
    let first = value.split(',').next().unwrap_or_default().trim();
    let threads = parse::threads(first);
    threads.map(Some).map_err(|problem| usage(format_args!("{THREADS}: {problem}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parsed(options: &str) -> Arguments {
        let words = ["phat"].into_iter().chain(options.split_whitespace()).chain(["in", "out"]);
        <Line as clap::Parser>::try_parse_from(words).unwrap_or_else(|e| panic!("{options}: {e}")).arguments
    }

    #[test]
    fn every_spelling_of_phat() {
        for ((name, _), columns) in COLUMNS {
            assert_eq!(parsed(&format!("--{name}")).flags.columns, Some(columns));
        }
        for ((name, _), algorithm) in ALGORITHMS {
            let request = parsed(&format!("--{name}")).request(Some(3));
            assert_eq!((request.algorithm, request.dualize), (Some(algorithm), Dualize::Off));
            assert_eq!(request.threads, Some(if name == "chunk_sequential" { 1 } else { 3 }));
        }
        assert!(parsed("--ascii").flags.ascii && !parsed("--binary").flags.ascii && !parsed("").flags.ascii);
        assert!(parsed("--verbose").verbose);
    }

    #[test]
    fn the_last_of_those_that_exclude_each_other_counts() {
        let flags = parsed("--ascii --row --vector_set --twist --binary --heap_pivot_column --twist").flags;
        assert_eq!((flags.ascii, flags.algorithm), (false, Some(Algorithm::Twist)));
        assert_eq!(flags.columns, Some(Representation::Heap));
        let flags = parsed("--chunk_sequential --chunk --binary --ascii --ascii").flags;
        assert!(flags.ascii && !flags.sequential && flags.algorithm == Some(Algorithm::Chunk));
        assert!(parsed("--dualize --dualize --verbose --verbose").dualize);
    }

    #[test]
    fn what_is_not_said_is_left_open() {
        let request = parsed("").request(None);
        assert_eq!((request.algorithm, request.columns, request.dualize), (None, None, Dualize::Auto));
        let request = parsed("--dualize").request(None);
        assert_eq!((request.algorithm, request.dualize), (None, Dualize::On));
        let request = parsed("--dualize --standard").request(None);
        assert_eq!((request.algorithm, request.dualize), (Some(Algorithm::Standard), Dualize::On));
    }
}
