//! Birth values of points: the diagonal of a weighted Vietoris–Rips filtration.

use super::{MetricError, Value};

/// The births of the points of a metric.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Births<T> {
    /// All points are born at 0.
    Zero,
    /// One birth per point, non-negative, not all 0.
    Given(Vec<T>),
}

impl<T: Value> Births<T> {
    /// Creates the births of `n` points.
    ///
    /// # Errors
    /// The number of births is not `n`; or a birth is NaN or negative.
    pub(super) fn new(n: usize, births: Vec<T>) -> Result<Self, MetricError> {
        if births.len() != n {
            return Err(MetricError::Births { points: n, found: births.len() });
        }
        let zero = T::from_f64(0.0);
        if let Some(i) =
            births.iter().position(|birth| !matches!(birth.partial_cmp(&zero), Some(o) if o.is_ge()))
        {
            return Err(MetricError::BadBirth { i, found: births[i].into() });
        }
        Ok(if births.iter().all(|&birth| birth == zero) { Births::Zero } else { Births::Given(births) })
    }

    pub(super) fn given(&self) -> Option<&[T]> {
        match self {
            Births::Zero => None,
            Births::Given(births) => Some(births),
        }
    }
}

/// Checks that the distance of points i and j is not below one of their births.
pub(super) fn check_edge<T: Value>(births: &[T], i: usize, j: usize, distance: T) -> Result<(), MetricError> {
    let born = if births[i] > births[j] { i } else { j };
    if distance >= births[born] {
        return Ok(());
    }
    Err(MetricError::EdgeBeforePoint { i, j, born, birth: births[born].into(), found: distance.into() })
}

#[cfg(test)]
mod tests {
    use crate::metric::{DistanceMatrix, MetricError, SparseDistances};

    const INF: f32 = f32::INFINITY;

    #[test]
    fn births_are_at_most_the_distances() {
        let matrix = || DistanceMatrix::from_lower(vec![2.0f32, 3.0, INF]).unwrap();
        let with = |births: [f32; 3]| matrix().with_births(births.to_vec());
        assert_eq!(with([2.0, 2.0, 3.0]).unwrap().births(), Some(&[2.0, 2.0, 3.0][..]));
        assert_eq!(with([0.0, -0.0, 0.0]).unwrap(), matrix());
        let early = MetricError::EdgeBeforePoint { i: 2, j: 0, born: 2, birth: 3.5, found: 3.0 };
        assert_eq!(with([2.0, 2.0, 3.5]), Err(early));
        assert_eq!(with([1.0, -1.0, 0.0]), Err(MetricError::BadBirth { i: 1, found: -1.0 }));
        assert!(with([1.0, f32::NAN, 0.0]).is_err());
        let refused = matrix().with_births(vec![1.0]);
        assert_eq!(refused, Err(MetricError::Births { points: 3, found: 1 }));
    }

    #[test]
    fn a_point_of_a_graph_may_never_be_born() {
        let graph = |n| SparseDistances::new(n, [(0, 1, 1.0f32)]).unwrap();
        assert_eq!(graph(3).with_births(vec![0.0, 1.0, INF]).unwrap().births(), Some(&[0.0, 1.0, INF][..]));
        let early = MetricError::EdgeBeforePoint { i: 1, j: 0, born: 0, birth: INF.into(), found: 1.0 };
        assert_eq!(graph(2).with_births(vec![INF, 1.0]), Err(early));
    }
}
