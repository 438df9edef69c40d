//! The curve of an image that comes a piece at a time: reading, copying and counting overlap.
//!
//! Planes come in slabs, by turns through two page-locked buffers to two inboxes of the device: while one slab is counted, the next is copied
//! and the one after it read. Of slab after slab, planes are counted when the plane after them is there; so each takes over the last two
//! planes of the one before, the one to be counted and the one before that, in front of its own.
//!
//! Memory is four slabs, two here and two there, whatever the image; where the device has no room for them they are shorter.

use crate::cubical::{Key, Shape};
use crate::cuda::ecc::Part;
use crate::cuda::{CudaError, Gpu, Inbox, KernelVoxel, Pinned};

use super::super::{Bins, Curve, Request};
use super::{Counting, DeviceError, Known, Prepared, arranged};

/// Bytes of a slab. With 8 MiB a stream of floats came at 29 GB/s, with 32 at 42 (H200, page cache read by 16 threads).
const SLAB: usize = 32 << 20;
/// Planes that are taken over from the slab before.
const CARRIED: usize = 2;

impl<T: KernelVoxel> Prepared<T> {
    /// The curve of an image whose voxels come in memory order: `fill` fills the front of a slice with the next ones, and says how many they
    /// are; fewer than it holds only at the end of the image.
    ///
    /// # Errors
    /// What `fill` says. [`DeviceError`]: there are no such bins, or bins of voxels of more than 16 bits come without a range, for which the
    /// image would have to come twice; the device fails, or has no room for slabs of two planes.
    ///
    /// # Panics
    /// Fewer voxels come than the shape has, without an error.
    pub fn stream<E: From<DeviceError>>(
        &self,
        shape: Shape,
        request: &Request,
        mut fill: impl FnMut(&mut [T]) -> Result<usize, E>,
    ) -> Result<Curve, E> {
        request.bins.check().map_err(DeviceError::from)?;
        if T::Key::BITS > 16 && matches!(request.bins, Bins::Uniform { range: None, .. }) {
            return Err(DeviceError::NoRange.into());
        }
        let device = |error: CudaError| E::from(DeviceError::from(error));
        let known = Known { range: None, flags: None };
        let mut counting = Counting::begin(self, request, known).map_err(device)?;
        let [planes, rows, columns] = arranged(shape);
        let plane = rows * columns;
        let mut slots = slots(&self.gpu, plane, planes).map_err(device)?;
        let step = slots[0].pinned.slice().map_err(device)?.len() / plane;
        for (k, first) in (0..planes).step_by(step).enumerate() {
            let end = planes.min(first + step);
            let [even, odd] = &mut slots;
            let (slot, before) = if k % 2 == 0 { (even, odd) } else { (odd, even) };
            let count = (end - first) * plane;
            let room = &mut slot.pinned.slice_mut().map_err(device)?[..count];
            assert_eq!(fill(room)?, count, "voxels that the shape promises");
            // The first slab has none before it, and all others have two planes: those before are full.
            let carried = CARRIED.min(first);
            slot.inbox.send(&mut slot.pinned, count, carried * plane).map_err(device)?;
            let held = (before.held - carried) * plane..before.held * plane;
            slot.held = carried + end - first;
            let counted = slot.inbox.work(|voxels| {
                before.inbox.work(|before| self.gpu.copy_range(before, held, voxels))?;
                let from = carried.saturating_sub(1);
                // The last plane is counted with the next slab, unless there is none.
                let to = slot.held - usize::from(end < planes);
                let part = Part { voxels, planes: slot.held, rows, columns, from, to };
                counting.count(&part)?;
                counting.mark(&part)
            });
            counted.map_err(device)?;
        }
        counting.finish().map_err(device)
    }
}

/// The way of every other slab.
struct Slot<T: KernelVoxel> {
    pinned: Pinned<T>,
    inbox: Inbox<T>,
    /// Planes in the inbox.
    held: usize,
}

/// Two slots for slabs of as many planes as there is room for.
fn slots<T: KernelVoxel>(gpu: &Gpu, plane: usize, planes: usize) -> Result<[Slot<T>; 2], CudaError> {
    let mut step = (SLAB / size_of::<T>() / plane).clamp(CARRIED, planes.max(CARRIED));
    loop {
        let slot = || {
            let inbox = gpu.inbox((CARRIED + step) * plane)?;
            Ok(Slot { pinned: gpu.pinned(step * plane)?, inbox, held: 0 })
        };
        match slot().and_then(|first| Ok([first, slot()?])) {
            Err(CudaError::OutOfMemory { .. }) if step > CARRIED => step = (step / 2).max(CARRIED),
            slots => return slots,
        }
    }
}
