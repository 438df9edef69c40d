//! The `lacuna` program: parse, run, report the error, exit code.
//!
//! Exit codes: 0 success, 1 a failure while running or files that differ, 2 wrong usage or wrong input.

mod allocator;
mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cli::run(cli::Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            cli::report(&error);
            ExitCode::from(error.exit_code())
        }
    }
}
