//! Reading binary files.
//!
//! The start of a column is known only after the counts of all earlier columns. So one thread at a time reads the next
//! block and walks from header to header, while the others check and store the rows of blocks that have been passed.
//! The length of the file and the number of columns give the number of entries, so the matrix is allocated once, and
//! only a block for each thread is held besides it.

use super::column::Column;
use super::{Findings, Read, Unsorted, too_large};
use crate::fields::{Blocks, Word, fill, length};
use crate::parallel::{each_of, into_inner, lock};
use crate::{BoundaryMatrix, Dimension, FormatError, Index, MatrixSize, Place, Source};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Number of bytes that are read at a time: few enough for a cache, many enough for a system call.
const BLOCK: usize = 256 * 1024;

/// Reads the size of the matrix in a binary file from its length and first number; the caller chooses the index type
/// by it.
///
/// # Errors
/// The length is not a multiple of 8; the number of columns is negative or more than the file has room for.
pub fn size(source: &(impl Source + ?Sized)) -> Result<MatrixSize, FormatError> {
    let length = length(source)? as u64;
    if length == 0 || !length.is_multiple_of(8) {
        let what = if length < 8 { "a number of columns" } else { "an integer" };
        return Err(FormatError::truncated(length & !7, what, 8, length));
    }
    let mut first = [0; 8];
    fill(source, 0, &mut first)?;
    let found = i64::from_le_bytes(first);
    let what = "a number of columns";
    let columns = u64::try_from(found).map_err(|_| FormatError::at(0, what, found))?;
    let words = length / 8 - 1;
    // A column takes at least two words.
    let Some(entries) = columns.checked_mul(2).and_then(|headers| words.checked_sub(headers)) else {
        let expected = columns.saturating_mul(16);
        return Err(FormatError::truncated(8, "columns", expected, length));
    };
    let addressed = |number| {
        usize::try_from(number).map_err(|_| too_large(Place::Byte(0), usize::MAX, columns.max(entries)))
    };
    Ok(MatrixSize { columns: addressed(columns)?, entries: addressed(entries)? })
}

/// Reads the matrix of a binary file.
///
/// Peak memory is that of the matrix and a block for each thread of rayon's pool.
///
/// # Errors
/// The first violation in the file: it is truncated or longer than its columns; a dimension beyond 255; a count that
/// is negative or exceeds the file; a row that is not before its column, is repeated, or has the wrong dimension.
/// Also: more columns or entries than `I` can number, or an error of the system.
pub fn read_binary<I: Index>(source: &(impl Source + ?Sized)) -> Result<Read<I>, FormatError> {
    read_binary_showing(source, |_| {})
}

/// Like [`read_binary`], but also calls `show` with the size of each part of the matrix as soon as it is stored, in any
/// order, on any thread of the pool. Without an error, the sizes add up to that of the matrix.
///
/// # Errors
/// The errors of [`read_binary`].
pub fn read_binary_showing<I: Index>(
    source: &(impl Source + ?Sized),
    show: impl Fn(MatrixSize) + Sync,
) -> Result<Read<I>, FormatError> {
    read_blocks(&source, BLOCK, &show)
}

/// Like [`read_binary_showing`], with blocks of `block` bytes, a multiple of 8.
pub(super) fn read_blocks<I: Index>(
    source: &dyn Source,
    block: usize,
    show: &(dyn Fn(MatrixSize) + Sync),
) -> Result<Read<I>, FormatError> {
    let size = size(source)?;
    if !size.fits::<I>() {
        return Err(too_large(Place::Byte(0), I::MOST, size.columns.max(size.entries) as u64));
    }
    let dims: Vec<AtomicU8> = (0..size.columns).map(|_| AtomicU8::new(0)).collect();
    let mut offsets = vec![I::default(); size.columns + 1];
    let mut rows = vec![I::default(); size.entries];
    let (starts, last) = offsets.split_at_mut(size.columns);
    last[0] = I::from_usize(size.entries);
    let (source, findings) = (Blocks::of(source), Mutex::default());
    let walk = Walk {
        source: &source,
        dims: &dims,
        findings: &findings,
        size,
        block,
        next_block: block,
        column: 0,
        entry: 0,
        offset: 8,
        starts,
        rows: &mut rows,
    };
    each_of(walk, &|mut block| {
        let found = block.store(&dims);
        if found.error.is_none() {
            show(MatrixSize { columns: block.starts.len(), entries: block.rows.len() });
        }
        if found.error.is_some() || found.unsorted > 0 {
            lock(&findings).add(found);
        }
        source.give_back(block.bytes);
    });
    into_inner(findings).read(|| {
        let dims = dims.into_iter().map(AtomicU8::into_inner).collect();
        BoundaryMatrix::from_checked(dims, offsets, rows)
    })
}

/// A block that the walk has passed: whole columns.
struct Block<'a, I> {
    bytes: Vec<u8>,
    /// Byte offset in the file.
    offset: usize,
    column: usize,
    entry: usize,
    starts: &'a mut [I],
    rows: &'a mut [I],
}

