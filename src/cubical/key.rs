//! Keys: unsigned integers that are ordered as the voxels are.

use std::fmt;

use crate::simd::BlocksOf;

/// Unsigned integers that represent voxels and are ordered as the voxels are. All stages compare keys, not voxels.
pub trait Key:
    Copy + Ord + Send + Sync + fmt::Debug + Default + std::hash::Hash + BlocksOf + 'static
{
    /// Number of bits.
    const BITS: u32;
    /// The greatest key.
    const MAX: Self;
    /// Converts the key to 64 bits.
    fn to_u64(self) -> u64;
    /// The key that the low bits of a word represent.
    fn from_u64(bits: u64) -> Self;
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
                // The low bits are the key.
                bits as $t
            }
        }
    )*};
}

key!(u8, u16, u32, u64);

/// Conversion from the bits of a voxel to its key. Stages that only compare voxels take bits and the
/// coding, so they are compiled once per width, not per type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Unsigned integer: the bits are the key.
    Unsigned,
    /// Signed integer in two's complement.
    Signed,
    /// IEEE 754 floating-point number.
    Float,
}
