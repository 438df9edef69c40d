//! The kernels of `kernels/smooth.cu`.
#![allow(unsafe_code)]

use super::constants::smooth::{MOST_RADIUS, STEP, TALL, THREADS, WIDE};
use super::{Buffer, CudaError, Gpu, Kernel, Ptx, blocks_of, ptx};

/// Number of threads per multiprocessor that march along the slowest axis; more would read more voxels twice.
const SPREAD: usize = 1 << 10;
/// Minimum number of voxels in such a march; twice the radius are read before the first.
const LEAST_SHARE: usize = 16;
/// The PTX for any radius, followed by that for each radius from 1 to [`MOST_RADIUS`].
const PTX: [Ptx; MOST_RADIUS as usize + 1] = [
    ptx!("smooth"),
    ptx!("smooth_1"),
    ptx!("smooth_2"),
    ptx!("smooth_3"),
    ptx!("smooth_4"),
    ptx!("smooth_5"),
    ptx!("smooth_6"),
    ptx!("smooth_7"),
    ptx!("smooth_8"),
];

/// The kernels of `smooth.cu` for the radius of the given weights.
pub(crate) struct SmoothKernels {
    axis: Kernel,
    /// The weights by distance from the voxel: 0, 1, 2, ….
    weights: Buffer<f32>,
    /// The kernels that hold neighbours in registers, if they exist for the radius.
    held: Option<Held>,
}

/// Kernels compiled for a radius.
struct Held {
    planes: Kernel,
    slowest: Kernel,
    weights: [f32; MOST_RADIUS as usize + 1],
    multiprocessors: usize,
}

impl SmoothKernels {
    /// Loads the kernels. `weights` are the weights by distance from the voxel: 0, 1, 2, ….
    ///
    /// # Panics
    /// `weights` is empty.
    pub(crate) fn load(gpu: &Gpu, weights: &[f32]) -> Result<Self, CudaError> {
        let radius = weights.len().checked_sub(1).expect("the weight of a voxel itself");
        let ptx = PTX.get(radius).copied();
        let module = gpu.module(ptx.unwrap_or(PTX[0]))?;
        let held = if ptx.is_some() && radius > 0 {
            let mut held = [0.0; MOST_RADIUS as usize + 1];
            held[..weights.len()].copy_from_slice(weights);
            Some(Held {
                planes: module.kernel(c"smooth_planes")?,
                slowest: module.kernel(c"smooth_slowest")?,
                weights: held,
                multiprocessors: gpu.multiprocessors()? as usize,
            })
        } else {
            None
        };
        Ok(SmoothKernels { axis: module.kernel(c"smooth_axis")?, weights: gpu.upload(weights)?, held })
    }

    /// Smooths an image of 32-bit floats along its axes, the fastest first; each axis is its length and the distance
    /// between voxels of a line. The bytes of the image are in the first of the two buffers, before and after.
    ///
    /// # Panics
    /// The axes contradict the number of voxels, or the buffers have different lengths.
    pub(crate) fn smooth(&self, axes: &[[usize; 2]], voxels: &mut [Buffer<u8>; 2]) -> Result<(), CudaError> {
        let count: usize = axes.iter().map(|[length, _]| length).product();
        assert!(voxels.iter().all(|voxels| voxels.len() == count * size_of::<f32>()), "{axes:?}");
        let mut axes = axes;
        if let (Some(held), &[[columns, _], [rows, _], ref slower @ ..]) = (&self.held, axes)
            && columns >= WIDE as usize / 2
            && rows >= TALL as usize / 2
        {
            held.planes(rows, columns, voxels)?;
            voxels.swap(0, 1);
            axes = slower;
        }
        for &[length, inner] in axes {
            match &self.held {
                // Lines along the slowest axis, enough of them for a block.
                Some(held) if length * inner == count && inner >= THREADS as usize => {
                    held.slowest(length, inner, voxels)?;
                }
                _ => self.axis(length, inner, voxels)?,
            }
            voxels.swap(0, 1);
        }
        Ok(())
    }

    /// Smooths lines of `length` voxels at distance `inner`, from the first buffer into the second.
    fn axis(&self, length: usize, inner: usize, [from, to]: &mut [Buffer<u8>; 2]) -> Result<(), CudaError> {
        let count = from.len() / size_of::<f32>();
        let sizes = [count, length, inner].map(|size| size as u64);
        let radius = (self.weights.len() - 1) as u32;
        let launch = self.axis.launch(blocks_of(count, THREADS), THREADS, 0);
        let launch = launch.input(from).values(&sizes);
        // SAFETY: each thread writes its voxel and reads its line, which is in the buffer, and the weights.
        unsafe { launch.input(&self.weights).value(&radius).output(to).go() }
    }
}

impl Held {
    /// Smooths planes of `rows` times `columns` voxels along both axes, from the first buffer into the second.
    fn planes(&self, rows: usize, columns: usize, [from, to]: &mut [Buffer<u8>; 2]) -> Result<(), CudaError> {
        let planes = from.len() / (rows * columns * size_of::<f32>());
        let blocks = blocks_of(planes * rows.div_ceil(TALL as usize) * columns.div_ceil(WIDE as usize), 1);
        let sizes = [rows, columns].map(|size| size as u64);
        let launch = self.planes.launch(blocks, THREADS, 0).input(from);
        let launch = launch.values(&sizes);
        // SAFETY: each block reads voxels of its plane, and writes those of its tile that are in the plane.
        unsafe { launch.value(&self.weights).output(to).go() }
    }

    /// Smooths lines of `length` voxels at distance `inner` along the slowest axis, from the first buffer into the
    /// second.
    fn slowest(
        &self,
        length: usize,
        inner: usize,
        [from, to]: &mut [Buffer<u8>; 2],
    ) -> Result<(), CudaError> {
        let layers = (self.multiprocessors * SPREAD).div_ceil(inner);
        let share = length.div_ceil(layers).max(LEAST_SHARE).next_multiple_of(STEP as usize);
        let blocks = blocks_of(inner.div_ceil(THREADS as usize) * length.div_ceil(share), 1);
        let sizes = [length, inner, share].map(|size| size as u64);
        let launch = self.slowest.launch(blocks, THREADS, 0).input(from);
        let launch = launch.values(&sizes);
        // SAFETY: each thread reads its line, which is in the buffer, and writes voxels of it.
        unsafe { launch.value(&self.weights).output(to).go() }
    }
}
