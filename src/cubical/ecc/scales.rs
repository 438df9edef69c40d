//! Euler characteristic curves of an image at several scales: of the image itself and after each of several smoothings.
//!
//! # Smoothing
//!
//! Voxels are converted to 32-bit floats. Each is replaced by a weighted sum of its neighbours, axis by axis, the
//! fastest in memory first. The weights are exp(−k² / 2σ²) for k = −r … r, with 2r + 1 *taps*, normalized to sum 1,
//! computed in double precision and rounded once. Beyond the border the image is reflected, the border voxel included
//! (d c b a | a b c d | d c b a). Up to rounding this is `scipy.ndimage.gaussian_filter` with `mode="reflect"` and
//! `radius=r`. Smoothing n times by σ approximates smoothing by σ√n, as far as the taps reach.
//!
//! A sum is w_0 x_0 + w_1 (x_−1 + x_1) + w_2 (x_−2 + x_2) + …, from left to right. Every operation is rounded to
//! nearest by itself, and multiplications and additions are never fused, so CPU and GPU compute bit-identical voxels
//! and hence identical curves. Each x is halved first and the sum is doubled at the end, so no intermediate sum
//! overflows; halving is exact except for the smallest floats. If rounding still takes a mean past the range of floats,
//! it is clamped to the largest one.
//!
//! The first curve is that of the original image, of any type of voxels; only smoothed images are converted to floats.
//! Infinite voxels and those outside the range of 32-bit floats cannot be smoothed.
//!
//! On a GPU, two buffers alternate between the current and the next smoothed image. Only the changes of a curve are
//! copied back, overlapped with the computation of the next scale ([`ResidentScales`]). Unless the bins are uniform
//! over a given range, scales are instead processed one at a time.

mod resident;

pub use resident::ResidentScales;

use zerocopy::IntoBytes as _;

use super::bins::Bins;
use super::cpu::curve_watched;
use super::cuda::counting::Prepared;
use super::error::{EccError, MachineError};
use super::request::EccRequest;
use super::vcec::Vcec;
use crate::cubical::image::{AnyImage, Image, Voxel};
use crate::cubical::shape::Shape;
use crate::cubical::voxel::VoxelType;
use crate::cuda::smooth::SmoothKernels;
use crate::cuda::{Buffer, Gpu};
use crate::{parallel, with_image};

/// Number of scales, and the smoothing between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// Number of curves: one for the image and one for each smoothing.
    pub count: usize,
    /// The standard deviation of the Gaussian weights, in voxels.
    pub sigma: f64,
    /// Number of weights along an axis; odd.
    pub taps: usize,
}

impl Default for Scales {
    fn default() -> Self {
        Scales { count: 4, sigma: 1.0, taps: 13 }
    }
}

impl Scales {
    /// The weights by distance from the voxel: 0, 1, 2, and so on.
    ///
    /// # Errors
    /// [`EccError`]: the standard deviation is not positive and finite, or the number of taps is even.
    pub fn weights(&self) -> Result<Vec<f32>, EccError> {
        let Scales { sigma, taps, .. } = *self;
        if !(sigma > 0.0 && sigma.is_finite()) {
            return Err(EccError::Sigma { found: sigma });
        }
        if taps.is_multiple_of(2) {
            return Err(EccError::Taps { found: taps });
        }
        let half: Vec<f64> = (0..=taps / 2).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp()).collect();
        let sum = half[0] + 2.0 * half[1..].iter().sum::<f64>();
        Ok(half.iter().map(|weight| (weight / sum) as f32).collect())
    }
}

/// Computes the curves of an image at several scales on the CPU. `advance` receives the numbers of voxels processed,
/// over all scales. It is also called with 0 in between, so that it can end the work by unwinding.
///
/// # Errors
/// [`EccError`]: the bins or weights are invalid, or a voxel cannot be smoothed.
pub fn curves<T: Voxel>(
    image: &Image<T>,
    request: &EccRequest,
    scales: &Scales,
    advance: &dyn Fn(u64),
) -> Result<Vec<Vcec>, EccError> {
    let mut curves = Vec::with_capacity(scales.count);
    curves_since(image, request, scales, &mut curves, &mut |_| (), advance)?;
    Ok(curves)
}

