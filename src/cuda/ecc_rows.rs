//! The kernels of `kernels/ecc_rows.cu`.
#![allow(unsafe_code)]

use super::constants::ecc_rows::TILE;
use super::ecc::{KeyOrder, MOST_ROWS, Part};
use super::sort::SortKernels;
use super::{Buffer, CudaError, Gpu, Kernel, Ptx, blocks_of, ptx};
use crate::cubical::order::VoxelOrder;
use crate::cubical::{Coding, VoxelType};

/// Number of threads in a block of any of these kernels.
const THREADS: u32 = TILE;
/// Number of blocks per multiprocessor for kernels whose threads process many voxels each.
const BLOCKS: u32 = 2;
/// Bytes of shared memory that a block can use on every device.
const SHARED: u32 = 48 << 10;
/// Number of bits in a word of flags.
const WORD: usize = u32::BITS as usize;

/// The PTX of the kernels for a type of voxels.
fn rows_ptx(voxels: VoxelType) -> Ptx {
    match voxels {
        VoxelType::U8 | VoxelType::I8 => ptx!("ecc_rows_u8"),
        VoxelType::U16 | VoxelType::I16 => ptx!("ecc_rows_u16"),
        VoxelType::U32 | VoxelType::I32 => ptx!("ecc_rows_u32"),
        VoxelType::U64 | VoxelType::I64 => ptx!("ecc_rows_u64"),
        VoxelType::F32 => ptx!("ecc_rows_f32"),
        VoxelType::F64 => ptx!("ecc_rows_f64"),
    }
}

/// Finds the keys of 8 or 16 bits that occur in an image.
pub(crate) struct PresentKernel {
    voxels: VoxelType,
    present: Kernel,
    multiprocessors: u32,
}

impl PresentKernel {
    pub(crate) fn load(gpu: &Gpu, voxels: VoxelType) -> Result<Self, CudaError> {
        let present = gpu.module(rows_ptx(voxels))?.kernel(c"ecc_present")?;
        Ok(PresentKernel { voxels, present, multiprocessors: gpu.multiprocessors()? })
    }

    /// Allocates flags for all keys, none of them set.
    pub(crate) fn flags(&self, gpu: &Gpu) -> Result<Buffer<u32>, CudaError> {
        gpu.zeros((1 << self.voxels.bits()) / WORD)
    }

    /// Sets the flags of the keys that are counted in a part.
    ///
    /// # Panics
    /// The part is not in its buffer; or the number of flags is wrong.
    pub(crate) fn mark(
        &self,
        part: &Part<'_>,
        order: KeyOrder,
        flags: &mut Buffer<u32>,
    ) -> Result<(), CudaError> {
        part.check(self.voxels);
        assert_eq!(flags.len() * WORD, 1 << self.voxels.bits());
        let counted = part.counted();
        let [from, to] = [counted.start, counted.end].map(|place| place as u64);
        let mask = order.mask(self.voxels);
        let launch = self.present.launch(self.multiprocessors * BLOCKS, THREADS, 0).input(part.voxels);
        let launch = launch.value(&from).value(&to).low_bits(&mask);
        // SAFETY: voxels are read between the two places, which are in the buffer; there is a flag for each key.
        unsafe { launch.output(flags).go() }
    }

    /// Reads the flags of all keys.
    pub(crate) fn fetch(gpu: &Gpu, flags: &Buffer<u32>) -> Result<Vec<bool>, CudaError> {
        let words = gpu.read(flags, 0..flags.len())?;
        Ok((0..words.len() * WORD).map(|key| words[key / WORD] >> (key % WORD) & 1 == 1).collect())
    }
}

/// The upper ends of bins, on the device.
pub(crate) struct Ends {
    /// The bytes of the keys.
    ends: Buffer<u8>,
    count: u32,
    /// Number of bins before the first of these ends, which are empty.
    empty: u32,
    start: u64,
    scale: f64,
}

