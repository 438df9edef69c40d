//! The representatives of a diagram in flat tables, and the views of them one by one.

use serde::{Deserialize, Serialize};

use super::chain::Chain;
use crate::diagram::Bar;

/// Stands for the vertices of a simplex that is not there: no vertex has this number.
pub(super) const NO_VERTEX: u32 = u32::MAX;

/// Representatives of bars, in the order of their diagram.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Representatives {
    /// Of dimensions 0, 1, ….
    pub(super) dimensions: Vec<Table>,
}

/// A bar, and the simplices with which its class is born and dies.
///
/// Vertices are numbers of points of the input, 0-based, ascending within a simplex.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Representative<'a> {
    /// The bar.
    pub bar: Bar,
    /// Its dimension.
    pub dim: usize,
    /// Its place among the bars of its dimension, as in [`Diagram::bars`](crate::Diagram::bars).
    pub index: usize,
    /// The simplex with which the class is born, of the dimension of the bar.
    pub birth: &'a [u32],
    /// The simplex with which the class dies, one dimension above; none of an essential bar.
    pub death: Option<&'a [u32]>,
    /// The longest edge of the birth simplex: its length is the birth of the bar. In dimension 0 there is none.
    pub birth_edge: Option<[u32; 2]>,
    /// The longest edge of the death simplex: its length is the death of the bar. Of an essential bar there is none.
    pub death_edge: Option<[u32; 2]>,
    /// A cocycle that represents the class, if it was asked for; none in dimension 0.
    pub cocycle: Option<&'a Chain>,
    /// A cycle that represents the class, likewise.
    pub cycle: Option<&'a Chain>,
}

/// The representatives of one dimension: row k of each column is that of one bar, in the order of the diagram.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Table {
    /// The bars.
    pub(super) bars: Vec<Bar>,
    /// Their places among the bars of the dimension, ascending.
    pub(super) places: Vec<usize>,
    /// The vertices of the birth simplices, dim + 1 a row.
    pub(super) births: Vec<u32>,
    /// The vertices of the death simplices, dim + 2 a row; of an essential bar all are [`NO_VERTEX`].
    pub(super) deaths: Vec<u32>,
    /// The longest edges of the birth simplices; empty in dimension 0.
    pub(super) birth_edges: Vec<[u32; 2]>,
    /// The longest edges of the death simplices; of an essential bar both vertices are [`NO_VERTEX`].
    pub(super) death_edges: Vec<[u32; 2]>,
    /// Cocycles; empty if they are not wanted, and in dimension 0.
    pub(super) cocycles: Vec<Chain>,
    /// Cycles, likewise.
    pub(super) cycles: Vec<Chain>,
}

impl Representatives {
    /// All of them, by dimension.
    pub fn iter(&self) -> impl Iterator<Item = Representative<'_>> + Clone {
        (0..self.dimensions.len()).flat_map(|dim| self.of_dimension(dim))
    }

    /// Those of one dimension (none when it was not computed).
    pub fn of_dimension(&self, dim: usize) -> impl ExactSizeIterator<Item = Representative<'_>> + Clone {
        let table = self.dimensions.get(dim);
        let rows = table.map_or(0, |table| table.bars.len());
        (0..rows).map(move |row| table.expect("there are rows").row(dim, row))
    }

    /// The highest dimension computed plus one; some may have no bars, or none that were chosen.
    pub fn dimensions(&self) -> usize {
        self.dimensions.len()
    }

    /// The number of bars.
    pub fn len(&self) -> usize {
        self.dimensions.iter().map(|table| table.bars.len()).sum()
    }

    /// Whether there is no bar.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts for each vertex v the point `points[v]`. Coefficients are in Z/`modulus`.
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

/// Puts for each vertex v of a simplex the point `points[v]`, and the points in ascending order.
fn rename(simplex: &mut [u32], points: &[usize]) {
    if simplex[0] != NO_VERTEX {
        // Points are numbers of 32 bits.
        simplex.iter_mut().for_each(|vertex| *vertex = points[*vertex as usize] as u32);
        simplex.sort_unstable();
    }
}

impl Table {
    /// The view of a row of a table that is of this dimension.
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

    /// Keeps the rows of a table of this dimension whose bars have these places, which ascend.
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

/// Keeps the rows of so many elements that are `kept`. A column that has no rows is left as it is.
fn retain_rows<T>(column: &mut Vec<T>, width: usize, kept: &[bool]) {
    let mut element = 0;
    column.retain(|_| {
        element += 1;
        kept[(element - 1) / width]
    });
}
