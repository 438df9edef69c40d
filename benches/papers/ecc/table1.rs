//! Table 1: a single image on disk.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use lacuna::cubical::ecc::cuda::Prepared;
use lacuna::cubical::ecc::{EccRequest, Vcec, curve};
use lacuna::cubical::{Image, Order, Shape, Voxel};
use rayon::prelude::*;
use zerocopy::IntoBytes as _;

use super::inputs::{self, Rows};
use super::{Bench, InputRows, middle, streams, verify};
use crate::rows::{Row, Table, Unit, median};
use crate::{Failure, process};

pub const TITLE: &str = "Table 1. One image on disk";

const NOTES: &[&str] = &[
    "*overall*: a whole process, `lacuna ecc`, file to curve file. Our files are in the page cache, the paper's on its disk, which gave 0.5 to 0.9 GB/s: of its \
     overall times 75 to 99.7 % are reading.",
    "*CPU overall*: `--backend cpu`, beside the paper's CHUNKYEuler on 8 cores. *overall, machine chosen*: `--backend auto`, beside the paper's GPU.",
    "*disk read*: all threads read the file and do nothing else; in *overall* counting goes on meanwhile.",
    "*GPU overhead*: what a process takes beside reading and counting (start, driver, kernels loaded, memory locked, end): *overall* less what a second image takes in the same process.",
    "*kernel*: counts of an image that lies on the device, ten asked for at once; 32-bit floats are made bin numbers and counted, both within the time. GVox/s are voxels over this time.",
    "Noise has 2²⁴ values and comes out in 1,024 bins; how the paper's floats become bins is not said. Fields stand for its GRFs (1,024 values, a bin each), tissues by thresholds of such a \
     field for VICTRE's (11 values, bins of width 1), a field in an ellipse for the sky (u8).",
    "4096³ and 2048³ of noise come from a generator that fills the page-locked memory on all reading threads: the device machine has room for neither file and memory beside. Their kernel time is \
     that of as many whole planes as are 4 GB, times their number.",
];

/// A row of the paper: its input, and its figures in seconds: CPU overall, GPU overall, CPU disk, GPU disk, overhead,
/// kernel; and GVox/s.
struct Case {
    name: &'static str,
    axes: &'static [usize],
    kind: Kind,
    paper: [f64; 7],
}

#[derive(Clone, Copy)]
enum Kind {
    Noise,
    Field,
    Labels,
    Sky,
}

