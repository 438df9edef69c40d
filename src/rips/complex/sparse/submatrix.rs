//! The matrix of the ranks among selected vertices of a graph.
//!
//! One row is filled from the neighbour list of its vertex by looking up each neighbour among the selected vertices. If
//! few vertices of a long list are selected, only the bits that the vertex's bitset shares with the selected vertices
//! are read.

use super::{Bitsets, Sparse};
use crate::rips::complex::ABSENT;
use crate::simd::{Kernel, Rank, Simd};

/// A neighbour list is long if it has more than this many times as many elements as vertices are selected. Then the
/// selected vertices are found by binary search: to scan the list of a hub once for each of its neighbours would take
/// time quadratic in their number.
pub(in crate::rips) const LONG: usize = 8;

/// Cost of finding a neighbour by bits, relative to looking up one element of the list.
const BY_BITS: usize = 2;

/// A set of vertices of a graph, ascending.
#[derive(Debug)]
pub(in crate::rips) struct Subset {
    /// The position of each vertex of the graph among the selected ones, or `ABSENT`.
    numbers: Vec<u32>,
    /// The blocks of 64 vertices that contain selected ones.
    blocks: Vec<Chosen>,
    vertices: Vec<u32>,
}

/// The selected vertices of one block of 64.
#[derive(Debug, Clone, Copy)]
struct Chosen {
    block: usize,
    bits: u64,
    /// Number of selected vertices in earlier blocks.
    before: usize,
}

impl Subset {
    /// The empty subset of a graph with `points` points.
    pub(in crate::rips) fn of_none(points: usize) -> Self {
        Subset { numbers: vec![ABSENT; points], blocks: Vec::new(), vertices: Vec::new() }
    }

    /// Replaces the selected vertices by `vertices`, which ascend.
    pub(in crate::rips) fn choose(&mut self, vertices: &[u32]) {
        self.vertices.iter().for_each(|&v| self.numbers[v as usize] = ABSENT);
        self.vertices.clear();
        self.vertices.extend_from_slice(vertices);
        self.blocks.clear();
        for (number, &v) in self.vertices.iter().enumerate() {
            self.numbers[v as usize] = number as u32;
            let (block, bit) = (v as usize / 64, 1 << (v % 64));
            match self.blocks.last_mut() {
                Some(chosen) if chosen.block == block => chosen.bits |= bit,
                _ => self.blocks.push(Chosen { block, bits: bit, before: number }),
            }
        }
    }

    /// The position of a selected vertex among the selected ones.
    pub(in crate::rips) fn number(&self, v: u32) -> usize {
        self.numbers[v as usize] as usize
    }
}

/// Fills the matrix of the ranks among the selected vertices: rows of length `stride`, `MAX` where there is no edge. In
/// the rows of vertices greater than `top`, only the columns up to `top` are sure to be filled.
pub(in crate::rips) struct Submatrix<'a, R> {
    pub(in crate::rips) graph: &'a Sparse,
    pub(in crate::rips) subset: &'a Subset,
    pub(in crate::rips) top: u32,
    pub(in crate::rips) stride: usize,
    pub(in crate::rips) ranks: &'a mut Vec<R>,
}

impl<R: Rank> Kernel<R> for Submatrix<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<R>>(self, _: S) {
        let Submatrix { graph, subset, top, stride, ranks } = self;
        let chosen = subset.vertices.len();
        ranks.clear();
        // One more element, so that each row has a place after it to which neighbours that are not selected are
        // written.
        ranks.resize(chosen * stride + 1, R::MAX);
        for (k, &v) in subset.vertices.iter().enumerate() {
            let row = &mut ranks[k * stride..=(k + 1) * stride];
            let up_to = if v > top { top } else { u32::MAX };
            let (neighbours, _) = graph.row(v);
            if neighbours.len() / LONG > chosen {
                by_search(graph, subset, v, row);
                continue;
            }
            if let Some(bitsets) = graph.bitsets.as_ref().filter(|_| neighbours.len() > subset.blocks.len()) {
                let common = number_of_common(bitsets, subset, v);
                if BY_BITS * common + subset.blocks.len() < neighbours.len() {
                    by_bits(graph, bitsets, subset, v, up_to, row);
                    continue;
                }
            }
            by_list(graph, subset, v, up_to, row);
            row[stride] = R::MAX;
        }
        ranks.truncate(chosen * stride);
    }
}

/// Fills a row by binary search for each selected vertex in the list of `v`.
#[inline(always)]
fn by_search<R: Rank>(graph: &Sparse, subset: &Subset, v: u32, row: &mut [R]) {
    let (neighbours, ranks) = graph.row(v);
    for (out, w) in row.iter_mut().zip(&subset.vertices) {
        if let Ok(place) = neighbours.binary_search(w) {
            *out = R::narrow(ranks[place]);
        }
    }
}

/// Fills a row from the list of `v`. Neighbours that are not selected are written to the element after the row.
#[inline(always)]
fn by_list<R: Rank>(graph: &Sparse, subset: &Subset, v: u32, up_to: u32, row: &mut [R]) {
    let (neighbours, ranks) = graph.row(v);
    let end = if up_to == u32::MAX { neighbours.len() } else { neighbours.partition_point(|&w| w <= up_to) };
    let behind = row.len() - 1;
    for (&w, &rank) in neighbours[..end].iter().zip(&ranks[..end]) {
        let place = (subset.numbers[w as usize] as usize).min(behind);
        row[place] = R::narrow(rank);
    }
}

/// Number of selected vertices that are neighbours of `v`.
#[inline(always)]
fn number_of_common(bitsets: &Bitsets, subset: &Subset, v: u32) -> usize {
    let bits = &bitsets.bits[v as usize * bitsets.blocks..][..bitsets.blocks];
    let mut common = 0;
    for chosen in &subset.blocks {
        common += (bits[chosen.block] & chosen.bits).count_ones() as usize;
    }
    common
}

/// Fills a row from the bits that are set both for the neighbours of `v` and for the selected vertices.
#[inline(always)]
fn by_bits<R: Rank>(graph: &Sparse, bitsets: &Bitsets, subset: &Subset, v: u32, up_to: u32, row: &mut [R]) {
    let places = v as usize * bitsets.blocks..(v as usize + 1) * bitsets.blocks;
    let (bits, before) = (&bitsets.bits[places.clone()], &bitsets.before[places]);
    let (_, ranks) = graph.row(v);
    for chosen in &subset.blocks {
        let word = bits[chosen.block];
        let mut common = word & chosen.bits;
        if common == 0 {
            continue;
        }
        if 64 * chosen.block + 63 > up_to as usize {
            // Keep the bits of vertices up to `up_to`; in later blocks that leaves none.
            let kept = (up_to as usize + 1).saturating_sub(64 * chosen.block);
            common &= (1 << kept) - 1;
        }
        while common != 0 {
            let below = (common & common.wrapping_neg()) - 1;
            common &= common - 1;
            let column = chosen.before + (chosen.bits & below).count_ones() as usize;
            let place = before[chosen.block] as usize + (word & below).count_ones() as usize;
            row[column] = R::narrow(ranks[place]);
        }
    }
}
