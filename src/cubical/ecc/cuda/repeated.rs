//! Curves of a sequence of images of one shape, with the same bins, on a GPU. No memory is allocated between images,
//! and the changes of one image are transferred to the host while the next is counted.

use std::collections::VecDeque;

use super::counting::{Counting, DeviceError, Known, Prepared, whole};
use crate::cubical::ecc::bins::Bins;
use crate::cubical::ecc::request::EccRequest as Request;
use crate::cubical::ecc::vcec::Vcec as Curve;
use crate::cubical::shape::Shape;
use crate::cuda::{Buffer, CudaError, KernelVoxel, Pinned};

/// Counts images of one shape in the same bins.
pub(crate) struct Repeated<'p, T: KernelVoxel> {
    counting: Counting<'p, T>,
    shape: Shape,
    /// Page-locked host memory for the changes of an image.
    spare: Vec<Pinned<u64>>,
    /// Changes in transfer, the oldest first.
    handed: VecDeque<Pinned<u64>>,
}

impl<'p, T: KernelVoxel> Repeated<'p, T> {
    /// A counter for images of this shape.
    ///
    /// # Errors
    /// [`DeviceError`]: the rows are not bins with a given range, or voxels have at most 16 bits; invalid bins; device
    /// failures.
    pub(crate) fn new(
        prepared: &'p Prepared<T>,
        shape: Shape,
        request: &Request,
    ) -> Result<Self, DeviceError> {
        request.bins.check()?;
        if !matches!(request.bins, Bins::Uniform { range: Some(_), .. }) {
            return Err(DeviceError::NoRange);
        }
        let counting = Counting::begin(prepared, request, Known { range: None, flags: None })?;
        let levels = counting.levels().ok_or(DeviceError::NoRange)?;
        // One is filled while the other is read.
        let spare = (0..2).map(|_| prepared.gpu.pinned(levels)).collect::<Result<_, _>>()?;
        Ok(Repeated { counting, shape, spare, handed: VecDeque::new() })
    }

    /// Starts to count an image, added to the counts since the last [`hand_over`](Self::hand_over).
    pub(crate) fn count(&mut self, voxels: &Buffer<T>) -> Result<(), CudaError> {
        self.counting.count(&whole(voxels, self.shape))
    }

    /// Starts the transfer of the changes to the host and resets the counts to zero.
    ///
    /// # Panics
    /// Panics if the changes of two images are already in transfer.
    pub(crate) fn hand_over(&mut self) -> Result<(), CudaError> {
        let mut to = self.spare.pop().expect("changes of at most two images on their way");
        self.counting.hand_over(&mut to)?;
        self.handed.push_back(to);
        Ok(())
    }

    /// Number of images whose changes are in transfer.
    pub(crate) fn waiting(&self) -> usize {
        self.handed.len()
    }

    /// Waits for the oldest transfer and returns its curve; `None` if there is no transfer.
    pub(crate) fn take(&mut self) -> Result<Option<Curve>, CudaError> {
        let Some(handed) = self.handed.pop_front() else { return Ok(None) };
        let curve = self.counting.curve_of_handed(handed.slice()?);
        self.spare.push(handed);
        Ok(curve)
    }
}
