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

/// Comparisons within a plane, a bit per voxel, in the order of `Compare` in `tables`. `T` is a word of 64 voxels, some
/// words, or those of a whole plane.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Inner<T> {
    /// Voxel with the next voxel of its row.
    pub(crate) a: T,
    /// Voxel with the voxel below it, in the next row.
    pub(crate) b: T,
    /// Pair along a row with the pair below it.
    pub(crate) d: T,
    /// `a` and `d` of the previous voxel of the row.
    pub(crate) a_left: T,
    pub(crate) d_left: T,
}

/// Comparisons of a plane with the next, a bit per voxel, with a `T` as for [`Inner`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outer<T> {
    /// Voxel with the voxel in the next plane.
    pub(crate) c: T,
    /// Pair along a row with the pair in the next plane.
    pub(crate) e: T,
    /// Pair along a column with the pair in the next plane.
    pub(crate) f: T,
    /// 2 × 2 block with the block in the next plane.
    pub(crate) g: T,
    /// `e` and `g` of the previous voxel of the row.
    pub(crate) e_left: T,
    pub(crate) g_left: T,
}

impl<T> Inner<T> {
    /// Calls `part` with the bits of each comparison and returns its results in their places.
    #[inline(always)]
    pub(crate) fn map<'a, U>(&'a self, part: impl Fn(&'a T) -> U) -> Inner<U> {
        let Inner { a, b, d, a_left, d_left } = self;
        Inner { a: part(a), b: part(b), d: part(d), a_left: part(a_left), d_left: part(d_left) }
    }
}

impl<T> Outer<T> {
    /// Calls `part` with the bits of each comparison and returns its results in their places.
    #[inline(always)]
    pub(crate) fn map<'a, U>(&'a self, part: impl Fn(&'a T) -> U) -> Outer<U> {
        let Outer { c, e, f, g, e_left, g_left } = self;
        let (e_left, g_left) = (part(e_left), part(g_left));
        Outer { c: part(c), e: part(e), f: part(f), g: part(g), e_left, g_left }
    }
}

/// The binary digits of 64 numbers, each plus [`OFFSET`], lowest first, and a mask of the nonzero numbers. Of each pair
/// of comparisons, the first are those of the voxels, the second those of the voxels above them, in the previous row.
///
/// With `INVERT`, a set bit says that the second of two wins.
#[inline(always)]
pub(crate) fn digits<const INVERT: bool>(
    (inner, inner_up): (Inner<u64>, Inner<u64>),
    (next, next_up): (Outer<u64>, Outer<u64>),
    (last, last_up): (Outer<u64>, Outer<u64>),
) -> ([u64; 4], u64) {
    let n = |bits: u64| if INVERT { !bits } else { bits };
    let (right, left, down, up) = (n(inner.a), !n(inner.a_left), n(inner.b), !n(inner_up.b));
    // u, and whether its pair wins against the next plane (p) and the last (q).
    let faces = [
        (right, n(next.e), !n(last.e)),
        (left, n(next.e_left), !n(last.e_left)),
        (down, n(next.f), !n(last.f)),
        (up, n(next_up.f), !n(last_up.f)),
    ];
    // e, and whether its 2 × 2 block wins against the next plane (p) and the last (q).
    let edges = [
        (right & n(inner.d), n(next.g), !n(last.g)),
        (left & n(inner.d_left), n(next.g_left), !n(last.g_left)),
        (right & !n(inner_up.d), n(next_up.g), !n(last_up.g)),
        (left & !n(inner_up.d_left), n(next_up.g_left), !n(last_up.g_left)),
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
