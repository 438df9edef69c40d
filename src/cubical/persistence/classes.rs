//! Persistence classes, identified by their birth and death voxels.

/// A persistence class: the places in memory of its birth voxel and its death voxel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Class {
    /// The place of the birth voxel.
    pub birth: usize,
    /// The place of the death voxel; `None` if the class is essential.
    pub death: Option<usize>,
}

/// The classes of an image, except those of zero persistence.
///
/// The classes of a dimension are sorted by their births, then by their deaths, in the order of the filtration: by
/// value (descending for superlevel sets), ties by the coordinates of the voxel, the first axis first. They therefore
/// depend on the array but not on its order in memory. An essential class comes after the others of the same birth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classes {
    /// The classes of each dimension, from 0 up to the greatest dimension that was requested and can have classes.
    pub dimensions: Vec<Vec<Class>>,
}
