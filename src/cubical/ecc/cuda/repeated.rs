//! Curves of image after image on a device, of one shape and in the same bins: no memory is asked for in between, and the changes of one
//! image come back while the next is counted.

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
    /// Memory of the host for the changes of an image.
    spare: Vec<Pinned<u64>>,
    /// Changes on their way, the oldest first.
    handed: VecDeque<Pinned<u64>>,
}

impl<'p, T: KernelVoxel> Repeated<'p, T> {
    /// For images of this shape.
    ///
    /// # Errors
    /// [`DeviceError`]: rows are not bins of a range that is known, of voxels of more than 16 bits; there are no such bins; the device fails.
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

    /// Begins to count an image, beside what has been counted since the last time that changes were handed over.
    pub(crate) fn count(&mut self, voxels: &Buffer<T>) -> Result<(), CudaError> {
        self.counting.count(&whole(voxels, self.shape))
    }

    /// Begins to bring the changes to the host; counting begins at zero again.
    ///
    /// # Panics
    /// Changes of two images are on their way already.
    pub(crate) fn hand_over(&mut self) -> Result<(), CudaError> {
        let mut to = self.spare.pop().expect("changes of at most two images on their way");
        self.counting.hand_over(&mut to)?;
        self.handed.push_back(to);
        Ok(())
    }

    /// How many images there are of which changes are on their way.
    pub(crate) fn waiting(&self) -> usize {
        self.handed.len()
    }

    /// The oldest curve on its way, when it has arrived; none if there is none.
    pub(crate) fn take(&mut self) -> Result<Option<Curve>, CudaError> {
        let Some(handed) = self.handed.pop_front() else { return Ok(None) };
        let curve = self.counting.curve_of_handed(handed.slice()?);
        self.spare.push(handed);
        Ok(curve)
    }
}