#[rustfmt::skip]
const CASES: [Case; 15] = [
    Case { name: "noise 1024³", axes: &[1024; 3], kind: Kind::Noise, paper: [36.85, 5.63, 6.85, 5.20, 0.37, 0.16, 6.57] },
    Case { name: "noise 512³", axes: &[512; 3], kind: Kind::Noise, paper: [4.97, 0.85, 1.00, 0.64, 0.19, 0.02, 6.55] },
    Case { name: "GRF 512³", axes: &[512; 3], kind: Kind::Field, paper: [4.93, 0.86, 0.90, 0.66, 0.19, 0.02088, 6.43] },
    Case { name: "GRF 256³", axes: &[256; 3], kind: Kind::Field, paper: [0.63, 0.24, 0.13, 0.09, 0.15, 0.00264, 6.35] },
    Case { name: "GRF 128³", axes: &[128; 3], kind: Kind::Field, paper: [0.11, 0.12, 0.02, 0.01, 0.12, 0.00035, 6.03] },
    Case { name: "GRF 8192²", axes: &[8192; 2], kind: Kind::Field, paper: [1.47, 0.53, 0.44, 0.36, 0.16, 0.00664, 10.10] },
    Case { name: "GRF 4096²", axes: &[4096; 2], kind: Kind::Field, paper: [0.38, 0.21, 0.12, 0.08, 0.14, 0.00174, 9.67] },
    Case { name: "GRF 2048²", axes: &[2048; 2], kind: Kind::Field, paper: [0.09, 0.18, 0.04, 0.03, 0.12, 0.00045, 9.36] },
    Case { name: "VICTRE-like 287×359×202", axes: &[287, 359, 202], kind: Kind::Labels, paper: [0.59, 0.30, 0.16, 0.13, 0.14, 0.00385, 5.41] },
    Case { name: "VICTRE-like 440×518×488", axes: &[440, 518, 488], kind: Kind::Labels, paper: [2.99, 0.77, 0.98, 0.45, 0.24, 0.02065, 5.39] },
    Case { name: "VICTRE-like 337×338×338", axes: &[337, 338, 338], kind: Kind::Labels, paper: [1.11, 0.36, 0.29, 0.15, 0.16, 0.00713, 5.40] },
    Case { name: "VICTRE-like 434×446×384", axes: &[434, 446, 384], kind: Kind::Labels, paper: [1.96, 0.53, 0.79, 0.30, 0.18, 0.01372, 5.42] },
    Case { name: "CMB-like 1500×750 (u8)", axes: &[750, 1500], kind: Kind::Sky, paper: [0.03, 0.12, 0.01, 0.01, 0.11, 0.00015, 7.40] },
    Case { name: "CMB-like 3000×1500 (u8)", axes: &[1500, 3000], kind: Kind::Sky, paper: [0.09, 0.15, 0.04, 0.02, 0.13, 0.00044, 10.16] },
    Case { name: "CMB-like 6400×3200 (u8)", axes: &[3200, 6400], kind: Kind::Sky, paper: [0.37, 0.25, 0.13, 0.08, 0.14, 0.00194, 10.56] },
];

/// The row whose dimensions are misprinted in the paper.
const MISPRINTED: &str = "VICTRE-like 337×338×338";

pub fn table(bench: &Bench<'_>) -> Result<Table, Failure> {
    let mut rows = streams::rows(bench)?;
    for (seed, case) in (1..).zip(&CASES) {
        let (axes, start) = (bench.scaled(case.axes), Instant::now());
        let shape = Shape::new(&axes, Order::C)?;
        let floats = |voxels| Image::new(shape, voxels);
        rows.extend(match case.kind {
            Kind::Noise => file(bench, case, &floats(inputs::noise_of(shape.count()))?, Some(inputs::NOISE)),
            Kind::Field => file(bench, case, &floats(inputs::gaussian(&axes, seed))?, Some(inputs::FIELD)),
            Kind::Labels => file(bench, case, &floats(inputs::labels(&axes, seed))?, Some(inputs::LABEL)),
            Kind::Sky => file(bench, case, &Image::new(shape, inputs::sky(&axes, seed))?, None),
        }?);
        eprintln!("{}: {:.1} s", case.name, start.elapsed().as_secs_f64());
    }
    Ok(super::table(NOTES, rows))
}

/// All rows of an image, which is written to a file.
fn file<T: Voxel>(
    bench: &Bench<'_>,
    case: &Case,
    image: &Image<T>,
    bins: Option<Rows>,
) -> Result<Vec<Row>, Failure> {
    let request = bins.map(Rows::request).unwrap_or_default();
    let prepared = bench.gpu.as_ref().map(|gpu| Prepared::new(gpu, T::TYPE)).transpose()?;
    let expected = verify::verified(image, &request, prepared.as_ref())?;
    let path = bench.folder.join("image.raw");
    fs::write(&path, image.voxels().as_bytes())?;
    let verified = format!("{}; the written curve", verify::words(bench.gpu.is_some()));
    let mut rows = InputRows { input: case.name, verified, rows: Vec::new() };
    let [_, _, _, disk, _, kernel, rate] = case.paper;
    let (bytes, count) = (size_of_val(image.voxels()), image.voxels().len());
    processes::<T>(bench, case, (&path, image.shape().axes()), bins, &expected, &mut rows)?;
    let read = reading(bench, &path, bytes)?;
    let of_cache = format!("page cache, {:.1} GB/s", bytes as f64 / read / 1e9);
    rows.add("disk read", Unit::Seconds, (Some(disk), read), "cpu", &of_cache);
    let mut counted = |seconds: f64, backend: &str, remark: &str| {
        rows.add("kernel", Unit::Milliseconds, (Some(1e3 * kernel), 1e3 * seconds), backend, "");
        let figures = (Some(1e9 * rate), count as f64 / seconds);
        rows.add("kernel", Unit::VoxelsPerSecond, figures, backend, remark);
    };
    if let Some(prepared) = &prepared {
        let seconds = kernel_time(bench, prepared, image, &request, &expected)?;
        let few = if count < 1 << 23 { "few voxels: launches take a part of it" } else { "" };
        counted(seconds, "cuda, kernel alone", few);
    }
    let seconds = median(bench.runs, || curve(image, &request)).as_secs_f64();
    counted(seconds, "cpu", "in memory");
    fs::remove_file(&path)?;
    Ok(rows.rows)
}

