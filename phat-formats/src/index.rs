//! Integer types for the numbers of columns, rows and entries.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// An unsigned integer type for the numbers of columns, rows and entries of a matrix: `u32` if they fit, otherwise
/// `u64`.
pub trait Index: Copy + Ord + Hash + Debug + Display + Default + Send + Sync + 'static {
    /// Maximum number of columns and of entries. The top bit stays free for the marks of a reduction.
    const MOST: usize;

    /// Converts a number, which must fit.
    fn from_usize(number: usize) -> Self;

    /// Converts the index to a number.
    fn to_usize(self) -> usize;

    /// The atomic integer of the same width.
    type Atomic: Debug + Send + Sync;

    /// Views the numbers as atomic integers while they are borrowed.
    fn as_atomic(numbers: &mut [Self]) -> &[Self::Atomic];

    /// Writes a number with relaxed ordering.
    fn store(place: &Self::Atomic, number: Self);
}

impl Index for u32 {
    const MOST: usize = (u32::MAX >> 1) as usize;

    #[inline]
    fn from_usize(number: usize) -> Self {
        debug_assert!(number <= u32::MAX as usize);
        number as u32
    }

    #[inline]
    fn to_usize(self) -> usize {
        self as usize
    }

    type Atomic = AtomicU32;

    fn as_atomic(numbers: &mut [Self]) -> &[AtomicU32] {
        let atomics: &mut [AtomicU32] = zerocopy::transmute_mut!(numbers);
        atomics
    }

    #[inline]
    fn store(place: &AtomicU32, number: Self) {
        place.store(number, Relaxed);
    }
}

impl Index for u64 {
    const MOST: usize = usize::MAX >> 1;

    #[inline]
    fn from_usize(number: usize) -> Self {
        number as u64
    }

    #[inline]
    fn to_usize(self) -> usize {
        self as usize
    }

    type Atomic = AtomicU64;

    fn as_atomic(numbers: &mut [Self]) -> &[AtomicU64] {
        let atomics: &mut [AtomicU64] = zerocopy::transmute_mut!(numbers);
        atomics
    }

    #[inline]
    fn store(place: &AtomicU64, number: Self) {
        place.store(number, Relaxed);
    }
}
