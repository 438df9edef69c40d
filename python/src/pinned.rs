//! Arrays whose memory stays where it is while it is read without the interpreter's lock.
//!
//! Another thread may call `resize` then, which moves the elements. NumPy refuses it while a weak reference to the array exists, also with
//! `refcheck=False`, which passes over references and exported buffers. A view reads the memory of the array that it is a view of, its `base`,
//! so each array of that chain is referred to.

use std::ops::Deref;

use ndarray::Dimension;
use numpy::{Element, PyReadonlyArray, PyUntypedArray};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;

/// Keeps NumPy from resizing an array, and those that it is a view of.
pub(crate) struct Pinned(
    #[expect(dead_code, reason = "it is the references' existence that counts")] Vec<Py<PyWeakrefReference>>,
);

/// Pins the elements of an array to where they are until the answer is dropped.
pub(crate) fn pinned(array: &Bound<'_, PyAny>) -> PyResult<Pinned> {
    let py = array.py();
    let (mut references, mut next) = (Vec::new(), array.clone());
    while next.is_instance_of::<PyUntypedArray>() {
        references.push(PyWeakrefReference::new(&next)?.unbind());
        next = next.getattr(intern!(py, "base"))?;
    }
    Ok(Pinned(references))
}

/// An argument that is an array, which is pinned until the function that takes it returns.
pub(crate) struct PinnedArray<'py, T: Element, D: Dimension> {
    array: PyReadonlyArray<'py, T, D>,
    _pinned: Pinned,
}

impl<'py, T: Element, D: Dimension> PinnedArray<'py, T, D> {
    pub(crate) fn new(array: PyReadonlyArray<'py, T, D>) -> PyResult<Self> {
        Ok(PinnedArray { _pinned: pinned(array.as_any())?, array })
    }
}

impl<'py, T: Element, D: Dimension + 'py> FromPyObject<'_, 'py> for PinnedArray<'py, T, D> {
    type Error = PyErr;

    fn extract(array: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        PinnedArray::new(array.extract::<PyReadonlyArray<'py, T, D>>()?)
    }
}

impl<'py, T: Element, D: Dimension> Deref for PinnedArray<'py, T, D> {
    type Target = PyReadonlyArray<'py, T, D>;

    fn deref(&self) -> &Self::Target {
        &self.array
    }
}
