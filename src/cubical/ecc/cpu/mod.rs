//! Euler characteristic curve on the CPU: computes c(x) for every voxel in about three instructions each.
//!
//! 1. [`tables`]: the image is cut into boxes of a few rows and many planes ([`view`]). Plane by plane, rows become
//!    keys, with a border for absent voxels. Seven comparisons, on 64 voxels at a time, determine which half wins each
//!    block of 2, 4 and 8 voxels. As in a tournament, the winners of the halves meet: a block of eight takes one more
//!    comparison.
//! 2. [`digits`]: bit-sliced logic computes c(x) from these bits, 64 voxels per word, in vectors of words.
//! 3. [`tally`]: the nonzero numbers are added up by key.
//!
//! Each thread has its own tables and sums. The merged sums do not depend on the distribution of work.

mod bits;
mod digits;
mod numbers;
mod tables;
mod tally;
pub(crate) mod view;

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::bins::{Bins, BinsError, Edges, curve_of, finite_range};
use super::error::EccError;
use super::request::EccRequest;
use super::rows::{Spilled, VcecRows};
use super::slabs::PartialCurve;
use super::vcec::Vcec;
use crate::cubical::construction::Construction;
use crate::cubical::image::{Image, Voxel};
use crate::cubical::key::Key;
use crate::cubical::order::VoxelOrder;
use crate::cubical::value::Value;
use crate::cubical::voxel::VoxelType;
use crate::parallel;
use crate::ranks::Ranks;
use crate::simd::Level;
use tables::{Tables, sweep};
pub(crate) use tally::runs::Spill;
use tally::{Summed, Sums};
use view::{View, VoxelTile, table_bytes, tiles};

/// Adds up the numbers c(x) of an image, part by part.
#[derive(Debug)]
pub(crate) struct Counter<K: Key> {
    request: EccRequest,
    pub(crate) order: VoxelOrder,
    range: Option<(Value, Value)>,
    edges: Option<Edges>,
    level: Level,
    /// One per thread; each adds up the tiles it is given.
    pub(crate) workers: Vec<Worker<K>>,
}

/// Tables and sums of one thread.
#[derive(Debug)]
pub(crate) struct Worker<K: Key> {
    construction: Construction,
    level: Level,
    tables: Tables<K>,
    sums: Sums<K>,
}

impl<K: Key> Counter<K> {
    /// A counter for a sequence of images of voxels with such keys.
    pub(crate) fn new(request: &EccRequest, voxels: VoxelType, level: Level) -> Self {
        let order = VoxelOrder::new(voxels, request.superlevel);
        Counter { request: *request, order, range: None, edges: None, level, workers: Vec::new() }
    }

    /// Begins an image with `threads` threads, reusing the buffers of the last image. Uniform bins divide `range`,
    /// which may be `None` unless the request [needs it](EccRequest::needs_range). Without `spill` all rows stay in
    /// memory.
    ///
    /// # Errors
    /// [`BinsError`]: the bins are invalid.
    pub(crate) fn begin(
        &mut self,
        range: Option<(Value, Value)>,
        threads: usize,
        spill: Option<&Spill>,
    ) -> Result<(), BinsError> {
        self.range = range;
        self.edges = match (self.request.bins, range) {
            (Bins::Uniform { count, .. }, Some(range)) if K::BITS > 16 => {
                Some(Edges::uniform(count, range, self.order)?)
            }
            _ => None,
        };
        let sums = || Sums::new(self.edges.as_ref(), self.order, spill);
        self.workers.truncate(threads);
        self.workers.iter_mut().for_each(|worker| worker.sums = sums());
        let (construction, level) = (self.request.construction, self.level);
        let worker = || Worker { construction, level, tables: Tables::default(), sums: sums() };
        self.workers.resize_with(threads, worker);
        Ok(())
    }

    /// Adds the voxels of the box `own` (planes, rows, columns). Their neighbours within the image must be in view;
    /// columns begin at a multiple of 64, and the 64 columns before them count as neighbours.
    pub(crate) fn add(&mut self, view: View<'_, K>, own: [Range<usize>; 3]) {
        let tiles = tiles(own, size_of::<K>(), self.workers.len());
        let next = AtomicUsize::new(0);
        parallel::each_of(self.workers.iter_mut().take(tiles.len()), &|worker| {
            while let Some(tile) = tiles.get(next.fetch_add(1, Ordering::Relaxed)) {
                worker.add(view, tile);
            }
        });
    }

    /// Returns the sums so far, over the first `slices` slices, which may grow further; `None` if some of them are in
    /// temporary files.
    pub(crate) fn so_far(&mut self, slices: usize) -> Option<PartialCurve> {
        Sums::so_far(self.workers.iter_mut().map(|worker| &mut worker.sums), slices)
    }

    /// Adds the sums [so far](Counter::so_far) of another counter that was begun with the same arguments.
    ///
    /// # Errors
    /// [`EccError::Since`]: the other counter was begun with different arguments.
    pub(crate) fn add_partial(&mut self, partial: &PartialCurve) -> Result<(), EccError> {
        self.workers[0].sums.add_partial(partial)
    }

    /// Whether spilling sums has failed, so that adding more is useless.
    pub(crate) fn has_failed(&self) -> bool {
        self.workers.iter().any(Worker::has_failed)
    }

