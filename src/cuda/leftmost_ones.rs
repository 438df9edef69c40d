//! The kernels of `kernels/leftmost_ones.cu`.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use zerocopy::FromBytes;

use super::constants::leftmost_ones::{ROUNDS, TILE};
use super::{Buffer, CudaError, Gpu, Kernel, Plain, Ptx, blocks_of, ptx};

/// Number of threads in a block.
const THREADS: u32 = 256;
/// Number of entries that a block processes in `set_leftmost`.
const ENTRIES: u32 = THREADS * ROUNDS;
/// Number of threads of the single block that computes the offsets.
const OFFSET_THREADS: u32 = 1024;

/// An index type with compiled kernels. Launches rely on its implementations, and no other crate can name the trait.
pub trait KernelIndex: Plain + FromBytes {
    /// The PTX of the kernels.
    #[doc(hidden)]
    const LEFTMOST_ONES: Ptx;
}

impl KernelIndex for u32 {
    const LEFTMOST_ONES: Ptx = ptx!("leftmost_ones_u32");
}

impl KernelIndex for u64 {
    const LEFTMOST_ONES: Ptx = ptx!("leftmost_ones_u64");
}

/// The tables of the scan: two numbers per cell.
#[derive(Debug)]
pub(crate) struct Tables<I> {
    /// The least column of each row, which has its leftmost one; all bits are set for a zero row.
    pub(crate) leftmost: Buffer<I>,
    /// The greatest row of each column plus one; zero for a zero column.
    pub(crate) lows: Buffer<I>,
}

/// Consecutive entries of a matrix, at the start of a buffer of rows and a buffer of column starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Number of entries.
    pub(crate) entries: usize,
    /// Number of columns; all but the first and the last are whole. The first starts at the first entry or before.
    pub(crate) columns: usize,
    /// Number of the first entry in the matrix.
    pub(crate) first_entry: usize,
    /// Number of the first column in the matrix.
    pub(crate) first_column: usize,
}

/// The unstable columns as bits, in tiles.
pub(crate) struct Flags {
    bits: Buffer<u32>,
    /// Number of flags before each tile, and then the number of all flags.
    totals: Buffer<u64>,
    /// Numbers of stable and of cleared columns.
    counts: Buffer<u64>,
}

/// The kernels of `leftmost_ones.cu` for rows and columns of type `I`.
pub(crate) struct LeftmostKernels<I> {
    leftmost: Kernel,
    lookup: Kernel,
    unstable_flags: Kernel,
    unstable_offsets: Kernel,
    unstable: Kernel,
    index: PhantomData<I>,
}

impl<I: KernelIndex> LeftmostKernels<I> {
    pub(crate) fn load(gpu: &Gpu) -> Result<Self, CudaError> {
        let module = gpu.module(I::LEFTMOST_ONES)?;
        Ok(LeftmostKernels {
            leftmost: module.kernel(c"set_leftmost")?,
            lookup: module.kernel(c"set_lookup")?,
            unstable_flags: module.kernel(c"set_unstable_flags")?,
            unstable_offsets: module.kernel(c"set_unstable_offsets")?,
            unstable: module.kernel(c"set_unstable")?,
            index: PhantomData,
        })
    }

    /// Resets the tables to those of a zero matrix.
    pub(crate) fn clear(&self, gpu: &Gpu, tables: &mut Tables<I>) -> Result<(), CudaError> {
        gpu.fill(&mut tables.leftmost, 0xff)?;
        gpu.clear(&mut tables.lows)
    }

