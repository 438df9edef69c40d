//! The kernels of `kernels/ecc_rows.cu`.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::constants::ecc_rows::TILE;
use super::ecc::{KernelVoxel, KeyOrder, MOST_ROWS, Part};
use super::sort::SortKernels;
use super::{Buffer, CudaError, Gpu, Kernel, Unsigned, blocks_of};
use crate::cubical::{Coding, Key};

/// Number of threads in a block of any of these kernels.
const THREADS: u32 = TILE;
/// Number of blocks per multiprocessor for kernels whose threads process many voxels each.
const BLOCKS: u32 = 2;
/// Bytes of shared memory that a block can use on every device.
const SHARED: u32 = 48 << 10;
/// Number of bits in a word of flags.
const WORD: usize = u32::BITS as usize;

/// Finds the keys of 8 or 16 bits that occur in an image.
pub(crate) struct PresentKernel<T> {
    present: Kernel,
    multiprocessors: u32,
    voxel: PhantomData<T>,
}

impl<T: KernelVoxel> PresentKernel<T> {
    pub(crate) fn load(gpu: &Gpu) -> Result<Self, CudaError> {
        let present = gpu.module(T::ROWS)?.kernel(c"ecc_present")?;
        Ok(PresentKernel { present, multiprocessors: gpu.multiprocessors()?, voxel: PhantomData })
    }

    /// Allocates flags for all keys, none of them set.
    pub(crate) fn flags(gpu: &Gpu) -> Result<Buffer<u32>, CudaError> {
        gpu.zeros((1 << T::Key::BITS) / WORD)
    }

