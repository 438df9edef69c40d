//! Reading binary files.
//!
//! The start of a column is known only after the counts of all earlier columns. So one thread walks from header to
//! header, block by block, while the others take the blocks that it has passed, and check and store their rows. The
//! length of the file and the number of columns give the number of entries, so the matrix is allocated once, and only
//! a few blocks are held besides it.

use super::column::Column;
use super::{Findings, Read, Unsorted, too_large};
use crate::fields::{Word, fill, length};
use crate::{BoundaryMatrix, Dimension, FormatError, Index, MatrixSize, Part, Place, Source};
use rayon::Scope;
use std::mem::take;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
/// Peak memory is that of the matrix and a few blocks for each thread of rayon's pool.
///
/// # Errors
/// The first violation in the file: it is truncated or longer than its columns; a dimension beyond 255; a count that
/// is negative or exceeds the file; a row that is not before its column, is repeated, or has the wrong dimension.
/// Also: more columns or entries than `I` can number, or an error of the system.
pub fn read_binary<I: Index>(source: &(impl Source + ?Sized)) -> Result<Read<I>, FormatError> {
    read_binary_showing(source, |_| {})
}

/// Like [`read_binary`], but also calls `show` with each part of the matrix as soon as it is stored: every column
/// once, in any order, on any thread of the pool. On an error, some parts may have been shown.
///
/// # Errors
/// The errors of [`read_binary`].
pub fn read_binary_showing<I: Index>(
    source: &(impl Source + ?Sized),
    show: impl Fn(Part<'_, I>) + Sync,
) -> Result<Read<I>, FormatError> {
    read_blocks(source, BLOCK, show)
}

/// Like [`read_binary_showing`], with blocks of `block` bytes, a multiple of 8.
pub(super) fn read_blocks<I: Index>(
    source: &(impl Source + ?Sized),
    block: usize,
    show: impl Fn(Part<'_, I>) + Sync,
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
    let shared = Shared {
        source,
        show: &show,
        dims: &dims,
        findings: Mutex::default(),
        waiting: AtomicUsize::new(0),
        most: 2 * rayon::current_num_threads(),
        buffers: Mutex::default(),
    };
    rayon::scope(|scope| {
        let mut walk =
            Walk { shared: &shared, size, column: 0, entry: 0, offset: 8, starts, rows: &mut rows };
        if let Err(error) = walk.blocks(scope, block) {
            lock(&shared.findings).add(Findings { error: Some(error), ..Findings::default() });
        }
    });
    let findings = std::mem::take(&mut *lock(&shared.findings));
    findings.read(|| {
        let dims = dims.into_iter().map(AtomicU8::into_inner).collect();
        BoundaryMatrix::from_checked(dims, offsets, rows)
    })
}

/// State that all threads share.
struct Shared<'a, S: ?Sized, F> {
    source: &'a S,
    show: &'a F,
    /// The dimensions of columns; those before the block of a thread are complete.
    dims: &'a [AtomicU8],
    findings: Mutex<Findings>,
    /// Number of blocks that wait for a thread or are being processed.
    waiting: AtomicUsize,
    /// Maximum number of blocks that may wait.
    most: usize,
    /// Buffers for reuse.
    buffers: Mutex<Vec<Vec<u8>>>,
}

/// A block that the walk has passed: whole columns.
struct Block<'a, I> {
    bytes: Vec<u8>,
    /// Byte offset in the file.
    offset: u64,
    column: usize,
    entry: usize,
    starts: &'a mut [I],
    rows: &'a mut [I],
}

/// The walk from header to header.
struct Walk<'s, 'a, S: ?Sized, F, I> {
    shared: &'s Shared<'a, S, F>,
    size: MatrixSize,
    column: usize,
    entry: usize,
    /// Byte offset of the column in the file.
    offset: u64,
    /// Starts and rows of the column and of all columns after it.
    starts: &'s mut [I],
    rows: &'s mut [I],
}

/// The progress of the walk in a block.
struct Steps {
    columns: usize,
    entries: usize,
    /// Number of words of the column that the block cuts off.
    next: usize,
    wrong: Option<FormatError>,
}

impl<'a, S: Source + ?Sized, F: Sync> Shared<'a, S, F> {
    /// Reads `count` bytes from `offset` on.
    fn bytes(&self, offset: u64, count: usize) -> Result<Vec<u8>, FormatError> {
        let used = lock(&self.buffers).pop();
        let mut bytes = used.unwrap_or_default();
        bytes.resize(count, 0);
        fill(self.source, offset as usize, &mut bytes)?;
        Ok(bytes)
    }

