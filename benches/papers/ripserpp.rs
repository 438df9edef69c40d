//! Ripser++: Zhang, Xiao, Wang, "GPU-Accelerated Computation of Vietoris–Rips Persistence Barcodes", SoCG 2020.
//!
//! | module | part of the paper |
//! |---|---|
//! | `counts` | Table 1: kinds of pairs |
//! | `processes` | Table 2: time and memory of whole processes |
//! | `store` | Table 3: writes and reads of the pair store |
//! | `discovery` | Figure 9: apparent pairs found per second |
//! | `fraction` | Figure 10 with Theorem 6: the share of apparent pairs |
//! | `sets` | the data sets, the paper's numbers for them, and the answers |
//! | `answers` | runs of the program on the data sets, each compared with the answer |
//!
//! `--data DIR` holds the paper's data sets, from the repositories of Ripser and Ripser++ and from Otter et al., "A
//! roadmap for the computation of persistent homology": `celegans.dist`, `dragon1000.dist`, `HIV.dist`,
//! `vicsek300.dist` (distance matrices), `sphere_3_192.lower` (distances below the diagonal), `o3_4096.pts` (points).
//! With `--small` they are replaced by small seeded inputs, and no row has a number of the paper.
//!
//! The filtrations are whole, like the paper's (as its counts show), except for o3, which ends at 1.4. The program's
//! defaults, to stop at the enclosing radius and to collapse edges if that pays, give the same bars, and have rows of
//! their own.

mod answers;
mod counts;
mod discovery;
mod fraction;
mod processes;
mod sets;
mod store;

use crate::rows::{Row, Table, Unit};
use crate::{Failure, Run};
use answers::Answers;

/// The paper's machine.
const MACHINE: &str = "Tesla V100 (32 GB), two Xeon E5-2680 v4 (28 cores)";

/// Measures all requested tables of the paper.
pub fn measure(run: &Run, add: &mut dyn FnMut(Table) -> Result<(), Failure>) -> Result<(), Failure> {
    let of_sets = [counts::TITLE, processes::TITLE, store::TITLE, discovery::TITLE];
    if of_sets.iter().any(|title| run.wants(title)) {
        let mut answers = Answers::new(run)?;
        if run.wants(counts::TITLE) {
            add(counts::table(&mut answers)?)?;
        }
        if run.wants(processes::TITLE) {
            add(processes::table(&mut answers)?)?;
        }
        if run.wants(store::TITLE) {
            add(store::table(&mut answers)?)?;
        }
        if run.wants(discovery::TITLE) {
            add(discovery::table(&mut answers)?)?;
        }
    }
    if run.wants(fraction::TITLE) {
        add(fraction::table(run)?)?;
    }
    Ok(())
}

/// A table of the paper.
fn table(title: &str, notes: &[&str], rows: Vec<Row>) -> Table {
    Table {
        paper: String::from("Ripser++"),
        title: String::from(title),
        paper_machine: String::from(MACHINE),
        notes: notes.iter().map(|&note| String::from(note)).collect(),
        rows,
    }
}

/// A measurement with the paper's number.
struct Figure<'a> {
    quantity: &'a str,
    unit: Unit,
    paper: Option<f64>,
    ours: f64,
    backend: &'a str,
    remark: String,
}

impl Figure<'_> {
    /// The row of the measurement for a verified input.
    fn of(self, input: &str, verified: &str) -> Row {
        Row {
            input: String::from(input),
            quantity: String::from(self.quantity),
            unit: self.unit,
            paper: self.paper,
            ours: self.ours,
            backend: String::from(self.backend),
            verified: String::from(verified),
            remark: self.remark,
        }
    }

    /// The row, with its remark only if ours is less than ten times as good: it explains the limit.
    fn limited(mut self, input: &str, verified: &str) -> Row {
        let limit = std::mem::take(&mut self.remark);
        let mut row = self.of(input, verified);
        if row.factor().is_some_and(|factor| factor < 10.0) {
            row.remark = limit;
        }
        row
    }
}
