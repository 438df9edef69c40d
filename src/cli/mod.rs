//! The command line: one file per subcommand, and what they share.

mod backend;
mod batch;
mod compare;
mod convert;
mod cubical;
mod curves;
mod directory;
mod distances;
mod ecc;
mod error;
mod image;
mod info;
mod job;
mod naming;
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
mod temporary;
mod thin;
mod threads;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};

use error::{Blame, CliError};

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
  1  what this machine cannot do: a full disk, threads that cannot be started,
     a GPU that is not there or fails;
     of compare, and there nothing else: the files differ;
     of thin --verify: the topology differs, and the skeleton is written
  2  wrong usage or wrong input: an unknown option, a value out of range,
     a file that cannot be read or is not what it should be, an output
     path that cannot be opened; of several inputs: some have no answer
  A signal (Ctrl-C) ends the program as always, and leaves no temporary files.";

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

/// Prints what clap answers instead of a run, help or an error of usage. The exit code: help that cannot be written is a failure.
pub(crate) fn answer(answer: &clap::Error) -> ExitCode {
    let printed = sink::readers_may_leave(answer.print().and_then(|()| io::stdout().flush()));
    match printed {
        Err(source) if !answer.use_stderr() => {
            fail(&CliError::Write { target: "standard output".to_owned(), source })
        }
        _ => ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(u8::MAX)),
    }
}

/// Reports an error. The exit code for it.
pub(crate) fn fail(error: &CliError) -> ExitCode {
    report(error);
    ExitCode::from(error.fault().exit_code())
}

/// Says what went wrong, and what was behind it, in one line on standard error.
pub(crate) fn report(error: &dyn std::error::Error) {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        // Some errors name their cause themselves.
        if !line.ends_with(&said) {
            line.push_str(&format!(": {said}"));
        }
        source = cause.source();
    }
    notes::tell_error(line);
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (work(), start.elapsed())
}
