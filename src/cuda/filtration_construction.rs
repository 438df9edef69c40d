//! The kernels of `kernels/filtration_construction.cu`.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::constants::filtration_construction::THREADS;
use super::{Buffer, CudaError, Gpu, Kernel, Unsigned, ptx};

/// A matrix of ranks, of which one vertex is the fixed greatest one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Tile {
    /// The place of the first element of its matrix.
    pub(crate) ranks: u64,
    /// The number of jobs of the tiles before it.
    pub(crate) first_job: u64,
    /// The number of rows.
    pub(crate) n: u32,
    /// Length of a row, a multiple of 32.
    pub(crate) stride: u32,
    /// The place of the id of its first vertex.
    pub(crate) ids: u32,
    /// The fixed vertex.
    pub(crate) top: u32,
}

/// The graph of a sparse complex. For a dense one the buffers have no meaning.
pub(crate) struct Graph {
    /// The place of the first neighbour of each of n vertices in the other buffers, and after these the number of all neighbours.
    pub(crate) offsets: Buffer<u64>,
    /// The neighbours of one vertex after the other, each list ascending.
    pub(crate) neighbours: Buffer<u32>,
    /// The ranks of the edges to them.
    pub(crate) ranks: Buffer<u32>,
}

/// What a sweep reads.
pub(crate) struct Input<'a, R> {
    /// The tiles' matrices.
    pub(crate) ranks: &'a Buffer<R>,
    /// The tiles.
    pub(crate) tiles: &'a Buffer<Tile>,
    /// The tiles' vertices.
    pub(crate) ids: &'a Buffer<u32>,
    /// The graph of the whole complex.
    pub(crate) graph: &'a Graph,
    /// Whether cofacets of the simplices of a tile may lie outside of it.
    pub(crate) partial: bool,
}

/// What a sweep writes.
pub(crate) struct Output {
    /// The numbers of simplices, apparent, cleared and undecided ones, and of cofacets of apparent pairs.
    pub(crate) counts: Buffer<u64>,
    /// Entries of the undecided.
    pub(crate) columns: Buffer<u64>,
    /// Entries of the cofacets of apparent simplices.
    pub(crate) cofacets: Buffer<u64>,
    /// The number of entries for which `columns` has room, and `cofacets` too.
    pub(crate) capacity: u64,
}

/// What to sweep.
pub(crate) struct Range {
    /// The dimension.
    pub(crate) dim: u32,
    /// Bits of a vertex in an entry.
    pub(crate) vertex_bits: u32,
    /// The first job.
    pub(crate) from: u64,
    /// The job past the last.
    pub(crate) to: u64,
    /// The number of ranks that a block holds in shared memory: rows of reach times their length.
    pub(crate) reach: u32,
}

/// The kernels of `filtration_construction.cu` for ranks of type `R`.
pub(crate) struct RipsKernels<R> {
    sweep: Kernel,
    tiles: Kernel,
    ranks: PhantomData<R>,
}

/// Types of ranks that the kernels are compiled for. The trait is sealed, as [`Unsigned`] is: launches trust what an implementation says.
pub trait KernelRank: Unsigned {
    /// The PTX of the kernels for entries of one and of two limbs, each without and with pairs.
    #[doc(hidden)]
    const PTX: [[&'static str; 2]; 2];
}

/// The kernels for a type of ranks.
macro_rules! by_limbs {
    ($rank:literal) => {
        [
            [
                ptx!("filtration_construction_", $rank, "_1"),
                ptx!("filtration_construction_", $rank, "_1_pairs"),
            ],
            [
                ptx!("filtration_construction_", $rank, "_2"),
                ptx!("filtration_construction_", $rank, "_2_pairs"),
            ],
        ]
    };
}

impl KernelRank for u16 {
    const PTX: [[&'static str; 2]; 2] = by_limbs!("u16");
}

impl KernelRank for u32 {
    const PTX: [[&'static str; 2]; 2] = by_limbs!("u32");
}

/// The greatest number of vertices of a simplex: each has a lane of a warp.
pub(crate) const MOST_VERTICES: usize = 31;

impl<R: KernelRank> RipsKernels<R> {
    /// Loads the kernels for entries of `limbs` limbs, 1 or 2. With `pairs` they write the cofacets of apparent simplices too.
    pub(crate) fn load(gpu: &Gpu, limbs: usize, pairs: bool) -> Result<Self, CudaError> {
        let module = gpu.module(R::PTX[limbs - 1][usize::from(pairs)])?;
        let kernels = RipsKernels {
            sweep: module.kernel(c"rips_sweep")?,
            tiles: module.kernel(c"rips_tiles")?,
            ranks: PhantomData,
        };
        // The kernel declares some hundred bytes of shared memory by itself.
        let most = gpu.shared_memory()?.saturating_sub(1024);
        kernels.sweep.allow_shared(most)?;
        Ok(kernels)
    }

    /// Fills the matrices of tiles from the graph.
    ///
    /// # Panics
    /// There are more tiles than blocks in a launch.
    pub(crate) fn fill_tiles(
        &self,
        ranks: &mut Buffer<R>,
        tiles: &Buffer<Tile>,
        ids: &Buffer<u32>,
        graph: &Graph,
    ) -> Result<(), CudaError> {
        let blocks = u32::try_from(tiles.len()).expect("fewer tiles than vertices");
        let launch = self.tiles.launch(blocks, THREADS, 0).output(ranks).input(tiles).input(ids);
        let launch = launch.input(&graph.offsets).input(&graph.neighbours).input(&graph.ranks);
        // SAFETY: a block writes the n × stride elements of its tile, which `ranks` was made for; ids are vertices of the graph.
        unsafe { launch.go() }
    }

    /// Sweeps a range of jobs.
    pub(crate) fn sweep(
        &self,
        input: &Input<'_, R>,
        output: &mut Output,
        range: &Range,
    ) -> Result<(), CudaError> {
        let blocks = u32::try_from(range.to - range.from).expect("batches are cut to what a launch takes");
        let shared = range.reach * size_of::<R>() as u32;
        let (tile_count, partial) = (input.tiles.len() as u32, u32::from(input.partial));
        let launch = self.sweep.launch(blocks, THREADS, shared);
        let launch = launch.input(input.ranks).input(input.tiles).input(input.ids);
        let launch =
            launch.input(&input.graph.offsets).input(&input.graph.neighbours).input(&input.graph.ranks);
        let launch =
            launch.output(&mut output.counts).output(&mut output.columns).output(&mut output.cofacets);
        let launch = launch.value(&output.capacity).value(&range.to).value(&tile_count);
        let launch = launch.value(&range.dim).value(&range.vertex_bits).value(&partial);
        // SAFETY: the kernel reads inside the tiles' matrices, whose rows are padded to whole warps, and writes only
        // entries below the capacity, for which the outputs have room.
        unsafe { launch.go() }
    }
}
