//! Seeded images, equal on all machines with the same mathematical library.
//!
//! | kind | stands for | values |
//! |---|---|---|
//! | noise | the paper's uniform noise | multiples of 2⁻²⁴ in [0, 1), counted in 1,024 bins |
//! | field | its Gaussian random fields | 24 random waves, cut at three standard deviations into 1,024 levels |
//! | labels | VICTRE's breasts | 11 labels of such a field inside half an ellipsoid |
//! | sky | its projection of the microwave background, u8 | 255 levels of such a field inside an ellipse, and 0 outside |

use lacuna::cubical::ecc::{Bins, EccRequest};
use lacuna::internals::{Kernel, Level, Simd};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

/// Number of voxels of noise per seed.
const BLOCK: usize = 1024;

/// A 32-bit hash of a number (the finaliser of MurmurHash3).
fn mixed(number: u64) -> u32 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        mixed = (mixed ^ mixed >> 33).wrapping_mul(factor);
    }
    (mixed >> 32) as u32
}

/// Fills consecutive blocks with noise.
struct Blocks<'a> {
    first: u64,
    voxels: &'a mut [f32],
}

impl Kernel<u32> for Blocks<'_> {
    type Output = ();

    /// The compiler vectorises this plain loop for the instruction set of the level.
    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) {
        for (number, block) in (self.first..).zip(self.voxels.chunks_mut(BLOCK)) {
            let seed = mixed(number);
            for (place, voxel) in (0_u32..).zip(block) {
                let mut bits = place.wrapping_mul(0x9e37_79b1) ^ seed;
                bits = (bits ^ bits >> 16).wrapping_mul(0x7feb_352d);
                bits = (bits ^ bits >> 15).wrapping_mul(0x846c_a68b);
                bits ^= bits >> 16;
                // 24 bits are exact as a float, and fit a signed number.
                *voxel = (bits >> 8).cast_signed() as f32 * (1.0 / (1 << 24) as f32);
            }
        }
    }
}

/// Fills `voxels` with noise from voxel number `first` on; each voxel depends on its number alone.
pub fn noise(first: usize, voxels: &mut [f32]) {
    let level = Level::detect();
    let within = first % BLOCK;
    let head = if within == 0 { 0 } else { voxels.len().min(BLOCK - within) };
    let (head, rest) = voxels.split_at_mut(head);
    let block = (first / BLOCK) as u64;
    if !head.is_empty() {
        let mut whole = [0.0; BLOCK];
        level.run(Blocks { first: block, voxels: &mut whole });
        head.copy_from_slice(&whole[within..within + head.len()]);
    }
    level.run(Blocks { first: block + u64::from(within > 0), voxels: rest });
}

/// The first `count` voxels of noise, computed by all threads.
pub fn noise_of(count: usize) -> Vec<f32> {
    let mut voxels = vec![0.0; count];
    let part = 512 * BLOCK;
    voxels.par_chunks_mut(part).enumerate().for_each(|(k, voxels)| noise(k * part, voxels));
    voxels
}

/// Number of waves of a field.
const WAVES: usize = 24;
/// Number of levels of a field.
pub const LEVELS: usize = 1024;
/// Number of columns whose sums are held at a time.
const COLUMNS: usize = 512;

