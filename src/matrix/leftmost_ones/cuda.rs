//! The scan of leftmost ones on a device.
//!
//! The device holds two numbers per cell, its leftmost one as a row and its low as a column, and one piece of the
//! matrix at a time. A piece may end inside a column: pieces contribute by a minimum (leftmost one) or a maximum
//! (low), so the parts of a column may be processed separately. The host copies a piece into one of two page-locked
//! buffers while the device fetches the other. The results are fetched on request, through the same two buffers.

mod resident;

use phat_formats::BoundaryMatrix;

pub use self::resident::Resident;
use super::scan::Scan;
use crate::cuda::leftmost_ones::{LeftmostKernels, Piece, Tables};
use crate::cuda::{Buffer, CudaError, Gpu, Pinned, Plain};
use crate::matrix::cell_table::{CellTable, cell};
use crate::matrix::index::SharedIndex;
use crate::matrix::mates::Mates;
use crate::parallel;

/// Entries and columns in a buffer: enough for copies at full speed, few enough to be page-locked quickly.
const MOST: usize = 1 << 19;
/// Minimum room on the device in entries and in columns. With less, launches would dominate.
const LEAST: u64 = 1 << 10;
/// Minimum number of elements per thread when copying.
const SHARE: usize = 1 << 15;

/// Scans a matrix on a device.
///
/// # Errors
/// [`CudaError::OutOfMemory`]: the device has no room for three numbers and a byte per cell. Otherwise the driver
/// failed.
pub fn scan<I: SharedIndex>(gpu: &Gpu, matrix: &BoundaryMatrix<I>) -> Result<Scan<I>, CudaError> {
    Prepared::new(gpu)?.scan(matrix)?.scan()
}

/// A device with the kernels loaded, and the buffers between device and host.
pub struct Prepared<I: SharedIndex> {
    gpu: Gpu,
    kernels: LeftmostKernels<I>,
    slots: [Slot<I>; 2],
}

/// Page-locked host memory for a piece on its way to the device.
struct Slot<I> {
    rows: Pinned<I>,
    starts: Pinned<I>,
}

impl<I: SharedIndex> Prepared<I> {
    /// Loads the kernels and allocates the buffers.
    ///
    /// # Errors
    /// The driver failed.
    pub fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        let slot = || Ok::<_, CudaError>(Slot { rows: gpu.pinned(MOST)?, starts: gpu.pinned(MOST)? });
        Ok(Prepared { gpu: gpu.clone(), kernels: LeftmostKernels::load(gpu)?, slots: [slot()?, slot()?] })
    }

    /// Scans a matrix piece by piece.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`]: there is no room for the tables. Otherwise the driver failed.
    pub fn scan(&mut self, matrix: &BoundaryMatrix<I>) -> Result<Scanned<'_, I>, CudaError> {
        let Prepared { gpu, kernels, slots } = self;
        let n = matrix.len();
        let mut tables = Tables { leftmost: gpu.zeros(n)?, lows: gpu.zeros(n)? };
        kernels.clear(gpu, &mut tables)?;
        let available = gpu.available()? / (2 * size_of::<I>() as u64);
        let room = available.clamp(LEAST, MOST as u64) as usize;
        let (mut rows, mut starts) = (gpu.zeros(room.min(matrix.entries()))?, gpu.zeros(room.min(n))?);
        let mut entry = 0;
        while entry < matrix.entries() {
            let piece = piece(matrix, entry, room);
            let Piece { entries, columns, first_column, .. } = piece;
            let [filling, _] = slots;
            copy(&matrix.rows()[entry..entry + entries], &mut filling.rows.slice_mut()?[..entries]);
            let offsets = &matrix.offsets()[first_column..first_column + columns];
            copy(offsets, &mut filling.starts.slice_mut()?[..columns]);
            gpu.send(&mut filling.rows, entries, &mut rows, 0)?;
            gpu.send(&mut filling.starts, columns, &mut starts, 0)?;
            kernels.set_leftmost(&rows, &starts, &piece, &mut tables)?;
            entry += entries;
            slots.swap(0, 1);
        }
        Ok(Scanned { prepared: self, tables })
    }
}

/// Returns the longest piece of a matrix that begins with an entry and has at most `room` entries and `room` columns.
fn piece<I: SharedIndex>(matrix: &BoundaryMatrix<I>, entry: usize, room: usize) -> Piece {
    let starts = &matrix.offsets()[..matrix.len()];
    let end = matrix.entries().min(entry + room);
    // Several columns may start at the entry: all but the last of these are empty.
    let first_column = starts.partition_point(|start| start.to_usize() <= entry) - 1;
    let columns = starts[first_column..].partition_point(|start| start.to_usize() < end).min(room);
    let end = starts.get(first_column + columns).map_or(end, |start| end.min(start.to_usize()));
    Piece { entries: end - entry, columns, first_entry: entry, first_column }
}

