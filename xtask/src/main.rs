//! Lacuna's chores: `cargo xtask campaign`, `cargo xtask data [--check]`, `cargo xtask ptx [--check]`.

mod campaign;
mod data;
mod ptx;
mod random;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;

/// Lacuna's chores.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Chore {
    /// Random tiny inputs: what is fast against what is plain, every option crossed, until the time is up.
    Campaign(campaign::Options),
    /// Write data/: the example inputs, their expected barcodes, the list of cases, the provenance table.
    Data {
        /// Write nothing; fail when a committed file is not what would be written.
        #[arg(long)]
        check: bool,
    },
    /// Compile kernels/ to kernels/ptx/ with NVRTC.
    Ptx {
        /// Write nothing; fail when a committed file is not what would be written.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    match Chore::parse() {
        Chore::Campaign(options) => campaign::run(&options),
        Chore::Data { check } => report("data", check, if check { data::check() } else { data::write() }),
        Chore::Ptx { check } => report("kernels/ptx", check, if check { ptx::check() } else { ptx::write() }),
    }
}

fn report<E: Error>(what: &str, check: bool, done: Result<usize, E>) -> ExitCode {
    match done {
        Ok(files) => {
            eprintln!("{what}: {files} files {}", if check { "as generated" } else { "written" });
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
