//! Tables of a paper with our measurements: rows are verified before they are timed.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::{Failure, Run};

/// The measurements of one run of this program.
#[derive(Serialize, Deserialize)]
pub struct Measured {
    pub machine: Machine,
    pub small: bool,
    pub command: String,
    pub tables: Vec<Table>,
}

/// The machine of the measurements.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
pub struct Machine {
    pub processor: String,
    pub threads: usize,
    /// The device's name, if one was there.
    pub device: Option<String>,
    pub commit: String,
    pub rust: String,
}

/// A table or a figure of a paper.
#[derive(Serialize, Deserialize)]
pub struct Table {
    /// The short name of the paper, such as "Ripser++".
    pub paper: String,
    /// The paper's title of the table, such as "Table 2. Time and memory".
    pub title: String,
    /// The machine on which the paper's figures were measured.
    pub paper_machine: String,
    /// Definitions of the quantities, methods of measurement, and inputs that replace unavailable ones.
    pub notes: Vec<String>,
    pub rows: Vec<Row>,
}

/// One quantity of one input.
#[derive(Serialize, Deserialize)]
pub struct Row {
    pub input: String,
    pub quantity: String,
    pub unit: Unit,
    /// The paper's number; `None` if the paper has only a picture.
    pub paper: Option<f64>,
    pub ours: f64,
    /// The backend: "cuda", "cpu", or words such as "cuda, kernel alone".
    pub backend: String,
    /// The source with which the answer was compared before it was timed.
    pub verified: String,
    /// Interpretations of the paper, or what limits the number; empty if there are none.
    pub remark: String,
}

/// The unit of a number, which decides what is better.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    Seconds,
    Milliseconds,
    /// Bytes; less is better.
    Bytes,
    /// Things per second; more is better.
    PerSecond,
    /// Voxels per second; more is better.
    VoxelsPerSecond,
    /// Frames per second; more is better.
    Hertz,
    /// A number of things, which should be equal.
    Count,
    /// A number of steps of work; less is better.
    Work,
    /// A share of one, which should be equal.
    Fraction,
    /// A share of a run's time, where neither more nor less is better.
    Share,
    /// A ratio of two times; more is better.
    Times,
}

impl Unit {
    /// Whether the unit measures speed.
    pub fn is_of_time(self) -> bool {
        use Unit::{Hertz, Milliseconds, PerSecond, Seconds, VoxelsPerSecond};
        matches!(self, Seconds | Milliseconds | PerSecond | VoxelsPerSecond | Hertz)
    }
}

impl Row {
    /// Our number as a multiple of the paper's, above one if ours is better; `None` if they cannot be compared.
    pub fn factor(&self) -> Option<f64> {
        let paper = self.paper?;
        match self.unit {
            Unit::Seconds | Unit::Milliseconds | Unit::Bytes | Unit::Work => Some(paper / self.ours),
            Unit::PerSecond | Unit::VoxelsPerSecond | Unit::Hertz | Unit::Times => Some(self.ours / paper),
            Unit::Count | Unit::Fraction | Unit::Share => None,
        }
    }
}

/// A function that measures a table of a paper, without its title.
pub type Measure<B> = fn(&B) -> Result<Table, Failure>;

/// Adds the requested tables of a paper with their titles. Tables without rows are left out, since some need a
/// device.
pub fn add_all<B>(
    run: &Run,
    bench: &B,
    tables: &[(&str, Measure<B>)],
    add: &mut dyn FnMut(Table) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for (title, measure) in tables.iter().filter(|(title, _)| run.wants(title)) {
        let table = Table { title: (*title).to_owned(), ..measure(bench)? };
        if !table.rows.is_empty() {
            add(table)?;
        }
    }
    Ok(())
}

/// The median of the times of `runs` runs, each measured by `once`.
pub fn median_of(runs: usize, mut once: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..runs.max(1)).map(|_| once()).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// The median time of `runs` runs of `work`.
pub fn median<T>(runs: usize, mut work: impl FnMut() -> T) -> Duration {
    median_of(runs, || {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed()
    })
}
