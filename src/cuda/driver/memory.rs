//! Memory of a device, and copies from and to it.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::{CudaSlice, DevicePtrMut, DriverError, result, sys};

use super::{Gpu, Plain};
use crate::cuda::{CudaError, Unsigned};

/// How much memory of a device may be allocated, and how much is.
#[derive(Debug)]
pub(super) struct Memory {
    limit: Option<u64>,
    used: AtomicU64,
    peak: AtomicU64,
}

impl Memory {
    /// No memory allocated, with a limit in bytes.
    pub(super) fn new(limit: Option<u64>) -> Self {
        Memory { limit, used: AtomicU64::new(0), peak: AtomicU64::new(0) }
    }
}

/// Memory of a device.
#[derive(Debug)]
pub struct Buffer<T> {
    pub(super) slice: CudaSlice<T>,
    pub(super) len: usize,
    pub(super) _charge: Charge,
}

impl<T> Buffer<T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Bytes that count as used while the value lives.
#[derive(Debug)]
pub(super) struct Charge {
    memory: Arc<Memory>,
    bytes: u64,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.memory.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Gpu {
    /// Bytes that can still be allocated.
    ///
    /// # Errors
    /// The driver fails.
    pub fn available(&self) -> Result<u64, CudaError> {
        let free =
            self.context.mem_get_info().map_err(|error| self.call("asking for free memory", error))?.0 as u64;
        let used = self.memory.used.load(Ordering::Relaxed);
        Ok(self.memory.limit.map_or(free, |limit| free.min(limit.saturating_sub(used))))
    }

    /// The greatest number of bytes that were allocated at a time.
    pub fn peak(&self) -> u64 {
        self.memory.peak.load(Ordering::Relaxed)
    }

    /// A buffer of zeros.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], and other failures of the driver.
    pub fn zeros<T: Plain>(&self, len: usize) -> Result<Buffer<T>, CudaError> {
        let charge = self.charge::<T>(len)?;
        // The driver refuses empty allocations. Whole words of 16 bytes let a kernel read by words.
        let word = 16 / size_of::<T>().clamp(1, 16);
        let slice = self
            .stream
            .alloc_zeros(len.max(1).next_multiple_of(word))
            .map_err(|error| self.failed_allocation(charge.bytes, error))?;
        Ok(Buffer { slice, len, _charge: charge })
    }

    /// A buffer with the elements of a slice.
    ///
    /// # Errors
    /// As [`Gpu::zeros`].
    pub fn upload<T: Plain>(&self, host: &[T]) -> Result<Buffer<T>, CudaError> {
        let mut buffer = self.zeros(host.len())?;
        self.write(&mut buffer, 0, host)?;
        Ok(buffer)
    }

    /// Writes a slice into a buffer, from element `at` on.
    ///
    /// # Errors
    /// The copy failed, or something that was asked for before it.
    ///
    /// # Panics
    /// The slice does not fit, or the buffer belongs to another device.
    pub fn write<T: Plain>(&self, buffer: &mut Buffer<T>, at: usize, host: &[T]) -> Result<(), CudaError> {
        self.expect_own(buffer);
        let is_in = at.checked_add(host.len()).is_some_and(|end| end <= buffer.len);
        assert!(is_in, "{} elements at {at} of {}", host.len(), buffer.len);
        if host.is_empty() {
            return Ok(());
        }
        let mut part = buffer.slice.slice_mut(at..at + host.len());
        self.stream
            .memcpy_htod(host, &mut part)
            .map_err(|error| self.call("copying to the device", error))?;
        // The copy of pageable memory may outlive the call.
        self.finish()
    }

    /// The elements of a range of a buffer.
    ///
    /// # Errors
    /// The copy failed, or something that was asked for before it.
    ///
    /// # Panics
    /// The range is not in the buffer, or the buffer belongs to another device.
    pub fn read<T: Plain>(&self, buffer: &Buffer<T>, range: Range<usize>) -> Result<Vec<T>, CudaError> {
        self.expect_own(buffer);
        assert!(range.end <= buffer.len, "{range:?} of {}", buffer.len);
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let part = buffer.slice.slice(range);
        let host =
            self.stream.clone_dtoh(&part).map_err(|error| self.call("copying from the device", error))?;
        self.finish()?;
        Ok(host)
    }

    /// Copies the first `n` elements of a buffer to the start of another.
    ///
    /// # Errors
    /// The driver fails.
    ///
    /// # Panics
    /// Either buffer has fewer elements, or belongs to another device.
    pub fn copy<T: Plain>(&self, from: &Buffer<T>, to: &mut Buffer<T>, n: usize) -> Result<(), CudaError> {
        self.expect_own(from);
        self.expect_own(to);
        assert!(n <= from.len && n <= to.len, "{n} of {} to {}", from.len, to.len);
        let (from, mut to) = (from.slice.slice(..n), to.slice.slice_mut(..n));
        self.stream.memcpy_dtod(&from, &mut to).map_err(|error| self.call("copying on the device", error))
    }

    /// Copies a range of a buffer to the start of another.
    ///
    /// # Errors
    /// The driver fails.
    ///
    /// # Panics
    /// The range is not in the buffer, or longer than the other; or one belongs to another device.
    pub fn copy_range<T: Plain>(
        &self,
        from: &Buffer<T>,
        range: Range<usize>,
        to: &mut Buffer<T>,
    ) -> Result<(), CudaError> {
        self.expect_own(from);
        self.expect_own(to);
        assert!(range.end <= from.len && range.len() <= to.len, "{range:?} of {} to {}", from.len, to.len);
        if range.is_empty() {
            return Ok(());
        }
        let mut to = to.slice.slice_mut(..range.len());
        let copied = self.stream.memcpy_dtod(&from.slice.slice(range), &mut to);
        copied.map_err(|error| self.call("copying on the device", error))
    }

    /// Sets all elements of a buffer to zero.
    ///
    /// # Errors
    /// The driver fails.
    ///
    /// # Panics
    /// The buffer belongs to another device.
    pub fn clear<T: Plain>(&self, buffer: &mut Buffer<T>) -> Result<(), CudaError> {
        self.expect_own(buffer);
        self.stream.memset_zeros(&mut buffer.slice).map_err(|error| self.call("clearing memory", error))
    }

    /// Sets all bytes of a buffer to a value.
    ///
    /// # Errors
    /// The driver fails.
    ///
    /// # Panics
    /// The buffer belongs to another device.
    pub fn fill<T: Unsigned>(&self, buffer: &mut Buffer<T>, byte: u8) -> Result<(), CudaError> {
        self.expect_own(buffer);
        let failed = |error| self.call("filling memory", error);
        if buffer.is_empty() {
            return Ok(());
        }
        self.context.bind_to_thread().map_err(failed)?;
        let bytes = buffer.len * size_of::<T>();
        let (start, _record) = buffer.slice.device_ptr_mut(&self.stream);
        // SAFETY: the buffer has this many bytes, any bits of which are a value, and whoever uses it does so later on the same stream.
        unsafe { result::memset_d8_async(start, byte, bytes, self.stream.cu_stream()) }.map_err(failed)
    }

    /// Panics if a buffer was not allocated by this device, as it was opened this time: work on it would be in no order with what is
    /// asked for here, and an address of another device's memory would be taken for one of this.
    pub(super) fn expect_own<T>(&self, buffer: &Buffer<T>) {
        let is_own = Arc::ptr_eq(buffer.slice.stream(), &self.stream);
        assert!(is_own, "{}: expected its own memory, found that of another device", self.name);
    }

    fn failed_allocation(&self, asked: u64, error: DriverError) -> CudaError {
        if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            let available = self.available().unwrap_or(0);
            return CudaError::OutOfMemory { device: self.name.to_string(), asked, available };
        }
        self.call("allocating memory", error)
    }

    /// Counts the bytes of `len` elements as used, if the limit allows it.
    pub(super) fn charge<T>(&self, len: usize) -> Result<Charge, CudaError> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        let before = self.memory.used.fetch_add(bytes, Ordering::Relaxed);
        let charge = Charge { memory: Arc::clone(&self.memory), bytes };
        let after = before.saturating_add(bytes);
        if let Some(limit) = self.memory.limit.filter(|&limit| after > limit) {
            let available = limit.saturating_sub(before);
            return Err(CudaError::OutOfMemory { device: self.name.to_string(), asked: bytes, available });
        }
        self.memory.peak.fetch_max(after, Ordering::Relaxed);
        Ok(charge)
    }
}
