//! The only interface to vector instructions; it is safe.
//!
//! A sweep is written once, generically, as a [`Kernel`]; [`Level::run`] instantiates it for the instruction set of
//! the machine. A token of a type that implements [`Simd`] proves that its instructions exist: only [`Level::detect`]
//! creates tokens, so their methods are safe. All methods, and everything a kernel calls in its inner loops, must be
//! `#[inline(always)]`: only then are they compiled inside the function that enables the instructions.
//!
//! | level | lanes of `u16` | lanes of `u32` |
//! |---|---|---|
//! | AVX-512 (F, BW) | 32 | 16 |
//! | AVX2 | 16 | 8 |
//! | portable (plain arrays, as the compiler vectorises them) | 8 | 8 |

mod blocks;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::cell::Cell;

use zerocopy::FromZeros;

use crate::memory::{self, Refused};
use crate::parallel::pieces_mut;

pub(crate) use blocks::{BLOCK, BlockKernel, Blocks, BlocksOf, Bytes, word_of};
pub(crate) use portable::Portable;

/// A stored rank: `u16` or `u32`. `MAX` stands for "longer than the threshold".
pub trait Rank: Copy + Ord + Default + FromZeros + Send + Sync + std::fmt::Debug + 'static {
    /// The value of an absent edge, and of the diagonal.
    const MAX: Self;
    /// The greatest rank that does not stand for an absent edge, widened.
    const GREATEST: u32;
    /// Zeros, followed by `MAX` in the second half: the maximum with a part of it masks the last, partial vector of a
    /// row.
    const TAIL: [Self; 2 * MAX_LANES];
    /// Narrows a rank that is known to fit; `u32::MAX` becomes `MAX`.
    fn narrow(rank: u32) -> Self;
    /// Widens a rank; `MAX` becomes `u32::MAX`.
    fn widen(self) -> u32;
    /// Narrows ranks that are known to fit, in place if they have the width already.
    ///
    /// # Errors
    /// There is not enough memory.
    fn narrowed(ranks: Vec<u32>) -> Result<Vec<Self>, Refused>;
    /// Runs a kernel with the instructions of a level.
    #[doc(hidden)]
    fn run<K: Kernel<Self>>(level: Level, kernel: K) -> K::Output;
}

macro_rules! rank {
    ($t:ty, $narrowed:expr) => {
        impl Rank for $t {
            const MAX: Self = <$t>::MAX;
            const GREATEST: u32 = <$t>::MAX as u32 - 1;
            const TAIL: [Self; 2 * MAX_LANES] = {
                let mut tail = [0; 2 * MAX_LANES];
                let mut k = MAX_LANES;
                while k < 2 * MAX_LANES {
                    tail[k] = <$t>::MAX;
                    k += 1;
                }
                tail
            };

            #[inline(always)]
            fn narrow(rank: u32) -> Self {
                // Ranks are checked against the width when it is chosen; only the value of an absent edge saturates.
                rank.min(<$t>::MAX as u32) as $t
            }

            #[inline(always)]
            fn widen(self) -> u32 {
                if self == <$t>::MAX { u32::MAX } else { self as u32 }
            }

            fn narrowed(ranks: Vec<u32>) -> Result<Vec<Self>, Refused> {
                let narrowed: fn(Vec<u32>) -> Result<Vec<Self>, Refused> = $narrowed;
                narrowed(ranks)
            }

            fn run<K: Kernel<Self>>(level: Level, kernel: K) -> K::Output {
                match level.0 {
                    #[cfg(target_arch = "x86_64")]
                    Set::Avx512(proof) => x86::run_avx512(proof, kernel),
                    #[cfg(target_arch = "x86_64")]
                    Set::Avx2(proof) => x86::run_avx2(proof, kernel),
                    Set::Portable => kernel.run(Portable),
                }
            }
        }
    };
}

rank!(u16, |ranks| {
    const CHUNK: usize = 1 << 16;
    let mut narrow = memory::zeroed(ranks.len())?;
    pieces_mut(&mut narrow, CHUNK, &|piece, narrow: &mut [u16]| {
        let ranks = &ranks[piece * CHUNK..];
        narrow.iter_mut().zip(ranks).for_each(|(out, &rank)| *out = u16::narrow(rank));
    });
    Ok(narrow)
});
rank!(u32, Ok);

