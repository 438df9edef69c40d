//! Conversion of arrays to images whose voxels are read in place.

use std::sync::Arc;

use lacuna::cubical::{AnyImage, Order, Shape, ShapeError, SharedVoxels, Voxel};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::pinned::{Pinned, pinned};

/// The voxels of an array, which is kept alive and in place while they are needed.
struct Borrowed<T> {
    /// The owner of the memory.
    _array: Py<PyArrayDyn<T>>,
    /// Keeps it where it is.
    _pinned: Pinned,
    first: *const T,
    count: usize,
}

// SAFETY: an array's elements are plain numbers, which any thread may read; the array and the references that pin it are only released, which any
// thread may do.
#[allow(unsafe_code)]
unsafe impl<T: Sync> Send for Borrowed<T> {}
// SAFETY: see above.
#[allow(unsafe_code)]
unsafe impl<T: Sync> Sync for Borrowed<T> {}

impl<T> AsRef<[T]> for Borrowed<T> {
    #[allow(unsafe_code)]
    fn as_ref(&self) -> &[T] {
        // SAFETY: a contiguous array of `count` elements begins at `first`, aligned, and NumPy neither frees the elements of an array that is
        // referred to nor moves those of one that is pinned. That nobody writes them meanwhile is what the documentation asks of callers, as
        // NumPy's functions do that release the interpreter's lock.
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
    let (first, count) = (array.data(), array.len());
    let voxels = Borrowed { _pinned: pinned(array.as_any())?, _array: array.clone().unbind(), first, count };
    // An address that no number of this type may have is one that NumPy calls unaligned; the package makes a copy of such arrays.
    if !voxels.first.is_aligned() || voxels.first.is_null() {
        return Err(PyTypeError::new_err("expected an aligned array"));
    }
    let make = Box::new(move || {
        let voxels: SharedVoxels<T> = Arc::new(voxels);
        AnyImage::shared(Shape::new(&axes, order)?, voxels)
    });
    Ok((make, count))
}
