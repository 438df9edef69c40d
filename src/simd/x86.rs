//! Vectors of AVX2 and AVX-512.
//!
//! This is the only unsafe code of the computation outside the CUDA folders. It is sound for two reasons: a proof
//! (`Avx2`, `Avx512`) is created only by `detect`, after the processor reported the instructions; and every load and
//! store first checks the length of its slice. A prefetch needs neither.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{BLOCK, BlockKernel, Blocks, Bytes, Kernel, Simd};

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

/// Runs a kernel with instructions enabled; `proof` proves that they exist.
macro_rules! run {
    ($($run:ident: $kernel:ident, $simd:ident, $proof:ident, $features:literal;)*) => {$(
        pub(super) fn $run<K, J: $kernel<K>>(proof: $proof, kernel: J) -> J::Output
        where
            $proof: $simd<K>,
        {
            #[target_feature(enable = $features)]
            fn enabled<K, J: $kernel<K>>(proof: $proof, kernel: J) -> J::Output
            where
                $proof: $simd<K>,
            {
                kernel.run(proof)
            }
            // SAFETY: a proof exists only where these features were detected.
            unsafe { enabled(proof, kernel) }
        }
    )*};
}

run! {
    run_avx2: Kernel, Simd, Avx2, "avx2,bmi1,bmi2,lzcnt,popcnt";
    run_avx512: Kernel, Simd, Avx512, "avx512f,avx512bw,avx2,bmi1,bmi2,lzcnt,popcnt";
    run_blocks_avx2: BlockKernel, Blocks, Avx2, "avx2,bmi1,bmi2,lzcnt,popcnt";
    run_blocks_avx512: BlockKernel, Blocks, Avx512, "avx512f,avx512bw,avx2,bmi1,bmi2,lzcnt,popcnt";
}

/// Implements [`Simd`] by intrinsics, which are named in the order of the methods.
macro_rules! lanes {
    (
        $proof:ident, $rank:ty, $len:literal, $vector:ty, $mask:ty,
        $splat:ident, $load:ident, $store:ident, $max:ident, $min:ident,
        $le:expr, $or:expr, $bits:expr, $all:expr
    ) => {
        impl Simd<$rank> for $proof {
            type V = $vector;
            type M = $mask;
            const LEN: usize = $len;

            #[inline(always)]
            fn splat(self, r: $rank) -> $vector {
                // SAFETY: `self` proves the instruction.
                unsafe { $splat(r.cast_signed()) }
            }

            #[inline(always)]
            fn load(self, ranks: &[$rank]) -> $vector {
                let ranks = &ranks[..$len];
                // SAFETY: `self` proves the instruction; the slice is as long as a vector, and need not be aligned.
                unsafe { $load(ranks.as_ptr().cast()) }
            }

            #[inline(always)]
            fn store(self, v: $vector, out: &mut [$rank]) {
                let out = &mut out[..$len];
                // SAFETY: `self` proves the instruction; the slice is as long as a vector; the store need not be
                // aligned.
                unsafe { $store(out.as_mut_ptr().cast(), v) }
            }

            #[inline(always)]
            fn max(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the instruction.
                unsafe { $max(a, b) }
            }

            #[inline(always)]
            fn min(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `self` proves the instruction.
                unsafe { $min(a, b) }
            }

            #[inline(always)]
            fn le(self, a: $vector, b: $vector) -> $mask {
                // SAFETY: `self` proves the instructions.
                unsafe { $le(a, b) }
            }

            #[inline(always)]
            fn or(self, a: $mask, b: $mask) -> $mask {
                // SAFETY: `self` proves the instruction.
                #[allow(unused_unsafe, reason = "masks of AVX-512 are integers")]
                unsafe {
                    $or(a, b)
                }
            }

            #[inline(always)]
            fn bits(self, m: $mask) -> u32 {
                // SAFETY: `self` proves the instructions.
                #[allow(unused_unsafe, reason = "masks of AVX-512 are integers")]
                unsafe {
                    $bits(m)
                }
            }

            #[inline(always)]
            fn all(self, m: $mask) -> bool {
                // SAFETY: `self` proves the instruction.
                #[allow(unused_unsafe, reason = "masks of AVX-512 are integers")]
                unsafe {
                    $all(m)
                }
            }
        }
    };
}

