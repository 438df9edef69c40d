//! Table 1: the parts of the time of a whole run on the processor.

use std::fs;
use std::io::Write;

use lacuna::cubical::Image;
use lacuna::cubical::thinning::{BitImage, Rule};

use super::{Bench, images, row, table as untitled, verified, words};
use crate::rows::{Row, Table, Unit};
use crate::{Failure, process};

pub const TITLE: &str = "Table 1. Where the time goes on the processor";

const NOTES: &[&str] = &[
    "The paper's shares are instructions, counted by Callgrind, inclusive; ours are of the time of a whole process: `lacuna thin --rule kashani --backend cpu`, PGM to NPY.",
    "Its images cannot be had: blobs, of a sum of random waves, of the same extents stand for them.",
    "*skeletonize*: bits to bits. There is no comparison of bitmaps, for a pass counts what it deletes; so *are_identical_bitmaps* is 0. What is left is reading, making bits of bytes, and writing.",
];

/// Name, rows, columns; the paper's shares of skeletonize and of comparing bitmaps.
const CASES: [(&str, [usize; 2], [f64; 2]); 2] = [
    ("Bicycle-like 6409 × 4139", [4139, 6409], [0.9862, 0.0231]),
    ("Tree_6-like 3507 × 4582", [4582, 3507], [0.9791, 0.0294]),
];

/// The stand-ins for the paper's images, with their names.
pub fn stand_ins(bench: &Bench) -> Result<Vec<(&'static str, Image<u8>)>, Failure> {
    let scale = if bench.small { 32 } else { 1 };
    let image = |seed: usize| {
        let (name, [rows, columns], _) = CASES[seed];
        Ok((name, images::blobs(rows / scale, columns / scale, 0.0, seed as u64)?))
    };
    (0..CASES.len()).map(image).collect()
}

pub fn table(bench: &Bench) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for ((name, image), (_, _, paper)) in stand_ins(bench)?.into_iter().zip(CASES) {
        let bits = BitImage::of(&image, |voxel| voxel > 0);
        let (skeleton, _) = verified(&bits, Rule::Kashani, None)?;
        let mut threads = vec![1, bench.threads];
        threads.dedup();
        for threads in threads {
            rows.extend(process(bench, name, (&image, &skeleton), threads, paper)?);
        }
    }
    Ok(untitled(NOTES, rows))
}

/// The rows of a whole process.
fn process(
    bench: &Bench,
    name: &str,
    (image, skeleton): (&Image<u8>, &BitImage),
    threads: usize,
    [pass, compared]: [f64; 2],
) -> Result<Vec<Row>, Failure> {
    let folder = match &bench.scratch {
        Some(scratch) => tempfile::tempdir_in(scratch)?,
        None => tempfile::tempdir()?,
    };
    let [input, output, stats] =
        ["image.pgm", "skeleton.npy", "stats.json"].map(|name| folder.path().join(name));
    let [_, rows, columns] = image.shape().extents();
    let mut file = fs::File::create(&input)?;
    write!(file, "P5\n{columns} {rows}\n255\n")?;
    file.write_all(image.voxels())?;
    drop(file);
    let (threads_given, stats_given) =
        (format!("--threads={threads}"), format!("--stats={}", stats.display()));
    let fixed =
        ["thin", "-q", "--rule=kashani", "--backend=cpu", threads_given.as_str(), stats_given.as_str(), "-o"];
    let mut arguments: Vec<_> = fixed.map(std::ffi::OsStr::new).to_vec();
    arguments.extend([output.as_os_str(), input.as_os_str()]);
    let mut took = Vec::new();
    for _ in 0..bench.runs {
        let whole = process::time(&bench.program, &arguments)?.as_secs_f64();
        let told: serde_json::Value = serde_json::from_slice(&fs::read(&stats)?)?;
        let part = |key: &str| told[key].as_f64().ok_or_else(|| format!("{key}: expected a number"));
        took.push([whole, part("read_seconds")?, part("thin_seconds")?, part("write_seconds")?]);
    }
    // A .npy file ends with its voxels.
    let written = fs::read(&output)?;
    let found = written.get(written.len().saturating_sub(rows * columns)..).unwrap_or_default();
    let expected = skeleton.to_image(u8::MAX, image.shape().order());
    if found != expected.voxels() {
        return Err(format!("{name}: lacuna thin writes another skeleton").into());
    }
    took.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    let [whole, read, thin, write] = took[took.len() / 2];
    let input = format!("{name}, {threads} thread{}", if threads == 1 { "" } else { "s" });
    let share = |quantity: &str, paper: Option<f64>, seconds: f64| {
        let remark = format!("{:.1} of {:.1} ms", 1e3 * seconds, 1e3 * whole);
        row(&input, quantity, Unit::Share, (paper, seconds / whole), ["cpu", words(false), &remark])
    };
    Ok(vec![
        share("skeletonize", Some(pass), thin),
        share("are_identical_bitmaps", Some(compared), 0.0),
        share("reading", None, read),
        share("writing", None, write),
    ])
}
