//! Device memory that another library of this process has allocated, read and written in place.
//!
//! All open devices use the primary context of their device, like CUDA's runtime and so CuPy, PyTorch and others;
//! addresses are therefore shared. Other libraries work on streams of their own, which must be waited for before the
//! memory is read.

use std::mem::ManuallyDrop;
use std::ops::Deref;

use cudarc::driver::{DevicePtr, DevicePtrMut, DriverError, result, sys};

use super::{Buffer, Gpu, Plain};
use crate::cuda::{CudaError, Pending};

/// Kernels read words of this many bytes, and may read past the last element up to the end of its word.
const WORD: usize = 16;

/// Memory of another library as a buffer.
#[derive(Debug)]
pub struct Foreign<T> {
    /// The memory itself, or a copy if kernels cannot read it in place.
    buffer: ManuallyDrop<Buffer<T>>,
    /// Whether this is memory of the other library, which is not freed here.
    is_lent: bool,
    gpu: Gpu,
}

/// Returns the number of the device on which an address lies.
///
/// # Errors
/// The address is not known to any device.
pub fn device_of(address: u64) -> Result<usize, CudaError> {
    super::device::driver()?;
    let mut ordinal: i32 = 0;
    let which = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: the attribute is a 32-bit integer; the driver reports an error for an invalid address.
    let asked = unsafe { sys::cuPointerGetAttribute((&raw mut ordinal).cast(), which, address) }.result();
    // For host memory that no device knows, some driver versions return a negative number.
    let found = asked.and_then(|()| {
        usize::try_from(ordinal).map_err(|_| DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE))
    });
    found.map_err(|error| CudaError::Call {
        device: format!("address {address:#x}"),
        what: "looking for its device",
        error: error.into(),
    })
}

impl Gpu {
    /// Wraps the `len` elements at an address as a buffer, after the pending work that may write them.
    ///
    /// # Errors
    /// The driver failed; or a copy is necessary, and there is no memory for it.
    ///
    /// # Safety
    /// `len` elements must be at the address on this device, with any alignment; `pending` must be an existing
    /// stream; and until the value is dropped, the elements must not be freed or written, nor read if
    /// [`Foreign::output`] is called.
    pub unsafe fn foreign<T: Plain>(
        &self,
        address: u64,
        len: usize,
        pending: Pending,
    ) -> Result<Foreign<T>, CudaError> {
        self.wait_for(pending)?;
        let bytes = len * size_of::<T>();
        let is_readable = address.is_multiple_of(WORD as u64) && bytes.is_multiple_of(WORD);
        let is_lent = is_readable && len > 0;
        let buffer = if is_lent {
            let charge = self.charge::<T>(0)?;
            // SAFETY: by the caller's promise; the slice is never dropped as such, which would free the memory.
            let slice = unsafe { self.stream.upgrade_device_ptr(address, len) };
            Buffer { slice, len, _charge: charge }
        } else {
            let mut copy = self.zeros::<T>(len)?;
            if len > 0 {
                self.done("copying on the device", self.context.bind_to_thread())?;
                let (start, _record) = copy.slice.device_ptr_mut(&self.stream);
                // SAFETY: by the caller's promise the source has this many bytes, and the copy has room for them.
                let copied =
                    unsafe { result::memcpy_dtod_async(start, address, bytes, self.stream.cu_stream()) };
                self.done("copying on the device", copied)?;
            }
            copy
        };
        Ok(Foreign { buffer: ManuallyDrop::new(buffer), is_lent, gpu: self.clone() })
    }

    /// Waits for pending work of other libraries.
    fn wait_for(&self, pending: Pending) -> Result<(), CudaError> {
        let waited = self.context.bind_to_thread().and_then(|()| match pending {
            Pending::Nothing => Ok(()),
            Pending::All => result::ctx::synchronize(),
            // SAFETY: the stream exists by the promise of `foreign`, the only caller with a stream.
            Pending::Stream(stream) => unsafe { result::stream::synchronize(stream as sys::CUstream) },
        });
        self.done("waiting for the work of others", waited)
    }

    /// Waits until all work on the device is done, including that of other libraries.
    ///
    /// # Errors
    /// Some of that work failed.
    pub fn finish_all(&self) -> Result<(), CudaError> {
        self.wait_for(Pending::All)
    }
}

impl<T> Buffer<T> {
    /// The address on the device.
    pub fn address(&self) -> u64 {
        let (address, _record) = self.slice.device_ptr(self.slice.stream());
        address
    }
}

impl<T> Foreign<T> {
    /// The memory, to be written.
    ///
    /// # Panics
    /// This is a copy: the address or the size in bytes is no multiple of 16.
    pub fn output(&mut self) -> &mut Buffer<T> {
        assert!(self.is_lent, "memory to be written lies at a multiple of 16 bytes, and has as many");
        &mut self.buffer
    }
}

impl<T> Deref for Foreign<T> {
    type Target = Buffer<T>;

    fn deref(&self) -> &Buffer<T> {
        &self.buffer
    }
}

impl<T> Drop for Foreign<T> {
    fn drop(&mut self) {
        // The owner may free or write the memory from now on, so copies of it must be done. An error of the driver is
        // reported by another call.
        let _ = self.gpu.finish();
        // SAFETY: the value is being dropped, so the buffer is not taken a second time.
        let buffer = unsafe { ManuallyDrop::take(&mut self.buffer) };
        if self.is_lent {
            // This releases only the slice's reference to the stream.
            buffer.slice.leak();
        }
    }
}
