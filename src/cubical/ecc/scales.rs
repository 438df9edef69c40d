//! Curves at several scales: of an image, of the image smoothed, smoothed twice, and so on.
//!
//! # Smoothing
//!
//! Voxels are taken as 32-bit floats and each is replaced by a weighted sum of those around it, axis by axis, the fastest in memory first.
//! Weights are exp(−k² / 2σ²) for k = −r … r, with 2r + 1 *taps*, over their sum, computed in double precision and rounded once. Beyond the
//! border the image is reflected, the voxel at the border twice (d c b a | a b c d | d c b a): `scipy.ndimage.gaussian_filter` with
//! `mode="reflect"` and `radius=r`, but for rounding. Smoothing n times by σ is smoothing by σ√n, as far as the taps reach.
//!
//! A sum is w_0 x_0 + w_1 (x_−1 + x_1) + w_2 (x_−2 + x_2) + …, from left to right, every operation rounded to the nearest by itself, never two
//! as one. So the processor and a device find the same voxels to the last bit, and the same curves. Each x is halved before and the sum is doubled
//! at the end, which rounds nothing but the least floats: so no sum on the way is past the range of floats, and where rounding takes a mean past
//! its end, the mean is that end.
//!
//! The first curve is that of the image as it is, of any type of voxels; only the smoothed ones are of floats. Infinite voxels cannot be
//! smoothed, nor those past the range of 32-bit floats.
//!
//! On a device the image and the smoothed one change places, and only changes come back, those of one scale while the next is made
//! ([`ResidentScales`]); where rows are not bins of a range that is known, scale after scale by itself.

mod resident;

pub use resident::ResidentScales;

use rayon::prelude::*;

use super::bins::{Bins, BinsError};
use super::cpu::{self, curve_watched};
use super::cuda::counting::{DeviceError, Prepared};
use super::request::EccRequest;
use super::vcec::Vcec;
use crate::cubical::image::{Image, Voxel};
use crate::cubical::shape::Shape;
use crate::cuda::smooth::SmoothKernels;
use crate::cuda::{Buffer, Gpu, KernelVoxel};
use crate::parallel;

/// What curves at several scales are asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// Curves: the image's, and one for each time that it is smoothed.
    pub count: usize,
    /// The standard deviation of the weights, in voxels.
    pub sigma: f64,
    /// Weights, an odd number.
    pub taps: usize,
}

impl Default for Scales {
    fn default() -> Self {
        Scales { count: 4, sigma: 1.0, taps: 13 }
    }
}

/// Why there are no curves.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScalesError {
    /// No standard deviation.
    #[error("expected a positive standard deviation, found {found}")]
    Sigma {
        /// What was given.
        found: f64,
    },
    /// A number of weights without a middle.
    #[error("expected an odd number of taps, found {found}")]
    Taps {
        /// What was given.
        found: usize,
    },
    /// A voxel that cannot be smoothed.
    #[error("voxel {voxel:?}: expected a 32-bit float to be smoothed, found {found}")]
    Infinite {
        /// Its coordinates.
        voxel: Vec<usize>,
        /// Its value.
        found: f64,
    },
    /// There are no such bins.
    #[error(transparent)]
    Bins(#[from] BinsError),
    /// The device fails.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl Scales {
    /// The weights of a voxel, of its neighbours, of theirs, and so on.
    ///
    /// # Errors
    /// [`ScalesError`]: the standard deviation is not positive, or the number of taps not odd.
    pub fn weights(&self) -> Result<Vec<f32>, ScalesError> {
        let Scales { sigma, taps, .. } = *self;
        if !(sigma > 0.0 && sigma.is_finite()) {
            return Err(ScalesError::Sigma { found: sigma });
        }
        if taps.is_multiple_of(2) {
            return Err(ScalesError::Taps { found: taps });
        }
        let half: Vec<f64> = (0..=taps / 2).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp()).collect();
        let sum = half[0] + 2.0 * half[1..].iter().sum::<f64>();
        Ok(half.iter().map(|weight| (weight / sum) as f32).collect())
    }
}

