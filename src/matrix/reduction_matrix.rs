//! The matrix R of a reduction (R = DV), shared by threads: the columns of the boundary matrix D, some of them
//! changed.

use std::sync::atomic::{AtomicBool, Ordering};

use phat_formats::BoundaryMatrix;

use super::index::{AtomicIndex, SharedIndex};

/// The current columns of a matrix under reduction. A column is a slice of ascending rows.
///
/// Any thread may read any column at any time. A column is changed by one thread at a time; a concurrent reader sees
/// the whole column from before or from after the change. Earlier versions of a column stay in memory until the
/// reduction ends.
pub struct ReductionMatrix<'m, I: SharedIndex> {
    boundaries: &'m BoundaryMatrix<I>,
    /// State of each column: [`ORIGINAL`], [`CLEARED`], or [`CHANGED`] plus its place in `changed`.
    contents: Vec<I::Atomic>,
    changed: boxcar::Vec<Box<[I]>>,
    /// Whether a checkpoint may hold the columns, see [`ReductionMatrix::keep_no_longer`].
    is_to_be_kept: AtomicBool,
}

const ORIGINAL: usize = 0;
const CLEARED: usize = 1;
const CHANGED: usize = 2;

impl<'m, I: SharedIndex> ReductionMatrix<'m, I> {
    /// Creates R = D: no column of `boundaries` is changed yet.
    pub fn new(boundaries: &'m BoundaryMatrix<I>) -> Self {
        ReductionMatrix {
            boundaries,
            contents: I::zeros(boundaries.len()),
            changed: boxcar::Vec::new(),
            is_to_be_kept: AtomicBool::new(true),
        }
    }

    /// The boundary matrix D.
    pub fn boundaries(&self) -> &'m BoundaryMatrix<I> {
        self.boundaries
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.boundaries.len()
    }

    /// Whether the matrix has no columns.
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

    /// The low (greatest row) of a column, or `None` for a zero column.
    #[inline]
    pub fn low(&self, column: usize) -> Option<usize> {
        self.column(column).last().map(|row| row.to_usize())
    }

    /// Replaces a column.
    ///
    /// # Panics
    /// After more changes than the index type can number: more than two thousand million with `u32`, more than fit
    /// into memory.
    pub fn set(&self, column: usize, rows: &[I]) {
        let content = if rows.is_empty() { CLEARED } else { CHANGED + self.changed.push(rows.into()) };
        assert!(
            content <= I::MOST,
            "expected at most {} changes of columns, found one more",
            I::MOST - CHANGED
        );
        self.contents[column].store(I::from_usize(content));
    }

    /// Excludes the columns from checkpoints, because from now on rows are left out of some columns and not of
    /// others, so that no reduction can start from them.
    pub fn keep_no_longer(&self) {
        self.is_to_be_kept.store(false, Ordering::Release);
    }

    /// Whether a reduction can start from the current columns, so that a checkpoint may hold them.
    pub(super) fn is_to_be_kept(&self) -> bool {
        self.is_to_be_kept.load(Ordering::Acquire)
    }

    /// Number of changes so far that left a column non-zero. A change that another thread is just making may not be
    /// counted.
    pub(super) fn changes(&self) -> usize {
        self.changed.count()
    }

    /// Returns the non-zero columns that changed after the first `changes` changes, and the numbers of all columns
    /// that a change has made zero, in ascending order. Other threads may change columns meanwhile.
    pub(super) fn changed_since(&self, changes: usize) -> (Vec<(usize, &[I])>, Vec<usize>) {
        let (mut changed, mut zeros) = (Vec::new(), Vec::new());
        for (column, content) in self.contents.iter().enumerate() {
            match content.load().to_usize() {
                ORIGINAL => {}
                CLEARED => zeros.push(column),
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
