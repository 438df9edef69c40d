//! Images of any size with one to three axes.
//!
//! | scene | voxels | type |
//! |---|---|---|
//! | `noise` | uniform in [0, 1): 24 bits a voxel | `f32` |
//! | `field` | a Gaussian random field: white Gaussian noise on a periodic image, smoothed along every axis by a Gaussian of σ voxels (cut at 3σ), and normalised to variance 1 | `f32` |
//! | `blobs` | 255 where such a field is below the quantile of a density, 0 elsewhere | `u8` |
//! | `vessels` | 255 in tubes around random walks that turn slowly and become thinner, 0 elsewhere | `u8` |
//!
//! Noise is a function of the seed and of the voxel's place, so it does not depend on the threads. Each walk has a
//! generator of its own.

use libm::{ceil, exp, sqrt};
use serde::Serialize;
use strum::VariantArray;
use zerocopy::FromZeros;

use super::random::gaussian;
use super::{GenerateError, Random, expect};
use crate::cubical::{AnyImage, Image, Order, Shape};
use crate::memory::{self, Refused};
use crate::names::named;
use crate::parallel;
use crate::progress::Progress;

/// Standard deviation below which a Gaussian, in double precision, is 0 at all voxels but its centre.
const LEAST_SCALE: f64 = 0.02;

/// Greatest scale.
const MOST_SCALE: f64 = 1e6;

/// Approximate number of voxels per parallel task of the smoothing along an axis.
const SMOOTHED: usize = 1 << 12;

/// The content of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scene {
    /// Uniform noise.
    Noise,
    /// A Gaussian random field.
    Field,
    /// A random field with a threshold.
    Blobs,
    /// Tubes around random walks.
    Vessels,
}

named!(Scene);

/// Parameters of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The content.
    pub scene: Scene,
    /// Number of voxels along each axis, the last axis fastest.
    pub shape: Vec<usize>,
    /// The seed: equal seeds give equal images.
    pub seed: u64,
    /// For fields and blobs, the standard deviation of the Gaussian in voxels; for vessels, the greatest radius; at
    /// most 1,000,000.
    pub scale: f64,
    /// The fraction of foreground voxels: exact for blobs, approximate for vessels.
    pub density: f64,
}

impl Field {
    /// Creates parameters with seed 0 and a scale of four voxels.
    pub fn new(scene: Scene, shape: &[usize]) -> Self {
        let density = if scene == Scene::Vessels { 0.05 } else { 0.5 };
        Field { scene, shape: shape.to_vec(), seed: 0, scale: 4.0, density }
    }

    /// Draws the image.
    ///
    /// # Errors
    /// [`GenerateError`]: an invalid shape, scale or density, or too little memory.
    pub fn draw(&self) -> Result<AnyImage, GenerateError> {
        self.draw_watched(&())
    }

    /// Like [`draw`](Self::draw), but calls `progress` often, which may end the work by unwinding, see
    /// [`interruptible`](crate::progress::interruptible).
    ///
    /// # Errors
    /// The errors of [`draw`](Self::draw).
    pub fn draw_watched(&self, progress: &dyn Progress) -> Result<AnyImage, GenerateError> {
        progress.begin("drawing", None, 1);
        let shape = Shape::new(&self.shape, Order::C)?;
        shape.check_three()?;
        let is_right = (0.0..=MOST_SCALE).contains(&self.scale);
        let scale = expect(is_right, "scale", "a number from 0 to 1000000", self.scale)?;
        expect((0.0..=1.0).contains(&self.density), "density", "a number from 0 to 1", self.density)?;
        // Smoothing and thresholding need a second field.
        let bytes = match self.scene {
            Scene::Field | Scene::Blobs => 2 * size_of::<f32>(),
            Scene::Noise => size_of::<f32>(),
            Scene::Vessels => size_of::<u8>(),
        };
        memory::probe((shape.count() as u64).saturating_mul(bytes as u64))?;
        Ok(match self.scene {
            Scene::Noise => {
                let voxel = |place| (mixed(self.seed, place) >> 40) as f32 / (1 << 24) as f32;
                Image::new(shape, each(shape.count(), voxel, progress)?)?.into()
            }
            Scene::Field => Image::new(shape, field(shape, self.seed, scale, progress)?)?.into(),
            Scene::Blobs => {
                let field = field(shape, self.seed, scale, progress)?;
                let count = (self.density * field.len() as f64) as usize;
                let mut sorted = copy(&field)?;
                let last = sorted.len() - 1;
                let (_, &mut level, _) = sorted.select_nth_unstable_by(count.min(last), f32::total_cmp);
                let is_all = count > last;
                drop(sorted);
                let is_foreground = |place: u64| field[place as usize] < level || is_all;
                let voxel = |place| if is_foreground(place) { 255_u8 } else { 0 };
                let voxels = each(field.len(), voxel, progress)?;
                Image::new(shape, voxels)?.into()
            }
            Scene::Vessels => {
                Image::new(shape, vessels(shape, self.seed, scale, self.density, progress)?)?.into()
            }
        })
    }
}

