//! Seeded point clouds and images of known shapes: inputs of any size whose barcodes are known.
//!
//! Numbers come from one generator ([`Random`]); sines, logarithms and exponentials come from the portable crate
//! `libm` and not from the platform; and sums have a fixed order. So a seed gives the same bytes on every machine and
//! for any number of threads.
//!
//! | module | content |
//! |---|---|
//! | `random` | the generator |
//! | `shapes` | points of curves, surfaces and cubes by parameters |
//! | `clouds` | samples of the shapes |
//! | `sample` | farthest-point sampling |
//! | `images` | noise, Gaussian random fields, blobs, vessels |

mod clouds;
mod images;
mod random;
mod sample;
mod shapes;
#[cfg(test)]
mod tests;

pub use clouds::{Cloud, Space};
pub use images::{Field, Scene};
pub use random::Random;
pub use sample::{euclidean, farthest_points};
pub use shapes::{
    klein_distance, on_circle, on_klein_bottle, on_projective_plane, on_sphere, on_swiss_roll, on_torus,
};

/// The error of an input that cannot be generated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// No points were requested.
    #[error("expected at least one point, found 0")]
    NoPoints,
    /// The dimension is 0, or the coordinates are too many to be counted.
    #[error("expected a dimension from 1 to 65535, found {found}")]
    Dimension {
        /// The dimension.
        found: usize,
    },
    /// A parameter is out of range.
    #[error("{what}: expected {expected}, found {found}")]
    Number {
        /// Name of the parameter.
        what: &'static str,
        /// The expected range.
        expected: &'static str,
        /// The value found.
        found: f64,
    },
    /// There is not enough memory.
    #[error(transparent)]
    Memory(#[from] crate::memory::Refused),
    /// The shape of an image is invalid.
    #[error(transparent)]
    Shape(#[from] crate::cubical::ShapeError),
    /// The points do not form a cloud.
    #[error(transparent)]
    Metric(#[from] crate::metric::MetricError),
}

/// Greatest number of points and of clusters, and greatest scale of images.
const MOST: usize = u32::MAX as usize;
const MOST_SCALE: f64 = 1e6;

/// Checks a number of points or clusters.
fn number_of(what: &'static str, found: usize) -> Result<usize, GenerateError> {
    let expected = "a number from 1 to 4294967295";
    let is_right = (1..=MOST).contains(&found);
    is_right.then_some(found).ok_or(GenerateError::Number { what, expected, found: found as f64 })
}

/// Checks a length scale in voxels.
fn scale_of(found: f64) -> Result<f64, GenerateError> {
    let is_right = (0.0..=MOST_SCALE).contains(&found);
    let expected = "a number from 0 to 1000000";
    is_right.then_some(found).ok_or(GenerateError::Number { what: "scale", expected, found })
}

/// Checks that a number is finite and not negative.
fn non_negative(what: &'static str, found: f64) -> Result<f64, GenerateError> {
    match found {
        found if found.is_finite() && found >= 0.0 => Ok(found),
        found => Err(GenerateError::Number { what, expected: "a finite number from 0 on", found }),
    }
}