    /// Checks and stores the rows of a block, and shows them.
    fn store<I: Index>(&self, mut block: Block<I>)
    where
        F: Fn(Part<'_, I>),
    {
        let findings = self.columns(&mut block);
        if findings.error.is_none() {
            (self.show)(Part { first: block.column, starts: block.starts, rows: block.rows });
        }
        if findings.error.is_some() || findings.unsorted > 0 {
            lock(&self.findings).add(findings);
        }
        lock(&self.buffers).push(block.bytes);
    }

    fn columns<I: Index>(&self, block: &mut Block<I>) -> Findings {
        let mut findings = Findings::default();
        let (words, _): (&[Word], _) = block.bytes.as_chunks();
        let mut out = &mut *block.rows;
        let (mut entry, mut at) = (block.entry, 0);
        for (number, start) in (block.column..).zip(block.starts.iter_mut()) {
            *start = I::from_usize(entry);
            let rows = &words[at + 2..][..integer(words[at + 1]) as usize];
            let (column_out, rest) = take(&mut out).split_at_mut(rows.len());
            let place = |k: usize| Place::Byte(block.offset + 8 * (at + 2 + k) as u64);
            let column = Column { number, dim: self.dim(number) };
            match column.read(rows.iter().map(|&row| integer(row)), |row| self.dim(row), place, column_out) {
                Ok(true) => {}
                Ok(false) => findings.unsorted(Unsorted { column: number, place: place(0) }),
                Err(error) => {
                    findings.error = Some(error);
                    break;
                }
            }
            out = rest;
            entry += rows.len();
            at += 2 + rows.len();
        }
        findings
    }

    #[inline]
    fn dim(&self, column: usize) -> Dimension {
        self.dims[column].load(Relaxed)
    }
}

impl<'s, S: Source + ?Sized, F: Fn(Part<'_, I>) + Sync, I: Index> Walk<'s, '_, S, F, I> {
    /// Walks through the file and hands its blocks on, until an error occurs.
    fn blocks(&mut self, scope: &Scope<'s>, size: usize) -> Result<(), FormatError> {
        let mut most = size;
        while self.column < self.size.columns && lock(&self.shared.findings).error.is_none() {
            let columns_left = self.size.columns - self.column;
            let bytes_left = 8 * (2 * columns_left + self.size.entries - self.entry);
            let bytes = self.shared.bytes(self.offset, most.min(bytes_left))?;
            let steps = self.walk(bytes.as_chunks().0);
            // A column that is longer than a block gets a block of its own size.
            most = if steps.columns == 0 { 8 * steps.next } else { size };
            self.hand_on(scope, bytes, &steps);
            if let Some(error) = steps.wrong {
                return Err(error);
            }
        }
        match self.size.entries - self.entry {
            more if more > 0 && self.column == self.size.columns => {
                Err(FormatError::trailing(self.offset, 8 * more as u64))
            }
            _ => Ok(()),
        }
    }

    /// Walks from header to header through `words`, which start with a column.
    fn walk(&self, words: &[Word]) -> Steps {
        let mut left = self.size.entries - self.entry;
        let mut steps = Steps { columns: 0, entries: 0, next: 0, wrong: None };
        let mut at = 0;
        while let Some(dim) = self.shared.dims.get(self.column + steps.columns)
            && let Some(header) = words[at..].first_chunk()
        {
            let (found, count) = match self.header(header, at, left) {
                Ok(header) => header,
                Err(wrong) => {
                    steps.wrong = Some(wrong);
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
            _ => Err(self.wrong_header(dim, count, self.offset + 8 * at as u64, left)),
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

    /// Hands the passed columns to another thread, or processes them here if many blocks wait.
    fn hand_on(&mut self, scope: &Scope<'s>, bytes: Vec<u8>, steps: &Steps) {
        let (starts, later_starts) = take(&mut self.starts).split_at_mut(steps.columns);
        let (rows, later_rows) = take(&mut self.rows).split_at_mut(steps.entries);
        let block =
            Block { bytes, offset: self.offset, column: self.column, entry: self.entry, starts, rows };
        (self.starts, self.rows) = (later_starts, later_rows);
        self.column += steps.columns;
        self.entry += steps.entries;
        self.offset += 8 * (2 * steps.columns + steps.entries) as u64;
        let shared = self.shared;
        if shared.waiting.load(Relaxed) >= shared.most {
            shared.store(block);
            return;
        }
        shared.waiting.fetch_add(1, Relaxed);
        scope.spawn(move |_| {
            shared.store(block);
            shared.waiting.fetch_sub(1, Relaxed);
        });
    }
}

#[inline]
fn integer(word: Word) -> i64 {
    i64::from_le_bytes(word)
}

/// Locks a mutex. Poisoning is ignored, since the panic of a thread is passed on.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
