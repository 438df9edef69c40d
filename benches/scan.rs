//! HYPHA's throughput: stable columns found per second (Zhang, Xiao, Guo, Wang 2019, whose best is 106 times that of
//! twist).
//!
//! `cargo bench --bench scan -- PATH…`, where a path is a binary matrix of PHAT or a folder with the eight of
//! [`MATRICES`]. It needs only its arguments, so that the binary can be carried to a machine with a GPU. It prints
//! one row per matrix: medians of [`RUNS`] runs in milliseconds, each with the ratio of stable columns per second to
//! those of *twist*.
//!
//! | column | timed work |
//! |---|---|
//! | 1 thread, N threads | [`lacuna::matrix::leftmost_ones::scan`]: matrix in memory to lookup, destroyers and unstable columns |
//! | GPU | the same on an open device with loaded kernels: from host memory to host memory |
//! | kernels | the same without transfers: from entries on the device to tables on the device |
//! | twist | a *sequential twist scan*: the twist reduction on one thread with bit trees, from the matrix in memory to the pairs |
//! | walk | twist without additions: its work on a column that needs none |
//!
//! Twist finds the stable columns among the others, one by one: only after all additions to the previous columns does
//! it know that a column needs none. So its time is that of the reduction. For each column, the walk checks whether
//! its low is taken; if not, it takes the low and clears the low's column, and otherwise it skips the column. It does
//! not distinguish stable columns from columns that reach their low first because the right one was skipped. So it is
//! a bound on the speed of any sequential scan, and does not find columns with certainty.
//!
//! Every answer is checked before it is timed: the device's scan is compared with the processor's field by field, and
//! each stable pair must be one of twist's.

use std::error::Error;
use std::ffi::OsString;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use lacuna::internals::Gpu;
use lacuna::matrix::leftmost_ones::cuda::{Prepared, Resident};
use lacuna::matrix::leftmost_ones::{Scan, scan};
use lacuna::matrix::read::{AnyComplex, MatrixReadOptions, read_path};
use lacuna::matrix::{Algorithm, BoundaryMatrix, Dualize, MatrixIndex, Pairs, Plan, Representation, reduce};

/// The matrices of a folder; the file names end in `.bin`.
const MATRICES: [&str; 8] =
    ["torus", "cube30k", "sphere18", "mumford", "saddle64", "noise64", "grf64", "high_genus"];

/// Number of runs, of which the median counts.
const RUNS: usize = 7;

/// Number of runs of twist, which takes a thousand times as long.
const TWIST_RUNS: usize = 3;

type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let given: Vec<OsString> = std::env::args_os()
        .skip(1)
        .filter(|argument| !argument.to_string_lossy().starts_with("--"))
        .collect();
    if given.is_empty() {
        println!("skipped: no matrices; cargo bench --bench scan -- FOLDER|FILE...");
        return ExitCode::SUCCESS;
    }
    match run(given.into_iter().flat_map(files)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The given file, or the matrices of the given folder.
fn files(given: OsString) -> Vec<PathBuf> {
    let path = PathBuf::from(given);
    if !path.is_dir() {
        return vec![path];
    }
    MATRICES.iter().map(|name| path.join(name).with_extension("bin")).collect()
}

fn run(files: impl Iterator<Item = PathBuf>) -> Result<(), Failure> {
    let gpu = Gpu::open(0, None);
    let threads = rayon::current_num_threads();
    match &gpu {
        Ok(gpu) => println!("{}; {threads} threads; milliseconds\n", gpu.name()),
        Err(error) => println!("no GPU: {error}; {threads} threads; milliseconds\n"),
    }
    println!(
        "| matrix | columns | stable | 1 thread | {threads} threads | GPU | kernels | twist | walk | kernels, stable columns/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match read_path(Path::new(&file), &MatrixReadOptions::default())?.input {
            AnyComplex::Narrow(cells) => row(&name, &cells.matrix, gpu.as_ref().ok())?,
            AnyComplex::Wide(cells) => row(&name, &cells.matrix, gpu.as_ref().ok())?,
        }
    }
    Ok(())
}

/// A duration in milliseconds.
#[derive(Clone, Copy)]
struct Took(f64);

/// The median of several runs.
fn median(runs: usize, mut work: impl FnMut() -> Result<(), Failure>) -> Result<Took, Failure> {
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        let start = Instant::now();
        work()?;
        times.push(1e3 * start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(Took(times[runs / 2]))
}

fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(work))
}

