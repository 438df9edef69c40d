//! Computes the number c(x) of each voxel from comparison bits, by bit-sliced logic on 64 voxels per word.
//!
//! Let a comparison bit say whether the *first* of two wins the cell between them (in T: it is not greater; in V: it is
//! greater). For a voxel x and each of the two directions of each axis:
//!
//! - u is set if x wins the face between it and its neighbour in that direction;
//! - a 2 × 2 block of voxels, around an edge, is won by one of its two pairs, and then by the voxel that wins the face
//!   within that pair. So x wins the block on one side of its face if u · p, where p says that the pair wins;
//! - a 2 × 2 × 2 block, around a vertex, is won by one of two 2 × 2 blocks. So x wins it if e · p, where e says that x
//!   wins its 2 × 2 block and p that this block wins.
//!
//! The cells of T are then grouped into nine terms, each −1, 0 or 1, whose sum is the number of x:
//!
//! - −1 + w + w' for the voxel and its two faces between planes;
//! - four terms u (1 − p − q) for a face and the two edges on both sides of it;
//! - four terms e (p + q − 1) for an edge and the two vertices at its ends.
//!
//! Cells of V have dimension 3 − dim of those of T, so the sum changes its sign. A cell with an absent voxel is won by
//! the present ones in T, and by the absent one in V.

/// Offset added to the numbers in [`digits`], so that they are not negative.
pub(crate) const OFFSET: i64 = 9;

/// Comparisons within a plane, a bit per voxel, in the order of `Compare` in `tables`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inner {
    /// Voxel with the next voxel of its row.
    pub(crate) a: u64,
    /// Voxel with the voxel below it, in the next row.
    pub(crate) b: u64,
    /// Pair along a row with the pair below it.
    pub(crate) d: u64,
    /// `a` and `d` of the previous voxel of the row.
    pub(crate) a_left: u64,
    pub(crate) d_left: u64,
    /// `b`, `d` and `d_left` of the row above.
    pub(crate) b_up: u64,
    pub(crate) d_up: u64,
    pub(crate) d_left_up: u64,
}

/// Comparisons of a plane with the next, a bit per voxel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outer {
    /// Voxel with the voxel in the next plane.
    pub(crate) c: u64,
    /// Pair along a row with the pair in the next plane.
    pub(crate) e: u64,
    /// Pair along a column with the pair in the next plane.
    pub(crate) f: u64,
    /// 2 × 2 block with the block in the next plane.
    pub(crate) g: u64,
    /// `e` and `g` of the previous voxel of the row.
    pub(crate) e_left: u64,
    pub(crate) g_left: u64,
    /// `f`, `g` and `g_left` of the row above.
    pub(crate) f_up: u64,
    pub(crate) g_up: u64,
    pub(crate) g_left_up: u64,
}

/// The binary digits of 64 numbers, each plus [`OFFSET`], lowest first, and a mask of the nonzero numbers.
///
/// With `INVERT`, a set bit says that the second of two wins.
#[inline(always)]
pub(crate) fn digits<const INVERT: bool>(inner: &Inner, next: &Outer, last: &Outer) -> ([u64; 4], u64) {
    let n = |bits: u64| if INVERT { !bits } else { bits };
    let (right, left, down, up) = (n(inner.a), !n(inner.a_left), n(inner.b), !n(inner.b_up));
    // u, and whether its pair wins against the next plane (p) and the last (q).
    let faces = [
        (right, n(next.e), !n(last.e)),
        (left, n(next.e_left), !n(last.e_left)),
        (down, n(next.f), !n(last.f)),
        (up, n(next.f_up), !n(last.f_up)),
    ];
    // e, and whether its 2 × 2 block wins against the next plane (p) and the last (q).
    let edges = [
        (right & n(inner.d), n(next.g), !n(last.g)),
        (left & n(inner.d_left), n(next.g_left), !n(last.g_left)),
        (right & !n(inner.d_up), n(next.g_up), !n(last.g_up)),
        (left & !n(inner.d_left_up), n(next.g_left_up), !n(last.g_left_up)),
    ];
    let (w, w_last) = (n(next.c), !n(last.c));
    // Nine terms, each as two bits whose sum is the term plus one.
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
    // The sum is at most 14, so there is no digit for 16.
    let eights = f0 ^ f1;
    ([ones, twos, fours, eights], twos | fours | !(ones & eights))
}

/// Full adder: sum and carry.
#[inline(always)]
fn add(a: u64, b: u64, c: u64) -> (u64, u64) {
    (a ^ b ^ c, a & b | b & c | c & a)
}
