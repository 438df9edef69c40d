//! An image that stays on a GPU, where it is counted and smoothed repeatedly.

use std::collections::VecDeque;

use super::{Scales, axes};
use crate::cubical::ecc::cuda::counting::{Counting, Prepared, whole};
use crate::cubical::ecc::error::{EccError, MachineError};
use crate::cubical::ecc::request::EccRequest;
use crate::cubical::ecc::vcec::Vcec;
use crate::cubical::shape::Shape;
use crate::cubical::voxel::VoxelType;
use crate::cuda::smooth::SmoothKernels;
use crate::cuda::{Buffer, CudaError, Gpu, Pinned};

/// An image of floats on a GPU, counted and smoothed there on request; only curves are transferred back.
///
/// Calls do not wait for the device, except [`ResidentScales::take`] and [`ResidentScales::finish`].
pub struct ResidentScales<'p> {
    gpu: Gpu,
    kernels: SmoothKernels,
    axes: Vec<[usize; 2]>,
    /// The bytes of the image, and a buffer for its smoothed version.
    voxels: [Buffer<u8>; 2],
    shape: Shape,
    counting: Counting<'p>,
    /// Page-locked host memory for the changes of an image.
    spare: Vec<Pinned<u64>>,
    /// Changes in transfer, the oldest first.
    sent: VecDeque<Pinned<u64>>,
}

impl<'p> ResidentScales<'p> {
    /// Takes the bytes of an image on the device whose kernels for floats are `prepared`.
    ///
    /// # Errors
    /// [`MachineError`]: the weights or bins are invalid; the rows are not bins with a given range; the device fails,
    /// or has no memory for a second copy of the image.
    ///
    /// # Panics
    /// Panics if the number of voxels is not that of the shape, or the kernels are for other voxels.
    pub fn new(
        prepared: &'p Prepared,
        voxels: Buffer<u8>,
        shape: Shape,
        request: &EccRequest,
        scales: &Scales,
    ) -> Result<Self, MachineError> {
        assert_eq!(
            (prepared.voxels(), voxels.len()),
            (VoxelType::F32, shape.count() * size_of::<f32>()),
            "{shape}"
        );
        let weights = scales.weights()?;
        request.check(shape)?;
        let gpu = prepared.gpu().clone();
        let counting = Counting::begin(prepared, request, None)?;
        let levels = counting.levels().ok_or(EccError::Range(VoxelType::F32.name()))?;
        // One is filled while the other is read.
        let spare = (0..2).map(|_| gpu.pinned(levels)).collect::<Result<_, _>>()?;
        let kernels = SmoothKernels::load(&gpu, &weights)?;
        let other = gpu.zeros(voxels.len())?;
        let (axes, voxels, sent) = (axes(shape), [voxels, other], VecDeque::new());
        Ok(ResidentScales { gpu, kernels, axes, voxels, shape, counting, spare, sent })
    }

    /// Counts the current image, added to the counts since the last [`ResidentScales::send`].
    ///
    /// # Errors
    /// The error of the driver.
    pub fn count(&mut self) -> Result<(), CudaError> {
        self.counting.count(&whole(&self.voxels[0], self.shape))
    }

    /// Smooths the image once.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn smooth(&mut self) -> Result<(), CudaError> {
        self.kernels.smooth(&self.axes, &mut self.voxels)
    }

    /// Starts the transfer of the curve counted so far; the next count begins at zero.
    ///
    /// # Errors
    /// The error of the driver.
    ///
    /// # Panics
    /// Panics if two curves are already in transfer.
    pub fn send(&mut self) -> Result<(), CudaError> {
        let mut to = self.spare.pop().expect("changes of at most two images on their way");
        self.counting.hand_over(&mut to)?;
        self.sent.push_back(to);
        Ok(())
    }

    /// Number of curves in transfer.
    pub fn waiting(&self) -> usize {
        self.sent.len()
    }

    /// Waits for the oldest curve in transfer and returns it; `None` if there is none.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn take(&mut self) -> Result<Option<Vcec>, CudaError> {
        let Some(sent) = self.sent.pop_front() else { return Ok(None) };
        let curve = self.counting.curve_of_handed(sent.slice()?);
        self.spare.push(sent);
        Ok(curve)
    }

    /// Waits until all requested work is done.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn finish(&self) -> Result<(), CudaError> {
        self.gpu.finish()
    }
}
