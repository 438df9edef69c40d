//! Kernels and launches.

use std::ffi::CStr;
use std::io;
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaModule, DriverError, LaunchArgs, LaunchConfig, PushKernelArg, sys};
use cudarc::nvrtc::Ptx;
use flate2::read::GzDecoder;

use super::{Buffer, Gpu, Pinned, Plain};
use crate::cuda::{self, CudaError};

/// The loaded kernels of a kernel file.
pub(crate) struct Module {
    module: Arc<CudaModule>,
    gpu: Gpu,
}

impl Gpu {
    /// Loads the kernels of a kernel file.
    ///
    /// # Errors
    /// The driver rejected the PTX.
    pub(crate) fn module(&self, ptx: cuda::Ptx) -> Result<Module, CudaError> {
        let text = io::read_to_string(GzDecoder::new(ptx)).expect("cargo xtask ptx compressed it");
        let module = self.done("loading kernels", self.context.load_module(Ptx::from_src(text)))?;
        Ok(Module { module, gpu: self.clone() })
    }
}

impl Module {
    /// Finds a kernel by its name. A misspelt name fails here and not at the launch.
    pub(crate) fn kernel(&self, name: &'static CStr) -> Result<Kernel, CudaError> {
        // Names of kernels are ASCII.
        let name = name.to_str().unwrap_or_default();
        let function = self.module.load_function(name).map_err(|error| CudaError::Kernel {
            device: self.gpu.name.to_string(),
            kernel: name,
            blocks: 0,
            threads: 0,
            error: error.into(),
        })?;
        Ok(Kernel { function, name, gpu: self.gpu.clone() })
    }
}

/// A kernel on a device.
pub(crate) struct Kernel {
    function: CudaFunction,
    name: &'static str,
    gpu: Gpu,
}

impl Kernel {
    /// Begins a launch of `blocks` blocks of `threads` threads with `shared` bytes of shared memory. The arguments
    /// have to be added.
    pub(crate) fn launch(&self, blocks: u32, threads: u32, shared: u32) -> Launch<'_> {
        let args = self.gpu.stream.launch_builder(&self.function);
        Launch { kernel: self, args, blocks, threads, shared }
    }

    /// Allows launches with up to `bytes` bytes of shared memory.
    pub(crate) fn allow_shared(&self, bytes: u32) -> Result<(), CudaError> {
        let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // The device offers this number, so it is below 2^31.
        let set = self.function.set_attribute(which, bytes as i32);
        set.map_err(|error| self.failed(0, 0, error))
    }

    fn failed(&self, blocks: u32, threads: u32, error: DriverError) -> CudaError {
        let device = self.gpu.name.to_string();
        CudaError::Kernel { device, kernel: self.name, blocks, threads, error: error.into() }
    }
}

/// Number of blocks that process `share` of `n` items each.
///
/// # Panics
/// There are more blocks than a launch can have: more items than any device has memory for.
pub(crate) fn blocks_of(n: usize, share: u32) -> u32 {
    u32::try_from(n.div_ceil(share as usize)).expect("more than any device has memory for")
}

/// A launch under construction. Arguments are added in the order in which the kernel declares them.
pub(crate) struct Launch<'a> {
    kernel: &'a Kernel,
    args: LaunchArgs<'a>,
    blocks: u32,
    threads: u32,
    shared: u32,
}

impl<'a> Launch<'a> {
    /// Adds a number as an argument.
    pub(crate) fn value<T: Plain>(mut self, value: &'a T) -> Self {
        self.args.arg(value);
        self
    }

    /// Adds an integer of which the kernel's parameter holds the low bytes: as many as the parameter has, up to 8. The
    /// driver copies these from the front of the integer, since hosts of CUDA devices are little-endian.
    pub(crate) fn low_bits(self, bits: &'a u64) -> Self {
        const { assert!(cfg!(target_endian = "little"), "low bytes come first") };
        self.value(bits)
    }

    /// Adds numbers as arguments.
    pub(crate) fn values<T: Plain>(self, values: &'a [T]) -> Self {
        values.iter().fold(self, Launch::value)
    }

    /// Adds a buffer that the kernel reads.
    ///
    /// # Panics
    /// The buffer belongs to another device than the kernel.
    pub(crate) fn input<T>(mut self, buffer: &'a Buffer<T>) -> Self {
        self.kernel.gpu.expect_own(buffer);
        self.args.arg(&buffer.slice);
        self
    }

    /// Adds a buffer that the kernel writes.
    ///
    /// # Panics
    /// The buffer belongs to another device than the kernel.
    pub(crate) fn output<T>(mut self, buffer: &'a mut Buffer<T>) -> Self {
        self.kernel.gpu.expect_own(buffer);
        self.args.arg(&mut buffer.slice);
        self
    }

    /// Adds page-locked host memory that the kernel writes. [`Pinned::begun`] has to be called after the launch.
    ///
    /// # Panics
    /// The memory belongs to another device than the kernel.
    pub(crate) fn host_output<T>(mut self, memory: &'a mut Pinned<T>) -> Self {
        self.kernel.gpu.expect_same(&memory.gpu);
        self.args.arg(&memory.address);
        self
    }

    /// Launches the kernel, unless there are no blocks.
    ///
    /// # Safety
    /// The arguments must be those that the kernel declares, and with them the kernel must stay inside its buffers.
    pub(crate) unsafe fn go(mut self) -> Result<(), CudaError> {
        let Launch { kernel, blocks, threads, shared, .. } = self;
        if blocks == 0 {
            return Ok(());
        }
        let config =
            LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: shared };
        // SAFETY: by the caller's promise.
        let launched = unsafe { self.args.launch(config) };
        launched.map(|_| ()).map_err(|error| kernel.failed(blocks, threads, error))
    }
}
