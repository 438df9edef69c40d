//! The representatives of a diagram's bars.

use serde::{Deserialize, Serialize};

use super::chain::Chain;
use crate::diagram::Bar;

/// Representatives of bars, in the order of their diagram.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Representatives {
    /// The representatives of dimensions 0, 1, ….
    pub(super) dimensions: Vec<Vec<Representative>>,
}

/// A bar with its birth and death simplices and other representatives.
///
/// Vertices are ids of points of the input, 0-based, and ascend within a simplex.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Representative {
    /// The bar.
    pub bar: Bar,
    /// The dimension of the bar.
    pub dim: usize,
    /// The index of the bar in its dimension, as in [`Diagram::bars`](crate::Diagram::bars).
    pub index: usize,
    /// The birth simplex, whose dimension is that of the bar.
    pub birth: Vec<u32>,
    /// The death simplex, one dimension above; `None` for an essential bar.
    pub death: Option<Vec<u32>>,
    /// The longest edge of the birth simplex, whose length is the birth of the bar; `None` in dimension 0.
    pub birth_edge: Option<[u32; 2]>,
    /// The longest edge of the death simplex, whose length is the death of the bar; `None` for an essential bar.
    pub death_edge: Option<[u32; 2]>,
    /// A cocycle that represents the class, if requested; `None` in dimension 0.
    pub cocycle: Option<Box<Chain>>,
    /// A cycle that represents the class, if requested; `None` in dimension 0.
    pub cycle: Option<Box<Chain>>,
}

impl Representatives {
    /// All representatives, by ascending dimension.
    pub fn iter(&self) -> impl Iterator<Item = &Representative> + Clone {
        self.dimensions.iter().flatten()
    }

    /// The representatives of one dimension; none if it was not computed.
    pub fn of_dimension(&self, dim: usize) -> &[Representative] {
        self.dimensions.get(dim).map_or(&[], |representatives| representatives)
    }

    /// The highest computed dimension plus one. A dimension may have no bars, or none that were chosen.
    pub fn dimensions(&self) -> usize {
        self.dimensions.len()
    }

    /// The number of bars with representatives.
    pub fn len(&self) -> usize {
        self.dimensions.iter().map(Vec::len).sum()
    }

    /// Whether no bar has representatives.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces each vertex v by the point `points[v]`. Coefficients are in Z/`modulus`.
    pub(in crate::rips) fn rename(&mut self, points: &[usize], modulus: u16) {
        let rename = |simplex: &mut [u32]| {
            // Points are numbers of 32 bits.
            simplex.iter_mut().for_each(|vertex| *vertex = points[*vertex as usize] as u32);
            simplex.sort_unstable();
        };
        for found in self.dimensions.iter_mut().flatten() {
            rename(&mut found.birth);
            found.death.iter_mut().for_each(|death| rename(death));
            found.birth_edge.iter_mut().chain(&mut found.death_edge).for_each(|edge| rename(edge));
            let chains = found.cocycle.iter_mut().chain(&mut found.cycle);
            chains.for_each(|chain| chain.rename(points, modulus));
        }
    }
}
