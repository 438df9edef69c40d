//! Conversions from `ndarray` arrays to distances, points and images, and from diagrams to arrays.
//!
//! ```
//! use lacuna::metric::PointCloud;
//! use lacuna::rips::Rips;
//! use ndarray::array;
//!
//! // The corners of a square: a loop is born with the sides and dies with the diagonals.
//! let corners = array![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
//! let bars = Rips::new(PointCloud::try_from(corners)?).run()?.to_array();
//! assert_eq!(bars.row(4), array![1.0, 1.0, 2f64.sqrt()]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use ::ndarray::{Array, Array2, ArrayView, ArrayView2, Dimension};

use super::not_square;
use crate::Diagram;
use crate::cubical::{Image, Order, Shape, ShapeError, Voxel};
use crate::metric::read::Symmetrize;
use crate::metric::{DistanceMatrix, MetricError, PointCloud, Value};
use crate::parallel;

impl<T: Value> DistanceMatrix<T> {
    /// Converts a square array of distances in any memory layout. It is checked as in
    /// [`DistanceMatrix::from_square`]. If the two distances of a pair differ by more than rounding, `symmetrize`
    /// combines them; without it they are an error.
    ///
    /// ```
    /// use lacuna::metric::{DistanceMatrix, MetricError, read::Symmetrize};
    /// use ndarray::array;
    ///
    /// let distances = array![[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [5.0, 2.0, 0.0]];
    /// assert!(DistanceMatrix::try_from(distances.view()).is_err());
    /// let matrix = DistanceMatrix::from_array(distances.view(), Some(Symmetrize::Mean))?;
    /// assert_eq!(matrix.lower(), [1.0, 4.0, 2.0]);
    /// # Ok::<(), MetricError>(())
    /// ```
    ///
    /// # Errors
    /// The array is not square or empty, an entry of the diagonal is not zero, an entry is NaN or
    /// negative, or two distances of a pair differ.
    pub fn from_array(array: ArrayView2<'_, T>, symmetrize: Option<Symmetrize>) -> Result<Self, MetricError> {
        let (rows, columns) = array.dim();
        if rows != columns {
            return Err(not_square(rows, columns));
        }
        Self::from_entries(rows, |i, j| array[(i, j)], symmetrize)
    }
}

impl<T: Value> TryFrom<ArrayView2<'_, T>> for DistanceMatrix<T> {
    type Error = MetricError;

    /// Converts a symmetric array, see [`DistanceMatrix::from_array`].
    fn try_from(array: ArrayView2<'_, T>) -> Result<Self, MetricError> {
        Self::from_array(array, None)
    }
}

impl<T: Value> TryFrom<Array2<T>> for PointCloud<T> {
    type Error = MetricError;

    /// Takes the rows as points. An array in standard layout is moved without a copy.
    fn try_from(array: Array2<T>) -> Result<Self, MetricError> {
        let dimension = dimension(array.dim())?;
        Self::new(dimension, into_standard_order(array))
    }
}

impl<T: Value> TryFrom<ArrayView2<'_, T>> for PointCloud<T> {
    type Error = MetricError;

    /// Takes the rows as points, which are copied.
    fn try_from(array: ArrayView2<'_, T>) -> Result<Self, MetricError> {
        let dimension = dimension(array.dim())?;
        Self::new(dimension, to_standard_order(&array))
    }
}

/// The dimension of the points that are the rows of an array of this shape.
fn dimension((points, dimension): (usize, usize)) -> Result<usize, MetricError> {
    match (points, dimension) {
        (0, _) => Err(MetricError::empty()),
        (_, 0) => Err(MetricError::whole("at least one coordinate per point", "none")),
        _ => Ok(dimension),
    }
}

/// The error of an array that cannot be an image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageArrayError {
    /// No image has this shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A voxel is NaN.
    #[error("voxel {at:?}: expected a number, found NaN")]
    NotANumber {
        /// The index of the first such voxel in memory.
        at: Vec<usize>,
    },
}

/// Arrays with contiguous memory are moved without a copy and keep their order: row-major (C) or column-major (F, a
/// row-major array with reversed axes). Any other layout is copied to row-major order. The order affects ties only:
/// voxels of equal value enter by place in memory.
///
/// ```
/// use lacuna::cubical::{Image, Order};
/// use ndarray::Array3;
///
/// let image = Image::try_from(Array3::<u16>::zeros((4, 5, 6)))?;
/// assert_eq!((image.shape().axes(), image.shape().order()), (vec![4, 5, 6], Order::C));
/// # Ok::<(), lacuna::interop::ndarray::ImageArrayError>(())
/// ```
impl<T: Voxel, D: Dimension> TryFrom<Array<T, D>> for Image<T> {
    type Error = ImageArrayError;

