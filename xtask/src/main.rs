//! Lacuna's chores: `cargo xtask data [--check]`.

mod data;

use std::process::ExitCode;

use clap::Parser;

/// Lacuna's chores.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Chore {
    /// Write data/: the example inputs, their expected barcodes, the list of cases, the provenance table.
    Data {
        /// Write nothing; fail when a committed file is not what would be written.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    let Chore::Data { check } = Chore::parse();
    let done = if check { data::check() } else { data::write() };
    match done {
        Ok(files) => {
            eprintln!("data: {files} files {}", if check { "as generated" } else { "written" });
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
