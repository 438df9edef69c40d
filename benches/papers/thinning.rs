//! Kashani-Akhavan's thinning on a GPU, 2017: Table 1, Tables 4 to 7, Figures 8 and 9, and the claimed speedup over
//! one thread.
//!
//! All images are seeded ([`images`]); nothing is read from `--data`. The whole process of Table 1 runs the program
//! `lacuna` that the variable LACUNA names, or that is next to this program.

mod images;
mod iterations;
mod profile;
mod speedup;

use std::path::PathBuf;
use std::time::Instant;

use lacuna::cubical::thinning::cuda::Prepared;
use lacuna::cubical::thinning::{BitImage, Pass, Rule, ThinningRequest, plain, thin};
use lacuna::internals::Gpu;

use crate::ecc::device;
use crate::rows::{self, Measure, Row, Table, Unit};
use crate::{Failure, Run, process};

const PAPER: &str = "Thinning";
const MACHINE: &str = "Core i7-2600K (4 cores), GeForce GTX 580, PCIe 2.0 × 16, CUDA SDK 5.0";

pub fn measure(run: &Run, add: &mut dyn FnMut(Table) -> Result<(), Failure>) -> Result<(), Failure> {
    let bench = Bench {
        gpu: device()?,
        program: process::lacuna()?,
        scratch: run.scratch.clone(),
        small: run.small,
        threads: run.threads,
        runs: if run.small { 1 } else { 3 },
    };
    let tables: [(&str, Measure<_>); 5] = [
        (profile::TITLE, profile::table),
        (iterations::TITLE, iterations::table),
        (iterations::DECAY, iterations::decay),
        (iterations::SWEEP, iterations::sweep),
        (speedup::TITLE, speedup::table),
    ];
    rows::add_all(run, &bench, &tables, add)
}

/// The setup of the measurements.
struct Bench {
    gpu: Option<Gpu>,
    program: PathBuf,
    scratch: Option<PathBuf>,
    small: bool,
    threads: usize,
    /// Number of measured runs, of which the median counts.
    runs: usize,
}

impl Bench {
    /// The side of the square of foreground.
    fn side(&self) -> usize {
        if self.small { 200 } else { 8000 }
    }
}

/// The row of a quantity.
fn row(input: &str, quantity: &str, unit: Unit, figures: (Option<f64>, f64), by: [&str; 3]) -> Row {
    let [backend, verified, remark] = by.map(str::to_owned);
    let (paper, ours) = figures;
    Row {
        input: input.to_owned(),
        quantity: quantity.to_owned(),
        unit,
        paper,
        ours,
        backend,
        verified,
        remark,
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

/// The processor's skeleton with the deletions of each iteration. A corner is compared with the rule pixel by pixel,
/// and everything with the device's result.
fn verified(
    image: &BitImage,
    rule: Rule,
    prepared: Option<&Prepared>,
) -> Result<(BitImage, Vec<Pass>), Failure> {
    let corner = images::corner(image, 130)?;
    let (expected, iterations) = plain::thin(&corner, rule, None);
    let (skeleton, passes) = on_processor(&corner, rule)?;
    if skeleton != expected || passes.len() != iterations {
        return Err(format!("{rule}: a corner differs from the rule pixel by pixel").into());
    }
    let (skeleton, passes) = on_processor(image, rule)?;
    if let Some(prepared) = prepared {
        let mut found_passes = Vec::new();
        let (found, _) = prepared.thin(image, None, &mut |pass| found_passes.push(pass))?;
        if found != skeleton || found_passes != passes {
            return Err(format!("{rule}: the device differs from the processor").into());
        }
    }
    Ok((skeleton, passes))
}

/// Describes the checks of [`verified`].
fn words(has_device: bool) -> &'static str {
    if has_device {
        "processor: skeleton, deletions of every iteration; a corner pixel by pixel"
    } else {
        "a corner pixel by pixel"
    }
}

fn on_processor(image: &BitImage, rule: Rule) -> Result<(BitImage, Vec<Pass>), Failure> {
    let mut passes = Vec::new();
    let request = ThinningRequest { rule: Some(rule), iterations: None };
    let (skeleton, _) = thin(image, &request, &mut |pass| passes.push(pass))?;
    Ok((skeleton, passes))
}

/// The median time in seconds of work that may fail.
fn seconds<T>(runs: usize, mut work: impl FnMut() -> Result<T, Failure>) -> Result<f64, Failure> {
    let mut times = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        std::hint::black_box(work()?);
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