impl Ends {
    /// Uploads the ends of bins as keys that ascend in filtration order; `None` precedes all keys.
    pub(crate) fn new(
        gpu: &Gpu,
        voxels: VoxelType,
        keys: &[Option<u64>],
        order: KeyOrder,
    ) -> Result<Self, CudaError> {
        if keys.len() > MOST_ROWS {
            return Err(CudaError::Unfit { what: "bins", limit: MOST_ROWS, found: keys.len() });
        }
        let empty = keys.partition_point(Option::is_none);
        let ends: Vec<u64> = keys[empty..].iter().flatten().copied().collect();
        let order = VoxelOrder::new(voxels, order.superlevel);
        let (mut start, mut scale) = (0, 0.0);
        if let [first, .., last] = ends[..] {
            let (width, bits) = if voxels.coding() == Coding::Float {
                (order.value(last).double() - order.value(first).double(), order.bits_of(first))
            } else {
                ((last - first) as f64, first)
            };
            let found = (ends.len() - 1) as f64 / width;
            // The scale only determines where the search for a bin begins, so any number is correct.
            (start, scale) = (bits, if found.is_finite() { found } else { 0.0 });
        }
        let bytes: Vec<u8> =
            ends.iter().flat_map(|end| end.to_le_bytes().into_iter().take(voxels.bytes())).collect();
        let (count, ends) = (ends.len() as u32, gpu.upload(&bytes)?);
        Ok(Ends { ends, count, empty: empty as u32, start, scale })
    }
}

/// The keys of `size` bytes each that a kernel wrote.
fn keys_of(bytes: &[u8], size: usize) -> Vec<u64> {
    match size {
        4 => bytes.as_chunks().0.iter().map(|&key| u32::from_le_bytes(key).into()).collect(),
        _ => bytes.as_chunks().0.iter().map(|&key| u64::from_le_bytes(key)).collect(),
    }
}

/// Finds the distinct keys of 32 or 64 bits in an image, and the change at each.
pub(crate) struct RowKernels {
    voxels: VoxelType,
    range: Kernel,
    bins: [Kernel; 2],
    owned: Kernel,
    heads: Kernel,
    offsets: Kernel,
    rows: Kernel,
    sort: SortKernels,
    multiprocessors: u32,
}

/// Number of 64-bit words of a pair (key, change).
fn limbs(voxels: VoxelType) -> usize {
    voxels.bits() as usize / 32
}

impl RowKernels {
    pub(crate) fn load(gpu: &Gpu, voxels: VoxelType) -> Result<Self, CudaError> {
        let module = gpu.module(rows_ptx(voxels))?;
        Ok(RowKernels {
            voxels,
            range: module.kernel(c"ecc_range")?,
            bins: [module.kernel(c"ecc_bins_16")?, module.kernel(c"ecc_bins_32")?],
            owned: module.kernel(c"ecc_owned")?,
            heads: module.kernel(c"ecc_heads")?,
            offsets: module.kernel(c"ecc_offsets")?,
            rows: module.kernel(c"ecc_rows")?,
            sort: SortKernels::load(gpu, limbs(voxels))?,
            multiprocessors: gpu.multiprocessors()?,
        })
    }

    /// Bytes of device memory per voxel for [`RowKernels::rows`]: pairs, twice during sorting or with rows; and
    /// totals.
    pub(crate) fn bytes(&self) -> usize {
        16 * limbs(self.voxels) + self.voxels.bytes() + 8 + 1
    }

    /// The least and the greatest key that are counted in a part.
    ///
    /// # Panics
    /// The part is not in its buffer.
    pub(crate) fn range(&self, gpu: &Gpu, part: &Part<'_>, order: KeyOrder) -> Result<[u64; 2], CudaError> {
        part.check(self.voxels);
        let mut range = gpu.upload(&[u64::MAX, 0])?;
        let counted = part.counted();
        let [from, to] = [counted.start, counted.end].map(|place| place as u64);
        let mask = order.mask(self.voxels);
        let launch = self.range.launch(self.multiprocessors * BLOCKS, THREADS, 0).input(part.voxels);
        // SAFETY: voxels are read between the two places, which are in the buffer; the range is two numbers.
        unsafe { launch.value(&from).value(&to).low_bits(&mask).output(&mut range).go() }?;
        let range = gpu.read(&range, 0..2)?;
        Ok([range[0], range[1]])
    }

