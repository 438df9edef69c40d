//! Conversion of arrays to images whose voxels are read in place.

use std::sync::Arc;

use lacuna::cubical::{AnyImage, Order, Shape, ShapeError, SharedVoxels, Voxel};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The voxels of an array, which is kept alive while they are needed.
struct Borrowed<T> {
    /// The owner of the memory.
    _array: Py<PyArrayDyn<T>>,
    first: *const T,
    count: usize,
}

// SAFETY: the elements are plain numbers, which any thread may read; the array itself is only released, which any
// thread may do.
#[allow(unsafe_code)]
unsafe impl<T: Sync> Send for Borrowed<T> {}
// SAFETY: see above.
#[allow(unsafe_code)]
unsafe impl<T: Sync> Sync for Borrowed<T> {}

impl<T> AsRef<[T]> for Borrowed<T> {
    #[allow(unsafe_code)]
    fn as_ref(&self) -> &[T] {
        // SAFETY: a contiguous array of `count` elements begins at `first`, aligned, and NumPy neither frees nor
        // moves the elements of an array with references. The documentation requires that callers do not write them
        // meanwhile, like NumPy's functions that release the interpreter's lock.
        unsafe { std::slice::from_raw_parts(self.first, self.count) }
    }
}

/// A function that makes an image, which searches for NaN on the threads of its caller.
pub(crate) type MakeImage = Box<dyn FnOnce() -> Result<AnyImage, ShapeError> + Send>;

/// Converts an array, which must be contiguous in C or Fortran order, to an image. Returns a function for that, and
/// the number of voxels.
///
/// # Errors
/// `TypeError`: the array has another type.
pub(crate) fn image(array: &Bound<'_, PyAny>) -> PyResult<(MakeImage, usize)> {
    macro_rules! of_type {
        ($($voxel:ty),*) => {$(
            if let Ok(array) = array.cast::<PyArrayDyn<$voxel>>() {
                return borrowed(array);
            }
        )*};
    }
    of_type!(u8, f32, f64, u16, i16, i8, u32, i32, u64, i64);
    Err(PyTypeError::new_err(
        "expected an array of integers of 8 to 64 bits or of floats of 32 or 64 bits, in the machine's byte order",
    ))
}

fn borrowed<T: Voxel + Element>(array: &Bound<'_, PyArrayDyn<T>>) -> PyResult<(MakeImage, usize)> {
    let order = match (array.is_c_contiguous(), array.is_fortran_contiguous()) {
        (true, _) => Order::C,
        (_, true) => Order::F,
        _ => return Err(PyTypeError::new_err("expected a contiguous array")),
    };
    let axes = array.shape().to_vec();
    let voxels = Borrowed { _array: array.clone().unbind(), first: array.data(), count: array.len() };
    // NumPy calls an array unaligned if its address is invalid for its type; the package copies such arrays.
    if !voxels.first.is_aligned() || voxels.first.is_null() {
        return Err(PyTypeError::new_err("expected an aligned array"));
    }
    let count = voxels.count;
    let make = Box::new(move || {
        let voxels: SharedVoxels<T> = Arc::new(voxels);
        AnyImage::shared(Shape::new(&axes, order)?, voxels)
    });
    Ok((make, count))
}
