//! A cochain over Z/2 on the triangles of a growing graph, one bit per triangle.
//!
//! Rows have n bits, and a triangle is one bit in the row of each of its edges. So the coboundary on all cofacets of a
//! triangle is a sum of the rows of its edges, 64 cofacets per word.

use super::closing::APEXES;
use super::rows::Rows;
use crate::memory::{self, Refused};
use crate::rips::binomial::pair;
use crate::simd::{Kernel, Level, Simd};

/// A graph of n points, and the values of a cochain on its triangles.
pub(super) struct Cochain {
    pub(super) level: Level,
    /// Number of 64-bit blocks in a row.
    pub(super) blocks: usize,
    graph: Rows,
    /// Values, one row per pair of points.
    pub(super) values: Vec<u64>,
    /// One bit per row: whether the row may contain ones.
    marked: Vec<u64>,
    /// For each point, the last vertices that were joined to nearly all of the link of one of its edges: one of them is
    /// likely to be so again.
    pub(super) apexes: Vec<[u32; APEXES]>,
}

impl Cochain {
    /// Bytes of a cochain among n points; `None` on overflow.
    pub(super) fn bytes(n: usize) -> Option<usize> {
        let rows = n.checked_mul(n.saturating_sub(1))? / 2;
        let values = rows.checked_mul(n.div_ceil(64))?.checked_add(rows.div_ceil(64))?.checked_mul(8)?;
        values.checked_add(Rows::bytes(n)?)?.checked_add(n.checked_mul(size_of::<[u32; APEXES]>())?)
    }

    /// The zero cochain on a graph without edges.
    ///
    /// # Errors
    /// There is no memory for the rows.
    pub(super) fn new(n: usize, level: Level) -> Result<Self, Refused> {
        let (graph, rows) = (Rows::new(n)?, n * n.saturating_sub(1) / 2);
        let blocks = graph.width;
        let values = memory::zeroed(rows * blocks)?;
        let (marked, apexes) = (memory::zeroed(rows.div_ceil(64))?, memory::filled([0; APEXES], n)?);
        Ok(Cochain { level, blocks, graph, values, marked, apexes })
    }

    /// The bytes of its tables.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> u64 {
        let words = self.values.capacity() + self.marked.capacity();
        self.graph.capacity() + (8 * words + size_of::<[u32; APEXES]>() * self.apexes.capacity()) as u64
    }

    /// Inserts or removes an edge.
    pub(super) fn toggle_edge(&mut self, edge: (u32, u32)) {
        self.graph.flip(edge);
    }

    /// Makes the cochain zero.
    pub(super) fn clear(&mut self) {
        let Cochain { blocks, values, marked, .. } = self;
        for row in bits(marked.iter().copied()) {
            values[row as usize * *blocks..][..*blocks].fill(0);
        }
        marked.fill(0);
    }

    /// Calls `found` once for each triangle whose value is one, vertices descending.
    pub(super) fn each(&self, mut found: impl FnMut(&[u32])) {
        for row in bits(self.marked.iter().copied()).map(|row| row as usize) {
            // Points are numbers of 32 bits.
            let [greatest, middle] = pair(row).map(|point| point as u32);
            // Only bits below the vertices of the row's edge are used, so each triangle is found in one of its rows
            // only.
            let below = self.row(row)[..middle as usize / 64 + 1].to_vec();
            for least in descending(below).skip_while(|&least| least >= middle) {
                found(&[greatest, middle, least]);
            }
        }
    }

    /// Flips the value of a triangle.
    pub(super) fn flip(&mut self, triangle: &[u32]) {
        let &[u, v, w] = triangle else { return };
        for (row, bit) in [(row_of(u, v), w), (row_of(u, w), v), (row_of(v, w), u)] {
            self.values[row * self.blocks + bit as usize / 64] ^= 1 << (bit % 64);
            self.marked[row / 64] |= 1 << (row % 64);
        }
    }

    /// The value of a triangle.
    pub(super) fn value(&self, triangle: &[u32]) -> bool {
        let &[u, v, w] = triangle else { return false };
        has(self.row(row_of(u, v)), w)
    }

    /// Sets the value of a triangle, and returns whether it changed.
    pub(super) fn set(&mut self, triangle: &[u32], value: bool) -> bool {
        let changes = self.value(triangle) != value;
        if changes {
            self.flip(triangle);
        }
        changes
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.values[row * self.blocks..][..self.blocks]
    }

    pub(super) fn neighbours(&self, v: u32) -> &[u64] {
        self.graph.row(v)
    }

    /// The added vertex of the tetrahedron with a triangle on which the coboundary is one, the greatest such vertex if
    /// there are several.
    pub(super) fn defect(&self, triangle: &[u32]) -> Option<u32> {
        self.level.run(Defect { cochain: self, triangle })
    }

    /// The points joined to both ends of an edge, descending.
    pub(super) fn link(&self, edge: (u32, u32)) -> impl Iterator<Item = u32> {
        descending(self.link_row(edge))
    }

    /// The points joined to both ends of an edge, as a row of bits.
    #[inline(always)]
    pub(super) fn link_row(&self, (u, v): (u32, u32)) -> Vec<u64> {
        self.neighbours(u).iter().zip(self.neighbours(v)).map(|(a, b)| a & b).collect()
    }

    /// Extends the cochain to the triangles that an edge completes and that are in apparent pairs, such that the
    /// coboundary is zero on the tetrahedra of these pairs. The edge must be the last of the graph, and no other may
    /// have its rank. Returns the number of values changed, and the vertices that the oldest tetrahedron on which the
    /// coboundary is one adds to the edge, greater first.
    pub(super) fn extend(&mut self, edge: (u32, u32)) -> (u64, Option<[u32; 2]>) {
        self.level.run(Extend { cochain: self, edge })
    }
}

