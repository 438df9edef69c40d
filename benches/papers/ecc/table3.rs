//! Table 3: batches of files in a single process.

use std::fs;
use std::path::Path;
use std::time::Instant;

use lacuna::cubical::ecc::curve;
use lacuna::cubical::{Image, Order, Shape};
use rayon::prelude::*;
use zerocopy::IntoBytes;

use super::inputs::{self, FIELD, Rows};
use super::table1::is_written;
use super::{Bench, InputRows};
use crate::rows::{Row, Table, Unit};
use crate::{Failure, process};

pub const TITLE: &str = "Table 3. A batch of files from disk, average per file";

const NOTES: &[&str] = &[
    "One process, `lacuna ecc -o DIR FILES`, for all files of a batch, which writes a file of rows for each; the time of the process over the number of files. Files are in the page cache.",
    "Noise in 256 bins, as many as the paper's Algorithm 2 has levels, fields in a bin a level (1,024). *disk*: one thread reads file after file, and does nothing else.",
    "Of each batch the first and the last 20 written curves are compared with those of the images in memory.",
];

/// Name, axes, bins, and for each number of files the paper's averages in milliseconds: overall, disk.
type Batch = (&'static str, &'static [usize], Rows, [(usize, [f64; 2]); 4]);

/// 256 bins over [0, 1]: the number of levels in the paper's Algorithm 2.
const NOISE: Rows = Rows { bins: 256, low: 0.0, high: 1.0 };

const BATCHES: [Batch; 2] = [
    (
        "noise 128²",
        &[128; 2],
        NOISE,
        [(1, [119.83, 0.69]), (100, [1.77, 0.46]), (1000, [0.66, 0.45]), (10_000, [0.52, 0.42])],
    ),
    (
        "GRF 128³",
        &[128; 3],
        FIELD,
        [(1, [124.68, 12.02]), (10, [28.13, 13.86]), (100, [15.38, 13.82]), (1000, [11.96, 11.67])],
    ),
];

pub fn table(bench: &Bench<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for (name, axes, bins, figures) in BATCHES {
        let axes = bench.scaled(axes);
        let mut from = 0;
        let folder = bench.folder.join("images");
        fs::create_dir(&folder)?;
        for (count, paper) in figures {
            // Files of the previous batch are reused.
            let count = if bench.small { count.min(12) } else { count };
            (from..count).into_par_iter().try_for_each(|number| {
                fs::write(folder.join(file_name(number)), voxels(&axes, bins, number).as_bytes())
            })?;
            from = count;
            let input = format!("{name} × {count}");
            rows.extend(batch(bench, &input, (&axes, bins, &folder), count, paper)?);
        }
        fs::remove_dir_all(&folder)?;
    }
    Ok(super::table(NOTES, rows))
}

fn file_name(number: usize) -> String {
    format!("{number:05}.raw")
}

/// The voxels of a file: noise continues where the previous file ends; each field has a seed.
fn voxels(axes: &[usize], bins: Rows, number: usize) -> Vec<f32> {
    if bins == FIELD {
        return inputs::gaussian(axes, 1000 + number as u64);
    }
    let mut voxels = vec![0.0; axes.iter().product()];
    inputs::noise(number * voxels.len(), &mut voxels);
    voxels
}

/// The rows of a batch.
fn batch(
    bench: &Bench<'_>,
    input: &str,
    (axes, bins, folder): (&[usize], Rows, &Path),
    count: usize,
    [overall, disk]: [f64; 2],
) -> Result<Vec<Row>, Failure> {
    let verified = String::from("the library's curve of the image in memory, of 40 files");
    let mut rows = InputRows { input, verified, rows: Vec::new() };
    let out = bench.folder.join("curves");
    let backends: &[&str] = if bench.gpu.is_some() { &["cuda", "auto", "cpu"] } else { &["cpu"] };
    for backend in backends {
        let mut arguments = bench.arguments(axes, "f32", Some(bins), backend);
        arguments.push(format!("--output-file={}", out.display()));
        arguments.push(folder.display().to_string());
        let mut times = Vec::new();
        // Large batches run once, and small ones several times.
        for _ in 0..if count > 100 { 1 } else { bench.runs } {
            if out.exists() {
                fs::remove_dir_all(&out)?;
            }
            times.push(process::time(&bench.program, &arguments)?.as_secs_f64());
        }
        let last = count.saturating_sub(20);
        (0..count)
            .into_par_iter()
            .filter(|&number| number < 20 || number >= last)
            .try_for_each(|number| is_right(&out, axes, bins, number).map_err(|error| error.to_string()))?;
        let average = 1e3 * super::middle(times) / count as f64;
        let remark = match (*backend, count) {
            ("cuda", 1) => "CUDA's driver opens once a process",
            (_, 1) => "",
            _ => "of which a good part is opening a file and putting a curve's in its place",
        };
        rows.add("overall avg.", Unit::Milliseconds, (Some(overall), average), backend, remark);
    }
    fs::remove_dir_all(&out)?;
    let start = Instant::now();
    let mut bytes = 0;
    for number in 0..count {
        bytes += std::hint::black_box(fs::read(folder.join(file_name(number)))?).len();
    }
    let seconds = start.elapsed().as_secs_f64();
    let remark = format!("page cache, {:.1} GB/s", bytes as f64 / seconds / 1e9);
    rows.add("disk avg.", Unit::Milliseconds, (Some(disk), 1e3 * seconds / count as f64), "cpu", &remark);
    Ok(rows.rows)
}

fn is_right(out: &Path, axes: &[usize], bins: Rows, number: usize) -> Result<(), Failure> {
    let image = Image::new(Shape::new(axes, Order::C)?, voxels(axes, bins, number))?;
    is_written(&out.join(format!("{}.csv", file_name(number))), &curve(&image, &bins.request())?)
}