fn copy<T: Plain>(from: &[T], to: &mut [T]) {
    parallel::each_of(to.chunks_mut(SHARE).zip(from.chunks(SHARE)), &|(to, from)| to.copy_from_slice(from));
}

/// The tables of a scanned matrix on the device.
pub struct Scanned<'p, I: SharedIndex> {
    prepared: &'p mut Prepared<I>,
    tables: Tables<I>,
}

impl<I: SharedIndex> Scanned<'_, I> {
    /// Fetches all results of the scan.
    ///
    /// # Errors
    /// The driver failed.
    pub fn scan(&mut self) -> Result<Scan<I>, CudaError> {
        let lookup = CellTable::new(self.len());
        let destroyers = self.stable(&|first, entries| {
            paired(first, entries).for_each(|(row, column)| lookup.set(row, column));
        })?;
        let Prepared { gpu, kernels, .. } = &*self.prepared;
        let (flags, [stable, cleared, count]) = kernels.find_unstable(gpu, &self.tables)?;
        let mut unstable = gpu.zeros(count)?;
        kernels.set_unstable(gpu, &flags, &mut unstable)?;
        Ok(Scan { lookup, destroyers, stable, cleared, unstable: gpu.read(&unstable, 0..count)? })
    }

    /// Fetches the leftmost ones.
    pub(crate) fn leftmost(&mut self) -> Result<CellTable<I>, CudaError> {
        let n = self.len();
        let table = CellTable::new(n);
        let Prepared { gpu, slots, .. } = &mut *self.prepared;
        fetch(gpu, slots, &self.tables.leftmost, &|first, columns| {
            // A number that is not a column stands for none.
            let columns = (first..).zip(columns).filter(|(_, column)| column.to_usize() < n);
            columns.for_each(|(row, column)| table.put(row, column.to_usize()));
        })?;
        Ok(table)
    }

    /// Fetches the pairs of stable columns and their lows.
    pub(crate) fn mates(&mut self) -> Result<Mates<I>, CudaError> {
        let mates = Mates::new(self.len());
        self.stable(&|first, entries| {
            paired(first, entries).for_each(|(row, column)| mates.pair(row, column));
        })?;
        Ok(mates)
    }

    /// Calls `work` with the pieces of the table of stable pairs as [`fetch`] does, and returns whether each column
    /// holds a leftmost one.
    fn stable(&mut self, work: &(dyn Fn(usize, &[I]) + Sync)) -> Result<Vec<bool>, CudaError> {
        let n = self.len();
        let Prepared { gpu, kernels, slots } = &mut *self.prepared;
        let (mut lookup, mut destroyers) = (gpu.zeros(n)?, gpu.zeros(n)?);
        kernels.set_lookup(gpu, &self.tables, &mut lookup, &mut destroyers)?;
        fetch(gpu, slots, &lookup, work)?;
        Ok(gpu.read(&destroyers, 0..n)?.into_iter().map(|found| found != 0).collect())
    }

    fn len(&self) -> usize {
        self.tables.lows.len()
    }
}

/// The rows from `first` on that have a column, with it.
fn paired<I: SharedIndex>(first: usize, entries: &[I]) -> impl Iterator<Item = (usize, usize)> {
    (first..).zip(entries).filter_map(|(row, &entry)| Some((row, cell(entry)?)))
}

/// Fetches a table, and calls `work` with pieces of it, each with its first place, in any order, on all threads.
fn fetch<I: SharedIndex>(
    gpu: &Gpu,
    slots: &mut [Slot<I>; 2],
    table: &Buffer<I>,
    work: &(dyn Fn(usize, &[I]) + Sync),
) -> Result<(), CudaError> {
    let n = table.len();
    let range = |first: usize| first.min(n)..(first + MOST).min(n);
    gpu.receive(table, range(0), &mut slots[0].rows)?;
    for first in (0..n).step_by(MOST) {
        // The device copies the next numbers while these are processed.
        let [now, next] = slots;
        gpu.receive(table, range(first + MOST), &mut next.rows)?;
        let here = &now.rows.slice()?[..range(first).len()];
        parallel::ranges(here.len(), SHARE, &|piece| work(first + piece.start, &here[piece]));
        slots.swap(0, 1);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
