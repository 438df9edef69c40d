//! The curve on the processor: how c(x) is found for every voxel at some three instructions each.
//!
//! 1. [`tables`]: the image is cut into boxes of a few rows, many planes deep ([`view`]). Plane by plane, rows become keys, with a border that
//!    says what absent voxels are. Seven comparisons, 64 voxels at a time, say of each 2-, 4- and 8-block of voxels which half wins it;
//!    blocks are won by halves, as in a tournament, so that of a block of eight one more comparison is enough.
//! 2. [`digits`]: c(x) from these bits, by logic on words: 64 voxels at a time, and vectors of words.
//! 3. [`tally`]: the numbers that are not 0 are added up by key.
//!
//! Threads have tables and sums of their own. The sums are added at the end, and do not depend on who added what.

mod bits;
mod digits;
mod tables;
mod tally;
mod view;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::bins::Edges;
use super::{Bins, Curve, Request};
use crate::cubical::{Construction, Image, Key, Voxel};
use crate::simd::Level;
use tables::{Tables, sweep};
use tally::{Summed, Sums};
use view::table_bytes;
pub(crate) use view::{Tile, View, tiles};

/// Adds up an image part by part.
#[derive(Debug)]
pub(crate) struct Counter<T: Voxel> {
    request: Request,
    range: Option<(f64, f64)>,
    edges: Option<Edges<T::Key>>,
    level: Level,
    workers: Vec<Worker<T>>,
}

/// What a thread works with.
#[derive(Debug)]
struct Worker<T: Voxel> {
    tables: Tables<T::Key>,
    sums: Sums<T>,
}

impl<T: Voxel> Counter<T> {
    /// For an image whose bins, if it has any, are over this range; `None` when [`Counter::finds_range`].
    pub(crate) fn new(request: &Request, range: Option<(f64, f64)>, level: Level) -> Self {
        let workers = Vec::new();
        let mut counter = Counter { request: *request, range, edges: None, level, workers };
        counter.begin(range, rayon::current_num_threads());
        counter
    }

    /// Whether the range of the bins is known at the end at the latest: every value of a narrow type is kept.
    pub(crate) fn finds_range() -> bool {
        T::Key::BITS <= 16
    }

    /// Begins another image, for so many threads, with the same buffers.
    pub(crate) fn begin(&mut self, range: Option<(f64, f64)>, threads: usize) {
        self.range = range;
        self.edges = match (self.request.bins, range) {
            (Bins::Uniform { count, .. }, Some(range)) => {
                Some(Edges::uniform::<T>(count, range, self.request.superlevel))
            }
            _ => None,
        };
        let sums = || Sums::new(self.edges.as_ref(), self.request.superlevel);
        self.workers.iter_mut().for_each(|worker| worker.sums = sums());
        self.workers.resize_with(threads, || Worker { tables: Tables::default(), sums: sums() });
    }

    /// Adds the voxels of a box: planes, rows, columns. What lies around them, as far as the image goes, must be in view; columns
    /// begin at a multiple of 64, and what lies 64 before counts as around.
    pub(crate) fn add(&mut self, view: View<'_, T>, own: [Range<usize>; 3]) {
        self.add_tiles(view, &tiles(own, size_of::<T>(), self.workers.len()));
    }

    fn add_tiles(&mut self, view: View<'_, T>, tiles: &[Tile]) {
        let Counter { request, level, workers, .. } = self;
        let next = AtomicUsize::new(0);
        let work = |worker: &mut Worker<T>| {
            while let Some(tile) = tiles.get(next.fetch_add(1, Ordering::Relaxed)) {
                worker.sweep(*level, request, view, tile);
            }
        };
        if let [_] = tiles {
            return work(&mut workers[0]);
        }
        let work = &work;
        rayon::scope(|scope| {
            for worker in workers.iter_mut().take(tiles.len()) {
                scope.spawn(move |_| work(worker));
            }
        });
    }

