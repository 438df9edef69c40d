//! Development tasks: `cargo xtask campaign`, `cargo xtask data [--check]`, `cargo xtask dist [--check]`, `cargo xtask
//! man`, `cargo xtask ptx [--check]`.

mod campaign;
mod data;
mod dist;
mod ptx;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;

/// Development tasks of Lacuna.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Chore {
    /// Compare fast code with plain references on small random inputs and combinations of options, for a given time.
    Campaign(campaign::Options),
    /// Write data/: the example inputs, their expected barcodes, the list of cases, the provenance table.
    Data {
        /// Write nothing; fail if a committed file differs from what would be written.
        #[arg(long)]
        check: bool,
    },
    /// Build the files of a release: wheels, archives of the program, checksums.
    Dist(dist::Options),
    /// Write the manual pages, one for each command.
    Man {
        /// The folder to write them to.
        #[arg(default_value = "target/man")]
        directory: PathBuf,
    },
    /// Compile kernels/ to kernels/ptx/ with NVRTC.
    Ptx {
        /// Write nothing; fail if a committed file differs from what would be written.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    match Chore::parse() {
        Chore::Campaign(options) => campaign::run(&options),
        Chore::Data { check } => report("data", check, if check { data::check() } else { data::write() }),
        Chore::Dist(options) => end(dist::run(&options)),
        Chore::Man { directory } => man(&directory),
        Chore::Ptx { check } => report("kernels/ptx", check, if check { ptx::check() } else { ptx::write() }),
    }
}

/// Runs the program, which writes its own pages.
fn man(directory: &Path) -> ExitCode {
    match program().arg("manual").arg(directory).status() {
        Ok(status) if status.success() => {
            eprintln!("{}: written", directory.display());
            ExitCode::SUCCESS
        }
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: cargo: expected a program that can be started, found: {error}");
            ExitCode::FAILURE
        }
    }
}

fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The program of this machine. Cargo builds it with the settings of this task, so the library is built already.
fn program() -> Command {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "lacuna", "--"]);
    command
}

fn report<E: Error>(what: &str, check: bool, done: Result<usize, E>) -> ExitCode {
    end(done.map(|files| format!("{what}: {files} files {}", if check { "as generated" } else { "written" })))
}

fn end<E: Error>(done: Result<String, E>) -> ExitCode {
    match done {
        Ok(message) => {
            eprintln!("{message}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprintln!("  {error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}
