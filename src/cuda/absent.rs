//! Substitute for `driver/` in a build without the feature `cuda`: no device, and no call into CUDA's driver.
//!
//! [`devices`] and [`Gpu::open`] return the error that this build has no CUDA support. The other types have no
//! values, so code that uses them compiles without conditions, and the compiler removes it.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::marker::PhantomData;
use std::ops::Range;

use super::{CudaError, DeviceInfo, Pending, Unsigned, Version};

/// A type without values.
#[derive(Debug, Clone, Copy)]
enum Never {}

/// A type with the same representation on device and host, for which all-zero bits are the value zero.
pub trait Plain: Copy + Send + Sync + 'static {}

impl<T: Copy + Send + Sync + 'static> Plain for T {}

/// The driver's version and its devices, which this build does not support.
///
/// # Errors
/// [`CudaError::NotBuilt`].
pub fn devices() -> Result<(Version, Vec<DeviceInfo>), CudaError> {
    Err(CudaError::NotBuilt)
}

/// An open device.
#[derive(Debug, Clone)]
pub struct Gpu {
    never: Never,
}

/// Memory of a device.
#[derive(Debug)]
pub struct Buffer<T> {
    never: Never,
    elements: PhantomData<T>,
}

/// Device memory that another library has allocated.
#[derive(Debug)]
pub struct Foreign<T> {
    never: Never,
    elements: PhantomData<T>,
}

/// The number of the device of an address, which this build does not support.
///
/// # Errors
/// [`CudaError::NotBuilt`].
pub fn device_of(_address: u64) -> Result<usize, CudaError> {
    Err(CudaError::NotBuilt)
}

/// Page-locked host memory.
#[derive(Debug)]
pub struct Pinned<T> {
    never: Never,
    elements: PhantomData<T>,
}

/// A device buffer that is filled from page-locked memory.
#[derive(Debug)]
pub struct Inbox<T> {
    never: Never,
    elements: PhantomData<T>,
}

/// The loaded kernels of a PTX text.
pub(crate) struct Module {
    never: Never,
}

/// A kernel on a device.
pub(crate) struct Kernel {
    never: Never,
}

/// A launch under construction.
pub(crate) struct Launch<'a> {
    never: Never,
    arguments: PhantomData<&'a ()>,
}

/// Whether this machine has a driver that this build can use, which is never the case.
pub(crate) fn has_driver() -> bool {
    false
}

impl Gpu {
    /// Opens a device, which this build does not support.
    ///
    /// # Errors
    /// [`CudaError::NotBuilt`].
    pub fn open(_ordinal: usize, _memory: Option<u64>) -> Result<Gpu, CudaError> {
        Err(CudaError::NotBuilt)
    }

    /// The number of the device.
    pub fn ordinal(&self) -> usize {
        match self.never {}
    }

    /// The number and the name of the device, for messages.
    pub fn name(&self) -> &str {
        match self.never {}
    }

    /// Number of multiprocessors.
    pub fn multiprocessors(&self) -> Result<u32, CudaError> {
        match self.never {}
    }

    /// Maximum bytes of shared memory per block.
    pub fn shared_memory(&self) -> Result<u32, CudaError> {
        match self.never {}
    }

    /// Number of bytes that can still be allocated.
    pub fn available(&self) -> Result<u64, CudaError> {
        match self.never {}
    }

    /// Peak number of allocated bytes.
    pub fn peak(&self) -> u64 {
        match self.never {}
    }

    /// Allocates a buffer of zeros.
    pub fn zeros<T: Plain>(&self, _len: usize) -> Result<Buffer<T>, CudaError> {
        match self.never {}
    }

    /// Copies a slice to a new buffer.
    pub fn upload<T: Plain>(&self, _host: &[T]) -> Result<Buffer<T>, CudaError> {
        match self.never {}
    }

    /// Copies a slice into a buffer, from element `at` on.
    pub fn write<T: Plain>(&self, _buffer: &mut Buffer<T>, _at: usize, _host: &[T]) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Copies a range of a buffer to the host.
    pub fn read<T: Plain>(&self, _buffer: &Buffer<T>, _range: Range<usize>) -> Result<Vec<T>, CudaError> {
        match self.never {}
    }

    /// Copies the first `n` elements of a buffer to the start of another.
    pub fn copy<T: Plain>(&self, _from: &Buffer<T>, _to: &mut Buffer<T>, _n: usize) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Copies a range of a buffer to the start of another.
    pub fn copy_range<T: Plain>(
        &self,
        _from: &Buffer<T>,
        _range: Range<usize>,
        _to: &mut Buffer<T>,
    ) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Sets all elements of a buffer to zero.
    pub fn clear<T: Plain>(&self, _buffer: &mut Buffer<T>) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Sets all bytes of a buffer to `byte`.
    pub fn fill<T: Unsigned>(&self, _buffer: &mut Buffer<T>, _byte: u8) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Allocates page-locked memory for `len` elements.
    pub fn pinned<T: Plain>(&self, _len: usize) -> Result<Pinned<T>, CudaError> {
        match self.never {}
    }

