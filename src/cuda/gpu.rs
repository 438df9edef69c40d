//! A device: its memory, its modules, its stream.
//!
//! Everything on a device is done in the order in which it is asked for, on one stream; what is asked for later sees what
//! was done before. Only copies into an [`Inbox`] are on a second one, beside the work on other memory. Memory is counted: with a limit, an allocation past it fails as it does when the device is full.
#![allow(unsafe_code)]

mod inbox;
mod pinned;

use std::ffi::CStr;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtrMut, DeviceRepr, DriverError,
    LaunchArgs, LaunchConfig, PushKernelArg, ValidAsZeroBits, result, sys,
};
use cudarc::nvrtc::Ptx;

use super::{CudaError, Version};

pub use inbox::Inbox;
pub use pinned::Pinned;

/// Types that the device holds as the host does, and whose zero is all bits zero.
pub trait Plain: DeviceRepr + ValidAsZeroBits + Copy + Send + Sync + 'static {}

impl<T: DeviceRepr + ValidAsZeroBits + Copy + Send + Sync + 'static> Plain for T {}

/// Unsigned integers: types of which any bits are a value. Nobody else can add one.
pub trait Unsigned: Plain + sealed::Sealed {}

impl Unsigned for u8 {}
impl Unsigned for u16 {}
impl Unsigned for u32 {}
impl Unsigned for u64 {}

/// Keeps the types that kernels are compiled for, or whose bits are filled in, to those that are named in this module.
pub(crate) mod sealed {
    pub trait Sealed {}

    macro_rules! seal {
        ($($t:ty)*) => {$(impl Sealed for $t {})*};
    }

    seal!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);
}

/// What is known of a device without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its number.
    pub ordinal: usize,
    /// Its name.
    pub name: String,
    /// Its compute capability.
    pub capability: (i32, i32),
    /// Bytes of memory.
    pub memory: u64,
    /// Multiprocessors.
    pub multiprocessors: i32,
}

/// The driver's version and its devices.
///
/// # Errors
/// There is no driver, or it is too old, or it fails.
pub fn devices() -> Result<(Version, Vec<DeviceInfo>), CudaError> {
    let version = driver()?;
    let count = result::device::get_count().map_err(|error| call("the driver", "counting devices", error))?;
    let devices = (0..count).map(|ordinal| {
        let ask = || {
            let device = result::device::get(ordinal)?;
            // SAFETY: `device` was just given by the driver, and the attributes exist.
            let attribute = |which| unsafe { result::device::get_attribute(device, which) };
            Ok(DeviceInfo {
                ordinal: ordinal as usize,
                name: result::device::get_name(device)?,
                capability: (
                    attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                    attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
                ),
                // SAFETY: as above.
                memory: unsafe { result::device::total_mem(device) }? as u64,
                multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            })
        };
        ask().map_err(|error| call(&format!("device {ordinal}"), "asking for its properties", error))
    });
    Ok((version, devices.collect::<Result<_, _>>()?))
}

/// Starts the driver, if it is there and new enough.
fn driver() -> Result<Version, CudaError> {
    // SAFETY: the library of that name is CUDA's driver; loading it runs its initialisers and nothing else.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoDriver);
    }
    let mut number = 0;
    // SAFETY: the call writes one integer.
    let asked = unsafe { sys::cuDriverGetVersion(&mut number) }.result();
    asked.map_err(|error| call("the driver", "asking for its version", error))?;
    let found = Version::of(number);
    if found < Version::NEEDED {
        return Err(CudaError::OldDriver { found, needed: Version::NEEDED });
    }
    match result::init() {
        Ok(()) => Ok(found),
        Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => Err(CudaError::NoDevice),
        Err(error) => Err(call("the driver", "starting", error)),
    }
}

fn call(device: &str, what: &'static str, error: DriverError) -> CudaError {
    CudaError::Call { device: device.to_string(), what, error: error.into() }
}

/// An open device.
#[derive(Clone)]
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// Of copies into inboxes.
    copies: Arc<CudaStream>,
    ordinal: usize,
    name: Arc<str>,
    memory: Arc<Memory>,
}

/// What may be allocated, and what is.
#[derive(Debug)]
struct Memory {
    limit: Option<u64>,
    used: AtomicU64,
    peak: AtomicU64,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gpu({})", self.name)
    }
}

impl Gpu {
    /// Opens a device, to use at most `memory` bytes of it.
    ///
    /// # Errors
    /// [`CudaError`]: there is no such device, or it cannot be used.
    pub fn open(ordinal: usize, memory: Option<u64>) -> Result<Gpu, CudaError> {
        let (_, devices) = devices()?;
        if devices.is_empty() {
            return Err(CudaError::NoDevice);
        }
        let Some(info) = devices.get(ordinal) else {
            return Err(CudaError::NoSuchDevice { ordinal, count: devices.len() });
        };
        let name = format!("device {ordinal} ({})", info.name);
        let (major, minor) = info.capability;
        if (major, minor) < (7, 5) {
            return Err(CudaError::OldDevice { device: name, major, minor });
        }
        let failed = |error| call(&name, "creating a context", error);
        let context = CudaContext::new(ordinal).map_err(failed)?;
        // One stream orders all work; the events by which cudarc orders several are not needed.
        // SAFETY: all work goes to one stream, so there is nothing to order but copies into inboxes, which have events of their own.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(failed)?;
        let copies = context.new_stream().map_err(failed)?;
        let memory = Memory { limit: memory, used: AtomicU64::new(0), peak: AtomicU64::new(0) };
        Ok(Gpu { context, stream, copies, ordinal, name: name.into(), memory: Arc::new(memory) })
    }