// AVX2 has no comparison of unsigned numbers: a ≤ b iff max(a, b) = b.
lanes! {
    Avx2, u16, 16, __m256i, __m256i,
    _mm256_set1_epi16, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_max_epu16, _mm256_min_epu16,
    |a, b| _mm256_cmpeq_epi16(_mm256_max_epu16(a, b), b),
    _mm256_or_si256,
    |m| _pext_u32(_mm256_movemask_epi8(m).cast_unsigned(), 0x5555_5555),
    |m| _mm256_movemask_epi8(m) == -1
}
lanes! {
    Avx2, u32, 8, __m256i, __m256i,
    _mm256_set1_epi32, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_max_epu32, _mm256_min_epu32,
    |a, b| _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), b),
    _mm256_or_si256,
    |m| _mm256_movemask_ps(_mm256_castsi256_ps(m)).cast_unsigned(),
    |m| _mm256_movemask_epi8(m) == -1
}
lanes! {
    Avx512, u16, 32, __m512i, __mmask32,
    _mm512_set1_epi16, _mm512_loadu_epi16, _mm512_storeu_epi16, _mm512_max_epu16, _mm512_min_epu16,
    _mm512_cmple_epu16_mask, |a, b| a | b, u32::from, |m| m == __mmask32::MAX
}
lanes! {
    Avx512, u32, 16, __m512i, __mmask16,
    _mm512_set1_epi32, _mm512_loadu_epi32, _mm512_storeu_epi32, _mm512_max_epu32, _mm512_min_epu32,
    _mm512_cmple_epu32_mask, |a, b| a | b, u32::from, |m| m == __mmask16::MAX
}

/// Implements [`Blocks`] by vectors of a number of bits and the intrinsics for each key type.
macro_rules! blocks {
    (
        $proof:ident, $vector:ty, $bits:literal, $load:ident;
        $($key:ty: $least:expr, $greatest:expr, $not_greater:expr;)*
    ) => {$(
        impl Blocks<$key> for $proof {
            type Block = [$vector; BLOCK * <$key>::BITS as usize / $bits];

            #[inline(always)]
            fn load(self, keys: &[$key]) -> Self::Block {
                const LANES: usize = $bits / <$key>::BITS as usize;
                let keys = &keys[..BLOCK];
                // SAFETY: `self` proves the instruction; each slice is as long as a vector; loads need not be aligned.
                let load = |from: usize| unsafe { $load(keys[from..from + LANES].as_ptr().cast()) };
                let mut block = [load(0); BLOCK / LANES];
                for (k, vector) in block.iter_mut().enumerate() {
                    *vector = load(LANES * k);
                }
                block
            }

            #[inline(always)]
            fn least(self, mut a: Self::Block, b: Self::Block) -> Self::Block {
                for k in 0..a.len() {
                    // SAFETY: `self` proves the instructions.
                    a[k] = unsafe { $least(a[k], b[k]) };
                }
                a
            }

            #[inline(always)]
            fn greatest(self, mut a: Self::Block, b: Self::Block) -> Self::Block {
                for k in 0..a.len() {
                    // SAFETY: `self` proves the instructions.
                    a[k] = unsafe { $greatest(a[k], b[k]) };
                }
                a
            }

            #[inline(always)]
            fn not_greater(self, a: Self::Block, b: Self::Block) -> u64 {
                const LANES: usize = $bits / <$key>::BITS as usize;
                let mut bits = 0;
                for k in 0..a.len() {
                    // SAFETY: `self` proves the instructions.
                    let lanes = unsafe { $not_greater(a[k], b[k]) };
                    bits |= u64::from(lanes) << (LANES * k);
                }
                bits
            }
        }
    )*};
}

