//! Integer types for the cell numbers of a matrix that several threads and a device share.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use phat_formats::Index;

use crate::cuda::KernelIndex;

/// An integer type for cell numbers, `u32` or `u64`, with an atomic counterpart and device kernels.
pub trait SharedIndex: Index<Atomic: AtomicIndex<Self>> + KernelIndex {
    /// Returns a table of `count` zeros. Its memory is not touched until the table is used.
    fn zeros(count: usize) -> Vec<Self::Atomic>;
}

/// An atomic integer.
pub trait AtomicIndex<I>: Send + Sync + Sized {
    /// Reads with acquire ordering: what was written before the matching [`store`](Self::store) is visible afterwards.
    fn load(&self) -> I;
    /// Reads with relaxed ordering.
    fn peek(&self) -> I;
    /// Writes with release ordering.
    fn store(&self, value: I);
    /// Writes with relaxed ordering.
    fn put(&self, value: I);
    /// Writes `new` if the value is `current`, which is then returned. Success acquires and releases, failure
    /// acquires.
    ///
    /// # Errors
    /// Returns the value that was found instead of `current`.
    fn exchange(&self, current: I, new: I) -> Result<I, I>;
}

macro_rules! shared_index {
    ($integer:ty, $atomic:ty) => {
        impl SharedIndex for $integer {
            fn zeros(count: usize) -> Vec<$atomic> {
                // The conversion happens in place, so zeroed pages stay untouched until they are used.
                vec![0 as $integer; count].into_iter().map(<$atomic>::new).collect()
            }
        }

        impl AtomicIndex<$integer> for $atomic {
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

shared_index!(u32, AtomicU32);
shared_index!(u64, AtomicU64);

/// Evaluates an expression on the variant of either index width.
macro_rules! of_either {
    ($any:ident, $own:expr, $it:pat => $body:expr) => {
        match $own {
            $any::Narrow($it) => $body,
            $any::Wide($it) => $body,
        }
    };
}
pub(crate) use of_either;
