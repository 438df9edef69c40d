//! Discovery of devices, and open devices.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{CudaContext, CudaStream, DriverError, result, sys};

use super::memory::Memory;
use crate::cuda::{CudaError, DeviceInfo, Reported, Version};

/// The driver's version and its devices.
///
/// # Errors
/// There is no driver, it is too old, or it failed.
pub fn devices() -> Result<(Version, Vec<DeviceInfo>), CudaError> {
    let version = driver()?;
    let count = result::device::get_count().map_err(|error| call("the driver", "counting devices", error))?;
    let devices = (0..count).map(|ordinal| {
        let properties = properties(ordinal);
        properties.map_err(|error| call(&format!("device {ordinal}"), "asking for its properties", error))
    });
    Ok((version, devices.collect::<Result<_, _>>()?))
}

/// The properties of a device.
fn properties(ordinal: i32) -> Result<DeviceInfo, DriverError> {
    let device = result::device::get(ordinal)?;
    // SAFETY: `device` comes from the driver, and the attributes exist.
    let attribute = |which| unsafe { result::device::get_attribute(device, which) };
    Ok(DeviceInfo {
        ordinal: ordinal as usize,
        name: result::device::get_name(device)?,
        capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        // SAFETY: see above.
        memory: unsafe { result::device::total_mem(device) }? as u64,
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
    })
}

/// Whether this machine has a driver, and this build has kernels for it. The driver may still find no device.
pub fn has_driver() -> bool {
    // SAFETY: the library of that name is CUDA's driver; loading it runs only its initialisers.
    cfg!(feature = "cuda") && unsafe { sys::is_culib_present() }
}

/// Initialises the driver, if it exists and is new enough.
pub(super) fn driver() -> Result<Version, CudaError> {
    if cfg!(not(feature = "cuda")) {
        return Err(CudaError::NotBuilt);
    }
    if !has_driver() {
        return Err(CudaError::NoDriver);
    }
    let mut number = 0;
    // SAFETY: the call writes one integer.
    let asked = unsafe { sys::cuDriverGetVersion(&mut number) }.result();
    asked.map_err(|error| call("the driver", "asking for its version", error))?;
    // CUDA 12.4 has the number 12040.
    let found = Version { major: number / 1000, minor: number % 1000 / 10 };
    if found < Version::NEEDED {
        return Err(CudaError::OldDriver { found, needed: Version::NEEDED });
    }
    match result::init() {
        Ok(()) => Ok(found),
        Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => Err(CudaError::NoDevice),
        Err(error) => Err(call("the driver", "starting", error)),
    }
}

/// The error of a call into the driver.
fn call(device: &str, what: &'static str, error: DriverError) -> CudaError {
    CudaError::Call { device: device.to_string(), what, error: error.into() }
}

impl From<DriverError> for Reported {
    fn from(DriverError(code): DriverError) -> Self {
        Reported(format!("{code:?}"))
    }
}

/// Number of bytes of freed memory that a device keeps for reuse. Allocating small buffers from the system each time
/// would take as long as a curve of millions of voxels.
const KEPT: u64 = 64 << 20;

/// Makes the memory pool of a device keep up to [`KEPT`] bytes of freed memory, or more if that was requested before.
fn keep_freed(context: &CudaContext) -> Result<(), DriverError> {
    if context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
        return Ok(());
    }
    let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    let mut kept = 0_u64;
    // SAFETY: the device belongs to a context; the attribute is a 64-bit number, which is read and written while
    // `kept` lives.
    unsafe {
        let pool = result::device::get_mem_pool(context.cu_device())?;
        result::mem_pool::get_attribute(pool, threshold, (&raw mut kept).cast())?;
        kept = kept.max(KEPT);
        result::mem_pool::set_attribute(pool, threshold, (&raw mut kept).cast())
    }
}

/// An open device. Clones refer to the same device, opened once.
#[derive(Clone)]
pub struct Gpu {
    pub(super) context: Arc<CudaContext>,
    /// The stream of all work, in the order of the requests.
    pub(super) stream: Arc<CudaStream>,
    /// The stream of copies into inboxes.
    pub(super) copies: Arc<CudaStream>,
    ordinal: usize,
    pub(super) name: Arc<str>,
    pub(super) memory: Arc<Memory>,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gpu({})", self.name)
    }
}

impl Gpu {
    /// Opens a device, using at most `memory` bytes of its memory.
    ///
    /// # Errors
    /// [`CudaError`]: the device does not exist or cannot be used.
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
        keep_freed(&context).map_err(|error| call(&name, "keeping freed memory", error))?;
        // A single stream orders all work, so cudarc's events for several streams are not needed.
        // SAFETY: all work is on one stream; only copies into inboxes need ordering, and these have events of their
        // own.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(failed)?;
        let copies = context.new_stream().map_err(failed)?;
        let memory = Arc::new(Memory::new(memory));
        Ok(Gpu { context, stream, copies, ordinal, name: name.into(), memory })
    }

    /// The number of the device.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// The number and the name of the device, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of multiprocessors.
    ///
    /// # Errors
    /// The driver failed.
    pub fn multiprocessors(&self) -> Result<u32, CudaError> {
        let count = self.context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        // The count is not negative.
        self.done("counting multiprocessors", count.map(|count| count as u32))
    }

    /// Maximum bytes of shared memory per block.
    ///
    /// # Errors
    /// The driver failed.
    pub fn shared_memory(&self) -> Result<u32, CudaError> {
        let which = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let bytes = self.context.attribute(which);
        // The number is not negative.
        self.done("asking for its shared memory", bytes.map(|bytes| bytes as u32))
    }

    /// Waits until all work requested so far is done.
    ///
    /// # Errors
    /// Some of that work failed.
    pub fn finish(&self) -> Result<(), CudaError> {
        self.done("finishing", self.stream.synchronize())
    }

    /// The result of a call into the driver about this device; `what` names the purpose of the call.
    pub(super) fn done<T>(&self, what: &'static str, result: Result<T, DriverError>) -> Result<T, CudaError> {
        result.map_err(|error| call(&self.name, what, error))
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
        if cfg!(not(feature = "cuda")) {
            assert_eq!(Gpu::open(0, None).unwrap_err(), CudaError::NotBuilt);
        }
    }
}
