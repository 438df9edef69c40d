//! Page-locked host memory, from and to which a device copies asynchronously.

use cudarc::driver::{CudaEvent, CudaStream, PinnedHostSlice, sys};

use super::{Buffer, Gpu, Plain};
use crate::cuda::CudaError;

/// Page-locked host memory. Only [`Gpu::send`], [`Gpu::receive`], [`Inbox::send`](super::Inbox::send) and kernels
/// that write to it begin copies; [`Pinned::slice`] and [`Pinned::slice_mut`] wait for these.
#[derive(Debug)]
pub struct Pinned<T> {
    memory: PinnedHostSlice<T>,
    len: usize,
    /// The address of the memory for kernels.
    pub(super) address: sys::CUdeviceptr,
    /// Reached when all copies begun so far are done.
    copied: CudaEvent,
    pub(super) gpu: Gpu,
}

impl Gpu {
    /// Allocates page-locked memory for `len` elements, but at least one, all zero.
    ///
    /// # Errors
    /// The system refused the memory.
    pub fn pinned<T: Plain>(&self, len: usize) -> Result<Pinned<T>, CudaError> {
        const WHAT: &str = "allocating page-locked memory";
        // The driver refuses empty allocations. Without flags the memory is cached, which matters because the host
        // reads results from it.
        // SAFETY: the memory is filled with zeros before it is read.
        let allocated = unsafe { self.context.alloc_pinned_with_flags::<T>(len.max(1), 0) };
        let mut memory = self.done(WHAT, allocated)?;
        let bytes = memory.num_bytes();
        let start = self.done(WHAT, memory.as_mut_ptr())?.cast::<u8>();
        // SAFETY: the allocation has this many bytes, and all-zero bits are a value of `T`.
        unsafe { start.write_bytes(0, bytes) };
        let mut address = 0;
        // SAFETY: the memory was allocated by the driver, for this context; the call writes one address.
        let asked = unsafe { sys::cuMemHostGetDevicePointer_v2(&mut address, start.cast(), 0) };
        self.done(WHAT, asked.result())?;
        let copied = self.done(WHAT, self.context.new_event(None))?;
        Ok(Pinned { memory, len, address, copied, gpu: self.clone() })
    }

    /// Begins to copy the first `n` elements to a buffer, from its element `at` on.
    ///
    /// # Errors
    /// The driver failed.
    ///
    /// # Panics
    /// Either has too few elements, or belongs to another device.
    pub fn send<T: Plain>(
        &self,
        from: &mut Pinned<T>,
        n: usize,
        to: &mut Buffer<T>,
        at: usize,
    ) -> Result<(), CudaError> {
        self.expect_own(to);
        self.expect_same(&from.gpu);
        assert!(at.checked_add(n).is_some_and(|end| end <= to.len), "{n} elements at {at} of {}", to.len);
        if n == 0 {
            return Ok(());
        }
        let host = &from.slice_mut()?[..n];
        let mut part = to.slice.slice_mut(at..at + n);
        self.done("copying to the device", self.stream.memcpy_htod(host, &mut part))?;
        from.begun()
    }

    /// Begins to copy a range of a buffer to the start of `to`.
    ///
    /// # Errors
    /// The driver failed.
    ///
    /// # Panics
    /// The range is not in the buffer, or is longer than `to`; or one belongs to another device.
    pub fn receive<T: Plain>(
        &self,
        from: &Buffer<T>,
        range: std::ops::Range<usize>,
        to: &mut Pinned<T>,
    ) -> Result<(), CudaError> {
        self.expect_own(from);
        self.expect_same(&to.gpu);
        assert!(range.end <= from.len, "{range:?} of {}", from.len);
        let n = range.len();
        if n == 0 {
            return Ok(());
        }
        let part = from.slice.slice(range);
        let host = &mut to.slice_mut()?[..n];
        self.done("copying from the device", self.stream.memcpy_dtoh(&part, host))?;
        to.begun()
    }
}

impl Gpu {
    /// Panics if page-locked memory belongs to another device, whose events order the access to it.
    pub(super) fn expect_same(&self, other: &Gpu) {
        let is_same = std::sync::Arc::ptr_eq(&self.stream, &other.stream);
        assert!(is_same, "{}: expected its own page-locked memory, found that of {}", self.name, other.name);
    }
}

impl<T: Plain> Pinned<T> {
    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Waits for all copies and returns the elements.
    ///
    /// # Errors
    /// A copy or an earlier request failed.
    pub fn slice(&self) -> Result<&[T], CudaError> {
        self.wait()?;
        self.gpu.done("copying", self.memory.as_slice())
    }

    /// Waits for all copies and returns the elements for modification.
    ///
    /// # Errors
    /// See [`Pinned::slice`].
    pub fn slice_mut(&mut self) -> Result<&mut [T], CudaError> {
        self.wait()?;
        self.gpu.done("copying", self.memory.as_mut_slice())
    }

    fn wait(&self) -> Result<(), CudaError> {
        self.gpu.done("waiting for a copy", self.copied.synchronize())
    }

    /// Records `copied` after a copy on the stream of all work.
    pub(crate) fn begun(&mut self) -> Result<(), CudaError> {
        self.begun_on(&self.gpu.stream)
    }

    /// Records `copied` after a copy on `stream`.
    pub(super) fn begun_on(&self, stream: &CudaStream) -> Result<(), CudaError> {
        self.gpu.done("noting a copy", self.copied.record(stream)).or_else(|error| {
            // The memory must not be read or written before the copy is done.
            self.gpu.done("finishing a copy", stream.synchronize())?;
            Err(error)
        })
    }
}

impl<T> Drop for Pinned<T> {
    fn drop(&mut self) {
        // The device must have finished with the memory. An error of the driver is reported by another call.
        let _ = self.copied.synchronize();
    }
}
