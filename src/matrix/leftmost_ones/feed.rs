//! Passes the columns of a matrix to a device while its file is read.
//!
//! Opening a device takes longer than reading most files. So the reader does not wait for the device: columns that
//! are read before it is open, or while it is busy with others, are passed later, from the finished matrix.

use std::ops::Range;
use std::sync::{Mutex, OnceLock};

use phat_formats::{BoundaryMatrix, MatrixSize, Part};

use super::cuda::{Prepared, Scanned, Scanning};
use super::estimate::estimate;
use crate::backend::{Backend, guarded};
use crate::cuda::{CudaError, Gpu};
use crate::matrix::index::SharedIndex;
use crate::matrix::read::ReadObserver;

/// The part of a matrix that has been passed to a device.
pub struct Feed<I: SharedIndex> {
    state: Mutex<State<I>>,
}

enum State<I: SharedIndex> {
    Nothing,
    Some {
        scanning: Box<Scanning<I>>,
        /// The columns that have been passed.
        fed: Vec<Range<usize>>,
    },
    /// The device failed. It will fail again when it is used next, and that error is reported.
    Failed,
}

impl<I: SharedIndex> Default for Feed<I> {
    /// No columns have been passed yet.
    fn default() -> Self {
        Feed { state: Mutex::new(State::Nothing) }
    }
}

impl<I: SharedIndex> Feed<I> {
    /// Passes some columns of a matrix of size `size` to the device, unless there is none or it is busy.
    pub(super) fn show(&self, device: impl FnOnce() -> Option<Gpu>, size: MatrixSize, part: &Part<'_, I>) {
        let Ok(mut state) = self.state.try_lock() else { return };
        if matches!(*state, State::Nothing) {
            let Some(gpu) = device() else { return };
            *state = match guarded(|| Prepared::new(&gpu).and_then(|prepared| prepared.begin(size))) {
                Ok(scanning) => State::Some { scanning: Box::new(scanning), fed: Vec::new() },
                Err(_) => State::Failed,
            };
        }
        if let State::Some { scanning, fed } = &mut *state {
            match guarded(|| scanning.feed(part)) {
                Ok(()) => fed.push(part.columns()),
                Err(_) => *state = State::Failed,
            }
        }
    }

    /// Whether any columns have been passed.
    #[cfg(test)]
    pub(super) fn is_begun(&self) -> bool {
        matches!(*self.state.lock().expect("no thread panicked"), State::Some { .. })
    }

    /// Passes the rest of the matrix. Returns `None` if no columns were passed before, or if the device failed then.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn finish(self, matrix: &BoundaryMatrix<I>) -> Result<Option<Scanned<I>>, CudaError> {
        // A panic leaves the state valid: columns are recorded after they have been passed.
        let state = self.state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let State::Some { mut scanning, fed } = state else { return Ok(None) };
        guarded(|| {
            for columns in gaps(fed, matrix.len()) {
                scanning.feed(&matrix.part(columns))?;
            }
            scanning.finish().map(Some)
        })
    }
}

/// The parts of `0..n` that are not covered by `ranges`, which do not overlap.
fn gaps(mut ranges: Vec<Range<usize>>, n: usize) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let ends = std::iter::once(0).chain(ranges.iter().map(|range| range.end));
    let starts = ranges.iter().map(|range| range.start).chain([n]);
    ends.zip(starts).map(|(end, start)| end..start).filter(|gap| !gap.is_empty()).collect()
}

/// Feeds for a matrix whose index width is not known yet.
pub struct Feeds<'b> {
    backend: &'b Backend,
    /// Whether a scan of the matrix is of any use.
    is_wanted: bool,
    size: OnceLock<MatrixSize>,
    /// The feed for rows of 32 bits.
    pub narrow: Feed<u32>,
    /// The feed for rows of 64 bits.
    pub wide: Feed<u64>,
}

impl<'b> Feeds<'b> {
    /// Creates feeds for the first device of a backend. `is_wanted` says whether a scan is of any use.
    pub fn new(backend: &'b Backend, is_wanted: bool) -> Self {
        Feeds { backend, is_wanted, size: OnceLock::new(), narrow: Feed::default(), wide: Feed::default() }
    }

    fn show<I: SharedIndex>(&self, feed: &Feed<I>, part: &Part<'_, I>) {
        if let Some(&size) = self.size.get().filter(|_| self.is_wanted) {
            feed.show(|| self.backend.ready(), size, part);
        }
    }
}

impl ReadObserver for Feeds<'_> {
    fn begin<I: SharedIndex>(&self, size: MatrixSize) {
        if self.is_wanted && self.size.set(size).is_ok() {
            self.backend.expect(&estimate::<I>(size));
        }
    }

    fn narrow(&self, part: &Part<'_, u32>) {
        self.show(&self.narrow, part);
    }

    fn wide(&self, part: &Part<'_, u64>) {
        self.show(&self.wide, part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_ranges_are_all() {
        let left = |ranges: &[(usize, usize)], n| {
            let ranges = ranges.iter().map(|&(start, end)| start..end).collect();
            gaps(ranges, n).iter().map(|gap| (gap.start, gap.end)).collect::<Vec<_>>()
        };
        assert_eq!(left(&[], 5), [(0, 5)]);
        assert_eq!(left(&[(3, 5), (0, 1)], 5), [(1, 3)]);
        assert_eq!(left(&[(2, 4), (1, 2), (2, 2)], 6), [(0, 1), (4, 6)]);
        assert!(left(&[(2, 4), (0, 2)], 4).is_empty() && left(&[], 0).is_empty());
    }

    #[test]
    fn without_a_device_nothing_is_given() {
        let mut matrix = BoundaryMatrix::<u32>::new();
        (0..3).for_each(|_| matrix.push(0, &[]).unwrap());
        let feed = Feed::default();
        feed.show(|| None, MatrixSize { columns: 3, entries: 0 }, &matrix.part(0..3));
        assert!(feed.finish(&matrix).unwrap().is_none());
    }
}
