//! Condensed symmetric distance matrices.

use super::read::{Context, DistanceOptions, Symmetrize};
use super::{MetricError, Value, births, square};

/// All pairwise distances of n points: the entries below the diagonal, row by row
/// (`d(1,0), d(2,0), d(2,1), d(3,0), …`), n(n−1)/2 in all. An infinite distance means that the two points are never
/// connected.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceMatrix<T = f32> {
    n: usize,
    lower: Vec<T>,
    births: Option<Vec<T>>,
}

impl<T: Value> DistanceMatrix<T> {
    /// Creates a matrix from the entries below the diagonal, row by row. No entries give a matrix of one point.
    ///
    /// # Errors
    /// The length is not n(n−1)/2 for any n; or an entry is NaN or negative.
    pub fn from_lower(lower: Vec<T>) -> Result<Self, MetricError> {
        let n = points_of(lower.len())?;
        let zero = T::from_f64(0.0);
        let mut at = 0;
        for i in 1..n {
            let row = &lower[at..at + i];
            if let Some(j) = row.iter().position(|d| !matches!(d.partial_cmp(&zero), Some(o) if o.is_ge())) {
                return Err(MetricError::bad_distance(i, j, row[j]));
            }
            at += i;
        }
        Ok(DistanceMatrix { n, lower, births: None })
    }

    /// Creates a matrix from a function of two points i and j, which is called once for every j < i.
    ///
    /// # Errors
    /// The errors of [`DistanceMatrix::from_lower`], or `n` is 0.
    pub fn from_fn(n: usize, mut d: impl FnMut(usize, usize) -> T) -> Result<Self, MetricError> {
        if n == 0 {
            return Err(MetricError::empty());
        }
        let lower = (1..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| d(i, j)).collect();
        Self::from_lower(lower)
    }

    /// Creates a matrix from all n² entries of a square matrix, row by row.
    ///
    /// The matrix is checked like those in files: it must be symmetric, zero on the diagonal and non-negative up to
    /// 1e-4 of its greatest finite distance. Of the two entries of a pair, the one below the diagonal is used.
    ///
    /// ```
    /// use lacuna::metric::{DistanceMatrix, MetricError};
    ///
    /// let matrix = DistanceMatrix::from_square(2, &[0.0, 1.5, 1.5, 0.0])?;
    /// assert_eq!(matrix.get(0, 1), 1.5);
    /// let error = DistanceMatrix::from_square(2, &[0.0, 1.0, 2.0, 0.0]).unwrap_err();
    /// assert_eq!((&*error.place.to_string(), &*error.found), ("row 1, column 0: ", "2"));
    /// # Ok::<(), MetricError>(())
    /// ```
    ///
    /// # Errors
    /// There are no points; the number of entries is not n²; an entry of the diagonal is not zero; an entry is NaN or
    /// negative; or the two distances of a pair differ.
    pub fn from_square(n: usize, entries: &[T]) -> Result<Self, MetricError> {
        // If the square overflows, there are fewer entries than `usize::MAX`.
        let expected = n.saturating_mul(n);
        if entries.len() != expected {
            let expected = format!("{expected} entries of a square matrix of {n} points");
            return Err(MetricError::whole(expected, entries.len()));
        }
        Self::from_entries(n, |i, j| entries[i * n + j], None)
    }

    /// Creates a matrix from the n×n entries `at(row, column)`. If the two distances of a pair differ by more than
    /// rounding, `symmetrize` combines them; without it they are an error.
    ///
    /// # Errors
    /// See [`DistanceMatrix::from_square`].
    pub(crate) fn from_entries(
        n: usize,
        at: impl Fn(usize, usize) -> T,
        symmetrize: Option<Symmetrize>,
    ) -> Result<Self, MetricError> {
        if n == 0 {
            return Err(MetricError::empty());
        }
        let options = DistanceOptions { symmetrize, ..DistanceOptions::default() };
        let problem = |i, j, expected: &str| MetricError::of_entry(i, j, expected, at(i, j));
        square::matrix(n, &at, &mut Context::new(options), &problem).map_err(MetricError::without_note)
    }

    /// Adds births for a weighted Vietoris–Rips filtration: a point enters at its birth, and one born at infinity
    /// never does. A distance must not be below the births of its two points.
    ///
    /// ```
    /// use lacuna::metric::DistanceMatrix;
    /// use lacuna::rips::Rips;
    ///
    /// let matrix = DistanceMatrix::from_lower(vec![2.0f32])?.with_births(vec![0.5, 1.5])?;
    /// let diagram = Rips::new(matrix).run().unwrap();
    /// assert_eq!((diagram.bars(0)[0].birth, diagram.bars(0)[0].death), (1.5, 2.0));
    /// assert_eq!((diagram.bars(0)[1].birth, diagram.bars(0)[1].is_essential()), (0.5, true));
    /// # Ok::<(), lacuna::metric::MetricError>(())
    /// ```
    ///
    /// # Errors
    /// The numbers of births and points differ; a birth is NaN or negative; or a distance is below a birth of one of
    /// its points.
    pub fn with_births(self, births: Vec<T>) -> Result<Self, MetricError> {
        let births = births::checked(self.n, births)?;
        if let Some(given) = &births {
            let mut row = self.lower.as_slice();
            for i in 1..self.n {
                let (of_i, rest) = row.split_at(i);
                of_i.iter().enumerate().try_for_each(|(j, &d)| births::check_edge(given, i, j, d))?;
                row = rest;
            }
        }
        Ok(DistanceMatrix { births, ..self })
    }

    /// The birth of each point; `None` if all are born at 0.
    pub fn births(&self) -> Option<&[T]> {
        self.births.as_deref()
    }

    /// Number of points, at least 1.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Always false: a matrix has at least one point.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The distance of points `i` and `j`, 0-based; 0 if they are the same.
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

    /// The entries below the diagonal, row by row.
    pub(crate) fn into_lower(self) -> Vec<T> {
        self.lower
    }
}

/// The number of points n of which there are `pairs` = n(n−1)/2 pairs.
pub(crate) fn points_of(pairs: usize) -> Result<usize, MetricError> {
    let n = (1 + 8 * pairs).isqrt().div_ceil(2);
    let below = n * (n - 1) / 2;
    if below == pairs {
        return Ok(n);
    }
    let expected =
        format!("n(n-1)/2 entries for some n ({below} for {n} points, {} for {})", n * (n + 1) / 2, n + 1);
    Err(MetricError::whole(expected, counted(pairs)))
}

/// A count with its noun: `1 entry`, `2 entries`.
pub(crate) fn counted(entries: usize) -> String {
    format!("{entries} {}", if entries == 1 { "entry" } else { "entries" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_are_triangular_numbers_only() {
        for n in 1..200 {
            assert_eq!(points_of(n * (n - 1) / 2), Ok(n));
        }
        for (found, below, above) in [(2, "1 for 2 points", "3 for 3"), (9, "6 for 4 points", "10 for 5")] {
            let expected = points_of(found).unwrap_err().expected;
            assert!(expected.contains(below) && expected.contains(above), "{expected}");
        }
        assert!(DistanceMatrix::from_lower(vec![1.0f32; 4]).is_err());
    }

    #[test]
    fn nan_and_negative_are_named_by_their_points() {
        let error = DistanceMatrix::from_lower(vec![1.0f64, 2.0, -3.0]).unwrap_err();
        assert_eq!(error, MetricError::bad_distance(2, 1, -3.0));
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
