//! AVX2 and AVX-512.
//!
//! The only unsafe code outside the CUDA folders. It is sound because of two things: a proof (`Avx2`, `Avx512`) is made
//! only by `detect`, after the processor said that it has the instructions; and every load and store checks its
//! slice's length first.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Kernel, Rank, Simd};

/// Proof that the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        found.then_some(Avx2(()))
    }
}

/// Proof that the processor has all of [`Avx2`], and AVX-512 F and BW.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        (found && Avx2::detect().is_some()).then_some(Avx512(()))
    }
}

/// Sixteen `u16`.
#[derive(Clone, Copy)]
pub(super) struct Avx2U16(pub(super) Avx2);
/// Eight `u32`.
#[derive(Clone, Copy)]
pub(super) struct Avx2U32(pub(super) Avx2);
/// Thirty-two `u16`.
#[derive(Clone, Copy)]
pub(super) struct Avx512U16(pub(super) Avx512);
/// Sixteen `u32`.
#[derive(Clone, Copy)]
pub(super) struct Avx512U32(pub(super) Avx512);

/// Runs a kernel with AVX2 enabled; `simd` proves that it exists.
pub(super) fn run_avx2<R: Rank, S: Simd<R>, K: Kernel<R>>(simd: S, kernel: K) -> K::Output {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn enabled<R: Rank, S: Simd<R>, K: Kernel<R>>(simd: S, kernel: K) -> K::Output {
        kernel.run(simd)
    }
    // SAFETY: `simd` holds an `Avx2`, which exists only where these features were detected.
    unsafe { enabled(simd, kernel) }
}

/// Runs a kernel with AVX-512 enabled; `simd` proves that it exists.
pub(super) fn run_avx512<R: Rank, S: Simd<R>, K: Kernel<R>>(simd: S, kernel: K) -> K::Output {
    #[target_feature(enable = "avx512f,avx512bw,avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn enabled<R: Rank, S: Simd<R>, K: Kernel<R>>(simd: S, kernel: K) -> K::Output {
        kernel.run(simd)
    }
    // SAFETY: `simd` holds an `Avx512`, which exists only where these features were detected.
    unsafe { enabled(simd, kernel) }
}

macro_rules! avx2 {
    ($token:ident, $t:ty, $len:literal, $splat:ident, $max:ident, $min:ident, $eq:ident, $bits:expr) => {
        impl Simd<$t> for $token {
            type V = __m256i;
            type M = __m256i;
            const LEN: usize = $len;

            #[inline(always)]
            fn splat(self, r: $t) -> __m256i {
                // SAFETY: `self` proves AVX2.
                unsafe { $splat(r.cast_signed()) }
            }

            #[inline(always)]
            fn load(self, ranks: &[$t]) -> __m256i {
                let ranks = &ranks[..$len];
                // SAFETY: `self` proves AVX2; the slice is 32 bytes long; the load need not be aligned.
                unsafe { _mm256_loadu_si256(ranks.as_ptr().cast()) }
            }

            #[inline(always)]
            fn store(self, v: __m256i, out: &mut [$t]) {
                let out = &mut out[..$len];
                // SAFETY: `self` proves AVX2; the slice is 32 bytes long; the store need not be aligned.
                unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), v) }
            }

            #[inline(always)]
            fn max(self, a: __m256i, b: __m256i) -> __m256i {
                // SAFETY: `self` proves AVX2.
                unsafe { $max(a, b) }
            }

            #[inline(always)]
            fn min(self, a: __m256i, b: __m256i) -> __m256i {
                // SAFETY: `self` proves AVX2.
                unsafe { $min(a, b) }
            }

            #[inline(always)]
            fn le(self, a: __m256i, b: __m256i) -> __m256i {
                // SAFETY: `self` proves AVX2. (There is no unsigned comparison: a ≤ b iff max(a, b) = b.)
                unsafe { $eq($max(a, b), b) }
            }

            #[inline(always)]
            fn or(self, a: __m256i, b: __m256i) -> __m256i {
                // SAFETY: `self` proves AVX2.
                unsafe { _mm256_or_si256(a, b) }
            }

            #[inline(always)]
            fn bits(self, m: __m256i) -> u32 {
                // SAFETY: `self` proves AVX2 and BMI2.
                unsafe { $bits(m) }
            }

            #[inline(always)]
            fn all(self, m: __m256i) -> bool {
                // SAFETY: `self` proves AVX2.
                unsafe { _mm256_movemask_epi8(m) == -1 }
            }
        }
    };
}

avx2!(Avx2U16, u16, 16, _mm256_set1_epi16, _mm256_max_epu16, _mm256_min_epu16, _mm256_cmpeq_epi16, |m| {
    _pext_u32(_mm256_movemask_epi8(m).cast_unsigned(), 0x5555_5555)
});
avx2!(Avx2U32, u32, 8, _mm256_set1_epi32, _mm256_max_epu32, _mm256_min_epu32, _mm256_cmpeq_epi32, |m| {
    _mm256_movemask_ps(_mm256_castsi256_ps(m)).cast_unsigned()
});

macro_rules! avx512 {
    ($token:ident, $t:ty, $len:literal, $mask:ty, $load:ident, $store:ident, $splat:ident, $max:ident, $min:ident, $le:ident) => {
        impl Simd<$t> for $token {
            type V = __m512i;
            type M = $mask;
            const LEN: usize = $len;

            #[inline(always)]
            fn splat(self, r: $t) -> __m512i {
                // SAFETY: `self` proves AVX-512.
                unsafe { $splat(r.cast_signed()) }
            }

            #[inline(always)]
            fn load(self, ranks: &[$t]) -> __m512i {
                let ranks = &ranks[..$len];
                // SAFETY: `self` proves AVX-512; the slice is 64 bytes long; the load need not be aligned.
                unsafe { $load(ranks.as_ptr().cast()) }
            }

            #[inline(always)]
            fn store(self, v: __m512i, out: &mut [$t]) {
                let out = &mut out[..$len];
                // SAFETY: `self` proves AVX-512; the slice is 64 bytes long; the store need not be aligned.
                unsafe { $store(out.as_mut_ptr().cast(), v) }
            }

            #[inline(always)]
            fn max(self, a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: `self` proves AVX-512.
                unsafe { $max(a, b) }
            }

            #[inline(always)]
            fn min(self, a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: `self` proves AVX-512.
                unsafe { $min(a, b) }
            }

            #[inline(always)]
            fn le(self, a: __m512i, b: __m512i) -> $mask {
                // SAFETY: `self` proves AVX-512.
                unsafe { $le(a, b) }
            }

            #[inline(always)]
            fn or(self, a: $mask, b: $mask) -> $mask {
                a | b
            }

            #[inline(always)]
            fn bits(self, m: $mask) -> u32 {
                u32::from(m)
            }

            #[inline(always)]
            fn all(self, m: $mask) -> bool {
                m == <$mask>::MAX
            }
        }
    };
}

avx512!(
    Avx512U16,
    u16,
    32,
    __mmask32,
    _mm512_loadu_epi16,
    _mm512_storeu_epi16,
    _mm512_set1_epi16,
    _mm512_max_epu16,
    _mm512_min_epu16,
    _mm512_cmple_epu16_mask
);
avx512!(
    Avx512U32,
    u32,
    16,
    __mmask16,
    _mm512_loadu_epi32,
    _mm512_storeu_epi32,
    _mm512_set1_epi32,
    _mm512_max_epu32,
    _mm512_min_epu32,
    _mm512_cmple_epu32_mask
);