blocks! {
    Avx512, __m512i, 512, _mm512_loadu_si512;
    u8: _mm512_min_epu8, _mm512_max_epu8, _mm512_cmple_epu8_mask;
    u16: _mm512_min_epu16, _mm512_max_epu16, _mm512_cmple_epu16_mask;
    u32: _mm512_min_epu32, _mm512_max_epu32, _mm512_cmple_epu32_mask;
    u64: _mm512_min_epu64, _mm512_max_epu64, _mm512_cmple_epu64_mask;
}

blocks! {
    Avx2, __m256i, 256, _mm256_loadu_si256;
    u8: _mm256_min_epu8, _mm256_max_epu8,
        |a, b| _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(a, b), b)).cast_unsigned();
    u16: _mm256_min_epu16, _mm256_max_epu16, |a, b| {
        let equal = _mm256_cmpeq_epi16(_mm256_max_epu16(a, b), b);
        _pext_u32(_mm256_movemask_epi8(equal).cast_unsigned(), 0x5555_5555)
    };
    u32: _mm256_min_epu32, _mm256_max_epu32, |a, b| {
        let equal = _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), b);
        _mm256_movemask_ps(_mm256_castsi256_ps(equal)).cast_unsigned()
    };
    u64: |a, b| _mm256_blendv_epi8(a, b, greater_u64(a, b)),
        |a, b| _mm256_blendv_epi8(b, a, greater_u64(a, b)),
        |a, b| !_mm256_movemask_pd(_mm256_castsi256_pd(greater_u64(a, b))).cast_unsigned() & 15;
}

/// Whether a > b, lane by lane, for unsigned lanes: 2^(bits − 1) is subtracted from both for a signed comparison.
#[inline]
#[target_feature(enable = "avx2")]
fn greater_u64(a: __m256i, b: __m256i) -> __m256i {
    let middle = _mm256_set1_epi64x(i64::MIN);
    _mm256_cmpgt_epi64(_mm256_xor_si256(a, middle), _mm256_xor_si256(b, middle))
}

/// A table of 16 bytes whose byte k mod 8 has bit k mod 8 set: the bit of member 8 n + k within byte n of a set.
const BIT_IN_BYTE: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// For each of 32 bytes, the byte of a 32-bit mask that holds its bit.
const BYTE_OF_LANE: [u8; 32] = {
    let mut bytes = [0; 32];
    let mut lane = 0;
    while lane < 32 {
        bytes[lane] = (lane / 8) as u8;
        lane += 1;
    }
    bytes
};

impl Bytes for Avx512 {
    #[inline(always)]
    fn pair(self, bytes: &[u8], digits: [u64; 4], out: &mut [u16; BLOCK]) {
        let bytes = &bytes[..BLOCK];
        // SAFETY: `self` proves AVX-512; `bytes` are 64 and `out` 128 bytes long; neither need be aligned.
        unsafe {
            let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
            let mut numbers = _mm512_maskz_set1_epi8(digits[0], 1);
            numbers = _mm512_or_si512(numbers, _mm512_maskz_set1_epi8(digits[1], 2));
            numbers = _mm512_or_si512(numbers, _mm512_maskz_set1_epi8(digits[2], 4));
            numbers = _mm512_or_si512(numbers, _mm512_maskz_set1_epi8(digits[3], 8));
            let (low, high) = out.split_at_mut(BLOCK / 2);
            _mm512_storeu_si512(low.as_mut_ptr().cast(), _mm512_unpacklo_epi8(bytes, numbers));
            _mm512_storeu_si512(high.as_mut_ptr().cast(), _mm512_unpackhi_epi8(bytes, numbers));
        }
    }

