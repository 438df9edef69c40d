//! Assembly on GPUs: the sweep of every dimension, ahead of the reduction.
//!
//! Which simplices a sweep leaves undecided depends on the distances alone; only which of these are cleared depends on the
//! pairs of the dimension below. So the devices go through the dimensions by themselves, the processor reduces one while
//! the next is swept, and drops from the undecided what layer 1 clears ([`Undecided::clear`]).
//!
//! A complex is a list of tiles (`kernels/filtration_construction.cu`): the one matrix of a dense complex seen from each greatest vertex,
//! or the neighbourhoods of a sparse one, in groups that fit the memory. Jobs are handed out in batches; a batch that finds more
//! than there is room for is cut and done again, so any amount of memory gives the same answer.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::Instant;

use super::sweep::Counts;
use super::{ApparentPairs, Assembly, binomial};
use crate::cuda::constants::filtration_construction::{COUNTS, LASTS};
use crate::cuda::filtration_construction::{Graph, Input, MOST_VERTICES, Output, Range, RipsKernels, Tile};
use crate::cuda::sort::SortKernels;
use crate::cuda::{Buffer, CudaError, Gpu, KernelRank};
use crate::rips::code::{Code, vertex_bits};
use crate::rips::complex::{self, Complex, Sparse, stride};
use crate::rips::pair_store::PairStore;
use crate::rips::plan;
use crate::rips::word::Word;
use crate::simd::Rank;
use rayon::prelude::*;

/// What to sweep, on which devices.
pub struct Offload<'a> {
    /// The devices.
    pub gpus: &'a [Gpu],
    /// Points of the complex.
    pub points: usize,
    /// Dimensions 1 to this.
    pub max_dim: usize,
    /// Which second layer to make.
    pub layer: plan::PairStore,
    /// Bits of a rank in an entry.
    pub rank_bits: u32,
}

/// What a sweep leaves of a dimension.
#[derive(Debug)]
pub struct Undecided<W> {
    /// Entries of simplices neither apparent nor cleared by an apparent pair; each part in reverse filtration order.
    pub columns: Vec<Vec<W>>,
    /// The cofacets of apparent simplices, if they were asked for; each part descending.
    pub cofacets: Vec<Vec<W>>,
    /// Simplices counted.
    pub counts: Counts,
    /// Seconds the devices took.
    pub seconds: f64,
}

/// A complex as the devices see it.
pub enum Whole<'a, R> {
    /// A matrix of all ranks.
    Dense(complex::Tile<'a, R>),
    /// A graph.
    Sparse(&'a Sparse),
}

/// Most entries of an output: with the scratch of sorting 64 MiB of entries of 64 bits.
const MOST_ENTRIES: u64 = 1 << 22;
/// Most bytes of a group's matrices.
const MOST_MATRICES: u64 = 1 << 28;
/// Fewer are not worth a launch.
const LEAST_ENTRIES: u64 = 1 << 10;
/// Blocks of a launch.
const MOST_BLOCKS: u64 = (1 << 31) - 1;
/// Simplices of a batch at most: more would leave more than there is room for, and be done again.
const MOST_SIMPLICES: u64 = 1 << 28;
/// Batches a device, when several share the work.
const SHARES: u64 = 16;

impl<W: Word> Undecided<W> {
    /// Compares with what the processor finds when layer 1 clears nothing.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn check(&self, own: &Assembly<W>, code: &Code<W>) -> Result<(), String> {
        if self.counts != own.counts {
            return Err(format!(
                "counts: {:?} on the device, {:?} on the processor",
                self.counts, own.counts
            ));
        }
        let theirs = merged(self.columns.clone());
        if let Some((place, ours, theirs)) = first_difference(&own.columns, &theirs) {
            return Err(format!(
                "residue, column {place}: {} on the device, {} on the processor",
                named(theirs, code),
                named(ours, code)
            ));
        }
        if let ApparentPairs::Sorted(ours) = &own.apparent {
            let mut theirs = merged(self.cofacets.clone());
            theirs.reverse();
            if let Some((place, ours, theirs)) = first_difference(ours, &theirs) {
                return Err(format!(
                    "apparent pairs, cofacet {place}: {theirs:?} on the device, {ours:?} on the processor"
                ));
            }
        }
        Ok(())
    }

    /// The residue: what layer 1 does not clear.
    pub fn clear(self, cleared: &PairStore<W>, layer: plan::PairStore) -> Assembly<W> {
        let mut all = merged(self.columns);
        let undecided = all.len() as u64;
        all = all.into_par_iter().filter(|&entry| cleared.pivots.get(entry).is_none()).collect();
        let mut counts = self.counts;
        counts.cleared += undecided - all.len() as u64;
        let apparent = match layer {
            plan::PairStore::Implicit => ApparentPairs::Implicit,
            plan::PairStore::Sorted => {
                let mut cofacets = merged(self.cofacets);
                cofacets.reverse();
                ApparentPairs::Sorted(cofacets)
            }
        };
        Assembly { columns: all, apparent, counts, layer1_reads: undecided }
    }
}