    /// Adds the sums of all ranks to those of rank 0, the only one on which [`finish`](Counter::finish) follows. Each
    /// rank began with the same arguments, but for the threads. `spill` makes an error of one of temporary files.
    ///
    /// # Errors
    /// Rows beyond the memory limit could not be written to files, or memory is refused.
    pub(crate) fn join(
        &mut self,
        ranks: &dyn Ranks,
        spill: &dyn Fn(io::Error) -> EccError,
    ) -> Result<(), EccError> {
        let others = self.workers.split_off(1);
        let first = &mut self.workers[0].sums;
        others.into_iter().for_each(|worker| first.absorb(worker.sums));
        first.join(ranks, spill)
    }

    /// Returns the rows of the curve. [`begin`](Counter::begin) must be called before adding more.
    ///
    /// # Errors
    /// Rows beyond the memory limit could not be written to files.
    pub(crate) fn finish(&mut self) -> io::Result<VcecRows> {
        let order = self.order;
        let sums = || Sums::new(None, order, None);
        let all = self.workers.iter_mut().map(|worker| std::mem::replace(&mut worker.sums, sums()));
        let summed = Sums::finish(all.collect())?;
        // The sums are those of T: cells of V have dimension 3 − dim.
        let sign = if self.request.construction == Construction::V { -1 } else { 1 };
        let mut curve = match summed {
            Summed::File(run) => return Ok(VcecRows::Disk(Spilled { run, order, sign })),
            Summed::Memory(run) => match self.edges.take() {
                Some(Edges { values, .. }) => Vcec { values, changes: run.sums },
                None => {
                    let request = self.request.with_range(self.range);
                    curve_of(run, &request, order).expect("an image has a voxel")
                }
            },
        };
        curve.changes.iter_mut().for_each(|change| *change *= sign);
        Ok(VcecRows::Memory(curve))
    }
}

impl<K: Key> Worker<K> {
    /// Adds the voxels of a tile. Their neighbours must be in view, as for [`Counter::add`].
    pub(crate) fn add(&mut self, view: View<'_, K>, tile: &VoxelTile) {
        sweep(self.level, &view, tile, self.construction, &mut self.tables, self.sums.tally());
    }

    /// Whether spilling sums has failed, so that adding more is useless.
    pub(crate) fn has_failed(&self) -> bool {
        self.sums.has_failed()
    }
}

/// Bytes that a thread uses for an image, except for sums that grow.
pub(crate) fn worker_bytes(voxels: VoxelType, [_, _, columns]: [usize; 3]) -> usize {
    let sums = match voxels.bits() {
        8 => 40 << 10,
        16 => 1 << 20,
        // A batch of keys, and the sorted run made from it.
        _ => 3 << 20,
    };
    table_bytes(columns, voxels.bytes()) + sums
}

/// Computes the Euler characteristic curve of an image in memory.
///
/// # Errors
/// [`BinsError`]: the bins are invalid, or their range is to be found and no voxel is finite.
pub fn curve<T: Voxel>(image: &Image<T>, request: &EccRequest) -> Result<Vcec, BinsError> {
    curve_watched(image, request, &|| ())
}

/// Approximate number of voxels that a thread adds between two calls of `look`.
const LOOK: usize = 1 << 22;

/// Least number of planes added between two calls of `look`: each call reads the first planes twice.
const LEAST_PLANES: usize = 32;

/// Number of voxels from which a further thread adds up: its table may have 65,536 rows, which have to be cleared and
/// joined.
const PER_WORKER: usize = 1 << 16;

/// Like [`curve`], but calls `look` between pieces of the image; `look` may unwind.
///
/// # Errors
/// The errors of [`curve`].
pub(crate) fn curve_watched<T: Voxel>(
    image: &Image<T>,
    request: &EccRequest,
    look: &dyn Fn(),
) -> Result<Vcec, BinsError> {
    request.check(image.shape())?;
    let [_, rows, columns] = image.shape().extents();
    let planes = (LOOK * rayon::current_num_threads() / (rows * columns).max(1)).max(LEAST_PLANES);
    curve_in_pieces(image, request, Level::detect(), planes, look)
}

/// Like [`curve_watched`], but with the vector instructions of `level`, and `at_once` planes at a time.
fn curve_in_pieces<T: Voxel>(
    image: &Image<T>,
    request: &EccRequest,
    level: Level,
    at_once: usize,
    look: &dyn Fn(),
) -> Result<Vcec, BinsError> {
    let range = match request.bins {
        _ if request.needs_range(T::TYPE) => Some(finite_range(image.voxels()).ok_or(BinsError::NoneFinite)?),
        Bins::Uniform { range, .. } => range,
        Bins::Distinct => None,
    };
    let mut counter = Counter::new(request, T::TYPE, level);
    let workers = rayon::current_num_threads().min(1 + image.voxels().len() / PER_WORKER);
    counter.begin(range, workers, None)?;
    let (extents, order) = (image.shape().extents(), counter.order);
    let view = View { extents, first: [0; 3], voxels: T::bits(image.voxels()), order };
    Ok(counter.curve(view, at_once, look))
}

impl<K: Key> Counter<K> {
    /// Adds a whole image, `at_once` planes at a time, and returns its curve.
    fn curve(&mut self, view: View<'_, K>, at_once: usize, look: &dyn Fn()) -> Vcec {
        let [planes, rows, columns] = view.extents;
        for first in (0..planes).step_by(at_once) {
            look();
            self.add(view, [first..planes.min(first + at_once), 0..rows, 0..columns]);
        }
        look();
        match self.finish() {
            Ok(VcecRows::Memory(curve)) => curve,
            rows => unreachable!("without a directory rows are in memory: {rows:?}"),
        }
    }
}

#[cfg(test)]
mod tests;
