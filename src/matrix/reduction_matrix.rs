//! The matrix R of a reduction (R = DV): the columns of the boundary matrix D, some of them changed. Threads share it.

use std::sync::atomic::{AtomicBool, Ordering};

use phat_formats::BoundaryMatrix;

use super::index::{AtomicIndex, SharedIndex};

/// The columns of a matrix as a reduction has left them so far. A column is a slice of ascending rows.
///
/// Any thread may read any column at any time. A column is changed by one thread at a time; a thread that reads it
/// meanwhile sees the whole column from before or from after the change. What a column held before a change stays in memory
/// until the reduction ends.
pub struct ReductionMatrix<'m, I: SharedIndex> {
    boundaries: &'m BoundaryMatrix<I>,
    /// What became of each column: [`ORIGINAL`], [`CLEARED`], or [`CHANGED`] plus its place in `changed`.
    contents: Vec<I::Atomic>,
    changed: boxcar::Vec<Box<[I]>>,
    /// See [`ReductionMatrix::keep_no_longer`].
    is_to_be_kept: AtomicBool,
}

const ORIGINAL: usize = 0;
const CLEARED: usize = 1;
const CHANGED: usize = 2;

impl<'m, I: SharedIndex> ReductionMatrix<'m, I> {
    /// The columns of `boundaries`, none of them changed.
    pub fn new(boundaries: &'m BoundaryMatrix<I>) -> Self {
        ReductionMatrix {
            boundaries,
            contents: I::zeros(boundaries.len()),
            changed: boxcar::Vec::new(),
            is_to_be_kept: AtomicBool::new(true),
        }
    }

    /// The boundary matrix that is being reduced.
    pub fn boundaries(&self) -> &'m BoundaryMatrix<I> {
        self.boundaries
    }

    /// The number of columns.
    pub fn len(&self) -> usize {
        self.boundaries.len()
    }

    /// Whether there are no columns.
    pub fn is_empty(&self) -> bool {
        self.boundaries.is_empty()
    }

    /// The rows of a column, ascending.
    #[inline]
    pub fn column(&self, column: usize) -> &[I] {
        match self.contents[column].load().to_usize() {
            ORIGINAL => self.boundaries.column(column),
            CLEARED => &[],
            place => &self.changed[place - CHANGED],
        }
    }

    /// The greatest row of a column, or `None` for a zero column.
    #[inline]
    pub fn low(&self, column: usize) -> Option<usize> {
        self.column(column).last().map(|row| row.to_usize())
    }

    /// Replaces a column.
    ///
    /// # Panics
    /// After more changes than the index type numbers, which are two thousand million with `u32`: more than fit into memory.
    pub fn set(&self, column: usize, rows: &[I]) {
        let content = if rows.is_empty() { CLEARED } else { CHANGED + self.changed.push(rows.into()) };
        assert!(
            content <= I::MOST,
            "expected at most {} changes of columns, found one more",
            I::MOST - CHANGED
        );
        self.contents[column].store(I::from_usize(content));
    }

    /// Says that from now on rows are left out of some columns and not of others: such columns are no matrix to begin a reduction with.
    pub fn keep_no_longer(&self) {
        self.is_to_be_kept.store(false, Ordering::Release);
    }

    /// Whether a reduction may begin with the columns as they are.
    pub(super) fn is_to_be_kept(&self) -> bool {
        self.is_to_be_kept.load(Ordering::Acquire)
    }

    /// How many changes there have been that left a column not zero. Those that threads are at may not be among them.
    pub(super) fn changes(&self) -> usize {
        self.changed.count()
    }

    /// The columns that are not zero and have changed since there had been so many changes; and a bit for each column of the matrix, set for all that
    /// a change has made zero. Other threads may change columns meanwhile.
    pub(super) fn changed_since(&self, changes: usize) -> (Vec<(usize, &[I])>, Vec<u64>) {
        let (mut changed, mut zeros) = (Vec::new(), vec![0; self.len().div_ceil(64)]);
        for (column, content) in self.contents.iter().enumerate() {
            match content.load().to_usize() {
                ORIGINAL => {}
                CLEARED => zeros[column / 64] |= 1 << (column % 64),
                place if place - CHANGED < changes => {}
                place => changed.push((column, &self.changed[place - CHANGED][..])),
            }
        }
        (changed, zeros)
    }

    /// Makes a column zero.
    #[inline]
    pub fn clear(&self, column: usize) {
        self.contents[column].store(I::from_usize(CLEARED));
    }
}
