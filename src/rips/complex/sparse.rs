//! Sorted neighbour lists, and adjacency bitsets where n² bits are affordable.

mod rows;
mod submatrix;

pub(in crate::rips) use self::submatrix::{LONG, Submatrix, Subset};
use super::{ABSENT, Band, Cofacet, Complex};
use crate::memory::{self, Refused};

/// A graph with ranked edges in compressed rows.
#[derive(Debug)]
pub(crate) struct Sparse {
    /// n + 1 offsets into `neighbours` and `ranks`.
    offsets: Vec<usize>,
    /// The neighbours of each vertex, ascending, one vertex after the other.
    neighbours: Vec<u32>,
    ranks: Vec<u32>,
    near: Vec<NearAbove>,
    bitsets: Option<Bitsets>,
}

/// Number of neighbours that [`Sparse::near_above`] returns: as many as fill a cache line.
const NEAR_ABOVE: usize = 8;

/// The nearest of the neighbours above a vertex.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct NearAbove([Cofacet; NEAR_ABOVE]);

impl Default for NearAbove {
    fn default() -> Self {
        NearAbove([Cofacet { vertex: 0, rank: ABSENT }; NEAR_ABOVE])
    }
}

impl NearAbove {
    /// Inserts a neighbour, if it is nearer than the last one.
    #[inline]
    fn add(&mut self, vertex: u32, rank: u32) {
        let near = &mut self.0;
        if rank >= near[NEAR_ABOVE - 1].rank {
            return;
        }
        let mut place = NEAR_ABOVE - 1;
        while place > 0 && near[place - 1].rank > rank {
            near[place] = near[place - 1];
            place -= 1;
        }
        near[place] = Cofacet { vertex, rank };
    }
}

/// A row of n bits for each vertex, with the number of neighbours before each 64-bit block: one popcount gives a
/// neighbour's place in its list, and so the rank of the edge.
#[derive(Debug)]
struct Bitsets {
    blocks: usize,
    bits: Vec<u64>,
    before: Vec<u32>,
}

/// Maximum number of blocks of bitsets, of 12 bytes each: 96 MiB, some 23,000 points.
const MAX_BLOCKS: usize = 1 << 23;

/// Up to this many blocks, bitsets are always built: that takes less than 0.1 ms.
const FEW_BLOCKS: usize = 1 << 16;

/// Maximum number of blocks per edge in larger graphs: with more, most blocks of a row are empty, and searching
/// neighbour lists is as fast.
const BLOCKS_AN_EDGE: usize = 8;

impl Sparse {
    /// Makes a graph of n points from pairs, none of them twice, and their ranks, with adjacency bitsets if they are
    /// wanted.
    ///
    /// # Errors
    /// There is no memory for the neighbour lists and the bitsets.
    pub(in crate::rips) fn made(
        n: usize,
        pairs: &[(u32, u32)],
        ranks: &[u32],
        wants_bitsets: bool,
    ) -> Result<Self, Refused> {
        let (offsets, mut rows) = rows::scattered(n, pairs, ranks)?;
        let (mut neighbours, mut ranks) = (memory::zeroed(rows.len())?, memory::zeroed(rows.len())?);
        let mut near = memory::filled(NearAbove::default(), n)?;
        rows::sort(&offsets, &mut rows, &mut neighbours, &mut ranks, &mut near);
        drop(rows);
        let mut graph = Sparse { offsets, neighbours, ranks, near, bitsets: None };
        if wants_bitsets {
            graph.bitsets = Some(Bitsets::new(&graph)?);
        }
        Ok(graph)
    }

    /// The nearest neighbours of v among those above v, nearest first. If there are fewer, the remaining entries have
    /// the rank [`ABSENT`].
    #[inline]
    pub(in crate::rips) fn near_above(&self, v: u32) -> &[Cofacet; NEAR_ABOVE] {
        &self.near[v as usize].0
    }

    /// Whether adjacency bitsets are built for n points and `edges` edges: their blocks must fit the limit, and be few
    /// in all or few per edge.
    pub(crate) fn gains_by_bitsets(n: usize, edges: usize) -> bool {
        let blocks = n.saturating_mul(n.div_ceil(64));
        blocks <= MAX_BLOCKS && blocks <= FEW_BLOCKS.max(BLOCKS_AN_EDGE.saturating_mul(edges))
    }

