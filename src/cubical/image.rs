//! Images: a shape, and a value for each voxel.

use std::fmt;
use std::sync::Arc;

use zerocopy::IntoBytes as _;

use super::shape::{Order, Shape, ShapeError};
use super::value::Value;
pub use super::voxel::{AnyImage, Voxel};
use crate::parallel;
use crate::with_image;

/// Voxels in memory owned by another allocator, for example an array of another language. They must not change.
pub type SharedVoxels<T> = Arc<dyn AsRef<[T]> + Send + Sync>;

/// The voxels of an image in memory order.
#[derive(Clone)]
enum Storage<T> {
    /// Owned.
    Own(Vec<T>),
    /// Borrowed from another allocator.
    Shared(SharedVoxels<T>),
}

/// An image: a shape, and the voxels in memory order.
#[derive(Clone)]
pub struct Image<T> {
    shape: Shape,
    voxels: Storage<T>,
}

impl<T: fmt::Debug> fmt::Debug for Image<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image").field("shape", &self.shape).field("voxels", &self.voxels()).finish()
    }
}

impl<T: PartialEq> PartialEq for Image<T> {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.voxels() == other.voxels()
    }
}

impl<T> Image<T> {
    /// An image of this shape with these voxels in memory order.
    ///
    /// # Errors
    /// [`ShapeError::Voxels`]: the number of voxels is not that of the shape.
    pub fn new(shape: Shape, voxels: Vec<T>) -> Result<Self, ShapeError> {
        Image::stored(shape, Storage::Own(voxels))
    }

    /// An image of this shape with these voxels in memory order, without copying them.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use lacuna::cubical::{Image, Order, Shape};
    ///
    /// let voxels = Arc::new([1_u8, 2, 3, 4, 5, 6]);
    /// let image = Image::shared(Shape::new(&[2, 3], Order::C)?, voxels.clone())?;
    /// assert_eq!(image.voxels().as_ptr(), voxels.as_ptr());
    /// # Ok::<(), lacuna::cubical::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Image::new`].
    pub fn shared(shape: Shape, voxels: SharedVoxels<T>) -> Result<Self, ShapeError> {
        Image::stored(shape, Storage::Shared(voxels))
    }

    fn stored(shape: Shape, voxels: Storage<T>) -> Result<Self, ShapeError> {
        let image = Image { shape, voxels };
        match image.voxels().len() {
            found if found == shape.count() => Ok(image),
            found => Err(ShapeError::Voxels { expected: shape.count(), found }),
        }
    }

    /// An image with a copy of these voxels and with these extents; the last axis varies fastest, as in C and NumPy.
    ///
    /// # Errors
    /// [`ShapeError`]: the extents are invalid, or their product is not the number of voxels.
    pub fn from_slice(voxels: &[T], axes: &[usize]) -> Result<Self, ShapeError>
    where
        T: Clone,
    {
        Image::new(Shape::new(axes, Order::C)?, voxels.to_vec())
    }

    /// The shape of the image.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The voxels in memory order.
    pub fn voxels(&self) -> &[T] {
        match &self.voxels {
            Storage::Own(voxels) => voxels,
            Storage::Shared(voxels) => (**voxels).as_ref(),
        }
    }

    /// Returns the voxels in memory order; copies them if they are shared.
    pub fn into_voxels(self) -> Vec<T>
    where
        T: Clone,
    {
        match self.voxels {
            Storage::Own(voxels) => voxels,
            Storage::Shared(voxels) => (*voxels).as_ref().to_vec(),
        }
    }
}

impl<T: Voxel> From<Image<T>> for AnyImage {
    fn from(image: Image<T>) -> Self {
        T::any(image)
    }
}

impl AnyImage {
    /// An image with a copy of these voxels and with these extents; the last axis varies fastest, as in C and NumPy.
    ///
    /// # Errors
    /// [`ShapeError`]: the extents are invalid, their product is not the number of voxels, or a voxel is NaN.
    pub fn from_slice<T: Voxel>(voxels: &[T], axes: &[usize]) -> Result<Self, ShapeError> {
        AnyImage::from(Image::from_slice(voxels, axes)?).of_numbers()
    }

    /// An image of this shape with these voxels in memory order, without copying them.
    ///
    /// # Errors
    /// [`ShapeError`]: the number of voxels is not that of the shape, or a voxel is NaN.
    pub fn shared<T: Voxel>(shape: Shape, voxels: SharedVoxels<T>) -> Result<Self, ShapeError> {
        AnyImage::from(Image::shared(shape, voxels)?).of_numbers()
    }

    /// The image, after checking that no voxel is NaN.
    fn of_numbers(self) -> Result<Self, ShapeError> {
        let nan = match &self {
            AnyImage::F32(image) => first_nan(image.voxels()),
            AnyImage::F64(image) => first_nan(image.voxels()),
            _ => None,
        };
        match nan {
            None => Ok(self),
            Some(place) => Err(ShapeError::NotANumber { voxel: self.shape().coordinates(place) }),
        }
    }

    /// The shape of the image.
    pub fn shape(&self) -> Shape {
        with_image!(self, image => image.shape())
    }

    /// The bytes of the voxels in memory order.
    pub fn bytes(&self) -> &[u8] {
        with_image!(self, image => image.voxels().as_bytes())
    }

    /// The value of the voxel at a place in memory, as a double; integers beyond ±2^53 are rounded.
    pub fn value(&self, place: usize) -> f64 {
        with_image!(self, image => image.voxels()[place].value())
    }

    /// The image with the nearest doubles as its voxels.
    pub fn in_doubles(&self) -> AnyImage {
        let shape = self.shape();
        let voxels = (0..shape.count()).map(|place| self.value(place)).collect();
        Image { shape, voxels: Storage::Own(voxels) }.into()
    }

    /// The exact value of the voxel at a place in memory.
    pub fn exact(&self, place: usize) -> Value {
        with_image!(self, image => image.voxels()[place].into())
    }
}

/// The place of the first voxel that is NaN.
fn first_nan<T: Voxel>(voxels: &[T]) -> Option<usize> {
    parallel::position(voxels.len(), |place| !voxels[place].is_number())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_a_voxel_for_each_place() {
        let shape = Shape::new(&[2, 2], Order::C).unwrap();
        assert_eq!(Image::new(shape, vec![0_u8; 3]), Err(ShapeError::Voxels { expected: 4, found: 3 }));
        assert_eq!(
            Image::shared(shape, Arc::new([0_u8; 5])),
            Err(ShapeError::Voxels { expected: 4, found: 5 })
        );
    }

    #[test]
    fn shared_voxels_are_as_those_of_its_own() {
        let shape = Shape::new(&[2, 2], Order::C).unwrap();
        let shared = Image::shared(shape, Arc::new([0_u8, 1, 2, 3])).unwrap();
        assert_eq!(shared, Image::from_slice(&[0_u8, 1, 2, 3], &[2, 2]).unwrap());
        assert_eq!(shared.into_voxels(), [0, 1, 2, 3]);
        let nan = AnyImage::shared(shape, Arc::new([0.0_f32, 1.0, f32::NAN, 3.0]));
        assert_eq!(nan, Err(ShapeError::NotANumber { voxel: vec![1, 0] }));
    }
}
