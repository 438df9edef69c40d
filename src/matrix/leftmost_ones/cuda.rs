//! The scan of leftmost ones on a device.
//!
//! The device holds two numbers per cell, its leftmost one as a row and its low as a column, and only the pieces of
//! the matrix that it is processing. Columns come in parts, which the host gathers into pieces in one of two
//! page-locked buffers while the device fetches the other; so reading a file, copying and scanning overlap. A piece
//! ends where its buffer does, even inside a column: pieces contribute by a minimum (leftmost one) or a maximum
//! (low), so the pieces of a column may be processed separately.
//!
//! The results are fetched on request, through the same two buffers.

mod pieces;
mod resident;

use phat_formats::{BoundaryMatrix, MatrixSize, Part};
use rayon::prelude::*;

use self::pieces::{Cut, MOST_COLUMNS, MOST_ENTRIES, Queue, Room, Wanted, cut};
pub use self::resident::Resident;
use super::scan::{Leftmost, Scan};
use crate::cuda::leftmost_ones::{LeftmostKernels, Piece, Tables};
use crate::cuda::{Buffer, CudaError, Gpu, Pinned, Plain};
use crate::matrix::index::{AtomicIndex, SharedIndex};
use crate::matrix::mates::Mates;
use crate::matrix::pivot_lookup::PivotLookup;

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

