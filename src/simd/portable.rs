//! Vectors as plain arrays, for machines without the other levels; they define the meaning of every operation.

use super::{Rank, Simd};

/// The token for plain arrays, which every machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Portable;

const LEN: usize = 8;

impl<R: Rank> Simd<R> for Portable {
    type V = [R; LEN];
    type M = [bool; LEN];
    const LEN: usize = LEN;

    #[inline(always)]
    fn splat(self, r: R) -> Self::V {
        [r; LEN]
    }

    #[inline(always)]
    fn load(self, ranks: &[R]) -> Self::V {
        std::array::from_fn(|lane| ranks[..LEN][lane])
    }

    #[inline(always)]
    fn store(self, v: Self::V, out: &mut [R]) {
        out[..LEN].copy_from_slice(&v);
    }

    #[inline(always)]
    fn max(self, a: Self::V, b: Self::V) -> Self::V {
        std::array::from_fn(|lane| a[lane].max(b[lane]))
    }

    #[inline(always)]
    fn min(self, a: Self::V, b: Self::V) -> Self::V {
        std::array::from_fn(|lane| a[lane].min(b[lane]))
    }

    #[inline(always)]
    fn le(self, a: Self::V, b: Self::V) -> Self::M {
        std::array::from_fn(|lane| a[lane] <= b[lane])
    }

    #[inline(always)]
    fn or(self, a: Self::M, b: Self::M) -> Self::M {
        std::array::from_fn(|lane| a[lane] | b[lane])
    }

    #[inline(always)]
    fn bits(self, m: Self::M) -> u32 {
        m.iter().enumerate().fold(0, |bits, (lane, &set)| bits | u32::from(set) << lane)
    }

    #[inline(always)]
    fn all(self, m: Self::M) -> bool {
        m == [true; LEN]
    }
}
