//! The kernels of `kernels/ecc.cu`.
#![allow(unsafe_code)]

use super::constants::ecc::{BLOCK, COLUMNS};
use super::{Buffer, CudaError, Gpu, Kernel, Pinned, Ptx, blocks_of, ptx};
use crate::cubical::{Coding, VoxelType};

/// Number of threads in a block: normally, and if the counters are so large that few blocks fit into shared memory.
const THREADS: [u32; 2] = [256, BLOCK];
/// Bytes of counters from which blocks are large.
const MANY: u32 = 32 << 10;
/// Number of threads per multiprocessor over which the planes are divided; more would read more planes twice.
const SPREAD: u64 = 12 << 10;
/// Number of planes in a march: with fewer too many planes are read twice, and with more the counters of a block
/// could exceed 32 bits.
const SHARES: std::ops::RangeInclusive<u64> = 16..=4096;
/// Minimum number of planes in a march for images of two axes, where a plane is a row: small images would have too
/// few threads otherwise.
const LEAST_OF_FLAT: u64 = 4;
/// Minimum number of voxels for each multiprocessor and level of a packed march.
const LEAST_OF_PACKED: u64 = 4;
/// Maximum number of rows of a curve: the byte offset of a level has to fit into 32 bits.
pub(crate) const MOST_ROWS: usize = (1 << 28) - 2;

/// The PTX of the march kernels for a type of voxels.
///
/// # Panics
/// Voxels have more than 32 bits or are floating-point numbers.
fn march_ptx(voxels: VoxelType) -> Ptx {
    match voxels {
        VoxelType::U8 | VoxelType::I8 => ptx!("ecc_u8"),
        VoxelType::U16 | VoxelType::I16 => ptx!("ecc_u16"),
        VoxelType::U32 | VoxelType::I32 => ptx!("ecc_u32"),
        VoxelType::U64 | VoxelType::I64 | VoxelType::F32 | VoxelType::F64 => {
            panic!("expected integers of up to 32 bits, found {voxels}")
        }
    }
}

/// Planes of an image on the device, contiguous from the start of a buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    /// The bytes of the voxels.
    pub(crate) voxels: &'a Buffer<u8>,
    pub(crate) planes: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// The first plane that is counted. It is the first of the image, or the plane before it is in the buffer too.
    pub(crate) from: usize,
    /// The plane after the last that is counted. It is past the end of the image, or is in the buffer too.
    pub(crate) to: usize,
}

impl Part<'_> {
    /// Number of voxels in a plane.
    pub(crate) fn plane(&self) -> usize {
        self.rows * self.columns
    }

    /// Checks that the planes are in the buffer and those that are counted among them.
    pub(crate) fn check(&self, of: VoxelType) {
        let Part { voxels, planes, from, to, .. } = self;
        let bytes = planes * self.plane() * of.bytes();
        assert!(bytes > 0 && bytes <= voxels.len() && from < to && to <= planes, "{bytes}, {from}..{to}");
    }

    /// The range of the counted voxels.
    pub(crate) fn counted(&self) -> std::ops::Range<usize> {
        self.from * self.plane()..self.to * self.plane()
    }
}

/// The order of keys, and the ownership of cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyOrder {
    /// Whether voxels are vertices (the V-construction), so that a cell is owned by its greatest voxel.
    pub(crate) is_vertex: bool,
    /// Whether keys are reversed, for superlevel sets.
    pub(crate) superlevel: bool,
}

impl KeyOrder {
    /// The mask that converts bits to keys.
    pub(crate) fn mask(self, voxels: VoxelType) -> u64 {
        let all = u64::MAX >> (u64::BITS - voxels.bits());
        // The keys of signed integers differ from their bits in the sign.
        let sign = if voxels.coding() == Coding::Signed { 1 << (voxels.bits() - 1) } else { 0 };
        if self.superlevel { sign ^ all } else { sign }
    }

    /// The mask that converts bits to keys of which the least owns a cell.
    pub(crate) fn owning(self, voxels: VoxelType) -> u64 {
        KeyOrder { superlevel: self.superlevel != self.is_vertex, ..self }.mask(voxels)
    }
}

/// The counters of each level, on the device.
pub(crate) struct Totals {
    /// The change of the Euler characteristic at each level, as two's complement.
    pub(crate) totals: Buffer<u64>,
    /// Whether cells were counted at each level; marches of more levels than have counters do not set this.
    pub(crate) touched: Buffer<u8>,
}

impl Totals {
    /// Creates the totals of a curve of `rows` rows, all zero.
    pub(crate) fn new(gpu: &Gpu, rows: usize) -> Result<Self, CudaError> {
        Ok(Totals { totals: gpu.zeros(rows + 2)?, touched: gpu.zeros(rows + 2)? })
    }

    /// Reads the change of each row, and whether a cell is known to have its level.
    pub(crate) fn fetch(&self, gpu: &Gpu, order: KeyOrder) -> Result<Vec<(i64, bool)>, CudaError> {
        let levels = self.totals.len();
        let totals = gpu.read(&self.totals, 0..levels)?;
        let touched = gpu.read(&self.touched, 0..levels)?;
        // The first and the last level belong to the outside of the image.
        let rows = (1..levels - 1).map(|level| (totals[level].cast_signed(), touched[level] != 0));
        Ok(if order.is_vertex { rows.rev().collect() } else { rows.collect() })
    }

    /// Number of levels: the number of rows plus two.
    pub(crate) fn levels(&self) -> usize {
        self.totals.len()
    }