/// Whether a bit is set.
#[inline(always)]
pub(super) fn has(row: &[u64], bit: u32) -> bool {
    row[bit as usize / 64] >> (bit % 64) & 1 == 1
}

/// Sets a bit.
#[inline(always)]
pub(super) fn insert(row: &mut [u64], bit: u32) {
    row[bit as usize / 64] |= 1 << (bit % 64);
}

/// The index of the row of a pair of points.
#[inline(always)]
pub(super) fn row_of(u: u32, v: u32) -> usize {
    let (greater, less) = (u.max(v) as usize, u.min(v) as usize);
    greater * (greater - 1) / 2 + less
}

/// The indices of the bits that are set, ascending.
#[inline(always)]
pub(super) fn bits(words: impl Iterator<Item = u64>) -> impl Iterator<Item = u32> {
    words.zip((0..).step_by(64)).filter(|&(word, _)| word != 0).flat_map(|(word, first)| {
        std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)))
            .take_while(|&word| word != 0)
            .map(move |word| first + word.trailing_zeros())
    })
}

/// The indices of the bits that are set, descending.
pub(super) fn descending(mut blocks: Vec<u64>) -> impl Iterator<Item = u32> {
    let mut block = blocks.len();
    std::iter::from_fn(move || {
        while block > 0 {
            let bits = &mut blocks[block - 1];
            if *bits != 0 {
                let top = bits.ilog2();
                *bits ^= 1 << top;
                // Points are below 2^32.
                return Some((block as u32 - 1) * 64 + top);
            }
            block -= 1;
        }
        None
    })
}

/// The index, within its row, of the greatest bit of a block.
#[inline(always)]
pub(super) fn top(block: usize, bits: u64) -> u32 {
    // Points are below 2^32.
    block as u32 * 64 + bits.ilog2()
}

/// A word of ones if the value is one, else zero.
#[inline(always)]
pub(super) fn all_if(value: bool) -> u64 {
    0u64.wrapping_sub(u64::from(value))
}

/// Search for a tetrahedron on which the coboundary is one.
struct Defect<'a> {
    cochain: &'a Cochain,
    triangle: &'a [u32],
}

impl Kernel<u32> for Defect<'_> {
    type Output = Option<u32>;

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> Option<u32> {
        let Defect { cochain, triangle } = self;
        let &[u, v, w] = triangle else { return None };
        let own = all_if(cochain.value(triangle));
        let (nu, nv, nw) = (cochain.neighbours(u), cochain.neighbours(v), cochain.neighbours(w));
        let (a, b, c) = (cochain.row(row_of(u, v)), cochain.row(row_of(u, w)), cochain.row(row_of(v, w)));
        last_block(nu.len(), |k| nu[k] & nv[k] & nw[k] & (a[k] ^ b[k] ^ c[k] ^ own))
    }
}

