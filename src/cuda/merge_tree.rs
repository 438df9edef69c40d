//! The kernels of `kernels/merge_tree.cu`.
#![allow(unsafe_code)]

use super::{Buffer, CudaError, Gpu, Kernel, blocks_of, ptx};

/// Number of threads in a block.
const THREADS: u32 = 256;

/// Planes of one size, whose voxels enter in the order of their levels.
#[derive(Debug)]
pub struct Planes<'a> {
    /// Number of planes.
    pub count: usize,
    /// Number of rows of each plane.
    pub rows: usize,
    /// Number of voxels in a row.
    pub columns: usize,
    /// Whether voxels that share only a corner are neighbours, too.
    pub touch: bool,
    /// The voxels of each plane, sorted by level.
    pub places: &'a Buffer<i64>,
    /// Their levels, floats in the order of the host.
    pub levels: &'a Buffer<u8>,
}

/// The kernels of `merge_tree.cu`.
pub struct MergeTreeKernels {
    times: Kernel,
    of_dimension: [Kernel; 2],
    bars: Kernel,
    gpu: Gpu,
}

impl MergeTreeKernels {
    /// Loads the kernels onto a device.
    ///
    /// # Errors
    /// The driver rejected them.
    pub fn load(gpu: &Gpu) -> Result<Self, CudaError> {
        let module = gpu.module(ptx!("merge_tree"))?;
        Ok(MergeTreeKernels {
            times: module.kernel(c"merge_tree_times")?,
            of_dimension: [module.kernel(c"merge_tree_lead")?, module.kernel(c"merge_tree_join")?],
            bars: module.kernel(c"merge_tree_bars")?,
            gpu: gpu.clone(),
        })
    }

    /// Finds the bars of planes in dimensions 0 up to `dims` - 1, of levels up to a threshold.
    ///
    /// `memory` has four rows of an even number of words, more than there are voxels. On return, the second row has a
    /// word for each bar. Sorted by it, bars of dimension 0 come first, and of each dimension those of the first plane,
    /// by birth. The third row has their ends as voxels of all planes: the lower half of a word is that of the birth,
    /// the upper that of the death, or -1 if the bar does not end.
    ///
    /// Returns the numbers of bars, for each dimension and each plane; nothing if a voxel is not a number.
    ///
    /// # Errors
    /// The driver failed.
    ///
    /// # Panics
    /// There are 2³¹ voxels or more, planes of fewer than four, not as many places or levels, or memory of another
    /// size; or more than two dimensions.
    pub fn bars(
        &self,
        planes: &Planes<'_>,
        dims: usize,
        threshold: f64,
        memory: &mut Buffer<u64>,
    ) -> Result<Option<Vec<u32>>, CudaError> {
        let &Planes { count, rows, columns, touch, places, levels } = planes;
        let (voxels, row) = (count * rows * columns, memory.len() / 4);
        assert!(voxels < 1 << 31 && places.len() == voxels && row > voxels && dims <= 2);
        assert!(memory.len().is_multiple_of(8) && rows * columns >= 4);
        let are_doubles = levels.len() == 8 * voxels;
        assert!(are_doubles || levels.len() == 4 * voxels);
        let row = row as u64;
        for dim in 0..dims {
            let sizes = [voxels, rows, columns, usize::from(touch), dim].map(|size| size as u32);
            // One more thread writes the join of what lies outside.
            let blocks = blocks_of(voxels + 1, THREADS);
            if dim == 0 {
                let launch = self.times.launch(blocks, THREADS, 0).output(memory).value(&row).values(&sizes);
                // SAFETY: the kernel reads the places of voxels, and writes the last row: times into one half, and into
                // the other counts, two for each plane and two more.
                unsafe { launch.input(places).go() }?;
            }
            for kernel in &self.of_dimension {
                let launch = kernel.launch(blocks, THREADS, 0).output(memory).value(&row).values(&sizes);
                // SAFETY: both kernels read the last row, and write the first for voxels and for what lies outside.
                unsafe { launch.go() }?;
            }
            let are_doubles = u32::from(are_doubles);
            let launch = self.bars.launch(blocks, THREADS, 0).output(memory).value(&row).values(&sizes);
            let launch = launch.input(places).input(levels).value(&are_doubles).value(&threshold);
            // SAFETY: the kernel reads the places and levels of voxels, and two rows. It writes counts, and at most a
            // word for each voxel into either of the other rows: none has all its neighbours behind it in both orders.
            unsafe { launch.go() }?;
        }
        let first = 3 * memory.len() / 4 + memory.len() / 8;
        let words = self.gpu.read(memory, first..first + count + 1)?;
        let counts: Vec<u32> = words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect();
        Ok((counts[2 * count + 1] == 0).then(|| counts[..dims * count].to_vec()))
    }
}
