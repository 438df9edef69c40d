//! Parameters of a curve.

use super::bins::{Bins, BinsError};
use crate::cubical::construction::Construction;
use crate::cubical::shape::Shape;
use crate::cubical::value::Value;
use crate::cubical::voxel::VoxelType;

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

impl EccRequest {
    /// Whether the range of the bins takes a pass over all voxels to find. The sums of narrow types have every value.
    pub fn needs_range(&self, voxels: VoxelType) -> bool {
        matches!(self.bins, Bins::Uniform { range: None, .. }) && voxels.bits() > 16
    }

    /// Checks that the bins are valid, and that an image has at most three axes.
    pub(super) fn check(&self, shape: Shape) -> Result<(), BinsError> {
        self.bins.check()?;
        Ok(shape.check_three()?)
    }

    /// This request, with uniform bins that divide `range` if it is known.
    pub(crate) fn with_range(mut self, found: Option<(Value, Value)>) -> Self {
        if let Bins::Uniform { range, .. } = &mut self.bins {
            *range = found.or(*range);
        }
        self
    }
}
