//! Bars and diagrams, the results of all paths.

use serde::{Deserialize, Serialize};

use crate::metric::Precision;

pub mod betti;
pub mod distance;
pub(crate) mod infinite;
pub mod landscape;
mod selection;
pub mod vectors;

pub use selection::{BarSelection, SelectionError};

/// One persistence interval `[birth, death)`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Filtration value at which the class appears.
    pub birth: f64,
    /// Filtration value at which the class disappears; infinity for an essential bar, which JSON writes as `null`.
    #[serde(deserialize_with = "infinite::deserialize")]
    pub death: f64,
}

impl Bar {
    /// Whether the class never dies.
    pub fn is_essential(&self) -> bool {
        self.death == f64::INFINITY
    }
}

/// A bar whose death is not below its birth: a bar that goes down is reversed.
fn turned((birth, death): (f64, f64)) -> (f64, f64) {
    if birth <= death { (birth, death) } else { (death, birth) }
}

/// The bars of every dimension from 0 up, none of length zero.
///
/// Bars have a canonical order that does not depend on the number of threads. Dimension 0 is sorted by ascending
/// death, essential bars last, and bars of equal death by descending birth. Higher dimensions are in the order of
/// reduction (descending birth, ties by ascending combinatorial index of the birth simplex), as in Ripser.
///
/// ```
/// use lacuna::{Bar, Diagram};
///
/// let diagram = Diagram::new(vec![vec![Bar { birth: 0.0, death: 1.5 }], vec![Bar { birth: 1.0, death: 2.0 }]]);
/// for (dim, Bar { birth, death }) in diagram.iter() {
///     println!("{dim}: [{birth}, {death})");
/// }
/// assert_eq!(diagram.bars(1).len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Diagram {
    dimensions: Vec<Vec<Bar>>,
}

impl Diagram {
    /// Creates a diagram from the bars of dimensions 0, 1, ….
    pub fn new(dimensions: Vec<Vec<Bar>>) -> Self {
        Diagram { dimensions }
    }

    /// Number of computed dimensions; some may have no bars.
    pub fn len(&self) -> usize {
        self.dimensions.len()
    }

    /// Whether no dimension was computed.
    pub fn is_empty(&self) -> bool {
        self.dimensions.is_empty()
    }

    /// The bars of one dimension; none if it was not computed.
    pub fn bars(&self, dim: usize) -> &[Bar] {
        self.dimensions.get(dim).map_or(&[], Vec::as_slice)
    }

    /// Iterates over all bars with their dimensions, by dimension.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Bar)> + Clone + '_ {
        self.dimensions.iter().enumerate().flat_map(|(dim, bars)| bars.iter().map(move |&bar| (dim, bar)))
    }

    /// Removes the finite bars of dimension ≥ 1 whose death is at most `ratio` times their birth. Essential bars
    /// stay, and at a ratio of 1 all bars do.
    ///
    /// `precision` is that of the distances from which the diagram was computed. The ratio and the product are
    /// rounded to it: in single precision the remaining bars are those of Ripser's `--ratio`.
    pub fn with_ratio(&self, ratio: f64, precision: Precision) -> Diagram {
        let exceeds = |bar: &Bar| match precision {
            Precision::Single => bar.death as f32 > bar.birth as f32 * ratio as f32,
            Precision::Double => bar.death > bar.birth * ratio,
        };
        // No bar has length zero. A bar born at 0 exceeds any ratio, even one that overflows when it is rounded.
        let keep = |bar: &Bar| ratio <= 1.0 || bar.is_essential() || bar.birth == 0.0 || exceeds(bar);
        let dimensions = self
            .dimensions
            .iter()
            .enumerate()
            .map(|(dim, bars)| bars.iter().copied().filter(|bar| dim == 0 || keep(bar)).collect());
        Diagram { dimensions: dimensions.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_dimension_1(bars: &[(f64, f64)]) -> Diagram {
        Diagram::new(vec![vec![], bars.iter().map(|&(birth, death)| Bar { birth, death }).collect()])
    }

    #[test]
    fn no_ratio_is_too_great_for_a_birth_at_0() {
        let diagram = of_dimension_1(&[(0.0, 1.0), (1.0, 2.0)]);
        for precision in [Precision::Single, Precision::Double] {
            // The first ratio is infinite in single precision.
            for ratio in [1e39, f64::INFINITY] {
                assert_eq!(diagram.with_ratio(ratio, precision), of_dimension_1(&[(0.0, 1.0)]));
            }
        }
    }

    #[test]
    fn a_ratio_of_one_leaves_every_bar() {
        let diagram =
            of_dimension_1(&[(1.0, 1.0 + 1e-9), (1e-50, 2e-50), (1e39, 2e39), (0.0, f64::INFINITY)]);
        for precision in [Precision::Single, Precision::Double] {
            assert_eq!(diagram.with_ratio(1.0, precision), diagram);
        }
    }

    #[test]
    fn ratios_are_compared_in_the_precision_of_the_distances() {
        let diagram =
            of_dimension_1(&[(1.0, 1.0 + 1e-9), (1e-50, 2e-50), (1e39, 2e39), (3.0, f64::INFINITY)]);
        let left = |ratio| -> Vec<f64> {
            diagram.with_ratio(ratio, Precision::Double).bars(1).iter().map(|bar| bar.birth).collect()
        };
        assert_eq!(left(1.0 + 1e-10), [1.0, 1e-50, 1e39, 3.0]);
        assert_eq!(left(1.5), [1e-50, 1e39, 3.0]);
        assert_eq!(left(2.0), [3.0]);
        // 1.1 is greater in single than in double precision; so is its product with 1, which equals the death.
        let death = f64::from(1.1f32);
        let single = of_dimension_1(&[(1.0, death)]);
        assert_eq!(single.with_ratio(1.1, Precision::Single).bars(1), []);
        assert_eq!(single.with_ratio(1.1, Precision::Double).bars(1).len(), 1);
    }

    #[test]
    fn diagrams_are_walked_by_dimension() {
        let diagram = Diagram::new(vec![
            vec![],
            vec![Bar { birth: 1.0, death: 2.0 }, Bar { birth: 1.5, death: 2.0 }],
            vec![],
            vec![Bar { birth: 3.0, death: f64::INFINITY }],
        ]);
        let expected: Vec<(usize, f64)> = vec![(1, 1.0), (1, 1.5), (3, 3.0)];
        let births = diagram.iter().map(|(dim, bar)| (dim, bar.birth));
        assert_eq!(births.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn diagrams_are_read_back_from_json() {
        let diagram = Diagram::new(vec![vec![Bar { birth: 0.0, death: f64::INFINITY }], vec![]]);
        let json = serde_json::to_string(&diagram).unwrap();
        assert_eq!(json, r#"{"dimensions":[[{"birth":0.0,"death":null}],[]]}"#);
        assert_eq!(serde_json::from_str::<Diagram>(&json).unwrap(), diagram);
    }
}
