//! Thinning on the processor, and on a GPU if there is one.
//!
//! `cargo bench --bench thinning -- [--small] [--gpu]`; `--gpu` runs fewer rounds on the processor. The images are
//! generated, so that the binary can be carried to a machine with a GPU.
//!
//! | column | timed work |
//! |---|---|
//! | processor | from bits to bits |
//! | GPU | from bits on the host to bits on the host |
//! | device | from the image on the device to its skeleton there, including all queries of the host |
//!
//! Both results are compared, iteration by iteration, before a time is printed.

use std::process::ExitCode;
use std::time::Instant;

use lacuna::cubical::thinning::cuda::Prepared;
use lacuna::cubical::thinning::{BitImage, Rule, ThinningRequest, thin};
use lacuna::cubical::{Image, Order, Shape};
use lacuna::internals::Gpu;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Number of measured rounds, of which the fastest counts.
const ROUNDS: usize = 5;

fn main() -> ExitCode {
    let given = |name| std::env::args().any(|argument| argument == name);
    let gpu = Gpu::open(0, None).map_err(|error| println!("no GPU: {error}")).ok();
    let name = gpu.as_ref().map_or("no device", Gpu::name);
    println!("{name}; {} threads\n", rayon::current_num_threads());
    println!("| image | rule | iterations | voxels | processor | GPU | device | words |");
    println!("|---|---|---:|---|---:|---:|---:|---:|");
    let scale = if given("--small") { 8 } else { 1 };
    let rounds = if given("--gpu") { 1 } else { ROUNDS };
    let mut same = true;
    for (name, image, rules) in images(scale) {
        for &rule in rules {
            same &= row(gpu.as_ref(), &name, &image, rule, rounds);
        }
    }
    if same { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

const PLANE: &[Rule] = &Rule::ALL;
const SPACE: &[Rule] = &[Rule::Subfields];

fn images(scale: usize) -> Vec<(String, BitImage, &'static [Rule])> {
    let [side, blobs, extent] = [8000, 4096, 512].map(|extent| extent / scale);
    let middle = extent as i64 / 2;
    let ball = |[z, y, x]: [i64; 3]| {
        (z - middle).pow(2) + (y - middle).pow(2) + (x - middle).pow(2) < (middle - 8).pow(2)
    };
    vec![
        (format!("black {side}²"), drawn(&[side, side], |_| true), PLANE),
        (format!("blobs {blobs}²"), blobs_of(blobs), PLANE),
        (format!("noise {side}²"), noise(&[side, side], 0.7), PLANE),
        (format!("vessels {extent}³"), vessels(extent), SPACE),
        (format!("ball {extent}³"), drawn(&[extent; 3], ball), SPACE),
        (format!("noise {extent}³"), noise(&[extent; 3], 0.5), SPACE),
    ]
}

fn drawn(axes: &[usize], black: impl Fn([i64; 3]) -> bool) -> BitImage {
    let shape = Shape::new(axes, Order::C).expect("axes of a few voxels");
    let [_, rows, columns] = shape.extents().map(|extent| extent as i64);
    let voxel =
        |place: i64| u8::from(black([place / columns / rows, place / columns % rows, place % columns]));
    of(shape, (0..shape.count() as i64).map(voxel).collect())
}

fn of(shape: Shape, voxels: Vec<u8>) -> BitImage {
    BitImage::of(&Image::new(shape, voxels).expect("a voxel for each place"), |voxel| voxel != 0)
}

fn noise(axes: &[usize], density: f64) -> BitImage {
    let shape = Shape::new(axes, Order::C).expect("axes of a few voxels");
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    of(shape, (0..shape.count()).map(|_| u8::from(rng.random_bool(density))).collect())
}

/// Waves in random directions, thresholded at their mean.
fn blobs_of(side: usize) -> BitImage {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    let waves: Vec<[f64; 3]> =
        (0..12).map(|_| [-0.2..0.2, -0.2..0.2, 0.0..6.3].map(|range| rng.random_range(range))).collect();
    drawn(&[side, side], |[_, y, x]| {
        waves.iter().map(|[v, u, phase]| (v * y as f64 + u * x as f64 + phase).sin()).sum::<f64>() > 0.0
    })
}

/// Tubes along random walks that turn slowly and become narrower.
fn vessels(extent: usize) -> BitImage {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let shape = Shape::new(&[extent; 3], Order::C).expect("axes of a few voxels");
    let mut voxels = vec![0; shape.count()];
    for _ in 0..60 {
        let mut at: [f64; 3] = std::array::from_fn(|_| rng.random_range(0.0..extent as f64));
        let mut direction: [f64; 3] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        let mut radius = rng.random_range(3.0..14.0);
        for _ in 0..extent {
            let turned: [f64; 3] = std::array::from_fn(|k| direction[k] + rng.random_range(-0.1..0.1));
            let length = turned.iter().map(|d| d * d).sum::<f64>().sqrt();
            direction = turned.map(|d| d / length);
            at = std::array::from_fn(|k| at[k] + 1.5 * direction[k]);
            radius = f64::max(1.5, radius * 0.998);
            paint(&mut voxels, extent as i64, at, radius);
        }
    }
    of(shape, voxels)
}

fn paint(voxels: &mut [u8], extent: i64, at: [f64; 3], radius: f64) {
    let range =
        |at: f64| ((at - radius) as i64).clamp(0, extent)..((at + radius) as i64 + 1).clamp(0, extent);
    for z in range(at[0]) {
        for y in range(at[1]) {
            for x in range(at[2]) {
                let away = [z, y, x].iter().zip(at).map(|(&k, at)| (k as f64 - at).powi(2)).sum::<f64>();
                voxels[((z * extent + y) * extent + x) as usize] |= u8::from(away < radius * radius);
            }
        }
    }
}

/// Prints a row; returns whether device and processor found the same.
fn row(gpu: Option<&Gpu>, name: &str, image: &BitImage, rule: Rule, rounds: usize) -> bool {
    let request = ThinningRequest { rule: Some(rule), iterations: None };
    let mut passes = Vec::new();
    let (expected, figures) =
        thin(image, &request, &mut |pass| passes.push(pass)).expect("a rule for the image");
    let processor = least(rounds, || thin(image, &request, &mut |_| ()).expect("a rule for the image").0);
    let mut columns = [String::from("–"), String::from("–"), figures.words.to_string()];
    let mut same = true;
    if let Some(gpu) = gpu {
        let prepared = Prepared::new(gpu, rule).expect("kernels");
        let mut found_passes = Vec::new();
        let (found, figures) =
            prepared.thin(image, None, &mut |pass| found_passes.push(pass)).expect("a device that works");
        same = found == expected && found_passes == passes;
        let all = least(ROUNDS, || prepared.thin(image, None, &mut |_| ()).expect("a device that works").0);
        let device = (0..ROUNDS).map(|_| {
            let mut resident = prepared.bring(image).expect("a device that works");
            least(1, || resident.thin(None, &mut |_| ()).expect("a device that works"))
        });
        let device = device.fold(f64::INFINITY, f64::min);
        let device = if same { milliseconds(device) } else { "**differs**".into() };
        columns = [milliseconds(all), device, figures.words.to_string()];
    }
    let voxels = format!("{} → {}", figures.before, figures.after);
    let [all, device, words] = columns;
    let processor = milliseconds(processor);
    println!("| {name} | {rule} | {} | {voxels} | {processor} | {all} | {device} | {words} |", passes.len());
    same
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.2} ms", 1e3 * seconds)
}

fn least<T>(rounds: usize, mut work: impl FnMut() -> T) -> f64 {
    let time = |_| {
        let start = Instant::now();
        drop(work());
        start.elapsed().as_secs_f64()
    };
    (0..rounds).map(time).fold(f64::INFINITY, f64::min)
}
