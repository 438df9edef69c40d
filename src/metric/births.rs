//! Birth values of points: the diagonal of a weighted Vietoris–Rips filtration.

use super::square::Tolerance;
use super::{MetricError, Value};
use crate::input::Place;

/// A birth, for messages.
pub(super) const BIRTH: &str = "a birth, a non-negative number or inf";

/// Whether a number is a valid birth.
pub(super) fn is_birth<T: Value>(number: T) -> bool {
    number.into() >= 0.0
}

/// Checks the births of `n` points; returns `None` if all points are born at 0.
///
/// # Errors
/// The number of births is not `n`; or a birth is NaN or negative.
pub(super) fn checked<T: Value>(n: usize, births: Vec<T>) -> Result<Option<Vec<T>>, MetricError> {
    if births.len() != n {
        return Err(MetricError::whole(format!("the births of {n} points"), births.len()));
    }
    if let Some(i) = births.iter().position(|&birth| !is_birth(birth)) {
        let found = births[i].into().to_string();
        return Err(MetricError::new(Place::Named(format!("the birth of point {i}")), BIRTH, found));
    }
    let all_zero = births.iter().all(|&birth| birth.into() == 0.0);
    Ok((!all_zero).then_some(births))
}

/// Checks that the distance of points `i` and `j` is not below one of their births.
pub(super) fn check_edge<T: Value>(births: &[T], i: usize, j: usize, distance: T) -> Result<(), MetricError> {
    match later(births, i, j) {
        (_, birth) if distance >= birth => Ok(()),
        later => {
            let place = Place::Named(format!("the distance of points {i} and {j}"));
            Err(MetricError::new(place, at_least(later), distance.into().to_string()))
        }
    }
}

/// The point of two that is born later, and its birth.
fn later<T: Value>(births: &[T], i: usize, j: usize) -> (usize, T) {
    let born = if births[i] > births[j] { i } else { j };
    (born, births[born])
}

/// The expected distance of a point with this birth, for messages.
fn at_least<T: Value>((point, birth): (usize, T)) -> String {
    format!("at least the birth of point {point}, {}", birth.into())
}

/// Raises edges that are born before a point only by rounding, and adds a note on them. `problem` is the error of any
/// other edge that is born before a point.
pub(super) fn raise<'a, T: Value>(
    births: &[T],
    edges: impl Iterator<Item = (usize, usize, &'a mut T)>,
    tolerance: Tolerance,
    problem: impl Fn(usize, usize, &str) -> MetricError,
    notes: &mut Vec<String>,
) -> Result<(), MetricError> {
    let mut raised = 0;
    for (i, j, distance) in edges {
        let later = later(births, i, j);
        if *distance >= later.1 {
            continue;
        }
        if !tolerance.agree(*distance, later.1) {
            return Err(problem(i, j, &at_least(later)));
        }
        *distance = later.1;
        raised += 1;
    }
    if raised > 0 {
        let plural = if raised == 1 { "edge was" } else { "edges were" };
        notes.push(format!("{raised} {plural} born before a point by rounding, and now with it"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::metric::{DistanceMatrix, SparseDistances};

    const INF: f32 = f32::INFINITY;

    #[test]
    fn births_are_at_most_the_distances() {
        let matrix = || DistanceMatrix::from_lower(vec![2.0f32, 3.0, INF]).unwrap();
        let with = |births: [f32; 3]| matrix().with_births(births.to_vec());
        assert_eq!(with([2.0, 2.0, 3.0]).unwrap().births(), Some(&[2.0, 2.0, 3.0][..]));
        assert_eq!(with([0.0, -0.0, 0.0]).unwrap(), matrix());
        let early = "the distance of points 2 and 0: expected at least the birth of point 2, 3.5, found 3";
        assert_eq!(with([2.0, 2.0, 3.5]).unwrap_err().to_string(), early);
        let negative = with([1.0, -1.0, 0.0]).unwrap_err().to_string();
        assert!(
            negative.starts_with("the birth of point 1: ") && negative.ends_with("found -1"),
            "{negative}"
        );
        assert!(with([1.0, f32::NAN, 0.0]).is_err());
        let refused = matrix().with_births(vec![1.0]).unwrap_err();
        assert_eq!(refused.to_string(), "expected the births of 3 points, found 1");
    }

    #[test]
    fn a_point_of_a_graph_may_never_be_born() {
        let graph = |n| SparseDistances::new(n, [(0, 1, 1.0f32)]).unwrap();
        assert_eq!(graph(3).with_births(vec![0.0, 1.0, INF]).unwrap().births(), Some(&[0.0, 1.0, INF][..]));
        let early = "the distance of points 1 and 0: expected at least the birth of point 0, inf, found 1";
        assert_eq!(graph(2).with_births(vec![INF, 1.0]).unwrap_err().to_string(), early);
    }
}
