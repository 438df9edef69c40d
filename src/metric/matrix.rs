//! Condensed symmetric distance matrices.

use super::{MetricError, Value};

/// All pairwise distances of n points: the entries below the diagonal, row by row
/// (`d(1,0), d(2,0), d(2,1), d(3,0), …`), n(n−1)/2 in all. An infinite distance means that the two points are never connected.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceMatrix<T = f32> {
    n: usize,
    lower: Vec<T>,
}

impl<T: Value> DistanceMatrix<T> {
    /// Makes a matrix from the entries below the diagonal, row by row. No entries make a matrix of one point.
    ///
    /// # Errors
    /// The length is not n(n−1)/2 for any n, or an entry is NaN or negative.
    pub fn from_lower(lower: Vec<T>) -> Result<Self, MetricError> {
        let n = points_of(lower.len());
        let expected = n * (n - 1) / 2;
        if expected != lower.len() {
            return Err(MetricError::NotTriangular { found: lower.len(), n, expected });
        }
        let zero = T::from_f64(0.0);
        let mut at = 0;
        for i in 1..n {
            let row = &lower[at..at + i];
            if let Some(j) = row.iter().position(|d| !matches!(d.partial_cmp(&zero), Some(o) if o.is_ge())) {
                return Err(MetricError::BadDistance { i, j, found: row[j].into() });
            }
            at += i;
        }
        Ok(DistanceMatrix { n, lower })
    }

    /// Makes a matrix from a function of two points i and j, called once for every j < i.
    ///
    /// # Errors
    /// Those of [`DistanceMatrix::from_lower`], and [`MetricError::Empty`] when `n` is 0.
    pub fn from_fn(n: usize, mut d: impl FnMut(usize, usize) -> T) -> Result<Self, MetricError> {
        if n == 0 {
            return Err(MetricError::Empty);
        }
        let lower = (1..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| d(i, j)).collect();
        Self::from_lower(lower)
    }

    /// The number of points, at least 1.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Always false: a matrix has at least one point.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The distance of points `i` and `j`, 0-based; 0 when they are the same.
    ///
    /// # Panics
    /// A point is out of range.
    pub fn get(&self, i: usize, j: usize) -> T {
        let (hi, lo) = if i > j { (i, j) } else { (j, i) };
        assert!(hi < self.n, "point {hi} of {}", self.n);
        if hi == lo { T::from_f64(0.0) } else { self.lower[hi * (hi - 1) / 2 + lo] }
    }

    /// The entries below the diagonal, row by row.
    pub fn lower(&self) -> &[T] {
        &self.lower
    }
}

/// The number of points n ≥ 1 for which n(n−1)/2 is `entries`, or comes nearest from below.
fn points_of(entries: usize) -> usize {
    let mut n = ((1.0 + (1.0 + 8.0 * entries as f64).sqrt()) / 2.0) as usize;
    while n > 1 && n * (n - 1) / 2 > entries {
        n -= 1;
    }
    while n * (n + 1) / 2 <= entries {
        n += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_are_triangular_numbers_only() {
        for n in 1..60usize {
            let m = DistanceMatrix::from_lower(vec![1.0f32; n * (n - 1) / 2]).unwrap();
            assert_eq!(m.len(), n);
        }
        assert_eq!(
            DistanceMatrix::from_lower(vec![1.0f32; 4]),
            Err(MetricError::NotTriangular { found: 4, n: 3, expected: 3 })
        );
    }

    #[test]
    fn nan_and_negative_are_named_by_their_points() {
        let error = DistanceMatrix::from_lower(vec![1.0f64, 2.0, -3.0]).unwrap_err();
        assert_eq!(error, MetricError::BadDistance { i: 2, j: 1, found: -3.0 });
        assert!(DistanceMatrix::from_lower(vec![f32::NAN]).is_err());
        assert!(DistanceMatrix::from_lower(vec![f32::INFINITY]).is_ok());
    }

    #[test]
    fn symmetric_access() {
        let m = DistanceMatrix::from_fn(4, |i, j| (10 * i + j) as f32).unwrap();
        assert_eq!(m.get(3, 1), 31.0);
        assert_eq!(m.get(1, 3), 31.0);
        assert_eq!(m.get(2, 2), 0.0);
    }
}
