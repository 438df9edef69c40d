//! The scan on a device.
//!
//! The device holds two numbers a cell, its leftmost one as a row and its low as a column, and no more of the matrix than it is
//! looking at. Columns come in parts, of which the host gathers pieces in one of two page-locked buffers while the device fetches
//! the other by itself; so reading a file, copying and scanning overlap. A piece ends where its buffer does, if need be inside a
//! column: what a piece says of a column and of a row is a least or a greatest number, and the rest of the column says the rest.
//!
//! What the tables tell is fetched when it is asked for, by the same two buffers.

use std::ops::Range;

use phat_formats::{BoundaryMatrix, MatrixSize, Part};
use rayon::prelude::*;

use super::scan::{Leftmost, Scan};
use crate::cuda::leftmost_ones::{LeftmostKernels, Piece, Tables};
use crate::cuda::{Buffer, CudaError, Gpu, Pinned, Plain};
use crate::matrix::index::{AtomicIndex, SharedIndex as Row};
use crate::matrix::mates::Mates;
use crate::matrix::pivot_lookup::PivotLookup as Lookup;

/// Entries of a buffer: enough for a copy to go at full speed, few enough to be locked in a moment.
const MOST_ENTRIES: usize = 1 << 19;
/// Columns that they are in.
const MOST_COLUMNS: usize = 1 << 18;
/// With room for fewer entries, and half as many columns, on the device, launches would be all it does.
const LEAST_ENTRIES: usize = 1 << 10;
/// Elements that one thread copies.
const SHARE: usize = 1 << 15;

/// The scan of a matrix on a device.
///
/// # Errors
/// [`CudaError::OutOfMemory`]: the device has no room for three numbers a cell and a byte. Else what the driver says.
pub fn scan<I: Row>(gpu: &Gpu, matrix: &BoundaryMatrix<I>) -> Result<Scan<I>, CudaError> {
    Prepared::new(gpu)?.scan(matrix)?.scan()
}

/// A device with the kernels loaded, and the buffers between it and the host.
pub struct Prepared<I: Row> {
    gpu: Gpu,
    kernels: LeftmostKernels<I>,
    slots: [Slot<I>; 2],
}

