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

/// The number `found`, if it is right.
fn expect(
    is_right: bool,
    what: &'static str,
    expected: &'static str,
    found: f64,
) -> Result<f64, GenerateError> {
    if is_right { Ok(found) } else { Err(GenerateError::Number { what, expected, found }) }
}
