//! The command line: one file per subcommand, and shared modules.

mod arguments;
mod batch;
mod compare;
mod completions;
mod convert;
mod cubical;
mod directory;
mod distance;
mod ecc;
mod ect;
mod ending;
mod error;
mod exit_codes;
mod frame;
mod generate;
mod help;
mod image_file;
mod info;
mod input_identity;
mod inspect;
mod leftovers;
mod long_run;
mod naming;
mod notes;
#[cfg(all(feature = "huge-pages", target_os = "linux"))]
mod out_of_memory;
mod outputs;
mod parse;
mod phat;
mod pictures;
mod plot;
mod progress;
mod ranks;
mod record;
mod reduce;
mod rips;
mod run;
mod sink;
mod stop_request;
mod temporary;
mod thin;
mod threads;
mod vectorize;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use lacuna::internals::spilled_at_most;
use lacuna::memory::Bytes;

use arguments::memory::MemoryArguments;
use error::{CliError, Result};
use notes::Notes;

#[cfg(all(feature = "huge-pages", target_os = "linux"))]
pub(crate) use out_of_memory::end_out_of_memory;

/// Persistent homology: barcodes from the command line
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, after_help = exit_codes::section(exit_codes::ALL))]
struct Cli {
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
    Ect(Box<ect::Arguments>),
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

/// Options that all commands with limits have.
struct Common {
    memory: MemoryArguments,
    notes: Notes,
    time_limit: Option<Duration>,
    /// Whether a run has its answer as a whole or not at all.
    is_all_or_nothing: bool,
}

impl Common {
    /// The shared options, of a command that has them.
    fn of(given: &ArgMatches) -> Option<Self> {
        // Both options have a default, so they are there where the command has them.
        let [has_memory, keeps_state] =
            ["memory", "every"].map(|option| given.try_contains_id(option).is_ok_and(|has| has));
        if !has_memory {
            return None;
        }
        let memory = MemoryArguments::from_arg_matches(given).ok()?;
        let notes = Notes::from_arg_matches(given).ok()?;
        let time_limit = given.get_one("time_limit").copied();
        Some(Common { memory, notes, time_limit, is_all_or_nothing: !keeps_state })
    }

    fn start_time_limit(&self) -> Result<()> {
        let Some(time) = self.time_limit else { return Ok(()) };
        if self.is_all_or_nothing {
            progress::note_where_it_is();
        }
        let failed = |source| CliError::system("--time-limit: cannot start a thread that waits", &source);
        ending::limit(time, self.is_all_or_nothing).map_err(failed)
    }
}

/// Connects the processes of a launcher, if there are several, and runs the command. A run without failure returns 0,
/// or what `compare` and `thin --verify` found.
pub(crate) fn run() -> Result<ExitCode> {
    ranks::start()?;
    let code = run_here()?;
    ranks::finish();
    Ok(code)
}

/// Parses the command line and runs its command in this process.
fn run_here() -> Result<ExitCode> {
    let parsed = Cli::command().try_get_matches();
    let parsed = parsed.and_then(|given| Ok((Cli::from_arg_matches(&given)?, given)));
    let (cli, given) = match parsed {
        Ok(parsed) => parsed,
        Err(answer) => return Ok(self::answer(&answer)),
    };
    let given = given.subcommand().map_or(&given, |(_, given)| given);
    let is_comparison = matches!(cli.command, Command::Compare(_));
    #[cfg(all(feature = "huge-pages", target_os = "linux"))]
    out_of_memory::prepare(if is_comparison { 2 } else { 1 });
    // Errors of a comparison never have the exit code that says that the files differ.
    let told = |error: CliError| if is_comparison { error.into_input_error() } else { error };
    let mut notes = None;
    if let Some(common) = Common::of(given) {
        #[cfg(all(feature = "huge-pages", target_os = "linux"))]
        if common.memory.given().is_some() {
            crate::allocator::keep_little();
        }
        // Curves take a lower limit for their slabs only.
        common.memory.hold(if matches!(cli.command, Command::Ecc(_)) { ecc::LEAST_HELD } else { 0 });
        common.memory.open_spill().map_err(told)?;
        // The end of rank 0 is that of all.
        if ranks::is_root() {
            common.start_time_limit().map_err(told)?;
        }
        notes = Some(common.notes);
    }
    let answer = run_command(cli.command, given, notes).map_err(told);
    if let (Some(notes), Some(bytes @ 1..)) = (notes, spilled_at_most()) {
        notes.note(format_args!("at most {} in the file of --spill", Bytes(bytes)));
    }
    answer
}

fn run_command(command: Command, given: &ArgMatches, notes: Option<Notes>) -> Result<ExitCode> {
    // These look at their inputs first.
    if !matches!(command, Command::Rips(_) | Command::Cubical(_) | Command::Ecc(_)) {
        ranks::agree(&[])?;
        ranks::join(notes)?;
        if ranks::are_several() {
            return Err(ranks::not_shared());
        }
    }
    let done = match command {
        Command::Thin(arguments) => return thin::run(&arguments),
        Command::Compare(arguments) => return compare::run(&arguments),
        Command::Rips(arguments) => rips::run(&arguments, given),
        Command::Reduce(arguments) => reduce::run(&arguments, given),
        Command::Cubical(arguments) => cubical::run(&arguments, given),
        Command::Ecc(arguments) => ecc::run(&arguments, given),
        Command::Ect(arguments) => ect::run(&arguments),
        Command::Phat(arguments) => phat::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments),
        Command::Vectorize(arguments) => vectorize::run(&arguments),
        Command::Distance(arguments) => distance::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Manual(arguments) => completions::write_manual(&arguments),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// Locks a mutex. What it holds is valid even if a thread panicked.
pub(crate) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints clap's help or usage error and returns the exit code. Help that cannot be written is a failure.
fn answer(answer: &clap::Error) -> ExitCode {
    let print = || answer.print().and_then(|()| io::stdout().flush());
    let printed = sink::readers_may_leave(if ranks::is_root() { print() } else { Ok(()) });
    match printed {
        Err(source) if !answer.use_stderr() => CliError::write("standard output", &source).fail(),
        _ => ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(u8::MAX)),
    }
}