/// A smooth random field as levels: a sum of waves in random directions, which is nearly Gaussian.
fn field(axes: &[usize], seed: u64, level: impl Fn(usize, u32) -> f32 + Sync) -> Vec<f32> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let waves: Vec<[f64; 4]> = (0..WAVES)
        .map(|_| [-0.15..0.15, -0.15..0.15, -0.15..0.15, 0.0..6.3].map(|range| rng.random_range(range)))
        .collect();
    let [rows, columns] = [axes[axes.len() - 2], axes[axes.len() - 1]];
    let along: Vec<[Vec<f32>; 2]> = waves
        .iter()
        .map(|[_, _, u, _]| {
            let angles = || (0..columns).map(|x| u * x as f64);
            [
                angles().map(|angle| angle.cos() as f32).collect(),
                angles().map(|angle| angle.sin() as f32).collect(),
            ]
        })
        .collect();
    // The levels span three standard deviations of the sum of waves in either direction.
    let scale = 0.5 * LEVELS as f32 / (3.0 * (WAVES as f32 / 2.0).sqrt());
    let mut voxels = vec![0.0; axes.iter().product()];
    voxels.par_chunks_mut(columns).enumerate().for_each(|(row, voxels)| {
        let [z, y] = [row / rows, row % rows].map(|at| at as f64);
        let here: Vec<[f32; 2]> = waves
            .iter()
            .map(|[t, v, _, phase]| (t * z + v * y + phase).sin_cos())
            .map(|(sine, cosine)| [cosine as f32, sine as f32])
            .collect();
        for first in (0..columns).step_by(COLUMNS) {
            let part = &mut voxels[first..columns.min(first + COLUMNS)];
            for ([cosines, sines], [cosine, sine]) in along.iter().zip(&here) {
                let angles = cosines[first..].iter().zip(&sines[first..]);
                part.iter_mut().zip(angles).for_each(|(sum, (c, s))| *sum += cosine * c - sine * s);
            }
            for (x, voxel) in part.iter_mut().enumerate() {
                let found = (*voxel * scale + 0.5 * LEVELS as f32).clamp(0.0, (LEVELS - 1) as f32);
                *voxel = level(row * columns + first + x, found as u32);
            }
        }
    });
    voxels
}

/// A Gaussian random field of 1,024 levels.
pub fn gaussian(axes: &[usize], seed: u64) -> Vec<f32> {
    field(axes, seed, |_, level| level as f32)
}

/// The labels: the outside, and ten tissues.
const LABELS: [f32; 11] = [0.0, 1.0, 2.0, 29.0, 33.0, 40.0, 88.0, 95.0, 125.0, 150.0, 225.0];

/// Whether a voxel is inside the ellipsoid that fills the image.
fn is_within(axes: &[usize], mut place: usize) -> bool {
    let mut away = 0.0;
    for &axis in axes.iter().rev() {
        let half = axis as f64 / 2.0;
        away += (((place % axis) as f64 + 0.5 - half) / half).powi(2);
        place /= axis;
    }
    away <= 1.0
}

/// A body of ten tissues, as labels.
pub fn labels(axes: &[usize], seed: u64) -> Vec<f32> {
    let tissue = |level: u32| LABELS[1 + level as usize * (LABELS.len() - 1) / LEVELS];
    field(axes, seed, |place, level| if is_within(axes, place) { tissue(level) } else { LABELS[0] })
}

/// The sky inside an ellipse.
pub fn sky(axes: &[usize], seed: u64) -> Vec<u8> {
    let level = |level: u32| (1 + level as usize * 255 / LEVELS) as f32;
    let sky = field(axes, seed, |place, found| if is_within(axes, place) { level(found) } else { 0.0 });
    sky.into_par_iter().map(|level| level as u8).collect()
}

/// The bins of noise: 1,024 over [0, 1].
pub const NOISE: Rows = Rows { bins: 1024, low: 0.0, high: 1.0 };
/// The bins of a field; each ends at a level.
pub const FIELD: Rows = Rows { bins: LEVELS, low: -1.0, high: (LEVELS - 1) as f64 };
/// The bins of labels; each ends at a whole number.
pub const LABEL: Rows = Rows { bins: 256, low: -1.0, high: 255.0 };

/// Bins of equal width.
#[derive(Clone, Copy, PartialEq)]
pub struct Rows {
    pub bins: usize,
    pub low: f64,
    pub high: f64,
}

impl Rows {
    /// The request for a curve with these bins.
    pub fn request(self) -> EccRequest {
        let bins = Bins::Uniform { count: self.bins, range: Some((self.low.into(), self.high.into())) };
        EccRequest { bins, ..EccRequest::default() }
    }

    /// The same request on the command line.
    pub fn arguments(self) -> Vec<String> {
        vec![format!("--bins={}", self.bins), format!("--range={},{}", self.low, self.high)]
    }
}
