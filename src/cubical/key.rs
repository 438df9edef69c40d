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

/// How the bits of a voxel become its key. Stages that only compare keep bits and this, and are compiled once for a width, not for a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// An integer without a sign: the bits are the key.
    Unsigned,
    /// An integer with a sign, as its two's complement.
    Signed,
    /// A floating-point number of IEEE 754.
    Float,
}

/// Makes keys of bits, in the order of the filtration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys {
    is_float: bool,
    /// What is exchanged last: the sign, and for superlevel sets all bits.
    mask: u64,
}

impl Keys {
    /// Keys of bits of type `K`; of superlevel sets, greater voxels have lesser keys.
    pub(crate) fn new<K: Key>(coding: Coding, superlevel: bool) -> Self {
        let sign = if coding == Coding::Signed { 1 << (K::BITS - 1) } else { 0 };
        let all = if superlevel { K::MAX.to_u64() } else { 0 };
        Keys { is_float: coding == Coding::Float, mask: sign ^ all }
    }

    /// The key of a voxel, by its bits.
    #[inline(always)]
    pub(crate) fn key<K: Key>(self, bits: K) -> K {
        let bits = if self.is_float { float_key(bits) } else { bits };
        K::from_u64(bits.to_u64() ^ self.mask)
    }
}

/// The key of a floating-point number: negative numbers compare backwards by their bits, and both zeros have one key.
#[inline(always)]
fn float_key<K: Key>(bits: K) -> K {
    let (bits, sign) = (bits.to_u64(), 1_u64 << (K::BITS - 1));
    let bits = if bits == sign { 0 } else { bits };
    K::from_u64(bits ^ if bits & sign == 0 { sign } else { K::MAX.to_u64() })
}
