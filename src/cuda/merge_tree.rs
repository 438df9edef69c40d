//! The kernels of `kernels/merge_tree.cu`.
#![allow(unsafe_code)]

use super::{Buffer, CudaError, Gpu, Kernel, blocks_of, ptx};

/// Number of threads in a block.
const THREADS: u32 = 256;

/// Planes of one size whose voxels enter one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Planes {
    /// Number of planes.
    pub count: usize,
    /// Number of rows of each plane.
    pub rows: usize,
    /// Number of voxels in a row.
    pub columns: usize,
    /// Whether voxels that share only a corner are neighbours, too.
    pub touch: bool,
    /// Whether everything outside of the planes is one component, which is older than all voxels.
    pub has_outside: bool,
}

/// The kernels of `merge_tree.cu`.
pub struct MergeTreeKernels {
    lead: Kernel,
    join: Kernel,
}

impl MergeTreeKernels {
    /// Loads the kernels onto a device.
    ///
    /// # Errors
    /// The driver rejected them.
    pub fn load(gpu: &Gpu) -> Result<Self, CudaError> {
        let module = gpu.module(ptx!("merge_tree"))?;
        Ok(MergeTreeKernels {
            lead: module.kernel(c"merge_tree_lead")?,
            join: module.kernel(c"merge_tree_join")?,
        })
    }

    /// Computes when the component of each minimum joins that of an older one.
    ///
    /// `times` are the places of all voxels in an order that keeps those of a plane together. Of each join the upper
    /// 32 bits are a time. For a minimum, which none of its neighbours precedes, it is the time of the voxel in which
    /// its component meets one with an older minimum, or all ones; for any other voxel its own. The last join is that
    /// of what lies outside; any after it is left.
    ///
    /// # Errors
    /// The driver failed.
    ///
    /// # Panics
    /// There are 2³¹ voxels or more, not as many times as voxels, or not more joins.
    pub fn joins(
        &self,
        planes: &Planes,
        times: &Buffer<i32>,
        joins: &mut Buffer<u64>,
    ) -> Result<(), CudaError> {
        let &Planes { count, rows, columns, touch, has_outside } = planes;
        let voxels = count * rows * columns;
        assert!(voxels < 1 << 31 && times.len() == voxels && joins.len() > voxels);
        let sizes = [voxels, rows, columns].map(|size| size as u32);
        let flags = [touch, has_outside].map(u32::from);
        // One more thread writes the join of what lies outside.
        for (kernel, threads) in [(&self.lead, voxels + 1), (&self.join, voxels)] {
            let launch = kernel.launch(blocks_of(threads, THREADS), THREADS, 0).input(times).values(&sizes);
            // SAFETY: both kernels read the times of voxels, and write the joins of voxels and of what lies outside.
            unsafe { launch.values(&flags).output(joins).go() }?;
        }
        Ok(())
    }
}
