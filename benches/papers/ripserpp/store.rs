//! Table 3: writes and reads of the pair store.

use std::time::Instant;

use lacuna::backend::{Backend, BackendRequest, Choice};
use lacuna::metric::read::{Input, read_path};
use lacuna::output::{Barcode, OutputFormat};
use lacuna::rips::{Collapse, Outcome, PairStoreStats, Rips, SecondLayer, Stats};

use super::Figure;
use super::answers::{Answers, Machine, Way, short};
use super::sets::Set;
use crate::Failure;
use crate::rows::{Row, Table, Unit};

pub const TITLE: &str = "Table 3. The pair store";

const NOTES: [&str; 6] = [
    "Written are all pairs, into both layers: those of reduction into layer 1, a hash map; apparent ones into layer 2, an array that is \
     sorted on the device, brought to the processor and made one list. The time is the sum of these steps, and of the insertions, summed \
     over threads.",
    "What limits the copy is the bus, and the memory of the host: what comes is written by the bus into page-locked memory, and by threads \
     from there into the list, the pages of which the system hands out, as many as it can, while the device sorts.",
    "\"Sorted\" is the paper's store, `--pair-store sorted`. \"Implicit\" is what Lacuna does unless it is told otherwise: apparent pairs \
     are recomputed at each look-up, so that layer 1 alone is written.",
    "Reads are the questions of reduction, whichever layer answers; those by which columns are cleared are not among them.",
    "Times of look-ups and insertions are measured one by one, less what reading the clock takes.",
    "Two columns of the paper stand in one row each: Ripser++'s store and Ripser's hash map.",
];

/// The table.
pub fn table(answers: &mut Answers<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    let device = answers.device.is_some();
    let backend = |choice| Backend::new(BackendRequest { choice, ..BackendRequest::default() });
    // The device is opened once.
    let cuda = device.then(|| backend(Choice::Cuda));
    for set in 0..answers.sets.len() {
        for (machine, label) in answers.machines() {
            let backend = match (machine, &cuda) {
                (Machine::Cuda, Some(cuda)) => cuda.clone(),
                _ => backend(Choice::Cpu),
            };
            rows.extend(of_machine(answers, set, machine, label, &backend)?);
        }
    }
    Ok(super::table(TITLE, &NOTES, rows))
}

/// The rows of a set on one backend.
fn of_machine(
    answers: &mut Answers<'_>,
    number: usize,
    machine: Machine,
    label: &str,
    backend: &Backend,
) -> Result<Vec<Row>, Failure> {
    let threads = answers.threads();
    let timed = |layer, answers: &Answers<'_>| timed(&answers.sets[number], layer, backend, threads);
    let (kept, recomputed) = (timed(SecondLayer::Sorted, answers)?, timed(SecondLayer::Implicit, answers)?);
    let (sorted, implicit) = (Accesses::of(&kept.stats), Accesses::of(&recomputed.stats));
    let way = Way::sorted(machine);
    let measured = answers.of(number, way)?;
    let all = measured.answers[0].counts()[3] as f64;
    let sum =
        |figure: fn(&PairStoreStats) -> f64| measured.median(|answer| answer.sum(|d| figure(&d.pair_store)));
    let [sort, copy, list] =
        [sum(|s| s.layer2_sort_seconds), sum(|s| s.layer2_copy_seconds), sum(|s| s.layer2_list_seconds)];
    let listed = sum(|s| s.layer2_writes as f64);
    let set = &answers.sets[number];
    let bytes = listed * f64::from(kept.plan.entry_width) / 8.0;
    let bus = if copy > 0.0 { format!(" ({:.1} GB/s)", bytes / copy / 1e9) } else { String::new() };
    let limit = format!(
        "sort {}, copy from the device {}{bus}, one list {}, layer 1 {}",
        short(sort),
        short(copy),
        short(list),
        short(sorted.write_seconds)
    );
    let mut rows = writes(set, label, all / (sort + copy + list + sorted.write_seconds), &limit);
    rows.push(sorting(set, label, listed / sort));
    rows.push(unwritten(set, label, all / implicit.write_seconds));
    for (accesses, layer) in [(sorted, "sorted"), (implicit, "implicit")] {
        rows.extend(accesses.rows(set, &format!("{label}, {layer}")));
    }
    Ok(rows)
}

/// The rows of the write throughput, compared with Ripser++ and Ripser.
fn writes(set: &Set, label: &str, ours: f64, limit: &str) -> Vec<Row> {
    let backend = format!("{label}, sorted");
    let row = |(k, quantity): (usize, &'static str)| {
        let paper = set.paper.map(|paper| paper.writes[k]);
        let remark = String::from(limit);
        let figure = Figure { quantity, unit: Unit::PerSecond, paper, ours, backend: &backend, remark };
        figure.limited(set.name, set.verified())
    };
    [(0, "pairs written, Ripser++"), (1, "pairs written, Ripser")].into_iter().map(row).collect()
}

