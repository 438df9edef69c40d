//! Keys: unsigned integers that are ordered as voxels are.

use std::fmt;

use crate::simd::BlocksOf;

/// Unsigned integers that stand for voxels, ordered as the voxels are: all work compares these.
pub trait Key:
    Copy + Ord + Send + Sync + fmt::Debug + Default + std::hash::Hash + BlocksOf + 'static
{
    /// Bits.
    const BITS: u32;
    /// The greatest.
    const MAX: Self;
    /// Widened.
    fn to_u64(self) -> u64;
    /// The low bits.
    fn from_u64(bits: u64) -> Self;
    /// The key of the opposite order: what is greater becomes less.
    #[must_use]
    fn reversed(self) -> Self;
}

macro_rules! key {
    ($($t:ty),*) => {$(
        impl Key for $t {
            const BITS: u32 = <$t>::BITS;
            const MAX: Self = <$t>::MAX;

            #[inline(always)]
            fn to_u64(self) -> u64 {
                u64::from(self)
            }

            #[inline(always)]
            fn from_u64(bits: u64) -> Self {
                // Callers give what they got from `to_u64`.
                bits as $t
            }

            #[inline(always)]
            fn reversed(self) -> Self {
                !self
            }
        }
    )*};
}

key!(u8, u16, u32, u64);
