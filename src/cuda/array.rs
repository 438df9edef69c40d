//! The kernels of `kernels/array.cu`.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::{Buffer, CudaError, Gpu, Kernel, KernelVoxel};

/// Threads of a block, whole warps.
const THREADS: u32 = 256;
/// Blocks of a launch for each multiprocessor; each thread takes voxel after voxel.
const BLOCKS: u32 = 16;
/// Voxels of a word of the kernels.
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

/// The rows of an image as an array has them: the numbers of planes, rows and columns, and how many voxels apart their neighbours are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strided {
    pub(crate) extents: [usize; 3],
    pub(crate) steps: [usize; 3],
}

impl Strided {
    /// The place after that of the last voxel.
    fn end(&self) -> usize {
        let last = self.extents.iter().zip(self.steps).map(|(extent, step)| (extent - 1) * step);
        last.sum::<usize>() + 1
    }
}

/// What is foreground.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binary {
    /// Voxels greater than this; without it, those that are not 0.
    pub(crate) above: Option<f64>,
    /// Whether foreground and background change places.
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

    /// The place of the first voxel that is NaN, of all voxels of a buffer.
    pub(crate) fn first_nan(&self, gpu: &Gpu, voxels: &Buffer<T>) -> Result<Option<usize>, CudaError> {
        let (count, mut first) = (voxels.len() as u64, nowhere(gpu)?);
        let launch = self.first_nan.launch(self.blocks, THREADS, 0).input(voxels).value(&count);
        // SAFETY: so many voxels are read, and one place is written.
        unsafe { launch.output(&mut first).go() }?;
        place(gpu, &first)
    }

    /// All voxels of a buffer as floats; and the place of the first that is none, or infinite.
    pub(crate) fn floats(
        &self,
        gpu: &Gpu,
        voxels: &Buffer<T>,
    ) -> Result<(Buffer<f32>, Option<usize>), CudaError> {
        let (count, mut first) = (voxels.len() as u64, nowhere(gpu)?);
        let mut floats = gpu.zeros(voxels.len())?;
        let launch = self.floats.launch(self.blocks, THREADS, 0).input(voxels).value(&count);
        // SAFETY: so many voxels are read and floats written, and one place.
        unsafe { launch.output(&mut floats).output(&mut first).go() }?;
        let first = place(gpu, &first)?;
        Ok((floats, first))
    }

    /// The foreground of an image, a row of voxels a row of words of 64.
    ///
    /// # Panics
    /// The image is not in the buffer, or has no voxels.
    pub(crate) fn bits(
        &self,
        gpu: &Gpu,
        voxels: &Buffer<T>,
        image: &Strided,
        binary: Binary,
    ) -> Result<Buffer<u64>, CudaError> {
        assert!(image.extents.iter().all(|&extent| extent > 0) && image.end() <= voxels.len(), "{image:?}");
        let [planes, rows, columns] = image.extents;
        let width = columns.div_ceil(2 * WORD);
        let mut words = gpu.zeros::<u64>(planes * rows * width)?;
        let sizes = [rows, columns, 2 * width, 2 * words.len()].map(|size| size as u64);
        let steps = image.steps.map(|step| step as u64);
        let (threshold, is_above) = (binary.above.unwrap_or(0.0), u32::from(binary.above.is_some()));
        let is_inverted = u32::from(binary.inverted);
        let launch = self.bits.launch(self.blocks, THREADS, 0).input(voxels);
        let launch = sizes.iter().chain(&steps).fold(launch, |launch, size| launch.value(size));
        let launch = launch.value(&threshold).value(&is_above).value(&is_inverted);
        // SAFETY: voxels are read at places before the end of the image, which is in the buffer, and so many halves of words written.
        unsafe { launch.output(&mut words).go() }?;
        Ok(words)
    }

    /// Rows of words as bytes, in C order, 0 or 1.
    ///
    /// # Panics
    /// There are not as many words as the extents say.
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
        let launch = sizes.iter().fold(launch, |launch, size| launch.value(size));
        // SAFETY: a row has so many words, and there is a byte for each voxel.
        unsafe { launch.output(&mut bytes).go() }?;
        Ok(bytes)
    }
}

/// Memory for a place that has not been found.
fn nowhere(gpu: &Gpu) -> Result<Buffer<u64>, CudaError> {
    gpu.upload(&[u64::MAX])
}

/// The place that was found.
fn place(gpu: &Gpu, first: &Buffer<u64>) -> Result<Option<usize>, CudaError> {
    let found = gpu.read(first, 0..1)?[0];
    // It is a place in memory.
    Ok((found != u64::MAX).then_some(found as usize))
}
