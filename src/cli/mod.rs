//! The command line: one file per subcommand, and what they share.

mod backend;
mod compare;
mod convert;
mod cubical;
mod directory;
mod ecc;
mod error;
mod image;
mod info;
mod job;
mod notes;
mod outputs;
mod parse;
mod phat;
mod planning;
mod progress;
mod record;
mod reduce;
mod rips;
mod sink;
mod thin;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};

use error::CliError;

/// Persistent homology: barcodes from the command line
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Rips(Box<rips::Arguments>),
    Cubical(Box<cubical::Arguments>),
    Convert(Box<convert::Arguments>),
    Ecc(Box<ecc::Arguments>),
    Thin(Box<thin::Arguments>),
    Reduce(Box<reduce::Arguments>),
    Phat(Box<phat::Arguments>),
    Compare(compare::Arguments),
    Info(info::Arguments),
}

const EXIT_CODES: &str = "\
Exit codes:
  0  success; also when the reader of standard output leaves early;
     of compare: the files hold the same
  1  a failure while running: a full disk, threads that cannot be started;
     of compare, and there nothing else: the files differ;
     of thin --verify: the topology differs, and the skeleton is written
  2  wrong usage or wrong input: an unknown option, a value out of range,
     a file that cannot be read or is not what it should be, an output
     path that cannot be opened";

/// Does what was asked. The exit code is that of a run without failure, whatever it found.
pub(crate) fn run(cli: Cli) -> Result<ExitCode, CliError> {
    match cli.command {
        Command::Rips(arguments) => rips::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Cubical(arguments) => cubical::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Convert(arguments) => convert::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Ecc(arguments) => ecc::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Thin(arguments) => thin::run(&arguments),
        Command::Reduce(arguments) => reduce::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Phat(arguments) => phat::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Info(arguments) => info::run(&arguments).map(|()| ExitCode::SUCCESS),
    }
}

/// Says what went wrong, and what was behind it, in one line on standard error.
pub(crate) fn report(error: &dyn std::error::Error) {
    let mut line = format!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        line.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    notes::tell(line);
}

/// Makes the pool that everything runs on.
fn start_threads(threads: Option<usize>) -> Result<(), CliError> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().map_err(|source| CliError::Threads { threads, source })
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (work(), start.elapsed())
}
