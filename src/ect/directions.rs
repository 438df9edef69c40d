//! Directions: given vectors, or evenly spread ones.

use std::f64::consts::{FRAC_PI_2, PI};

use super::error::EctError;
use crate::memory;

/// The directions of a transform.
#[derive(Debug, Clone, PartialEq)]
pub enum Directions {
    /// This number of directions: evenly spaced on the circle from the first axis towards the second; on the sphere,
    /// the Fibonacci lattice around the second axis. On a line there are two.
    Even(usize),
    /// Vectors of any length but 0, of which the directions are taken.
    Given {
        /// The number of components of a vector.
        dimension: usize,
        /// The components, vector by vector.
        components: Vec<f64>,
    },
}

/// Bytes of this number of directions: their vectors, once as they are and once in batches, and their indices.
pub(super) fn bytes(count: usize, dimension: usize) -> u64 {
    (count as u64).saturating_mul(16 * dimension as u64 + 32)
}

impl Directions {
    /// The number of directions for a complex in R^`dimension`. None of them is made.
    ///
    /// # Errors
    /// [`EctError::Directions`]: there is no direction, vectors have another dimension, or evenly spread directions are
    /// requested in a dimension that has none.
    pub fn count(&self, dimension: usize) -> Result<usize, EctError> {
        let problem = |expected: String, found: String| Err(EctError::Directions { expected, found });
        match self {
            Directions::Even(0) => problem("at least one direction".to_owned(), "none".to_owned()),
            Directions::Even(count) => match dimension {
                1 if *count > 2 => problem("at most two directions on a line".to_owned(), count.to_string()),
                1..=3 => Ok(*count),
                _ => {
                    problem(format!("vectors of {dimension} components"), "a number of directions".to_owned())
                }
            },
            Directions::Given { dimension: found, .. } if *found != dimension => {
                problem(format!("directions of {dimension} components"), found.to_string())
            }
            Directions::Given { components, .. } => {
                if components.is_empty() || !components.len().is_multiple_of(dimension) {
                    let found = format!("{} components", components.len());
                    return problem(format!("vectors of {dimension} components"), found);
                }
                Ok(components.len() / dimension)
            }
        }
    }

    /// The unit vectors, one after the other, for a complex in R^`dimension`.
    ///
    /// # Errors
    /// Those of [`count`](Directions::count); [`EctError::Directions`]: a vector is 0 or not finite;
    /// [`EctError::Memory`].
    pub fn unit_vectors(&self, dimension: usize) -> Result<Vec<f64>, EctError> {
        let count = self.count(dimension)?;
        memory::probe(bytes(count, dimension))?;
        let mut vectors = memory::with_room(count.saturating_mul(dimension))?;
        match self {
            Directions::Even(_) => match dimension {
                1 => vectors.extend_from_slice(&[1.0, -1.0][..count]),
                2 => vectors.extend((0..count).flat_map(|k| on_circle(k, count))),
                _ => vectors.extend((0..count).flat_map(|k| on_sphere(k, count))),
            },
            Directions::Given { components, .. } => {
                for (number, vector) in components.chunks_exact(dimension).enumerate() {
                    // Scaled by its greatest component first, so that no square overflows or vanishes.
                    let greatest = vector.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                    if !vector.iter().all(|x| x.is_finite()) || greatest == 0.0 {
                        let found = format!("{vector:?} as number {number}");
                        let expected = "finite vectors other than 0".to_owned();
                        return Err(EctError::Directions { expected, found });
                    }
                    let norm = vector.iter().map(|x| (x / greatest) * (x / greatest)).sum::<f64>().sqrt();
                    // A unit vector keeps its components.
                    let length = greatest * norm;
                    let is_unit = (length - 1.0).abs() <= 4.0 * f64::EPSILON;
                    vectors.extend(vector.iter().map(|x| if is_unit { *x } else { x / greatest / norm }));
                }
            }
        }
        Ok(vectors)
    }
}

/// Direction `k` of `count` on the circle. Directions that differ by quarter turns have the same components up to sign
/// and order, so those along an axis are exact.
fn on_circle(k: usize, count: usize) -> [f64; 2] {
    let (quarter, rest) = (4 * k / count, 4 * k % count);
    let (sin, cos) = (FRAC_PI_2 * (rest as f64 / count as f64)).sin_cos();
    match quarter {
        0 => [cos, sin],
        1 => [-sin, cos],
        2 => [-cos, -sin],
        _ => [sin, -cos],
    }
}

/// Direction `k` of `count` on the sphere, by the Fibonacci lattice.
fn on_sphere(k: usize, count: usize) -> [f64; 3] {
    let y = 1.0 - 2.0 * (k as f64 + 0.5) / count as f64;
    let radius = (1.0 - y * y).max(0.0).sqrt();
    let (sin, cos) = (PI * (3.0 - 5f64.sqrt()) * k as f64).sin_cos();
    [cos * radius, y, sin * radius]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_directions_are_unit_vectors_and_balanced() {
        for (dimension, count) in [(1, 2), (2, 1), (2, 4), (2, 7), (2, 360), (3, 1), (3, 100)] {
            let vectors = Directions::Even(count).unit_vectors(dimension).unwrap();
            assert_eq!(vectors.len(), dimension * count);
            for vector in vectors.chunks_exact(dimension) {
                assert!((vector.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-15, "{vector:?}");
            }
            for axis in 0..dimension {
                let sum: f64 = vectors.chunks_exact(dimension).map(|vector| vector[axis]).sum();
                assert!(count == 1 || sum.abs() < 1.0, "{dimension} {count}: {sum}");
            }
        }
        let quarters = Directions::Even(4).unit_vectors(2).unwrap();
        assert_eq!(quarters, [1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, -1.0]);
    }

    #[test]
    fn vectors_are_normalized_and_checked() {
        let given = |dimension, components: &[f64]| {
            Directions::Given { dimension, components: components.to_vec() }.unit_vectors(2)
        };
        assert_eq!(given(2, &[3.0, 4.0, 0.6, -0.8]).unwrap(), [0.6, 0.8, 0.6, -0.8]);
        assert_eq!(given(2, &[1e300, 0.0, 0.0, -1e-300]).unwrap(), [1.0, 0.0, 0.0, -1.0]);
        for (dimension, components, expected) in [
            (3, &[1.0, 0.0, 0.0][..], "expected directions of 2 components, found 3"),
            (2, &[], "expected vectors of 2 components, found 0 components"),
            (2, &[1.0], "expected vectors of 2 components, found 1 components"),
            (2, &[1.0, 0.0, 0.0, 0.0], "expected finite vectors other than 0, found [0.0, 0.0] as number 1"),
            (2, &[f64::INFINITY, 0.0], "expected finite vectors other than 0"),
        ] {
            let error = given(dimension, components).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        for (count, dimension) in [(0, 2), (3, 1), (5, 4)] {
            assert!(Directions::Even(count).unit_vectors(dimension).is_err());
        }
    }

    #[test]
    fn directions_that_do_not_fit_are_refused() {
        let many = Directions::Even(usize::MAX / 8);
        assert_eq!(many.count(2), Ok(usize::MAX / 8));
        assert!(matches!(many.unit_vectors(2), Err(EctError::Memory(_))));
    }
}