impl<I: Row> Prepared<I> {
    /// Loads the kernels.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        let kernels = LeftmostKernels::load(gpu)?;
        Ok(Prepared { gpu: gpu.clone(), kernels, slots: [Slot::new(gpu)?, Slot::new(gpu)?] })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Begins the scan of a matrix of this size, whose parts are fed one by one.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`]: there is no room for the tables. Else what the driver says.
    pub fn begin(self, size: MatrixSize) -> Result<Scanning<I>, CudaError> {
        let Prepared { ref gpu, ref kernels, .. } = self;
        let room = room::<I>(gpu, size)?;
        let tables = || gpu.zeros(size.columns);
        let mut tables = Tables { leftmost: tables()?, lows: tables()? };
        kernels.clear(gpu, &mut tables)?;
        let (rows, starts) = (gpu.zeros(room.entries)?, gpu.zeros(room.columns)?);
        Ok(Scanning { prepared: self, size, tables, rows, starts, filling: 0 })
    }

    /// Scans a matrix.
    ///
    /// # Errors
    /// As [`Prepared::begin`].
    pub fn scan(self, matrix: &BoundaryMatrix<I>) -> Result<Scanned<I>, CudaError> {
        let mut scanning = self.begin(MatrixSize { columns: matrix.len(), entries: matrix.entries() })?;
        scanning.feed(&matrix.part(0..matrix.len()))?;
        scanning.finish()
    }
}

/// So much at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Room {
    entries: usize,
    columns: usize,
}

/// The room on the device for pieces, beside what every scan of this size takes.
fn room<I: Row>(gpu: &Gpu, size: MatrixSize) -> Result<Room, CudaError> {
    let available = gpu.available()?;
    let wanted = Wanted::by::<I>(size);
    let out_of_memory =
        || CudaError::OutOfMemory { device: gpu.name().to_string(), asked: wanted.least(), available };
    wanted.room::<I>(available).ok_or_else(out_of_memory)
}

/// Bytes of device memory that a scan takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wanted {
    /// From beginning to end.
    tables: u64,
    /// For pieces, at least.
    pieces: u64,
    /// For what is found, when there are no pieces any more.
    found: u64,
    size: MatrixSize,
}

impl Wanted {
    fn by<I>(size: MatrixSize) -> Self {
        let (n, width) = (size.columns as u64, size_of::<I>() as u64);
        let entries = LEAST_ENTRIES.min(size.entries) as u64;
        let columns = (LEAST_ENTRIES / 2).min(size.columns) as u64;
        Wanted {
            tables: 2 * n * width,
            pieces: (entries + columns) * width,
            // The lookup and a byte for each destroyer; or, at most, all columns and a bit for each, with totals.
            found: n * width + n + 1024,
            size,
        }
    }

    fn least(self) -> u64 {
        self.tables + self.pieces.max(self.found)
    }

    /// The room for pieces that is left of so many bytes; none if there is not enough for the rest.
    fn room<I>(self, available: u64) -> Option<Room> {
        if self.least() > available {
            return None;
        }
        let elements =
            usize::try_from((available - self.tables) / size_of::<I>() as u64).unwrap_or(usize::MAX);
        let columns = (elements / 3).min(MOST_COLUMNS).min(self.size.columns);
        let entries = (elements - columns).min(MOST_ENTRIES).min(self.size.entries);
        Some(Room { entries, columns })
    }
}

/// A scan that is being fed.
pub struct Scanning<I: Row> {
    prepared: Prepared<I>,
    size: MatrixSize,
    tables: Tables<I>,
    rows: Buffer<I>,
    starts: Buffer<I>,
    /// The slot that is being filled.
    filling: usize,
}

/// Memory of the host for pieces on their way to the device.
struct Slot<I> {
    rows: Pinned<I>,
    starts: Pinned<I>,
    queue: Queue,
}

/// Pieces side by side.
#[derive(Debug, Default)]
struct Queue {
    used: Room,
    pieces: Vec<Piece>,
}

impl<I: Row> Scanning<I> {
    /// Takes some columns. Every column is to be fed once, in any order.
    ///
    /// # Errors
    /// What the driver says, of this part or of one before.
    ///
    /// # Panics
    /// The columns are not those of a matrix of the size that the scan was begun with.
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

    /// All columns have been fed.
    ///
    /// # Errors
    /// What the driver says.
    pub fn finish(mut self) -> Result<Scanned<I>, CudaError> {
        self.send()?;
        Ok(Scanned { prepared: self.prepared, tables: self.tables })
    }

    /// What still goes into the slot.
    fn room(&self) -> Room {
        let used = self.prepared.slots[self.filling].queue.used;
        Room {
            entries: self.rows.len().min(MOST_ENTRIES) - used.entries,
            columns: self.starts.len().min(MOST_COLUMNS) - used.columns,
        }
    }

    /// Sends off the pieces of the slot, and goes on with the other one.
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

impl<I: Row> Slot<I> {
    fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        let (rows, starts) = (gpu.pinned(MOST_ENTRIES)?, gpu.pinned(MOST_COLUMNS)?);
        Ok(Slot { rows, starts, queue: Queue::default() })
    }

    /// Adds a piece.
    fn put(&mut self, part: &Part<'_, I>, cut: &Cut) -> Result<(), CudaError> {
        let Piece { rows_at, starts_at, entries, columns, .. } = self.queue.push(part, cut);
        copy(cut.rows(part), &mut self.rows.slice_mut()?[rows_at..rows_at + entries]);
        copy(cut.starts(part), &mut self.starts.slice_mut()?[starts_at..starts_at + columns]);
        Ok(())
    }
}

impl Queue {
    /// Adds a piece behind the others, and tells where it goes. Where it goes on after the last one, both are one.
    fn push<I: Row>(&mut self, part: &Part<'_, I>, cut: &Cut) -> Piece {
        let piece = Piece {
            rows_at: self.used.entries,
            starts_at: self.used.columns,
            entries: cut.entries.len(),
            columns: cut.columns.len(),
            first_entry: cut.entries.start,
            first_column: part.first + cut.columns.start,
        };
        self.used.entries += piece.entries;
        self.used.columns += piece.columns;
        match self.pieces.last_mut() {
            Some(last) if goes_on(last, &piece) => {
                last.entries += piece.entries;
                last.columns += piece.columns;
            }
            _ => self.pieces.push(piece),
        }
        piece
    }
}

fn copy<T: Plain>(from: &[T], to: &mut [T]) {
    if from.len() <= SHARE {
        return to.copy_from_slice(from);
    }
    to.par_chunks_mut(SHARE).zip(from.par_chunks(SHARE)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// Whether a piece begins with the column and the entry after those of the last.
fn goes_on(last: &Piece, next: &Piece) -> bool {
    last.first_entry + last.entries == next.first_entry
        && last.first_column + last.columns == next.first_column
}

/// Some of the entries of a part, and those of its columns that they are in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cut {
    /// Counted from the part's first.
    columns: Range<usize>,
    /// As the matrix numbers them.
    entries: Range<usize>,
}

impl Cut {
    fn rows<'p, I: Row>(&self, part: &Part<'p, I>) -> &'p [I] {
        let first = part.starts[0].to_usize();
        &part.rows[self.entries.start - first..self.entries.end - first]
    }

    fn starts<'p, I: Row>(&self, part: &Part<'p, I>) -> &'p [I] {
        &part.starts[self.columns.clone()]
    }
}

/// As much of a part from `entry` on, which is in it, as there is room for, which there is.
fn cut<I: Row>(part: &Part<'_, I>, entry: usize, room: Room) -> Cut {
    let starts = part.starts;
    let end = (starts[0].to_usize() + part.rows.len()).min(entry + room.entries);
    // Of those that start here all but the last are empty.
    let first = starts.partition_point(|start| start.to_usize() <= entry) - 1;
    let columns = starts[first..].partition_point(|start| start.to_usize() < end).min(room.columns);
    let past = first + columns;
    let end = starts.get(past).map_or(end, |start| end.min(start.to_usize()));
    Cut { columns: first..past, entries: entry..end }
}

/// The tables of a matrix, on the device.
pub struct Scanned<I: Row> {
    prepared: Prepared<I>,
    tables: Tables<I>,
}

impl<I: Row> Scanned<I> {
    /// What the scan says.
    ///
    /// # Errors
    /// What the driver says.
    pub fn scan(&mut self) -> Result<Scan<I>, CudaError> {
        let lookup = Lookup::new(self.len());
        let destroyers = self.stable(|row, column| lookup.set(row, column))?;
        let (stable, unstable) = self.unstable()?;
        Ok(Scan { lookup, destroyers, stable, unstable })
    }

    /// The device with its buffers, for another matrix.
    pub fn release(self) -> Prepared<I> {
        self.prepared
    }

    /// The leftmost ones.
    pub(crate) fn leftmost(&mut self) -> Result<Leftmost<I>, CudaError> {
        let n = self.len();
        let table = I::zeros(n);
        let Scanned { prepared: Prepared { gpu, slots, .. }, tables } = self;
        fetch(gpu, slots, &tables.leftmost, |row, column| {
            // What is no column stands for none.
            if column.to_usize() < n {
                table[row].put(I::from_usize(column.to_usize() + 1));
            }
        })?;
        Ok(Leftmost { table })
    }

    /// The lows of stable columns, paired with these.
    pub(crate) fn mates(&mut self) -> Result<Mates<I>, CudaError> {
        let mates = Mates::new(self.len());
        self.stable(|row, column| mates.pair(row, column))?;
        Ok(mates)
    }

    /// Tells the row and the column of each stable pair, in any order, and answers which columns hold a leftmost one.
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

    /// The number of stable columns, and the unstable ones.
    fn unstable(&mut self) -> Result<(usize, Vec<I>), CudaError> {
        let Scanned { prepared: Prepared { gpu, kernels, .. }, tables } = self;
        let (flags, [stable, count]) = kernels.find_unstable(gpu, tables)?;
        let mut unstable = gpu.zeros(count)?;
        kernels.set_unstable(gpu, &flags, &mut unstable)?;
        Ok((stable, gpu.read(&unstable, 0..count)?))
    }

    fn len(&self) -> usize {
        self.tables.lows.len()
    }
}

/// Fetches a table, and tells each place and what is there, in any order, on all threads.
fn fetch<I: Row>(
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
        // The device copies the next ones while these are told.
        gpu.receive(table, range(first + most), next)?;
        let here = &now.slice()?[..range(first).len()];
        here.par_iter().enumerate().with_min_len(SHARE).for_each(|(k, &found)| tell(first + k, found));
        std::mem::swap(&mut now, &mut next);
    }
    Ok(())
}

/// A whole matrix on a device, for measuring the kernels alone.
pub struct Resident<I: Row> {
    gpu: Gpu,
    kernels: LeftmostKernels<I>,
    rows: Buffer<I>,
    starts: Buffer<I>,
    whole: Piece,
    tables: Tables<I>,
    lookup: Buffer<I>,
    destroyers: Buffer<u8>,
}

impl<I: Row> Resident<I> {
    /// Copies a matrix to a device.
    ///
    /// # Errors
    /// What the driver says.
    pub fn load(gpu: &Gpu, matrix: &BoundaryMatrix<I>) -> Result<Self, CudaError> {
        let n = matrix.len();
        let whole = Piece {
            rows_at: 0,
            starts_at: 0,
            entries: matrix.entries(),
            columns: n,
            first_entry: 0,
            first_column: 0,
        };
        Ok(Resident {
            kernels: LeftmostKernels::load(gpu)?,
            rows: gpu.upload(matrix.rows())?,
            starts: gpu.upload(&matrix.offsets()[..n])?,
            whole,
            tables: Tables { leftmost: gpu.zeros(n)?, lows: gpu.zeros(n)? },
            lookup: gpu.zeros(n)?,
            destroyers: gpu.zeros(n)?,
            gpu: gpu.clone(),
        })
    }

    /// Runs all kernels and waits for them. The numbers of stable and unstable columns.
    ///
    /// # Errors
    /// What the driver says.
    pub fn scan(&mut self) -> Result<[usize; 2], CudaError> {
        let Resident { gpu, kernels, rows, starts, whole, tables, lookup, destroyers } = self;
        kernels.clear(gpu, tables)?;
        if whole.entries > 0 {
            kernels.set_leftmost(rows, starts, whole, tables)?;
        }
        kernels.set_lookup(gpu, tables, lookup, destroyers)?;
        let (flags, counts) = kernels.find_unstable(gpu, tables)?;
        let mut unstable = gpu.zeros(counts[1])?;
        kernels.set_unstable(gpu, &flags, &mut unstable)?;
        gpu.finish()?;
        Ok(counts)
    }
}

#[cfg(test)]
mod tests;
