//! The kernels of `kernels/array.cu`.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::{Buffer, CudaError, Gpu, Kernel, KernelVoxel};
use crate::cubical::Key as _;

/// Number of threads in a block, a multiple of the warp size.
const THREADS: u32 = 256;
/// Number of blocks per multiprocessor; each thread processes several voxels.
const BLOCKS: u32 = 16;
/// Number of voxels in a word of the kernels.
const WORD: usize = 32;

/// The kernels for arrays of voxels of type `T`.
pub(crate) struct ArrayKernels<T> {
    first_nan: Kernel,
    floats: Kernel,
    bits: Kernel,
    bytes: Kernel,
    blocks: u32,
    voxel: PhantomData<T>,
}

/// The layout of an image in an array: the numbers of planes, rows and columns, and the distances between neighbours
/// in voxels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strided {
    pub(crate) extents: [usize; 3],
    pub(crate) steps: [usize; 3],
}

impl Strided {
    /// The place after the last voxel.
    fn end(&self) -> usize {
        let last = self.extents.iter().zip(self.steps).map(|(extent, step)| (extent - 1) * step);
        last.sum::<usize>() + 1
    }
}

/// The condition for foreground voxels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binary<T> {
    /// The value above which voxels are foreground; without it, non-zero voxels are.
    pub(crate) above: Option<T>,
    /// Whether foreground and background are exchanged.
    pub(crate) inverted: bool,
}

impl<T: KernelVoxel> ArrayKernels<T> {
    pub(crate) fn load(gpu: &Gpu) -> Result<Self, CudaError> {
        let module = gpu.module(T::ARRAY)?;
        Ok(ArrayKernels {
            first_nan: module.kernel(c"array_first_nan")?,
            floats: module.kernel(c"array_floats")?,
            bits: module.kernel(c"array_bits")?,
            bytes: module.kernel(c"array_bytes")?,
            blocks: gpu.multiprocessors()? * BLOCKS,
            voxel: PhantomData,
        })
    }

    /// The place of the first NaN in a buffer of voxels.
    pub(crate) fn first_nan(&self, gpu: &Gpu, voxels: &Buffer<T>) -> Result<Option<usize>, CudaError> {
        let (count, mut first) = (voxels.len() as u64, nowhere(gpu)?);
        let launch = self.first_nan.launch(self.blocks, THREADS, 0).input(voxels).value(&count);
        // SAFETY: `count` voxels are read, and one place is written.
        unsafe { launch.output(&mut first).go() }?;
        place(gpu, &first)
    }

    /// Converts all voxels of a buffer to floats, and returns the place of the first that is NaN or becomes infinite.
    pub(crate) fn floats(
        &self,
        gpu: &Gpu,
        voxels: &Buffer<T>,
    ) -> Result<(Buffer<f32>, Option<usize>), CudaError> {
        let (count, mut first) = (voxels.len() as u64, nowhere(gpu)?);
        let mut floats = gpu.zeros(voxels.len())?;
        let launch = self.floats.launch(self.blocks, THREADS, 0).input(voxels).value(&count);
        // SAFETY: `count` voxels are read, and `count` floats and one place are written.
        unsafe { launch.output(&mut floats).output(&mut first).go() }?;
        let first = place(gpu, &first)?;
        Ok((floats, first))
    }

    /// Computes the foreground of an image as bits; each row of voxels becomes a row of 64-bit words.
    ///
    /// # Panics
    /// The image is not in the buffer, or has no voxels.
    pub(crate) fn bits(
        &self,
        gpu: &Gpu,
        voxels: &Buffer<T>,
        image: &Strided,
        binary: Binary<T>,
    ) -> Result<Buffer<u64>, CudaError> {
        assert!(image.extents.iter().all(|&extent| extent > 0) && image.end() <= voxels.len(), "{image:?}");
        let [planes, rows, columns] = image.extents;
        let width = columns.div_ceil(2 * WORD);
        let mut words = gpu.zeros::<u64>(planes * rows * width)?;
        let sizes = [rows, columns, 2 * width, 2 * words.len()].map(|size| size as u64);
        let steps = image.steps.map(|step| step as u64);
        let (threshold, is_above) =
            (binary.above.unwrap_or(T::of_key(T::Key::MAX)), u32::from(binary.above.is_some()));
        let is_inverted = u32::from(binary.inverted);
        let launch = self.bits.launch(self.blocks, THREADS, 0).input(voxels);
        let launch = launch.values(&sizes).values(&steps);
        let launch = launch.value(&threshold).value(&is_above).value(&is_inverted);
        // SAFETY: voxels are read at places before the end of the image, which is in the buffer, and all halves of
        // the words are written.
        unsafe { launch.output(&mut words).go() }?;
        Ok(words)
    }

    /// Converts rows of words to bytes 0 and 1 in C order.
    ///
    /// # Panics
    /// The number of words contradicts the extents.
    pub(crate) fn bytes(
        &self,
        gpu: &Gpu,
        words: &Buffer<u64>,
        extents: [usize; 3],
    ) -> Result<Buffer<u8>, CudaError> {
        let [planes, rows, columns] = extents;
        let width = columns.div_ceil(2 * WORD);
        assert_eq!(words.len(), planes * rows * width, "{extents:?}");
        let mut bytes = gpu.zeros::<u8>(planes * rows * columns)?;
        let sizes = [bytes.len(), columns, 2 * width].map(|size| size as u64);
        let launch = self.bytes.launch(self.blocks, THREADS, 0).input(words);
        let launch = launch.values(&sizes);
        // SAFETY: the number of words per row was checked, and there is a byte for each voxel.
        unsafe { launch.output(&mut bytes).go() }?;
        Ok(bytes)
    }
}

/// Allocates the result of a search, initially "not found".
fn nowhere(gpu: &Gpu) -> Result<Buffer<u64>, CudaError> {
    gpu.upload(&[u64::MAX])
}

/// Reads the result of a search.
fn place(gpu: &Gpu, first: &Buffer<u64>) -> Result<Option<usize>, CudaError> {
    let found = gpu.read(first, 0..1)?[0];
    // A place in memory fits into `usize`.
    Ok((found != u64::MAX).then_some(found as usize))
}
