//! The integers of a matrix, and their atomic twins.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use phat_formats::Index;

use super::leftmost_ones::Scanner;
use super::reduction::{ReduceError, reduce_here};
use super::{BoundaryMatrix, Pairs, Plan};
use crate::cuda::KernelIndex;

/// An index that can be shared between threads and with devices.
pub trait Row: Index + KernelIndex {
    /// Its atomic twin.
    type Atomic: Atomic<Self>;

    /// Zeros, which cost nothing until they are touched.
    fn zeros(count: usize) -> Vec<Self::Atomic>;

    /// What [`reduce_with`](super::reduce_with) does: all algorithms, compiled here and not once more in each crate that calls it.
    ///
    /// # Errors
    /// As there.
    fn reduce(
        matrix: &BoundaryMatrix<Self>,
        plan: &Plan,
        scanner: &Scanner<Self>,
    ) -> Result<Pairs<Self>, ReduceError>;
}

/// An integer that several threads read and write. Writes publish what was written before them.
pub trait Atomic<I>: Send + Sync + Sized {
    /// Reads (acquire).
    fn load(&self) -> I;
    /// Reads, without regard for what else was written (relaxed).
    fn peek(&self) -> I;
    /// Writes (release).
    fn store(&self, value: I);
    /// Writes, publishing nothing else (relaxed).
    fn put(&self, value: I);
    /// Writes `new` where `current` is.
    ///
    /// # Errors
    /// What is there instead.
    fn exchange(&self, current: I, new: I) -> Result<I, I>;
}

macro_rules! atomic {
    ($integer:ty, $atomic:ty) => {
        impl Row for $integer {
            type Atomic = $atomic;

            fn zeros(count: usize) -> Vec<$atomic> {
                // Collected in place: the zeroed pages stay untouched until they are used.
                vec![0 as $integer; count].into_iter().map(<$atomic>::new).collect()
            }

            fn reduce(
                matrix: &BoundaryMatrix<$integer>,
                plan: &Plan,
                scanner: &Scanner<$integer>,
            ) -> Result<Pairs<$integer>, ReduceError> {
                reduce_here(matrix, plan, scanner)
            }
        }

        impl Atomic<$integer> for $atomic {
            #[inline]
            fn load(&self) -> $integer {
                <$atomic>::load(self, Ordering::Acquire)
            }
            #[inline]
            fn peek(&self) -> $integer {
                <$atomic>::load(self, Ordering::Relaxed)
            }
            #[inline]
            fn store(&self, value: $integer) {
                <$atomic>::store(self, value, Ordering::Release)
            }
            #[inline]
            fn put(&self, value: $integer) {
                <$atomic>::store(self, value, Ordering::Relaxed)
            }
            #[inline]
            fn exchange(&self, current: $integer, new: $integer) -> Result<$integer, $integer> {
                self.compare_exchange(current, new, Ordering::AcqRel, Ordering::Acquire)
            }
        }
    };
}

atomic!(u32, AtomicU32);
atomic!(u64, AtomicU64);

/// Reads the entries of a table that are about to be used, in any order.
///
/// The tables of a large matrix lie in memory, not in cache, and what is done with an entry often depends on it: a
/// branch that is predicted wrongly, or a next address, waits for it. Loads that nothing waits for overlap, some twenty
/// at a time; so whoever knows his next addresses calls this first.
#[inline]
pub(crate) fn touch<I: Row>(table: &[I::Atomic], places: impl Iterator<Item = usize>) {
    let mut sum = 0;
    for place in places {
        sum ^= table[place].peek().to_usize();
    }
    std::hint::black_box(sum);
}
