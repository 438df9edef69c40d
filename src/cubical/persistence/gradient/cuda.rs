//! Gradient codes on the GPU, one voxel per thread.

use super::super::grid::Grid;
use super::table::{NO_VOXEL, Table};
use crate::cuda::gradient::{GradientKernel, GridLayout, Numbering};
use crate::cuda::{CudaError, Gpu};

/// Computes the code of each place's lower star; [`NO_VOXEL`] on the rim. The codes equal those of [`cpu`](super::cpu).
///
/// # Errors
/// [`CudaError::OutOfMemory`]: the device has less than six bytes free per place. Any other error is the driver's.
pub(crate) fn codes(gpu: &Gpu, grid: &Grid) -> Result<Vec<u16>, CudaError> {
    let kernel = GradientKernel::load(gpu)?;
    let (first, packed) = Table::of(grid.layout.axes).numbering();
    let numbering = Numbering { first: gpu.upload(&first)?, packed: gpu.upload(packed)? };
    let keys = gpu.upload(grid.keys())?;
    let mut codes = gpu.zeros(grid.places())?;
    // Both bytes of the code are equal, so a fill by bytes works.
    gpu.fill(&mut codes, NO_VOXEL as u8)?;
    let layout = GridLayout {
        axes: grid.layout.axes,
        extents: grid.layout.extents,
        strides: grid.layout.strides,
        start: grid.layout.shift(),
        is_reversed: grid.construction.is_reversed(),
        is_periodic: grid.layout.is_periodic,
    };
    kernel.codes(&layout, &keys, &numbering, &mut codes)?;
    gpu.read(&codes, 0..codes.len())
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::super::PersistenceRequest;
    use super::super::cpu;
    use super::*;
    use crate::cubical::{Construction, Image, Order, Periodic, Shape};

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_finds_the_codes_of_the_processor() {
        let gpu = Gpu::open(0, None).unwrap();
        let mut rng = Pcg64Mcg::seed_from_u64(21);
        // Every shape has at least one axis: a grid without axes has no gradient.
        let shapes: [&[usize]; 10] = [
            &[2],
            &[500],
            &[1, 9],
            &[7, 1],
            &[2, 2],
            &[40, 33],
            &[2, 2, 2],
            &[4, 1, 6],
            &[20, 31, 17],
            &[65, 64, 63],
        ];
        for axes in shapes {
            let shape = Shape::new(axes, Order::C).unwrap();
            for levels in [1, 3, 60_000] {
                let voxels: Vec<u16> = (0..shape.count()).map(|_| rng.random_range(0..levels)).collect();
                let image = Image::new(shape, voxels).unwrap().into();
                for construction in [Construction::T, Construction::V] {
                    for superlevel in [false, true] {
                        let request =
                            PersistenceRequest { construction, superlevel, ..PersistenceRequest::default() };
                        for periodic in Periodic::all(shape) {
                            let request = PersistenceRequest { periodic, ..request };
                            let grid = Grid::new(&image, None, &request, true, &()).unwrap();
                            assert!(
                                codes(&gpu, &grid).unwrap() == cpu::codes(&grid, &()),
                                "{shape} {levels} {request:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn codes_of_the_rim_are_equal_bytes() {
        assert_eq!(NO_VOXEL.to_le_bytes(), [NO_VOXEL as u8; 2]);
    }
}
