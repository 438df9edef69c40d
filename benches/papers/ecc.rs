//! Wang, Wagner, Chen, "GPU computation of the Euler characteristic curve for imaging data", SoCG 2022: Tables 1 to
//! 3, and its frame rates.
//!
//! All images are seeded ([`inputs`]); nothing is read from `--data`. Files are in `--scratch`, at most 8 GB at a
//! time. Whole processes run the program `lacuna` that the variable LACUNA names, or that is next to this program.

mod frames;
mod inputs;
mod streams;
mod table1;
mod table2;
mod table3;
mod verify;

use std::path::{Path, PathBuf};

use lacuna::backend::CudaError;
use lacuna::internals::Gpu;

use crate::rows::{self, Measure, Row, Table, Unit};
use crate::{Failure, Run, process};

const PAPER: &str = "GPU ECC";
const MACHINE: &str = "Core i7-9700K (8 cores), 16 GB, NVMe disk, RTX 2070 8 GB";

pub fn measure(run: &Run, add: &mut dyn FnMut(Table) -> Result<(), Failure>) -> Result<(), Failure> {
    let folder = match &run.scratch {
        Some(scratch) => tempfile::tempdir_in(scratch)?,
        None => tempfile::tempdir()?,
    };
    let bench = Bench {
        gpu: device()?,
        program: process::lacuna()?,
        folder: folder.path(),
        small: run.small,
        threads: run.threads,
        runs: if run.small { 1 } else { 3 },
    };
    let tables: [(&str, Measure<_>); 4] = [
        (table1::TITLE, table1::table),
        (table2::TITLE, table2::table),
        (table3::TITLE, table3::table),
        (frames::TITLE, frames::table),
    ];
    rows::add_all(run, &bench, &tables, add)
}

/// The first device; `None` if there is none. A device that cannot be opened is an error.
pub fn device() -> Result<Option<Gpu>, Failure> {
    match Gpu::open(0, None) {
        Ok(gpu) => Ok(Some(gpu)),
        Err(error @ (CudaError::NotBuilt | CudaError::NoDriver | CudaError::NoDevice)) => {
            eprintln!("rows of the processor alone: {error}");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The setup of the measurements.
struct Bench<'a> {
    gpu: Option<Gpu>,
    program: PathBuf,
    /// Folder for files, which are deleted with it.
    folder: &'a Path,
    small: bool,
    threads: usize,
    /// Number of measured runs, of which the median counts.
    runs: usize,
}

impl Bench<'_> {
    /// The extents of an image; with `--small` a sixteenth of them.
    fn scaled(&self, axes: &[usize]) -> Vec<usize> {
        let scale = if self.small { 16 } else { 1 };
        axes.iter().map(|axis| (axis / scale).max(9)).collect()
    }

    /// The arguments of `lacuna ecc` for raw images with the given extents.
    fn arguments(
        &self,
        axes: &[usize],
        dtype: &str,
        rows: Option<inputs::Rows>,
        backend: &str,
    ) -> Vec<String> {
        let shape: Vec<String> = axes.iter().map(usize::to_string).collect();
        let fixed = ["ecc", "-q", "--format=raw", "--output=csv"].map(String::from);
        let mut arguments = fixed.to_vec();
        arguments.extend([
            format!("--shape={}", shape.join(",")),
            format!("--dtype={dtype}"),
            format!("--backend={backend}"),
            format!("--threads={}", self.threads),
        ]);
        arguments.extend(rows.map(inputs::Rows::arguments).unwrap_or_default());
        arguments
    }
}

/// The rows of an input.
struct InputRows<'a> {
    input: &'a str,
    verified: String,
    rows: Vec<Row>,
}

impl InputRows<'_> {
    fn add(&mut self, quantity: &str, unit: Unit, figures: (Option<f64>, f64), backend: &str, remark: &str) {
        let (paper, ours) = figures;
        self.rows.push(Row {
            input: self.input.to_owned(),
            quantity: quantity.to_owned(),
            unit,
            paper,
            ours,
            backend: backend.to_owned(),
            verified: self.verified.clone(),
            remark: remark.to_owned(),
        });
    }
}

/// A table of the paper, without its title.
fn table(notes: &[&str], rows: Vec<Row>) -> Table {
    Table {
        paper: PAPER.to_owned(),
        title: String::new(),
        paper_machine: MACHINE.to_owned(),
        notes: notes.iter().map(|&note| note.to_owned()).collect(),
        rows,
    }
}

/// The median of times in seconds.
fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}
