//! Encoding of simplices as integers: vertices as indices, indices with ranks as entries.
//!
//! The *index* of a simplex with vertices v0 > v1 > … > vd consists of these vertices in fields of b bits, v0 topmost.
//! For simplices of one dimension it orders as the combinatorial number system does (both compare v0 first, then v1,
//! …), so ties are broken as in Ripser. Shifts decode it, where the combinatorial number needs a binary search in a
//! table of binomials for each vertex, and two masks insert a vertex. It takes more bits: for n = 297 and five vertices
//! 45 instead of 34.
//!
//! An *entry* is a rank above a complemented index: (rank << fields) | (ones ^ index). Among simplices of one
//! dimension, ascending entries are ascending filtration order: rank ↑, then index ↓.

use super::word::Word;

/// The layout of the entries of one dimension.
#[derive(Debug, Clone, Copy)]
pub struct Code<W> {
    vertex_bits: u32,
    vertices: u32,
    ones: W,
    vertex_ones: u32,
}

/// The greatest number of points: vertices are numbers of 32 bits, and the greatest of these means "no vertex".
pub(crate) const MOST_POINTS: usize = u32::MAX as usize;

/// Number of bits of a vertex among n, from 1 to 32: n is at most [`MOST_POINTS`].
pub(crate) fn vertex_bits(n: usize) -> u32 {
    usize::BITS - (n.max(2) - 1).leading_zeros()
}

impl<W: Word> Code<W> {
    /// The layout for simplices of `vertices` vertices among n; the index must leave room for a rank in `W`.
    pub fn new(n: usize, vertices: usize) -> Self {
        let vertex_bits = vertex_bits(n);
        // Checked against the word's width when the word was chosen.
        let vertices = vertices as u32;
        Code {
            vertex_bits,
            vertices,
            ones: W::ones(vertex_bits * vertices),
            // A vertex has 1 to 32 bits.
            vertex_ones: u32::MAX >> (u32::BITS - vertex_bits),
        }
    }

    /// The number of vertices of a simplex.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// The entry of the simplex with these vertices, descending.
    #[inline]
    pub fn entry(&self, rank: u32, vertices: impl IntoIterator<Item = u32>) -> W {
        let index =
            vertices.into_iter().fold(W::ZERO, |index, v| (index << self.vertex_bits) | W::from_u32(v));
        self.entry_of_index(rank, index)
    }

    /// The entry of a rank and an index.
    #[inline(always)]
    pub fn entry_of_index(&self, rank: u32, index: W) -> W {
        (W::from_u32(rank) << (self.vertex_bits * self.vertices)) | (self.ones ^ index)
    }

    /// A lower bound on all entries of a rank.
    #[inline]
    pub(super) fn first(&self, rank: u32) -> W {
        self.entry_of_index(rank, self.ones)
    }

    /// The rank of an entry.
    #[inline(always)]
    pub fn rank(&self, entry: W) -> u32 {
        (entry >> (self.vertex_bits * self.vertices)).low_u32()
    }

    /// The index of an entry.
    #[inline(always)]
    pub fn index(&self, entry: W) -> W {
        (entry & self.ones) ^ self.ones
    }

    /// Writes the vertices of an entry, descending.
    #[inline]
    pub fn vertices_of(&self, entry: W, out: &mut Vec<u32>) {
        let index = self.index(entry);
        out.clear();
        out.extend(
            (0..self.vertices).rev().map(|k| (index >> (k * self.vertex_bits)).low_u32() & self.vertex_ones),
        );
    }
}

/// Makes the entries of the cofacets of one simplex. Vertices are passed in ascending order, so that each takes
/// amortised constant time.
#[derive(Debug)]
pub(crate) struct CofacetEntries<'a, W> {
    cofacets: Code<W>,
    index: W,
    /// The vertices of the simplex, descending.
    vertices: &'a [u32],
    /// Number of vertices of the simplex that are smaller than the last vertex passed to `entry`.
    below: usize,
    /// The index with a gap for the new vertex.
    gapped: W,
}

impl<'a, W: Word> CofacetEntries<'a, W> {
    /// Prepares for the simplex with this entry in `code` and these vertices; `cofacets` is the layout one dimension
    /// up.
    #[inline]
    pub(crate) fn new(code: &Code<W>, cofacets: &Code<W>, entry: W, vertices: &'a [u32]) -> Self {
        let index = code.index(entry);
        CofacetEntries { cofacets: *cofacets, index, vertices, below: 0, gapped: index << code.vertex_bits }
    }

    /// The entry of the cofacet with vertex `w`, and the number of vertices below `w`: the sign of the simplex in the
    /// cofacet's boundary is (−1) to that power. `w` is not in the simplex and not smaller than in any earlier call.
    #[inline(always)]
    pub(crate) fn entry(&mut self, w: u32, rank: u32) -> (W, usize) {
        while self.below < self.vertices.len() && self.vertices[self.vertices.len() - 1 - self.below] < w {
            self.below += 1;
            let low_bits = self.cofacets.vertex_bits * self.below as u32;
            let low = W::ones(low_bits) & self.index;
            self.gapped = ((self.index ^ low) << self.cofacets.vertex_bits) | low;
        }
        let index = self.gapped | (W::from_u32(w) << (self.cofacets.vertex_bits * self.below as u32));
        (self.cofacets.entry_of_index(rank, index), self.below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_order_as_the_filtration_does() {
        let code = Code::<u64>::new(10, 3);
        let older = [(1, [9, 8, 7]), (2, [9, 5, 0]), (2, [9, 4, 3]), (2, [8, 7, 6]), (3, [9, 8, 7])];
        let entries: Vec<u64> = older.iter().map(|&(r, v)| code.entry(r, v)).collect();
        assert!(entries.is_sorted());
        let mut vertices = Vec::new();
        for (&entry, &(rank, expected)) in entries.iter().zip(&older) {
            code.vertices_of(entry, &mut vertices);
            assert_eq!((code.rank(entry), vertices.as_slice()), (rank, expected.as_slice()));
        }
    }

    #[test]
    fn cofacets_of_every_gap() {
        let (code, up) = (Code::<u128>::new(300, 3), Code::<u128>::new(300, 4));
        let vertices = [200, 100, 3];
        let entry = code.entry(7, vertices);
        let mut cofacets = CofacetEntries::new(&code, &up, entry, &vertices);
        for (w, below) in [(0, 0), (2, 0), (4, 1), (99, 1), (101, 2), (199, 2), (201, 3), (299, 3)] {
            let mut expected: Vec<u32> = vertices.iter().copied().chain([w]).collect();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(cofacets.entry(w, 9), (up.entry(9, expected), below));
        }
    }

    #[test]
    fn vertex_bits_of_awkward_sizes() {
        let bits: Vec<u32> = [1, 2, 3, 4, 5, 256, 257, 65_536, 65_537].map(vertex_bits).to_vec();
        assert_eq!(bits, [1, 1, 2, 2, 3, 8, 9, 16, 17]);
        assert_eq!([1 << 31, (1 << 31) + 1, MOST_POINTS].map(vertex_bits), [31, 32, 32]);
    }

    #[test]
    fn vertices_of_all_32_bits() {
        let code = Code::<u128>::new(MOST_POINTS, 3);
        let vertices = [u32::MAX - 1, 1 << 31, 0];
        let entry = code.entry(77, vertices);
        let mut found = Vec::new();
        code.vertices_of(entry, &mut found);
        assert_eq!((code.rank(entry), found.as_slice()), (77, &vertices[..]));
    }
}
