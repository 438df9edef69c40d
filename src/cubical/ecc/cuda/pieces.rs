//! The curve of an image that comes a piece at a time: reading, copying and counting overlap.
//!
//! 1. Threads read pieces of the image into page-locked memory ([`feed`]), of a regular file each at its own place.
//! 2. Piece after piece is copied to an inbox of the device. As many planes as one holds are a slab; slabs take three inboxes by turns, so that
//!    copies wait for no work but that of the slab before the last; two where there is no room for a third.
//! 3. When all of a slab is on its way, it is counted: the planes of which the plane after them is there. So each slab takes over the last two
//!    planes of the one before, the one to be counted and the one before that, in front of its own.
//!
//! Memory is that of the pieces here and of the slabs there, whatever the image; where the device has no room for them they are shorter.

mod feed;

use std::ops::Range;
use std::thread;

use crate::cubical::key::Key;
use crate::cubical::shape::Shape;
use crate::cuda::ecc::Part;
use crate::cuda::{CudaError, Gpu, Inbox, KernelVoxel};

use super::counting::{Counting, DeviceError, Known, Prepared, arranged, device};
use crate::cubical::ecc::bins::Bins;
use crate::cubical::ecc::request::EccRequest;
use crate::cubical::ecc::source::Voxels;
use crate::cubical::ecc::vcec::Vcec;
use feed::{Feed, Memory, Readers};

/// Bytes of a slab. With 16 and 64 MiB streams are as fast (H200, 16 threads).
const SLAB: usize = 32 << 20;
/// Planes that are taken over from the slab before.
const CARRIED: usize = 2;

impl<T: KernelVoxel> Prepared<T> {
    /// The curve of an image whose voxels are read while they are counted. `advance` is told how many have been read.
    ///
    /// # Errors
    /// What reading says, of several faults the first in memory order. [`DeviceError`]: there are no such bins, or bins of voxels of more than
    /// 16 bits come without a range, for which the image would have to come twice; the device fails, or has no room for slabs of two planes.
    ///
    /// # Panics
    /// Fewer voxels come than the shape has, without an error.
    pub fn stream<E: From<DeviceError> + Send>(
        &self,
        shape: Shape,
        request: &EccRequest,
        voxels: Voxels<'_, T, E>,
        advance: &dyn Fn(u64),
    ) -> Result<Vcec, E> {
        request.bins.check().map_err(DeviceError::from)?;
        if T::Key::BITS > 16 && matches!(request.bins, Bins::Uniform { range: None, .. }) {
            return Err(DeviceError::NoRange.into());
        }
        let (slots, slabs) = slots(&self.gpu, shape).map_err(device)?;
        let known = Known { range: None, flags: None };
        let counting = Counting::begin(self, request, known)?;
        let (memory, spared) = Memory::new(slabs.pieces::<T>().count(), self.ring.take());
        let readers = Readers::new(voxels, slabs.pieces::<T>(), &memory, spared);
        let curve = thread::scope(|scope| {
            let feed = readers.start(scope, &self.gpu, memory)?;
            count(slots, &slabs, counting, feed, advance)
        });
        self.ring.put(readers.end());
        curve
    }
}

/// Sends piece after piece, and counts slab after slab.
fn count<T: KernelVoxel, E: From<DeviceError>>(
    mut slots: Vec<Slot<T>>,
    slabs: &Slabs,
    mut counting: Counting<'_, T>,
    mut feed: Feed<'_, T, E>,
    advance: &dyn Fn(u64),
) -> Result<Vcec, E> {
    let Slabs { planes, plane, .. } = *slabs;
    let [_, rows, columns] = slabs.extents;
    for slab in slabs.iter() {
        let [before, slot, ..] = &mut slots[..] else { unreachable!("two slots at least") };
        // The first slab has none before it, and all others have two planes: those before are full.
        let carried = CARRIED.min(slab.start);
        for part in slabs.parts::<T>(&slab) {
            let mut piece = feed.next(part.len())?;
            let at = part.start - (slab.start - carried) * plane;
            slot.inbox.send(&mut piece, part.len(), at).map_err(device)?;
            feed.put_back(piece);
            advance(part.len() as u64);
        }
        let held = (before.held - carried) * plane..before.held * plane;
        slot.held = carried + slab.len();
        let counted = slot.inbox.work(|voxels| {
            before.inbox.work(|before| counting.prepared.gpu.copy_range(before, held, voxels))?;
            let from = carried.saturating_sub(1);
            // The last plane is counted with the next slab, unless there is none.
            let to = slot.held - usize::from(slab.end < planes);
            let part = Part { voxels, planes: slot.held, rows, columns, from, to };
            counting.count(&part)?;
            counting.mark(&part)
        });
        counted.map_err(device)?;
        slots.rotate_left(1);
    }
    Ok(counting.finish()?)
}

/// How an image is cut.
struct Slabs {
    extents: [usize; 3],
    planes: usize,
    /// Voxels of a plane.
    plane: usize,
    /// Planes of a slab.
    step: usize,
}

impl Slabs {
    /// The planes of each slab.
    fn iter(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (planes, step) = (self.planes, self.step);
        (0..planes).step_by(step).map(move |first| first..planes.min(first + step))
    }

    /// The voxels of a slab, as many as fit into a piece at a time.
    fn parts<T>(&self, slab: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<T> {
        let (length, end) = (feed::length::<T>(), slab.end * self.plane);
        (slab.start * self.plane..end).step_by(length).map(move |first| first..end.min(first + length))
    }

    /// The parts of all slabs.
    fn pieces<T>(&self) -> impl Iterator<Item = Range<usize>> + Send + use<T> {
        let Slabs { planes, plane, step, extents } = *self;
        let slabs = Slabs { planes, plane, step, extents };
        slabs.iter().flat_map(move |slab| slabs.parts::<T>(&slab))
    }
}

/// A slab on the device.
struct Slot<T: KernelVoxel> {
    inbox: Inbox<T>,
    /// Planes in the inbox.
    held: usize,
}

/// Slots for slabs of as many planes as there is room for: three, or two if there is no room for three of the thinnest.
fn slots<T: KernelVoxel>(gpu: &Gpu, shape: Shape) -> Result<(Vec<Slot<T>>, Slabs), CudaError> {
    let extents = arranged(shape);
    let [planes, rows, columns] = extents;
    let plane = rows * columns;
    let wanted = (SLAB / size_of::<T>() / plane).clamp(CARRIED, planes.max(CARRIED));
    let (mut count, mut step) = (3, wanted);
    loop {
        let slot = |_| Ok(Slot { inbox: gpu.inbox((CARRIED + step) * plane)?, held: 0 });
        match (0..count).map(slot).collect::<Result<Vec<_>, _>>() {
            Err(CudaError::OutOfMemory { .. }) if step > CARRIED => step = (step / 2).max(CARRIED),
            Err(CudaError::OutOfMemory { .. }) if count > 2 => (count, step) = (2, wanted),
            slots => return Ok((slots?, Slabs { extents, planes, plane, step })),
        }
    }
}