/// The rows of whole processes.
fn processes<T: Voxel>(
    bench: &Bench<'_>,
    case: &Case,
    (path, axes): (&Path, Vec<usize>),
    bins: Option<Rows>,
    expected: &Vcec,
    rows: &mut InputRows<'_>,
) -> Result<(), Failure> {
    let [cpu_overall, overall, _, _, overhead, ..] = case.paper;
    let process = |backend| Process { bench, path, axes: axes.clone(), bins, expected, backend };
    let start = |took: &Took| {
        let starting = if took.backend == "cuda" { "the process and the device" } else { "the process" };
        format!("{:.1} ms of it are the start and end of {starting}", 1e3 * took.overhead)
    };
    if bench.gpu.is_some() {
        let whole = process("cuda").measure::<T>()?;
        let misprint = if case.name == MISPRINTED {
            "The paper prints 434×446×384 twice; 147 MiB are about as many voxels as here. "
        } else {
            ""
        };
        let remark = format!("{misprint}{}", start(&whole));
        rows.add("overall", Unit::Seconds, (Some(overall), whole.overall), "cuda", &remark);
        let chosen = process("auto").measure::<T>()?;
        let by = format!("auto: {}", chosen.backend);
        rows.add(
            "overall, machine chosen",
            Unit::Seconds,
            (Some(overall), chosen.overall),
            &by,
            &start(&chosen),
        );
        let opening = "CUDA's driver takes most of it: the same whatever the image";
        rows.add("GPU overhead", Unit::Seconds, (Some(overhead), whole.overhead), "cuda", opening);
    }
    let processor = process("cpu").measure::<T>()?;
    rows.add("CPU overall", Unit::Seconds, (Some(cpu_overall), processor.overall), "cpu", &start(&processor));
    Ok(())
}

/// Number of bytes that a thread reads at a time.
const PIECE: usize = 2 << 20;

