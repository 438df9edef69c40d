//! Comparison bits of a plane's voxels, and the binary digits of their numbers c(x).
//!
//! Row 0 is the row above the tile. A row of bits has a word for each 64 voxels; rows are contiguous, so a plane is one
//! run of words and a vector may span several rows. A bit names the winner of a comparison: see [`digits`].

use super::digits::{self, Inner, Outer};
use crate::simd::{BLOCK, BlockKernel, Blocks, Bytes};

/// Comparisons within a plane.
pub(super) type InnerBits = Inner<Vec<u64>>;

/// Comparisons of a plane with the next.
pub(super) type OuterBits = Outer<Vec<u64>>;

impl InnerBits {
    pub(super) fn resize(&mut self, words: usize) {
        let Inner { a, b, d, a_left, d_left } = self;
        for bits in [a, b, d, a_left, d_left] {
            bits.resize(words, 0);
        }
    }
}

impl OuterBits {
    pub(super) fn resize(&mut self, words: usize) {
        let Outer { c, e, f, g, e_left, g_left } = self;
        for bits in [c, e, f, g, e_left, g_left] {
            bits.resize(words, 0);
        }
    }

    pub(super) fn clear(&mut self) {
        let Outer { c, e, f, g, e_left, g_left } = self;
        for bits in [c, e, f, g, e_left, g_left] {
            bits.fill(0);
        }
    }
}

/// Binary digits of the numbers of a plane's voxels, lowest first, and a mask of nonzero numbers; tile rows only.
#[derive(Debug, Default)]
pub(super) struct Digits {
    pub(super) digits: [Vec<u64>; 4],
    pub(super) nonzero: Vec<u64>,
}

impl Digits {
    pub(super) fn resize(&mut self, words: usize) {
        for digit in &mut self.digits {
            digit.resize(words, 0);
        }
        self.nonzero.resize(words, 0);
    }
}

/// Kernel that computes the digits of `height` rows from comparisons within the plane and with both adjacent planes.
pub(super) struct AddUp<'a> {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Whether a set bit means that the second of the two voxels wins.
    pub(super) invert: bool,
    pub(super) inner: &'a InnerBits,
    pub(super) next: &'a OuterBits,
    pub(super) last: &'a OuterBits,
    pub(super) out: &'a mut Digits,
}

/// The words of bits do not depend on the key type, so this kernel is compiled for 8-bit keys only.
impl BlockKernel<u8> for AddUp<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Blocks<u8> + Bytes>(self, _simd: S) {
        if self.invert { self.add_up::<true>() } else { self.add_up::<false>() }
    }
}

impl<'a> AddUp<'a> {
    #[inline(always)]
    fn add_up<const INVERT: bool>(self) {
        let (width, words) = (self.width, self.width * self.height);
        // The words of the rows of the tile, and of the rows above these.
        let here = |bits: &'a Vec<u64>| &bits[width..][..words];
        let above = |bits: &'a Vec<u64>| &bits[..words];
        let (inner, inner_up) = (self.inner.map(here), self.inner.map(above));
        let (next, next_up) = (self.next.map(here), self.next.map(above));
        let (last, last_up) = (self.last.map(here), self.last.map(above));
        let [ones, twos, fours, eights] = self.out.digits.each_mut().map(|digit| &mut digit[..words]);
        let nonzero = &mut self.out.nonzero[..words];
        let whole = words - words % LANES;
        for at in (0..whole).step_by(LANES) {
            // The words of each comparison are an array of their own: an array of [`Inner`], one per lane, would be
            // moved through memory.
            let lanes = |bits: &&[u64]| lanes(bits, at);
            let (inner, inner_up) = (inner.map(lanes), inner_up.map(lanes));
            let (next, next_up) = (next.map(lanes), next_up.map(lanes));
            let (last, last_up) = (last.map(lanes), last_up.map(lanes));
            let mut found = [[0; LANES]; 5];
            for lane in 0..LANES {
                let of = |words: &[u64; LANES]| words[lane];
                let (digits, set) = digits::digits::<INVERT>(
                    (inner.map(of), inner_up.map(of)),
                    (next.map(of), next_up.map(of)),
                    (last.map(of), last_up.map(of)),
                );
                let words = [digits[0], digits[1], digits[2], digits[3], set];
                found.iter_mut().zip(words).for_each(|(found, word)| found[lane] = word);
            }
            let out = [&mut *ones, &mut *twos, &mut *fours, &mut *eights, &mut *nonzero];
            out.into_iter().zip(found).for_each(|(out, found)| out[at..at + LANES].copy_from_slice(&found));
        }
        for word in whole..words {
            let of = |bits: &&[u64]| bits[word];
            let (digits, set) = digits::digits::<INVERT>(
                (inner.map(of), inner_up.map(of)),
                (next.map(of), next_up.map(of)),
                (last.map(of), last_up.map(of)),
            );
            [ones[word], twos[word], fours[word], eights[word]] = digits;
            nonzero[word] = set;
        }
    }
}

/// Words processed together. They are copied out of their slices first: with some thirty slices the compiler cannot
/// prove that none overlap, and would process one word at a time.
const LANES: usize = 8;

/// The [`LANES`] words from `at` on.
#[inline(always)]
fn lanes(words: &[u64], at: usize) -> [u64; LANES] {
    let mut lanes = [0; LANES];
    lanes.copy_from_slice(&words[at..at + LANES]);
    lanes
}

/// Moves each voxel's bit to the next voxel of its row. The first voxel of a row has no predecessor; its bit is the
/// lowest of the word of `edge`, a comparison of that voxel alone instead of a pair.
#[inline(always)]
pub(super) fn shift(bits: &[u64], edge: &[u64], follows: &[u64], shifted: &mut [u64]) {
    let words = follows.len();
    let (bits, edge, shifted) = (&bits[..words], &edge[..words], &mut shifted[..words]);
    let shift = |bits: u64, edge: u64, follows: u64, before: u64| {
        bits << 1 | before >> (BLOCK - 1) & follows | edge & 1 & !follows
    };
    shifted[0] = shift(bits[0], edge[0], 0, 0);
    let whole = 1 + (words - 1) / LANES * LANES;
    for at in (1..whole).step_by(LANES) {
        let (now, before) = (lanes(bits, at), lanes(bits, at - 1));
        let (edge, follows) = (lanes(edge, at), lanes(follows, at));
        let found: [u64; LANES] = std::array::from_fn(|k| shift(now[k], edge[k], follows[k], before[k]));
        shifted[at..at + LANES].copy_from_slice(&found);
    }
    for word in whole..words {
        shifted[word] = shift(bits[word], edge[word], follows[word], bits[word - 1]);
    }
}