    fn try_from(array: Array<T, D>) -> Result<Self, ImageArrayError> {
        let (shape, column_major) = shape_of(&array.view())?;
        let voxels = if column_major {
            into_standard_order(array.reversed_axes())
        } else {
            into_standard_order(array)
        };
        checked(shape, voxels)
    }
}

/// The voxels are copied. Their order in memory is kept as for an owned array.
impl<T: Voxel, D: Dimension> TryFrom<ArrayView<'_, T, D>> for Image<T> {
    type Error = ImageArrayError;

    fn try_from(array: ArrayView<'_, T, D>) -> Result<Self, ImageArrayError> {
        let (shape, column_major) = shape_of(&array)?;
        let voxels =
            if column_major { to_standard_order(&array.reversed_axes()) } else { to_standard_order(&array) };
        checked(shape, voxels)
    }
}

/// The shape of the image of an array, and whether its order in memory is column-major.
fn shape_of<T, D: Dimension>(array: &ArrayView<'_, T, D>) -> Result<(Shape, bool), ShapeError> {
    let column_major = !array.is_standard_layout() && array.t().is_standard_layout();
    let order = if column_major { Order::F } else { Order::C };
    Ok((Shape::new(array.shape(), order)?, column_major))
}

/// Creates the image of voxels in memory order, all of which must be numbers.
fn checked<T: Voxel>(shape: Shape, voxels: Vec<T>) -> Result<Image<T>, ImageArrayError> {
    match parallel::position(voxels.len(), |place| !voxels[place].is_number()) {
        Some(place) => Err(ImageArrayError::NotANumber { at: shape.coordinates(place) }),
        None => Ok(Image::new(shape, voxels)?),
    }
}

/// The elements in row-major order, without a copy if they are in this order already.
fn into_standard_order<T: Copy, D: Dimension>(array: Array<T, D>) -> Vec<T> {
    if !array.is_standard_layout() {
        return to_standard_order(&array.view());
    }
    let count = array.len();
    // An owned array that was sliced may have more memory than elements.
    let (mut elements, first) = array.into_raw_vec_and_offset();
    let first = first.unwrap_or(0);
    elements.truncate(first + count);
    elements.drain(..first);
    elements
}

/// A copy of the elements in row-major order.
fn to_standard_order<T: Copy, D: Dimension>(array: &ArrayView<'_, T, D>) -> Vec<T> {
    array.as_slice().map_or_else(|| array.iter().copied().collect(), <[T]>::to_vec)
}

