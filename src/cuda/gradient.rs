//! The kernel of `kernels/gradient.cu`.
#![allow(unsafe_code)]

use super::{Buffer, CudaError, Gpu, Kernel, blocks_of, ptx};

/// Number of threads in a block.
const THREADS: u32 = 256;

/// The layout of the voxels of an image on a grid with a rim.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GridLayout {
    /// Number of axes with more than one voxel.
    pub(crate) axes: usize,
    /// Numbers of planes, rows and columns of the image.
    pub(crate) extents: [usize; 3],
    /// Distance between consecutive places along each axis, the fastest axis first.
    pub(crate) strides: [usize; 3],
    /// Place of the first voxel.
    pub(crate) start: usize,
    /// Whether of two voxels with equal keys the one at the lesser place is later.
    pub(crate) is_reversed: bool,
    /// Whether the grid closes up along each axis, the fastest axis first.
    pub(crate) is_periodic: [bool; 3],
}

impl GridLayout {
    /// The least and the greatest place of the voxels' neighbours.
    fn around(&self) -> (usize, usize) {
        let [planes, rows, columns] = self.extents;
        let [_, row, plane] = self.strides;
        let last = self.start + (planes - 1) * plane + (rows - 1) * row + columns - 1;
        let reach: usize = self.strides[..self.axes].iter().sum();
        (self.start.checked_sub(reach).expect("a rim before the first voxel"), last + reach)
    }
}

/// The tables that number the sets of cells that a voxel can own.
pub(crate) struct Numbering {
    /// An entry for each set of faces: the first number of the sets with these faces, the cubes that they can
    /// include, and the edges that they need not include.
    pub(crate) first: Buffer<u32>,
    /// An entry for each mask and word of bits: the bits selected by the mask, compacted.
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

    /// Writes the codes at the places of voxels; those of the rim are unchanged.
    ///
    /// # Panics
    /// The image with its rim exceeds the grid, the number of codes is not that of places, or the tables are too
    /// short.
    pub(crate) fn codes(
        &self,
        layout: &GridLayout,
        keys: &Buffer<i32>,
        numbering: &Numbering,
        codes: &mut Buffer<u16>,
    ) -> Result<(), CudaError> {
        assert!(layout.around().1 < keys.len() && keys.len() == codes.len() && layout.axes <= 3);
        assert_eq!([numbering.first.len(), numbering.packed.len()], [1 << 12, 1 << 16]);
        let [planes, rows, columns] = layout.extents;
        let voxels = planes * rows * columns;
        let [_, row_stride, plane_stride] = layout.strides;
        let sizes = [layout.start, row_stride, plane_stride, planes, rows, columns].map(|size| size as u64);
        let (axes, is_reversed) = (layout.axes as u32, u32::from(layout.is_reversed));
        let periodic = (0..3).fold(0, |mask, axis| mask | u32::from(layout.is_periodic[axis]) << axis);
        let launch = self.codes.launch(blocks_of(voxels, THREADS), THREADS, 0).input(keys);
        let launch = launch.values(&sizes);
        let launch = launch
            .value(&axes)
            .value(&is_reversed)
            .value(&periodic)
            .input(&numbering.first)
            .input(&numbering.packed);
        // SAFETY: voxels and their neighbours are on the grid; the tables have entries for all words of 12 bits and
        // of 16 bits.
        unsafe { launch.output(codes).go() }
    }
}
