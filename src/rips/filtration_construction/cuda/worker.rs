//! One device: its part of a complex, and its share of the batches.

use std::time::Instant;

use super::batches::Batch;
use super::groups::Group;
use super::queue::SweepQueue;
use super::received::{receive_reversed, touching_meanwhile};
use super::{DeviceSweep, Source};
use crate::cuda::constants::filtration_construction::COUNTS;
use crate::cuda::filtration_construction::{Graph, Input, Output, Range, RipsKernels, Tile};
use crate::cuda::sort::SortKernels;
use crate::cuda::{Buffer, CudaError, Gpu, KernelRank, Pinned};
use crate::rips::code::vertex_bits;
use crate::rips::complex::{Complex, Sparse};
use crate::rips::filtration_construction::SimplexCounts;
use crate::rips::stats::PairStoreStats;
use crate::simd::Rank;

/// Maximum number of entries in an output of undecided simplices: 64 MiB of 64-bit entries, including the scratch of
/// sorting.
const MOST_ENTRIES: u64 = 1 << 22;
/// Maximum number of entries in an output of apparent pairs, of which there are nearly as many as simplices. A single
/// part needs no merging.
const MOST_PAIRS: u64 = 1 << 30;
/// Minimum number of entries in an output: with less room a launch does not pay.
const LEAST_ENTRIES: u64 = 1 << 10;

/// Maximum number of limbs in each of the two page-locked buffers through which sorted cofacets are copied: 32 MiB.
const MOST_STAGED: usize = 1 << 22;

/// A group of tiles in the memory of the device.
struct Loaded<R> {
    group: usize,
    dim: usize,
    ranks: Buffer<R>,
    tiles: Buffer<Tile>,
    ids: Buffer<u32>,
}

/// A device and the data of the complex that it holds.
pub(super) struct Worker<'a, R> {
    gpu: &'a Gpu,
    source: &'a Source<'a, R>,
    kernels: RipsKernels<R>,
    sorting: SortKernels,
    limbs: usize,
    graph: Graph,
    groups: &'a [Group],
    loaded: Option<Loaded<R>>,
    output: Output,
    /// Page-locked buffers through which the apparent pairs are copied to the host, if they are listed.
    staged: Option<[Pinned<u64>; 2]>,
    /// Bytes of shared memory available to a block.
    shared: u32,
}

impl<'a, R: KernelRank + Rank> Worker<'a, R> {
    /// Loads the kernels for entries of `limbs` limbs, and allocates their outputs: undecided simplices, and if they
    /// are wanted the apparent pairs of at most `most_apparent` simplices.
    pub(super) fn new(
        gpu: &'a Gpu,
        source: &'a Source<'a, R>,
        groups: &'a [Group],
        limbs: usize,
        most_apparent: Option<u64>,
    ) -> Result<Self, CudaError> {
        let kernels = RipsKernels::load(gpu, limbs, most_apparent.is_some())?;
        let sorting = SortKernels::load(gpu, limbs)?;
        let graph = match source {
            Source::Matrix(_) => {
                Graph { offsets: gpu.zeros(1)?, neighbours: gpu.zeros(1)?, ranks: gpu.zeros(1)? }
            }
            Source::Graph(graph) => upload(gpu, graph)?,
        };
        let output = output(gpu, groups, limbs, most_apparent, size_of::<R>())?;
        let staged = if most_apparent.is_some() {
            // A buffer holds a whole number of entries.
            let entries = output.capacity.min((MOST_STAGED / limbs) as u64) as usize;
            Some([gpu.pinned(entries * limbs)?, gpu.pinned(entries * limbs)?])
        } else {
            None
        };
        let shared = gpu.shared_memory()?.saturating_sub(1024);
        Ok(Worker {
            gpu,
            source,
            kernels,
            sorting,
            limbs,
            graph,
            groups,
            loaded: None,
            output,
            staged,
            shared,
        })
    }

    /// Maximum number of simplices of a batch, if their apparent pairs are listed.
    pub(super) fn most_simplices(&self) -> Option<u64> {
        self.staged.is_some().then_some(self.output.capacity)
    }