/// The first place where two lists differ, and what they have there.
fn first_difference<W: Word>(ours: &[W], theirs: &[W]) -> Option<(usize, Option<W>, Option<W>)> {
    let place = (0..ours.len().max(theirs.len())).find(|&place| ours.get(place) != theirs.get(place))?;
    Some((place, ours.get(place).copied(), theirs.get(place).copied()))
}

fn named<W: Word>(entry: Option<W>, code: &Code<W>) -> String {
    let Some(entry) = entry else { return "nothing".into() };
    let mut vertices = Vec::new();
    code.vertices_of(entry, &mut vertices);
    format!("{vertices:?} of rank {}", code.rank(entry))
}

/// Descending parts as one.
fn merged<W: Word>(mut parts: Vec<Vec<W>>) -> Vec<W> {
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    let mut all = parts.concat();
    // A merge sort, which makes use of the order that is there.
    all.par_sort_by(|a, b| b.cmp(a));
    all
}

impl Offload<'_> {
    /// Sweeps dimension after dimension, and hands over what each leaves until told to stop.
    pub fn run<R: KernelRank + Rank, W: Word>(
        &self,
        whole: &Whole<'_, R>,
        mut found: impl FnMut(Result<Undecided<W>, CudaError>) -> bool,
    ) {
        let groups = self.groups(whole);
        let workers =
            groups.as_ref().map_err(Clone::clone).and_then(|groups| self.workers::<R, W>(whole, groups));
        let mut workers = match workers {
            Ok(workers) => workers,
            Err(error) => {
                found(Err(error));
                return;
            }
        };
        for dim in 1..=self.max_dim {
            let swept = self.dimension(&mut workers, dim);
            if !found(swept) {
                return;
            }
        }
    }

    /// The tiles, in groups that take at most half of what is free on every device.
    fn groups<R>(&self, whole: &Whole<'_, R>) -> Result<Vec<Group>, CudaError>
    where
        R: Rank,
    {
        match whole {
            Whole::Dense(tile) => Ok(vec![dense(tile)]),
            Whole::Sparse(graph) => {
                let available = self.gpus.iter().map(Gpu::available);
                let least = available.reduce(|a, b| Ok(a?.min(b?))).unwrap_or(Ok(0))?;
                Ok(neighbourhoods(graph, MOST_MATRICES.min(least / 2) / size_of::<R>() as u64))
            }
        }
    }

    fn workers<'a, R: KernelRank + Rank, W: Word>(
        &'a self,
        whole: &'a Whole<'a, R>,
        groups: &'a [Group],
    ) -> Result<Vec<Worker<'a, R>>, CudaError> {
        if W::LIMBS > 2 {
            return Err(CudaError::Unfit { what: "bits of an entry", limit: 128, found: W::BITS as usize });
        }
        self.gpus.iter().map(|gpu| Worker::new(gpu, whole, groups, W::LIMBS, self.pairs())).collect()
    }

    fn pairs(&self) -> bool {
        self.layer == plan::PairStore::Sorted
    }

    fn dimension<R: KernelRank + Rank, W: Word>(
        &self,
        workers: &mut [Worker<'_, R>],
        dim: usize,
    ) -> Result<Undecided<W>, CudaError> {
        if dim + 2 > MOST_VERTICES {
            return Err(CudaError::Unfit { what: "vertices", limit: MOST_VERTICES, found: dim + 2 });
        }
        let started = Instant::now();
        let groups = workers.first().map_or(&[][..], |worker| worker.groups);
        let queue = Mutex::new(batches(groups, dim, workers.len() as u64));
        let found = Mutex::new(Undecided {
            columns: Vec::new(),
            cofacets: Vec::new(),
            counts: Counts::default(),
            seconds: 0.0,
        });
        let task = Sweeping { dim, points: self.points, rank_bits: self.rank_bits };
        if let [worker] = workers {
            worker.work(&task, &queue, &found)?;
        } else {
            std::thread::scope(|scope| {
                let working: Vec<_> = workers
                    .iter_mut()
                    .map(|worker| scope.spawn(|| worker.work(&task, &queue, &found)))
                    .collect();
                // A panic goes on in the thread that waits, where it is taken for a failure of the devices.
                let join = |worker: ScopedJoinHandle<'_, _>| {
                    worker.join().unwrap_or_else(|panic| resume_unwind(panic))
                };
                working.into_iter().try_for_each(join)
            })?;
        }
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.seconds = started.elapsed().as_secs_f64();
        Ok(found)
    }
}

