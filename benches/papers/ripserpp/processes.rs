//! Table 2: time and memory of whole processes.

use super::Figure;
use super::answers::{Answers, Machine, Way};
use crate::Failure;
use crate::rows::{Row, Table, Unit};

pub const TITLE: &str = "Table 2. Time and memory";

const NOTES: [&str; 4] = [
    "Whole processes from start to exit: the file is read, the device opened, the bars written as text. The paper's are those of \
     /usr/bin/time too.",
    "Device memory is how far the device's free memory fell during the run, the context of CUDA included; the paper's \
     is the same difference.",
    "Medians of three runs, on the device after one that does not count; one thread runs once. `auto` takes the machine that should \
     finish first.",
    "\"Ripser++\" and \"Ripser\" say whose figure of the paper stands in the row: Ripser has one thread.",
];

/// The table.
pub fn table(answers: &mut Answers<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for set in 0..answers.sets.len() {
        rows.extend(of_set(answers, set)?);
    }
    Ok(super::table(TITLE, &NOTES, rows))
}

/// The rows of a set.
fn of_set(answers: &mut Answers<'_>, number: usize) -> Result<Vec<Row>, Failure> {
    let set = &answers.sets[number];
    let (name, verified, paper) = (set.name, set.verified(), set.paper);
    let threads = answers.threads();
    let (mut times, mut memory, mut by_machine) = (Vec::new(), Vec::new(), Vec::new());
    for (way, label) in ways(answers) {
        let measured = answers.of(number, way)?;
        let answer = measured.typical();
        let backend = match way.machine {
            Machine::Auto => format!("{label}: {}", answer.backend),
            _ => label,
        };
        let seconds = answer.seconds;
        let figure = Figure {
            quantity: "time, Ripser++",
            unit: Unit::Seconds,
            paper: paper.map(|paper| paper.times[0]),
            ours: seconds,
            backend: &backend,
            remark: answer.parts(),
        };
        times.push(figure.limited(name, verified));
        by_machine.push((way, seconds));
        if way.machine != Machine::Auto {
            memory.extend(memories(number, answers, way, &backend)?);
        }
    }
    let one = answers.of(number, Way::on(Machine::OneThread))?;
    let sequential = one.typical().seconds;
    let figure = |quantity, unit, paper, ours| Figure {
        quantity,
        unit,
        paper,
        ours,
        backend: "cpu, one thread",
        remark: one.typical().parts(),
    };
    let paper_time = paper.map(|paper| paper.times[1]);
    times.push(figure("time, Ripser", Unit::Seconds, paper_time, sequential).limited(name, verified));
    let paper_memory = paper.map(|paper| 1e9 * paper.memory[1]);
    let peak = one.median(|answer| answer.peak as f64);
    let mut row = figure("processor's memory, Ripser", Unit::Bytes, paper_memory, peak).of(name, verified);
    row.remark.clear();
    memory.push(row);
    times.push(speedup(
        name,
        verified,
        paper.map(|paper| paper.speedup),
        sequential / by_machine[0].1,
        by_machine[0].0,
        threads,
    ));
    times.extend(memory);
    Ok(times)
}

/// The configurations and their labels; the first one uses the device if there is one.
fn ways(answers: &Answers<'_>) -> Vec<(Way, String)> {
    let machines = answers.machines().into_iter();
    let mut ways: Vec<_> = machines.map(|(machine, name)| (Way::on(machine), String::from(name))).collect();
    ways.push((Way::on(Machine::Auto), String::from("auto")));
    let by_default = Way { is_whole: false, ..Way::on(Machine::Auto) };
    ways.push((by_default, String::from("auto, as it runs by default")));
    ways
}

/// The memory rows of the runs on one backend.
fn memories(number: usize, answers: &mut Answers<'_>, way: Way, backend: &str) -> Result<Vec<Row>, Failure> {
    let set = &answers.sets[number];
    let (name, verified, paper) = (set.name, set.verified(), set.paper);
    let measured = answers.of(number, way)?;
    let row = |quantity, paper: Option<f64>, ours, remark| {
        Figure { quantity, unit: Unit::Bytes, paper, ours, backend, remark }.of(name, verified)
    };
    let mut rows = Vec::new();
    if let Some(fallen) = measured.device_memory {
        let own = measured.answers[0].stats.device_memory as f64 / 1e6;
        let remark = format!("{own:.0} MB of it are buffers, the rest CUDA's context and kernels");
        rows.push(row("device memory", paper.map(|paper| 1e9 * paper.device_memory), fallen as f64, remark));
    }
    let peak = measured.median(|answer| answer.peak as f64);
    rows.push(row(
        "processor's memory, Ripser++",
        paper.map(|paper| 1e9 * paper.memory[0]),
        peak,
        String::new(),
    ));
    Ok(rows)
}

/// The row of the paper's speedup: the first available backend over one thread.
fn speedup(name: &str, verified: &str, paper: Option<f64>, ours: f64, way: Way, threads: usize) -> Row {
    let backend = match way.machine {
        Machine::Cuda => String::from("cuda over one thread"),
        _ => format!("{threads} threads over one"),
    };
    let remark = String::from(
        "ours over our own program on one thread, whose sweeps leave little to speed up; the paper's over another program",
    );
    let figure = Figure { quantity: "speedup", unit: Unit::Times, paper, ours, backend: &backend, remark };
    figure.of(name, verified)
}
