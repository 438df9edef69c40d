//! Chains and cochains: simplices of one dimension with coefficients in Z/p.

use std::slice::ChunksExact;

use serde::{Deserialize, Serialize};

use crate::rips::code::Code;
use crate::rips::submatrix_reduction::Multiple;
use crate::rips::word::Word;

/// A chain or a cochain over Z/p: simplices of one dimension, each with a coefficient from 1 to p − 1.
///
/// A simplex is oriented by its vertices in ascending order.
///
/// ```
/// use lacuna::rips::Chain;
///
/// // The boundary of the triangle of the points 0, 1 and 2, over Z/3: [1, 2] − [0, 2] + [0, 1].
/// let boundary = Chain::new(1, vec![1, 2, 0, 2, 0, 1], vec![1, 2, 1])?;
/// let terms: Vec<(&[u32], u16)> = boundary.iter().collect();
/// assert_eq!(terms, [(&[1, 2][..], 1), (&[0, 2][..], 2), (&[0, 1][..], 1)]);
/// # Ok::<(), lacuna::rips::ChainError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    dimension: usize,
    vertices: Vec<u32>,
    coefficients: Vec<u16>,
}

/// Reasons for which simplices and coefficients do not form a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// The number of vertices does not match the number of coefficients.
    #[error(
        "chain: expected {expected} vertices for {simplices} simplices of dimension {dimension}, found {found}"
    )]
    Vertices {
        /// The dimension of the simplices.
        dimension: usize,
        /// The number of coefficients.
        simplices: usize,
        /// The number of vertices that this many simplices have.
        expected: usize,
        /// The number of vertices given.
        found: usize,
    },
    /// The vertices of a simplex do not ascend.
    #[error("chain: expected ascending vertices, found {vertices:?} in simplex {simplex}")]
    Order {
        /// The index of the simplex, 0-based.
        simplex: usize,
        /// The vertices of the simplex.
        vertices: Vec<u32>,
    },
    /// A coefficient is 0.
    #[error("chain: expected a coefficient of 1 or more, found 0 in simplex {simplex}")]
    Coefficient {
        /// The index of the simplex, 0-based.
        simplex: usize,
    },
}

impl Chain {
    /// Makes a chain of simplices of one dimension. `vertices` lists the simplices one after another, each with
    /// `dimension` + 1 ascending vertices; `coefficients` has one element for each simplex, none of them 0.
    ///
    /// # Errors
    /// [`ChainError`]: the lengths do not match, vertices do not ascend, or a coefficient is 0.
    pub fn new(dimension: usize, vertices: Vec<u32>, coefficients: Vec<u16>) -> Result<Self, ChainError> {
        let (simplices, found) = (coefficients.len(), vertices.len());
        let expected = simplices.saturating_mul(dimension.saturating_add(1));
        if expected != found {
            return Err(ChainError::Vertices { dimension, simplices, expected, found });
        }
        let chain = Chain { dimension, vertices, coefficients };
        for (simplex, (vertices, coefficient)) in chain.iter().enumerate() {
            if !vertices.is_sorted_by(|a, b| a < b) {
                return Err(ChainError::Order { simplex, vertices: vertices.to_vec() });
            }
            if coefficient == 0 {
                return Err(ChainError::Coefficient { simplex });
            }
        }
        Ok(chain)
    }

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
    pub fn iter(&self) -> Terms<'_> {
        let simplices = self.vertices.chunks_exact(self.dimension.saturating_add(1));
        Terms { simplices, coefficients: self.coefficients.iter() }
    }
}

/// The simplices of a chain with their coefficients.
#[derive(Debug, Clone)]
pub struct Terms<'a> {
    simplices: ChunksExact<'a, u32>,
    coefficients: std::slice::Iter<'a, u16>,
}

impl<'a> Iterator for Terms<'a> {
    type Item = (&'a [u32], u16);

    fn next(&mut self) -> Option<Self::Item> {
        self.simplices.next().zip(self.coefficients.next().copied())
    }
}

impl<'a> IntoIterator for &'a Chain {
    type Item = (&'a [u32], u16);
    type IntoIter = Terms<'a>;

    fn into_iter(self) -> Terms<'a> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_walked_simplex_by_simplex() {
        let chain = Chain::new(2, vec![0, 1, 5, 2, 3, 4], vec![1, 4]).unwrap();
        assert_eq!((chain.dimension(), chain.len(), chain.is_empty()), (2, 2, false));
        let terms: Vec<(Vec<u32>, u16)> = (&chain).into_iter().map(|(s, c)| (s.to_vec(), c)).collect();
        assert_eq!(terms, [(vec![0, 1, 5], 1), (vec![2, 3, 4], 4)]);
        assert!(Chain::new(3, vec![], vec![]).unwrap().is_empty());
    }

    #[test]
    fn what_makes_no_chain_is_refused() {
        let error = |dimension, vertices, coefficients| {
            Chain::new(dimension, vertices, coefficients).unwrap_err().to_string()
        };
        let message = error(1, vec![0, 1, 2], vec![1, 1]);
        assert_eq!(message, "chain: expected 4 vertices for 2 simplices of dimension 1, found 3");
        let message = error(1, vec![0, 1, 2, 2], vec![1, 1]);
        assert_eq!(message, "chain: expected ascending vertices, found [2, 2] in simplex 1");
        let message = error(0, vec![0], vec![0]);
        assert_eq!(message, "chain: expected a coefficient of 1 or more, found 0 in simplex 0");
        assert!(error(usize::MAX, vec![0], vec![1]).contains("found 1"));
    }
}
