//! Figure 9: apparent pairs found and stored per second.

use super::Figure;
use super::answers::{Answer, Answers, Machine, Way, short};
use crate::Failure;
use crate::rows::{Row, Table, Unit};

pub const TITLE: &str = "Figure 9. Throughput of the discovery of apparent pairs";

const NOTES: [&str; 4] = [
    "The figure is bars on an axis that ends at 1e8 columns/s, without numbers; the text says that Ripser++ is 4.2 to 12.3 times as fast as \
     Ripser, which finds shortcut pairs.",
    "\"Stored\": apparent pairs over the seconds in which the device sweeps, sorts and hands over what it found, and the processor makes \
     one list of it. \"Found\": over the seconds in which it sweeps for what is not apparent, which is all that the implicit store needs.",
    "The sweep of the processor looks up in layer 1, too, what it clears; that of the device leaves this to the processor.",
    "The factors are over our own program on one thread, nothing stored, which is the faster of its two ways.",
];

/// The end of the axis in the paper's figure, in columns per second.
const AXIS: f64 = 1e8;

/// The table.
pub fn table(answers: &mut Answers<'_>) -> Result<Table, Failure> {
    let (mut rows, mut factors) = (Vec::new(), Vec::new());
    for set in 0..answers.sets.len() {
        let one = found(answers, set, Way::on(Machine::OneThread))?;
        for (machine, label) in answers.machines() {
            let stored = found(answers, set, Way::sorted(machine))?;
            rows.push(row(
                answers,
                set,
                "apparent pairs found and stored",
                &format!("{label}, sorted"),
                &stored,
            ));
            if machine == Machine::Cuda {
                factors.push(stored.rate / one.rate);
            }
            let only = found(answers, set, Way::on(machine))?;
            rows.push(row(answers, set, "apparent pairs found", &format!("{label}, implicit"), &only));
        }
        rows.push(row(answers, set, "apparent pairs found", "cpu, one thread, implicit", &one));
    }
    let is_paper = answers.sets.iter().all(|set| set.paper.is_some());
    let least = factors.iter().copied().reduce(f64::min);
    let greatest = factors.iter().copied().reduce(f64::max);
    for (quantity, paper, ours) in
        [("least factor over one thread", 4.2, least), ("greatest factor", 12.3, greatest)]
    {
        let Some(ours) = ours else { continue };
        let paper = is_paper.then_some(paper);
        let remark =
            String::from("ours over our own sweep, which has no column to form; the paper's over Ripser");
        let figure = Figure { quantity, unit: Unit::Times, paper, ours, backend: "cuda, sorted", remark };
        rows.push(figure.limited("all sets", "the rows above"));
    }
    Ok(super::table(TITLE, &NOTES, rows))
}

/// The rate of discovery, and the parts of its time in words.
struct Found {
    rate: f64,
    words: String,
}

/// The throughput of discovery in a configuration.
fn found(answers: &mut Answers<'_>, set: usize, way: Way) -> Result<Found, Failure> {
    let measured = answers.of(set, way)?;
    let seconds = measured.median(|answer| seconds(answer, way.machine));
    let answer = &measured.answers[0];
    let store = |figure: fn(&lacuna::rips::PairStoreStats) -> f64| answer.sum(|d| figure(&d.pair_store));
    let mut words = format!("in {}", short(seconds));
    if way.is_sorted {
        words += &format!(
            ", of which sorting {}, copying {}, listing {}",
            short(store(|s| s.layer2_sort_seconds)),
            short(store(|s| s.layer2_copy_seconds)),
            short(store(|s| s.layer2_list_seconds))
        );
    }
    Ok(Found { rate: answer.counts()[0] as f64 / seconds, words })
}

/// Seconds of discovery.
fn seconds(answer: &Answer, machine: Machine) -> f64 {
    match machine {
        Machine::Cuda => answer.sum(|d| d.device_seconds + d.pair_store.layer2_list_seconds),
        _ => answer.sum(|d| d.assembly_seconds),
    }
}

fn row(answers: &Answers<'_>, set: usize, quantity: &str, backend: &str, found: &Found) -> Row {
    let set = &answers.sets[set];
    let mut remark = found.words.clone();
    if set.paper.is_some() {
        remark = format!("{:.1} times the end of the paper's axis; {remark}", found.rate / AXIS);
    }
    let figure = Figure { quantity, unit: Unit::PerSecond, paper: None, ours: found.rate, backend, remark };
    figure.of(set.name, set.verified())
}