/// Computes `voxel` for each place.
fn each<T: FromZeros + Send>(
    count: usize,
    voxel: impl Fn(u64) -> T + Sync,
    progress: &dyn Progress,
) -> Result<Vec<T>, Refused> {
    /// Number of voxels that a thread draws at a time.
    const PIECE: usize = 1 << 14;
    let mut voxels = memory::zeroed(count)?;
    parallel::pieces_mut(&mut voxels, PIECE, &|piece, voxels: &mut [T]| {
        progress.advance(0);
        for (place, at) in ((piece * PIECE) as u64..).zip(voxels) {
            *at = voxel(place);
        }
    });
    Ok(voxels)
}

fn copy(voxels: &[f32]) -> Result<Vec<f32>, Refused> {
    let mut copied = Vec::new();
    memory::reserve(&mut copied, voxels.len())?;
    copied.extend_from_slice(voxels);
    Ok(copied)
}

/// Hashes a seed and a place (the finaliser of SplitMix64; Steele, Lea, Flood 2014).
fn mixed(seed: u64, place: u64) -> u64 {
    let scramble = |mut bits: u64| {
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    };
    let step = 0x9e37_79b9_7f4a_7c15_u64;
    scramble(scramble(seed.wrapping_add(step)).wrapping_add(place.wrapping_mul(step)))
}

/// A Gaussian random field of variance 1.
fn field(shape: Shape, seed: u64, sigma: f64, progress: &dyn Progress) -> Result<Vec<f32>, Refused> {
    let noise = |place| gaussian([0, 1].map(|which| mixed(seed, 2 * place + which))) as f32;
    let mut voxels = each(shape.count(), noise, progress)?;
    if sigma < LEAST_SCALE {
        return Ok(voxels);
    }
    let radius = ceil(3.0 * sigma) as usize;
    let taps: Vec<f64> = (0..=2 * radius)
        .map(|k| k as f64 - radius as f64)
        .map(|x| exp(-x * x / (2.0 * sigma * sigma)))
        .collect();
    // The variance of a sum of independent numbers is the sum of the squares of their factors. If the image is
    // narrower than the Gaussian, factors of the same voxel add up first.
    for (axis, extent) in shape.extents().into_iter().enumerate() {
        if extent == 1 {
            continue;
        }
        let mut folded = vec![0.0; extent];
        for (k, tap) in taps.iter().enumerate() {
            folded[(k + extent - radius % extent) % extent] += tap;
        }
        let scale = sqrt(folded.iter().map(|tap| tap * tap).sum::<f64>());
        let folded: Vec<f64> = folded.into_iter().map(|tap| tap / scale).collect();
        smooth(&mut voxels, shape, axis, &folded, radius.min(extent / 2), progress)?;
    }
    Ok(voxels)
}