    /// Bytes of the adjacency bitsets of n points: one word and one count per block.
    pub(in crate::rips) fn bitset_bytes(n: usize) -> u64 {
        (n as u64).saturating_mul(12 * n.div_ceil(64) as u64)
    }

    /// The neighbours of a vertex, ascending, and the ranks of the edges to them.
    pub(crate) fn row(&self, v: u32) -> (&[u32], &[u32]) {
        let range = self.offsets[v as usize]..self.offsets[v as usize + 1];
        (&self.neighbours[range.clone()], &self.ranks[range])
    }

    /// Calls `f(w, rank of the cofacet)` for the common neighbours w ≥ `floor` until it asks to stop; ascending, or
    /// descending if `DOWN`.
    #[inline]
    fn common<const DOWN: bool>(
        &self,
        simplex: &[u32],
        rank: u32,
        floor: u32,
        f: impl FnMut(u32, u32) -> bool,
    ) {
        match &self.bitsets {
            Some(bitsets) => bitsets.common::<DOWN>(self, simplex, rank, floor, f),
            None => self.common_by_lists::<DOWN>(simplex, rank, floor, f),
        }
    }

    /// Like [`Sparse::common`], without bitsets: follows the shortest list, and looks its vertices up in the others.
    fn common_by_lists<const DOWN: bool>(
        &self,
        simplex: &[u32],
        rank: u32,
        floor: u32,
        mut f: impl FnMut(u32, u32) -> bool,
    ) {
        let Some(&shortest) = simplex.iter().min_by_key(|&&v| self.row(v).0.len()) else { return };
        let mut others = [Cursor::default(); WALKED];
        let count = simplex.len() - 1;
        for (cursor, &v) in others.iter_mut().zip(simplex.iter().filter(|&&v| v != shortest)) {
            let (list, ranks) = self.row(v);
            *cursor = Cursor { list, ranks, at: if DOWN { list.len() } else { 0 } };
        }
        let walked = &mut others[..count.min(WALKED)];
        let (list, ranks) = self.row(shortest);
        let start = list.partition_point(|&w| w < floor);
        let mut visit = |k: usize| {
            let w = list[k];
            let mut reach = rank.max(ranks[k]);
            for cursor in &mut *walked {
                reach = reach.max(cursor.rank::<DOWN>(w));
                if reach == ABSENT {
                    return true;
                }
            }
            if count > WALKED {
                let more = simplex.iter().filter(|&&v| v != shortest).skip(WALKED);
                reach = more.map(|&v| self.edge(v, w)).fold(reach, u32::max);
            }
            reach == ABSENT || !f(w, reach)
        };
        if DOWN {
            (start..list.len()).rev().all(&mut visit);
        } else {
            (start..list.len()).all(&mut visit);
        }
    }
}

/// Maximum number of lists that cursors follow; in the lists of further vertices edges are found by binary search.
const WALKED: usize = 4;

/// Number of single steps of a cursor before it searches.
const STEPS: usize = 8;

/// A place in a neighbour list that moves along with the vertices looked up in it.
#[derive(Clone, Copy, Default)]
struct Cursor<'a> {
    list: &'a [u32],
    ranks: &'a [u32],
    /// If vertices are looked up in ascending order, the neighbours before this place are less than all later look-ups;
    /// if in descending order, those from it on are greater.
    at: usize,
}

impl Cursor<'_> {
    /// The rank of the edge to `w`, or [`ABSENT`]. `w` must come after all earlier look-ups.
    #[inline]
    fn rank<const DOWN: bool>(&mut self, w: u32) -> u32 {
        let mut steps = 0;
        if DOWN {
            while self.at > 0 && self.list[self.at - 1] > w {
                self.at -= 1;
                steps += 1;
                if steps == STEPS {
                    self.at = self.list[..self.at].partition_point(|&v| v <= w);
                }
            }
            let is_there = self.at > 0 && self.list[self.at - 1] == w;
            return if is_there { self.ranks[self.at - 1] } else { ABSENT };
        }
        while self.at < self.list.len() && self.list[self.at] < w {
            self.at += 1;
            steps += 1;
            if steps == STEPS {
                self.at += self.list[self.at..].partition_point(|&v| v < w);
            }
        }
        if self.list.get(self.at) == Some(&w) { self.ranks[self.at] } else { ABSENT }
    }
}

