//! Operations on blocks of 64 keys of an image; truth values of the keys are the bits of a word.
//! | level | vectors for 64 keys of 8, 16, 32, 64 bits |
//! |---|---|
//! | AVX-512 (F, BW) | 1, 2, 4, 8 |
//! | AVX2 | 2, 4, 8, 16 |
//! | portable | as the compiler vectorises an array |

use super::{Level, Portable, Set};

/// Number of keys in a block.
pub(crate) const BLOCK: usize = 64;

/// A key type, with its vectors at every level.
pub trait BlocksOf: Sized {
    #[doc(hidden)]
    fn run_blocks<J: BlockKernel<Self>>(level: Level, kernel: J) -> J::Output;
    /// The keys as bytes, if `Self` is `u8`.
    #[doc(hidden)]
    fn bytes(keys: &[Self]) -> Option<&[u8]>;
}

macro_rules! blocks_of {
    ($($key:ty, $bytes:expr;)*) => {$(
        impl BlocksOf for $key {
            #[inline(always)]
            fn bytes(keys: &[Self]) -> Option<&[u8]> {
                let bytes: fn(&[Self]) -> Option<&[u8]> = $bytes;
                bytes(keys)
            }

            fn run_blocks<J: BlockKernel<Self>>(level: Level, kernel: J) -> J::Output {
                match level.0 {
                    #[cfg(target_arch = "x86_64")]
                    Set::Avx512(proof) => super::x86::run_blocks_avx512(proof, kernel),
                    #[cfg(target_arch = "x86_64")]
                    Set::Avx2(proof) => super::x86::run_blocks_avx2(proof, kernel),
                    Set::Portable => kernel.run(Portable),
                }
            }
        }
    )*};
}

blocks_of!(u8, |keys| Some(keys); u16, |_| None; u32, |_| None; u64, |_| None;);

/// Operations on blocks of keys.
pub trait Blocks<K>: Copy {
    /// A block of 64 keys.
    type Block: Copy;
    /// Loads the first 64 of `keys`.
    ///
    /// # Panics
    /// There are fewer than 64 keys.
    fn load(self, keys: &[K]) -> Self::Block;
    /// The minimum of a and b, key by key.
    fn least(self, a: Self::Block, b: Self::Block) -> Self::Block;
    /// The maximum of a and b, key by key.
    fn greatest(self, a: Self::Block, b: Self::Block) -> Self::Block;
    /// Whether a ≤ b, key by key; bit k is for key k.
    fn not_greater(self, a: Self::Block, b: Self::Block) -> u64;
}

/// Operations on 64 bytes.
pub trait Bytes: Copy {
    /// Writes byte + 256 · number for each of the first 64 bytes, in some order. Bit k of `digits[i]` is bit i of the
    /// number of byte k.
    ///
    /// # Panics
    /// There are fewer than 64 bytes.
    fn pair(self, bytes: &[u8], digits: [u64; 4], out: &mut [u16; BLOCK]);
    /// Whether all of the first 64 bytes are in a set, in which byte k holds the members from 8 k on, lowest first.
    ///
    /// # Panics
    /// There are fewer than 64 bytes.
    fn all_in(self, bytes: &[u8], set: &[u8; 32]) -> bool;
}

/// A computation on blocks, to run at the best level of the machine.
pub trait BlockKernel<K> {
    /// The result.
    type Output;
    /// The computation; implementations are `#[inline(always)]`.
    fn run<S: Blocks<K> + Bytes>(self, simd: S) -> Self::Output;
}

impl<K: Copy + Ord> Blocks<K> for Portable {
    type Block = [K; BLOCK];

    #[inline(always)]
    fn load(self, keys: &[K]) -> Self::Block {
        let mut block = [keys[0]; BLOCK];
        block.copy_from_slice(&keys[..BLOCK]);
        block
    }

    #[inline(always)]
    fn least(self, mut a: Self::Block, b: Self::Block) -> Self::Block {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = b.min(*a));
        a
    }

    #[inline(always)]
    fn greatest(self, mut a: Self::Block, b: Self::Block) -> Self::Block {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = b.max(*a));
        a
    }

    #[inline(always)]
    fn not_greater(self, a: Self::Block, b: Self::Block) -> u64 {
        let mut truths = [0; BLOCK];
        truths.iter_mut().zip(a.iter().zip(b)).for_each(|(truth, (&a, b))| *truth = u8::from(a <= b));
        word_of(&truths)
    }
}

/// Packs 64 truth values, bytes of 0 or 1, into a word, the first in the lowest bit.
#[inline(always)]
pub(crate) fn word_of(truths: &[u8; BLOCK]) -> u64 {
    let mut word = 0;
    for (group, eight) in truths.as_chunks::<8>().0.iter().enumerate() {
        // Byte k times bit 56 − 7k lands on bit 56 + k, and no two products overlap.
        let byte = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        word |= byte << (8 * group);
    }
    word
}

impl Bytes for Portable {
    #[inline(always)]
    fn pair(self, bytes: &[u8], digits: [u64; 4], out: &mut [u16; BLOCK]) {
        for (k, (out, &byte)) in out.iter_mut().zip(&bytes[..BLOCK]).enumerate() {
            let number = digits.iter().rev().fold(0, |number, digit| number << 1 | (digit >> k & 1) as u16);
            *out = number << 8 | u16::from(byte);
        }
    }

    #[inline(always)]
    fn all_in(self, bytes: &[u8], set: &[u8; 32]) -> bool {
        bytes[..BLOCK].iter().fold(1, |all, &byte| all & set[usize::from(byte >> 3)] >> (byte & 7)) == 1
    }
}
