//! Memory of a device that another library of this process has allocated, and that is read where it lies.
//!
//! All open devices have the primary context of their device, which CUDA's runtime has too, and with it CuPy, PyTorch and others. So an address
//! of theirs is one of ours. Their work is on streams of their own, for which is waited before the memory is read.

use std::mem::ManuallyDrop;
use std::ops::Deref;

use cudarc::driver::{DevicePtr, DevicePtrMut, DriverError, result, sys};

use super::{Buffer, Gpu, Plain};
use crate::cuda::{CudaError, Pending};

/// Kernels read by words of so many bytes, and past the last element up to the end of one.
const WORD: usize = 16;

/// Memory that somebody else has allocated, as a buffer that is only read.
#[derive(Debug)]
pub struct Foreign<T> {
    memory: Memory<T>,
    gpu: Gpu,
}

#[derive(Debug)]
enum Memory<T> {
    /// What lies elsewhere, which is not freed here.
    Lent(ManuallyDrop<Buffer<T>>),
    /// A copy of what kernels cannot read where it lies.
    Copied(Buffer<T>),
}

/// The number of the device on which an address lies.
///
/// # Errors
/// The address is none that a device knows.
pub fn device_of(address: u64) -> Result<usize, CudaError> {
    super::device::driver()?;
    let mut ordinal: i32 = 0;
    let which = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: the attribute is an integer of 32 bits; of an address that is none, the driver says so.
    let asked = unsafe { sys::cuPointerGetAttribute((&raw mut ordinal).cast(), which, address) }.result();
    // Memory of the host that no device knows has a negative number in some versions of the driver.
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
    /// The `len` elements at an address, as a buffer, once the work is done that may write them.
    ///
    /// # Errors
    /// The driver fails; or a copy is necessary, for which there is no memory.
    ///
    /// # Safety
    /// So many elements lie there, on this device, whatever their alignment; `pending` is a stream that exists; and until the value is dropped
    /// nobody frees or writes the elements.
    pub unsafe fn foreign<T: Plain>(
        &self,
        address: u64,
        len: usize,
        pending: Pending,
    ) -> Result<Foreign<T>, CudaError> {
        self.wait_for(pending)?;
        let bytes = len * size_of::<T>();
        let is_readable = address.is_multiple_of(WORD as u64) && bytes.is_multiple_of(WORD);
        let memory = if is_readable && len > 0 {
            let charge = self.charge::<T>(0)?;
            // SAFETY: as the caller promises; what is made here is never dropped as a slice, which would free the memory.
            let slice = unsafe { self.stream.upgrade_device_ptr(address, len) };
            Memory::Lent(ManuallyDrop::new(Buffer { slice, len, _charge: charge }))
        } else {
            let mut copy = self.zeros::<T>(len)?;
            if len > 0 {
                self.context.bind_to_thread().map_err(|error| self.call("copying on the device", error))?;
                let (start, _record) = copy.slice.device_ptr_mut(&self.stream);
                // SAFETY: so many bytes lie there, as the caller promises, and the copy has room for them.
                let copied =
                    unsafe { result::memcpy_dtod_async(start, address, bytes, self.stream.cu_stream()) };
                copied.map_err(|error| self.call("copying on the device", error))?;
            }
            Memory::Copied(copy)
        };
        Ok(Foreign { memory, gpu: self.clone() })
    }

    /// Waits for the work of others.
    fn wait_for(&self, pending: Pending) -> Result<(), CudaError> {
        let waited = self.context.bind_to_thread().and_then(|()| match pending {
            Pending::Nothing => Ok(()),
            Pending::All => result::ctx::synchronize(),
            // SAFETY: the stream exists, as whoever names it promises: `foreign` is the only caller.
            Pending::Stream(stream) => unsafe { result::stream::synchronize(stream as sys::CUstream) },
        });
        waited.map_err(|error| self.call("waiting for the work of others", error))
    }

    /// Waits until all work on the device is done, that of others too.
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

impl<T> Deref for Foreign<T> {
    type Target = Buffer<T>;

    fn deref(&self) -> &Buffer<T> {
        match &self.memory {
            Memory::Lent(buffer) => buffer,
            Memory::Copied(buffer) => buffer,
        }
    }
}

impl<T> Drop for Foreign<T> {
    fn drop(&mut self) {
        // Whoever lent the memory may free or write it from now on, and a copy of it may still be under way. An error of the driver is reported by
        // another call.
        let _ = self.gpu.finish();
        if let Memory::Lent(buffer) = &mut self.memory {
            // SAFETY: the value is dropped, so nobody takes the buffer a second time.
            let Buffer { slice, .. } = unsafe { ManuallyDrop::take(buffer) };
            // Frees nothing but the slice's share in the stream.
            slice.leak();
        }
    }
}
