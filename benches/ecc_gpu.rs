//! The Euler characteristic curve on a GPU, in voxels per second.
//!
//! `cargo bench --bench ecc_gpu -- [--small] [--streamed]`; `--streamed` leaves out the table. The images are
//! generated, so that the binary can be carried to a machine with a GPU.
//!
//! | column | timed work |
//! |---|---|
//! | kernels | counting an image on the device: the time of one of [`RUNS`] counts that are enqueued together |
//! | curve | from the image on the device to the curve on the host |
//! | with transfer | the same, from page-locked host memory |
//!
//! Then images are streamed from files in the page cache, in bytes per second and as a share of the bandwidth to the
//! device. The first stream page-locks its memory, and the next ones reuse it; for comparison, the rate at which
//! threads only read. Then the time to load kernels, and last, smoothing.
//!
//! Before anything is timed, curves of the same images, cut to a few voxels, are compared with the processor's; and
//! the changes of each large image must add up to 1, as for every box.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use lacuna::cubical::ecc::cuda::Prepared;
use lacuna::cubical::ecc::scales::{Scales, curves_device};
use lacuna::cubical::ecc::{Bins, EccRequest, Voxels, curve, reader_of};
use lacuna::cubical::read::{self, ImageOptions, Raw};
use lacuna::cubical::{AnyImage, Construction, Image, Order, Shape, Voxel};
use lacuna::internals::Gpu;
use rayon::prelude::*;
use zerocopy::IntoBytes as _;

/// Number of counts that are enqueued together.
const RUNS: u32 = 10;
/// Number of measured rounds, of which the fastest counts.
const ROUNDS: usize = 5;