impl<I: SharedIndex> Prepared<I> {
    /// Loads the kernels and allocates the buffers.
    ///
    /// # Errors
    /// The driver failed.
    pub fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        let kernels = LeftmostKernels::load(gpu)?;
        Ok(Prepared { gpu: gpu.clone(), kernels, slots: [Slot::new(gpu)?, Slot::new(gpu)?] })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Begins the scan of a matrix of size `size`, whose parts are passed to [`Scanning::feed`].
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`]: there is no room for the tables. Otherwise the driver failed.
    pub fn begin(self, size: MatrixSize) -> Result<Scanning<I>, CudaError> {
        let Prepared { ref gpu, ref kernels, .. } = self;
        let room = room::<I>(gpu, size)?;
        let tables = || gpu.zeros(size.columns);
        let mut tables = Tables { leftmost: tables()?, lows: tables()? };
        kernels.clear(gpu, &mut tables)?;
        let (rows, starts) = (gpu.zeros(room.entries)?, gpu.zeros(room.columns)?);
        Ok(Scanning { prepared: self, size, tables, rows, starts, filling: 0 })
    }

    /// Scans a whole matrix.
    ///
    /// # Errors
    /// See [`Prepared::begin`].
    pub fn scan(self, matrix: &BoundaryMatrix<I>) -> Result<Scanned<I>, CudaError> {
        let mut scanning = self.begin(MatrixSize { columns: matrix.len(), entries: matrix.entries() })?;
        scanning.feed(&matrix.part(0..matrix.len()))?;
        scanning.finish()
    }
}

/// Room on the device for pieces, besides the tables of a scan of size `size`.
fn room<I: SharedIndex>(gpu: &Gpu, size: MatrixSize) -> Result<Room, CudaError> {
    let available = gpu.available()?;
    let wanted = Wanted::by::<I>(size);
    let out_of_memory =
        || CudaError::OutOfMemory { device: gpu.name().to_string(), asked: wanted.least(), available };
    wanted.room::<I>(available).ok_or_else(out_of_memory)
}

/// A scan in progress, which takes the columns part by part.
pub struct Scanning<I: SharedIndex> {
    prepared: Prepared<I>,
    size: MatrixSize,
    tables: Tables<I>,
    rows: Buffer<I>,
    starts: Buffer<I>,
    /// Number of the slot that is being filled.
    filling: usize,
}

/// Page-locked host memory for pieces on their way to the device.
struct Slot<I> {
    rows: Pinned<I>,
    starts: Pinned<I>,
    queue: Queue,
}

impl<I: SharedIndex> Scanning<I> {
    /// Takes some columns of the matrix. Every column has to be passed once, in any order.
    ///
    /// # Errors
    /// The driver failed, with this part or with an earlier one.
    ///
    /// # Panics
    /// The columns do not fit the size that was passed to [`Prepared::begin`].
    pub fn feed(&mut self, part: &Part<'_, I>) -> Result<(), CudaError> {
        let entries = part.rows.len();
        let Some(first) = part.starts.first().map(|first| first.to_usize()) else { return Ok(()) };
        let (columns, end) = (part.columns().end, first + entries);
        assert!(
            columns <= self.size.columns && end <= self.size.entries,
            "{columns}, {end}: {:?}",
            self.size
        );
        let mut entry = first;
        while entry < end {
            let room = self.room();
            if room.entries == 0 || room.columns == 0 {
                self.send()?;
                continue;
            }
            let cut = cut(part, entry, room);
            entry = cut.entries.end;
            self.prepared.slots[self.filling].put(part, &cut)?;
        }
        Ok(())
    }

    /// Ends the scan after all columns have been passed.
    ///
    /// # Errors
    /// The driver failed.
    pub fn finish(mut self) -> Result<Scanned<I>, CudaError> {
        self.send()?;
        Ok(Scanned { prepared: self.prepared, tables: self.tables })
    }

    /// Remaining room in the slot.
    fn room(&self) -> Room {
        let used = self.prepared.slots[self.filling].queue.used;
        Room {
            entries: self.rows.len().min(MOST_ENTRIES) - used.entries,
            columns: self.starts.len().min(MOST_COLUMNS) - used.columns,
        }
    }

    /// Sends the pieces of the slot to the device and switches to the other slot.
    fn send(&mut self) -> Result<(), CudaError> {
        let Prepared { gpu, kernels, slots } = &mut self.prepared;
        let Slot { rows, starts, queue } = &mut slots[self.filling];
        let Queue { used, pieces } = std::mem::take(queue);
        gpu.send(rows, used.entries, &mut self.rows, 0)?;
        gpu.send(starts, used.columns, &mut self.starts, 0)?;
        for piece in &pieces {
            kernels.set_leftmost(&self.rows, &self.starts, piece, &mut self.tables)?;
        }
        self.filling = 1 - self.filling;
        Ok(())
    }
}

impl<I: SharedIndex> Slot<I> {
    fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        let (rows, starts) = (gpu.pinned(MOST_ENTRIES)?, gpu.pinned(MOST_COLUMNS)?);
        Ok(Slot { rows, starts, queue: Queue::default() })
    }

    /// Appends a piece to the slot.
    fn put(&mut self, part: &Part<'_, I>, cut: &Cut) -> Result<(), CudaError> {
        let Piece { rows_at, starts_at, entries, columns, .. } = self.queue.push(part, cut);
        copy(cut.rows(part), &mut self.rows.slice_mut()?[rows_at..rows_at + entries]);
        copy(cut.starts(part), &mut self.starts.slice_mut()?[starts_at..starts_at + columns]);
        Ok(())
    }
}

fn copy<T: Plain>(from: &[T], to: &mut [T]) {
    if from.len() <= SHARE {
        return to.copy_from_slice(from);
    }
    to.par_chunks_mut(SHARE).zip(from.par_chunks(SHARE)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// The tables of a scanned matrix on the device.
pub struct Scanned<I: SharedIndex> {
    prepared: Prepared<I>,
    tables: Tables<I>,
}

impl<I: SharedIndex> Scanned<I> {
    /// Fetches all results of the scan.
    ///
    /// # Errors
    /// The driver failed.
    pub fn scan(&mut self) -> Result<Scan<I>, CudaError> {
        let lookup = PivotLookup::new(self.len());
        let destroyers = self.stable(|row, column| lookup.set(row, column))?;
        let ([stable, cleared], unstable) = self.unstable()?;
        Ok(Scan { lookup, destroyers, stable, cleared, unstable })
    }

    /// Returns the device with its buffers for another matrix.
    pub fn release(self) -> Prepared<I> {
        self.prepared
    }

    /// Fetches the leftmost ones.
    pub(crate) fn leftmost(&mut self) -> Result<Leftmost<I>, CudaError> {
        let n = self.len();
        let table = I::zeros(n);
        let Scanned { prepared: Prepared { gpu, slots, .. }, tables } = self;
        fetch(gpu, slots, &tables.leftmost, |row, column| {
            // A number that is not a column stands for none.
            if column.to_usize() < n {
                table[row].put(I::from_usize(column.to_usize() + 1));
            }
        })?;
        Ok(Leftmost { table })
    }

    /// Fetches the pairs of stable columns and their lows.
    pub(crate) fn mates(&mut self) -> Result<Mates<I>, CudaError> {
        let mates = Mates::new(self.len());
        self.stable(|row, column| mates.pair(row, column))?;
        Ok(mates)
    }

    /// Calls `pair` with the row and the column of each stable pair, in any order, and returns whether each column
    /// holds a leftmost one.
    fn stable(&mut self, pair: impl Fn(usize, usize) + Sync) -> Result<Vec<bool>, CudaError> {
        let n = self.len();
        let Scanned { prepared: Prepared { gpu, kernels, slots }, tables } = self;
        let (mut lookup, mut destroyers) = (gpu.zeros(n)?, gpu.zeros(n)?);
        kernels.set_lookup(gpu, tables, &mut lookup, &mut destroyers)?;
        fetch(gpu, slots, &lookup, |row, column| {
            if let Some(column) = column.to_usize().checked_sub(1) {
                pair(row, column);
            }
        })?;
        Ok(gpu.read(&destroyers, 0..n)?.into_iter().map(|found| found != 0).collect())
    }

    /// Fetches the numbers of stable and cleared columns, and the unstable columns.
    fn unstable(&mut self) -> Result<([usize; 2], Vec<I>), CudaError> {
        let Scanned { prepared: Prepared { gpu, kernels, .. }, tables } = self;
        let (flags, [stable, cleared, count]) = kernels.find_unstable(gpu, tables)?;
        let mut unstable = gpu.zeros(count)?;
        kernels.set_unstable(gpu, &flags, &mut unstable)?;
        Ok(([stable, cleared], gpu.read(&unstable, 0..count)?))
    }

    fn len(&self) -> usize {
        self.tables.lows.len()
    }
}

/// Fetches a table, and calls `tell` with each place and its number, in any order, on all threads.
fn fetch<I: SharedIndex>(
    gpu: &Gpu,
    slots: &mut [Slot<I>; 2],
    table: &Buffer<I>,
    tell: impl Fn(usize, I) + Sync,
) -> Result<(), CudaError> {
    let [a, b] = slots;
    let (mut now, mut next) = (&mut a.rows, &mut b.rows);
    let (n, most) = (table.len(), MOST_ENTRIES);
    let range = |first: usize| first.min(n)..(first + most).min(n);
    gpu.receive(table, range(0), now)?;
    for first in (0..n).step_by(most) {
        // The device copies the next numbers while these are processed.
        gpu.receive(table, range(first + most), next)?;
        let here = &now.slice()?[..range(first).len()];
        here.par_iter().enumerate().with_min_len(SHARE).for_each(|(k, &found)| tell(first + k, found));
        std::mem::swap(&mut now, &mut next);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
