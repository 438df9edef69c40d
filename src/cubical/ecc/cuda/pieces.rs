//! Euler characteristic curve of a streamed image on the GPU: reading, copying and counting overlap.
//!
//! 1. Threads read pieces of the image into page-locked memory ([`feed`]), in parallel if the file supports reads at
//!    any place.
//! 2. The pieces are copied in order to an inbox on the device. As many planes as fit in an inbox are a slab. Slabs use
//!    three inboxes in turn, so that copies wait only for work on the slab before the last; two inboxes if memory is
//!    short.
//! 3. When all copies of a slab are queued, the slab is counted, except for its last plane, which needs the plane after
//!    it. So each slab starts with the last two planes of the slab before: the plane still to be counted and the one
//!    before that.
//!
//! Memory does not depend on the size of the image: it is that of the pieces on the host and of the slabs on the
//! device. Slabs are shorter if device memory is short.

mod feed;

use std::ops::Range;
use std::thread;

use crate::cubical::shape::Shape;
use crate::cuda::ecc::Part;
use crate::cuda::{CudaError, Gpu, Inbox};

use super::counting::{Counting, Prepared, arranged};
use crate::cubical::ecc::error::{EccError, MachineError};
use crate::cubical::ecc::request::EccRequest;
use crate::cubical::ecc::source::Voxels;
use crate::cubical::ecc::vcec::Vcec;
use crate::parallel::lock;
use feed::{Feed, Memory, Readers};

/// Bytes of a slab. Streams are as fast with 16 and 64 MiB (H200, 16 threads).
const SLAB: usize = 32 << 20;
/// Number of planes copied over from the slab before.
const CARRIED: usize = 2;

impl Prepared {
    /// Computes the curve of an image whose voxels are read while others are counted. `advance` receives the number of
    /// voxels sent.
    ///
    /// # Errors
    /// The first read error in memory order. [`MachineError`]: the bins are invalid; voxels of more than 16 bits have
    /// bins without a range, which would take a second pass; the device fails, or has too little memory for slabs of
    /// two planes.
    pub fn stream(
        &self,
        shape: Shape,
        request: &EccRequest,
        voxels: Voxels<'_>,
        advance: &dyn Fn(u64),
    ) -> Result<Vcec, MachineError> {
        request.check(shape)?;
        if request.needs_range(self.voxels()) {
            return Err(EccError::Range(self.voxels().name()).into());
        }
        let (slots, slabs) = slots(&self.gpu, shape, self.voxels().bytes())?;
        let counting = Counting::begin(self, request, None)?;
        let (memory, spared) = Memory::new(slabs.pieces().count(), std::mem::take(&mut *lock(&self.spare)));
        let readers = Readers::new(voxels, slabs.size, slabs.pieces(), &memory, spared);
        let curve = thread::scope(|scope| {
            let feed = readers.start(scope, &self.gpu, memory)?;
            count(slots, &slabs, counting, feed, advance)
        });
        *lock(&self.spare) = readers.end();
        curve
    }
}

/// Sends all pieces in order and counts each slab when it is complete.
fn count(
    mut slots: Vec<Slot>,
    slabs: &Slabs,
    mut counting: Counting<'_>,
    mut feed: Feed<'_>,
    advance: &dyn Fn(u64),
) -> Result<Vcec, MachineError> {
    let Slabs { planes, plane, size, .. } = *slabs;
    let [_, rows, columns] = slabs.extents;
    for slab in slabs.iter() {
        let [before, slot, ..] = &mut slots[..] else { unreachable!("two slots at least") };
        // The first slab has no predecessor; each other one has a full predecessor, with two planes to copy.
        let carried = CARRIED.min(slab.start);
        for part in slabs.parts(&slab) {
            let mut piece = feed.next()?;
            let at = part.start - (slab.start - carried) * plane;
            slot.inbox.send(&mut piece, part.len() * size, at * size)?;
            feed.put_back(piece);
            advance(part.len() as u64);
        }
        let held = (before.held - carried) * plane * size..before.held * plane * size;
        slot.held = carried + slab.len();
        slot.inbox.work(|voxels| {
            before.inbox.work(|before| counting.prepared.gpu.copy(before, held, voxels))?;
            let from = carried.saturating_sub(1);
            // The last plane is counted with the next slab, if there is one.
            let to = slot.held - usize::from(slab.end < planes);
            let part = Part { voxels, planes: slot.held, rows, columns, from, to };
            counting.count(&part)?;
            counting.mark(&part)
        })?;
        slots.rotate_left(1);
    }
    counting.finish(None)
}

/// Division of an image into slabs.
#[derive(Clone, Copy)]
struct Slabs {
    extents: [usize; 3],
    /// Number of bytes of a voxel.
    size: usize,
    planes: usize,
    /// Number of voxels of a plane.
    plane: usize,
    /// Number of planes of a slab.
    step: usize,
}

impl Slabs {
    /// Iterates over the slabs, as ranges of planes.
    fn iter(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (planes, step) = (self.planes, self.step);
        (0..planes).step_by(step).map(move |first| first..planes.min(first + step))
    }

    /// Iterates over the pieces of a slab, as ranges of voxels.
    fn parts(&self, slab: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let (length, end) = (feed::PIECE / self.size, slab.end * self.plane);
        (slab.start * self.plane..end).step_by(length).map(move |first| first..end.min(first + length))
    }

    /// Iterates over the pieces of all slabs.
    fn pieces(&self) -> impl Iterator<Item = Range<usize>> + Send + use<> {
        let slabs = *self;
        slabs.iter().flat_map(move |slab| slabs.parts(&slab))
    }
}

/// An inbox of the device and the slab in it.
struct Slot {
    inbox: Inbox<u8>,
    /// Number of planes in the inbox.
    held: usize,
}

/// Allocates three slots with slabs as thick as memory allows; two if there is no room for three of the thinnest.
fn slots(gpu: &Gpu, shape: Shape, size: usize) -> Result<(Vec<Slot>, Slabs), CudaError> {
    let extents = arranged(shape);
    let [planes, rows, columns] = extents;
    let plane = rows * columns;
    let wanted = (SLAB / size / plane).clamp(CARRIED, planes.max(CARRIED));
    let (mut count, mut step) = (3, wanted);
    loop {
        let slot = |_| Ok(Slot { inbox: gpu.inbox((CARRIED + step) * plane * size)?, held: 0 });
        match (0..count).map(slot).collect::<Result<Vec<_>, _>>() {
            Err(CudaError::OutOfMemory { .. }) if step > CARRIED => step = (step / 2).max(CARRIED),
            Err(CudaError::OutOfMemory { .. }) if count > 2 => (count, step) = (2, wanted),
            slots => return Ok((slots?, Slabs { extents, size, planes, plane, step })),
        }
    }
}