/// Like [`curves`], but continues after the first curves, which are given. The smoothing of their scales is repeated
/// but not reported. Curves are appended one by one, and `found` receives all of them each time.
///
/// # Errors
/// As [`curves`].
pub(crate) fn curves_since<T: Voxel>(
    image: &Image<T>,
    request: &EccRequest,
    scales: &Scales,
    curves: &mut Vec<Vcec>,
    found: &mut dyn FnMut(&[Vcec]),
    advance: &dyn Fn(u64),
) -> Result<(), EccError> {
    scales.weights()?;
    if curves.is_empty() && scales.count > 0 {
        curves.push(curve_watched(image, request, &|| advance(0))?);
        found(curves);
    }
    advance((curves.len() * image.shape().count()) as u64);
    if curves.len() < scales.count {
        smoothed_since(floats(image)?, image.shape(), request, scales, curves, found, advance)?;
    }
    Ok(())
}

/// Appends the curves after smoothing, except for those that are given.
fn smoothed_since(
    mut voxels: Vec<f32>,
    shape: Shape,
    request: &EccRequest,
    scales: &Scales,
    curves: &mut Vec<Vcec>,
    found: &mut dyn FnMut(&[Vcec]),
    advance: &dyn Fn(u64),
) -> Result<(), EccError> {
    let (weights, known) = (scales.weights()?, curves.len());
    for scale in 1..scales.count {
        // Known scales have already been reported. A part of the others is reported for each axis, and the rest with
        // the curve.
        let count = if scale < known { 0 } else { shape.count() as u64 };
        let part = count / (shape.dim() as u64 + 1);
        voxels =
            smooth(voxels, shape, &weights, &|is_axis_done| advance(if is_axis_done { part } else { 0 }));
        if scale >= known {
            let image = Image::new(shape, voxels).expect("as many as before");
            curves.push(curve_watched(&image, request, &|| advance(0))?);
            found(curves);
            voxels = image.into_voxels();
        }
        advance(count - part * shape.dim() as u64);
    }
    Ok(())
}

/// Like [`curves`], but on a GPU, from which only curves are copied back.
///
/// # Errors
/// As [`curves`]; and the GPU fails, or has no room for two copies of the image.
pub fn curves_device(
    gpu: &Gpu,
    image: &AnyImage,
    request: &EccRequest,
    scales: &Scales,
    advance: &dyn Fn(u64),
) -> Result<Vec<Vcec>, MachineError> {
    let shape = image.shape();
    let first = || Prepared::new(gpu, image.voxel_type())?.curve(&gpu.upload(image.bytes())?, shape, request);
    let as_floats = || Ok(gpu.upload(with_image!(image, image => floats(image))?.as_bytes())?);
    curves_on_device(gpu, shape, &first, &as_floats, request, scales, advance)
}

/// Like [`curves_device`], but `first` returns the curve of the image itself, and `as_floats` the bytes of its voxels
/// as floats in memory order, which is called only if there is something to smooth.
///
/// # Errors
/// As [`curves_device`].
pub(crate) fn curves_on_device(
    gpu: &Gpu,
    shape: Shape,
    first: &dyn Fn() -> Result<Vcec, MachineError>,
    as_floats: &dyn Fn() -> Result<Buffer<u8>, MachineError>,
    request: &EccRequest,
    scales: &Scales,
    advance: &dyn Fn(u64),
) -> Result<Vec<Vcec>, MachineError> {
    let weights = scales.weights()?;
    let mut curves = Vec::with_capacity(scales.count);
    let mut add = |curve| {
        curves.push(curve);
        advance(shape.count() as u64);
    };
    if scales.count > 0 {
        add(first()?);
    }
    if scales.count < 2 {
        return Ok(curves);
    }
    let prepared = Prepared::new(gpu, VoxelType::F32)?;
    let mut voxels = as_floats()?;
    if matches!(request.bins, Bins::Uniform { range: Some(_), .. }) {
        let mut resident = ResidentScales::new(&prepared, voxels, shape, request, scales)?;
        for _ in 1..scales.count {
            resident.smooth()?;
            resident.count()?;
            resident.send()?;
            if resident.waiting() > 1 {
                resident.take()?.into_iter().for_each(&mut add);
            }
        }
        resident.take()?.into_iter().for_each(add);
        return Ok(curves);
    }
    let kernels = SmoothKernels::load(gpu, &weights)?;
    for _ in 1..scales.count {
        let mut both = [voxels, gpu.zeros(shape.count() * size_of::<f32>())?];
        kernels.smooth(&axes(shape), &mut both)?;
        // The other buffer is freed before counting.
        [voxels, _] = both;
        add(prepared.curve(&voxels, shape, request)?);
    }
    Ok(curves)
}