/// What the mutex holds, which is valid whoever panicked: batches and results are put in and taken out whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The jobs of every group, in batches for so many devices.
fn batches(groups: &[Group], dim: usize, devices: u64) -> VecDeque<Batch> {
    let mut batches = VecDeque::new();
    for (number, group) in groups.iter().enumerate() {
        let (jobs, simplices) = (group.jobs(dim), group.simplices(dim));
        let shares = if devices > 1 && simplices > MOST_SIMPLICES / SHARES { devices * SHARES } else { 1 };
        let parts = shares.max(simplices.div_ceil(MOST_SIMPLICES)).max(jobs.div_ceil(MOST_BLOCKS));
        batches.extend(Batch { group: number, from: 0, to: jobs }.cut(parts));
    }
    batches
}

/// Jobs of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Batch {
    group: usize,
    from: u64,
    to: u64,
}

impl Batch {
    /// The same in so many parts, the longest jobs first; fewer if there are not so many jobs.
    fn cut(self, parts: u64) -> impl Iterator<Item = Batch> {
        let jobs = self.to - self.from;
        let parts = parts.clamp(1, jobs.max(1));
        // Not past 2^64: there are fewer jobs than pairs of vertices.
        let at =
            move |part: u64| self.from + (u128::from(jobs) * u128::from(part) / u128::from(parts)) as u64;
        (0..parts)
            .rev()
            .map(move |part| Batch { from: at(part), to: at(part + 1), ..self })
            .filter(|b| b.from < b.to)
    }
}

/// Tiles whose matrices are on the device together.
struct Group {
    tiles: Vec<Tile>,
    ids: Vec<u32>,
    /// Of all matrices.
    elements: usize,
}

impl Group {
    /// Jobs of a tile in a dimension.
    fn jobs_of(tile: &Tile, dim: usize) -> u64 {
        match dim {
            _ if (tile.top as usize) < dim => 0,
            1 => 1,
            2 => u64::from(tile.top.div_ceil(LASTS)),
            _ => u64::from(tile.top),
        }
    }

    fn jobs(&self, dim: usize) -> u64 {
        self.tiles.iter().map(|tile| Group::jobs_of(tile, dim)).sum()
    }

    /// Simplices at most.
    fn simplices(&self, dim: usize) -> u64 {
        self.tiles.iter().fold(0, |sum: u64, tile| sum.saturating_add(binomial(tile.top as usize, dim)))
    }

    /// The tiles with their first jobs.
    fn numbered(&self, dim: usize) -> Vec<Tile> {
        let mut next = 0;
        let number = |tile: &Tile| {
            let first_job = next;
            next += Group::jobs_of(tile, dim);
            Tile { first_job, ..*tile }
        };
        self.tiles.iter().map(number).collect()
    }