    /// Sets the flags of the keys that are counted in a part.
    ///
    /// # Panics
    /// The part is not in its buffer; or the number of flags is wrong.
    pub(crate) fn mark(
        &self,
        part: &Part<'_, T>,
        order: KeyOrder,
        flags: &mut Buffer<u32>,
    ) -> Result<(), CudaError> {
        part.check();
        assert_eq!(flags.len() * WORD, 1 << T::Key::BITS);
        let counted = part.counted();
        let [from, to] = [counted.start, counted.end].map(|place| place as u64);
        let mask = order.mask::<T>();
        let launch = self.present.launch(self.multiprocessors * BLOCKS, THREADS, 0).input(part.voxels);
        let launch = launch.value(&from).value(&to).value(&mask);
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
pub(crate) struct Ends<T: KernelVoxel> {
    ends: Buffer<T::Key>,
    /// Number of bins before the first of these ends, which are empty.
    empty: u32,
    start: T::Key,
    scale: f64,
}

impl<T: KernelVoxel> Ends<T> {
    /// Uploads the ends of bins as keys that ascend in filtration order; `None` precedes all keys.
    pub(crate) fn new(gpu: &Gpu, keys: &[Option<T::Key>], order: KeyOrder) -> Result<Self, CudaError> {
        if keys.len() > MOST_ROWS {
            return Err(CudaError::Unfit { what: "bins", limit: MOST_ROWS, found: keys.len() });
        }
        let empty = keys.partition_point(Option::is_none);
        let ends: Vec<T::Key> = keys[empty..].iter().map(|key| key.unwrap_or(T::Key::MAX)).collect();
        let voxel = |key: T::Key| T::of_ordered(key, order.superlevel);
        let (mut start, mut scale) = (T::Key::default(), 0.0);
        if let [first, .., last] = ends[..] {
            let (width, bits) = if T::CODING == Coding::Float {
                (voxel(last).value() - voxel(first).value(), T::bits(&[voxel(first)])[0])
            } else {
                ((last.to_u64() - first.to_u64()) as f64, first)
            };
            let found = (ends.len() - 1) as f64 / width;
            // The scale only determines where the search for a bin begins, so any number is correct.
            (start, scale) = (bits, if found.is_finite() { found } else { 0.0 });
        }
        Ok(Ends { ends: gpu.upload(&ends)?, empty: empty as u32, start, scale })
    }
}

/// A type of row numbers that the kernels write.
pub(crate) trait RowNumber: KernelVoxel + Unsigned {
    /// The index of its kernel in [`RowKernels`].
    const KERNEL: usize;
}

impl RowNumber for u16 {
    const KERNEL: usize = 0;
}

impl RowNumber for u32 {
    const KERNEL: usize = 1;
}

/// Finds the distinct keys of 32 or 64 bits in an image, and the change at each.
pub(crate) struct RowKernels<T> {
    range: Kernel,
    bins: [Kernel; 2],
    owned: Kernel,
    heads: Kernel,
    offsets: Kernel,
    rows: Kernel,
    sort: SortKernels,
    multiprocessors: u32,
    voxel: PhantomData<T>,
}

impl<T: KernelVoxel> RowKernels<T> {
    /// Number of 64-bit words of a pair (key, change).
    pub(crate) const LIMBS: usize = T::Key::BITS as usize / 32;

    /// Bytes of device memory per voxel for [`RowKernels::rows`]: pairs, twice during sorting or with rows; and
    /// totals.
    pub(crate) const BYTES: usize = 16 * Self::LIMBS + size_of::<T>() + 8 + 1;

    pub(crate) fn load(gpu: &Gpu) -> Result<Self, CudaError> {
        let module = gpu.module(T::ROWS)?;
        Ok(RowKernels {
            range: module.kernel(c"ecc_range")?,
            bins: [module.kernel(c"ecc_bins_16")?, module.kernel(c"ecc_bins_32")?],
            owned: module.kernel(c"ecc_owned")?,
            heads: module.kernel(c"ecc_heads")?,
            offsets: module.kernel(c"ecc_offsets")?,
            rows: module.kernel(c"ecc_rows")?,
            sort: SortKernels::load(gpu, Self::LIMBS)?,
            multiprocessors: gpu.multiprocessors()?,
            voxel: PhantomData,
        })
    }

    /// The least and the greatest key that are counted in a part.
    ///
    /// # Panics
    /// The part is not in its buffer.
    pub(crate) fn range(
        &self,
        gpu: &Gpu,
        part: &Part<'_, T>,
        order: KeyOrder,
    ) -> Result<(T::Key, T::Key), CudaError> {
        part.check();
        let mut range = gpu.upload(&[u64::MAX, 0])?;
        let counted = part.counted();
        let [from, to] = [counted.start, counted.end].map(|place| place as u64);
        let mask = order.mask::<T>();
        let launch = self.range.launch(self.multiprocessors * BLOCKS, THREADS, 0).input(part.voxels);
        // SAFETY: voxels are read between the two places, which are in the buffer; the range is two numbers.
        unsafe { launch.value(&from).value(&to).value(&mask).output(&mut range).go() }?;
        let range = gpu.read(&range, 0..2)?;
        Ok((T::Key::from_u64(range[0]), T::Key::from_u64(range[1])))
    }

    /// Writes the bin of each voxel of a range of a buffer. A voxel past the last bin gets the number of bins.
    ///
    /// # Panics
    /// The voxels are not in the buffer, `rows` is too short, or the row numbers are too narrow.
    pub(crate) fn bins<R: RowNumber>(
        &self,
        voxels: &Buffer<T>,
        range: std::ops::Range<usize>,
        order: KeyOrder,
        ends: &Ends<T>,
        rows: &mut Buffer<R>,
    ) -> Result<(), CudaError> {
        let count = ends.ends.len() as u32;
        assert!(range.end <= voxels.len() && range.len() <= rows.len(), "{range:?}");
        assert!(u64::from(ends.empty + count) < 1 << (8 * size_of::<R>()), "{count} bins");
        let [from, n] = [range.start, range.len()].map(|place| place as u64);
        let shared =
            u32::try_from(ends.ends.len() * size_of::<T::Key>()).ok().filter(|&bytes| bytes <= SHARED);
        let (mask, is_shared) = (order.mask::<T>(), u32::from(shared.is_some()));
        let blocks =
            u32::try_from(n.div_ceil(THREADS.into())).unwrap_or(u32::MAX).min(self.multiprocessors * BLOCKS);
        let launch = self.bins[R::KERNEL].launch(blocks, THREADS, shared.unwrap_or(0)).input(voxels);
        let launch = launch.value(&from).value(&n).value(&mask).input(&ends.ends).value(&count);
        let launch = launch.value(&ends.start).value(&ends.scale).value(&ends.empty).value(&is_shared);
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
        part: &Part<'_, T>,
        voxels: std::ops::Range<usize>,
        order: KeyOrder,
    ) -> Result<(Vec<T::Key>, Vec<i64>), CudaError> {
        part.check();
        let counted = part.counted();
        assert!(counted.start <= voxels.start && voxels.end <= counted.end, "{voxels:?} of {counted:?}");
        let count = voxels.len();
        let tiles = blocks_of(count, THREADS);
        let mut pairs = gpu.zeros::<u64>(count * Self::LIMBS)?;
        let sizes = [part.planes, part.rows, part.columns, voxels.start, count].map(|size| size as u64);
        let (mask, is_vertex) = (order.owning::<T>(), u32::from(order.is_vertex));
        let launch = self.owned.launch(tiles, THREADS, 0).input(part.voxels);
        let launch = launch.values(&sizes);
        // SAFETY: voxels are read inside the part's planes; one pair per voxel is written.
        unsafe { launch.value(&mask).value(&is_vertex).output(&mut pairs).go() }?;
        let n = count as u64;
        self.sort.sort(gpu, &mut pairs, n, T::Key::BITS)?;
        let mut totals = gpu.zeros::<u64>(tiles as usize + 1)?;
        let launch = self.heads.launch(tiles, THREADS, 0).input(&pairs).value(&n);
        // SAFETY: each block writes its total.
        unsafe { launch.output(&mut totals).go() }?;
        let tile_count = u64::from(tiles);
        // SAFETY: there is one more total than tiles.
        unsafe { self.offsets.launch(1, THREADS, 0).output(&mut totals).value(&tile_count).go() }?;
        // There are at most as many distinct keys as voxels.
        let distinct = gpu.read(&totals, tiles as usize..tiles as usize + 1)?[0] as usize;
        let (mut keys, mut changes) = (gpu.zeros::<T::Key>(distinct)?, gpu.zeros::<u64>(distinct)?);
        let launch = self.rows.launch(tiles, THREADS, 0).input(&pairs).value(&n).input(&totals);
        // SAFETY: there are `distinct` heads, each with a row.
        unsafe { launch.output(&mut keys).output(&mut changes).go() }?;
        let (mut keys, mut changes) = (gpu.read(&keys, 0..distinct)?, gpu.read(&changes, 0..distinct)?);
        // The pairs are sorted in descending order. For vertices, the keys whose least owns a cell are reversed.
        if order.is_vertex {
            keys.iter_mut().for_each(|key| *key = key.reversed());
        } else {
            keys.reverse();
            changes.reverse();
        }
        Ok((keys, changes.into_iter().map(u64::cast_signed).collect()))
    }
}