    #[inline(always)]
    fn all_in(self, bytes: &[u8], set: &[u8; 32]) -> bool {
        let bytes = &bytes[..BLOCK];
        // SAFETY: `self` proves AVX-512; `bytes` are 64 long, `set` twice and the table once 16; none need be aligned.
        unsafe {
            let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
            let low = _mm512_broadcast_i32x4(_mm_loadu_si128(set.as_ptr().cast()));
            let high = _mm512_broadcast_i32x4(_mm_loadu_si128(set[16..].as_ptr().cast()));
            let table = _mm512_broadcast_i32x4(_mm_loadu_si128(BIT_IN_BYTE.as_ptr().cast()));
            let place = _mm512_and_si512(_mm512_srli_epi16(bytes, 3), _mm512_set1_epi8(15));
            let upper = _mm512_movepi8_mask(bytes);
            let members = _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(low, place), upper, high, place);
            let bit = _mm512_shuffle_epi8(table, _mm512_and_si512(bytes, _mm512_set1_epi8(7)));
            _mm512_testn_epi8_mask(members, bit) == 0
        }
    }
}

impl Bytes for Avx2 {
    #[inline(always)]
    fn pair(self, bytes: &[u8], digits: [u64; 4], out: &mut [u16; BLOCK]) {
        for (half, (bytes, out)) in bytes[..BLOCK].chunks_exact(32).zip(out.chunks_exact_mut(32)).enumerate()
        {
            // SAFETY: `self` proves AVX2; `bytes` and the table are 32 and `out` is 64 bytes long, the other table 16;
            // none need be aligned.
            unsafe {
                let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
                let byte_of_lane = _mm256_loadu_si256(BYTE_OF_LANE.as_ptr().cast());
                let bit = _mm256_broadcastsi128_si256(_mm_loadu_si128(BIT_IN_BYTE.as_ptr().cast()));
                let mut numbers = _mm256_setzero_si256();
                for (k, digit) in digits.into_iter().enumerate() {
                    let digit = _mm256_set1_epi32(((digit >> (32 * half)) as u32).cast_signed());
                    let digit = _mm256_and_si256(_mm256_shuffle_epi8(digit, byte_of_lane), bit);
                    let set = _mm256_cmpeq_epi8(digit, bit);
                    numbers = _mm256_or_si256(numbers, _mm256_and_si256(set, _mm256_set1_epi8(1 << k)));
                }
                let (low, high) = out.split_at_mut(16);
                _mm256_storeu_si256(low.as_mut_ptr().cast(), _mm256_unpacklo_epi8(bytes, numbers));
                _mm256_storeu_si256(high.as_mut_ptr().cast(), _mm256_unpackhi_epi8(bytes, numbers));
            }
        }
    }

    #[inline(always)]
    fn all_in(self, bytes: &[u8], set: &[u8; 32]) -> bool {
        let mut absent = 0;
        for bytes in bytes[..BLOCK].chunks_exact(32) {
            // SAFETY: `self` proves AVX2; `bytes` are 32 long, `set` twice and the table once 16; none need be aligned.
            unsafe {
                let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
                let low = _mm256_broadcastsi128_si256(_mm_loadu_si128(set.as_ptr().cast()));
                let high = _mm256_broadcastsi128_si256(_mm_loadu_si128(set[16..].as_ptr().cast()));
                let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(BIT_IN_BYTE.as_ptr().cast()));
                let place = _mm256_and_si256(_mm256_srli_epi16(bytes, 3), _mm256_set1_epi8(15));
                let (low, high) = (_mm256_shuffle_epi8(low, place), _mm256_shuffle_epi8(high, place));
                // The top bit of each byte selects the half.
                let members = _mm256_blendv_epi8(low, high, bytes);
                let bit = _mm256_shuffle_epi8(table, _mm256_and_si256(bytes, _mm256_set1_epi8(7)));
                let without = _mm256_cmpeq_epi8(_mm256_and_si256(members, bit), _mm256_setzero_si256());
                absent |= _mm256_movemask_epi8(without);
            }
        }
        absent == 0
    }
}

/// Starts to load what lies at an address into the caches.
#[inline(always)]
pub(super) fn prefetch<T>(at: *const T) {
    // SAFETY: the instruction changes no register and no memory, and an address that is not mapped is ignored.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
}
