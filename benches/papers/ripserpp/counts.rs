//! Table 1: numbers of apparent, shortcut and emergent pairs.

use super::Figure;
use super::answers::{Answers, Way};
use super::sets::SLIP;
use crate::Failure;
use crate::rows::{Row, Table, Unit};

pub const TITLE: &str = "Table 1. Kinds of pairs";

const NOTES: [&str; 3] = [
    "Sums over the dimensions from 1 up. No threshold but o3's: with the enclosing radius, where Lacuna stops unless it is told otherwise, \
     there are fewer.",
    "\"All\" counts essential classes too: six of o3 at its threshold, none of a full filtration.",
    "Every machine named counted the same.",
];

/// The table.
pub fn table(answers: &mut Answers<'_>) -> Result<Table, Failure> {
    let machines = answers.machines();
    let names: Vec<&str> = machines.iter().map(|&(_, name)| name).collect();
    let mut rows = Vec::new();
    for set in 0..answers.sets.len() {
        let mut counts = [0; 4];
        for &(machine, _) in &machines {
            // Each run is compared with the known counts, or with those of the first run.
            counts = answers.of(set, Way::on(machine))?.answers[0].counts();
        }
        rows.extend(of_set(answers, set, counts, &names.join(", ")));
    }
    Ok(super::table(TITLE, &NOTES, rows))
}

/// The rows of a set.
fn of_set(answers: &Answers<'_>, set: usize, counts: [u64; 4], backend: &str) -> Vec<Row> {
    let set = &answers.sets[set];
    let verified = set.verified();
    let paper = set.paper.map(|paper| paper.counts);
    let count = |(column, quantity): (usize, &'static str)| {
        let remark = if (set.name, column) == (SLIP.0, SLIP.1) && set.paper.is_some() {
            String::from(
                "a digit of the paper's is a slip: counting the columns that Ripser pairs without an addition gives our number too",
            )
        } else {
            String::new()
        };
        let paper = paper.map(|paper| paper[column] as f64);
        let figure =
            Figure { quantity, unit: Unit::Count, paper, ours: counts[column] as f64, backend, remark };
        figure.of(set.name, verified)
    };
    let kinds = [(0, "apparent"), (1, "shortcut"), (2, "emergent"), (3, "all")];
    let mut rows: Vec<Row> = kinds.into_iter().map(count).collect();
    let share = |counts: [u64; 4]| counts[0] as f64 / counts[3] as f64;
    let figure = Figure {
        quantity: "apparent / all",
        unit: Unit::Fraction,
        paper: paper.map(share),
        ours: share(counts),
        backend,
        remark: String::new(),
    };
    rows.push(figure.of(set.name, verified));
    rows
}