    /// Each adds up what it is given, in a thread of its own.
    pub(crate) fn adders(&mut self) -> impl Iterator<Item = Adder<'_, T>> {
        let Counter { request, level, ref mut workers, .. } = *self;
        workers.iter_mut().map(move |worker| Adder { request, level, worker, bytes: 0 })
    }

    /// The curve of what was added. Another image must begin before more is.
    pub(crate) fn finish(&mut self) -> Curve {
        let Request { construction, superlevel, bins } = self.request;
        let (edges, range) = (self.edges.take(), self.range);
        let sums = || Sums::new(None, superlevel);
        let all = self.workers.iter_mut().map(|worker| std::mem::replace(&mut worker.sums, sums()));
        let summed = Sums::finish(all.collect());
        // The numbers are those of T: cells of V have the dimension 3 − dim.
        let sign = if construction == Construction::V { -1 } else { 1 };
        let value = |key: T::Key| T::of_key(if superlevel { key.reversed() } else { key }).value();
        let (values, mut changes): (Vec<f64>, Vec<i64>) = match (summed, bins) {
            (Summed::Bins(changes), _) => (edges.map(|edges| edges.values).unwrap_or_default(), changes),
            (Summed::Keys(keys), Bins::Distinct) => {
                keys.into_iter().map(|(key, change)| (value(key), change)).unzip()
            }
            (Summed::Keys(keys), Bins::Uniform { count, .. }) => {
                let (first, last) = keys.first().zip(keys.last()).expect("an image has voxels");
                let (first, last) = (value(first.0), value(last.0));
                let range = range.unwrap_or((first.min(last), first.max(last)));
                let edges = Edges::uniform::<T>(count, range, superlevel);
                let mut changes = vec![0; count];
                for (key, change) in keys {
                    if let Some(bin) = edges.bin(key) {
                        changes[bin] += change;
                    }
                }
                (edges.values, changes)
            }
        };
        changes.iter_mut().for_each(|change| *change *= sign);
        Curve { values, changes }
    }
}

/// Adds up tiles.
#[derive(Debug)]
pub(crate) struct Adder<'a, T: Voxel> {
    request: Request,
    level: Level,
    worker: &'a mut Worker<T>,
    /// Of its sums.
    bytes: usize,
}

impl<T: Voxel> Adder<'_, T> {
    /// Adds the voxels of a tile. What lies around them, as for [`Counter::add`], must be in view.
    pub(crate) fn add(&mut self, view: View<'_, T>, tile: &Tile) {
        self.worker.sweep(self.level, &self.request, view, tile);
    }

    /// Adds what its sums have grown by to those of all, and says how many bytes these are: they grow with the number of distinct values.
    pub(crate) fn grow(&mut self, all: &AtomicUsize) -> usize {
        let bytes = self.worker.sums.bytes();
        // Sums that are merged shrink: what is added wraps around, and so does the total, to what it is.
        let more = bytes.wrapping_sub(std::mem::replace(&mut self.bytes, bytes));
        all.fetch_add(more, Ordering::Relaxed).wrapping_add(more)
    }
}

impl<T: Voxel> Worker<T> {
    fn sweep(&mut self, level: Level, request: &Request, view: View<'_, T>, tile: &Tile) {
        let Worker { tables, sums } = self;
        let filtration = (request.construction, request.superlevel);
        match sums {
            Sums::Bytes(tally) => sweep(level, view, tile, filtration, tables, &mut **tally),
            Sums::Words(tally) => sweep(level, view, tile, filtration, tables, &mut **tally),
            Sums::Bins(tally) => sweep(level, view, tile, filtration, tables, tally),
            Sums::Runs(tally) => sweep(level, view, tile, filtration, tables, tally),
        }
    }
}

/// What a thread takes for an image, but for sums that grow.
pub(crate) fn worker_bytes<T: Voxel>([_, _, columns]: [usize; 3]) -> usize {
    let sums = match T::Key::BITS {
        8 => 40 << 10,
        16 => 1 << 20,
        _ => 2 << 20,
    };
    table_bytes(columns, size_of::<T>()) + sums
}

/// The least and the greatest value.
fn range<T: Voxel>(voxels: &[T]) -> (f64, f64) {
    let keys = voxels.par_iter().map(|voxel| voxel.key());
    let (least, greatest) = keys
        .map(|key| (key, key))
        .reduce(|| (T::Key::MAX, T::Key::default()), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    (T::of_key(least).value(), T::of_key(greatest).value())
}

/// The curve of an image in memory, with the instructions of a level.
pub(crate) fn curve<T: Voxel>(image: &Image<T>, request: &Request, level: Level) -> Curve {
    let range = match request.bins {
        Bins::Uniform { range: None, .. } if !Counter::<T>::finds_range() => Some(range(image.voxels())),
        Bins::Uniform { range, .. } => range,
        Bins::Distinct => None,
    };
    let extents = image.shape().extents();
    let mut counter = Counter::new(request, range, level);
    let view = View { extents, first: [0; 3], voxels: image.voxels() };
    counter.add(view, extents.map(|extent| 0..extent));
    counter.finish()
}

#[cfg(test)]
mod tests;
