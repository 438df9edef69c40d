//! Comparisons of a plane's voxels, a bit each, and the digits of their numbers.
//!
//! VcecRows are counted from the one above a tile, 0. A row of bits is a word for each 64 voxels; rows follow each other without a gap, so that a
//! plane is one run of words, which the vector units take several rows of at a time. A bit says who wins: see [`digits`].

use super::digits::{self, Inner, Outer};
use crate::simd::{BLOCK, BlockKernel, Blocks, Bytes};

/// Comparisons of a plane with itself: [`Inner`].
#[derive(Debug, Default)]
pub(super) struct InnerBits {
    pub(super) a: Vec<u64>,
    pub(super) b: Vec<u64>,
    pub(super) d: Vec<u64>,
    pub(super) a_left: Vec<u64>,
    pub(super) d_left: Vec<u64>,
}

/// Comparisons of a plane with the next: [`Outer`].
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

/// The digits of the numbers of a plane's voxels, lowest first, and where the numbers are not 0; without the row above.
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

/// Gets the digits of so many rows from the comparisons; the plane's with itself, with the next and with the one before.
pub(super) struct AddUp<'a> {
    pub(super) width: usize,
    pub(super) height: usize,
    /// The bits say that the second wins.
    pub(super) invert: bool,
    pub(super) inner: &'a InnerBits,
    pub(super) next: &'a OuterBits,
    pub(super) last: &'a OuterBits,
    pub(super) out: &'a mut Digits,
}

/// A kernel for all keys, compiled for those of bytes: words of bits do not depend on keys.
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
        let rows = VcecRows { width: self.width, words: self.width * self.height };
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

/// Words that are worked on together. They are copied out of their slices first: of some thirty slices the compiler would not prove that none
/// overlaps another, and take one word at a time.
const LANES: usize = 8;

/// The words of a tile's rows, and of those one above each.
struct VcecRows {
    width: usize,
    words: usize,
}

impl VcecRows {
    #[inline(always)]
    fn here<'a>(&self, bits: &'a [u64]) -> &'a [u64] {
        &bits[self.width..][..self.words]
    }

    #[inline(always)]
    fn above<'a>(&self, bits: &'a [u64]) -> &'a [u64] {
        &bits[..self.words]
    }
}

/// Slices of bits, of one length, for the fields of [`Inner`] or [`Outer`].
macro_rules! rows {
    ($rows:ident, $lanes:ident, $bits:ident => $fields:ident { $($field:ident: $from:ident.$which:ident),* }) => {
        struct $rows<'a> {
            $($field: &'a [u64]),*
        }

        impl<'a> $rows<'a> {
            #[inline(always)]
            fn new(rows: &VcecRows, bits: &'a $bits) -> Self {
                $rows { $($field: rows.$which(&bits.$from)),* }
            }

            #[inline(always)]
            fn get(&self, word: usize) -> $fields {
                $fields { $($field: self.$field[word]),* }
            }

            /// A vector of the words from one on.
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

/// The bit of the voxel before each in its row. Before the first of a row there is none, and no pair but the voxel itself: its bit is
/// the lowest of what `edge` gives for the block.
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