    /// Adds a piece of a matrix to the tables.
    ///
    /// The column starts must ascend; otherwise columns are confused.
    ///
    /// # Panics
    /// The piece is not inside its buffers, or its columns exceed the tables.
    pub(crate) fn set_leftmost(
        &self,
        rows: &Buffer<I>,
        starts: &Buffer<I>,
        piece: &Piece,
        tables: &mut Tables<I>,
    ) -> Result<(), CudaError> {
        let &Piece { entries, columns, first_entry, first_column } = piece;
        assert!(entries <= rows.len() && columns <= starts.len(), "{piece:?}");
        assert!(columns > 0 && first_column + columns <= tables.lows.len(), "{piece:?}");
        assert_eq!(tables.leftmost.len(), tables.lows.len());
        let n = tables.lows.len();
        // The first two are the offsets of the piece in its buffers.
        let numbers = [0, 0, entries, columns, first_entry, first_column, n].map(|n| n as u64);
        let launch = self.leftmost.launch(blocks_of(entries, ENTRIES), THREADS, 0).input(rows).input(starts);
        let launch = launch.values(&numbers);
        // SAFETY: entries and starts are in their buffers and columns in the tables, as checked; rows that exceed the
        // tables are ignored.
        unsafe { launch.output(&mut tables.leftmost).output(&mut tables.lows).go() }
    }

    /// Writes for each row the column plus one in which it is both the low and the leftmost one, or zero; and for
    /// each column, whether it holds a leftmost one.
    ///
    /// # Panics
    /// The buffers do not have the length of the tables.
    pub(crate) fn set_lookup(
        &self,
        gpu: &Gpu,
        tables: &Tables<I>,
        lookup: &mut Buffer<I>,
        destroyers: &mut Buffer<u8>,
    ) -> Result<(), CudaError> {
        let n = tables.lows.len();
        assert_eq!([tables.leftmost.len(), lookup.len(), destroyers.len()], [n; 3]);
        gpu.clear(destroyers)?;
        let count = n as u64;
        let launch = self.lookup.launch(blocks_of(n, THREADS), THREADS, 0);
        let launch = launch.input(&tables.leftmost).input(&tables.lows).value(&count);
        // SAFETY: each thread reads and writes its row; the columns in the tables are below their length.
        unsafe { launch.output(lookup).output(destroyers).go() }
    }

    /// Finds the unstable columns, and the numbers of stable, cleared and unstable ones.
    pub(crate) fn find_unstable(
        &self,
        gpu: &Gpu,
        tables: &Tables<I>,
    ) -> Result<(Flags, [usize; 3]), CudaError> {
        let n = tables.lows.len();
        let tiles = blocks_of(n, TILE);
        let words = tiles as usize * (TILE / u32::BITS) as usize;
        let mut flags =
            Flags { bits: gpu.zeros(words)?, totals: gpu.zeros(tiles as usize + 1)?, counts: gpu.zeros(2)? };
        let (count, tile_count) = (n as u64, u64::from(tiles));
        let launch = self.unstable_flags.launch(tiles, THREADS, 0);
        let launch = launch.input(&tables.leftmost).input(&tables.lows).value(&count);
        let launch = launch.output(&mut flags.bits).output(&mut flags.totals).output(&mut flags.counts);
        // SAFETY: lows are rows plus one, and leftmost ones are columns, below the tables' length; each block writes
        // the words and the total of its tile, and adds to the two counts.
        unsafe { launch.go() }?;
        let launch = self.unstable_offsets.launch(1, OFFSET_THREADS, 0).output(&mut flags.totals);
        // SAFETY: there is one more total than tiles.
        unsafe { launch.value(&tile_count).go() }?;
        let counts = gpu.read(&flags.counts, 0..2)?;
        let unstable = gpu.read(&flags.totals, tiles as usize..tiles as usize + 1)?[0];
        // Column numbers fit into `usize`.
        Ok((flags, [counts[0] as usize, counts[1] as usize, unstable as usize]))
    }

    /// Lists the unstable columns, ascending.
    ///
    /// # Panics
    /// The length of the buffer is not the number of unstable columns.
    pub(crate) fn set_unstable(
        &self,
        gpu: &Gpu,
        flags: &Flags,
        unstable: &mut Buffer<I>,
    ) -> Result<(), CudaError> {
        let tiles = flags.totals.len() - 1;
        let found = gpu.read(&flags.totals, tiles..tiles + 1)?[0];
        assert_eq!(unstable.len() as u64, found);
        let launch = self.unstable.launch(blocks_of(tiles, 1), THREADS, 0);
        let launch = launch.input(&flags.bits).input(&flags.totals);
        // SAFETY: the totals are indices in the list, one per flag.
        unsafe { launch.output(unstable).go() }
    }
}
