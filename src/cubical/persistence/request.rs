//! Parameters of persistent homology.

use crate::cubical::construction::Construction;

/// Parameters of the persistent homology of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct PersistenceRequest {
    /// Construction of the cubical complex.
    pub construction: Construction,
    /// Whether to use superlevel sets: the result, including ties, is that of sublevel sets with reversed values.
    pub superlevel: bool,
    /// Greatest dimension of classes; if `None`, one below the number of axes, the greatest in which classes exist.
    pub max_dim: Option<usize>,
}

impl PersistenceRequest {
    /// Number of dimensions whose classes are requested, for an image with this many axes.
    pub fn dimensions(&self, axes: usize) -> usize {
        self.max_dim.map_or(axes, |max_dim| axes.min(max_dim.saturating_add(1)))
    }
}
