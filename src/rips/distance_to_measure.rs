//! Weights by the distance to a measure (DTM), which make the Vietoris–Rips filtration robust against outliers (Anai,
//! Chazal, Glisse, Ike, Inakoshi, Tinarrage, Umeda 2020, "DTM-Based Filtrations").
//!
//! **Births of points.** Take the empirical measure of the points, with the mass of n neighbours and of the point
//! itself. The distance to measure at a point x is then (their Section 4; Chazal, Cohen-Steiner, Mérigot 2011)
//!
//! ```text
//! f(x) = ( (d(x, x₁)^r + … + d(x, xₙ)^r) / (n + 1) )^(1/r)
//! ```
//!
//! where x₁, …, xₙ are the points nearest to x other than x. A point in a sparse region has a large value and is born
//! late.
//!
//! **Births of edges.** In their filtration with parameter p (Definition 3.1) the ball around x at time t ≥ f(x) has
//! the radius (t^p − f(x)^p)^(1/p), which for p = ∞ is t. The edge {x, y} is born when the two balls meet: at the
//! greater of f(x) and f(y) if one ball has reached the other point by then, and otherwise when the sum of both radii
//! is d(x, y).
//!
//! **In diameters.** Ripser's filtration values are diameters, which are twice these times. So here a point is born at
//! w = 2 f(x), as in giotto-ph, and an edge {x, y} of length d, whose ends have the weights v and w, at
//!
//! | p | where | birth |
//! |---|---|---|
//! | 1 | 2d ≤ \|v − w\| | max(v, w) |
//! | | else | d + (v + w) / 2 |
//! | 2 | 4d² ≤ \|v² − w²\| | max(v, w) |
//! | | else | √((d² + (v + w)²/4) (d² + (v − w)²/4)) / d |
//! | ∞ | | max(d, v, w) |
//!
//! With weights of 0 the birth is d. Values are computed in double precision and then rounded to the precision of the
//! distances. Rounding is monotone, so no edge is born before its points.
//!
//! **Edge lists.** Only the neighbours in the list count, and only its edges are born.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::RipsError;
use super::binomial::pair;
use crate::metric::{DistanceMatrix, SparseDistances, Value};
use crate::names::named;
use crate::parallel;

/// The exponent, for messages.
const EXPONENT: &str = "exponent of the distance to measure";

/// Weights of points by their distance to the measure of all points; see [`distance_to_measure`](self).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DistanceToMeasure {
    /// The parameter p of the filtration (default 1).
    pub growth: Growth,
    /// The exponent r of the distance to measure (default 2): finite and above 0.
    pub exponent: f64,
    /// The number n of neighbours, not counting the point itself (default 3).
    pub neighbours: usize,
}

impl Default for DistanceToMeasure {
    fn default() -> Self {
        DistanceToMeasure { growth: Growth::Linear, exponent: 2.0, neighbours: 3 }
    }
}

/// The growth of balls: the parameter p of a filtration by the distance to a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Growth {
    /// p = 1: all radii grow at the same speed, each from the birth of its point on.
    #[default]
    #[cfg_attr(feature = "cli", value(name = "1"))]
    #[serde(rename = "1")]
    Linear,
    /// p = 2: the squares of the radii grow at the same speed.
    #[cfg_attr(feature = "cli", value(name = "2"))]
    #[serde(rename = "2")]
    Quadratic,
    /// p = ∞: the radius of a ball is the time t, whenever its point is born.
    #[cfg_attr(feature = "cli", value(name = "inf"))]
    #[serde(rename = "inf")]
    Unweighted,
}

named!(Growth);

impl Growth {
    /// The birth of an edge of length `d` between points with the births `v` and `w`.
    fn edge(self, d: f64, v: f64, w: f64) -> f64 {
        let (later, apart) = (v.max(w), (v - w).abs());
        if [d, later].contains(&f64::INFINITY) {
            return f64::INFINITY;
        }
        let born = match self {
            Growth::Linear if 2.0 * d <= apart => later,
            Growth::Linear => d + v / 2.0 + w / 2.0,
            // Roots are multiplied because a product could overflow.
            Growth::Quadratic if 2.0 * d <= apart.sqrt() * (v + w).sqrt() => later,
            // Here |v − w|/2 is below d, so the second factor is at most √2.
            Growth::Quadratic => d.hypot(v / 2.0 + w / 2.0) * (d.hypot(apart / 2.0) / d),
            Growth::Unweighted => d,
        };
        born.max(later)
    }
}

