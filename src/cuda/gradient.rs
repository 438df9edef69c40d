//! The kernel of `kernels/gradient.cu`.
#![allow(unsafe_code)]

use super::{Buffer, CudaError, Gpu, Kernel, ptx};

/// Threads of a block.
const THREADS: u32 = 256;

/// Where the voxels of an image lie on a grid with a rim.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GridLayout {
    /// The number of axes along which there is more than one voxel.
    pub(crate) axes: usize,
    /// The numbers of planes, rows and columns of the image.
    pub(crate) extents: [usize; 3],
    /// The distance from a place to the next one along each axis, the fastest axis first.
    pub(crate) strides: [usize; 3],
    /// The place of the first voxel.
    pub(crate) start: usize,
}

impl GridLayout {
    /// The least and the greatest place that neighbours of voxels have.
    fn around(&self) -> (usize, usize) {
        let [planes, rows, columns] = self.extents;
        let [_, row, plane] = self.strides;
        let last = self.start + (planes - 1) * plane + (rows - 1) * row + columns - 1;
        let reach: usize = self.strides[..self.axes].iter().sum();
        (self.start.checked_sub(reach).expect("a rim before the first voxel"), last + reach)
    }
}

/// The tables that number the sets of cells which a voxel can own.
pub(crate) struct Numbering {
    /// An entry for each set of faces: the first number of the sets with these faces, which cubes they can have besides, and which
    /// edges they need not have.
    pub(crate) first: Buffer<u32>,
    /// An entry for each mask and word of bits: the bits that are in the mask, moved side by side.
    pub(crate) packed: Buffer<u8>,
}

/// The kernel of `gradient.cu`.
pub(crate) struct GradientKernel {
    codes: Kernel,
}

impl GradientKernel {
    pub(crate) fn load(gpu: &Gpu) -> Result<Self, CudaError> {
        let module = gpu.module(ptx!("gradient"))?;
        Ok(GradientKernel { codes: module.kernel(c"gradient_codes")? })
    }

    /// Writes the codes of the places of voxels, and leaves those of the rim.
    ///
    /// # Panics
    /// The image with its rim is not on the grid, there is not a code for each place, or the tables are too short.
    pub(crate) fn codes(
        &self,
        layout: &GridLayout,
        ranks: &Buffer<u32>,
        numbering: &Numbering,
        codes: &mut Buffer<u16>,
    ) -> Result<(), CudaError> {
        assert!(layout.around().1 < ranks.len() && ranks.len() == codes.len() && layout.axes <= 3);
        assert_eq!([numbering.first.len(), numbering.packed.len()], [1 << 12, 1 << 16]);
        let [planes, rows, columns] = layout.extents;
        let voxels = planes * rows * columns;
        let blocks =
            u32::try_from(voxels.div_ceil(THREADS as usize)).expect("more than any device has memory for");
        let [_, row_stride, plane_stride] = layout.strides;
        let sizes = [layout.start, row_stride, plane_stride, voxels, rows, columns].map(|size| size as u64);
        let axes = layout.axes as u32;
        let launch = self.codes.launch(blocks, THREADS, 0).input(ranks);
        let launch = sizes.iter().fold(launch, |launch, size| launch.value(size));
        let launch = launch.value(&axes).input(&numbering.first).input(&numbering.packed);
        // SAFETY: voxels and their neighbours are on the grid; the tables have an entry for each 12 bits, and each 16.
        unsafe { launch.output(codes).go() }
    }
}
