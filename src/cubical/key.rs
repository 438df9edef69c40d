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
    /// The key in the reversed order, in which greater keys become lesser.
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
                // Callers pass values obtained from `to_u64`.
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

/// Conversion from the bits of a voxel to its key. Stages that only compare voxels take bits and a coding, so they are
/// compiled once per width, not per type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Unsigned integer: the bits are the key.
    Unsigned,
    /// Signed integer in two's complement.
    Signed,
    /// IEEE 754 floating-point number.
    Float,
}

/// Converts bits to keys in filtration order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys {
    is_float: bool,
    /// Bits that are inverted last: the sign of signed integers, and all bits for superlevel sets.
    mask: u64,
}

impl Keys {
    /// Keys of bits of type `K`; for superlevel sets, greater voxels have lesser keys.
    pub(crate) fn new<K: Key>(coding: Coding, superlevel: bool) -> Self {
        let sign = if coding == Coding::Signed { 1 << (K::BITS - 1) } else { 0 };
        let all = if superlevel { K::MAX.to_u64() } else { 0 };
        Keys { is_float: coding == Coding::Float, mask: sign ^ all }
    }

    /// The key of the voxel with these bits.
    #[inline(always)]
    pub(crate) fn key<K: Key>(self, bits: K) -> K {
        let bits = if self.is_float { float_key(bits) } else { bits };
        K::from_u64(bits.to_u64() ^ self.mask)
    }
}

/// The key of a floating-point number. Bits of negative numbers compare in reverse; both zeros have one key.
#[inline(always)]
fn float_key<K: Key>(bits: K) -> K {
    let (bits, sign) = (bits.to_u64(), 1_u64 << (K::BITS - 1));
    let bits = if bits == sign { 0 } else { bits };
    K::from_u64(bits ^ if bits & sign == 0 { sign } else { K::MAX.to_u64() })
}
