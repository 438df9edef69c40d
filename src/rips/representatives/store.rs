//! Storage of a diagram's representatives in flat tables, and views of single representatives.

use serde::{Deserialize, Serialize};

use super::chain::Chain;
use crate::diagram::Bar;

/// The vertices of a simplex that does not exist: no vertex has this number.
pub(super) const NO_VERTEX: u32 = u32::MAX;

/// Representatives of bars, in the order of their diagram.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Representatives {
    /// The tables of dimensions 0, 1, ….
    pub(super) dimensions: Vec<Table>,
}

/// A bar with its birth and death simplices and other representatives.
///
/// Vertices are ids of points of the input, 0-based, and ascend within a simplex.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Representative<'a> {
    /// The bar.
    pub bar: Bar,
    /// The dimension of the bar.
    pub dim: usize,
    /// The index of the bar in its dimension, as in [`Diagram::bars`](crate::Diagram::bars).
    pub index: usize,
    /// The birth simplex, whose dimension is that of the bar.
    pub birth: &'a [u32],
    /// The death simplex, one dimension above; `None` for an essential bar.
    pub death: Option<&'a [u32]>,
    /// The longest edge of the birth simplex, whose length is the birth of the bar; `None` in dimension 0.
    pub birth_edge: Option<[u32; 2]>,
    /// The longest edge of the death simplex, whose length is the death of the bar; `None` for an essential bar.
    pub death_edge: Option<[u32; 2]>,
    /// A cocycle that represents the class, if requested; `None` in dimension 0.
    pub cocycle: Option<&'a Chain>,
    /// A cycle that represents the class, if requested; `None` in dimension 0.
    pub cycle: Option<&'a Chain>,
}

/// The representatives of one dimension: row k of each column belongs to the k-th chosen bar, in the order of the
/// diagram.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Table {
    /// The chosen bars.
    pub(super) bars: Vec<Bar>,
    /// The indices of these bars in the dimension, ascending.
    pub(super) places: Vec<usize>,
    /// The vertices of the birth simplices, dim + 1 per row.
    pub(super) births: Vec<u32>,
    /// The vertices of the death simplices, dim + 2 per row, all of them [`NO_VERTEX`] for an essential bar.
    pub(super) deaths: Vec<u32>,
    /// The longest edges of the birth simplices; empty in dimension 0.
    pub(super) birth_edges: Vec<[u32; 2]>,
    /// The longest edges of the death simplices; both vertices are [`NO_VERTEX`] for an essential bar.
    pub(super) death_edges: Vec<[u32; 2]>,
    /// The cocycles; empty if they are not requested, and in dimension 0.
    pub(super) cocycles: Vec<Chain>,
    /// The cycles; empty if they are not requested, and in dimension 0.
    pub(super) cycles: Vec<Chain>,
}

impl Representatives {
    /// All representatives, by ascending dimension.
    pub fn iter(&self) -> impl Iterator<Item = Representative<'_>> + Clone {
        (0..self.dimensions.len()).flat_map(|dim| self.of_dimension(dim))
    }

    /// The representatives of one dimension; none if it was not computed.
    pub fn of_dimension(&self, dim: usize) -> impl ExactSizeIterator<Item = Representative<'_>> + Clone {
        let table = self.dimensions.get(dim);
        let rows = table.map_or(0, |table| table.bars.len());
        (0..rows).map(move |row| table.expect("there are rows").row(dim, row))
    }

    /// The highest computed dimension plus one. A dimension may have no bars, or none that were chosen.
    pub fn dimensions(&self) -> usize {
        self.dimensions.len()
    }

    /// The number of bars with representatives.
    pub fn len(&self) -> usize {
        self.dimensions.iter().map(|table| table.bars.len()).sum()
    }

    /// Whether no bar has representatives.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces each vertex v by the point `points[v]`. Coefficients are in Z/`modulus`.
    pub(in crate::rips) fn rename(&mut self, points: &[usize], modulus: u16) {
        for (dim, table) in self.dimensions.iter_mut().enumerate() {
            table.births.chunks_exact_mut(dim + 1).for_each(|simplex| rename(simplex, points));
            table.deaths.chunks_exact_mut(dim + 2).for_each(|simplex| rename(simplex, points));
            let edges = table.birth_edges.iter_mut().chain(&mut table.death_edges);
            edges.for_each(|edge| rename(edge, points));
            let chains = table.cocycles.iter_mut().chain(&mut table.cycles);
            chains.for_each(|chain| chain.rename(points, modulus));
        }
    }
}

impl<'a> IntoIterator for &'a Representatives {
    type Item = Representative<'a>;
    type IntoIter = Box<dyn Iterator<Item = Representative<'a>> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

/// Replaces each vertex v of a simplex by the point `points[v]`, and sorts the points.
fn rename(simplex: &mut [u32], points: &[usize]) {
    if simplex[0] != NO_VERTEX {
        // Points are numbers of 32 bits.
        simplex.iter_mut().for_each(|vertex| *vertex = points[*vertex as usize] as u32);
        simplex.sort_unstable();
    }
}

impl Table {
    /// The view of a row of this table, whose dimension is `dim`.
    fn row(&self, dim: usize, row: usize) -> Representative<'_> {
        let is_there = |vertices: &&[u32]| vertices[0] != NO_VERTEX;
        Representative {
            bar: self.bars[row],
            dim,
            index: self.places[row],
            birth: &self.births[row * (dim + 1)..][..dim + 1],
            death: Some(&self.deaths[row * (dim + 2)..][..dim + 2]).filter(is_there),
            birth_edge: self.birth_edges.get(row).copied(),
            death_edge: Some(self.death_edges[row]).filter(|edge| edge[0] != NO_VERTEX),
            cocycle: self.cocycles.get(row),
            cycle: self.cycles.get(row),
        }
    }

    /// Keeps only the rows whose bars have these indices, which ascend.
    pub(super) fn retain(&mut self, dim: usize, places: &[usize]) {
        let kept: Vec<bool> = self.places.iter().map(|place| places.binary_search(place).is_ok()).collect();
        retain_rows(&mut self.bars, 1, &kept);
        retain_rows(&mut self.places, 1, &kept);
        retain_rows(&mut self.births, dim + 1, &kept);
        retain_rows(&mut self.deaths, dim + 2, &kept);
        retain_rows(&mut self.birth_edges, 1, &kept);
        retain_rows(&mut self.death_edges, 1, &kept);
        retain_rows(&mut self.cocycles, 1, &kept);
        retain_rows(&mut self.cycles, 1, &kept);
    }
}

/// Keeps the rows of `width` elements each that are marked in `kept`. An empty column stays empty.
fn retain_rows<T>(column: &mut Vec<T>, width: usize, kept: &[bool]) {
    let mut element = 0;
    column.retain(|_| {
        element += 1;
        kept[(element - 1) / width]
    });
}