    fn stride(&self) -> u32 {
        self.tiles.iter().map(|tile| tile.stride).max().unwrap_or(0)
    }
}

/// A group on the device.
struct Loaded<R> {
    group: usize,
    dim: usize,
    ranks: Buffer<R>,
    tiles: Buffer<Tile>,
    ids: Buffer<u32>,
}

/// A dimension's sweep.
struct Sweeping {
    dim: usize,
    points: usize,
    rank_bits: u32,
}

/// A device and what it holds of the complex.
struct Worker<'a, R> {
    gpu: &'a Gpu,
    whole: &'a Whole<'a, R>,
    kernels: RipsKernels<R>,
    sorting: SortKernels,
    limbs: usize,
    graph: Graph,
    groups: &'a [Group],
    loaded: Option<Loaded<R>>,
    output: Output,
    shared: u32,
}

impl<'a, R: KernelRank + Rank> Worker<'a, R> {
    fn new(
        gpu: &'a Gpu,
        whole: &'a Whole<'a, R>,
        groups: &'a [Group],
        limbs: usize,
        pairs: bool,
    ) -> Result<Self, CudaError> {
        let kernels = RipsKernels::load(gpu, limbs, pairs)?;
        let sorting = SortKernels::load(gpu, limbs)?;
        let graph = match whole {
            Whole::Dense(_) => {
                Graph { offsets: gpu.zeros(1)?, neighbours: gpu.zeros(1)?, ranks: gpu.zeros(1)? }
            }
            Whole::Sparse(graph) => upload(gpu, graph)?,
        };
        // What the matrices leave is for entries and their sorting.
        let available = gpu.available()?;
        let size = size_of::<R>() as u64;
        let matrices = groups.iter().map(|group| group.elements as u64 * size).max().unwrap_or(0);
        let lists =
            groups.iter().map(|group| group.tiles.len() * 32 + group.ids.len() * 4).max().unwrap_or(0) as u64;
        let room = available.saturating_sub(matrices + lists + (1 << 16));
        let outputs = if pairs { 2 } else { 1 };
        // An output, and beside it a copy and some totals while it is sorted.
        let entry = 8 * limbs as u64 * (outputs + 1) + 1;
        let capacity = (room / entry).min(MOST_ENTRIES);
        if capacity < LEAST_ENTRIES {
            let asked = matrices + lists + LEAST_ENTRIES * entry;
            return Err(CudaError::OutOfMemory { device: gpu.name().to_string(), asked, available });
        }
        let entries = |n: u64| gpu.zeros(n as usize * limbs);
        let output = Output {
            counts: gpu.zeros(COUNTS as usize)?,
            columns: entries(capacity)?,
            cofacets: entries(if pairs { capacity } else { 1 })?,
            capacity,
        };
        let shared = gpu.shared_memory()?.saturating_sub(1024);
        Ok(Worker { gpu, whole, kernels, sorting, limbs, graph, groups, loaded: None, output, shared })
    }

    /// Takes batches while there are any.
    fn work<W: Word>(
        &mut self,
        task: &Sweeping,
        queue: &Mutex<VecDeque<Batch>>,
        found: &Mutex<Undecided<W>>,
    ) -> Result<(), CudaError> {
        loop {
            let next = locked(queue).pop_front();
            let Some(batch) = next else { return Ok(()) };
            self.load(batch.group, task.dim)?;
            let counts = self.sweep(task, batch)?;
            let most = counts[3].max(counts[4]);
            if most > self.output.capacity {
                self.put_back(queue, batch, most)?;
                continue;
            }
            let bits = |vertices: usize| vertex_bits(task.points) * vertices as u32 + task.rank_bits;
            self.sorting.sort(self.gpu, &mut self.output.columns, counts[3], bits(task.dim + 1))?;
            self.sorting.sort(self.gpu, &mut self.output.cofacets, counts[4], bits(task.dim + 2))?;
            let columns = self.entries(&self.output.columns, counts[3])?;
            let cofacets = self.entries(&self.output.cofacets, counts[4])?;
            let mut found = locked(found);
            found.columns.push(columns);
            found.cofacets.push(cofacets);
            found.counts.simplices += counts[0];
            found.counts.apparent += counts[1];
            found.counts.cleared += counts[2];
        }
    }

