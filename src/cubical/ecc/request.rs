//! What is asked of an image.

use super::bins::Bins;
use crate::cubical::construction::Construction;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EccRequest {
    /// How the image is a complex.
    pub construction: Construction,
    /// Whether cells enter at descending values.
    pub superlevel: bool,
    /// The rows.
    pub bins: Bins,
}
