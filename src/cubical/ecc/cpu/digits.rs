//! The number of each voxel from its comparisons, for 64 voxels a word, bit by bit.
//!
//! Write the comparisons as bits that say whether the *first* of two wins the cell between them (T: is not greater; V: is
//! greater). For a voxel x and each of the two directions of each axis:
//!
//! - x wins the face between two voxels: a bit u;
//! - the 2 × 2 block of an edge is won by one of two pairs of voxels, and then by one of the two in that pair, which it wins a face
//!   from; so that of the four blocks around an edge's end, x wins the one on a side by u · p, where p says that the pair wins;
//! - likewise a 2 × 2 × 2 block is won by one of two 2 × 2 blocks, and x wins it by e · p, where e says that x wins its 2 × 2 block.
//!
//! So the faces, edges and vertices of T come as one term for the voxel and its two faces along planes, −1 + w + w', four terms
//! u (1 − p − q), a face and the two edges on both sides of it, and four terms e (p + q − 1), an edge and the two vertices at its ends: nine
//! terms of −1, 0 or 1 each. The number of voxel x is their sum. In V cells have the dimension 3 − dim of T's, so the sum
//! counts with the opposite sign. A cell that needs an absent voxel is won by what is present in T, and by what is absent in V.

/// The digits of [`digits`] are of the number plus this.
pub(crate) const OFFSET: i64 = 9;

/// The comparisons of a plane with itself, a bit a voxel, in the order of [`compare`](super::compare).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inner {
    /// Voxel with the next of its row.
    pub(crate) a: u64,
    /// Voxel with the same of the next row.
    pub(crate) b: u64,
    /// Pair along a row with the pair below it.
    pub(crate) d: u64,
    /// `a` and `d` of the voxel before in the row.
    pub(crate) a_left: u64,
    pub(crate) d_left: u64,
    /// `b`, `d` and `d_left` of the row above.
    pub(crate) b_up: u64,
    pub(crate) d_up: u64,
    pub(crate) d_left_up: u64,
}

/// The comparisons of a plane with the next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outer {
    /// Voxel with voxel.
    pub(crate) c: u64,
    /// Pair along a row.
    pub(crate) e: u64,
    /// Pair along a column.
    pub(crate) f: u64,
    /// Block of four.
    pub(crate) g: u64,
    /// `e` and `g` of the voxel before in the row.
    pub(crate) e_left: u64,
    pub(crate) g_left: u64,
    /// `f`, `g` and `g_left` of the row above.
    pub(crate) f_up: u64,
    pub(crate) g_up: u64,
    pub(crate) g_left_up: u64,
}

/// The binary digits of 64 numbers, each plus [`OFFSET`], lowest first, and where the number is not 0.
///
/// `INVERT`: the bits say that the second wins.
#[inline(always)]
pub(crate) fn digits<const INVERT: bool>(inner: &Inner, next: &Outer, last: &Outer) -> ([u64; 4], u64) {
    let n = |bits: u64| if INVERT { !bits } else { bits };
    let (right, left, down, up) = (n(inner.a), !n(inner.a_left), n(inner.b), !n(inner.b_up));
    // u, and who wins beyond it along planes.
    let faces = [
        (right, n(next.e), !n(last.e)),
        (left, n(next.e_left), !n(last.e_left)),
        (down, n(next.f), !n(last.f)),
        (up, n(next.f_up), !n(last.f_up)),
    ];
    // e, and who wins beyond it.
    let edges = [
        (right & n(inner.d), n(next.g), !n(last.g)),
        (left & n(inner.d_left), n(next.g_left), !n(last.g_left)),
        (right & !n(inner.d_up), n(next.g_up), !n(last.g_up)),
        (left & !n(inner.d_left_up), n(next.g_left_up), !n(last.g_left_up)),
    ];
    let (w, w_last) = (n(next.c), !n(last.c));
    // Nine terms, each as two bits that add up to the term plus one.
    let [f0, f1, f2, f3] = faces.map(|(u, p, q)| [u & !p & !q, !(u & p & q)]);
    let [e0, e1, e2, e3] = edges.map(|(e, p, q)| [e & p & q, !(e & !p & !q)]);
    let (s0, c0) = add(f0[0], f0[1], f1[0]);
    let (s1, c1) = add(f1[1], f2[0], f2[1]);
    let (s2, c2) = add(f3[0], f3[1], e0[0]);
    let (s3, c3) = add(e0[1], e1[0], e1[1]);
    let (s4, c4) = add(e2[0], e2[1], e3[0]);
    let (s5, c5) = add(e3[1], w, w_last);
    let (s6, c6) = add(s0, s1, s2);
    let (s7, c7) = add(s3, s4, s5);
    let (ones, c8) = (s6 ^ s7, s6 & s7);
    let (s0, d0) = add(c0, c1, c2);
    let (s1, d1) = add(c3, c4, c5);
    let (s2, d2) = add(c6, c7, c8);
    let (twos, d3) = add(s0, s1, s2);
    let (s3, f0) = add(d0, d1, d2);
    let (fours, f1) = (s3 ^ d3, s3 & d3);
    // The sum is at most 14: there is no digit for 16.
    let eights = f0 ^ f1;
    ([ones, twos, fours, eights], twos | fours | !(ones & eights))
}

/// Sum and carry.
#[inline(always)]
fn add(a: u64, b: u64, c: u64) -> (u64, u64) {
    (a ^ b ^ c, a & b | b & c | c & a)
}