/// The greatest bit of a row whose blocks `block` computes. Nearly always there is none, so a first pass only tests for
/// any.
#[inline(always)]
fn last_block(blocks: usize, block: impl Fn(usize) -> u64) -> Option<u32> {
    let mut any = 0;
    for k in 0..blocks {
        any |= block(k);
    }
    if any == 0 {
        return None;
    }
    (0..blocks).rev().find(|&k| block(k) != 0).map(|k| top(k, block(k)))
}

/// Kernel of [`Cochain::extend`].
struct Extend<'a> {
    cochain: &'a mut Cochain,
    edge: (u32, u32),
}

impl Kernel<u32> for Extend<'_> {
    type Output = (u64, Option<[u32; 2]>);

    /// The tetrahedra that the edge {u, v} completes are its unions with edges {w, x} of its link. For each w, from the
    /// greatest down, let x be its greatest neighbour in the link: if x > w, then the triangle {u, v, w} and {u, v, w,
    /// x} are an apparent pair. Tetrahedra with x > w are ordered by x descending, then by w descending.
    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> (u64, Option<[u32; 2]>) {
        let Extend { cochain, edge: (u, v) } = self;
        let blocks = cochain.blocks;
        let link = cochain.link_row((u, v));
        let mut own = cochain.row(row_of(u, v)).to_vec();
        let (mut changed, mut oldest) = (0, None);
        for at in (0..blocks).rev() {
            let mut left = link[at];
            while left != 0 {
                let w = top(at, left);
                left ^= 1 << (w % 64);
                // In the block of w itself, only the bits above w count.
                let above = (u64::MAX << (w % 64)) << 1;
                let near = cochain.neighbours(w);
                let (p, q) = (cochain.row(row_of(u, w)), cochain.row(row_of(v, w)));
                let joined = |k: usize| link[k] & near[k] & if k == at { above } else { u64::MAX };
                let Some(k) = (at..blocks).rev().find(|&k| joined(k) != 0) else { continue };
                let x = joined(k).ilog2();
                let value = (own[k] ^ p[k] ^ q[k]) >> x & 1 == 1;
                let is_changed = has(&own, w) != value;
                own[at] ^= u64::from(is_changed) << (w % 64);
                let all = all_if(value);
                let defect = last_block(k + 1 - at, |k| {
                    let k = k + at;
                    joined(k) & (own[k] ^ p[k] ^ q[k] ^ all)
                });
                // Blocks are counted from that of w on.
                let defect = defect.map(|x| [x + 64 * at as u32, w]);
                oldest = oldest.max(defect);
                if is_changed {
                    changed += 1;
                    cochain.flip(&[u, v, w]);
                }
            }
        }
        (changed, oldest)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rips::random::random;

    #[test]
    fn rows_are_those_of_pairs() {
        let pairs = (1..200).flat_map(|greater| (0..greater).map(move |less| (greater, less)));
        for (row, (greater, less)) in pairs.enumerate() {
            assert_eq!((row_of(greater, less), pair(row)), (row, [greater as usize, less as usize]));
        }
        let far = row_of(u32::MAX, u32::MAX - 1);
        assert_eq!(pair(far), [u32::MAX as usize, u32::MAX as usize - 1]);
    }

    /// Triangles are flipped at random: exactly those of value one are listed, each once, and none is left when all are
    /// zero again.
    #[test]
    fn listed_triangles_are_those_of_value_one() {
        let mut state = 1_u64;
        for n in [64, 70, 130] {
            let mut cochain = Cochain::new(n as usize, Level::detect()).unwrap();
            for round in 0..4 {
                let mut expected = BTreeSet::new();
                for _ in 0..100 * round {
                    let mut simplex = BTreeSet::new();
                    while simplex.len() < 3 {
                        simplex.insert(random(&mut state) as u32 % n);
                    }
                    let simplex: Vec<u32> = simplex.into_iter().rev().collect();
                    cochain.flip(&simplex);
                    if !expected.remove(&simplex) {
                        expected.insert(simplex);
                    }
                }
                let mut found = Vec::new();
                cochain.each(|simplex| found.push(simplex.to_vec()));
                found.sort_unstable();
                assert!(found.iter().eq(&expected), "{n} points");
                cochain.clear();
                cochain.each(|simplex| panic!("{simplex:?} is left"));
                assert!(cochain.values.iter().all(|&word| word == 0));
            }
        }
    }
}