impl Diagram {
    /// All bars by dimension, one row (dimension, birth, death) for each. The death of an essential bar is infinity.
    ///
    /// ```
    /// use lacuna::{Bar, Diagram};
    /// use ndarray::array;
    ///
    /// let essential = Bar { birth: 0.0, death: f64::INFINITY };
    /// let diagram = Diagram::new(vec![vec![essential], vec![Bar { birth: 1.0, death: 2.0 }]]);
    /// assert_eq!(diagram.to_array(), array![[0.0, 0.0, f64::INFINITY], [1.0, 1.0, 2.0]]);
    /// ```
    pub fn to_array(&self) -> Array2<f64> {
        let bars: Vec<[f64; 3]> = self.iter().map(|(dim, bar)| [dim as f64, bar.birth, bar.death]).collect();
        bars.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::ndarray::{Array3, ArrayD, Ix3, IxDyn, array, s};

    #[test]
    fn matrices_that_are_no_distances() {
        let refused = |array: Array2<f64>| DistanceMatrix::try_from(array.view()).unwrap_err();
        assert_eq!(refused(Array2::zeros((2, 3))), not_square(2, 3));
        assert_eq!(refused(Array2::zeros((0, 0))), MetricError::empty());
        for (entries, message) in [
            (array![[0.0, 1.0], [1.0, 0.5]], "row 1, column 1: expected 0 on the diagonal, found 0.5"),
            (
                array![[0.0, 1.0], [-1.0, 0.0]],
                "row 1, column 0: expected a non-negative distance or inf, found -1",
            ),
            (
                array![[0.0, f64::NAN], [1.0, 0.0]],
                "row 0, column 1: expected a non-negative distance or inf, found NaN",
            ),
            (
                array![[0.0, 1.0], [2.0, 0.0]],
                "row 1, column 0: expected the same distance as row 0, column 1: 1, found 2",
            ),
        ] {
            assert_eq!(refused(entries).to_string(), message);
        }
    }

    #[test]
    fn matrices_of_any_layout() {
        let all = Array2::from_shape_fn((6, 6), |(i, j)| if i == j { 0.0 } else { (i + j) as f32 });
        let (every_other, transposed) = (all.slice(s![..;2, ..;2]), all.t());
        let matrix = DistanceMatrix::try_from(every_other).unwrap();
        assert_eq!(matrix.lower(), [2.0, 4.0, 6.0]);
        assert_eq!(DistanceMatrix::try_from(transposed), DistanceMatrix::try_from(all.view()));
        let rounded = array![[0.0, 1.0], [1.00001, 0.0]];
        assert_eq!(DistanceMatrix::try_from(rounded.view()).unwrap().lower(), [1.00001]);
    }

    #[test]
    fn points_keep_their_memory() {
        let array = array![[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let view = PointCloud::try_from(array.view()).unwrap();
        let address = array.as_ptr();
        let cloud = PointCloud::try_from(array.clone()).unwrap();
        assert_eq!((cloud.len(), cloud.dimension(), cloud.point(1)), (2, 3, &[4.0, 5.0, 6.0][..]));
        assert_eq!(view, cloud);
        let cloud = PointCloud::try_from(array).unwrap();
        assert_eq!(cloud.point(0).as_ptr(), address);
        let sliced = array![[9.0f32, 9.0], [1.0, 2.0], [3.0, 4.0], [9.0, 9.0]].slice_move(s![1..3, ..]);
        assert_eq!(PointCloud::try_from(sliced).unwrap().point(1), [3.0, 4.0]);
        let columns = array![[1.0f32, 3.0], [2.0, 4.0]].reversed_axes();
        assert_eq!(PointCloud::try_from(columns).unwrap().point(0), [1.0, 2.0]);
    }

    #[test]
    fn points_that_are_none() {
        let refused = |array: Array2<f64>| {
            let view = PointCloud::try_from(array.view()).unwrap_err();
            assert_eq!(PointCloud::try_from(array).unwrap_err().to_string(), view.to_string());
            view
        };
        assert_eq!(refused(Array2::zeros((0, 3))), MetricError::empty());
        let error = refused(Array2::zeros((3, 0))).to_string();
        assert_eq!(error, "expected at least one coordinate per point, found none");
        let error = refused(array![[0.0, 1.0], [f64::INFINITY, 1.0]]).to_string();
        assert_eq!(error, "coordinate 0 of point 1: expected a finite number, found inf");
    }

    #[test]
    fn images_keep_their_memory_and_its_order() {
        let array = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as u8);
        let copied = Image::try_from(array.view()).unwrap();
        let address = array.as_ptr();
        let image = Image::try_from(array.clone()).unwrap();
        assert_eq!(image, copied);
        let moved = Image::try_from(array.clone().into_dyn()).unwrap();
        assert_eq!((moved.shape().axes(), moved.shape().order()), (vec![2, 3, 4], Order::C));
        let reversed = Image::try_from(array.view().reversed_axes()).unwrap();
        assert_eq!((reversed.shape().axes(), reversed.shape().order()), (vec![4, 3, 2], Order::F));
        assert_eq!(reversed.voxels(), image.voxels());
        let reversed = Image::try_from(array.reversed_axes()).unwrap();
        assert_eq!(reversed.voxels().as_ptr(), address);
        assert_eq!(reversed.shape().coordinates(7), [3, 1, 0]);
    }

    #[test]
    fn images_of_other_layouts_are_copied() {
        let array = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i16);
        let view = array.view().permuted_axes(Ix3(0, 2, 1));
        let image = Image::try_from(view).unwrap();
        assert_eq!((image.shape().axes(), image.shape().order()), (vec![2, 4, 3], Order::C));
        assert_eq!(image.voxels()[..4], [0, 10, 20, 1]);
        assert_eq!(Image::try_from(view.to_owned()).unwrap(), image);
        let backwards = Image::try_from(array.slice(s![..;-1, .., ..])).unwrap();
        assert_eq!(backwards.voxels()[0], 100);
    }

    #[test]
    fn arrays_that_are_no_images() {
        let refused = |axes: &[usize]| Image::try_from(ArrayD::<u8>::zeros(IxDyn(axes))).unwrap_err();
        assert_eq!(refused(&[]), ShapeError::Axes { most: 4, found: vec![] }.into());
        assert_eq!(refused(&[2; 5]), ShapeError::Axes { most: 4, found: vec![2; 5] }.into());
        assert_eq!(refused(&[2, 0]), ShapeError::Empty { found: vec![2, 0] }.into());
        let nan = array![[0.0f32, 1.0], [2.0, f32::NAN], [f32::NAN, 3.0]];
        let error = ImageArrayError::NotANumber { at: vec![1, 1] };
        assert_eq!(Image::try_from(nan.view()).unwrap_err(), error);
        assert_eq!(Image::try_from(nan).unwrap_err(), error);
    }
}