    /// Begins to copy the first `n` elements of page-locked memory to a buffer, from its element `at` on.
    pub fn send<T: Plain>(
        &self,
        _from: &mut Pinned<T>,
        _n: usize,
        _to: &mut Buffer<T>,
        _at: usize,
    ) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Begins to copy a range of a buffer to the start of page-locked memory.
    pub fn receive<T: Plain>(
        &self,
        _from: &Buffer<T>,
        _range: Range<usize>,
        _to: &mut Pinned<T>,
    ) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Creates an inbox for `len` elements.
    pub fn inbox<T: Plain>(&self, _len: usize) -> Result<Inbox<T>, CudaError> {
        match self.never {}
    }

    /// Waits until all work requested so far is done.
    pub fn finish(&self) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Wraps the elements at an address as a buffer.
    ///
    /// # Safety
    /// The device does not exist, so there is no requirement.
    pub unsafe fn foreign<T: Plain>(
        &self,
        _address: u64,
        _len: usize,
        _pending: Pending,
    ) -> Result<Foreign<T>, CudaError> {
        match self.never {}
    }

    /// Waits until all work on the device is done.
    pub fn finish_all(&self) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Loads the kernels of a PTX text.
    pub(crate) fn module(&self, _ptx: &'static str) -> Result<Module, CudaError> {
        match self.never {}
    }
}

impl<T> Buffer<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self.never {}
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        match self.never {}
    }
}

impl<T> Buffer<T> {
    /// The address on the device.
    pub fn address(&self) -> u64 {
        match self.never {}
    }
}

impl<T> std::ops::Deref for Foreign<T> {
    type Target = Buffer<T>;

    fn deref(&self) -> &Buffer<T> {
        match self.never {}
    }
}

impl<T: Plain> Pinned<T> {
    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        match self.never {}
    }

    /// Records that a copy was begun.
    pub(crate) fn begun(&mut self) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Waits for all copies and returns the elements.
    pub fn slice(&self) -> Result<&[T], CudaError> {
        match self.never {}
    }

    /// Waits for all copies and returns the elements for modification.
    pub fn slice_mut(&mut self) -> Result<&mut [T], CudaError> {
        match self.never {}
    }
}

impl<T: Plain> Inbox<T> {
    /// Begins to copy the first `n` elements to the inbox, from its element `at` on.
    pub fn send(&mut self, _from: &mut Pinned<T>, _n: usize, _at: usize) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Enqueues work on the elements that were sent.
    pub fn work<R, E: From<CudaError>>(
        &mut self,
        _work: impl FnOnce(&mut Buffer<T>) -> Result<R, E>,
    ) -> Result<R, E> {
        match self.never {}
    }
}

impl Module {
    /// Finds a kernel by its name.
    pub(crate) fn kernel(&self, _name: &'static CStr) -> Result<Kernel, CudaError> {
        match self.never {}
    }
}

impl Kernel {
    /// Begins a launch of the kernel.
    pub(crate) fn launch(&self, _blocks: u32, _threads: u32, _shared: u32) -> Launch<'_> {
        match self.never {}
    }

    /// Allows launches with up to `bytes` bytes of shared memory.
    pub(crate) fn allow_shared(&self, _bytes: u32) -> Result<(), CudaError> {
        match self.never {}
    }
}

impl<'a> Launch<'a> {
    /// Adds a number as an argument.
    pub(crate) fn value<T: Plain>(self, _value: &'a T) -> Self {
        match self.never {}
    }

    /// Adds numbers as arguments.
    pub(crate) fn values<T: Plain>(self, _values: &'a [T]) -> Self {
        match self.never {}
    }

    /// Adds a buffer that the kernel reads.
    pub(crate) fn input<T>(self, _buffer: &'a Buffer<T>) -> Self {
        match self.never {}
    }

    /// Adds a buffer that the kernel writes.
    pub(crate) fn output<T>(self, _buffer: &'a mut Buffer<T>) -> Self {
        match self.never {}
    }

    /// Adds page-locked host memory that the kernel writes.
    pub(crate) fn host_output<T>(self, _memory: &'a mut Pinned<T>) -> Self {
        match self.never {}
    }

    /// Launches the kernel.
    ///
    /// # Safety
    /// The launch does not exist, so there is no requirement.
    pub(crate) unsafe fn go(self) -> Result<(), CudaError> {
        match self.never {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_cuda_says_so() {
        assert_eq!(devices().unwrap_err(), CudaError::NotBuilt);
        let error = Gpu::open(0, None).unwrap_err().to_string();
        assert!(error.contains("built without the feature `cuda`"), "{error}");
    }
}
