//! Persistent homology of images, over Z/2.

pub mod plain;

use super::{Construction, Image, Voxel};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Request {
    /// How the image is made a complex.
    pub construction: Construction,
    /// Whether great values come first. All else, ties included, is as of an image whose values are reversed.
    pub superlevel: bool,
    /// The greatest dimension of classes; one below the number of axes if it is not given, where the last classes live.
    pub max_dim: Option<usize>,
}

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
/// (descending for superlevel sets), ties by place in memory. Essential ones come after others of the same birth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classes {
    /// The classes of each dimension, from 0 up to the greatest that was asked for and can have any.
    pub dimensions: Vec<Vec<Class>>,
}

/// Why an image has no persistence here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PersistenceError {
    /// More voxels than are numbered.
    #[error("expected an image of at most {most} voxels, found {found}")]
    TooLarge {
        /// Voxels.
        found: usize,
        /// The most.
        most: usize,
    },
}

impl Request {
    /// The number of dimensions whose classes are asked for, of an image with so many axes.
    pub fn dimensions(&self, axes: usize) -> usize {
        self.max_dim.map_or(axes, |max_dim| axes.min(max_dim.saturating_add(1)))
    }
}

/// The classes of an image.
///
/// # Errors
/// [`PersistenceError::TooLarge`]: it has 2^30 voxels or more.
pub fn persistence<T: Voxel>(image: &Image<T>, request: &Request) -> Result<Classes, PersistenceError> {
    Ok(plain::persistence(image, request))
}