    /// Sweeps batches until none is left or the run is to end.
    pub(super) fn work(&mut self, devices: &DeviceSweep<'_>, dim: usize) -> Result<(), CudaError> {
        let queue = devices.queue;
        loop {
            let Some(batch) = queue.next().filter(|_| !devices.progress.is_interrupted()) else {
                return Ok(());
            };
            self.load(batch.group, dim)?;
            let counts = self.sweep(devices, dim, &batch)?;
            let most = counts[3].max(counts[4]);
            if most > self.output.capacity {
                self.put_back(queue, batch, most)?;
                continue;
            }
            let bits = |vertices: usize| vertex_bits(devices.points) * vertices as u32 + devices.rank_bits;
            self.sorting.sort(self.gpu, &mut self.output.columns, counts[3], bits(dim + 1))?;
            let columns = self.gpu.read(&self.output.columns, 0..counts[3] as usize * self.limbs)?;
            let (cofacets, pair_store) = self.cofacets(counts[4], bits(dim + 2))?;
            queue.add(|found| {
                found.columns.push(columns);
                found.cofacets.push(cofacets);
                found.pair_store += pair_store;
                found.counts +=
                    SimplexCounts { simplices: counts[0], apparent: counts[1], cleared: counts[2] };
            });
        }
    }

    /// Splits a batch that found `most` entries, more than the output holds, and puts the parts back.
    fn put_back(&self, queue: &SweepQueue, batch: Batch, most: u64) -> Result<(), CudaError> {
        let capacity = self.output.capacity;
        if batch.to - batch.from == 1 {
            let entry = 8 * self.limbs as u64;
            let (asked, available) = (most * entry, capacity * entry);
            return Err(CudaError::OutOfMemory { device: self.gpu.name().to_string(), asked, available });
        }
        // Jobs find different numbers of entries, so there are a quarter more parts than the average requires.
        let parts = (most + most / 4).div_ceil(capacity).max(2);
        queue.put_back(batch.cut(parts));
        Ok(())
    }

    /// Copies a group to the device, with its jobs numbered for a dimension.
    fn load(&mut self, group: usize, dim: usize) -> Result<(), CudaError> {
        if self.loaded.as_ref().is_some_and(|loaded| loaded.group == group && loaded.dim == dim) {
            return Ok(());
        }
        let wanted = &self.groups[group];
        let tiles = wanted.numbered(dim);
        if let Some(loaded) = self.loaded.as_mut().filter(|loaded| loaded.group == group) {
            self.gpu.write(&mut loaded.tiles, 0, &tiles)?;
            loaded.dim = dim;
            return Ok(());
        }
        self.loaded = None;
        let (tiles, ids) = (self.gpu.upload(&tiles)?, self.gpu.upload(&wanted.ids)?);
        let ranks = match self.source {
            Source::Matrix(matrix) => self.gpu.upload(&matrix.ranks[..wanted.elements])?,
            Source::Graph(_) => {
                let mut ranks = self.gpu.zeros(wanted.elements)?;
                self.kernels.fill_tiles(&mut ranks, &tiles, &ids, &self.graph)?;
                ranks
            }
        };
        self.loaded = Some(Loaded { group, dim, ranks, tiles, ids });
        Ok(())
    }

    /// Sweeps a batch of the loaded group, and returns its counts.
    fn sweep(&mut self, devices: &DeviceSweep<'_>, dim: usize, batch: &Batch) -> Result<Vec<u64>, CudaError> {
        let loaded = self.loaded.as_ref().expect("the group was loaded");
        // Number of rows of reach: one for the fixed vertices, and one for each chosen vertex.
        let rows = dim.saturating_sub(3) + 1;
        let reach = rows * self.groups[batch.group].stride() as usize;
        let most = self.shared as usize / size_of::<R>();
        if reach > most {
            return Err(CudaError::Unfit {
                what: "ranks in the shared memory of a block",
                limit: most,
                found: reach,
            });
        }
        self.gpu.clear(&mut self.output.counts)?;
        let input = Input {
            ranks: &loaded.ranks,
            tiles: &loaded.tiles,
            ids: &loaded.ids,
            graph: &self.graph,
            partial: matches!(self.source, Source::Graph(_)),
        };
        let range = Range {
            // Below 32, as checked before.
            dim: dim as u32,
            vertex_bits: vertex_bits(devices.points),
            from: batch.from,
            to: batch.to,
            reach: reach as u32,
        };
        self.kernels.sweep(&input, &mut self.output, &range)?;
        self.gpu.read(&self.output.counts, 0..COUNTS as usize)
    }