    /// The change of each row, from totals on the host.
    pub(crate) fn changes(handed: &[u64], order: KeyOrder) -> Vec<i64> {
        let rows = handed[1..handed.len() - 1].iter().map(|total| total.cast_signed());
        if order.is_vertex { rows.rev().collect() } else { rows.collect() }
    }
}

/// Where cells are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In shared memory, with four counters for each level.
    Shared,
    /// In shared memory, with two bytes for each level.
    Packed,
    /// In the totals.
    Wide,
}

/// The kernels of `ecc.cu` for a type of voxels.
pub(crate) struct EccKernels {
    /// The type of the voxels.
    pub(crate) voxels: VoxelType,
    /// The marches, each for volumes and for flat images.
    march: [[Kernel; 2]; 3],
    hand_over: Kernel,
    multiprocessors: u64,
    shared: u32,
}

impl EccKernels {
    /// Loads the kernels.
    ///
    /// # Panics
    /// Voxels have more than 32 bits or are floating-point numbers.
    pub(crate) fn load(gpu: &Gpu, voxels: VoxelType) -> Result<Self, CudaError> {
        let module = gpu.module(march_ptx(voxels))?;
        let kernels = EccKernels {
            voxels,
            march: [
                [module.kernel(c"ecc_march")?, module.kernel(c"ecc_march_flat")?],
                [module.kernel(c"ecc_march_packed")?, module.kernel(c"ecc_march_packed_flat")?],
                [module.kernel(c"ecc_march_wide")?, module.kernel(c"ecc_march_wide_flat")?],
            ],
            hand_over: module.kernel(c"ecc_hand_over")?,
            multiprocessors: gpu.multiprocessors()?.into(),
            shared: gpu.shared_memory()?,
        };
        kernels.march[..2].as_flattened().iter().try_for_each(|march| march.allow_shared(kernels.shared))?;
        Ok(kernels)
    }

    /// Adds the cells that enter in a part to the totals, whose rows are the keys from `low` on in filtration order.
    ///
    /// A key past the last row means that the voxel never enters; all such voxels must have the same key.
    ///
    /// # Panics
    /// The part is not in its buffer, or is one plane of several rows.
    pub(crate) fn march(
        &self,
        part: &Part<'_>,
        order: KeyOrder,
        low: u32,
        totals: &mut Totals,
    ) -> Result<(), CudaError> {
        part.check(self.voxels);
        assert!(part.planes > 1 || part.rows == 1, "planes and rows of a flat image change places");
        let rows = totals.totals.len() - 2;
        assert_eq!(totals.touched.len(), rows + 2);
        let is_flat = part.rows == 1;
        let (way, shared) = self.way(rows + 2, part.counted().len());
        let kernel = &self.march[way as usize][usize::from(is_flat)];
        let threads = THREADS[usize::from(shared >= MANY)];
        // Sizes are below 2^63.
        let sizes = [part.planes, part.rows, part.columns, part.from, part.to].map(|size| size as u64);
        let before = u64::from(!order.is_vertex);
        let tiles =
            (sizes[2] + before).div_ceil(COLUMNS.into()) * if is_flat { 1 } else { sizes[1] + before };
        let layer = tiles.div_ceil(threads.into());
        let counted = sizes[4] - sizes[3];
        let spread = if way == Way::Packed { u64::from(BLOCK) } else { SPREAD };
        let layers = (self.multiprocessors * spread).div_ceil(layer * u64::from(threads));
        let least = if is_flat { LEAST_OF_FLAT } else { *SHARES.start() };
        let share = counted.div_ceil(layers).clamp(least, *SHARES.end());
        let blocks = layer * counted.div_ceil(share);
        let blocks = u32::try_from(blocks).expect("more than any device has memory for");
        let (mask, is_vertex, row_count) = (order.mask(self.voxels), u32::from(order.is_vertex), rows as u32);
        let launch = kernel.launch(blocks, threads, shared).input(part.voxels);
        let launch = launch.values(&sizes);
        let launch = launch.value(&share).low_bits(&mask).value(&is_vertex).value(&low).value(&row_count);
        let mut launch = launch.output(&mut totals.totals);
        if way == Way::Shared {
            launch = launch.output(&mut totals.touched);
        }
        // SAFETY: voxels are read inside the part, in words for which its buffer has room; keys are rows by the
        // caller's promise.
        unsafe { launch.go() }
    }

    /// The march for so many levels and voxels, and the bytes of shared memory that it takes.
    fn way(&self, levels: usize, voxels: usize) -> (Way, u32) {
        let fits = |bytes: usize| u32::try_from(bytes).ok().filter(|&bytes| bytes <= self.shared);
        // Each block adds all its counters to the totals.
        let are_many = voxels as u64 >= LEAST_OF_PACKED * self.multiprocessors * levels as u64;
        match (fits(16 * levels), fits(4 * levels.div_ceil(2)).filter(|_| are_many)) {
            (Some(bytes), _) => (Way::Shared, bytes),
            (None, Some(bytes)) => (Way::Packed, bytes),
            (None, None) => (Way::Wide, 0),
        }
    }

    /// Begins to move the totals to the host; on the device they become zero.
    ///
    /// # Panics
    /// There is not enough room for all of them.
    pub(crate) fn hand_over(&self, totals: &mut Totals, to: &mut Pinned<u64>) -> Result<(), CudaError> {
        let levels = totals.levels();
        assert!(levels <= to.len(), "{levels} totals for {}", to.len());
        let blocks = blocks_of(levels, THREADS[0]);
        let levels = levels as u64;
        let launch = self.hand_over.launch(blocks, THREADS[0], 0).output(&mut totals.totals).value(&levels);
        // SAFETY: each thread reads and writes its total, for which there is room on the host.
        unsafe { launch.host_output(to).go() }?;
        to.begun()
    }
}
