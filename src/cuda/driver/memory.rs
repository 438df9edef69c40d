//! Device memory, and copies from and to it.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::{CudaSlice, DevicePtrMut, DriverError, result, sys};
use zerocopy::FromBytes;

use super::{Gpu, Plain};
use crate::cuda::CudaError;

/// The limit and the use of a device's memory.
#[derive(Debug)]
pub(super) struct Memory {
    limit: Option<u64>,
    used: AtomicU64,
    peak: AtomicU64,
}

impl Memory {
    /// Creates an account without allocations, with a limit in bytes.
    pub(super) fn new(limit: Option<u64>) -> Self {
        Memory { limit, used: AtomicU64::new(0), peak: AtomicU64::new(0) }
    }
}

/// Device memory.
#[derive(Debug)]
pub struct Buffer<T> {
    pub(super) slice: CudaSlice<T>,
    pub(super) len: usize,
    pub(super) _charge: Charge,
}

impl<T> Buffer<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Bytes that count as used during the lifetime of the value.
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
    /// Number of bytes that can still be allocated.
    ///
    /// # Errors
    /// The driver failed.
    pub fn available(&self) -> Result<u64, CudaError> {
        let free = self.done("asking for free memory", self.context.mem_get_info())?.0 as u64;
        let used = self.memory.used.load(Ordering::Relaxed);
        Ok(self.memory.limit.map_or(free, |limit| free.min(limit.saturating_sub(used))))
    }

    /// Peak number of allocated bytes.
    pub fn peak(&self) -> u64 {
        self.memory.peak.load(Ordering::Relaxed)
    }

    /// Allocates a buffer of zeros.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], or another failure of the driver.
    pub fn zeros<T: Plain>(&self, len: usize) -> Result<Buffer<T>, CudaError> {
        let charge = self.charge::<T>(len)?;
        // The driver refuses empty allocations. The size is rounded up to words of 16 bytes, so that kernels can read
        // whole words.
        let word = 16 / size_of::<T>().clamp(1, 16);
        let slice = self
            .stream
            .alloc_zeros(len.max(1).next_multiple_of(word))
            .or_else(|error| self.failed_allocation(charge.bytes, error))?;
        Ok(Buffer { slice, len, _charge: charge })
    }

    /// Copies a slice to a new buffer.
    ///
    /// # Errors
    /// See [`Gpu::zeros`].
    pub fn upload<T: Plain>(&self, host: &[T]) -> Result<Buffer<T>, CudaError> {
        let mut buffer = self.zeros(host.len())?;
        self.write(&mut buffer, 0, host)?;
        Ok(buffer)
    }

    /// Copies a slice into a buffer, from element `at` on.
    ///
    /// # Errors
    /// The copy or an earlier request failed.
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
        self.done("copying to the device", self.stream.memcpy_htod(host, &mut part))?;
        // Without this, the copy of pageable memory could outlive the call.
        self.finish()
    }

    /// Copies a range of a buffer to the host.
    ///
    /// # Errors
    /// The copy or an earlier request failed.
    ///
    /// # Panics
    /// The range is not in the buffer, or the buffer belongs to another device.
    pub fn read<T: Plain>(&self, buffer: &Buffer<T>, range: Range<usize>) -> Result<Vec<T>, CudaError> {
        self.expect_own(buffer);
        assert!(range.end <= buffer.len, "{range:?} of {}", buffer.len);
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let copied = self.stream.clone_dtoh(&buffer.slice.slice(range));
        let host = self.done("copying from the device", copied)?;
        self.finish()?;
        Ok(host)
    }

    /// Copies a range of a buffer to the start of another.
    ///
    /// # Errors
    /// The driver failed.
    ///
    /// # Panics
    /// The range is not in the buffer, or is longer than the other buffer; or one belongs to another device.
    pub fn copy<T: Plain>(
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
        self.done("copying on the device", copied)
    }

    /// Sets all elements of a buffer to zero.
    ///
    /// # Errors
    /// The driver failed.
    ///
    /// # Panics
    /// The buffer belongs to another device.
    pub fn clear<T: Plain>(&self, buffer: &mut Buffer<T>) -> Result<(), CudaError> {
        self.expect_own(buffer);
        self.done("clearing memory", self.stream.memset_zeros(&mut buffer.slice))
    }

    /// Sets all bytes of a buffer to `byte`.
    ///
    /// # Errors
    /// The driver failed.
    ///
    /// # Panics
    /// The buffer belongs to another device.
    pub fn fill<T: Plain + FromBytes>(&self, buffer: &mut Buffer<T>, byte: u8) -> Result<(), CudaError> {
        self.expect_own(buffer);
        if buffer.is_empty() {
            return Ok(());
        }
        self.done("filling memory", self.context.bind_to_thread())?;
        let bytes = buffer.len * size_of::<T>();
        let (start, _record) = buffer.slice.device_ptr_mut(&self.stream);
        // SAFETY: the buffer has this many bytes, any bits are a valid value, and later uses are on the same stream.
        let filled = unsafe { result::memset_d8_async(start, byte, bytes, self.stream.cu_stream()) };
        self.done("filling memory", filled)
    }

    /// Panics if a buffer was not allocated by this opening of the device: work on it would not be ordered with the
    /// requests here, and an address on another device would be interpreted as one on this.
    pub(super) fn expect_own<T>(&self, buffer: &Buffer<T>) {
        let is_own = Arc::ptr_eq(buffer.slice.stream(), &self.stream);
        assert!(is_own, "{}: expected its own memory, found that of another device", self.name);
    }

    fn failed_allocation<T>(&self, asked: u64, error: DriverError) -> Result<T, CudaError> {
        if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            let available = self.available().unwrap_or(0);
            return Err(CudaError::OutOfMemory { device: self.name.to_string(), asked, available });
        }
        self.done("allocating memory", Err(error))
    }

    /// Counts the bytes of `len` elements as used, if the limit allows.
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
