//! Table 2: alternating curves and Gaussian smoothing of an image that stays on the device.

use std::fs;
use std::path::Path;
use std::time::Instant;

use lacuna::cubical::ecc::cuda::Prepared;
use lacuna::cubical::ecc::scales::{ResidentScales, Scales, curves};
use lacuna::cubical::ecc::{EccRequest, Vcec, curve};
use lacuna::cubical::{Image, Order, Shape, VoxelType};
use zerocopy::IntoBytes;

use super::inputs::{self, Rows};
use super::table1::Process;
use super::{Bench, InputRows, middle, verify};
use crate::Failure;
use crate::rows::{Table, Unit, median};

pub const TITLE: &str = "Table 2. A loop on the device: curve, then Gaussian smoothing of width 13, 1024²";

const NOTES: &[&str] = &[
    "A Gaussian random field, f32, a bin for each of its 1,024 levels; the paper's text says a field, its table's head noise. Its last row is printed as 1,000 again; by its averages it is 10,000.",
    "*overall*: GPU overhead of a process (as in Table 1), reading the file, bringing it to the device, the loop; *overall avg.* is that divided by the iterations.",
    "*loop avg.*: the loop alone, every curve added up on the host while the device counts the next. *ECC kernel*, *Gaussian*: so many asked for at once, nothing between. \
     *ECC mem.*: changes to the host and their prefix sums, waiting for each.",
    "On the processor, up to 100 iterations.",
];

/// Number of iterations; milliseconds: overall, overall avg., ECC mem. avg., ECC kernel avg., Gaussian avg., disk
/// read.
const PAPER: [(usize, [f64; 6]); 5] = [
    (1, [137.16, 137.16, 0.28, 0.16, 1.55, 7.72]),
    (10, [172.80, 17.28, 0.06, 0.15, 0.20, 7.38]),
    (100, [149.96, 1.50, 0.03, 0.13, 0.09, 7.81]),
    (1000, [352.02, 0.35, 0.03, 0.12, 0.07, 7.22]),
    (10_000, [2786.64, 0.28, 0.03, 0.17, 0.07, 7.57]),
];
/// One bin per level, and a few more: the weights add up to 1 only up to rounding, so smoothed values may slightly
/// exceed the greatest level.
const ROWS: Rows = Rows { bins: 1032, low: -1.0, high: 1031.0 };
/// Number of iterations whose curves are compared with the processor's.
const COMPARED: usize = 100;

fn scales(count: usize) -> Scales {
    Scales { count, sigma: 1.0, taps: 13 }
}

pub fn table(bench: &Bench<'_>) -> Result<Table, Failure> {
    let axes = bench.scaled(&[1024; 2]);
    let image = Image::new(Shape::new(&axes, Order::C)?, inputs::gaussian(&axes, 100))?;
    let request = ROWS.request();
    let compared = if bench.small { 5 } else { COMPARED };
    let expected = curves(&image, &request, &scales(compared), &|_| ())?;
    verify::same("the image", &verify::verified(&image, &request, None)?, &expected[0])?;
    let mut found = InputRows { input: "", verified: String::new(), rows: Vec::new() };
    if let Some(gpu) = &bench.gpu {
        let prepared = Prepared::new(gpu, VoxelType::F32)?;
        let mut first = Loop::new(&prepared, &image, &request)?;
        for (number, (expected, found)) in expected.iter().zip(first.run(compared)?).enumerate() {
            verify::same(&format!("smoothed {number} times, device against processor"), expected, &found)?;
        }
        device_rows(bench, &prepared, &image, &mut found)?;
    }
    for (count, paper) in PAPER.into_iter().filter(|&(count, _)| count <= compared) {
        let input = format!("{count} iteration{}", if count == 1 { "" } else { "s" });
        let seconds = median(bench.runs, || curves(&image, &request, &scales(count), &|_| ())).as_secs_f64();
        let mut rows = InputRows {
            input: &input,
            verified: String::from("cells by words; a corner's one by one"),
            rows: Vec::new(),
        };
        let average = 1e3 * seconds / count as f64;
        rows.add(
            "loop avg.",
            Unit::Milliseconds,
            (Some(paper[1]), average),
            "cpu",
            "beside the paper's overall avg.",
        );
        found.rows.extend(rows.rows);
    }
    Ok(super::table(NOTES, found.rows))
}

/// The image on the device with its loop.
struct Loop<'p>(ResidentScales<'p>);

impl<'p> Loop<'p> {
    fn new(prepared: &'p Prepared, image: &Image<f32>, request: &EccRequest) -> Result<Self, Failure> {
        let voxels = prepared.gpu().upload(image.voxels().as_bytes())?;
        Ok(Loop(ResidentScales::new(prepared, voxels, image.shape(), request, &scales(1))?))
    }

