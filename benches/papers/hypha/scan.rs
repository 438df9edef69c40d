//! Figure 9: throughput of the scan as the paper defines it.

use std::time::{Duration, Instant};

use lacuna::internals::CellTable;
use lacuna::internals::Gpu;
use lacuna::internals::ReductionMatrix;
use lacuna::matrix::Representation;
use lacuna::matrix::leftmost_ones::cuda::{Prepared, Resident};
use lacuna::matrix::leftmost_ones::{self, Scan};
use lacuna::matrix::reduction::{ReductionProblem, twist, twist_counted};

use super::row;
use super::subject::{Subject, solve};
use crate::Failure;
use crate::rows::{Row, Unit};

/// Bytes per second from page-locked memory to a device over PCIe 5.0 × 16, rounded.
const BUS: f64 = 5e10;

/// A number of columns, and the time to find them.
#[derive(Clone, Copy)]
struct Found {
    columns: usize,
    took: Duration,
}

impl Found {
    fn rate(self) -> f64 {
        self.columns as f64 / self.took.as_secs_f64()
    }
}

/// Throughputs, and their ratios to the baseline.
pub fn figure_9(subject: &Subject<'_>, gpu: Option<&Gpu>) -> Result<Vec<Row>, Failure> {
    let paper = (subject.set.paper == "18-sphere").then_some(106.11);
    let baseline = baseline(subject)?;
    let expected = leftmost_ones::scan(&subject.matrix);
    check(subject, &expected)?;
    let columns = reduced(subject, &expected);
    let processor = subject.median(|| {
        let start = Instant::now();
        std::hint::black_box(leftmost_ones::scan(&subject.matrix));
        Ok(start.elapsed())
    })?;
    let mut rows =
        vec![row(subject, "TWIST's pass, columns a second", Unit::PerSecond, None, baseline.rate())];
    rows[0].remark = format!("{} columns, 1 thread", baseline.columns);
    let mut both = |what: &str, found: Found, paper: Option<f64>, backend: &str, remark: String| {
        let verified = "every stable pair is one of PHAT's";
        let mut rate = row(subject, format!("{what}, columns a second"), Unit::PerSecond, None, found.rate());
        rate.remark = format!("{} columns", found.columns);
        let times = found.rate() / baseline.rate();
        let mut ratio = row(subject, format!("{what}, by TWIST's pass"), Unit::Times, paper, times);
        ratio.remark = remark;
        for mut row in [rate, ratio] {
            row.backend = backend.to_owned();
            row.verified = verified.to_owned();
            rows.push(row);
        }
    };
    let threads = format!("{} threads", subject.threads);
    both("scan", Found { columns, took: processor }, paper.filter(|_| gpu.is_none()), "cpu", threads);
    if let Some(gpu) = gpu {
        let [whole, kernels] = device(subject, &expected, gpu)?;
        let remark = bus(subject, &expected, baseline, columns);
        both("scan with both copies", Found { columns, took: whole }, paper, "cuda", remark);
        both("kernels", Found { columns, took: kernels }, None, "cuda, kernels alone", String::new());
    }
    Ok(rows)
}

/// The number of columns that the scan shows to be reduced, as the paper counts them.
fn reduced(subject: &Subject<'_>, scan: &Scan<u32>) -> usize {
    subject.matrix.len() - scan.unstable.len()
}

/// Checks that every stable pair is a persistence pair.
fn check(subject: &Subject<'_>, scan: &Scan<u32>) -> Result<(), Failure> {
    let wrong = scan.lookup.pairs().find(|&(row, column)| {
        let pair = (row as u32, column as u32);
        subject.pairs.binary_search(&pair).is_err()
    });
    wrong.map_or(Ok(()), |pair| Err(format!("{}: {pair:?} is stable and no pair", subject.set.name).into()))
}

/// The baseline: twist on the columns that need no addition.
fn baseline(subject: &Subject<'_>) -> Result<Found, Failure> {
    let matrix = &subject.matrix;
    let mut needs = vec![false; matrix.len()];
    let solved = solve(matrix, true, 1, Representation::BitTree, |problem| {
        twist_counted(problem, |column, additions| needs[column] = additions > 0)
    });
    subject.check("TWIST", &solved.pairs)?;
    let todo: Vec<u32> = (0..matrix.len() as u32).filter(|&column| !needs[column as usize]).collect();
    let took = subject.median(|| {
        let columns = ReductionMatrix::new(matrix);
        // The columns that were left out would have cleared these.
        let cleared = solved.pairs.iter().filter(|pair| needs[pair.1 as usize]);
        cleared.for_each(|pair| columns.clear(pair.0 as usize));
        let start = Instant::now();
        let lookup = CellTable::new(matrix.len());
        let additions = twist(&ReductionProblem {
            matrix: &columns,
            lookup: &lookup,
            todo: &todo,
            clears: true,
            threads: 1,
            columns: Representation::BitTree,
            progress: &(),
        });
        let took = start.elapsed();
        if additions > 0 { Err("twist adds columns where it did not before".into()) } else { Ok(took) }
    })?;
    Ok(Found { columns: todo.len(), took })
}

/// The scan on a device: with both transfers, and the kernels alone.
fn device(subject: &Subject<'_>, expected: &Scan<u32>, gpu: &Gpu) -> Result<[Duration; 2], Failure> {
    let mut prepared = Prepared::new(gpu)?;
    let mut last = None;
    let whole = subject.median(|| {
        let start = Instant::now();
        let scan = prepared.scan(&subject.matrix)?.scan()?;
        let took = start.elapsed();
        last = Some(scan);
        Ok(took)
    })?;
    last.ok_or("no scan")?.compare(expected).map_err(|difference| difference.to_string())?;
    let mut resident = Resident::load(gpu, &subject.matrix)?;
    let counts = [expected.stable, expected.cleared, expected.unstable.len()];
    let kernels = subject.median(|| {
        let start = Instant::now();
        let found = resident.scan()?;
        let took = start.elapsed();
        if found == counts {
            Ok(took)
        } else {
            Err(format!("{found:?} columns on the device, not {counts:?}").into())
        }
    })?;
    Ok([whole, kernels])
}

/// The limit by the bus, as a multiple of the baseline.
fn bus(subject: &Subject<'_>, scan: &Scan<u32>, baseline: Found, columns: usize) -> String {
    let n = subject.matrix.len();
    let bytes = 4 * (subject.matrix.entries() + n) + 5 * n + 4 * scan.unstable.len();
    let least = bytes as f64 / BUS;
    let most = columns as f64 / least / baseline.rate();
    format!(
        "limit: the bus; {:.0} MB at 50 GB/s take {:.2} ms, which is {most:.1} times TWIST's pass of {:.1} ms",
        bytes as f64 / 1e6,
        1e3 * least,
        1e3 * baseline.took.as_secs_f64()
    )
}