    /// Writes the bin of each voxel of a range of a buffer as a number of type `number`, `u16` or `u32`. A voxel past
    /// the last bin gets the number of bins.
    ///
    /// # Panics
    /// The voxels are not in the buffer, `rows` is too short, or the numbers are too narrow.
    pub(crate) fn bins(
        &self,
        voxels: &Buffer<u8>,
        range: std::ops::Range<usize>,
        order: KeyOrder,
        ends: &Ends,
        (rows, number): (&mut Buffer<u8>, VoxelType),
    ) -> Result<(), CudaError> {
        let count = ends.count;
        let (size, is_wide) = (self.voxels.bytes(), number == VoxelType::U32);
        assert!(is_wide || number == VoxelType::U16, "{number}");
        let is_room = range.end * size <= voxels.len() && range.len() * number.bytes() <= rows.len();
        assert!(is_room, "{range:?}");
        assert!(u64::from(ends.empty + count) < 1 << number.bits(), "{count} bins");
        let [from, n] = [range.start, range.len()].map(|place| place as u64);
        let shared = u32::try_from(ends.ends.len()).ok().filter(|&bytes| bytes <= SHARED);
        let (mask, is_shared) = (order.mask(self.voxels), u32::from(shared.is_some()));
        let blocks =
            u32::try_from(n.div_ceil(THREADS.into())).unwrap_or(u32::MAX).min(self.multiprocessors * BLOCKS);
        let kernel = &self.bins[usize::from(is_wide)];
        let launch = kernel.launch(blocks, THREADS, shared.unwrap_or(0)).input(voxels);
        let launch = launch.value(&from).value(&n).low_bits(&mask).input(&ends.ends).value(&count);
        let launch = launch.low_bits(&ends.start).value(&ends.scale).value(&ends.empty).value(&is_shared);
        // SAFETY: the range of voxels is in the buffer, and as many rows are written, for which there is room.
        unsafe { launch.output(rows).go() }
    }

    /// The distinct keys of some voxels that are counted in a part, ascending, with the change that these voxels
    /// cause at each.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`]: there is no memory for that many voxels. Otherwise the driver failed.
    ///
    /// # Panics
    /// The part is not in its buffer, or the voxels are not counted in it.
    pub(crate) fn rows(
        &self,
        gpu: &Gpu,
        part: &Part<'_>,
        voxels: std::ops::Range<usize>,
        order: KeyOrder,
    ) -> Result<(Vec<u64>, Vec<i64>), CudaError> {
        part.check(self.voxels);
        let counted = part.counted();
        assert!(counted.start <= voxels.start && voxels.end <= counted.end, "{voxels:?} of {counted:?}");
        let count = voxels.len();
        let tiles = blocks_of(count, THREADS);
        let mut pairs = gpu.zeros::<u64>(count * limbs(self.voxels))?;
        let sizes = [part.planes, part.rows, part.columns, voxels.start, count].map(|size| size as u64);
        let (mask, is_vertex) = (order.owning(self.voxels), u32::from(order.is_vertex));
        let launch = self.owned.launch(tiles, THREADS, 0).input(part.voxels);
        let launch = launch.values(&sizes);
        // SAFETY: voxels are read inside the part's planes; one pair per voxel is written.
        unsafe { launch.low_bits(&mask).value(&is_vertex).output(&mut pairs).go() }?;
        let n = count as u64;
        self.sort.sort(gpu, &mut pairs, n, self.voxels.bits())?;
        let mut totals = gpu.zeros::<u64>(tiles as usize + 1)?;
        let launch = self.heads.launch(tiles, THREADS, 0).input(&pairs).value(&n);
        // SAFETY: each block writes its total.
        unsafe { launch.output(&mut totals).go() }?;
        let tile_count = u64::from(tiles);
        // SAFETY: there is one more total than tiles.
        unsafe { self.offsets.launch(1, THREADS, 0).output(&mut totals).value(&tile_count).go() }?;
        // There are at most as many distinct keys as voxels.
        let distinct = gpu.read(&totals, tiles as usize..tiles as usize + 1)?[0] as usize;
        let size = self.voxels.bytes();
        let (mut keys, mut changes) = (gpu.zeros::<u8>(distinct * size)?, gpu.zeros::<u64>(distinct)?);
        let launch = self.rows.launch(tiles, THREADS, 0).input(&pairs).value(&n).input(&totals);
        // SAFETY: there are `distinct` heads, each with a row.
        unsafe { launch.output(&mut keys).output(&mut changes).go() }?;
        let mut keys = keys_of(&gpu.read(&keys, 0..distinct * size)?, size);
        let mut changes = gpu.read(&changes, 0..distinct)?;
        // The pairs are sorted in descending order. For vertices, the keys whose least owns a cell are reversed.
        if order.is_vertex {
            let all = u64::MAX >> (u64::BITS - self.voxels.bits());
            keys.iter_mut().for_each(|key| *key ^= all);
        } else {
            keys.reverse();
            changes.reverse();
        }
        Ok((keys, changes.into_iter().map(u64::cast_signed).collect()))
    }
}
