//! The command line: one file per subcommand, and shared modules.

mod answers;
mod arguments;
mod batch;
mod batch_pictures;
mod compare;
mod completions;
mod convert;
mod cubical;
mod curves;
mod deadline;
mod directory;
mod distance;
mod ecc;
mod error;
mod exit_codes;
mod frame;
mod generate;
mod help;
mod image_file;
mod info;
mod input_identity;
mod inspect;
mod interruption;
mod job;
mod leftovers;
mod long_run;
mod naming;
mod notes;
#[cfg(all(feature = "huge-pages", target_os = "linux"))]
mod out_of_memory;
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
use lacuna::internals::spilled_at_most;
use lacuna::memory::Bytes;

use arguments::limits::DeadlineArguments;
use arguments::memory::MemoryArguments;
use error::CliError;
use notes::Notes;

#[cfg(all(feature = "huge-pages", target_os = "linux"))]
pub(crate) use out_of_memory::end_out_of_memory;

/// Persistent homology: barcodes from the command line
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, after_help = exit_codes::section(exit_codes::ALL))]
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
    Inspect(inspect::Arguments),
    Info(info::Arguments),
    Completions(completions::Arguments),
    #[command(hide = true)]
    Manual(completions::ManualArguments),
}

impl Command {
    /// The memory limit of commands that have one, and the smallest limit that applies to the whole program.
    fn memory(&self) -> Option<(&MemoryArguments, u64)> {
        match self {
            Command::Rips(arguments) => Some((&arguments.machine.memory, 0)),
            Command::Reduce(arguments) => Some((&arguments.machine.memory, 0)),
            Command::Cubical(arguments) => Some((&arguments.machine.memory, 0)),
            Command::Ecc(arguments) => Some((&arguments.machine.memory, ecc::LEAST_HELD)),
            Command::Thin(arguments) => Some((&arguments.machine.memory, 0)),
            Command::Plot(arguments) => Some((&arguments.memory, 0)),
            Command::Vectorize(arguments) => Some((&arguments.memory, 0)),
            Command::Distance(arguments) => Some((&arguments.memory, 0)),
            Command::Compare(arguments) => Some((&arguments.memory, 0)),
            Command::Convert(arguments) => Some((&arguments.memory, 0)),
            Command::Generate(arguments) => Some((&arguments.memory, 0)),
            Command::Phat(_)
            | Command::Inspect(_)
            | Command::Info(_)
            | Command::Completions(_)
            | Command::Manual(_) => None,
        }
    }

    /// How much is said on standard error, for commands that have a memory limit.
    fn notes(&self) -> Option<Notes> {
        match self {
            Command::Rips(arguments) => Some(arguments.report.messages.notes()),
            Command::Reduce(arguments) => Some(arguments.report.messages.notes()),
            Command::Cubical(arguments) => Some(arguments.report.messages.notes()),
            Command::Ecc(arguments) => Some(arguments.report.messages.notes()),
            Command::Thin(arguments) => Some(arguments.report.messages.notes()),
            Command::Plot(arguments) => Some(arguments.verbosity.notes()),
            Command::Vectorize(arguments) => Some(arguments.verbosity.notes()),
            Command::Convert(arguments) => Some(arguments.verbosity.notes()),
            Command::Generate(arguments) => Some(arguments.verbosity.notes()),
            Command::Distance(arguments) => Some(arguments.notes()),
            Command::Compare(arguments) => Some(arguments.notes()),
            Command::Phat(_)
            | Command::Inspect(_)
            | Command::Info(_)
            | Command::Completions(_)
            | Command::Manual(_) => None,
        }
    }

    /// The time limit of commands whose answer is all or nothing.
    fn deadline(&self) -> Option<&DeadlineArguments> {
        match self {
            Command::Thin(arguments) => Some(&arguments.deadline),
            Command::Plot(arguments) => Some(&arguments.deadline),
            Command::Vectorize(arguments) => Some(&arguments.deadline),
            Command::Distance(arguments) => Some(&arguments.deadline),
            Command::Compare(arguments) => Some(&arguments.deadline),
            Command::Convert(arguments) => Some(&arguments.deadline),
            Command::Generate(arguments) => Some(&arguments.deadline),
            _ => None,
        }
    }

    /// Exit code of a run that finds no memory. For `compare`, 1 means that the files differ.
    #[cfg(all(feature = "huge-pages", target_os = "linux"))]
    fn code_out_of_memory(&self) -> i32 {
        if matches!(self, Command::Compare(_)) { 2 } else { 1 }
    }
}

/// Runs the command. A run without failure returns 0, or what `compare` and `thin --verify` found.
pub(crate) fn run(cli: Cli) -> Result<ExitCode, CliError> {
    #[cfg(all(feature = "huge-pages", target_os = "linux"))]
    out_of_memory::prepare(cli.command.code_out_of_memory());
    let is_comparison = matches!(cli.command, Command::Compare(_));
    let told = |error: CliError| if is_comparison { error.into_input_error() } else { error };
    if let Some((memory, least)) = cli.command.memory() {
        #[cfg(all(feature = "huge-pages", target_os = "linux"))]
        if memory.given().is_some() {
            crate::allocator::keep_little();
        }
        memory.hold(least);
        memory.open_spill().map_err(told)?;
    }
    if let Some(deadline) = cli.command.deadline() {
        deadline.start().map_err(told)?;
    }
    let notes = cli.command.notes();
    let answer = run_command(cli.command);
    if let (Some(notes), Some(bytes @ 1..)) = (notes, spilled_at_most()) {
        notes.note(format_args!("at most {} in the file of --spill", Bytes(bytes)));
    }
    answer
}

fn run_command(command: Command) -> Result<ExitCode, CliError> {
    match command {
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
        Command::Inspect(arguments) => inspect::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Info(arguments) => info::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Completions(arguments) => completions::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Manual(arguments) => completions::write_manual(&arguments).map(|()| ExitCode::SUCCESS),
    }
}

/// Prints clap's help or usage error and returns the exit code. Help that cannot be written is a failure.
pub(crate) fn answer(answer: &clap::Error) -> ExitCode {
    let printed = sink::readers_may_leave(answer.print().and_then(|()| io::stdout().flush()));
    match printed {
        Err(source) if !answer.use_stderr() => CliError::write("standard output", &source).fail(),
        _ => ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(u8::MAX)),
    }
}