type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    let given = |name| std::env::args().any(|argument| argument == name);
    let gpu = match Gpu::open(0, None) {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("skipped: {error}");
            return ExitCode::SUCCESS;
        }
    };
    match run(&gpu, given("--small"), given("--streamed")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(gpu: &Gpu, small: bool, is_streamed: bool) -> Result<(), Failure> {
    println!("{}; {} threads", gpu.name(), rayon::current_num_threads());
    let bandwidth = bandwidth(gpu)?;
    println!("host to device: {bandwidth:.1} GB/s\n");
    let n = if small { 256 } else { 1024 };
    if !is_streamed {
        table(gpu, n)?;
    }
    let unit = Bins::Uniform { count: 1024, range: Some((0.0.into(), 1.0.into())) };
    println!("| voxels | shape | first stream | next | only read |");
    println!("|---|---|---|---|---|");
    let byte = |at| (noise(at) * 256.0) as u8;
    streamed::<u8>(gpu, [n, n, n], Bins::Distinct, bandwidth, byte)?;
    streamed::<u8>(gpu, [4 * n, n, n], Bins::Distinct, bandwidth, byte)?;
    streamed::<f32>(gpu, [n, n, n], unit, bandwidth, |at| noise(at) as f32)?;
    println!();
    fixed(gpu, Bins::Distinct, 1_u8)?;
    fixed(gpu, unit, 0.5_f32)?;
    fixed(gpu, Bins::Distinct, 0.5_f32)?;
    let image = AnyImage::from(image(&[n / 2, n / 2, n / 2], |at| noise(at) as f32)?);
    let request = EccRequest { bins: unit, ..EccRequest::default() };
    for count in [1, 5] {
        let start = Instant::now();
        let curves = curves_device(gpu, &image, &request, &Scales { count, ..Scales::default() }, &|_| ())?;
        println!(
            "f32 {}: {} scales in {:.1} ms",
            image.shape(),
            curves.len(),
            1e3 * start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

fn table(gpu: &Gpu, n: usize) -> Result<(), Failure> {
    println!(
        "| voxels | image | shape | rows | kernels, ms | G/s | curve, ms | G/s | with transfer, ms | G/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let bins = |count| Bins::Uniform { count, range: None };
    for (name, field) in [("noise", noise as fn([usize; 3]) -> f64), ("smooth", smooth)] {
        case::<u8>(gpu, name, &[n, n, n], Bins::Distinct, |at| (field(at) * 256.0) as u8)?;
        case::<u16>(gpu, &format!("{name}, 12 bits"), &[n, n, n], Bins::Distinct, |at| {
            (field(at) * 4096.0) as u16
        })?;
        case::<u16>(gpu, name, &[n, n, n], Bins::Distinct, |at| (field(at) * 65536.0) as u16)?;
        case::<f32>(gpu, name, &[n, n, n], bins(1024), |at| field(at) as f32)?;
        case::<f32>(gpu, name, &[4 * n, 4 * n], bins(1024), |at| field(at) as f32)?;
        case::<f32>(gpu, name, &[n / 4, n / 4, n / 4], Bins::Distinct, |at| field(at) as f32)?;
        case::<f64>(gpu, name, &[n / 2, n / 2, n / 2], bins(1024), field)?;
    }
    println!();
    Ok(())
}

/// Number of bytes that a thread reads at a time when threads only read.
const SHARE: usize = 2 << 20;

/// Streams an image from a file.
fn streamed<T: Voxel>(
    gpu: &Gpu,
    axes: [usize; 3],
    bins: Bins,
    bandwidth: f64,
    voxel: impl Fn([usize; 3]) -> T + Sync,
) -> Result<(), Failure> {
    let image = image(&axes, voxel)?;
    let path = std::env::temp_dir().join(format!("ecc_gpu.{}.{}", T::NAME, std::process::id()));
    std::fs::write(&path, image.voxels().as_bytes())?;
    let raw = Raw { shape: axes.to_vec(), dtype: T::NAME.parse()?, order: Order::C };
    let options = ImageOptions { raw: Some(raw), ..ImageOptions::default() };
    let stream = read::open(&path, &options);
    std::fs::remove_file(&path)?;
    let stream = stream?;
    let places = stream.anywhere().ok_or("no places in a regular file")?;
    let request = EccRequest { bins, ..EccRequest::default() };
    let expected = Prepared::new(gpu, T::TYPE)?.curve(
        &gpu.upload(image.voxels().as_bytes())?,
        image.shape(),
        &request,
    )?;
    let read = reader_of(|first: usize, room: &mut [T]| Ok(places.read(first, room)?));
    let mut times = [f64::INFINITY; 3];
    let count = image.shape().count();
    for _ in 0..ROUNDS {
        let prepared = Prepared::new(gpu, T::TYPE)?;
        for time in [0, 1, 1] {
            let start = Instant::now();
            let found = prepared.stream(image.shape(), &request, Voxels::anywhere(&read), &|_| ());
            times[time] = times[time].min(start.elapsed().as_secs_f64());
            if found? != expected {
                return Err(format!("{}: another curve than of the whole", T::NAME).into());
            }
        }
        let shares = count.div_ceil(SHARE / size_of::<T>());
        let start = Instant::now();
        (0..shares).into_par_iter().try_for_each_init(
            || image.voxels()[..SHARE / size_of::<T>()].to_vec(),
            |room, share| {
                let first = share * room.len();
                let length = room.len().min(count - first);
                places.read(first, &mut room[..length])
            },
        )?;
        times[2] = times[2].min(start.elapsed().as_secs_f64());
    }
    let [first, next, alone] = times.map(|time| {
        let rate = (count * size_of::<T>()) as f64 / time / 1e9;
        format!("{:.1} ms, {rate:.1} GB/s, {:.0} %", 1e3 * time, 100.0 * rate / bandwidth)
    });
    println!("| {} | {} | {first} | {next} | {alone} |", T::NAME, image.shape());
    Ok(())
}

/// Times loading the kernels, followed by an image of one voxel.
fn fixed<T: Voxel>(gpu: &Gpu, bins: Bins, voxel: T) -> Result<(), Failure> {
    let (shape, request) = (Shape::new(&[1], Order::C)?, EccRequest { bins, ..EccRequest::default() });
    let mut times = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let prepared = Prepared::new(gpu, T::TYPE)?;
        let loaded = start.elapsed().as_secs_f64();
        let read = reader_of(|_: usize, room: &mut [T]| {
            room.fill(voxel);
            Ok(())
        });
        prepared.stream(shape, &request, Voxels::anywhere(&read), &|_| ())?;
        let all = start.elapsed().as_secs_f64();
        times = [times[0].min(loaded), times[1].min(all)];
    }
    let [loaded, all] = times.map(|time| 1e3 * time);
    println!("{}: kernels loaded in {loaded:.1} ms, with a voxel counted {all:.1} ms", T::NAME);
    Ok(())
}

/// The bandwidth from page-locked memory to the device, in 10⁹ bytes per second.
fn bandwidth(gpu: &Gpu) -> Result<f64, Failure> {
    let bytes = 256 << 20;
    let (mut host, mut device) = (gpu.pinned::<u8>(bytes)?, gpu.zeros::<u8>(bytes)?);
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        gpu.finish()?;
        let start = Instant::now();
        gpu.send(&mut host, bytes, &mut device, 0)?;
        gpu.finish()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(bytes as f64 / best / 1e9)
}

fn image<T: Voxel>(axes: &[usize], voxel: impl Fn([usize; 3]) -> T + Sync) -> Result<Image<T>, Failure> {
    let shape = Shape::new(axes, Order::C)?;
    let [_, rows, columns] = shape.extents();
    let at = |place| [place / columns / rows, place / columns % rows, place % columns];
    Ok(Image::new(shape, (0..shape.count()).into_par_iter().map(|place| voxel(at(place))).collect())?)
}

fn case<T: Voxel>(
    gpu: &Gpu,
    name: &str,
    axes: &[usize],
    bins: Bins,
    voxel: impl Fn([usize; 3]) -> T + Sync,
) -> Result<(), Failure> {
    let prepared = Prepared::new(gpu, T::TYPE)?;
    for construction in [Construction::T, Construction::V] {
        let request = EccRequest { construction, bins, ..EccRequest::default() };
        let few: Vec<usize> =
            axes.iter().map(|&axis| axis.min(if axes.len() == 3 { 45 } else { 300 })).collect();
        let few = image(&few, &voxel)?;
        if prepared.curve(&gpu.upload(few.voxels().as_bytes())?, few.shape(), &request)?
            != curve(&few, &request)?
        {
            return Err(
                format!("{} {name}, {construction}: another curve than the processor's", T::NAME).into()
            );
        }
    }
    let request = EccRequest { bins, ..EccRequest::default() };
    let image = image(axes, &voxel)?;
    let count = image.shape().count();
    let bytes = image.voxels().as_bytes();
    let mut host = gpu.pinned::<u8>(bytes.len())?;
    host.slice_mut()?.copy_from_slice(bytes);
    let mut device = gpu.zeros::<u8>(bytes.len())?;
    gpu.send(&mut host, bytes.len(), &mut device, 0)?;
    let found = prepared.curve(&device, image.shape(), &request)?;
    if found.changes.iter().sum::<i64>() != 1 {
        return Err(format!("{} {name}: changes that do not add up to 1", T::NAME).into());
    }
    let mut times = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        let mut resident = prepared.resident(&device, image.shape(), &request)?;
        resident.count()?;
        gpu.finish()?;
        let start = Instant::now();
        (0..RUNS).try_for_each(|_| resident.count())?;
        gpu.finish()?;
        times[0] = times[0].min(start.elapsed().as_secs_f64() / f64::from(RUNS));
        drop(resident);
        let start = Instant::now();
        prepared.curve(&device, image.shape(), &request)?;
        times[1] = times[1].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        gpu.send(&mut host, bytes.len(), &mut device, 0)?;
        prepared.curve(&device, image.shape(), &request)?;
        times[2] = times[2].min(start.elapsed().as_secs_f64());
    }
    let cells = times.map(|time| format!("{:.3} | {:.1}", 1e3 * time, count as f64 / time / 1e9));
    println!("| {} | {name} | {} | {} | {} |", T::NAME, image.shape(), found.values.len(), cells.join(" | "));
    Ok(())
}

/// A hash of the place, between 0 and 1.
fn noise([z, y, x]: [usize; 3]) -> f64 {
    let mut hash = (z as u64) << 42 ^ (y as u64) << 21 ^ x as u64;
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ hash >> 33).wrapping_mul(factor);
    }
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

/// Smooth values between 0 and 1: noise at every 12th voxel with cubic interpolation.
fn smooth(at: [usize; 3]) -> f64 {
    const CELL: usize = 12;
    let between = at.map(|at| (at % CELL) as f64 / CELL as f64).map(|t| t * t * (3.0 - 2.0 * t));
    (0..8)
        .map(|corner: usize| {
            let upper = [corner >> 2 & 1, corner >> 1 & 1, corner & 1];
            let weight = |axis: usize| if upper[axis] == 1 { between[axis] } else { 1.0 - between[axis] };
            noise([0, 1, 2].map(|axis| at[axis] / CELL + upper[axis])) * weight(0) * weight(1) * weight(2)
        })
        .sum()
}
