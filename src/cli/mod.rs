//! The command line: one file per subcommand, and what they share.

mod arguments;
mod batch;
mod batch_pictures;
mod compare;
mod completions;
mod convert;
mod cubical;
mod curves;
mod directory;
mod distance;
mod ecc;
mod error;
mod exit_codes;
mod frame;
mod generate;
mod image_file;
mod info;
mod job;
mod naming;
mod notes;
mod outputs;
mod pairs_record;
mod parse;
mod phat;
mod planning;
mod plot;
mod progress;
mod record;
mod reduce;
mod rips;
mod sink;
mod temporary;
mod thin;
mod threads;
mod timing;
mod vectorize;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use error::CliError;
use exit_codes::EXIT_CODES;

pub(crate) use error::fail;

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
    Reduce(Box<reduce::Arguments>),
    Phat(Box<phat::Arguments>),
    Cubical(Box<cubical::Arguments>),
    Ecc(Box<ecc::Arguments>),
    Thin(Box<thin::Arguments>),
    Plot(plot::Arguments),
    Vectorize(vectorize::Arguments),
    Distance(distance::Arguments),
    Compare(Box<compare::Arguments>),
    Convert(Box<convert::Arguments>),
    Generate(Box<generate::Arguments>),
    Info(info::Arguments),
    Completions(completions::Arguments),
    #[command(hide = true)]
    Manual(completions::ManualArguments),
}

/// Runs the command. The exit code is that of a run without failure: `compare` and `thin --verify` answer with it what they found.
pub(crate) fn run(cli: Cli) -> Result<ExitCode, CliError> {
    match cli.command {
        Command::Rips(arguments) => rips::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Reduce(arguments) => reduce::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Phat(arguments) => phat::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Cubical(arguments) => cubical::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Ecc(arguments) => ecc::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Thin(arguments) => thin::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Vectorize(arguments) => vectorize::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Distance(arguments) => distance::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Generate(arguments) => generate::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Info(arguments) => info::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Completions(arguments) => completions::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Manual(arguments) => completions::write_manual(&arguments).map(|()| ExitCode::SUCCESS),
    }
}

/// Prints what clap answers instead of a run, help or an error of usage. The exit code: help that cannot be written is a failure.
pub(crate) fn answer(answer: &clap::Error) -> ExitCode {
    let printed = sink::readers_may_leave(answer.print().and_then(|()| io::stdout().flush()));
    match printed {
        Err(source) if !answer.use_stderr() => fail(&CliError::write("standard output".to_owned(), source)),
        _ => ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(u8::MAX)),
    }
}
