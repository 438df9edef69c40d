//! What is asked of an image.

use crate::cubical::construction::Construction;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct PersistenceRequest {
    /// How the image is made a complex.
    pub construction: Construction,
    /// Whether great values come first. All else, ties included, is as of an image whose values are reversed.
    pub superlevel: bool,
    /// The greatest dimension of classes; one below the number of axes if it is not given, where the last classes live.
    pub max_dim: Option<usize>,
}

impl PersistenceRequest {
    /// The number of dimensions whose classes are asked for, of an image with so many axes.
    pub fn dimensions(&self, axes: usize) -> usize {
        self.max_dim.map_or(axes, |max_dim| axes.min(max_dim.saturating_add(1)))
    }
}
