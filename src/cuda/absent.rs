//! What stands in the place of `driver/` in a build without the feature `cuda`: no device, and no call into CUDA's driver.
//!
//! [`devices`] and [`Gpu::open`] say that this build has no CUDA support. The other types have no values, so that what uses them compiles
//! without being told apart, and the compiler leaves it out.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::marker::PhantomData;
use std::ops::Range;

use super::{CudaError, DeviceInfo, Pending, Unsigned, Version};

/// The type without values: what holds one does not exist.
#[derive(Debug, Clone, Copy)]
enum Never {}

/// Types that a device holds as the host does, and whose zero is all bits zero.
pub trait Plain: Copy + Send + Sync + 'static {}

impl<T: Copy + Send + Sync + 'static> Plain for T {}

/// The driver's version and its devices, of which this build has none.
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

/// Memory that somebody else has allocated.
#[derive(Debug)]
pub struct Foreign<T> {
    never: Never,
    elements: PhantomData<T>,
}

/// The number of the device on which an address lies, of which this build knows none.
///
/// # Errors
/// [`CudaError::NotBuilt`].
pub fn device_of(_address: u64) -> Result<usize, CudaError> {
    Err(CudaError::NotBuilt)
}

/// Page-locked memory of the host.
#[derive(Debug)]
pub struct Pinned<T> {
    never: Never,
    elements: PhantomData<T>,
}

/// A buffer that is filled from page-locked memory.
#[derive(Debug)]
pub struct Inbox<T> {
    never: Never,
    elements: PhantomData<T>,
}

/// The kernels of a PTX text, loaded.
pub(crate) struct Module {
    never: Never,
}

/// A kernel on a device.
pub(crate) struct Kernel {
    never: Never,
}

/// A launch to which arguments are added.
pub(crate) struct Launch<'a> {
    never: Never,
    arguments: PhantomData<&'a ()>,
}

/// Whether this machine has a driver that this build can use: it has none.
pub(crate) fn has_driver() -> bool {
    false
}

impl Gpu {
    /// Opens a device, of which this build has none.
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

    /// The number of multiprocessors.
    pub fn multiprocessors(&self) -> Result<u32, CudaError> {
        match self.never {}
    }

    /// Bytes of shared memory that a block may be given.
    pub fn shared_memory(&self) -> Result<u32, CudaError> {
        match self.never {}
    }

    /// Bytes that can still be allocated.
    pub fn available(&self) -> Result<u64, CudaError> {
        match self.never {}
    }

    /// The greatest number of bytes that were allocated at a time.
    pub fn peak(&self) -> u64 {
        match self.never {}
    }

    /// A buffer of zeros.
    pub fn zeros<T: Plain>(&self, _len: usize) -> Result<Buffer<T>, CudaError> {
        match self.never {}
    }

    /// A buffer with the elements of a slice.
    pub fn upload<T: Plain>(&self, _host: &[T]) -> Result<Buffer<T>, CudaError> {
        match self.never {}
    }

    /// Writes a slice into a buffer, from element `at` on.
    pub fn write<T: Plain>(&self, _buffer: &mut Buffer<T>, _at: usize, _host: &[T]) -> Result<(), CudaError> {
        match self.never {}
    }

    /// The elements of a range of a buffer.
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

    /// Sets all bytes of a buffer to a value.
    pub fn fill<T: Unsigned>(&self, _buffer: &mut Buffer<T>, _byte: u8) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Page-locked memory for `len` elements.
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

    /// Begins to copy elements of a buffer to the start of page-locked memory.
    pub fn receive<T: Plain>(
        &self,
        _from: &Buffer<T>,
        _range: Range<usize>,
        _to: &mut Pinned<T>,
    ) -> Result<(), CudaError> {
        match self.never {}
    }

    /// An inbox for `len` elements.
    pub fn inbox<T: Plain>(&self, _len: usize) -> Result<Inbox<T>, CudaError> {
        match self.never {}
    }

    /// Waits until everything that was asked for is done.
    pub fn finish(&self) -> Result<(), CudaError> {
        match self.never {}
    }

    /// The elements at an address, as a buffer.
    ///
    /// # Safety
    /// There is nothing to promise: the device does not exist.
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
    /// The number of elements.
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
    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        match self.never {}
    }

    /// Records that a copy was begun.
    pub(crate) fn begun(&mut self) -> Result<(), CudaError> {
        match self.never {}
    }

    /// The elements, when all copies are done.
    pub fn slice(&self) -> Result<&[T], CudaError> {
        match self.never {}
    }

    /// The elements, to be changed, when all copies are done.
    pub fn slice_mut(&mut self) -> Result<&mut [T], CudaError> {
        match self.never {}
    }
}

impl<T: Plain> Inbox<T> {
    /// Begins to copy the first `n` elements to the inbox, from its element `at` on.
    pub fn send(&mut self, _from: &mut Pinned<T>, _n: usize, _at: usize) -> Result<(), CudaError> {
        match self.never {}
    }

    /// Asks for work on what has been sent.
    pub fn work<R, E: From<CudaError>>(
        &mut self,
        _work: impl FnOnce(&mut Buffer<T>) -> Result<R, E>,
    ) -> Result<R, E> {
        match self.never {}
    }
}

impl Module {
    /// The kernel of this name.
    pub(crate) fn kernel(&self, _name: &'static CStr) -> Result<Kernel, CudaError> {
        match self.never {}
    }
}

impl Kernel {
    /// A launch of the kernel.
    pub(crate) fn launch(&self, _blocks: u32, _threads: u32, _shared: u32) -> Launch<'_> {
        match self.never {}
    }

    /// Lets launches have this many bytes of shared memory.
    pub(crate) fn allow_shared(&self, _bytes: u32) -> Result<(), CudaError> {
        match self.never {}
    }
}

impl<'a> Launch<'a> {
    /// Adds a number.
    pub(crate) fn value<T: Plain>(self, _value: &'a T) -> Self {
        match self.never {}
    }

    /// Adds memory that the kernel reads.
    pub(crate) fn input<T>(self, _buffer: &'a Buffer<T>) -> Self {
        match self.never {}
    }

    /// Adds memory that the kernel writes.
    pub(crate) fn output<T>(self, _buffer: &'a mut Buffer<T>) -> Self {
        match self.never {}
    }

    /// Adds page-locked memory of the host that the kernel writes.
    pub(crate) fn host_output<T>(self, _memory: &'a mut Pinned<T>) -> Self {
        match self.never {}
    }

    /// Launches the kernel.
    ///
    /// # Safety
    /// There is nothing to promise: the launch does not exist.
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
