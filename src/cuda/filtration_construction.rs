//! The kernels of `kernels/filtration_construction.cu`.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::constants::filtration_construction::THREADS;
use super::{Buffer, CudaError, Gpu, Kernel, Plain, Ptx, ptx};

/// A matrix of ranks for the simplices with a fixed greatest vertex.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Tile {
    /// Index of the first element of the matrix.
    pub(crate) ranks: u64,
    /// Number of jobs of the preceding tiles.
    pub(crate) first_job: u64,
    /// Number of rows.
    pub(crate) n: u32,
    /// Length of a row, a multiple of 32.
    pub(crate) stride: u32,
    /// Index of the number of its first vertex.
    pub(crate) ids: u32,
    /// The fixed greatest vertex.
    pub(crate) top: u32,
}

/// The graph of a sparse complex. For a dense complex the buffers are unused.
pub(crate) struct Graph {
    /// For each of n vertices the index of its first neighbour in the other buffers, and then the number of all
    /// neighbours.
    pub(crate) offsets: Buffer<u64>,
    /// The concatenated lists of neighbours of all vertices, each list ascending.
    pub(crate) neighbours: Buffer<u32>,
    /// The ranks of the edges to these neighbours.
    pub(crate) ranks: Buffer<u32>,
}

/// The input of a sweep.
pub(crate) struct Input<'a, R> {
    /// The matrices of the tiles.
    pub(crate) ranks: &'a Buffer<R>,
    /// The tiles.
    pub(crate) tiles: &'a Buffer<Tile>,
    /// The vertices of the tiles.
    pub(crate) ids: &'a Buffer<u32>,
    /// The graph of the whole complex.
    pub(crate) graph: &'a Graph,
    /// Whether cofacets of the simplices of a tile may lie outside of it.
    pub(crate) partial: bool,
}

/// The output of a sweep.
pub(crate) struct Output {
    /// The numbers of simplices, of apparent, cleared and undecided ones, and of cofacets of apparent pairs.
    pub(crate) counts: Buffer<u64>,
    /// The entries of undecided simplices.
    pub(crate) columns: Buffer<u64>,
    /// The entries of the cofacets of apparent simplices.
    pub(crate) cofacets: Buffer<u64>,
    /// Capacity of `columns` and of `cofacets` in entries.
    pub(crate) capacity: u64,
}

/// The jobs of a sweep.
pub(crate) struct Range {
    /// The dimension of the simplices.
    pub(crate) dim: u32,
    /// Number of bits of a vertex in an entry.
    pub(crate) vertex_bits: u32,
    /// The first job.
    pub(crate) from: u64,
    /// The job after the last.
    pub(crate) to: u64,
    /// Number of ranks that a block holds in shared memory: rows of reach times their length.
    pub(crate) reach: u32,
}

/// The kernels of `filtration_construction.cu` for ranks of type `R`.
pub(crate) struct RipsKernels<R> {
    sweep: Kernel,
    tiles: Kernel,
    ranks: PhantomData<R>,
}

/// A rank type with compiled kernels. Launches rely on its implementations, and no other crate can name the trait.
pub trait KernelRank: Plain {
    /// The PTX of the kernels for entries of one and of two limbs, each without and with pairs.
    #[doc(hidden)]
    const PTX: [[Ptx; 2]; 2];
}

/// The PTX for a rank type.
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
    const PTX: [[Ptx; 2]; 2] = by_limbs!("u16");
}

impl KernelRank for u32 {
    const PTX: [[Ptx; 2]; 2] = by_limbs!("u32");
}

/// Maximum number of vertices of a simplex: each has a lane of a warp.
pub(crate) const MOST_VERTICES: usize = 31;

impl<R: KernelRank> RipsKernels<R> {
    /// Loads the kernels for entries of `limbs` limbs, 1 or 2. With `pairs` they also write the cofacets of apparent
    /// simplices.
    pub(crate) fn load(gpu: &Gpu, limbs: usize, pairs: bool) -> Result<Self, CudaError> {
        let module = gpu.module(R::PTX[limbs - 1][usize::from(pairs)])?;
        let kernels = RipsKernels {
            sweep: module.kernel(c"rips_sweep")?,
            tiles: module.kernel(c"rips_tiles")?,
            ranks: PhantomData,
        };
        // The kernel also declares some hundred bytes of shared memory statically.
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
        // SAFETY: each block writes the n × stride elements of its tile, for which `ranks` has room; ids are vertices
        // of the graph.
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