impl DistanceToMeasure {
    /// The birth of point `point`, given its distances to all others, which are reordered.
    fn birth(&self, point: usize, distances: &mut Vec<f64>) -> Result<f64, RipsError> {
        let neighbours = self.neighbours;
        distances.retain(|d| d.is_finite());
        let found = distances.len();
        if found < neighbours {
            return Err(RipsError::TooFewNeighbours { point, found, neighbours });
        }
        if neighbours == 0 {
            return Ok(0.0);
        }
        let (_, &mut farthest, _) = distances.select_nth_unstable_by(neighbours - 1, f64::total_cmp);
        if farthest == 0.0 {
            return Ok(0.0);
        }
        // A sum depends on the order of its terms, but the birth must not depend on the order of the points.
        let nearest = &mut distances[..neighbours];
        nearest.sort_unstable_by(f64::total_cmp);
        // Powers of ratios cannot overflow, and the greatest ratio is 1, so that not all of them underflow.
        let ratios = nearest.iter().map(|d| d / farthest);
        let mean = |sum: f64| sum / (neighbours as f64 + 1.0);
        let relative = match self.exponent {
            1.0 => mean(ratios.sum()),
            2.0 => mean(ratios.map(|ratio| ratio * ratio).sum()).sqrt(),
            r => mean(ratios.map(|ratio| ratio.powf(r)).sum()).powf(1.0 / r),
        };
        Ok(2.0 * (farthest * relative))
    }

    fn check(&self) -> Result<(), RipsError> {
        let is_good = self.exponent > 0.0 && self.exponent.is_finite();
        if is_good {
            Ok(())
        } else {
            Err(RipsError::invalid(EXPONENT, "a finite number above 0", self.exponent))
        }
    }
}

/// The weighted distances of a matrix. Births that the points already have are replaced.
///
/// # Errors
/// [`RipsError::Invalid`], [`RipsError::TooFewNeighbours`].
pub(super) fn weighted_matrix<T: Value>(
    matrix: DistanceMatrix<T>,
    measure: &DistanceToMeasure,
) -> Result<DistanceMatrix<T>, RipsError> {
    measure.check()?;
    let n = matrix.len();
    let birth = |i: usize| {
        let others = (0..n).filter(|&j| j != i);
        measure.birth(i, &mut others.map(|j| matrix.get(i, j).into()).collect())
    };
    let births: Vec<f64> = parallel::map(n, &birth).into_iter().collect::<Result<_, _>>()?;
    let mut lower = matrix.into_lower();
    parallel::pieces_mut(&mut lower, ENTRIES, &|piece, entries| {
        let [mut i, mut j] = pair(piece * ENTRIES);
        for entry in entries {
            *entry = T::from_f64(measure.growth.edge((*entry).into(), births[i], births[j]));
            j += 1;
            if j == i {
                (i, j) = (i + 1, 0);
            }
        }
    });
    let weighted = DistanceMatrix::from_lower(lower).and_then(|matrix| matrix.with_births(rounded(&births)));
    Ok(weighted.expect("edges are born with their later point or after it"))
}

/// The weighted distances of a graph. Births that the points already have are replaced.
///
/// # Errors
/// Those of [`weighted_matrix`].
pub(super) fn weighted_graph<T: Value>(
    graph: &SparseDistances<T>,
    measure: &DistanceToMeasure,
) -> Result<SparseDistances<T>, RipsError> {
    measure.check()?;
    let mut near = vec![Vec::new(); graph.len()];
    for edge in graph.edges() {
        near[edge.i as usize].push(edge.distance.into());
        near[edge.j as usize].push(edge.distance.into());
    }
    let birth = |(point, distances): (usize, &mut Vec<f64>)| measure.birth(point, distances);
    let births: Vec<f64> = near.iter_mut().enumerate().map(birth).collect::<Result<_, _>>()?;
    let edges = graph.edges().iter().map(|edge| {
        let [v, w] = [edge.i, edge.j].map(|point| births[point as usize]);
        (edge.i, edge.j, T::from_f64(measure.growth.edge(edge.distance.into(), v, w)))
    });
    let weighted =
        SparseDistances::new(graph.len(), edges).and_then(|graph| graph.with_births(rounded(&births)));
    Ok(weighted.expect("edges are born with their later point or after it"))
}

/// Number of matrix entries that a thread takes at a time.
const ENTRIES: usize = 1 << 12;

