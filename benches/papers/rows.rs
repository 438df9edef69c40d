//! A table of a paper with our figures: rows that are verified before they are timed.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::{Failure, Run};

/// What one run of this program measured.
#[derive(Serialize, Deserialize)]
pub struct Measured {
    pub machine: Machine,
    pub small: bool,
    pub command: String,
    pub tables: Vec<Table>,
}

/// Where it was measured.
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
    /// As the paper names it: "Table 2. Time and memory".
    pub title: String,
    /// The machine on which the paper's figures were measured.
    pub paper_machine: String,
    /// How the quantities are defined, how ours are measured, which inputs stand in for those that cannot be had.
    pub notes: Vec<String>,
    pub rows: Vec<Row>,
}

/// One quantity of one input.
#[derive(Serialize, Deserialize)]
pub struct Row {
    pub input: String,
    pub quantity: String,
    pub unit: Unit,
    /// The paper's figure, or none where the paper has only a picture.
    pub paper: Option<f64>,
    pub ours: f64,
    /// What computed it: "cuda", "cpu", or words such as "cuda, kernel alone".
    pub backend: String,
    /// Against what the answer was compared before the clock was started.
    pub verified: String,
    /// What had to be read between the lines, what limits it; empty if there is nothing to say.
    pub remark: String,
}

/// What a figure counts, from which follows what is better.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    Seconds,
    Milliseconds,
    /// Bytes; less is better.
    Bytes,
    /// Things a second; more is better.
    PerSecond,
    /// Voxels a second; more is better.
    VoxelsPerSecond,
    /// Frames a second; more is better.
    Hertz,
    /// A number of things, which is to be equal.
    Count,
    /// A number of steps of work; less is better.
    Work,
    /// A share of one, which is to be equal.
    Fraction,
    /// A share of a run's time, of which neither more nor less is better.
    Share,
    /// A ratio of two times; more is better.
    Times,
}

impl Unit {
    /// Whether it says how fast something is.
    pub fn is_of_time(self) -> bool {
        use Unit::{Hertz, Milliseconds, PerSecond, Seconds, VoxelsPerSecond};
        matches!(self, Seconds | Milliseconds | PerSecond | VoxelsPerSecond | Hertz)
    }
}

impl Row {
    /// Our figure as a multiple of the paper's, above one where ours is better; none where there is nothing to compare.
    pub fn factor(&self) -> Option<f64> {
        let paper = self.paper?;
        match self.unit {
            Unit::Seconds | Unit::Milliseconds | Unit::Bytes | Unit::Work => Some(paper / self.ours),
            Unit::PerSecond | Unit::VoxelsPerSecond | Unit::Hertz | Unit::Times => Some(self.ours / paper),
            Unit::Count | Unit::Fraction | Unit::Share => None,
        }
    }
}

/// What measures a table of a paper, all but its title.
pub type Measure<B> = fn(&B) -> Result<Table, Failure>;

/// Adds those tables of a paper that are asked for, each under its title. A table without rows is left out: some need a device.
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

/// The median of the times of `runs` runs, each of which gives its own clock's answer.
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