/// Convolves every line along an axis with periodic taps; those farther than `radius` from the first are 0.
fn smooth(
    voxels: &mut [f32],
    shape: Shape,
    axis: usize,
    taps: &[f64],
    radius: usize,
    progress: &dyn Progress,
) -> Result<(), Refused> {
    let extents = shape.extents();
    let extent = extents[axis];
    let stride: usize = extents[axis + 1..].iter().product();
    let near: Vec<(usize, f64)> = (0..extent)
        .filter(|&shift| shift.min(extent - shift) <= radius)
        .map(|shift| (shift, taps[shift]))
        .collect();
    // A slab holds all voxels of some lines, which are interleaved unless the axis is the fastest; a plane of it holds
    // those at one place of the lines.
    let smooth_planes = |before: &[f32], first: usize, planes: &mut [f32]| {
        for (at, plane) in (first..).zip(planes.chunks_exact_mut(stride)) {
            for (lane, voxel) in plane.iter_mut().enumerate() {
                let sum = near.iter().map(|&(shift, tap)| {
                    let from = if at >= shift { at - shift } else { at + extent - shift };
                    tap * f64::from(before[from * stride + lane])
                });
                *voxel = sum.sum::<f64>() as f32;
            }
        }
    };
    if extents[..axis].iter().product::<usize>() > 1 {
        let slab = extent * stride;
        parallel::pieces_mut(voxels, SMOOTHED.next_multiple_of(slab), &|_, slabs| {
            for slab in slabs.chunks_exact_mut(slab) {
                progress.advance(0);
                let before = slab.to_vec();
                smooth_planes(&before, 0, slab);
            }
        });
    } else {
        // Along the slowest axis there is a single slab, so its planes are computed in parallel.
        let before = copy(voxels)?;
        let at_once = SMOOTHED.div_ceil(stride);
        parallel::pieces_mut(voxels, at_once * stride, &|piece, planes| {
            progress.advance(0);
            smooth_planes(&before, piece * at_once, planes);
        });
    }
    Ok(())
}

/// Paints tubes around random walks until about a fraction `density` of the voxels is painted.
fn vessels(
    shape: Shape,
    seed: u64,
    greatest: f64,
    density: f64,
    progress: &dyn Progress,
) -> Result<Vec<u8>, Refused> {
    /// Maximum number of walks, after which the image is returned at any density.
    const MOST_WALKS: u64 = 1 << 20;
    let extents = shape.extents();
    let mut voxels: Vec<u8> = memory::zeroed(shape.count())?;
    let wanted = (density * voxels.len() as f64) as usize;
    let length = extents.into_iter().max().unwrap_or(1);
    let mut painted = 0;
    for walk in 0..MOST_WALKS {
        if painted >= wanted {
            break;
        }
        progress.advance(0);
        let mut random = Random::new(mixed(seed, walk));
        let is_flat = |axis: usize| extents[axis] == 1;
        let mut at: [f64; 3] =
            std::array::from_fn(
                |axis| {
                    if is_flat(axis) { 0.0 } else { random.between(0.0, extents[axis] as f64) }
                },
            );
        let mut direction: [f64; 3] =
            std::array::from_fn(|axis| if is_flat(axis) { 0.0 } else { random.between(-1.0, 1.0) });
        let mut radius = f64::max(1.0, greatest * random.between(0.3, 1.0));
        for _ in 0..length {
            let turned: [f64; 3] = std::array::from_fn(|axis| {
                if is_flat(axis) { 0.0 } else { direction[axis] + random.between(-0.1, 0.1) }
            });
            let norm = sqrt(turned.iter().map(|d| d * d).sum::<f64>());
            if norm == 0.0 {
                continue;
            }
            direction = turned.map(|d| d / norm);
            at = std::array::from_fn(|axis| at[axis] + direction[axis]);
            radius = f64::max(1.0, radius * 0.998);
            painted += ball(&mut voxels, extents, at, radius);
        }
    }
    Ok(voxels)
}

/// Paints the voxels within a distance of the centre, and counts those that are new.
fn ball(voxels: &mut [u8], extents: [usize; 3], centre: [f64; 3], radius: f64) -> usize {
    let range = |axis: usize| {
        let low = ceil(centre[axis] - radius).max(0.0) as usize;
        let high = (centre[axis] + radius + 1.0).max(0.0).min(extents[axis] as f64) as usize;
        low.min(high)..high
    };
    let mut painted = 0;
    for plane in range(0) {
        for row in range(1) {
            for column in range(2) {
                let away = [plane, row, column].map(|place| place as f64);
                let squared: f64 =
                    (0..3).map(|axis| (away[axis] - centre[axis]) * (away[axis] - centre[axis])).sum();
                let voxel = &mut voxels[(plane * extents[1] + row) * extents[2] + column];
                if squared <= radius * radius && *voxel == 0 {
                    *voxel = 255;
                    painted += 1;
                }
            }
        }
    }
    painted
}
