//! Bars and diagrams: what every path of the program answers.

use serde::Serialize;

/// One persistence interval `[birth, death)`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bar {
    /// Filtration value at which the class appears.
    pub birth: f64,
    /// Filtration value at which it disappears; infinity for an essential bar.
    pub death: f64,
}

impl Bar {
    /// Whether the class never dies.
    pub fn is_essential(&self) -> bool {
        self.death == f64::INFINITY
    }
}

/// The bars of every dimension from 0 up, none of length zero.
///
/// Bars come in a canonical order that does not depend on the number of threads: dimension 0 by ascending death,
/// essential bars last; higher dimensions in the order their columns are reduced in (descending birth, ties by
/// ascending combinatorial index of the birth simplex), which is Ripser's.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diagram {
    dimensions: Vec<Vec<Bar>>,
}

impl Diagram {
    /// From the bars of dimensions 0, 1, ….
    pub fn new(dimensions: Vec<Vec<Bar>>) -> Self {
        Diagram { dimensions }
    }

    /// The highest dimension computed plus one; some may have no bars.
    pub fn len(&self) -> usize {
        self.dimensions.len()
    }

    /// Whether no dimension was computed.
    pub fn is_empty(&self) -> bool {
        self.dimensions.is_empty()
    }

    /// The bars of one dimension (none when it was not computed).
    pub fn bars(&self, dim: usize) -> &[Bar] {
        self.dimensions.get(dim).map_or(&[], Vec::as_slice)
    }

    /// All bars with their dimension, by dimension.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Bar)> + '_ {
        self.dimensions.iter().enumerate().flat_map(|(dim, bars)| bars.iter().map(move |&bar| (dim, bar)))
    }

    /// The diagram without the finite bars of dimension ≥ 1 whose death is at most `ratio` times their birth,
    /// compared in single precision as Ripser's `--ratio` does. Essential bars stay.
    pub fn with_ratio(&self, ratio: f32) -> Diagram {
        let keep = |bar: &Bar| bar.is_essential() || bar.death as f32 > bar.birth as f32 * ratio;
        let dimensions = self
            .dimensions
            .iter()
            .enumerate()
            .map(|(dim, bars)| bars.iter().copied().filter(|bar| dim == 0 || keep(bar)).collect());
        Diagram { dimensions: dimensions.collect() }
    }
}