/// The row of the sort alone.
fn sorting(set: &Set, label: &str, ours: f64) -> Row {
    let backend = format!("{label}, sort alone");
    let figure = Figure {
        quantity: "apparent pairs sorted",
        unit: Unit::PerSecond,
        paper: None,
        ours,
        backend: &backend,
        remark: String::from("a part of the paper's figure that it does not give apart"),
    };
    figure.of(set.name, set.verified())
}

/// The row of pairs that can be read although only layer 1 was written.
fn unwritten(set: &Set, label: &str, ours: f64) -> Row {
    let backend = format!("{label}, implicit");
    let figure = Figure {
        quantity: "pairs there to be read, by the time of writes, Ripser++",
        unit: Unit::PerSecond,
        paper: set.paper.map(|paper| paper.writes[0]),
        ours,
        backend: &backend,
        remark: String::from("layer 2 takes no write: reads pay for it, see there"),
    };
    figure.of(set.name, set.verified())
}

/// The accesses of the reduction to the pair store, over all dimensions.
struct Accesses {
    reads: u64,
    read_seconds: f64,
    write_seconds: f64,
    layer2_reads: u64,
}

impl Accesses {
    fn of(stats: &Stats) -> Accesses {
        let stores = || stats.dimensions.iter().map(|dimension| &dimension.pair_store);
        let clock = clock_seconds();
        // Every query goes to layer 1 first.
        let reads: u64 = stores().map(|store| store.layer1_reads - store.clearing_reads).sum();
        let writes: u64 = stores().map(|store| store.layer1_writes).sum();
        let layer2_reads: u64 = stores().map(|store| store.layer2_reads).sum();
        Accesses {
            reads,
            read_seconds: (stores().map(|store| store.read_seconds).sum::<f64>()
                - clock * (reads + layer2_reads) as f64)
                .max(0.0),
            write_seconds: (stores().map(|store| store.layer1_write_seconds).sum::<f64>()
                - clock * writes as f64)
                .max(0.0),
            layer2_reads,
        }
    }

    /// The rows of reads, compared with Ripser++ and Ripser.
    fn rows(&self, set: &Set, backend: &str) -> Vec<Row> {
        let mut rows = Vec::new();
        for (k, [reads, seconds]) in
            [["reads, Ripser++", "time of reads, Ripser++"], ["reads, Ripser", "time of reads, Ripser"]]
                .into_iter()
                .enumerate()
        {
            let paper = set.paper.map(|paper| (paper.reads[k], paper.read_seconds[k]));
            let remark = format!(
                "{} of them go on to layer 2; every column of the residue asks once before it claims a pivot, so that threads need no lock",
                self.layer2_reads
            );
            let (of_paper, ours) = (paper.map(|paper| paper.0), self.reads as f64);
            let figure = Figure { quantity: reads, unit: Unit::Work, paper: of_paper, ours, backend, remark };
            rows.push(figure.limited(set.name, set.verified()));
            let each = 1e9 * self.read_seconds / self.reads.max(1) as f64;
            let remark = format!("{each:.0} ns a read; the paper's reads are fewer");
            let (of_paper, ours) = (paper.map(|paper| paper.1), self.read_seconds);
            let figure =
                Figure { quantity: seconds, unit: Unit::Seconds, paper: of_paper, ours, backend, remark };
            rows.push(figure.limited(set.name, set.verified()));
        }
        rows
    }
}

/// Seconds that one reading of the clock takes, the median of many.
fn clock_seconds() -> f64 {
    let mut readings: Vec<f64> = (0..1024).map(|_| Instant::now().elapsed().as_secs_f64()).collect();
    readings.sort_by(f64::total_cmp);
    readings[readings.len() / 2]
}

/// A run inside this process with timed accesses; its bars are compared with the answer.
fn timed(set: &Set, layer: SecondLayer, backend: &Backend, threads: usize) -> Result<Outcome, Failure> {
    let format = set.format.parse::<lacuna::metric::read::DistanceFormat>()?;
    let Input::Single(distances) = read_path(&set.path, format)?.input else {
        return Err(format!("{}: expected distances of single precision", set.name).into());
    };
    let rips = Rips::new(distances).max_dim(set.max_dim).threshold(set.threshold).threads(threads);
    let rips = rips.collapse(Collapse::Off);
    let outcome = rips.pair_store(layer).backend(backend.clone()).time_pair_store(true).solve(&())?;
    let mut text = Vec::new();
    let barcode = Barcode {
        diagram: &outcome.diagram,
        summary: &outcome.summary,
        modulus: 2,
        landmarks: None,
        representatives: None,
        unfinished: &[],
    };
    OutputFormat::Text.write(&barcode, &mut text)?;
    set.check(&text)?;
    Ok(outcome)
}
