//! The figures of the input, and the input in the shape that is ranked.

use crate::metric::{DistanceMatrix, Distances, Value};
use crate::rips::filtration_construction::binomial;
use crate::rips::rank::matrix_of_points;
use crate::rips::{Progress, RipsError, Summary, Threshold, footprint};

/// The figures of the input, and the input itself; a point cloud without a finite threshold is turned into a matrix.
///
/// # Errors
/// [`RipsError::Memory`], [`RipsError::Refused`] and [`RipsError::TooFarApart`].
pub(super) fn survey<T: Value>(
    distances: Distances<T>,
    threshold: Threshold,
    progress: &dyn Progress,
) -> Result<(Distances<T>, Summary), RipsError> {
    let bounded = matches!(threshold, Threshold::Value(t) if t.is_finite());
    if let Distances::Points(points) = &distances
        && !bounded
    {
        footprint::check_matrix::<T>(points.len())?;
        progress.begin("distances", None, binomial(points.len(), 2));
        let matrix = matrix_of_points(points, progress)?;
        progress.begin("summary", None, 1);
        let distances = Distances::Matrix(matrix);
        let summary = Summary::of(&distances, threshold);
        // Up to a finite threshold a distance that is too great for its precision makes no difference.
        if summary.threshold.is_infinite()
            && let Distances::Matrix(matrix) = &distances
            && let Some((i, j)) = first_infinite(matrix)
        {
            return Err(RipsError::TooFarApart { i, j });
        }
        let ambient_dimension = Some(points.dimension());
        return Ok((distances, Summary { ambient_dimension, ..summary }));
    }
    progress.begin("summary", None, 1);
    let summary = Summary::of(&distances, threshold);
    Ok((distances, summary))
}

/// The first two points whose distance is infinite, if there are any.
fn first_infinite<T: Value>(matrix: &DistanceMatrix<T>) -> Option<(usize, usize)> {
    let place = matrix.lower().iter().position(|&d| d == T::INFINITY)?;
    let i = (1..matrix.len()).find(|i| i * (i + 1) / 2 > place)?;
    Some((i, place - i * (i - 1) / 2))
}
