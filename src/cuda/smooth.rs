//! The kernel of `kernels/smooth.cu`.
#![allow(unsafe_code)]

use super::{Buffer, CudaError, Gpu, Kernel, ptx};

/// Threads of a block.
const THREADS: u32 = 256;

/// The kernel of `smooth.cu`.
pub(crate) struct SmoothKernel {
    axis: Kernel,
}

impl SmoothKernel {
    pub(crate) fn load(gpu: &Gpu) -> Result<Self, CudaError> {
        let module = gpu.module(ptx!("smooth"))?;
        Ok(SmoothKernel { axis: module.kernel(c"smooth_axis")? })
    }

    /// Smooths lines of `length` voxels, each `inner` after the one before. `weights` are the weight of a voxel itself, of its
    /// neighbours, of their next neighbours, and so on.
    ///
    /// # Panics
    /// The voxels are not such lines, the buffers are not of one length, or there is no weight.
    pub(crate) fn smooth(
        &self,
        from: &Buffer<f32>,
        length: usize,
        inner: usize,
        weights: &Buffer<f32>,
        to: &mut Buffer<f32>,
    ) -> Result<(), CudaError> {
        let count = from.len();
        assert!(count == to.len() && count.is_multiple_of(length * inner) && !weights.is_empty());
        let blocks =
            u32::try_from(count.div_ceil(THREADS as usize)).expect("more than any device has memory for");
        let sizes = [count, length, inner].map(|size| size as u64);
        let radius = (weights.len() - 1) as u32;
        let launch = self.axis.launch(blocks, THREADS, 0).input(from);
        let launch = sizes.iter().fold(launch, |launch, size| launch.value(size));
        // SAFETY: a thread writes its voxel and reads its line, which is in the buffer, and the weights.
        unsafe { launch.input(weights).value(&radius).output(to).go() }
    }
}
