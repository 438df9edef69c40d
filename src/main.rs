//! The `lacuna` program: parse, run, report the error, exit code.
//!
//! Exit codes: 0 success, 1 a failure while running or files that differ, 2 wrong usage or wrong input.

mod cli;

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cli::run(cli::Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            report(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Says what went wrong, and what was behind it, in one line on standard error.
fn report(error: &dyn Error) {
    let mut line = format!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        line.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(std::io::stderr(), "{line}");
}
