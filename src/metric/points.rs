//! Point clouds with the Euclidean metric.

use super::{MetricError, Value};
use crate::input::Place;

/// n points in R^m.
#[derive(Debug, Clone, PartialEq)]
pub struct PointCloud<T = f32> {
    dimension: usize,
    coordinates: Vec<T>,
}

impl<T: Value> PointCloud<T> {
    /// Creates a cloud from the coordinates, point by point, `dimension` ≥ 1 of them each.
    ///
    /// # Errors
    /// There are no points; the last point lacks coordinates; or a coordinate is NaN or infinite.
    pub fn new(dimension: usize, coordinates: Vec<T>) -> Result<Self, MetricError> {
        if coordinates.is_empty() || dimension == 0 {
            return Err(MetricError::empty());
        }
        if !coordinates.len().is_multiple_of(dimension) {
            let expected = format!("{dimension} coordinates per point");
            return Err(MetricError::whole(expected, format!("{} in all", coordinates.len())));
        }
        if let Some(k) = coordinates.iter().position(|&x| !x.into().is_finite()) {
            let place = Place::Named(format!("coordinate {} of point {}", k % dimension, k / dimension));
            return Err(MetricError::new(place, "a finite number", coordinates[k].into().to_string()));
        }
        Ok(PointCloud { dimension, coordinates })
    }

    /// Number of points, at least 1.
    pub fn len(&self) -> usize {
        self.coordinates.len() / self.dimension
    }

    /// Always false: a cloud has at least one point.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The dimension m of the ambient space.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The coordinates of all points, point by point.
    pub(crate) fn coordinates(&self) -> &[T] {
        &self.coordinates
    }

    /// The coordinates of point `i`.
    ///
    /// # Panics
    /// `i` is out of range.
    pub fn point(&self, i: usize) -> &[T] {
        &self.coordinates[i * self.dimension..(i + 1) * self.dimension]
    }

    /// The Euclidean distance of points `i` and `j`.
    ///
    /// # Panics
    /// A point is out of range.
    #[inline]
    pub fn distance(&self, i: usize, j: usize) -> T {
        T::euclidean(self.point(i), self.point(j))
    }
}
