//! An image that stays on a GPU, where it is counted and smoothed repeatedly.

use super::{Scales, ScalesError, axes};
use crate::cubical::ecc::cuda::counting::{DeviceError, Prepared};
use crate::cubical::ecc::cuda::repeated::Repeated;
use crate::cubical::ecc::request::EccRequest;
use crate::cubical::ecc::vcec::Vcec;
use crate::cubical::image::Image;
use crate::cubical::shape::Shape;
use crate::cuda::smooth::SmoothKernels;
use crate::cuda::{Buffer, CudaError, Gpu};

/// An image of floats on a GPU, counted and smoothed there on request; only curves are transferred back.
///
/// Calls do not wait for the device, except [`ResidentScales::take`] and [`ResidentScales::finish`].
pub struct ResidentScales<'p> {
    gpu: Gpu,
    kernels: SmoothKernels,
    axes: Vec<[usize; 2]>,
    /// The image, and a buffer for its smoothed version.
    voxels: [Buffer<f32>; 2],
    counts: Repeated<'p, f32>,
}

impl<'p> ResidentScales<'p> {
    /// Uploads an image to the device whose kernels are `prepared`.
    ///
    /// # Errors
    /// [`ScalesError`]: the weights or bins are invalid; the rows are not bins with a given range; the device fails, or
    /// has no memory for two copies of the image.
    pub fn new(
        prepared: &'p Prepared<f32>,
        image: &Image<f32>,
        request: &EccRequest,
        scales: &Scales,
    ) -> Result<Self, ScalesError> {
        // The scales are checked before memory is allocated.
        scales.weights()?;
        let voxels = prepared.gpu().upload(image.voxels()).map_err(DeviceError::from)?;
        ResidentScales::on_device(prepared, voxels, image.shape(), request, scales)
    }

    /// Takes an image that is already on the device whose kernels are `prepared`.
    ///
    /// # Errors
    /// The errors of [`ResidentScales::new`].
    ///
    /// # Panics
    /// Panics if the number of voxels is not that of the shape.
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

    /// Counts the current image, added to the counts since the last [`ResidentScales::send`].
    ///
    /// # Errors
    /// The error of the driver.
    pub fn count(&mut self) -> Result<(), DeviceError> {
        Ok(self.counts.count(&self.voxels[0])?)
    }

    /// Smooths the image once.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn smooth(&mut self) -> Result<(), DeviceError> {
        Ok(self.kernels.smooth(&self.axes, &mut self.voxels)?)
    }

    /// Starts the transfer of the curve counted so far; the next count begins at zero.
    ///
    /// # Errors
    /// The error of the driver.
    ///
    /// # Panics
    /// Panics if two curves are already in transfer.
    pub fn send(&mut self) -> Result<(), DeviceError> {
        Ok(self.counts.hand_over()?)
    }

    /// Number of curves in transfer.
    pub fn waiting(&self) -> usize {
        self.counts.waiting()
    }

    /// Waits for the oldest curve in transfer and returns it; `None` if there is none.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn take(&mut self) -> Result<Option<Vcec>, DeviceError> {
        Ok(self.counts.take()?)
    }

    /// Waits until all requested work is done.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn finish(&self) -> Result<(), DeviceError> {
        Ok(self.gpu.finish()?)
    }
}
