//! Parameters of persistent homology.

use crate::cubical::construction::Construction;
use crate::cubical::periodic::Periodic;
use crate::cubical::shape::Shape;

/// Parameters of the persistent homology of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct PersistenceRequest {
    /// Construction of the cubical complex.
    pub construction: Construction,
    /// Whether to use superlevel sets: the result, including ties, is that of sublevel sets with reversed values.
    pub superlevel: bool,
    /// Greatest dimension of classes; if `None`, the greatest in which classes exist: one below the number of axes, or
    /// this number if all axes are periodic.
    pub max_dim: Option<usize>,
    /// Axes along which the image closes up (default: none).
    pub periodic: Periodic,
}

impl PersistenceRequest {
    /// Number of dimensions whose classes are requested, for an image of this shape.
    pub fn dimensions(&self, shape: Shape) -> usize {
        let all = shape.dim() + usize::from(self.periodic.is_closed(shape));
        self.max_dim.map_or(all, |max_dim| all.min(max_dim.saturating_add(1)))
    }

    /// Whether cycles of an image of this shape need the boundary matrix of all cells, because it has four axes, or
    /// periodic ones.
    pub fn cycles_need_all_cells(&self, shape: Shape) -> bool {
        shape.dim() > 3 || !self.periodic.is_none()
    }
}