/// The curves of an image at several scales, on the processor. `advance` is told how many voxels are done, of those of all scales; in between
/// it is told of none, so that it can end the work by unwinding.
///
/// # Errors
/// [`ScalesError`]: there are no such bins or weights, or a voxel cannot be smoothed.
pub fn curves<T: Voxel>(
    image: &Image<T>,
    request: &EccRequest,
    scales: &Scales,
    advance: &dyn Fn(u64),
) -> Result<Vec<Vcec>, ScalesError> {
    let mut curves = Vec::with_capacity(scales.count);
    curves_since(image, request, scales, &mut curves, &mut |_| (), advance)?;
    Ok(curves)
}

/// Like [`curves`], where the first of the curves are known: what takes part in later ones is smoothed again, and not counted. Curves are added
/// one after the other, and `found` is told of all of them each time.
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
) -> Result<(), ScalesError> {
    let weights = scales.weights()?;
    let (shape, known) = (image.shape(), curves.len());
    let mut add = |curve| {
        curves.push(curve);
        found(curves);
    };
    if known == 0 && scales.count > 0 {
        add(curve_watched(image, request, &|| advance(0))?);
    }
    let told = if scales.count == 0 { 0 } else { known.max(1) };
    advance((told * shape.count()) as u64);
    if known < scales.count && scales.count > 1 {
        let mut voxels = floats(image)?;
        for scale in 1..scales.count {
            let is_known = scale < known;
            // What is known has been told.
            let left = if is_known { 0 } else { shape.count() as u64 };
            let mut parts = Parts { left, count: shape.dim() as u64 + 1, advance };
            voxels = smooth(voxels, shape, &weights, &mut parts);
            if !is_known {
                let image = Image::new(shape, voxels).expect("as many as before");
                add(curve_watched(&image, request, &|| advance(0))?);
                voxels = image.into_voxels();
            }
            parts.end();
        }
    }
    Ok(())
}

/// Like [`curves`], on a device, from which only curves come back.
///
/// # Errors
/// As [`curves`]; and the device fails, or has no room for the image twice.
pub fn curves_device<T: KernelVoxel>(
    gpu: &Gpu,
    image: &Image<T>,
    request: &EccRequest,
    scales: &Scales,
    advance: &dyn Fn(u64),
) -> Result<Vec<Vcec>, ScalesError> {
    scales.weights()?;
    let shape = image.shape();
    let mut curves = Vec::with_capacity(scales.count);
    let failed = DeviceError::from;
    if scales.count > 0 {
        let voxels = gpu.upload(image.voxels()).map_err(failed)?;
        let request = with_range(image, request)?;
        curves.push(Prepared::<T>::new(gpu).map_err(failed)?.curve(&voxels, shape, &request)?);
        advance(shape.count() as u64);
    }
    if scales.count > 1 {
        let prepared = Prepared::<f32>::new(gpu).map_err(failed)?;
        let voxels = gpu.upload(&floats(image)?).map_err(failed)?;
        let mut advance = |curve| {
            curves.push(curve);
            advance(shape.count() as u64);
        };
        smoothed(&prepared, voxels, shape, request, scales, &mut advance)?;
    }
    Ok(curves)
}

/// Like [`curves`], of an image that lies on a device in memory order, whose kernels are `prepared`, as are those for smoothed images.
/// `as_floats` gives the voxels as they are smoothed, if that is asked for.
///
/// # Errors
/// As [`curves_device`].
///
/// # Panics
/// The buffer has fewer voxels than the shape.
pub(crate) fn curves_on_device<T: KernelVoxel>(
    (prepared, of_floats): (&Prepared<T>, &Prepared<f32>),
    (voxels, shape): (&Buffer<T>, Shape),
    as_floats: &dyn Fn() -> Result<Buffer<f32>, ScalesError>,
    request: &EccRequest,
    scales: &Scales,
    advance: &dyn Fn(u64),
) -> Result<Vec<Vcec>, ScalesError> {
    scales.weights()?;
    let mut curves = Vec::with_capacity(scales.count);
    let mut add = |curve| {
        curves.push(curve);
        advance(shape.count() as u64);
    };
    if scales.count > 0 {
        add(prepared.curve(voxels, shape, request)?);
    }
    if scales.count > 1 {
        smoothed(of_floats, as_floats()?, shape, request, scales, &mut add)?;
    }
    Ok(curves)
}