/// The time that all threads take to read a file.
fn reading(bench: &Bench<'_>, path: &Path, bytes: usize) -> Result<f64, Failure> {
    let mut times = Vec::new();
    for _ in 0..bench.runs {
        let start = Instant::now();
        let file = File::open(path)?;
        (0..bytes.div_ceil(PIECE)).into_par_iter().try_for_each_init(
            || vec![0; PIECE],
            |room, piece| {
                let first = piece * PIECE;
                file.read_exact_at(&mut room[..PIECE.min(bytes - first)], first as u64)
            },
        )?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(middle(times))
}

/// Number of counts that are enqueued together.
const COUNTS: u32 = 10;

/// The time to count an image on the device; the total of all counts is compared with the curve.
pub fn kernel_time<T: Voxel>(
    bench: &Bench<'_>,
    prepared: &Prepared,
    image: &Image<T>,
    request: &EccRequest,
    expected: &Vcec,
) -> Result<f64, Failure> {
    let gpu = prepared.gpu();
    let voxels = gpu.upload(image.voxels().as_bytes())?;
    let mut resident = prepared.resident(&voxels, image.shape(), request)?;
    resident.count()?;
    gpu.finish()?;
    let mut times = Vec::new();
    for _ in 0..bench.runs {
        let start = Instant::now();
        (0..COUNTS).try_for_each(|_| resident.count())?;
        gpu.finish()?;
        times.push(start.elapsed().as_secs_f64() / f64::from(COUNTS));
    }
    let counts = 1 + i64::from(COUNTS) * bench.runs as i64;
    // Rows without change may be missing from an accumulated curve.
    let changed = |curve: &Vcec, factor: i64| -> Vec<(f64, i64)> {
        let rows = curve.rows().filter(|(_, change, _)| *change != 0);
        rows.map(|(value, change, _)| (value.double(), factor * change)).collect()
    };
    if changed(&resident.finish()?, 1) != changed(expected, counts) {
        return Err(
            format!("{counts} counts on the device: another curve than {counts} times the image's").into()
        );
    }
    Ok(middle(times))
}

/// A whole process for one image.
pub struct Process<'a> {
    pub bench: &'a Bench<'a>,
    pub path: &'a Path,
    pub axes: Vec<usize>,
    pub bins: Option<Rows>,
    pub expected: &'a Vcec,
    pub backend: &'a str,
}

/// The measurements of a process.
pub struct Took {
    pub overall: f64,
    /// Seconds in addition to those of one image.
    pub overhead: f64,
    /// The backend that counted.
    pub backend: String,
}

impl Process<'_> {
    /// Runs the process, and checks the curve that it writes.
    pub fn measure<T: Voxel>(&self) -> Result<Took, Failure> {
        let (bench, folder) = (self.bench, self.bench.folder);
        let (curve, stats) = (folder.join("curve.csv"), folder.join("stats.json"));
        let arguments = |out: &Path, images: &[&Path]| {
            let mut arguments = bench.arguments(&self.axes, T::NAME, self.bins, self.backend);
            arguments.push(format!("--stats={}", stats.display()));
            arguments.push(format!("--output-file={}", out.display()));
            arguments.extend(images.iter().map(|image| image.display().to_string()));
            arguments
        };
        let mut times = Vec::new();
        for _ in 0..bench.runs {
            times.push(process::time(&bench.program, &arguments(&curve, &[self.path]))?.as_secs_f64());
        }
        is_written(&curve, self.expected)?;
        let backend = &read_json(&stats)?["images"][0]["backend"];
        let backend = backend.as_str().and_then(|text| text.split(':').next()).unwrap_or("?").to_owned();
        let overall = middle(times);
        // A process with the same image twice: the second image costs only what an image costs.
        let (again, curves) = (folder.join("again.raw"), folder.join("curves"));
        fs::hard_link(self.path, &again)?;
        process::time(&bench.program, &arguments(&curves, &[self.path, &again]))?;
        fs::remove_file(&again)?;
        fs::remove_dir_all(&curves)?;
        let second = &read_json(&stats)?["images"][1];
        let seconds = |key: &str| second[key].as_f64().ok_or_else(|| format!("{key}: expected a number"));
        let overhead = overall - seconds("curve_seconds")? - seconds("write_seconds")?;
        Ok(Took { overall, overhead, backend })
    }
}

fn read_json(path: &Path) -> Result<serde_json::Value, Failure> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

/// Checks that a file of rows is the expected curve.
pub fn is_written(path: &Path, expected: &Vcec) -> Result<(), Failure> {
    let text = fs::read_to_string(path)?;
    let numbers = |line: &str| line.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>();
    let found = text.lines().skip(1).map(numbers).collect::<Result<Vec<_>, _>>()?;
    let expected: Vec<Vec<f64>> = expected
        .rows()
        .map(|(value, change, euler)| vec![value.double(), change as f64, euler as f64])
        .collect();
    if found != expected {
        return Err(format!("{}: another curve than that of the image in memory", path.display()).into());
    }
    Ok(())
}
