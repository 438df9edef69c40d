//! What is found: classes, by the voxels with which they are born and die.

/// A class: the places in memory of the voxels with which it is born and dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class {
    /// Where it is born.
    pub birth: usize,
    /// Where it dies; nowhere, if it is essential.
    pub death: Option<usize>,
}

/// The classes of an image, but for those that die at the value they are born at.
///
/// A dimension's are ascending by the place of their births, then of their deaths, in the order of the filtration: by value
/// (descending for superlevel sets), ties by the coordinates of the voxel, those along the first axis first. So the classes are those of the
/// array and do not depend on its order in memory. Essential ones come after others of the same birth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classes {
    /// The classes of each dimension, from 0 up to the greatest that was asked for and can have any.
    pub dimensions: Vec<Vec<Class>>,
}
