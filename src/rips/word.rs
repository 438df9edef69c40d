//! Integers that hold a column entry: rank and index packed so that integer order is filtration order.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitXor, Shl, Shr};

use rayon::slice::ParallelSliceMut;
use ruint::aliases::U512;

use crate::parallel;

/// An unsigned integer for packed entries: `u64`, `u128`, or 512 bits for entries that do not fit these.
pub trait Word:
    Copy
    + Default
    + Ord
    + Hash
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    /// The width in bits.
    const BITS: u32;
    /// The number of 64-bit limbs.
    const LIMBS: usize = Self::BITS as usize / 64;
    /// Whether entries of this width are rare. Little code is compiled for them: reduction uses the arithmetic of Z/p
    /// for every p, and sorting uses one thread.
    const IS_RARE: bool = Self::LIMBS > 2;
    /// The number 0.
    const ZERO: Self;

    /// Widens a 32-bit number.
    fn from_u32(x: u32) -> Self;
    /// The low 32 bits.
    fn low_u32(self) -> u32;
    /// The word whose lowest `bits` bits are ones; `bits` < `BITS`.
    fn ones(bits: u32) -> Self;
    /// The number of leading zeros.
    fn leading_zeros(self) -> u32;
    /// Limb `k`, least significant first.
    fn limb(self, k: usize) -> u64;
    /// The word of these limbs.
    fn from_limbs(limb: impl Fn(usize) -> u64) -> Self;
    /// The words given by a list of limbs, [`Word::LIMBS`] per word.
    fn from_limb_list(limbs: Vec<u64>) -> Vec<Self> {
        parallel::table(limbs.len() / Self::LIMBS, |place| {
            Self::from_limbs(|k| limbs[place * Self::LIMBS + k])
        })
    }

    /// A hash of all limbs: multiply and fold, as in wyhash, because keys are structured and the table is
    /// open-addressed.
    #[inline]
    fn hash64(self) -> u64 {
        (0..Self::LIMBS).fold(0x9e37_79b9_7f4a_7c15, |h, k| {
            let product = u128::from(self.limb(k) ^ h) * 0xa076_1d64_78bd_642f;
            (product as u64) ^ ((product >> 64) as u64)
        })
    }
}

macro_rules! word {
    ($t:ty $(, $from_limb_list:item)?) => {
        impl Word for $t {
            $($from_limb_list)?

            const BITS: u32 = <$t>::BITS;
            const ZERO: Self = 0;

            #[inline(always)]
            fn from_u32(x: u32) -> Self {
                x.into()
            }

            #[inline(always)]
            fn low_u32(self) -> u32 {
                self as u32
            }

            #[inline(always)]
            fn ones(bits: u32) -> Self {
                (1 << bits) - 1
            }

            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                <$t>::leading_zeros(self)
            }

            #[inline(always)]
            fn limb(self, k: usize) -> u64 {
                (self >> (64 * k)) as u64
            }

            #[inline]
            fn from_limbs(limb: impl Fn(usize) -> u64) -> Self {
                (0..Self::LIMBS).fold(0, |word, k| word | (<$t>::from(limb(k)) << (64 * k)))
            }
        }
    };
}

word!(
    u64,
    fn from_limb_list(limbs: Vec<u64>) -> Vec<u64> {
        limbs
    }
);
word!(u128);

/// Entries of 512 bits are for simplices with very many vertices.
impl Word for U512 {
    const BITS: u32 = 512;
    const ZERO: Self = U512::ZERO;

    fn from_u32(x: u32) -> Self {
        U512::from(x)
    }

    fn low_u32(self) -> u32 {
        self.as_limbs()[0] as u32
    }

    fn ones(bits: u32) -> Self {
        (U512::from(1) << bits) - U512::from(1)
    }

    fn leading_zeros(self) -> u32 {
        // The number is at most 512.
        U512::leading_zeros(&self) as u32
    }

    fn limb(self, k: usize) -> u64 {
        self.as_limbs()[k]
    }

    fn from_limbs(limb: impl Fn(usize) -> u64) -> Self {
        U512::from_limbs(std::array::from_fn(limb))
    }
}

/// Sorts distinct words, on the threads of the current pool unless the words are rare.
pub(crate) fn sort<W: Word>(words: &mut [W]) {
    if W::IS_RARE { words.sort_unstable() } else { words.par_sort_unstable() }
}

/// Sorts distinct words that consist of a few sorted runs, which a merge sort exploits.
pub(crate) fn sort_runs<W: Word>(words: &mut [W]) {
    if W::IS_RARE { words.sort() } else { words.par_sort() }
}

/// The limbs of a word, least significant first.
pub(crate) fn limbs<W: Word>(word: W) -> impl Iterator<Item = u64> {
    (0..W::LIMBS).map(move |k| word.limb(k))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conforms<W: Word>() {
        let x = (W::from_u32(5) << 40) | W::from_u32(77);
        assert_eq!(x.low_u32(), 77);
        assert_eq!((x >> 40).low_u32(), 5);
        assert_eq!(x.limb(0), (5 << 40) | 77);
        assert_eq!(W::from_u32(1).leading_zeros(), W::BITS - 1);
        assert_eq!(W::ZERO.leading_zeros(), W::BITS);
        assert_eq!(W::ones(50) ^ W::ones(50), W::ZERO);
        assert_eq!(W::ones(W::BITS - 1).leading_zeros(), 1);
        assert!((W::from_u32(1) << (W::BITS - 1)) > W::ones(W::BITS - 1));
        assert_ne!(x.hash64(), (x ^ W::from_u32(1)).hash64());
        assert_eq!(W::from_limbs(|k| x.limb(k)), x);
        assert_eq!(W::LIMBS * 64, W::BITS as usize);
        let ascending: Vec<W> = (0..100).map(|k| W::from_u32(k) << 30).collect();
        let mut words: Vec<W> = (0..100).map(|k| ascending[k * 37 % 100]).collect();
        sort(&mut words);
        assert_eq!(words, ascending);
        words.rotate_left(30);
        sort_runs(&mut words);
        assert_eq!(words, ascending);
    }

    #[test]
    fn all_words_conform() {
        conforms::<u64>();
        conforms::<u128>();
        conforms::<U512>();
    }
}
