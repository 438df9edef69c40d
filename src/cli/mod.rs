//! The command line: one file per subcommand, and what they share.

mod compare;
mod error;
mod notes;
mod parse;
mod progress;
mod record;
mod rips;
mod sink;

use std::process::ExitCode;

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
    Compare(compare::Arguments),
}

const EXIT_CODES: &str = "\
Exit codes:
  0  success; also when the reader of standard output leaves early;
     of compare: the files hold the same
  1  a failure while running: a full disk, threads that cannot be started;
     of compare, and there nothing else: the files differ
  2  wrong usage or wrong input: an unknown option, a value out of range,
     a file that cannot be read or is not what it should be, an output
     path that cannot be opened";

/// Does what was asked. The exit code is that of a run without failure, whatever it found.
pub(crate) fn run(cli: Cli) -> Result<ExitCode, CliError> {
    match cli.command {
        Command::Rips(arguments) => rips::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Compare(arguments) => compare::run(&arguments),
    }
}