/// Number of voxels per parallel task of the conversion to floats.
const PART: usize = 1 << 16;

/// Approximate number of voxels per parallel task of the smoothing along an axis.
const SMOOTHED: usize = 1 << 12;

/// Approximate number of voxels smoothed along an axis between two calls of `look`.
const LOOK: usize = if cfg!(test) { 1 << 6 } else { 1 << 22 };

/// Converts the voxels to 32-bit floats.
fn floats<T: Voxel>(image: &Image<T>) -> Result<Vec<f32>, EccError> {
    let mut floats = vec![0.0; image.voxels().len()];
    parallel::pieces_mut(&mut floats, PART, &|part, floats| {
        floats
            .iter_mut()
            .zip(&image.voxels()[part * PART..])
            .for_each(|(float, voxel)| *float = voxel.value() as f32);
    });
    match floats.iter().position(|float| !float.is_finite()) {
        None => Ok(floats),
        Some(place) => Err(EccError::Infinite {
            voxel: image.shape().coordinates(place),
            found: image.voxels()[place].value(),
        }),
    }
}

/// The length and the stride of each axis, in the order in which the axes are smoothed.
fn axes(shape: Shape) -> Vec<[usize; 2]> {
    let [planes, rows, columns] = shape.extents();
    let mut all = vec![[columns, 1], [rows, columns], [planes, rows * columns]];
    all.truncate(shape.dim());
    all
}

/// Smooths an image; calls `look` now and then, with `true` when an axis is done.
fn smooth(mut voxels: Vec<f32>, shape: Shape, weights: &[f32], look: &dyn Fn(bool)) -> Vec<f32> {
    for [length, inner] in axes(shape) {
        let mut smoothed = vec![0.0; voxels.len()];
        let rows = LOOK.div_ceil(inner);
        for (piece, smoothed) in smoothed.chunks_mut(rows * inner).enumerate() {
            look(false);
            let at_once = SMOOTHED.div_ceil(inner);
            parallel::pieces_mut(smoothed, at_once * inner, &|part, smoothed| {
                let first = piece * rows + part * at_once;
                // A row of voxels that are contiguous in memory and have the same position along the axis.
                for (k, row) in (first..).zip(smoothed.chunks_exact_mut(inner)) {
                    let first = (k - k % length) * inner;
                    let at = |place: isize| first + reflected(place, length) * inner;
                    let here = (k % length) as isize;
                    let middle = &voxels[at(here)..at(here) + inner];
                    row.iter_mut().zip(middle).for_each(|(sum, x)| *sum = weights[0] * (0.5 * x));
                    for (d, &weight) in (1..).zip(&weights[1..]) {
                        let [before, after] = [at(here - d), at(here + d)].map(|at| &voxels[at..at + inner]);
                        for ((sum, a), b) in row.iter_mut().zip(before).zip(after) {
                            *sum += weight * (0.5 * a + 0.5 * b);
                        }
                    }
                    row.iter_mut().for_each(|sum| *sum = (2.0 * *sum).clamp(f32::MIN, f32::MAX));
                }
            });
        }
        voxels = smoothed;
        look(true);
    }
    voxels
}

/// The position in a line that is reflected at both ends, for any `place`.
fn reflected(place: isize, length: usize) -> usize {
    let period = 2 * length as isize;
    let place = place.rem_euclid(period);
    // Both results are below the length.
    if place < length as isize { place as usize } else { (period - 1 - place) as usize }
}

#[cfg(test)]
mod tests;
