//! The tables of the papers that Lacuna implements, with ours for comparison: `cargo bench --bench papers -- run
//! PAPER… --out ROWS.json`.
//!
//! ```text
//! cargo bench --bench papers -- run ripserpp hypha ecc thinning --data DIR --out ROWS.json
//! cargo bench --bench papers -- write benches/PAPERS.md ROWS.json...
//! ```
//!
//! One module per paper generates or finds the inputs, computes each answer and compares it with a known or an
//! independent one, and only then times it: a row cannot be created without [`rows::Row::verified`]. `run` writes the
//! measurements as JSON with a description of the machine, so that the binary can be carried to a machine that has a
//! GPU and nothing else; `write` turns one or more such files into the page. A table that was measured on several
//! machines appears once per machine.

mod ecc;
mod hypha;
mod machine;
mod page;
mod process;
mod ripserpp;
mod rows;
mod thinning;

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};

use crate::rows::{Measured, Table};

/// Any error, for display.
pub type Failure = Box<dyn Error>;

/// Measures what published tables report, and writes our results beside theirs.
#[derive(Parser)]
#[command(name = "papers")]
enum Command {
    /// Verify the answers and measure the programs.
    Run(Run),
    /// Write the page of one or more measurements.
    Write {
        /// The file of the page.
        page: PathBuf,
        /// The files that `run` wrote.
        #[arg(required = true)]
        rows: Vec<PathBuf>,
    },
    /// Runs a program, redirects its standard output to a file, and prints its time, memory and exit code.
    #[command(hide = true)]
    Launch {
        /// The file for the standard output.
        stdout: PathBuf,
        /// The program and its arguments.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
    /// Does nothing: `cargo bench` without arguments runs this.
    #[command(hide = true)]
    Nothing,
}

/// The measurements of a run, and their inputs.
#[derive(clap::Args)]
pub struct Run {
    /// The papers; all of them by default.
    #[arg(value_enum)]
    papers: Vec<Paper>,
    /// Folder with the downloaded inputs: each module's documentation lists their names.
    #[arg(long)]
    pub data: Option<PathBuf>,
    /// Folder for generated inputs and for outputs; a temporary one by default.
    #[arg(long)]
    pub scratch: Option<PathBuf>,
    /// Worker threads of the processor.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |count| count.get()))]
    pub threads: usize,
    /// Only the tables whose titles contain this text, such as "Table 2"; all by default.
    #[arg(long)]
    pub only: Vec<String>,
    /// Use small inputs and single runs, to test the benchmark itself. The page refuses such rows.
    #[arg(long)]
    pub small: bool,
    /// The file to which the rows are written.
    #[arg(long)]
    out: PathBuf,
}

/// The papers, by the short names of the page.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Paper {
    /// Zhang, Xiao, Wang 2020.
    Ripserpp,
    /// Zhang, Xiao, Guo, Geng, Wang, Zhang 2019.
    Hypha,
    /// Wang, Wagner, Chen 2022.
    Ecc,
    /// Kashani-Akhavan 2017.
    Thinning,
}

impl Run {
    /// Whether a table with this title is requested.
    pub fn wants(&self, title: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| title.contains(text.as_str()))
    }
}

fn main() -> ExitCode {
    // Cargo adds `--bench`; without other arguments there is nothing to measure.
    let mut given: Vec<_> = std::env::args_os().filter(|argument| argument != "--bench").collect();
    if given.len() == 1 {
        println!("skipped: nothing named; cargo bench --bench papers -- run --data DIR --out ROWS.json");
        given.push("nothing".into());
    }
    let done = match Command::parse_from(given) {
        Command::Run(run) => measure(&run),
        Command::Write { page, rows } => page::write(&page, &rows),
        Command::Launch { stdout, command } => process::launch(&stdout, &command),
        Command::Nothing => Ok(()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures the requested tables.
fn measure(run: &Run) -> Result<(), Failure> {
    // The threads for the processor's rows and for generating images.
    rayon::ThreadPoolBuilder::new().num_threads(run.threads).build_global()?;
    let papers = if run.papers.is_empty() { Paper::value_variants().to_vec() } else { run.papers.clone() };
    let mut measured = Measured {
        machine: machine::describe(run.threads),
        small: run.small,
        command: command(),
        tables: Vec::new(),
    };
    for paper in papers {
        let mut add = |table: Table| -> Result<(), Failure> {
            eprintln!("{}: {}, {} rows", table.paper, table.title, table.rows.len());
            measured.tables.push(table);
            // The file is written after each table, so that an interrupted run keeps those it has.
            Ok(fs::write(&run.out, serde_json::to_vec_pretty(&measured)?)?)
        };
        match paper {
            Paper::Ripserpp => ripserpp::measure(run, &mut add)?,
            Paper::Hypha => hypha::measure(run, &mut add)?,
            Paper::Ecc => ecc::measure(run, &mut add)?,
            Paper::Thinning => thinning::measure(run, &mut add)?,
        }
    }
    Ok(())
}

/// The command line, without folders of this machine.
fn command() -> String {
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let short = words.map(|word| if word.starts_with('/') { String::from("…") } else { word });
    format!("cargo bench --bench papers -- {}", short.collect::<Vec<_>>().join(" "))
}
