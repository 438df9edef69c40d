//! Distances of some pairs of points: weighted graphs.

use super::{MetricError, Value, births};
use crate::input::Place;

/// Two points and their distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge<T = f32> {
    /// The greater point number.
    pub i: u32,
    /// The smaller point number.
    pub j: u32,
    /// The distance, non-negative.
    pub distance: T,
}

/// A weighted graph on n points. Pairs without an edge are never connected.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseDistances<T = f32> {
    n: usize,
    edges: Vec<Edge<T>>,
    births: Option<Vec<T>>,
}

impl<T: Value> SparseDistances<T> {
    /// Creates a graph from triplets `(i, j, distance)` in any order, with either end first. Edges of infinite length
    /// are dropped.
    ///
    /// # Errors
    /// There are no points or more than 2^32 − 1; a point number is not below `n`; an edge joins a point to itself; a
    /// pair is given twice; or a distance is NaN or negative.
    pub fn new(n: usize, triplets: impl IntoIterator<Item = (u32, u32, T)>) -> Result<Self, MetricError> {
        if n == 0 {
            return Err(MetricError::empty());
        }
        if n > u32::MAX as usize {
            return Err(MetricError::too_many(n));
        }
        let mut edges = Vec::new();
        for (edge, (a, b, distance)) in triplets.into_iter().enumerate() {
            let (i, j) = if a > b { (a, b) } else { (b, a) };
            let problem = |expected: String, found: String| {
                MetricError::new(Place::Named(format!("edge {edge}")), expected, found)
            };
            if i as usize >= n {
                return Err(problem(format!("point ids below {n}"), i.to_string()));
            }
            if i == j {
                return Err(problem("two different points".into(), format!("{i} twice")));
            }
            let d: f64 = distance.into();
            if d.is_nan() || d < 0.0 {
                return Err(MetricError::bad_distance(i as usize, j as usize, d));
            }
            if d.is_finite() {
                edges.push(Edge { i, j, distance });
            }
        }
        edges.sort_unstable_by_key(|e| (e.i, e.j));
        if let Some(twice) = edges.windows(2).find(|w| (w[0].i, w[0].j) == (w[1].i, w[1].j)) {
            let Edge { i, j, .. } = twice[0];
            return Err(MetricError::whole("every pair of points once", format!("points {i} and {j} again")));
        }
        Ok(SparseDistances { n, edges, births: None })
    }

    /// Adds births for a weighted Vietoris–Rips filtration, see [`DistanceMatrix::with_births`].
    ///
    /// # Errors
    /// See [`DistanceMatrix::with_births`].
    ///
    /// [`DistanceMatrix::with_births`]: super::DistanceMatrix::with_births
    pub fn with_births(self, births: Vec<T>) -> Result<Self, MetricError> {
        let births = births::checked(self.n, births)?;
        if let Some(given) = &births {
            let check = |e: &Edge<T>| births::check_edge(given, e.i as usize, e.j as usize, e.distance);
            self.edges.iter().try_for_each(check)?;
        }
        Ok(SparseDistances { births, ..self })
    }

    /// The birth of each point; `None` if all are born at 0.
    pub fn births(&self) -> Option<&[T]> {
        self.births.as_deref()
    }

    /// Number of points, at least 1.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Always false: a graph has at least one point.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The edges, sorted by `(i, j)`.
    pub fn edges(&self) -> &[Edge<T>] {
        &self.edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_points_than_32_bits_number_are_refused() {
        let graph = |n| SparseDistances::<f32>::new(n, []).map(|graph| graph.len());
        let most = u32::MAX as usize;
        assert_eq!(graph(most), Ok(most));
        let error = graph(most + 1).unwrap_err().to_string();
        assert_eq!(error, format!("expected at most {most} points, found {}", most + 1));
    }
}
