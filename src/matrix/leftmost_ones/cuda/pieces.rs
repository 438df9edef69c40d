//! How a matrix is cut into pieces that fit into the buffers.

use std::ops::Range;

use phat_formats::{MatrixSize, Part};

use crate::cuda::leftmost_ones::Piece;
use crate::matrix::index::SharedIndex;

/// Entries of a buffer: enough for a copy to run at full speed, few enough to be page-locked in a moment.
pub(super) const MOST_ENTRIES: usize = 1 << 19;
/// Columns of a buffer.
pub(super) const MOST_COLUMNS: usize = 1 << 18;
/// Entries for which the device has to have room, and for half as many columns: with fewer it would spend its time on launches.
pub(super) const LEAST_ENTRIES: usize = 1 << 10;

/// Room in a buffer, or the part of it that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Room {
    pub(super) entries: usize,
    pub(super) columns: usize,
}

/// Bytes of device memory that a scan takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Bytes of the tables, from beginning to end.
    pub(super) tables: u64,
    /// Bytes for pieces at least.
    pub(super) pieces: u64,
    /// Bytes for what is found, when there are no pieces any more.
    pub(super) found: u64,
    pub(super) size: MatrixSize,
}

impl Wanted {
    /// The bytes that the scan of a matrix of this size takes, whose rows are of type `I`.
    pub(super) fn by<I>(size: MatrixSize) -> Self {
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

    /// The least number of bytes with which the scan can run.
    pub(super) fn least(self) -> u64 {
        self.tables + self.pieces.max(self.found)
    }

    /// The room for pieces in `available` bytes, beside the tables; none if there are too few bytes.
    pub(super) fn room<I>(self, available: u64) -> Option<Room> {
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

/// Pieces that lie side by side in a buffer.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) used: Room,
    pub(super) pieces: Vec<Piece>,
}

impl Queue {
    /// Adds a piece behind the others, and returns it with its places. A piece that continues the last one is joined with it.
    pub(super) fn push<I: SharedIndex>(&mut self, part: &Part<'_, I>, cut: &Cut) -> Piece {
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

/// Whether a piece begins with the column and the entry after those of the last.
pub(super) fn goes_on(last: &Piece, next: &Piece) -> bool {
    last.first_entry + last.entries == next.first_entry
        && last.first_column + last.columns == next.first_column
}

/// Some of the entries of a part, and those of its columns that they are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    /// The columns, counted from the first of the part.
    pub(super) columns: Range<usize>,
    /// The entries, as the matrix numbers them.
    pub(super) entries: Range<usize>,
}

impl Cut {
    /// The rows of the entries.
    pub(super) fn rows<'p, I: SharedIndex>(&self, part: &Part<'p, I>) -> &'p [I] {
        let first = part.starts[0].to_usize();
        &part.rows[self.entries.start - first..self.entries.end - first]
    }

    /// The starts of the columns.
    pub(super) fn starts<'p, I: SharedIndex>(&self, part: &Part<'p, I>) -> &'p [I] {
        &part.starts[self.columns.clone()]
    }
}

/// The greatest cut of a part from `entry` on for which there is room. The entry is in the part, and there is room for one.
pub(super) fn cut<I: SharedIndex>(part: &Part<'_, I>, entry: usize, room: Room) -> Cut {
    let starts = part.starts;
    let end = (starts[0].to_usize() + part.rows.len()).min(entry + room.entries);
    // Several columns may start at the entry: all but the last of them are empty.
    let first = starts.partition_point(|start| start.to_usize() <= entry) - 1;
    let columns = starts[first..].partition_point(|start| start.to_usize() < end).min(room.columns);
    let past = first + columns;
    let end = starts.get(past).map_or(end, |start| end.min(start.to_usize()));
    Cut { columns: first..past, entries: entry..end }
}
