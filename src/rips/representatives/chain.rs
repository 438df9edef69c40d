//! Chains and cochains: simplices of one dimension with coefficients in Z/p.

use serde::{Deserialize, Serialize};

use crate::rips::code::Code;
use crate::rips::submatrix_reduction::Multiple;
use crate::rips::word::Word;

/// A chain or a cochain over Z/p: simplices of one dimension, each with a coefficient from 1 to p − 1.
///
/// A simplex is oriented by its vertices in ascending order.
///
/// ```
/// use lacuna::metric::PointCloud;
/// use lacuna::rips::{RepresentativeKind, RepresentativesRequest, Rips};
///
/// // The loop of a square: its four sides.
/// let corners = PointCloud::new(2, vec![0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let cycles = RepresentativesRequest::of([RepresentativeKind::Cycles]);
/// let outcome = Rips::new(corners).representatives(cycles).solve(&())?;
/// let found = outcome.representatives().map(|found| found.of_dimension(1));
/// let cycle = found.and_then(|found| found[0].cycle.as_ref()).expect("cycles were requested");
/// let mut sides: Vec<&[u32]> = cycle.iter().map(|(vertices, _)| vertices).collect();
/// sides.sort_unstable();
/// assert_eq!(sides, [[0, 1], [0, 3], [1, 2], [2, 3]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    dimension: usize,
    vertices: Vec<u32>,
    coefficients: Vec<u16>,
}

impl Chain {
    /// The chain of the given terms: entries in the layout `code`, with coefficients.
    pub(super) fn of_terms<W: Word>(code: Code<W>, terms: impl Iterator<Item = Multiple<W>>) -> Self {
        let dimension = code.vertices() as usize - 1;
        let (mut vertices, mut coefficients, mut simplex) = (Vec::new(), Vec::new(), Vec::new());
        for (entry, coefficient) in terms {
            code.vertices_of(entry, &mut simplex);
            vertices.extend(simplex.iter().rev());
            coefficients.push(coefficient);
        }
        Chain { dimension, vertices, coefficients }
    }

    /// Replaces each vertex v by the point `points[v]` and sorts the vertices of each simplex. An odd permutation
    /// changes the sign of the coefficient in Z/`modulus`.
    pub(super) fn rename(&mut self, points: &[usize], modulus: u16) {
        let simplices = self.vertices.chunks_exact_mut(self.dimension + 1);
        for (simplex, coefficient) in simplices.zip(&mut self.coefficients) {
            // Points are numbers of 32 bits.
            simplex.iter_mut().for_each(|vertex| *vertex = points[*vertex as usize] as u32);
            let swapped = |k: usize| simplex[..k].iter().filter(|&&before| before > simplex[k]).count();
            if (1..simplex.len()).map(swapped).sum::<usize>() % 2 == 1 {
                *coefficient = modulus - *coefficient;
            }
            simplex.sort_unstable();
        }
    }

    /// The dimension of the simplices.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The number of simplices.
    pub fn len(&self) -> usize {
        self.coefficients.len()
    }

    /// Whether the chain is 0.
    pub fn is_empty(&self) -> bool {
        self.coefficients.is_empty()
    }

    /// The vertices of all simplices, one simplex after another.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The coefficients of the simplices.
    pub fn coefficients(&self) -> &[u16] {
        &self.coefficients
    }

    /// The simplices, as their vertices in ascending order, with their coefficients.
    pub fn iter(&self) -> impl Iterator<Item = (&[u32], u16)> {
        let simplices = self.vertices.chunks_exact(self.dimension + 1);
        simplices.zip(self.coefficients.iter().copied())
    }
}
