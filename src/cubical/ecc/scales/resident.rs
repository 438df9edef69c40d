//! An image on a device that is counted and smoothed there again and again.

use super::{Scales, ScalesError, axes};
use crate::cubical::ecc::cuda::counting::{DeviceError, Prepared};
use crate::cubical::ecc::cuda::repeated::Repeated;
use crate::cubical::ecc::request::EccRequest;
use crate::cubical::ecc::vcec::Vcec;
use crate::cubical::image::Image;
use crate::cubical::shape::Shape;
use crate::cuda::smooth::SmoothKernels;
use crate::cuda::{Buffer, CudaError, Gpu};

/// An image of floats that stays on a device, where it is counted and smoothed as often as is asked for; nothing but curves comes back.
///
/// No call waits for the device but [`ResidentScales::take`] and [`ResidentScales::finish`].
pub struct ResidentScales<'p> {
    gpu: Gpu,
    kernels: SmoothKernels,
    axes: Vec<[usize; 2]>,
    /// The image, and room for it smoothed.
    voxels: [Buffer<f32>; 2],
    counts: Repeated<'p, f32>,
}

impl<'p> ResidentScales<'p> {
    /// Brings an image to the device whose kernels are `prepared`.
    ///
    /// # Errors
    /// [`ScalesError`]: there are no such weights or bins; rows are not bins of a range that is given; the device fails, or has no room for
    /// the image twice.
    pub fn new(
        prepared: &'p Prepared<f32>,
        image: &Image<f32>,
        request: &EccRequest,
        scales: &Scales,
    ) -> Result<Self, ScalesError> {
        // What is wrong with a request is said before there is memory asked for.
        scales.weights()?;
        let voxels = prepared.gpu().upload(image.voxels()).map_err(DeviceError::from)?;
        ResidentScales::on_device(prepared, voxels, image.shape(), request, scales)
    }

    /// Takes an image that is on the device whose kernels are `prepared`.
    ///
    /// # Errors
    /// As [`ResidentScales::new`].
    ///
    /// # Panics
    /// There are not as many voxels as the shape has.
    pub(crate) fn on_device(
        prepared: &'p Prepared<f32>,
        voxels: Buffer<f32>,
        shape: Shape,
        request: &EccRequest,
        scales: &Scales,
    ) -> Result<Self, ScalesError> {
        assert_eq!(voxels.len(), shape.count(), "{shape}");
        let weights = scales.weights()?;
        let gpu = prepared.gpu();
        let counts = Repeated::new(prepared, shape, request)?;
        let bring = || Ok((SmoothKernels::load(gpu, &weights)?, gpu.zeros(voxels.len())?));
        let (kernels, other) = bring().map_err(|error: CudaError| DeviceError::from(error))?;
        Ok(ResidentScales { gpu: gpu.clone(), kernels, axes: axes(shape), voxels: [voxels, other], counts })
    }

    /// Counts the image as it is, beside what has been counted since the last [`ResidentScales::send`].
    ///
    /// # Errors
    /// What the driver says.
    pub fn count(&mut self) -> Result<(), DeviceError> {
        Ok(self.counts.count(&self.voxels[0])?)
    }

    /// Smooths the image.
    ///
    /// # Errors
    /// What the driver says.
    pub fn smooth(&mut self) -> Result<(), DeviceError> {
        Ok(self.kernels.smooth(&self.axes, &mut self.voxels)?)
    }

    /// Has the curve of what has been counted come back; the next count begins at zero.
    ///
    /// # Errors
    /// What the driver says.
    ///
    /// # Panics
    /// Two curves are on their way already.
    pub fn send(&mut self) -> Result<(), DeviceError> {
        Ok(self.counts.hand_over()?)
    }

    /// How many curves are on their way.
    pub fn waiting(&self) -> usize {
        self.counts.waiting()
    }

    /// The oldest of the curves on their way, as soon as it has come; none if none is.
    ///
    /// # Errors
    /// What the driver says.
    pub fn take(&mut self) -> Result<Option<Vcec>, DeviceError> {
        Ok(self.counts.take()?)
    }

    /// Waits until all that was asked for is done.
    ///
    /// # Errors
    /// What the driver says.
    pub fn finish(&self) -> Result<(), DeviceError> {
        Ok(self.gpu.finish()?)
    }
}