/// Tells of all curves but the first, of an image that lies on the device whose kernels are `prepared`.
fn smoothed(
    prepared: &Prepared<f32>,
    mut voxels: Buffer<f32>,
    shape: Shape,
    request: &EccRequest,
    scales: &Scales,
    advance: &mut dyn FnMut(Vcec),
) -> Result<(), ScalesError> {
    let failed = DeviceError::from;
    if matches!(request.bins, Bins::Uniform { range: Some(_), .. }) {
        let mut resident = ResidentScales::on_device(prepared, voxels, shape, request, scales)?;
        for _ in 1..scales.count {
            resident.smooth()?;
            resident.count()?;
            resident.send()?;
            if resident.waiting() > 1 {
                resident.take()?.into_iter().for_each(&mut *advance);
            }
        }
        resident.take()?.into_iter().for_each(advance);
        return Ok(());
    }
    let gpu = prepared.gpu();
    let kernels = SmoothKernels::load(gpu, &scales.weights()?).map_err(failed)?;
    for _ in 1..scales.count {
        let mut both = [voxels, gpu.zeros(shape.count()).map_err(failed)?];
        kernels.smooth(&axes(shape), &mut both).map_err(failed)?;
        // The memory of the other goes before anything is counted.
        [voxels, _] = both;
        advance(prepared.curve(&voxels, shape, request)?);
    }
    Ok(())
}

/// A request for bins over the finite voxels of an image, where they are to be over all of it: a device finds infinite ends, too.
fn with_range<T: Voxel>(image: &Image<T>, request: &EccRequest) -> Result<EccRequest, BinsError> {
    let mut request = *request;
    if let Bins::Uniform { range: range @ None, .. } = &mut request.bins {
        *range = Some(cpu::range(image.voxels()).values::<T>()?);
    }
    Ok(request)
}

/// The voxels of a scale, that are told a part at a time: one an axis, and one for the curve.
struct Parts<'a> {
    left: u64,
    count: u64,
    advance: &'a dyn Fn(u64),
}

impl Parts<'_> {
    fn next(&mut self) {
        let part = self.left / self.count;
        (self.advance)(part);
        self.left -= part;
        self.count -= 1;
    }

    fn end(self) {
        (self.advance)(self.left);
    }
}

/// Voxels of a piece of work.
const PART: usize = 1 << 16;

/// Voxels that are smoothed along an axis before it is told that the work goes on.
const LOOK: usize = if cfg!(test) { 1 << 6 } else { 1 << 22 };

/// Voxels as they are smoothed.
fn floats<T: Voxel>(image: &Image<T>) -> Result<Vec<f32>, ScalesError> {
    let mut floats = vec![0.0; image.voxels().len()];
    parallel::pieces_mut(&mut floats, PART, &|part, floats| {
        floats
            .iter_mut()
            .zip(&image.voxels()[part * PART..])
            .for_each(|(float, voxel)| *float = voxel.value() as f32);
    });
    match floats.iter().position(|float| !float.is_finite()) {
        None => Ok(floats),
        Some(place) => Err(ScalesError::Infinite {
            voxel: image.shape().coordinates(place),
            found: image.voxels()[place].value(),
        }),
    }
}

/// The axes that are smoothed, in their order: of each its length, and how far apart the voxels of a line are.
fn axes(shape: Shape) -> Vec<[usize; 2]> {
    let [planes, rows, columns] = shape.extents();
    let mut all = vec![[columns, 1], [rows, columns], [planes, rows * columns]];
    all.truncate(shape.dim());
    all
}

fn smooth(mut voxels: Vec<f32>, shape: Shape, weights: &[f32], parts: &mut Parts<'_>) -> Vec<f32> {
    for [length, inner] in axes(shape) {
        let mut smoothed = vec![0.0; voxels.len()];
        let rows = LOOK.div_ceil(inner);
        for (piece, smoothed) in smoothed.chunks_mut(rows * inner).enumerate() {
            (parts.advance)(0);
            // A row of voxels that lie side by side, at one place of their lines.
            let least = 4096_usize.div_ceil(inner);
            smoothed.par_chunks_mut(inner).enumerate().with_min_len(least).for_each(|(k, row)| {
                let k = piece * rows + k;
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
            });
        }
        voxels = smoothed;
        parts.next();
    }
    voxels
}

/// Where a line that is reflected at both ends is at a place.
fn reflected(place: isize, length: usize) -> usize {
    let period = 2 * length as isize;
    let place = place.rem_euclid(period);
    // Both are below the length.
    if place < length as isize { place as usize } else { (period - 1 - place) as usize }
}

#[cfg(test)]
mod tests;
