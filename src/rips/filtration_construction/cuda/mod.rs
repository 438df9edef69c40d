//! Filtration construction on GPUs: sweeps of all dimensions, ahead of the reduction.
//!
//! Which simplices a sweep leaves undecided depends on the distances alone; only clearing depends on the pairs of the
//! dimension below. So the devices sweep the dimensions on their own, while the CPU reduces the dimension before
//! ([`ahead`]) and then removes the undecided simplices that layer 1 clears ([`Undecided::clear`]).
//!
//! A complex is a list of tiles (`kernels/filtration_construction.cu`): the one matrix of a dense complex, for each
//! greatest vertex, or the neighbourhoods of a sparse one, in groups that fit the memory ([`groups`]). Jobs are
//! distributed in batches ([`batches`], [`queue`]) to the devices, each driven by a [`worker`]. A batch that finds more
//! than its output holds is split and repeated, so the result does not depend on the amount of memory. While the CPU
//! waits for the triangles of a dense complex, it sweeps some of the batches itself.
//!
//! Several processes, each with devices of its own, share the tiles: each takes those of its greatest vertices.

pub(in crate::rips) mod ahead;
mod batches;
mod groups;
mod queue;
mod received;
mod worker;

use std::panic::resume_unwind;
use std::thread::Builder;
use std::time::Instant;

use self::groups::Group;
pub use self::queue::SweepQueue;
use self::worker::Worker;
use super::Undecided;
use crate::cuda::filtration_construction::MOST_VERTICES;
use crate::cuda::{CudaError, Gpu, KernelRank};
use crate::progress::Progress;
use crate::ranks::Place;
use crate::rips::complex::{RankMatrix, Sparse};
use crate::rips::pair_store::SecondLayer;
use crate::simd::Rank;

/// The sweep of all dimensions on devices.
pub struct DeviceSweep<'a> {
    /// The devices to sweep on.
    pub gpus: &'a [Gpu],
    /// Number of points of the complex.
    pub points: usize,
    /// The greatest dimension swept; the least is 1.
    pub max_dim: usize,
    /// The kind of second layer of the pair store.
    pub layer: SecondLayer,
    /// Bits of a rank in an entry.
    pub rank_bits: u32,
    /// Bits of a stored rank.
    pub rank_width: u32,
    /// 64-bit limbs of an entry.
    pub limbs: usize,
    /// The process whose share is swept.
    pub process: Place,
    /// The batches of the dimension that is swept.
    pub queue: &'a SweepQueue,
    /// Tells whether the run is to end early. The result of a dimension is then incomplete and must not be used.
    pub progress: &'a dyn Progress,
}

