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

macro_rules! index {
    ($index:ty, $atomic:ty, $most:expr) => {
        impl Index for $index {
            const MOST: usize = $most;

            #[inline]
            fn from_usize(number: usize) -> Self {
                debug_assert!(number as u64 <= u64::from(<$index>::MAX));
                number as $index
            }

            #[inline]
            fn to_usize(self) -> usize {
                self as usize
            }

            type Atomic = $atomic;

            fn as_atomic(numbers: &mut [Self]) -> &[$atomic] {
                let atomics: &mut [$atomic] = zerocopy::transmute_mut!(numbers);
                atomics
            }

            #[inline]
            fn store(place: &$atomic, number: Self) {
                place.store(number, Relaxed);
            }
        }
    };
}

index!(u32, AtomicU32, (u32::MAX >> 1) as usize);
index!(u64, AtomicU64, usize::MAX >> 1);