    /// Its number.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// Its number and name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Multiprocessors.
    ///
    /// # Errors
    /// The driver fails.
    pub fn multiprocessors(&self) -> Result<u32, CudaError> {
        let count = self.context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        // Not negative.
        count.map(|count| count as u32).map_err(|error| self.call("counting multiprocessors", error))
    }

    /// Bytes of shared memory a block may be given.
    ///
    /// # Errors
    /// The driver fails.
    pub fn shared_memory(&self) -> Result<u32, CudaError> {
        let which = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let bytes = self.context.attribute(which);
        // Not negative.
        bytes.map(|bytes| bytes as u32).map_err(|error| self.call("asking for its shared memory", error))
    }

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

    /// The most bytes that were allocated at a time.
    pub fn peak(&self) -> u64 {
        self.memory.peak.load(Ordering::Relaxed)
    }

    /// A buffer of zeros.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], and what the driver says else.
    pub fn zeros<T: Plain>(&self, len: usize) -> Result<Buffer<T>, CudaError> {
        let charge = self.charge::<T>(len)?;
        // Empty allocations are an error of the driver's; whole words of 16 bytes can be read by whoever reads words.
        let word = 16 / size_of::<T>().clamp(1, 16);
        let slice = self
            .stream
            .alloc_zeros(len.max(1).next_multiple_of(word))
            .map_err(|error| self.failed_allocation(charge.bytes, error))?;
        Ok(Buffer { slice, len, _charge: charge })
    }

    /// A buffer that holds what a slice does.
    ///
    /// # Errors
    /// As [`Gpu::zeros`].
    pub fn upload<T: Plain>(&self, host: &[T]) -> Result<Buffer<T>, CudaError> {
        let mut buffer = self.zeros(host.len())?;
        self.write(&mut buffer, 0, host)?;
        Ok(buffer)
    }

    /// Writes a slice into a buffer, from `at` on.
    ///
    /// # Errors
    /// The copy failed, or one of the things asked for before it.
    ///
    /// # Panics
    /// It does not fit, or the buffer belongs to another device.
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

    /// A part of a buffer.
    ///
    /// # Errors
    /// The copy failed, or one of the things asked for before it.
    ///
    /// # Panics
    /// The range is not in it, or it belongs to another device.
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

    /// Copies the first `n` elements of a buffer to another.
    ///
    /// # Errors
    /// The driver fails.
    ///
    /// # Panics
    /// There are not so many in either, or one belongs to another device.
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

    /// Sets a buffer to zeros.
    ///
    /// # Errors
    /// The driver fails.
    ///
    /// # Panics
    /// It belongs to another device.
    pub fn clear<T: Plain>(&self, buffer: &mut Buffer<T>) -> Result<(), CudaError> {
        self.expect_own(buffer);
        self.stream.memset_zeros(&mut buffer.slice).map_err(|error| self.call("clearing memory", error))
    }

    /// Sets all bytes of a buffer.
    ///
    /// # Errors
    /// The driver fails.
    ///
    /// # Panics
    /// It belongs to another device.
    pub fn fill<T: Unsigned>(&self, buffer: &mut Buffer<T>, byte: u8) -> Result<(), CudaError> {
        self.expect_own(buffer);
        let failed = |error| self.call("filling memory", error);
        if buffer.is_empty() {
            return Ok(());
        }
        self.context.bind_to_thread().map_err(failed)?;
        let bytes = buffer.len * size_of::<T>();
        let (start, _record) = buffer.slice.device_ptr_mut(&self.stream);
        // SAFETY: the buffer has so many bytes, of which any are a value, and whoever uses it does so later on the same stream.
        unsafe { result::memset_d8_async(start, byte, bytes, self.stream.cu_stream()) }.map_err(failed)
    }

    /// Waits until everything asked for is done.
    ///
    /// # Errors
    /// Something of it failed.
    pub fn finish(&self) -> Result<(), CudaError> {
        self.stream.synchronize().map_err(|error| self.call("finishing", error))
    }

    /// Loads the kernels of a PTX text.
    ///
    /// # Errors
    /// The driver does not accept it.
    pub(crate) fn module(&self, ptx: &'static str) -> Result<Module, CudaError> {
        let loaded = self.context.load_module(Ptx::from_src(ptx));
        let module = loaded.map_err(|error| self.call("loading kernels", error))?;
        Ok(Module { module, gpu: self.clone() })
    }