/// The input from which the matrices on the devices are made.
pub(super) enum Source<'a, R> {
    /// A matrix of all ranks.
    Matrix(RankMatrix<'a, R>),
    /// A graph whose neighbourhoods are matrices of ranks.
    Graph(&'a Sparse),
}

/// Receives the result of one dimension after another, and returns whether the sweep goes on.
pub type OnSwept<'a> = &'a mut dyn FnMut(Result<Undecided, CudaError>) -> bool;

impl DeviceSweep<'_> {
    /// Sweeps one dimension after another and passes the result of each on until told to stop.
    pub(super) fn run<R: KernelRank + Rank>(&self, source: &Source<'_, R>, found: OnSwept<'_>) {
        let sweep = |found: OnSwept<'_>| {
            let groups = self.groups(source)?;
            let mut workers = self.workers(source, &groups)?;
            let may_lend = matches!(source, Source::Matrix(_)) && self.process.of == 1;
            let mut dimension = |dim| self.dimension(&mut workers, &groups, may_lend, dim);
            let _ = (1..=self.max_dim).all(|dim| found(dimension(dim)));
            Ok(())
        };
        if let Err(error) = sweep(found) {
            found(Err(error));
        }
    }

    /// The tiles of this process, in groups that take at most half of the memory free on every device.
    fn groups<R: Rank>(&self, source: &Source<'_, R>) -> Result<Vec<Group>, CudaError> {
        // A greater vertex is the greatest of more simplices.
        let is_own = |&vertex: &u32| owns(self.process, self.points - 1 - vertex as usize);
        let vertices = (0..self.points as u32).filter(is_own);
        match source {
            Source::Matrix(matrix) => Ok(vec![groups::of_matrix(matrix.n, matrix.stride, vertices)]),
            Source::Graph(graph) => {
                let available = self.gpus.iter().map(Gpu::available);
                let least = available.reduce(|a, b| Ok(a?.min(b?))).unwrap_or(Ok(0))?;
                Ok(groups::of_neighbourhoods(graph, vertices, least / 2, size_of::<R>()))
            }
        }
    }

    fn workers<'a, R: KernelRank + Rank>(
        &self,
        source: &'a Source<'a, R>,
        groups: &'a [Group],
    ) -> Result<Vec<Worker<'a, R>>, CudaError>
    where
        Self: 'a,
    {
        let limbs = self.limbs;
        if limbs > 2 {
            return Err(CudaError::Unfit { what: "bits of an entry", limit: 128, found: 64 * limbs });
        }
        let lists_apparent = self.layer == SecondLayer::Sorted;
        let most_apparent = lists_apparent.then(|| batches::most_simplices(groups, self.max_dim));
        self.gpus.iter().map(|gpu| Worker::new(gpu, source, groups, limbs, most_apparent)).collect()
    }

    /// The undecided simplices of a dimension, from all devices. `may_lend` says whether the processor may take part.
    fn dimension<R: KernelRank + Rank>(
        &self,
        workers: &mut [Worker<'_, R>],
        groups: &[Group],
        may_lend: bool,
        dim: usize,
    ) -> Result<Undecided, CudaError> {
        if dim + 2 > MOST_VERTICES {
            return Err(CudaError::Unfit { what: "vertices", limit: MOST_VERTICES, found: dim + 2 });
        }
        let started = Instant::now();
        let most = workers.iter().filter_map(Worker::most_simplices).min();
        let devices = workers.len() as u64;
        let batches = match groups {
            [matrix] if may_lend && dim == 2 && most.is_none() => batches::of_triangles(matrix, devices),
            _ => batches::of_groups(groups, dim, devices, most),
        };
        self.queue.begin(dim, batches);
        if let [worker] = workers {
            worker.work(self, dim)?;
        } else {
            in_parallel(workers, |worker| worker.work(self, dim))?;
        }
        let mut found = self.queue.end();
        found.seconds = started.elapsed().as_secs_f64();
        Ok(found)
    }
}

/// Runs each worker on a thread of its own.
///
/// # Errors
/// [`CudaError::NoThread`], or the first error of a worker.
fn in_parallel<T: Send>(
    workers: &mut [T],
    work: impl Fn(&mut T) -> Result<(), CudaError> + Sync,
) -> Result<(), CudaError> {
    let work = &work;
    std::thread::scope(|scope| {
        let start = |worker| Builder::new().name("sweep".into()).spawn_scoped(scope, move || work(worker));
        let started: Vec<_> = workers.iter_mut().map(start).collect();
        // A panic resumes in the waiting thread, which treats it as a failure of the devices.
        started.into_iter().try_for_each(|thread| {
            let thread = thread.map_err(|_| CudaError::NoThread)?;
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    })
}

/// Whether a process has the tiles with this number. Tiles become fewer from the first number to the last, so the
/// processes have numbers in turn and back, such as 0, 1, 2, 2, 1, 0, 0, 1, … of three: then all have nearly the same
/// amount of work.
fn owns(process: Place, number: usize) -> bool {
    let Place { number: own, of } = process;
    number % of == if (number / of).is_multiple_of(2) { own } else { of - 1 - own }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_worker_works_and_its_failure_is_told() {
        let mut workers = [1u32, 2, 3];
        let double = |worker: &mut u32| {
            *worker *= 2;
            if *worker == 4 { Err(CudaError::NoDevice) } else { Ok(()) }
        };
        assert_eq!(in_parallel(&mut workers, double), Err(CudaError::NoDevice));
        assert_eq!(workers, [2, 4, 6]);
        assert_eq!(in_parallel(&mut workers[..1], |_| Ok(())), Ok(()));
    }

    #[test]
    fn every_number_belongs_to_one_process_and_all_have_alike_work() {
        for numbers in [0, 1, 2, 5, 6, 7, 100, 1000] {
            for of in [1, 2, 3, 5, 8] {
                let own =
                    |process: usize| (0..numbers).filter(move |&at| owns(Place { number: process, of }, at));
                let mut all: Vec<usize> = (0..of).flat_map(own).collect();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..numbers), "{numbers} {of}");
                let work = || (0..of).map(|process| own(process).map(|at| numbers - at).sum::<usize>());
                let difference = work().max().unwrap() - work().min().unwrap();
                assert!(difference <= of.max(numbers.min(of)), "{numbers} {of}");
            }
        }
    }
}
