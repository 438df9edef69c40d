//! Memory of the host that a device copies from and to by itself, while the processor does something else.

use cudarc::driver::{CudaEvent, CudaStream, PinnedHostSlice};

use super::{Buffer, Gpu, Plain};
use crate::cuda::CudaError;

/// Page-locked memory of the host. Copies from and to it are only begun by [`Gpu::send`], [`Gpu::receive`] and
/// [`Inbox::send`](super::Inbox::send); whoever looks at it next waits for them.
#[derive(Debug)]
pub struct Pinned<T> {
    memory: PinnedHostSlice<T>,
    /// Reached when the copies begun so far are done.
    copied: CudaEvent,
    pub(super) gpu: Gpu,
}

impl Gpu {
    /// Page-locked memory for so many elements, one at least, all zero.
    ///
    /// # Errors
    /// The system does not give it.
    pub fn pinned<T: Plain>(&self, len: usize) -> Result<Pinned<T>, CudaError> {
        let failed = |error| self.call("allocating page-locked memory", error);
        // Empty allocations are an error of the driver's. Without flags the memory is cached: results are read from it too.
        // SAFETY: it is filled with zeros before anybody sees it.
        let mut memory =
            unsafe { self.context.alloc_pinned_with_flags::<T>(len.max(1), 0) }.map_err(failed)?;
        let bytes = memory.num_bytes();
        let start = memory.as_mut_ptr().map_err(failed)?.cast::<u8>();
        // SAFETY: the allocation has so many bytes, and zero is a value of `T`.
        unsafe { start.write_bytes(0, bytes) };
        let copied = self.context.new_event(None).map_err(failed)?;
        Ok(Pinned { memory, copied, gpu: self.clone() })
    }

    /// Begins to copy the first `n` elements to a buffer, from its element `at` on.
    ///
    /// # Errors
    /// The driver fails.
    ///
    /// # Panics
    /// There are not so many in either, or one belongs to another device.
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
        let begun = self.stream.memcpy_htod(host, &mut part);
        begun.map_err(|error| self.call("copying to the device", error))?;
        from.begun()
    }

    /// Begins to copy elements of a buffer to the start of `to`.
    ///
    /// # Errors
    /// The driver fails.
    ///
    /// # Panics
    /// The range is not in the buffer, or longer than `to`; or one belongs to another device.
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
        let begun = self.stream.memcpy_dtoh(&part, host);
        begun.map_err(|error| self.call("copying from the device", error))?;
        to.begun()
    }
}

impl Gpu {
    /// Panics if page-locked memory belongs to another device: the events that say when it may be looked at are that device's.
    pub(super) fn expect_same(&self, other: &Gpu) {
        let is_same = std::sync::Arc::ptr_eq(&self.stream, &other.stream);
        assert!(is_same, "{}: expected its own page-locked memory, found that of {}", self.name, other.name);
    }
}

impl<T: Plain> Pinned<T> {
    /// What it holds, when all copies are done.
    ///
    /// # Errors
    /// One of them failed, or what was asked for before.
    pub fn slice(&self) -> Result<&[T], CudaError> {
        self.wait()?;
        self.memory.as_slice().map_err(|error| self.gpu.call("copying", error))
    }

    /// The same, to be changed.
    ///
    /// # Errors
    /// As [`Pinned::slice`].
    pub fn slice_mut(&mut self) -> Result<&mut [T], CudaError> {
        self.wait()?;
        let gpu = &self.gpu;
        self.memory.as_mut_slice().map_err(|error| gpu.call("copying", error))
    }

    fn wait(&self) -> Result<(), CudaError> {
        self.copied.synchronize().map_err(|error| self.gpu.call("waiting for a copy", error))
    }

    /// A copy was begun: `copied` is past it.
    fn begun(&mut self) -> Result<(), CudaError> {
        self.begun_on(&self.gpu.stream)
    }

    /// The same on another stream.
    pub(super) fn begun_on(&self, stream: &CudaStream) -> Result<(), CudaError> {
        let noted = self.copied.record(stream);
        noted.map_err(|error| self.gpu.call("noting a copy", error)).or_else(|error| {
            // Nobody may look at it before the copy is done.
            stream.synchronize().map_err(|error| self.gpu.call("finishing a copy", error))?;
            Err(error)
        })
    }
}

impl<T> Drop for Pinned<T> {
    fn drop(&mut self) {
        // The device must be done with it; an error that it reports here was or will be reported by another call.
        let _ = self.copied.synchronize();
    }
}
