//! One device: what it holds of a complex, and its share of the batches.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Instant;

use super::Source;
use super::batches::Batch;
use super::groups::Group;
use super::received::{receive_reversed, touching_meanwhile};
use crate::cuda::constants::filtration_construction::COUNTS;
use crate::cuda::filtration_construction::{Graph, Input, Output, Range, RipsKernels, Tile};
use crate::cuda::sort::SortKernels;
use crate::cuda::{Buffer, CudaError, Gpu, KernelRank, Pinned};
use crate::parallel::lock;
use crate::progress::Progress;
use crate::rips::code::vertex_bits;
use crate::rips::complex::{Complex, Sparse};
use crate::rips::filtration_construction::Undecided;
use crate::rips::pair_store::Layer2Seconds;
use crate::simd::Rank;

/// Most entries of an output of undecided simplices: with the scratch of sorting 64 MiB of entries of 64 bits.
const MOST_ENTRIES: u64 = 1 << 22;
/// Most entries of an output of apparent pairs, of which there are nearly as many as simplices. All in one part need no merging.
const MOST_PAIRS: u64 = 1 << 30;
/// Least entries of an output: with room for fewer a launch is not worth while.
const LEAST_ENTRIES: u64 = 1 << 10;

/// Most limbs of each of the two pieces of page-locked memory through which sorted cofacets come: 32 MiB.
const MOST_STAGED: usize = 1 << 22;

/// What a worker makes room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// Undecided simplices.
    Undecided,
    /// These, and the apparent pairs of up to so many simplices.
    Apparent { most: u64 },
}

/// A group on the device.
struct Loaded<R> {
    group: usize,
    dim: usize,
    ranks: Buffer<R>,
    tiles: Buffer<Tile>,
    ids: Buffer<u32>,
}

/// The sweep of a dimension.
pub(super) struct Sweeping<'a> {
    /// The dimension.
    pub(super) dim: usize,
    /// Points of the complex.
    pub(super) points: usize,
    /// Bits of a rank in an entry.
    pub(super) rank_bits: u32,
    /// Says whether the run is to end early.
    pub(super) progress: &'a dyn Progress,
}

/// A device and what it holds of the complex.
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
    /// Through which the apparent pairs come to the host, if they are listed.
    staged: Option<[Pinned<u64>; 2]>,
    /// Bytes of memory that the threads of a block may share.
    shared: u32,
}

impl<'a, R: KernelRank + Rank> Worker<'a, R> {
    /// Loads the kernels, for entries of so many limbs, and makes room for what they write.
    pub(super) fn new(
        gpu: &'a Gpu,
        source: &'a Source<'a, R>,
        groups: &'a [Group],
        limbs: usize,
        room: Room,
    ) -> Result<Self, CudaError> {
        let lists_apparent = room != Room::Undecided;
        let kernels = RipsKernels::load(gpu, limbs, lists_apparent)?;
        let sorting = SortKernels::load(gpu, limbs)?;
        let graph = match source {
            Source::Matrix(_) => {
                Graph { offsets: gpu.zeros(1)?, neighbours: gpu.zeros(1)?, ranks: gpu.zeros(1)? }
            }
            Source::Graph(graph) => upload(gpu, graph)?,
        };
        let output = output(gpu, groups, limbs, room, size_of::<R>())?;
        let staged = if lists_apparent {
            // Whole entries.
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

    /// The most simplices of a batch, if their apparent pairs are listed.
    pub(super) fn most_simplices(&self) -> Option<u64> {
        self.staged.is_some().then_some(self.output.capacity)
    }

    /// The groups of tiles that batches are of.
    pub(super) fn groups(&self) -> &'a [Group] {
        self.groups
    }

    /// Takes batches while there are any, and the run is not to end.
    pub(super) fn work(
        &mut self,
        sweeping: &Sweeping<'_>,
        queue: &Mutex<VecDeque<Batch>>,
        found: &Mutex<Undecided>,
    ) -> Result<(), CudaError> {
        loop {
            let next = lock(queue).pop_front();
            let Some(batch) = next.filter(|_| !sweeping.progress.is_interrupted()) else { return Ok(()) };
            self.load(batch.group, sweeping.dim)?;
            let counts = self.sweep(sweeping, batch)?;
            let most = counts[3].max(counts[4]);
            if most > self.output.capacity {
                self.put_back(queue, batch, most)?;
                continue;
            }
            let bits = |vertices: usize| vertex_bits(sweeping.points) * vertices as u32 + sweeping.rank_bits;
            self.sorting.sort(self.gpu, &mut self.output.columns, counts[3], bits(sweeping.dim + 1))?;
            let columns = self.entries(&self.output.columns, counts[3])?;
            let (cofacets, layer2_seconds) = self.cofacets(counts[4], bits(sweeping.dim + 2))?;
            let mut found = lock(found);
            found.columns.push(columns);
            found.cofacets.push(cofacets);
            found.layer2_seconds += layer2_seconds;
            found.counts.simplices += counts[0];
            found.counts.apparent += counts[1];
            found.counts.cleared += counts[2];
        }
    }

    /// Puts a batch that found `most` entries, more than there is room for, back in smaller parts.
    fn put_back(&self, queue: &Mutex<VecDeque<Batch>>, batch: Batch, most: u64) -> Result<(), CudaError> {
        let capacity = self.output.capacity;
        if batch.to - batch.from == 1 {
            let entry = 8 * self.limbs as u64;
            let (asked, available) = (most * entry, capacity * entry);
            return Err(CudaError::OutOfMemory { device: self.gpu.name().to_string(), asked, available });
        }
        // Jobs differ in what they find: a quarter more parts than on average would do.
        let parts = (most + most / 4).div_ceil(capacity).max(2);
        let mut queue = lock(queue);
        for part in batch.cut(parts) {
            queue.push_front(part);
        }
        Ok(())
    }

    /// Brings a group to the device, its jobs numbered for a dimension.
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

    /// Sweeps a batch of the loaded group, and gives its counts.
    fn sweep(&mut self, sweeping: &Sweeping<'_>, batch: Batch) -> Result<Vec<u64>, CudaError> {
        let loaded = self.loaded.as_ref().expect("the group was loaded");
        // Rows of reach: that of the fixed vertices, and one a vertex chosen.
        let rows = sweeping.dim.saturating_sub(3) + 1;
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
            // Below 32, as was checked.
            dim: sweeping.dim as u32,
            vertex_bits: vertex_bits(sweeping.points),
            from: batch.from,
            to: batch.to,
            reach: reach as u32,
        };
        self.kernels.sweep(&input, &mut self.output, &range)?;
        self.gpu.read(&self.output.counts, 0..COUNTS as usize)
    }

