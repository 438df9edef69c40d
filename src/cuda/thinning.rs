//! The kernels of `kernels/thinning.cu` and `kernels/thinning_subfields.cu`.
#![allow(unsafe_code)]

use std::ffi::CStr;

use super::constants::{thinning, thinning_subfields};
use super::{Buffer, CudaError, Gpu, Kernel, ptx};

/// Side of a window of the plane in pixels.
const WINDOW: u32 = thinning::SIDE + 2 * thinning::COLLAR;
/// Number of threads in a block: in the plane one per word of 32 pixels of a window, in space the maximum of the
/// kernel.
const THREADS: [u32; 2] = [WINDOW * WINDOW / 32, thinning_subfields::THREADS];
/// Number of blocks per multiprocessor in a launch. Blocks that find no room process their tiles later.
const BLOCKS: u64 = 4;
/// Number of planes and rows of a window in space outside of its tile.
const COLLARS: [u32; 2] = [2 * thinning_subfields::COLLAR_Z, 2 * thinning_subfields::COLLAR_Y];
/// Bytes in a row of a window in space.
const ROW: u32 = 2 * thinning_subfields::PAIRS * size_of::<u32>() as u32;
// A tile is as wide as a word of the host, by which tiles along x are counted.
const _: () = assert!(thinning::SIDE == u64::BITS && thinning_subfields::SIDE == u64::BITS);

/// The kernel of a thinning rule.
pub(crate) struct ThinningKernel {
    kernel: Kernel,
    is_planar: bool,
    multiprocessors: u64,
}

/// The division of an image into tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tiling {
    /// Numbers of planes, rows, and words of 32 voxels in a row.
    extents: [u64; 3],
    /// Numbers of planes and rows in a tile.
    tile: [u32; 2],
    /// Numbers of tiles along x, y and z.
    tiles: [u32; 3],
}

impl Tiling {
    fn count(&self) -> u64 {
        self.tiles.iter().map(|&tiles| u64::from(tiles)).product()
    }
}

/// An image that is being thinned on a device.
pub(crate) struct Thinning {
    tiling: Tiling,
    /// Two copies of the image: launches alternately read one and write the other.
    images: [Buffer<u64>; 2],
    /// The lists of active tiles: launches alternately read one and write the other.
    lists: [Buffer<u32>; 2],
    lengths: Buffer<u32>,
    marks: Buffer<u32>,
    /// Number of voxels that each iteration of a batch deleted.
    deleted: Buffer<u64>,
    looked_at: Buffer<u64>,
    launches: u32,
}

impl ThinningKernel {
    /// Loads the kernel of this name, of a planar rule or of one for space.
    pub(crate) fn load(gpu: &Gpu, name: &'static CStr, is_planar: bool) -> Result<Self, CudaError> {
        let module = gpu.module(if is_planar { ptx!("thinning") } else { ptx!("thinning_subfields") })?;
        let kernel = module.kernel(name)?;
        Ok(ThinningKernel { kernel, is_planar, multiprocessors: gpu.multiprocessors()?.into() })
    }

    /// Maximum number of iterations in a launch.
    pub(crate) fn most(&self) -> usize {
        if self.is_planar { thinning::MOST as usize } else { 1 }
    }

    /// The division of an image into tiles. The extents are planes, rows, and words of 64 voxels in a row.
    fn tiling(&self, [planes, rows, words]: [usize; 3]) -> Result<Tiling, CudaError> {
        let tile = match (self.is_planar, planes) {
            (true, _) => [1, thinning::SIDE],
            (false, 1) => [2, 128],
            (false, _) => [16, 32],
        };
        let counts = [words, rows.div_ceil(tile[1] as usize), planes.div_ceil(tile[0] as usize)];
        let (all, limit) = (counts.iter().product::<usize>(), u32::MAX as usize);
        if all > limit {
            return Err(CudaError::Unfit { what: "tiles", limit, found: all });
        }
        // Each count is at most the product, which was checked.
        let tiles = counts.map(|count| count as u32);
        Ok(Tiling { extents: [planes as u64, rows as u64, 2 * words as u64], tile, tiles })
    }

