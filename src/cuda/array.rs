//! The kernels of `kernels/array.cu`.
#![allow(unsafe_code)]

use super::{Buffer, CudaError, Gpu, Kernel, Ptx, ptx};
use crate::cubical::VoxelType;

/// Number of threads in a block, a multiple of the warp size.
const THREADS: u32 = 256;
/// Number of blocks per multiprocessor; each thread processes several voxels.
const BLOCKS: u32 = 16;
/// Number of voxels in a word of the kernels.
const WORD: usize = 32;

/// The PTX of the kernels for a type of voxels.
fn array_ptx(voxels: VoxelType) -> Ptx {
    match voxels {
        VoxelType::U8 => ptx!("array_u8"),
        VoxelType::I8 => ptx!("array_i8"),
        VoxelType::U16 => ptx!("array_u16"),
        VoxelType::I16 => ptx!("array_i16"),
        VoxelType::U32 => ptx!("array_u32"),
        VoxelType::I32 => ptx!("array_i32"),
        VoxelType::U64 => ptx!("array_u64"),
        VoxelType::I64 => ptx!("array_i64"),
        VoxelType::F32 => ptx!("array_f32"),
        VoxelType::F64 => ptx!("array_f64"),
    }
}

/// The kernels for arrays of a type of voxels, which are given as bytes.
pub(crate) struct ArrayKernels {
    voxels: VoxelType,
    first_nan: Kernel,
    floats: Kernel,
    bits: Kernel,
    bytes: Kernel,
    blocks: u32,
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
pub(crate) struct Binary {
    /// The bits of the voxel above which voxels are foreground; without it, non-zero voxels are.
    pub(crate) above: Option<u64>,
    /// Whether foreground and background are exchanged.
    pub(crate) inverted: bool,
}

impl ArrayKernels {
    pub(crate) fn load(gpu: &Gpu, voxels: VoxelType) -> Result<Self, CudaError> {
        let module = gpu.module(array_ptx(voxels))?;
        Ok(ArrayKernels {
            voxels,
            first_nan: module.kernel(c"array_first_nan")?,
            floats: module.kernel(c"array_floats")?,
            bits: module.kernel(c"array_bits")?,
            bytes: module.kernel(c"array_bytes")?,
            blocks: gpu.multiprocessors()? * BLOCKS,
        })
    }

    /// Number of voxels in a buffer.
    fn count(&self, voxels: &Buffer<u8>) -> usize {
        voxels.len() / self.voxels.bytes()
    }

    /// The place of the first NaN in a buffer of voxels.
    pub(crate) fn first_nan(&self, gpu: &Gpu, voxels: &Buffer<u8>) -> Result<Option<usize>, CudaError> {
        let (count, mut first) = (self.count(voxels) as u64, nowhere(gpu)?);
        let launch = self.first_nan.launch(self.blocks, THREADS, 0).input(voxels).value(&count);
        // SAFETY: `count` voxels are read, and one place is written.
        unsafe { launch.output(&mut first).go() }?;
        place(gpu, &first)
    }

    /// Converts all voxels of a buffer to floats, and returns their bytes and the place of the first that is NaN or
    /// becomes infinite.
    pub(crate) fn floats(
        &self,
        gpu: &Gpu,
        voxels: &Buffer<u8>,
    ) -> Result<(Buffer<u8>, Option<usize>), CudaError> {
        let (count, mut first) = (self.count(voxels) as u64, nowhere(gpu)?);
        let mut floats = gpu.zeros(self.count(voxels) * size_of::<f32>())?;
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
        voxels: &Buffer<u8>,
        image: &Strided,
        binary: Binary,
    ) -> Result<Buffer<u64>, CudaError> {
        assert!(
            image.extents.iter().all(|&extent| extent > 0) && image.end() <= self.count(voxels),
            "{image:?}"
        );
        let [planes, rows, columns] = image.extents;
        let width = columns.div_ceil(2 * WORD);
        let mut words = gpu.zeros::<u64>(planes * rows * width)?;
        let sizes = [rows, columns, 2 * width, 2 * words.len()].map(|size| size as u64);
        let steps = image.steps.map(|step| step as u64);
        let (threshold, is_above) = (binary.above.unwrap_or(0), u32::from(binary.above.is_some()));
        let is_inverted = u32::from(binary.inverted);
        let launch = self.bits.launch(self.blocks, THREADS, 0).input(voxels);
        let launch = launch.values(&sizes).values(&steps);
        let launch = launch.low_bits(&threshold).value(&is_above).value(&is_inverted);
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