    /// The limbs of the first `n` cofacets, ascending, and what sorting them and bringing them here took. The device has nothing
    /// else to do. While it sorts, the system hands out the memory to which they come.
    fn cofacets(&mut self, n: u64, bits: u32) -> Result<(Vec<u64>, Layer2Seconds), CudaError> {
        let Some(staged) = self.staged.as_mut().filter(|_| n > 0) else {
            return Ok((Vec::new(), Layer2Seconds::default()));
        };
        let started = Instant::now();
        let mut all = vec![0; n as usize * self.limbs];
        let sort = touching_meanwhile(&mut all, || {
            self.sorting.sort(self.gpu, &mut self.output.cofacets, n, bits)?;
            self.gpu.finish()?;
            Ok(started.elapsed().as_secs_f64())
        })?;
        receive_reversed(self.gpu, &self.output.cofacets, &mut all, self.limbs, staged)?;
        let copy = started.elapsed().as_secs_f64() - sort;
        Ok((all, Layer2Seconds { sort, copy, list: 0.0 }))
    }

    /// The limbs of the first `n` entries of an output.
    fn entries(&self, buffer: &Buffer<u64>, n: u64) -> Result<Vec<u64>, CudaError> {
        self.gpu.read(buffer, 0..n as usize * self.limbs)
    }
}

/// Room for what the kernels write, as much as the matrices of a group leave, up to [`MOST_ENTRIES`] or [`MOST_PAIRS`].
fn output(
    gpu: &Gpu,
    groups: &[Group],
    limbs: usize,
    room: Room,
    rank_size: usize,
) -> Result<Output, CudaError> {
    let available = gpu.available()?;
    let matrices = groups.iter().map(|group| (group.elements * rank_size) as u64).max().unwrap_or(0);
    let lists =
        groups.iter().map(|group| group.tiles.len() * 32 + group.ids.len() * 4).max().unwrap_or(0) as u64;
    let left = available.saturating_sub(matrices + lists + (1 << 16));
    let (outputs, most) = match room {
        Room::Undecided => (1, MOST_ENTRIES),
        Room::Apparent { most } => (2, most.clamp(LEAST_ENTRIES, MOST_PAIRS)),
    };
    // An output, and beside it a copy and some totals while it is sorted.
    let entry = 8 * limbs as u64 * (outputs + 1) + 1;
    // Lists that would fill the device leave a part of it: the driver rounds what it hands out.
    let capacity = ((left - left / 16) / entry).min(most);
    if capacity < LEAST_ENTRIES {
        let asked = matrices + lists + LEAST_ENTRIES * entry;
        return Err(CudaError::OutOfMemory { device: gpu.name().to_string(), asked, available });
    }
    let entries = |n: u64| gpu.zeros(n as usize * limbs);
    Ok(Output {
        counts: gpu.zeros(COUNTS as usize)?,
        columns: entries(capacity)?,
        cofacets: entries(if room == Room::Undecided { 1 } else { capacity })?,
        capacity,
    })
}

/// The graph in the memory of a device.
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