fn rounded<T: Value>(births: &[f64]) -> Vec<T> {
    births.iter().map(|&birth| T::from_f64(birth)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rips::random::fraction;

    /// The radius of a ball at time `t` whose point is born at `f`, as the paper defines it.
    fn radius(growth: Growth, t: f64, f: f64) -> f64 {
        match growth {
            Growth::Linear => t - f,
            Growth::Quadratic => (t * t - f * f).max(0.0).sqrt(),
            Growth::Unweighted => t,
        }
    }

    #[test]
    fn edges_are_born_when_the_balls_meet() {
        let mut state = 1;
        for k in 0..3000 {
            let [d, f, g] = [0; 3].map(|_| fraction(&mut state));
            // Every case in turn: different births, equal births, one or two births of 0, and equal points.
            let (d, f, g) = [(d, f, g), (d, f, f), (d, f, 0.0), (d, 0.0, 0.0), (0.0, f, g)][k % 5];
            for growth in Growth::ALL {
                let t = growth.edge(d, 2.0 * f, 2.0 * g) / 2.0;
                let reach = |t: f64| radius(growth, t, f) + radius(growth, t, g);
                let after = t * (1.0 + 1e-9);
                assert!(t >= f.max(g) && reach(after) >= d * (1.0 - 1e-9), "{growth}: {d}, {f}, {g}");
                let before = t * (1.0 - 1e-9);
                assert!(before < f.max(g) || reach(before) <= d, "{growth}: {d}, {f}, {g}");
            }
        }
    }

    #[test]
    fn edges_at_the_ends_of_the_range() {
        for growth in Growth::ALL {
            assert_eq!(growth.edge(3.0, 0.0, 0.0), 3.0);
            assert_eq!(growth.edge(0.0, 0.0, 0.0), 0.0);
            assert_eq!(growth.edge(0.0, 5.0, 5.0), 5.0);
            assert_eq!(growth.edge(f64::INFINITY, 1.0, 1.0), f64::INFINITY);
            assert_eq!(growth.edge(1.0, f64::INFINITY, f64::INFINITY), f64::INFINITY);
            for (d, v, w) in [(1e-300, 1e10, 1e10), (1e300, 1e300, 1e-300), (1e-320, 1e-320, 0.0)] {
                let born = growth.edge(d, v, w);
                assert!(born.is_finite() && born >= d.max(v).max(w) * (1.0 - 1e-12), "{growth}: {born}");
            }
        }
    }

    #[test]
    fn births_of_a_few_points() {
        // The points 0, 1, 3 and 7 on a line.
        let at = [0.0, 1.0, 3.0, 7.0];
        let matrix = || DistanceMatrix::from_fn(4, |i, j| f64::abs(at[i] - at[j])).unwrap();
        let births = |exponent, neighbours| {
            let measure = DistanceToMeasure { exponent, neighbours, growth: Growth::Unweighted };
            weighted_matrix(matrix(), &measure).map(|matrix| matrix.births().map(<[f64]>::to_vec))
        };
        let near = |found: Option<Vec<f64>>, expected: [f64; 4]| {
            let found = found.unwrap();
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        };
        near(births(1.0, 1).unwrap(), [1.0, 1.0, 2.0, 4.0]);
        near(births(1.0, 2).unwrap(), [8.0 / 3.0, 2.0, 10.0 / 3.0, 20.0 / 3.0]);
        near(births(2.0, 2).unwrap(), [10.0, 5.0, 13.0, 52.0].map(|sum: f64| 2.0 * (sum / 3.0).sqrt()));
        near(births(3.0, 2).unwrap(), [28.0, 9.0, 35.0, 280.0].map(|sum: f64| 2.0 * (sum / 3.0).cbrt()));
        assert_eq!(births(2.0, 0), Ok(None));
        assert_eq!(births(2.0, 4), Err(RipsError::TooFewNeighbours { point: 0, found: 3, neighbours: 4 }));
        assert!(matches!(births(f64::NAN, 1), Err(RipsError::Invalid { .. })));
        assert_eq!(births(0.0, 1), Err(RipsError::invalid(EXPONENT, "a finite number above 0", 0.0)));
    }

    /// The complete graph is weighted as its matrix, also if a thread's entries are not a whole number of rows; and the
    /// order of the points changes nothing.
    #[test]
    fn shapes_and_orders_agree() {
        let mut state = 7;
        for n in [4, 5, 33, 120] {
            let matrix = DistanceMatrix::from_fn(n, |_, _| (8.0 * fraction(&mut state)) as f32).unwrap();
            let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
            let edges = pairs.map(|(i, j)| (i as u32, j as u32, matrix.get(i, j)));
            let graph = SparseDistances::new(n, edges).unwrap();
            let reversed = DistanceMatrix::from_fn(n, |i, j| matrix.get(n - 1 - i, n - 1 - j)).unwrap();
            for growth in Growth::ALL {
                let measure = DistanceToMeasure { growth, ..DistanceToMeasure::default() };
                let dense = weighted_matrix(matrix.clone(), &measure).unwrap();
                let sparse = weighted_graph(&graph, &measure).unwrap();
                let back = weighted_matrix(reversed.clone(), &measure).unwrap();
                assert_eq!(dense.births(), sparse.births());
                for edge in sparse.edges() {
                    let [i, j] = [edge.i as usize, edge.j as usize];
                    assert_eq!(edge.distance, dense.get(i, j));
                    assert_eq!(edge.distance, back.get(n - 1 - i, n - 1 - j));
                }
            }
        }
    }
}