impl<I: Index> Block<'_, I> {
    /// Checks and stores the rows. `dims` are the dimensions of columns, complete up to those of the block.
    fn store(&mut self, dims: &[AtomicU8]) -> Findings {
        let mut findings = Findings::default();
        let dim_of = |column: usize| dims[column].load(Relaxed);
        let (words, _): (&[Word], _) = self.bytes.as_chunks();
        let mut out = &mut *self.rows;
        let (mut entry, mut at) = (self.entry, 0);
        for (number, start) in (self.column..).zip(self.starts.iter_mut()) {
            *start = I::from_usize(entry);
            let rows = &words[at + 2..][..integer(words[at + 1]) as usize];
            let column_out = out.split_off_mut(..rows.len()).unwrap_or_default();
            let place = |k: usize| Place::Byte((self.offset + 8 * (at + 2 + k)) as u64);
            let column = Column { number, dim: dim_of(number) };
            match column.read(rows.iter().map(|&row| integer(row)), dim_of, place, column_out) {
                Ok(true) => {}
                Ok(false) => findings.unsorted(Unsorted { column: number, place: place(0) }),
                Err(error) => {
                    findings.error = Some(error);
                    break;
                }
            }
            entry += rows.len();
            at += 2 + rows.len();
        }
        findings
    }
}

/// The walk from header to header.
struct Walk<'a, I> {
    source: &'a Blocks<'a>,
    /// The dimensions of columns, set up to the column.
    dims: &'a [AtomicU8],
    /// The errors of the walk and the findings of all threads.
    findings: &'a Mutex<Findings>,
    size: MatrixSize,
    /// Number of bytes of a block, and of the next one.
    block: usize,
    next_block: usize,
    column: usize,
    entry: usize,
    /// Byte offset of the column in the file.
    offset: usize,
    /// Starts and rows of the column and of all columns after it.
    starts: &'a mut [I],
    rows: &'a mut [I],
}

/// The progress of the walk in a block.
struct Steps {
    columns: usize,
    entries: usize,
    /// Number of words of the column that the block cuts off.
    next: usize,
}

impl<'a, I> Iterator for Walk<'a, I> {
    type Item = Block<'a, I>;

    /// Walks through the next block of the file, until an error occurs.
    fn next(&mut self) -> Option<Block<'a, I>> {
        if lock(self.findings).error.is_some() {
            return None;
        }
        let more = self.size.entries - self.entry;
        if self.column == self.size.columns {
            if more > 0 {
                self.fail(FormatError::trailing(self.offset as u64, 8 * more as u64));
            }
            return None;
        }
        let bytes_left = 8 * (2 * (self.size.columns - self.column) + more);
        let bytes = match self.source.read(self.offset, self.next_block.min(bytes_left)) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.fail(error);
                return None;
            }
        };
        let steps = self.walk(bytes.as_chunks().0);
        // A column that is longer than a block gets a block of its own size.
        self.next_block = if steps.columns == 0 { 8 * steps.next } else { self.block };
        let starts = self.starts.split_off_mut(..steps.columns).unwrap_or_default();
        let rows = self.rows.split_off_mut(..steps.entries).unwrap_or_default();
        let block =
            Block { bytes, offset: self.offset, column: self.column, entry: self.entry, starts, rows };
        self.column += steps.columns;
        self.entry += steps.entries;
        self.offset += 8 * (2 * steps.columns + steps.entries);
        Some(block)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let bytes = 8 * (2 * self.size.columns + self.size.entries);
        (0, (bytes <= self.block).then_some(1))
    }
}

impl<I> Walk<'_, I> {
    /// Ends the walk with an error, after the columns before it.
    fn fail(&self, error: FormatError) {
        lock(self.findings).add(Findings { error: Some(error), ..Findings::default() });
    }

    /// Walks from header to header through `words`, which start with a column, up to the first wrong one.
    fn walk(&self, words: &[Word]) -> Steps {
        let mut left = self.size.entries - self.entry;
        let mut steps = Steps { columns: 0, entries: 0, next: 0 };
        let mut at = 0;
        while let Some(dim) = self.dims.get(self.column + steps.columns)
            && let Some(header) = words[at..].first_chunk()
        {
            let (found, count) = match self.header(header, at, left) {
                Ok(header) => header,
                Err(wrong) => {
                    self.fail(wrong);
                    break;
                }
            };
            dim.store(found, Relaxed);
            steps.next = 2 + count;
            if words.len() - at < steps.next {
                break;
            }
            at += steps.next;
            left -= count;
            steps.entries += count;
            steps.columns += 1;
        }
        steps
    }

    /// Parses a header: the dimension and the number of rows. The rest of the file has `left` entries.
    #[inline]
    fn header(&self, words: &[Word; 2], at: usize, left: usize) -> Result<(Dimension, usize), FormatError> {
        let [dim, count] = words.map(integer);
        match (Dimension::try_from(dim), usize::try_from(count)) {
            (Ok(dim), Ok(count)) if count <= left => Ok((dim, count)),
            _ => Err(self.wrong_header(dim, count, (self.offset + 8 * at) as u64, left)),
        }
    }

    #[cold]
    fn wrong_header(&self, dim: i64, count: i64, offset: u64, left: usize) -> FormatError {
        if Dimension::try_from(dim).is_err() {
            return FormatError::new(Place::Byte(offset), "a dimension from 0 to 255", dim);
        }
        let Ok(count) = u64::try_from(count) else {
            return FormatError::new(Place::Byte(offset + 8), "a number of rows", count);
        };
        // The rest of the file has `left` entries if every later column has a header.
        let length = 8 * (1 + 2 * self.size.columns + self.size.entries) as u64;
        let headers = length - offset - 16 - 8 * left as u64;
        let expected = count.saturating_mul(8).saturating_add(headers);
        FormatError::truncated(offset + 16, "rows and later columns", expected, length)
    }
}

#[inline]
fn integer(word: Word) -> i64 {
    i64::from_le_bytes(word)
}