/// Vector operations on ranks of type `R`.
pub trait Simd<R>: Copy {
    /// A vector of `LEN` ranks.
    type V: Copy;
    /// A truth value for each lane.
    type M: Copy;
    /// Number of lanes.
    const LEN: usize;

    /// A vector with `r` in every lane.
    fn splat(self, r: R) -> Self::V;
    /// Loads the first `LEN` of `ranks`.
    ///
    /// # Panics
    /// `ranks` has fewer than `LEN` elements.
    fn load(self, ranks: &[R]) -> Self::V;
    /// Writes the lanes to the first `LEN` places of `out`.
    ///
    /// # Panics
    /// `out` has fewer than `LEN` elements.
    fn store(self, v: Self::V, out: &mut [R]);
    /// The maximum of a and b, lane by lane.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// The minimum of a and b, lane by lane.
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// Whether a ≤ b, lane by lane.
    fn le(self, a: Self::V, b: Self::V) -> Self::M;
    /// Whether a or b is true, lane by lane.
    fn or(self, a: Self::M, b: Self::M) -> Self::M;
    /// The truth values as bits, lane 0 lowest.
    fn bits(self, m: Self::M) -> u32;
    /// Whether every lane is true.
    fn all(self, m: Self::M) -> bool;
}

/// A computation to run at the best level of the machine.
pub trait Kernel<R> {
    /// What the computation returns.
    type Output;
    /// The computation; implementations are `#[inline(always)]`.
    fn run<S: Simd<R>>(self, simd: S) -> Self::Output;
}

/// An instruction set of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level(Set);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    Portable,
}

thread_local! {
    /// The level that [`Level::bind_thread`] set for this thread.
    static BOUND: Cell<Option<Level>> = const { Cell::new(None) };
}

impl Level {
    /// The best level of this machine, or the one that this thread is bound to.
    pub fn detect() -> Level {
        BOUND.get().or_else(|| Level::all().next()).unwrap_or(Level(Set::Portable))
    }

    /// Makes [`Level::detect`] return this level on the current thread from now on, so that tests and measurements
    /// reach every level of a machine. A computation in a thread pool is bound by the threads of the pool.
    pub fn bind_thread(self) {
        BOUND.set(Some(self));
    }

    /// All levels of this machine, best first.
    fn all() -> impl Iterator<Item = Level> {
        #[cfg(target_arch = "x86_64")]
        let wide = [x86::Avx512::detect().map(Set::Avx512), x86::Avx2::detect().map(Set::Avx2)];
        #[cfg(not(target_arch = "x86_64"))]
        let wide: [Option<Set>; 0] = [];
        wide.into_iter().flatten().chain([Set::Portable]).map(Level)
    }

    /// All levels of this machine, best first.
    pub fn available() -> Vec<Level> {
        Level::all().collect()
    }

    /// The name of the instruction set.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512(_) => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2(_) => "AVX2",
            Set::Portable => "portable",
        }
    }

    /// Runs the kernel with this level's instructions.
    #[inline]
    pub fn run<R: Rank, K: Kernel<R>>(self, kernel: K) -> K::Output {
        R::run(self, kernel)
    }

    /// Runs the kernel on blocks with this level's instructions.
    #[inline]
    pub fn run_blocks<K: BlocksOf, J: BlockKernel<K>>(self, kernel: J) -> J::Output {
        K::run_blocks(self, kernel)
    }
}

/// Starts to load an element into the caches, on machines of x86-64. Elsewhere it does nothing.
#[inline(always)]
pub(crate) fn prefetch<T>(elements: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(elements.as_ptr().wrapping_add(at));
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (elements, at);
}

/// Number of lanes of the widest vector of the narrowest rank. Rows of ranks are padded to a multiple of it, so that
/// a load at any multiple of any level's lanes stays inside the row.
pub(crate) const MAX_LANES: usize = 32;

#[cfg(test)]
mod tests;
