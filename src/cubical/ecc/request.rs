//! Parameters of a curve.

use super::bins::Bins;
use crate::cubical::construction::Construction;

/// Parameters of an Euler characteristic curve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EccRequest {
    /// Construction of the cubical complex.
    pub construction: Construction,
    /// Whether to use superlevel sets: cells enter at descending values.
    pub superlevel: bool,
    /// The rows of the curve.
    pub bins: Bins,
}