    /// The limbs of the first `n` cofacets, ascending, and the times of sorting and of copying them. The device has no
    /// other work then. The host memory for the result is allocated while the device sorts.
    fn cofacets(&mut self, n: u64, bits: u32) -> Result<(Vec<u64>, PairStoreStats), CudaError> {
        let Some(staged) = self.staged.as_mut().filter(|_| n > 0) else {
            return Ok((Vec::new(), PairStoreStats::default()));
        };
        let started = Instant::now();
        let mut all = vec![0; n as usize * self.limbs];
        let sort = touching_meanwhile(&mut all, || {
            self.sorting.sort(self.gpu, &mut self.output.cofacets, n, bits)?;
            self.gpu.finish()?;
            Ok(started.elapsed().as_secs_f64())
        })?;
        receive_reversed(self.gpu, &self.output.cofacets, &mut all, self.limbs, staged)?;
        let pair_store = PairStoreStats {
            layer2_sort_seconds: sort,
            layer2_copy_seconds: started.elapsed().as_secs_f64() - sort,
            ..PairStoreStats::default()
        };
        Ok((all, pair_store))
    }
}

/// The outputs of the kernels, as large as the matrices of a group allow, up to [`MOST_ENTRIES`] or [`MOST_PAIRS`].
fn output(
    gpu: &Gpu,
    groups: &[Group],
    limbs: usize,
    most_apparent: Option<u64>,
    rank_size: usize,
) -> Result<Output, CudaError> {
    let available = gpu.available()?;
    let matrices = groups.iter().map(|group| (group.elements * rank_size) as u64).max().unwrap_or(0);
    let lists =
        groups.iter().map(|group| group.tiles.len() * 32 + group.ids.len() * 4).max().unwrap_or(0) as u64;
    let left = available.saturating_sub(matrices + lists + (1 << 16));
    let (outputs, most) = match most_apparent {
        None => (1, MOST_ENTRIES),
        Some(most) => (2, most.clamp(LEAST_ENTRIES, MOST_PAIRS)),
    };
    // Bytes per entry: the outputs, and a copy and some totals while one is sorted.
    let entry = 8 * limbs as u64 * (outputs + 1) + 1;
    // A part of the memory is left free, since the driver rounds allocations up.
    let capacity = ((left - left / 16) / entry).min(most);
    if capacity < LEAST_ENTRIES {
        let asked = matrices + lists + LEAST_ENTRIES * entry;
        return Err(CudaError::OutOfMemory { device: gpu.name().to_string(), asked, available });
    }
    let entries = |n: u64| gpu.zeros(n as usize * limbs);
    Ok(Output {
        counts: gpu.zeros(COUNTS as usize)?,
        columns: entries(capacity)?,
        cofacets: entries(if most_apparent.is_none() { 1 } else { capacity })?,
        capacity,
    })
}

/// Copies the graph to the device.
fn upload(gpu: &Gpu, graph: &Sparse) -> Result<Graph, CudaError> {
    let n = graph.points() as u32;
    let mut offsets = vec![0];
    let (mut neighbours, mut ranks) = (Vec::new(), Vec::new());
    for v in 0..n {
        let (row, of_row) = graph.row(v);
        neighbours.extend_from_slice(row);
        ranks.extend_from_slice(of_row);
        offsets.push(neighbours.len() as u64);
    }
    Ok(Graph {
        offsets: gpu.upload(&offsets)?,
        neighbours: gpu.upload(&neighbours)?,
        ranks: gpu.upload(&ranks)?,
    })
}