    /// Takes an image on the device; `extents` are the numbers of planes, rows and words in a row. A batch has at most
    /// `iterations` iterations, each with a counter.
    ///
    /// # Panics
    /// The number of words contradicts the extents.
    pub(crate) fn begin(
        &self,
        gpu: &Gpu,
        image: Buffer<u64>,
        extents: [usize; 3],
        iterations: usize,
    ) -> Result<Thinning, CudaError> {
        assert_eq!(image.len(), extents.iter().product::<usize>(), "{extents:?}");
        let tiling = self.tiling(extents)?;
        // The product was checked to be below 2^32.
        let count = tiling.count() as u32;
        let mut other = gpu.zeros(image.len())?;
        gpu.copy(&image, 0..image.len(), &mut other)?;
        let all: Vec<u32> = (0..count).collect();
        Ok(Thinning {
            tiling,
            images: [image, other],
            lists: [gpu.upload(&all)?, gpu.zeros(all.len())?],
            lengths: gpu.upload(&[count, 0, 0])?,
            marks: gpu.zeros(all.len())?,
            deleted: gpu.zeros(iterations)?,
            looked_at: gpu.zeros(1)?,
            launches: 0,
        })
    }

    /// Runs some iterations of a batch; `first` is the number of the first of them.
    ///
    /// # Panics
    /// There are more iterations than a launch can run, or than the batch has counters.
    pub(crate) fn iterate(
        &self,
        work: &mut Thinning,
        iterations: usize,
        first: usize,
    ) -> Result<(), CudaError> {
        assert!(
            iterations <= self.most() && first + iterations <= work.deleted.len(),
            "{first} {iterations}"
        );
        let Thinning { tiling, images, lists, lengths, marks, deleted, looked_at, launches } = work;
        let launch = *launches;
        *launches += 1;
        let [from, to] = in_turn(images, launch);
        let [list, next] = in_turn(lists, launch);
        let (count, first, iterations) = (tiling.count(), first as u64, iterations as u32);
        let blocks = count.min(self.multiprocessors * BLOCKS) as u32;
        let [planes, rows, width] = &tiling.extents;
        let [across, down, deep] = &tiling.tiles;
        let [tile_planes, tile_rows] = &tiling.tile;
        let window = (tile_planes + COLLARS[0]) * (tile_rows + COLLARS[1]);
        // There are two windows: voxels, and candidates.
        let shared = if self.is_planar { 0 } else { 2 * ROW * window };
        let call = self.kernel.launch(blocks, THREADS[usize::from(!self.is_planar)], shared);
        let call = call.input(from).output(to);
        let call = if self.is_planar {
            call.value(rows).value(width).value(across).value(down)
        } else {
            let call = call.value(planes).value(rows).value(width);
            call.value(across).value(down).value(deep).value(tile_planes).value(tile_rows)
        };
        let call = call.input(list).output(next).output(lengths).output(marks).value(&launch);
        let call = if self.is_planar { call.value(&iterations) } else { call };
        // SAFETY: words are read and written inside the image, whose buffers both have its size; lists and marks have
        // an entry for each tile, and a tile is put on a list once; the counters of the iterations exist, as
        // asserted.
        unsafe { call.output(deleted).value(&first).output(looked_at).go() }
    }
}

/// The buffer that a launch reads and the one that it writes.
fn in_turn<T>([even, odd]: &mut [T; 2], launch: u32) -> [&mut T; 2] {
    if launch.is_multiple_of(2) { [even, odd] } else { [odd, even] }
}

impl Thinning {
    /// Reads the numbers of voxels that the first `n` iterations of a batch deleted, and resets the counters for the
    /// next batch.
    pub(crate) fn deleted(&mut self, gpu: &Gpu, n: usize) -> Result<Vec<u64>, CudaError> {
        let deleted = gpu.read(&self.deleted, 0..n)?;
        gpu.clear(&mut self.deleted)?;
        Ok(deleted)
    }

    /// The words of the image.
    pub(crate) fn words(&mut self, gpu: &Gpu) -> Result<Vec<u64>, CudaError> {
        let [image, _] = in_turn(&mut self.images, self.launches);
        gpu.read(image, 0..image.len())
    }

    /// The words of the image, left on the device.
    pub(crate) fn into_words(self) -> Buffer<u64> {
        let [even, odd] = self.images;
        if self.launches.is_multiple_of(2) { even } else { odd }
    }

    /// Number of words of 64 voxels that were processed, summed over tiles and launches.
    pub(crate) fn looked_at(&self, gpu: &Gpu) -> Result<u64, CudaError> {
        let [tile_planes, tile_rows] = self.tiling.tile.map(u64::from);
        Ok(gpu.read(&self.looked_at, 0..1)?[0] * tile_planes * tile_rows)
    }
}
