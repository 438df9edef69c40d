//! Comparison bits of a plane's voxels, and the binary digits of their numbers c(x).
//!
//! Row 0 is the row above the tile. A row of bits has a word for each 64 voxels; rows are contiguous, so a plane is one
//! run of words and a vector may span several rows. A bit names the winner of a comparison: see [`digits`].

use super::digits::{self, Inner, Outer};
use crate::simd::{BLOCK, BlockKernel, Blocks, Bytes};

/// Comparisons within a plane, a bit per voxel; the fields are those of [`Inner`].
#[derive(Debug, Default)]
pub(super) struct InnerBits {
    pub(super) a: Vec<u64>,
    pub(super) b: Vec<u64>,
    pub(super) d: Vec<u64>,
    pub(super) a_left: Vec<u64>,
    pub(super) d_left: Vec<u64>,
}

/// Comparisons of a plane with the next; the fields are those of [`Outer`].
#[derive(Debug, Default)]
pub(super) struct OuterBits {
    pub(super) c: Vec<u64>,
    pub(super) e: Vec<u64>,
    pub(super) f: Vec<u64>,
    pub(super) g: Vec<u64>,
    pub(super) e_left: Vec<u64>,
    pub(super) g_left: Vec<u64>,
}

impl InnerBits {
    pub(super) fn resize(&mut self, words: usize) {
        let InnerBits { a, b, d, a_left, d_left } = self;
        for bits in [a, b, d, a_left, d_left] {
            bits.resize(words, 0);
        }
    }
}

impl OuterBits {
    pub(super) fn resize(&mut self, words: usize) {
        let OuterBits { c, e, f, g, e_left, g_left } = self;
        for bits in [c, e, f, g, e_left, g_left] {
            bits.resize(words, 0);
        }
    }

    pub(super) fn clear(&mut self) {
        let OuterBits { c, e, f, g, e_left, g_left } = self;
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

impl AddUp<'_> {
    #[inline(always)]
    fn add_up<const INVERT: bool>(self) {
        let rows = TileRows { width: self.width, words: self.width * self.height };
        let inner = InnerRows::new(&rows, self.inner);
        let (next, last) = (OuterRows::new(&rows, self.next), OuterRows::new(&rows, self.last));
        let [ones, twos, fours, eights] = self.out.digits.each_mut().map(|digit| &mut digit[..rows.words]);
        let nonzero = &mut self.out.nonzero[..rows.words];
        let whole = rows.words - rows.words % LANES;
        for at in (0..whole).step_by(LANES) {
            let (inner, next, last) = (inner.lanes(at), next.lanes(at), last.lanes(at));
            let mut found = [[0; LANES]; 5];
            for lane in 0..LANES {
                let (digits, set) =
                    digits::digits::<INVERT>(&inner.get(lane), &next.get(lane), &last.get(lane));
                let words = [digits[0], digits[1], digits[2], digits[3], set];
                found.iter_mut().zip(words).for_each(|(found, word)| found[lane] = word);
            }
            let out = [&mut *ones, &mut *twos, &mut *fours, &mut *eights, &mut *nonzero];
            out.into_iter().zip(found).for_each(|(out, found)| out[at..at + LANES].copy_from_slice(&found));
        }
        for word in whole..rows.words {
            let (digits, set) = digits::digits::<INVERT>(&inner.get(word), &next.get(word), &last.get(word));
            [ones[word], twos[word], fours[word], eights[word]] = digits;
            nonzero[word] = set;
        }
    }
}

/// Words processed together. They are copied out of their slices first: with some thirty slices the compiler cannot
/// prove that none overlap, and would process one word at a time.
const LANES: usize = 8;

/// Geometry of the words of a tile: its rows, and the rows shifted up by one.
struct TileRows {
    width: usize,
    words: usize,
}

impl TileRows {
    #[inline(always)]
    fn here<'a>(&self, bits: &'a [u64]) -> &'a [u64] {
        &bits[self.width..][..self.words]
    }

    #[inline(always)]
    fn above<'a>(&self, bits: &'a [u64]) -> &'a [u64] {
        &bits[..self.words]
    }
}

/// Defines a struct of bit slices of one length for the fields of [`Inner`] or [`Outer`].
macro_rules! rows {
    ($rows:ident, $lanes:ident, $bits:ident => $fields:ident { $($field:ident: $from:ident.$which:ident),* }) => {
        struct $rows<'a> {
            $($field: &'a [u64]),*
        }

        impl<'a> $rows<'a> {
            #[inline(always)]
            fn new(rows: &TileRows, bits: &'a $bits) -> Self {
                $rows { $($field: rows.$which(&bits.$from)),* }
            }

            #[inline(always)]
            fn get(&self, word: usize) -> $fields {
                $fields { $($field: self.$field[word]),* }
            }

            /// Returns `LANES` words of each slice, starting at word `at`.
            #[inline(always)]
            fn lanes(&self, at: usize) -> $lanes {
                let mut lanes = $lanes { $($field: [0; LANES]),* };
                $(lanes.$field.copy_from_slice(&self.$field[at..at + LANES]);)*
                lanes
            }
        }

        struct $lanes {
            $($field: [u64; LANES]),*
        }

        impl $lanes {
            #[inline(always)]
            fn get(&self, lane: usize) -> $fields {
                $fields { $($field: self.$field[lane]),* }
            }
        }
    };
}

rows!(InnerRows, InnerLanes, InnerBits => Inner {
    a: a.here, b: b.here, d: d.here, a_left: a_left.here, d_left: d_left.here,
    b_up: b.above, d_up: d.above, d_left_up: d_left.above
});
rows!(OuterRows, OuterLanes, OuterBits => Outer {
    c: c.here, e: e.here, f: f.here, g: g.here, e_left: e_left.here, g_left: g_left.here,
    f_up: f.above, g_up: g.above, g_left_up: g_left.above
});

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
        let lanes = |words: &[u64], at: usize| {
            let mut lanes = [0; LANES];
            lanes.copy_from_slice(&words[at..at + LANES]);
            lanes
        };
        let (now, before) = (lanes(bits, at), lanes(bits, at - 1));
        let (edge, follows) = (lanes(edge, at), lanes(follows, at));
        let found: [u64; LANES] = std::array::from_fn(|k| shift(now[k], edge[k], follows[k], before[k]));
        shifted[at..at + LANES].copy_from_slice(&found);
    }
    for word in whole..words {
        shifted[word] = shift(bits[word], edge[word], follows[word], bits[word - 1]);
    }
}
