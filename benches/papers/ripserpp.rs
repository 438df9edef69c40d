//! Ripser++: Zhang, Xiao, Wang, "GPU-Accelerated Computation of Vietoris–Rips Persistence Barcodes", SoCG 2020.
//!
//! | module | of the paper |
//! |---|---|
//! | `counts` | Table 1: kinds of pairs |
//! | `processes` | Table 2: time and memory of whole processes |
//! | `store` | Table 3: writes and reads of the pair store |
//! | `discovery` | Figure 9: apparent pairs found a second |
//! | `fraction` | Figure 10 with Theorem 6: the share of apparent pairs |
//! | `sets` | the data sets, the paper's figures of them, and the answers |
//! | `answers` | runs of the program on them, each compared with the answer |
//!
//! `--data DIR` holds the paper's data sets, from the repositories of Ripser and Ripser++ and from Otter et al., "A roadmap for the
//! computation of persistent homology": `celegans.dist`, `dragon1000.dist`, `HIV.dist`, `vicsek300.dist` (distance matrices),
//! `sphere_3_192.lower` (distances below the diagonal), `o3_4096.pts` (points). With `--small` they are not needed: small inputs,
//! made by seed, stand in their place, and no row has a figure of the paper.
//!
//! The filtrations are whole, as the paper's are (its counts say so), except o3's, which ends at 1.4. What the program does unless it
//! is told otherwise, to stop at the enclosing radius and to collapse edges where it pays, gives the same bars, and has rows of its own.

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

/// All tables of the paper that are asked for.
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

/// A figure beside the paper's.
struct Figure<'a> {
    quantity: &'a str,
    unit: Unit,
    paper: Option<f64>,
    ours: f64,
    backend: &'a str,
    remark: String,
}

impl Figure<'_> {
    /// The row of the figure, of an input that was verified.
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

    /// The row, whose remark stays only where ours is less than ten times as good: it says what forbids that.
    fn limited(mut self, input: &str, verified: &str) -> Row {
        let limit = std::mem::take(&mut self.remark);
        let mut row = self.of(input, verified);
        if row.factor().is_some_and(|factor| factor < 10.0) {
            row.remark = limit;
        }
        row
    }
}
