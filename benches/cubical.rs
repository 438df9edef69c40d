//! Cubical persistence by stages: `cargo bench --bench cubical [-- NAME…]`.
//!
//! Images are seeded: uniform noise, and blurred noise. The classes of every run are counted and checksummed before
//! its time counts; a row shows the best of [`RUNS`] runs in milliseconds, in total and by stage. `RAYON_NUM_THREADS`
//! sets the number of threads. Images whose names begin with one of the given names are run; without names, all that
//! take at most a few seconds.

use std::process::ExitCode;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use lacuna::cubical::persistence::{Classes, PersistenceRequest, PersistenceStatistics};
use lacuna::cubical::{Construction, Cubical, Image, Order, Shape};

/// Number of runs per case, of which the best counts.
const RUNS: usize = 5;

struct Case {
    name: &'static str,
    axes: &'static [usize],
    /// Number of times that the noise is blurred.
    blurs: usize,
    /// Number of values to which voxels are rounded down; `None` keeps all values.
    levels: Option<u32>,
    is_quick: bool,
    /// For T and V: the number of classes of all dimensions, and their checksum.
    expected: [(usize, u64); 2],
}

const CASES: [Case; 7] = [
    Case::new(
        "plane-noise",
        &[2048, 2048],
        0,
        None,
        true,
        [(1_303_167, 10_188_128_180_831_791_178), (1_304_830, 18_121_420_100_797_692_249)],
    ),
    Case::new(
        "plane-smooth",
        &[2048, 2048],
        6,
        None,
        true,
        [(34_655, 17_011_639_505_751_451_119), (34_639, 16_218_657_533_225_521_501)],
    ),
    Case::new(
        "noise-128",
        &[128, 128, 128],
        0,
        None,
        true,
        [(750_490, 11_013_656_088_526_840_683), (763_774, 1_205_779_837_288_876_303)],
    ),
    Case::new(
        "smooth-128",
        &[128, 128, 128],
        6,
        None,
        true,
        [(4_975, 15_535_383_551_425_652_256), (5_021, 15_320_621_109_276_469_960)],
    ),
    Case::new(
        "binary-128",
        &[128, 128, 128],
        0,
        Some(2),
        true,
        [(174_030, 3_234_306_533_513_118_366), (173_296, 9_742_940_700_478_032_924)],
    ),
    Case::new(
        "noise-256",
        &[256, 256, 256],
        0,
        None,
        false,
        [(6_085_957, 953_342_300_123_262_018), (6_146_197, 13_231_661_859_920_159_025)],
    ),
    Case::new(
        "smooth-256",
        &[256, 256, 256],
        6,
        None,
        false,
        [(33_640, 821_158_801_480_159_295), (34_252, 120_732_174_587_263_142)],
    ),
];

impl Case {
    const fn new(
        name: &'static str,
        axes: &'static [usize],
        blurs: usize,
        levels: Option<u32>,
        is_quick: bool,
        expected: [(usize, u64); 2],
    ) -> Self {
        Case { name, axes, blurs, levels, is_quick, expected }
    }

    fn image(&self) -> Image<f64> {
        let mut rng = Pcg64Mcg::seed_from_u64(11);
        let shape = Shape::new(self.axes, Order::C).expect("a shape");
        let mut voxels: Vec<f64> = (0..shape.count()).map(|_| rng.random()).collect();
        let [_, rows, columns] = shape.extents();
        for _ in 0..self.blurs {
            for stride in [1, columns, rows * columns] {
                blur(&mut voxels, stride);
            }
        }
        if let Some(levels) = self.levels {
            voxels.iter_mut().for_each(|voxel| *voxel = (*voxel * f64::from(levels)).floor());
        }
        Image::new(shape, voxels).expect("one voxel a place")
    }
}

/// The mean of a voxel and its four nearest neighbours along an axis; rows run into each other.
fn blur(voxels: &mut [f64], stride: usize) {
    let before = voxels.to_vec();
    for place in 2 * stride..voxels.len().saturating_sub(2 * stride) {
        let near = [place - 2 * stride, place - stride, place, place + stride, place + 2 * stride];
        voxels[place] = near.into_iter().map(|near| before[near]).sum::<f64>() / 5.0;
    }
}

/// The number of classes, and a checksum that depends on their order.
fn sum(classes: &Classes) -> (usize, u64) {
    let mut sum = 0_u64;
    let mut count = 0;
    for (dim, classes) in classes.dimensions.iter().enumerate() {
        for class in classes {
            let death = class.death.map_or(0, |death| death + 1);
            for number in [dim, class.birth, death] {
                sum = (sum ^ number as u64).wrapping_mul(0x0100_0000_01b3);
            }
        }
        count += classes.len();
    }
    (count, sum)
}

fn total(statistics: &PersistenceStatistics) -> f64 {
    statistics.stages.iter().map(|(_, seconds)| seconds).sum()
}

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let names: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with("--")).collect();
    let is_asked = |case: &&Case| {
        if names.is_empty() {
            case.is_quick
        } else {
            names.iter().any(|name| case.name.starts_with(name.as_str()))
        }
    };
    println!("{} threads, milliseconds, the best of {RUNS}", rayon::current_num_threads());
    let mut code = ExitCode::SUCCESS;
    for case in CASES.iter().filter(is_asked) {
        let image = case.image().into();
        for (construction, expected) in [Construction::T, Construction::V].into_iter().zip(case.expected) {
            let request = PersistenceRequest { construction, ..PersistenceRequest::default() };
            let mut best: Option<PersistenceStatistics> = None;
            for _ in 0..RUNS {
                let run = Cubical::new(&image, request).solve(&()).expect("an image that is not too large");
                let (classes, statistics) = (run.classes, run.statistics);
                let found = sum(&classes);
                if found != expected {
                    println!("{} {construction}: void, found {found:?} and not {expected:?}", case.name);
                    code = ExitCode::FAILURE;
                    break;
                }
                if best.as_ref().is_none_or(|best| total(&statistics) < total(best)) {
                    best = Some(statistics);
                }
            }
            let Some(statistics) = best else { continue };
            let stages: Vec<String> = statistics
                .stages
                .iter()
                .map(|(stage, seconds)| format!("{stage} {:.1}", 1e3 * seconds))
                .collect();
            println!(
                "{:<13} {construction} {:>8.1}   {}",
                case.name,
                1e3 * total(&statistics),
                stages.join(", ")
            );
        }
    }
    code
}
