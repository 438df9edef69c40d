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

/// What commands with a memory limit share.
struct Common<'a> {
    memory: &'a MemoryArguments,
    notes: Notes,
    /// The time limit of a command whose answer is all or nothing.
    deadline: Option<&'a DeadlineArguments>,
}

impl Command {
    /// The shared options, of a command that has them.
    fn common(&self) -> Option<Common<'_>> {
        let (memory, notes, deadline) = match self {
            Command::Rips(of) => (&of.machine.memory, of.report.notes(), None),
            Command::Reduce(of) => (&of.machine.memory, of.report.notes(), None),
            Command::Cubical(of) => (&of.machine.memory, of.report.notes(), None),
            Command::Ecc(of) => (&of.machine.memory, of.report.notes(), None),
            Command::Thin(of) => (&of.machine.memory, of.report.notes(), Some(&of.deadline)),
            Command::Plot(of) => (&of.memory, of.verbosity.notes(), Some(&of.deadline)),
            Command::Vectorize(of) => (&of.memory, of.verbosity.notes(), Some(&of.deadline)),
            Command::Convert(of) => (&of.memory, of.verbosity.notes(), Some(&of.deadline)),
            Command::Generate(of) => (&of.memory, of.verbosity.notes(), Some(&of.deadline)),
            Command::Distance(of) => (&of.memory, of.notes(), Some(&of.deadline)),
            Command::Compare(of) => (&of.memory, of.notes(), Some(&of.deadline)),
            Command::Phat(_)
            | Command::Inspect(_)
            | Command::Info(_)
            | Command::Completions(_)
            | Command::Manual(_) => return None,
        };
        Some(Common { memory, notes, deadline })
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
    let mut notes = None;
    if let Some(common) = cli.command.common() {
        #[cfg(all(feature = "huge-pages", target_os = "linux"))]
        if common.memory.given().is_some() {
            crate::allocator::keep_little();
        }
        // Curves take a lower limit for their slabs only.
        common.memory.hold(if matches!(cli.command, Command::Ecc(_)) { ecc::LEAST_HELD } else { 0 });
        common.memory.open_spill().map_err(told)?;
        common.deadline.map_or(Ok(()), DeadlineArguments::start).map_err(told)?;
        notes = Some(common.notes);
    }
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