impl Bitsets {
    /// # Errors
    /// There is no memory for the bitsets.
    fn new(graph: &Sparse) -> Result<Self, Refused> {
        let n = graph.points();
        let blocks = n.div_ceil(64);
        let mut bits: Vec<u64> = memory::zeroed(n * blocks)?;
        let mut before: Vec<u32> = memory::zeroed(n * blocks)?;
        for v in 0..n {
            let row = v * blocks..(v + 1) * blocks;
            for &w in graph.row(v as u32).0 {
                bits[row.start + w as usize / 64] |= 1 << (w % 64);
            }
            let mut count = 0;
            for k in row {
                before[k] = count;
                count += bits[k].count_ones();
            }
        }
        Ok(Bitsets { blocks, bits, before })
    }

    #[inline]
    fn common<const DOWN: bool>(
        &self,
        graph: &Sparse,
        simplex: &[u32],
        rank: u32,
        floor: u32,
        mut f: impl FnMut(u32, u32) -> bool,
    ) {
        let first = floor as usize / 64;
        for step in first..self.blocks {
            let block = if DOWN { self.blocks - 1 - (step - first) } else { step };
            let row = |v: u32| self.bits[v as usize * self.blocks + block];
            let mut both = simplex.iter().fold(u64::MAX, |both, &v| both & row(v));
            if block == first {
                both &= u64::MAX << (floor % 64);
            }
            while both != 0 {
                let bit = if DOWN { both.ilog2() } else { both.trailing_zeros() };
                both ^= 1 << bit;
                let place = |v: u32| self.place(graph, v, block, bit);
                let reach = simplex.iter().fold(rank, |reach, &v| reach.max(graph.ranks[place(v)]));
                if f((64 * block) as u32 + bit, reach) {
                    return;
                }
            }
        }
    }

    /// The index, in `ranks`, of the edge from v to the vertex `64·block + bit`.
    #[inline]
    fn place(&self, graph: &Sparse, v: u32, block: usize, bit: u32) -> usize {
        let k = v as usize * self.blocks + block;
        let below = (self.bits[k] & ((1 << bit) - 1)).count_ones();
        graph.offsets[v as usize] + (self.before[k] + below) as usize
    }
}

impl Complex for Sparse {
    fn points(&self) -> usize {
        self.offsets.len() - 1
    }

    #[inline]
    fn edge(&self, u: u32, v: u32) -> u32 {
        if let Some(bitsets) = &self.bitsets {
            let (block, bit) = (v as usize / 64, v % 64);
            let adjacent = bitsets.bits[u as usize * bitsets.blocks + block] >> bit & 1 == 1;
            return if adjacent { self.ranks[bitsets.place(self, u, block, bit)] } else { ABSENT };
        }
        let (list, ranks) = self.row(u);
        list.binary_search(&v).map_or(ABSENT, |k| ranks[k])
    }

    fn greatest_cofacet(&self, simplex: &[u32], rank: u32, floor: u32) -> Option<u32> {
        let mut found = None;
        self.common::<true>(simplex, rank, floor, |w, reach| {
            found = (reach == rank).then_some(w);
            found.is_some()
        });
        found
    }

    fn cofacets(&self, simplex: &[u32], rank: u32, band: Band, floor: u32, found: &mut Vec<Cofacet>) {
        found.clear();
        self.common::<false>(simplex, rank, floor, |w, reach| {
            if band.contains(reach) {
                found.push(Cofacet { vertex: w, rank: reach });
            }
            false
        });
    }

    fn oldest_cofacet(&self, simplex: &[u32], rank: u32) -> Option<Cofacet> {
        let mut oldest: Option<Cofacet> = None;
        self.common::<true>(simplex, rank, 0, |w, reach| {
            if oldest.is_none_or(|oldest| reach < oldest.rank) {
                oldest = Some(Cofacet { vertex: w, rank: reach });
            }
            reach == rank
        });
        oldest
    }
}
