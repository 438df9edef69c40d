//! Figures 10 and 11: every algorithm compared with standard, and the sources of HYPHA's savings.

use std::time::{Duration, Instant};

use lacuna::internals::Gpu;
use lacuna::matrix::leftmost_ones::cuda::Prepared;
use lacuna::matrix::leftmost_ones::{self, Scan};
use lacuna::matrix::reduction::{Additions, ReductionProblem, ss_plus, twist, twist_counted};
use lacuna::matrix::{Algorithm, Dualize, Plan, Representation, reduce};

use super::row;
use super::subject::{Subject, hypha, solve};
use crate::Failure;
use crate::rows::{Row, Unit};

/// The algorithms of the figure, and two others.
const ALGORITHMS: [(Algorithm, &str); 7] = [
    (Algorithm::Twist, "TWIST"),
    (Algorithm::SpectralSequence, "SS"),
    (Algorithm::Chunk, "CHUNK"),
    (Algorithm::SsPlus, "SS+ alone"),
    (Algorithm::HyphaTwist, "HYPHA-TWIST"),
    (Algorithm::Hypha, "HYPHA-SS"),
    (Algorithm::Sieve, "sieve (what runs by default)"),
];

/// The speedups in the paper's text: the best of PHAT, and that of HYPHA.
fn printed(paper: &str) -> (&'static str, f64, f64) {
    match paper {
        "high_genus_extended" => ("SS", 53.24, 116.01),
        "mumford" => ("CHUNK", 4.27, 5.01),
        "torus" => ("TWIST", 52.61, 97.38),
        "18-sphere" => ("TWIST", 5.96, 14.16),
        _ => ("TWIST", 37.32, 86.52),
    }
}

/// Speedups over standard.
pub fn figure_10(subject: &Subject<'_>, gpu: Option<&Gpu>) -> Result<Vec<Row>, Failure> {
    let (rival, of_rival, of_hypha) = printed(subject.set.paper);
    let standard = subject.standard.as_secs_f64();
    let mut rows = vec![row(subject, "standard", Unit::Seconds, None, standard)];
    let mut best = (0.0, String::new(), "cpu");
    let mut told = |what: &str, took: Duration, paper: Option<f64>, backend: &'static str| {
        let times = standard / took.as_secs_f64();
        let mut row = row(subject, format!("{what}, speedup"), Unit::Times, paper, times);
        row.backend = backend.to_owned();
        row.remark = format!("{:.2} ms", 1e3 * took.as_secs_f64());
        rows.push(row);
        if what.starts_with("HYPHA") && times > best.0 {
            best = (times, what.to_owned(), backend);
        }
    };
    for (algorithm, what) in ALGORITHMS {
        let plan = Plan {
            algorithm,
            columns: Representation::BitTree,
            dualize: Dualize::Off,
            threads: subject.threads,
        };
        let took = subject.median(|| {
            let start = Instant::now();
            let found = reduce(&subject.matrix, &plan);
            let took = start.elapsed();
            subject.check(what, &found.pairs).map(|()| took)
        })?;
        told(what, took, (what == rival).then_some(of_rival), "cpu");
    }
    if let Some(gpu) = gpu {
        let mut prepared = Prepared::new(gpu)?;
        for (what, then) in [("HYPHA-TWIST", twist as fn(&Problem<'_>) -> Additions), ("HYPHA-SS", ss_plus)] {
            let took = subject.median(|| {
                let staged =
                    hypha(&subject.matrix, subject.threads, || on_device(subject, &mut prepared), then)?;
                subject.check(what, &staged.solved.pairs).map(|()| staged.solved.took)
            })?;
            told(what, took, None, "cuda");
        }
    }
    let (times, what, backend) = best;
    let mut last = row(subject, "best HYPHA, speedup", Unit::Times, Some(of_hypha), times);
    last.backend = backend.to_owned();
    last.remark = format!("{what}; which is the best one in the paper is in its picture only");
    rows.push(last);
    Ok(rows)
}

type Problem<'a> = ReductionProblem<'a, u32>;

/// The scan on an open device, with both transfers.
fn on_device(subject: &Subject<'_>, prepared: &mut Prepared<u32>) -> Result<Scan<u32>, Failure> {
    Ok(prepared.scan(&subject.matrix)?.scan()?)
}

/// Seconds for columns without additions, for other columns outside the tail, and for the tail.
type Split = [f64; 3];

/// The share of twist's time that HYPHA-TWIST saves, by class of column.
pub fn figure_11(subject: &Subject<'_>, gpu: Option<&Gpu>) -> Result<Vec<Row>, Failure> {
    let classes = subject.classes();
    let matrix = &subject.matrix;
    let mut prepared = gpu.map(Prepared::new).transpose()?;
    let of_twist = split(subject, &classes, |then| {
        let solved = solve(matrix, true, 1, Representation::BitTree, then);
        subject.check("TWIST", &solved.pairs).map(|()| solved.took)
    })?;
    let of_hypha = split(subject, &classes, |then| {
        let scan = || match &mut prepared {
            Some(prepared) => on_device(subject, prepared),
            None => Ok(leftmost_ones::scan(matrix)),
        };
        let staged = hypha(matrix, subject.threads, scan, then)?;
        subject.check("HYPHA-TWIST", &staged.solved.pairs).map(|()| staged.solved.took)
    })?;
    let is_papers = subject.set.paper == "high_genus_extended";
    let printed = [0.5110, 0.6528, 0.6645].map(|share| is_papers.then_some(share));
    let names = ["preprocessing and 0-additions", "non-tail additions", "tail additions"];
    let rows = (0..3).map(|class| {
        let removed = 1.0 - of_hypha[class] / of_twist[class].max(f64::MIN_POSITIVE);
        let mut row =
            row(subject, format!("{}, time removed", names[class]), Unit::Fraction, printed[class], removed);
        row.backend = if gpu.is_some() { "cuda" } else { "cpu" }.to_owned();
        row.remark =
            format!("TWIST {:.2} ms, HYPHA-TWIST {:.2} ms", 1e3 * of_twist[class], 1e3 * of_hypha[class]);
        row
    });
    // Without such additions in twist there is nothing to save.
    Ok(rows.zip(of_twist).filter(|(_, seconds)| *seconds > 0.0).map(|(row, _)| row).collect())
}

/// The time by class of column. Columns are timed one by one in a separate run, because reading the clock takes time;
/// the total comes from a run without that.
fn split(
    subject: &Subject<'_>,
    classes: &[usize],
    mut run: impl FnMut(&mut dyn FnMut(&Problem<'_>) -> Additions) -> Result<Duration, Failure>,
) -> Result<Split, Failure> {
    let whole = subject.median(|| run(&mut |problem| twist(problem)))?.as_secs_f64();
    let mut split = [0.0; 3];
    run(&mut |problem| {
        let mut last = Instant::now();
        twist_counted(problem, |column, additions| {
            let now = Instant::now();
            if additions > 0 && classes[column] > 0 {
                split[classes[column]] += (now - last).as_secs_f64();
            }
            last = now;
        })
    })?;
    split[0] = (whole - split[1] - split[2]).max(0.0);
    Ok(split)
}