    /// Runs `count` iterations, and returns the first curves after their sums were checked.
    fn run(&mut self, count: usize) -> Result<Vec<Vcec>, Failure> {
        let mut found = Vec::new();
        let mut take = |resident: &mut ResidentScales<'_>| -> Result<(), Failure> {
            let Some(curve) = resident.take()? else { return Err("no curve on its way".into()) };
            if curve.euler().last() != Some(&1) {
                return Err("a curve on the device: expected 1 in the end".into());
            }
            if found.len() < COMPARED {
                found.push(curve);
            }
            Ok(())
        };
        let Loop(resident) = self;
        for _ in 0..count {
            resident.count()?;
            resident.send()?;
            resident.smooth()?;
            if resident.waiting() > 1 {
                take(resident)?;
            }
        }
        take(resident)?;
        resident.finish()?;
        Ok(found)
    }

    /// The seconds of `count` rounds that are enqueued together.
    fn time(
        &mut self,
        count: usize,
        mut ask: impl FnMut(&mut ResidentScales<'p>) -> Result<(), Failure>,
    ) -> Result<f64, Failure> {
        self.0.finish()?;
        let start = Instant::now();
        (0..count).try_for_each(|_| ask(&mut self.0))?;
        self.0.finish()?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Milliseconds of a number of iterations.
struct Measured {
    read: f64,
    begin: f64,
    looped: f64,
    /// The parts of an iteration: changes to the host, count, smoothing.
    parts: [f64; 3],
}

impl Measured {
    fn of(
        bench: &Bench<'_>,
        prepared: &Prepared,
        (image, path): (&Image<f32>, &Path),
        count: usize,
    ) -> Result<Self, Failure> {
        let mut times = [const { Vec::new() }; 6];
        for _ in 0..bench.runs {
            let start = Instant::now();
            let bytes = fs::read(path)?;
            let read = start.elapsed();
            if bytes != image.voxels().as_bytes() {
                return Err("the image: other voxels than were written".into());
            }
            let start = Instant::now();
            let mut resident = Loop::new(prepared, image, &ROWS.request())?;
            let begin = start.elapsed();
            let start = Instant::now();
            std::hint::black_box(resident.run(count)?);
            let looped = start.elapsed();
            let brought = resident.time(count, |resident| {
                resident.send()?;
                std::hint::black_box(resident.take()?.map(|curve| curve.euler()));
                Ok(())
            })?;
            let counted = resident.time(count, |resident| Ok(resident.count()?))?;
            let smoothed = resident.time(count, |resident| Ok(resident.smooth()?))?;
            let whole = [read, begin, looped].map(|time| time.as_secs_f64());
            let all = [whole, [brought, counted, smoothed]].concat();
            times.iter_mut().zip(all).for_each(|(times, time)| times.push(time));
        }
        let [read, begin, looped, parts @ ..] = times.map(|times| 1e3 * middle(times));
        Ok(Measured { read, begin, looped, parts: parts.map(|part| part / count as f64) })
    }
}

fn device_rows(
    bench: &Bench<'_>,
    prepared: &Prepared,
    image: &Image<f32>,
    all: &mut InputRows<'_>,
) -> Result<(), Failure> {
    let path = bench.folder.join("image.raw");
    fs::write(&path, image.voxels().as_bytes())?;
    let (axes, expected) = (image.shape().axes(), curve(image, &ROWS.request())?);
    let process =
        Process { bench, path: &path, axes, bins: Some(ROWS), expected: &expected, backend: "cuda" };
    let overhead = 1e3 * process.measure::<f32>()?.overhead;
    for (count, paper) in PAPER {
        let count = if bench.small { count.min(20) } else { count };
        let input = format!("{count} iteration{}", if count == 1 { "" } else { "s" });
        let verified = String::from("processor, every row of the first 100 curves; sum 1, all");
        let mut rows = InputRows { input: &input, verified, rows: Vec::new() };
        let Measured { read, begin, looped, parts } = Measured::of(bench, prepared, (image, &path), count)?;
        let overall = overhead + read + begin + looped;
        let mut add = |quantity: &str, paper: Option<f64>, ours: f64, remark: &str| {
            rows.add(quantity, Unit::Milliseconds, (paper, ours), "cuda", remark);
        };
        let opening = format!("{overhead:.0} ms of it are the process and CUDA's driver, once");
        add("overall", Some(paper[0]), overall, &opening);
        add("overall avg.", Some(paper[1]), overall / count as f64, &opening);
        add("loop avg.", None, looped / count as f64, "the paper does not have it apart");
        let once = "one wait for the device";
        let launches = |words| if count == 1 { once } else { words };
        add("ECC mem. avg.", Some(paper[2]), parts[0], once);
        add("ECC kernel avg.", Some(paper[3]), parts[1], launches("two launches: bins, count"));
        add("Gaussian avg.", Some(paper[4]), parts[2], launches("one launch, both axes"));
        add("disk read", Some(paper[5]), read, "page cache, one thread");
        all.rows.extend(rows.rows);
    }
    fs::remove_file(&path)?;
    Ok(())
}
