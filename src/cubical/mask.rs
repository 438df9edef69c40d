//! The part of an image whose persistent homology is computed.
//!
//! Voxels outside a mask count as later than all others, and the filtration ends before them: bars that are born there
//! are left out, those that end there never end. What is left is the complex of the voxels inside. In the
//! V-construction its cells are those whose vertices are all inside; in the T-construction they are the voxels inside
//! with their faces, so that two of them touch even where a voxel outside lies beside both.

use super::image::{AnyImage, Image};
use super::key::Key as _;
use super::shape::{Order, Shape};
use super::voxel::Voxel as _;
use crate::input::{Place, Problem};
use crate::memory::{self, Refused};
use crate::parallel;
use crate::with_image;

/// The voxels of an image that are in its complex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    shape: Shape,
    /// Whether each voxel is inside, in C order.
    inside: Vec<bool>,
}

impl Mask {
    /// The mask of the voxels that are not zero.
    ///
    /// # Errors
    /// [`Refused`]: memory does not suffice.
    pub fn new(image: &AnyImage) -> Result<Self, Refused> {
        let shape = image.shape();
        memory::probe(shape.count() as u64)?;
        let inside = with_image!(image, image => {
            let voxels = image.voxels();
            parallel::table(voxels.len(), |place| voxels[shape.memory_place(place)].value() != 0.0)
        });
        Ok(Mask { shape: shape.in_order(Order::C), inside })
    }

    /// Checks that this is a mask of images of a shape.
    ///
    /// # Errors
    /// The mask has other axes.
    pub fn check(&self, shape: Shape) -> Result<(), Problem> {
        if self.shape.axes() == shape.axes() {
            return Ok(());
        }
        let expected = format!("one of shape {shape}, like the image");
        Err(Problem::new(Place::Named("mask".to_owned()), expected, format!("shape {}", self.shape)))
    }

    /// Whether the voxel at a place in C order is inside.
    pub(super) fn has(&self, c_place: usize) -> bool {
        self.inside[c_place]
    }

    /// An image of the ranks of values in the order of the filtration, in which voxels outside have the last.
    ///
    /// # Errors
    /// [`Refused`]: memory does not suffice.
    pub(super) fn ranks(&self, image: &AnyImage, superlevel: bool) -> Result<AnyImage, Refused> {
        let shape = image.shape();
        // Keys of voxels, sorted keys, and ranks.
        memory::probe(3 * size_of::<u64>() as u64 * shape.count() as u64)?;
        let keys: Vec<u64> = with_image!(image, image => {
            image.voxels().iter().map(|voxel| voxel.ordered(superlevel).to_u64()).collect()
        });
        let mut levels = keys.clone();
        levels.sort_unstable();
        levels.dedup();
        let rank = |place: usize| match self.inside[shape.c_place(place)] {
            true => levels.partition_point(|level| *level < keys[place]) as u64,
            false => u64::MAX,
        };
        let ranks = parallel::table(keys.len(), rank);
        Ok(Image::new(shape, ranks).expect("an image of the same shape").into())
    }
}