    fn call(&self, what: &'static str, error: DriverError) -> CudaError {
        call(&self.name, what, error)
    }

    /// Panics if a buffer was not allocated by this device, as it was opened this time: work on it would be in no order with what is
    /// asked for here, and an address of another device's memory would be taken for one of this.
    fn expect_own<T>(&self, buffer: &Buffer<T>) {
        assert!(self.owns(buffer), "{}: expected its own memory, found that of another device", self.name);
    }

    fn owns<T>(&self, buffer: &Buffer<T>) -> bool {
        Arc::ptr_eq(buffer.slice.stream(), &self.stream)
    }

    fn failed_allocation(&self, asked: u64, error: DriverError) -> CudaError {
        if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            let available = self.available().unwrap_or(0);
            return CudaError::OutOfMemory { device: self.name.to_string(), asked, available };
        }
        self.call("allocating memory", error)
    }

    fn charge<T>(&self, len: usize) -> Result<Charge, CudaError> {
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

/// Bytes counted as used while it lives.
#[derive(Debug)]
struct Charge {
    memory: Arc<Memory>,
    bytes: u64,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.memory.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Memory of a device.
#[derive(Debug)]
pub struct Buffer<T> {
    slice: CudaSlice<T>,
    len: usize,
    _charge: Charge,
}

impl<T> Buffer<T> {
    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Loaded kernels.
pub(crate) struct Module {
    module: Arc<CudaModule>,
    gpu: Gpu,
}

impl Module {
    /// The kernel of this name, so that a misspelt one fails when it is loaded.
    pub(crate) fn kernel(&self, name: &'static CStr) -> Result<Kernel, CudaError> {
        // Names are ASCII.
        let text = name.to_str().unwrap_or_default();
        let function = self.module.load_function(text).map_err(|error| CudaError::Kernel {
            device: self.gpu.name.to_string(),
            kernel: text,
            blocks: 0,
            threads: 0,
            error: error.into(),
        })?;
        Ok(Kernel { function, name: text, gpu: self.gpu.clone() })
    }
}

/// A kernel of a device.
pub(crate) struct Kernel {
    function: CudaFunction,
    name: &'static str,
    gpu: Gpu,
}

impl Kernel {
    /// A launch of `blocks` blocks of `threads` threads with `shared` bytes of shared memory, its arguments to be added.
    pub(crate) fn launch(&self, blocks: u32, threads: u32, shared: u32) -> Launch<'_> {
        let args = self.gpu.stream.launch_builder(&self.function);
        Launch { kernel: self, args, blocks, threads, shared }
    }

    /// Lets launches have this many bytes of shared memory.
    pub(crate) fn allow_shared(&self, bytes: u32) -> Result<(), CudaError> {
        let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // Below 2^31: it is what the device offers.
        let set = self.function.set_attribute(which, bytes as i32);
        set.map_err(|error| self.failed(0, 0, error))
    }

    fn failed(&self, blocks: u32, threads: u32, error: DriverError) -> CudaError {
        let device = self.gpu.name.to_string();
        CudaError::Kernel { device, kernel: self.name, blocks, threads, error: error.into() }
    }
}

/// A launch being put together: arguments in the kernel's order.
pub(crate) struct Launch<'a> {
    kernel: &'a Kernel,
    args: LaunchArgs<'a>,
    blocks: u32,
    threads: u32,
    shared: u32,
}

impl<'a> Launch<'a> {
    /// A number.
    pub(crate) fn value<T: Plain>(mut self, value: &'a T) -> Self {
        self.args.arg(value);
        self
    }

    /// Memory the kernel reads.
    ///
    /// # Panics
    /// It belongs to another device than the kernel.
    pub(crate) fn input<T>(mut self, buffer: &'a Buffer<T>) -> Self {
        self.kernel.gpu.expect_own(buffer);
        self.args.arg(&buffer.slice);
        self
    }

    /// Memory the kernel writes.
    ///
    /// # Panics
    /// It belongs to another device than the kernel.
    pub(crate) fn output<T>(mut self, buffer: &'a mut Buffer<T>) -> Self {
        self.kernel.gpu.expect_own(buffer);
        self.args.arg(&mut buffer.slice);
        self
    }

    /// Launches; a launch of nothing is none.
    ///
    /// # Safety
    /// The arguments are those that the kernel declares, and with them it stays inside its buffers.
    pub(crate) unsafe fn go(mut self) -> Result<(), CudaError> {
        let Launch { kernel, blocks, threads, shared, .. } = self;
        if blocks == 0 {
            return Ok(());
        }
        let config =
            LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: shared };
        // SAFETY: as the caller promises.
        let launched = unsafe { self.args.launch(config) };
        launched.map(|_| ()).map_err(|error| kernel.failed(blocks, threads, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_driver_it_is_said() {
        match devices() {
            Ok((version, _)) => assert!(version >= Version::NEEDED),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        if let Err(CudaError::NoDriver) = devices() {
            assert!(matches!(Gpu::open(0, None), Err(CudaError::NoDriver)));
        }
    }
}
