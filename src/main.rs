//! The `lacuna` program: parse, run, report the error, exit code.
//!
//! Exit codes: 0 success, 1 a failure of the machine, files that differ, or a skeleton of another topology, 2 wrong
//! usage or wrong input, 3 a signal ended a run that keeps its state, 4 the time is up; `cli/exit_codes.rs` has the
//! codes of each command.

#[cfg(all(feature = "huge-pages", target_os = "linux"))]
mod allocator;
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run().unwrap_or_else(|error| error.fail())
}