    /// A batch that found `most` entries, more than there is room for, in smaller parts.
    fn put_back(&self, queue: &Mutex<VecDeque<Batch>>, batch: Batch, most: u64) -> Result<(), CudaError> {
        let capacity = self.output.capacity;
        if batch.to - batch.from == 1 {
            let entry = 8 * self.limbs as u64;
            let (asked, available) = (most * entry, capacity * entry);
            return Err(CudaError::OutOfMemory { device: self.gpu.name().to_string(), asked, available });
        }
        // Jobs differ in what they find: a quarter more parts than on average would do.
        let parts = (most + most / 4).div_ceil(capacity).max(2);
        let mut queue = locked(queue);
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
        let ranks = match self.whole {
            Whole::Dense(tile) => self.gpu.upload(&tile.ranks[..wanted.elements])?,
            Whole::Sparse(_) => {
                let mut ranks = self.gpu.zeros(wanted.elements)?;
                self.kernels.fill_tiles(&mut ranks, &tiles, &ids, &self.graph)?;
                ranks
            }
        };
        self.loaded = Some(Loaded { group, dim, ranks, tiles, ids });
        Ok(())
    }

    /// Sweeps a batch of the loaded group; its counts.
    fn sweep(&mut self, task: &Sweeping, batch: Batch) -> Result<Vec<u64>, CudaError> {
        let loaded = self.loaded.as_ref().expect("the group was loaded");
        // Rows of reach: that of the fixed vertices, and one a vertex chosen.
        let rows = task.dim.saturating_sub(3) + 1;
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
            partial: matches!(self.whole, Whole::Sparse(_)),
        };
        let range = Range {
            // Below 32, as was checked.
            dim: task.dim as u32,
            vertex_bits: vertex_bits(task.points),
            from: batch.from,
            to: batch.to,
            reach: reach as u32,
        };
        self.kernels.sweep(&input, &mut self.output, &range)?;
        self.gpu.read(&self.output.counts, 0..COUNTS as usize)
    }

    fn entries<W: Word>(&self, buffer: &Buffer<u64>, n: u64) -> Result<Vec<W>, CudaError> {
        let limbs = self.gpu.read(buffer, 0..n as usize * self.limbs)?;
        Ok(limbs.chunks_exact(self.limbs).map(|entry| W::from_limbs(|k| entry[k])).collect())
    }
}

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

/// A matrix seen from each of its vertices.
fn dense<R: Rank>(tile: &complex::Tile<'_, R>) -> Group {
    // Vertices are below 2^32: they come from ids of that type.
    let (n, stride) = (tile.n as u32, tile.stride as u32);
    let tiles = (0..n).map(|top| Tile { ranks: 0, first_job: 0, n, stride, ids: 0, top }).collect();
    Group { tiles, ids: (0..n).collect(), elements: tile.n * tile.stride }
}

/// The neighbourhoods of vertices with smaller neighbours, in groups of at most so many elements, or of one neighbourhood.
fn neighbourhoods(graph: &Sparse, most: u64) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for v in 0..graph.points() as u32 {
        let (neighbours, _) = graph.row(v);
        let top = neighbours.partition_point(|&w| w < v);
        if top == 0 {
            continue;
        }
        let n = neighbours.len() + 1;
        let elements = n * stride(n);
        let full = |group: &Group| {
            (group.elements + elements) as u64 > most || group.ids.len() + n > u32::MAX as usize
        };
        if groups.last().is_none_or(full) {
            groups.push(Group { tiles: Vec::new(), ids: Vec::new(), elements: 0 });
        }
        let group = groups.last_mut().expect("one was just made if there was none");
        group.tiles.push(Tile {
            ranks: group.elements as u64,
            first_job: 0,
            n: n as u32,
            stride: stride(n) as u32,
            ids: group.ids.len() as u32,
            top: top as u32,
        });
        group.ids.extend_from_slice(&neighbours[..top]);
        group.ids.push(v);
        group.ids.extend_from_slice(&neighbours[top..]);
        group.elements += elements;
    }
    groups
}