fn row<I: MatrixIndex>(name: &str, matrix: &BoundaryMatrix<I>, gpu: Option<&Gpu>) -> Result<(), Failure> {
    let found = scan(matrix);
    let twist = sequential_twist(name, matrix, &found)?;
    let walked = alone(|| median(RUNS, || done(walk(matrix))).map_err(|error| error.to_string()))??;
    let one = alone(|| median(RUNS, || done(scan(matrix))).map_err(|error| error.to_string()))??;
    let all = median(RUNS, || done(scan(matrix)))?;
    let device = gpu.map(|gpu| device(name, matrix, &found, gpu)).transpose()?;
    // The ratio of times is that of stable columns per second.
    let cell = |took: Took| format!("{:.2} ({:.0}×)", took.0, twist.0 / took.0);
    let on_device = |took: Option<Took>| took.map_or("–".to_owned(), cell);
    let [whole, kernels] = [device.map(|(whole, _)| whole), device.map(|(_, kernels)| kernels)];
    let rate = kernels.map_or("–".to_owned(), |took| format!("{:.2e}", 1e3 * found.stable as f64 / took.0));
    println!(
        "| {name} | {} | {} | {} | {} | {} | {} | {:.1} | {} | {rate} |",
        matrix.len(),
        found.stable,
        cell(one),
        cell(all),
        on_device(whole),
        on_device(kernels),
        twist.0,
        cell(walked),
    );
    Ok(())
}

fn done<T>(answer: T) -> Result<(), Failure> {
    black_box(answer);
    Ok(())
}

/// Times twist on one thread, and checks that it finds the stable pairs.
fn sequential_twist<I: MatrixIndex>(
    name: &str,
    matrix: &BoundaryMatrix<I>,
    found: &Scan<I>,
) -> Result<Took, Failure> {
    let plan = Plan {
        algorithm: Algorithm::Twist,
        columns: Representation::BitTree,
        dualize: Dualize::Off,
        threads: 1,
    };
    let mut pairs = Pairs::default();
    let took = alone(|| {
        let took = median(TWIST_RUNS, || {
            pairs = reduce(matrix, &plan);
            Ok(())
        });
        took.map_err(|error| error.to_string())
    })??;
    let stable: Vec<(usize, usize)> = found.lookup.pairs().collect();
    let of_twist = pairs.pairs.iter().map(|(row, column)| (row.to_usize(), column.to_usize()));
    let mut left = stable.iter().peekable();
    for pair in of_twist {
        left.next_if(|stable| **stable == pair);
    }
    match left.next() {
        None => Ok(took),
        Some(pair) => Err(format!("{name}: twist does not find the stable pair {pair:?}").into()),
    }
}

/// Twist without additions; returns the number of columns that reach a low first.
fn walk<I: MatrixIndex>(matrix: &BoundaryMatrix<I>) -> usize {
    let mut taken = vec![I::default(); matrix.len()];
    let mut cleared = vec![false; matrix.len()];
    let mut found = 0;
    for dim in (1..=matrix.max_dim().unwrap_or(0)).rev() {
        for column in (0..matrix.len()).filter(|&column| matrix.dim(column) == dim) {
            let Some(low) = matrix.low(column).filter(|_| !cleared[column]) else { continue };
            let low = low.to_usize();
            if taken[low] == I::default() {
                taken[low] = I::from_usize(column + 1);
                cleared[low] = true;
                found += 1;
            }
        }
    }
    black_box(&taken);
    found
}

/// The scan on a device, with transfers and without.
fn device<I: MatrixIndex>(
    name: &str,
    matrix: &BoundaryMatrix<I>,
    found: &Scan<I>,
    gpu: &Gpu,
) -> Result<(Took, Took), Failure> {
    let mut prepared = Prepared::new(gpu)?;
    let mut whole = || -> Result<Scan<I>, Failure> { Ok(prepared.scan(matrix)?.scan()?) };
    whole()?.compare(found).map_err(|difference| format!("{name}: {difference}"))?;
    let with_transfer = median(RUNS, || done(whole()?))?;
    let mut resident = Resident::load(gpu, matrix)?;
    let counts = resident.scan()?;
    if counts != [found.stable, found.cleared, found.unstable.len()] {
        return Err(format!("{name}: {counts:?} stable, cleared and unstable columns on the device").into());
    }
    Ok((with_transfer, median(RUNS, || done(resident.scan()?))?))
}
