//! A whole matrix on a device, to measure the kernels alone.

use crate::cuda::leftmost_ones::{LeftmostKernels, Piece, Tables};
use crate::cuda::{Buffer, CudaError, Gpu};
use phat_formats::BoundaryMatrix;

use crate::matrix::index::SharedIndex;

/// A whole matrix on a device, to measure the kernels alone.
pub struct Resident<I: SharedIndex> {
    gpu: Gpu,
    kernels: LeftmostKernels<I>,
    rows: Buffer<I>,
    starts: Buffer<I>,
    whole: Piece,
    tables: Tables<I>,
    lookup: Buffer<I>,
    destroyers: Buffer<u8>,
}

impl<I: SharedIndex> Resident<I> {
    /// Copies a matrix to a device.
    ///
    /// # Errors
    /// The driver failed.
    pub fn load(gpu: &Gpu, matrix: &BoundaryMatrix<I>) -> Result<Self, CudaError> {
        let n = matrix.len();
        let whole = Piece { entries: matrix.entries(), columns: n, first_entry: 0, first_column: 0 };
        Ok(Resident {
            kernels: LeftmostKernels::load(gpu)?,
            rows: gpu.upload(matrix.rows())?,
            starts: gpu.upload(&matrix.offsets()[..n])?,
            whole,
            tables: Tables { leftmost: gpu.zeros(n)?, lows: gpu.zeros(n)? },
            lookup: gpu.zeros(n)?,
            destroyers: gpu.zeros(n)?,
            gpu: gpu.clone(),
        })
    }

    /// Runs all kernels, waits for them, and returns the numbers of stable, cleared and unstable columns.
    ///
    /// # Errors
    /// The driver failed.
    pub fn scan(&mut self) -> Result<[usize; 3], CudaError> {
        let Resident { gpu, kernels, rows, starts, whole, tables, lookup, destroyers } = self;
        kernels.clear(gpu, tables)?;
        if whole.entries > 0 {
            kernels.set_leftmost(rows, starts, whole, tables)?;
        }
        kernels.set_lookup(gpu, tables, lookup, destroyers)?;
        let (flags, counts) = kernels.find_unstable(gpu, tables)?;
        let mut unstable = gpu.zeros(counts[2])?;
        kernels.set_unstable(gpu, &flags, &mut unstable)?;
        gpu.finish()?;
        Ok(counts)
    }
}
