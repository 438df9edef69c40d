//! Division of a matrix into pieces that fit the buffers.

use std::ops::Range;

use phat_formats::{MatrixSize, Part};

use crate::cuda::leftmost_ones::Piece;
use crate::matrix::index::SharedIndex;

/// Entries in a buffer: enough for copies at full speed, few enough to be page-locked quickly.
pub(super) const MOST_ENTRIES: usize = 1 << 19;
/// Columns in a buffer.
pub(super) const MOST_COLUMNS: usize = 1 << 18;
/// Minimum room on the device in entries; half as much in columns. With less, launches would dominate.
pub(super) const LEAST_ENTRIES: usize = 1 << 10;

/// Room in a buffer, or its used part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Room {
    pub(super) entries: usize,
    pub(super) columns: usize,
}

/// Device memory that a scan needs, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Bytes of the tables, which live as long as the scan.
    pub(super) tables: u64,
    /// Minimum bytes for pieces.
    pub(super) pieces: u64,
    /// Bytes for the results, which take the place of the pieces.
    pub(super) found: u64,
    pub(super) size: MatrixSize,
}

impl Wanted {
    /// The memory that the scan of a matrix of size `size` needs if its rows are of type `I`.
    pub(super) fn by<I>(size: MatrixSize) -> Self {
        let (n, width) = (size.columns as u64, size_of::<I>() as u64);
        let entries = LEAST_ENTRIES.min(size.entries) as u64;
        let columns = (LEAST_ENTRIES / 2).min(size.columns) as u64;
        Wanted {
            tables: 2 * n * width,
            pieces: (entries + columns) * width,
            // The lookup and a byte per cell for destroyers; or at most all columns, a bit for each, and totals.
            found: n * width + n + 1024,
            size,
        }
    }

    /// Minimum number of bytes with which the scan can run.
    pub(super) fn least(self) -> u64 {
        self.tables + self.pieces.max(self.found)
    }

    /// Room for pieces in `available` bytes besides the tables; none if that is too little.
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

/// Pieces that are adjacent in a buffer.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) used: Room,
    pub(super) pieces: Vec<Piece>,
}

impl Queue {
    /// Appends a piece and returns it with its offsets. A piece that continues the last one is merged with it.
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

/// Whether a piece begins right after the last column and the last entry of another.
pub(super) fn goes_on(last: &Piece, next: &Piece) -> bool {
    last.first_entry + last.entries == next.first_entry
        && last.first_column + last.columns == next.first_column
}

/// A range of entries of a part, with the columns that contain them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    /// Columns, counted from the first of the part.
    pub(super) columns: Range<usize>,
    /// Entries, numbered as in the matrix.
    pub(super) entries: Range<usize>,
}

impl Cut {
    /// Rows of the entries.
    pub(super) fn rows<'p, I: SharedIndex>(&self, part: &Part<'p, I>) -> &'p [I] {
        let first = part.starts[0].to_usize();
        &part.rows[self.entries.start - first..self.entries.end - first]
    }

    /// Starts of the columns.
    pub(super) fn starts<'p, I: SharedIndex>(&self, part: &Part<'p, I>) -> &'p [I] {
        &part.starts[self.columns.clone()]
    }
}

/// Returns the greatest cut of a part that starts at `entry` and fits into `room`. The entry must be in the part, and
/// room for one is required.
pub(super) fn cut<I: SharedIndex>(part: &Part<'_, I>, entry: usize, room: Room) -> Cut {
    let starts = part.starts;
    let end = (starts[0].to_usize() + part.rows.len()).min(entry + room.entries);
    // Several columns may start at the entry: all but the last of these are empty.
    let first = starts.partition_point(|start| start.to_usize() <= entry) - 1;
    let columns = starts[first..].partition_point(|start| start.to_usize() < end).min(room.columns);
    let past = first + columns;
    let end = starts.get(past).map_or(end, |start| end.min(start.to_usize()));
    Cut { columns: first..past, entries: entry..end }
}
