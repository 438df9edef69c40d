//! Several processes that share the filtration construction of a run. They are the [`Ranks`] of MPI; since path 1 calls
//! the places of distances ranks, they are called processes here.
//!
//! Process 0 runs the pipeline. The others know neither the input nor the options and follow [orders](Order). They
//! receive each graph that is computed, with the ranks of its edges, and construct their parts of each dimension with
//! process 0 ([`construct_together`]), which then reduces the columns alone. So all choices, of which some depend on
//! times, on free memory or on results so far, are those of process 0.
//!
//! If process 0 chooses devices and every process has some, each sweeps its part of every dimension on its own, ahead
//! of the reduction as one process does. The processors of processes other than 0 wait while process 0 reduces. They
//! could construct the next dimension meanwhile, but where simplices are many, nearly all of the time of construction
//! goes to the last dimension, and the reduction before it is short: 9 ms of 350 ms for the distances of HIV in
//! dimension 2, on one thread.

use std::thread;

use ruint::aliases::U512;
use serde::{Deserialize, Serialize};
use zerocopy::IntoBytes as _;

use super::shaped;
use crate::backend::{Backend, BackendError};
use crate::cuda::{CudaError, Gpu};
use crate::memory::{self, Refused};
use crate::progress::{Progress, interruptible};
use crate::ranks::{Place, Ranks};
use crate::rips::filtration_construction::cuda::ahead::{Ahead, Sweeper};
use crate::rips::filtration_construction::{
    Construction, DeviceSweep, Enumerate, SweepQueue, construct_share,
};
use crate::rips::pair_store::{Pivots, SecondLayer};
use crate::rips::plan::choose::rank_bits;
use crate::rips::rank::{Edges, Layout};
use crate::rips::word::Word;
use crate::rips::{Plan, RipsError, Shape};

/// An order of process 0 to the others.
#[derive(Serialize, Deserialize)]
enum Order {
    /// Open devices, as a graph is likely to be swept on them.
    Open,
    /// Receive a graph, which replaces the one before.
    Graph(Graph),
    /// Construct this dimension of the graph.
    Dimension(usize),
    /// End, as the run is done.
    End,
}

/// The choices of a [`Plan`] on which filtration construction depends, and the size of the graph.
#[derive(Serialize, Deserialize)]
struct Graph {
    points: usize,
    shape: Shape,
    rank_width: u32,
    entry_width: u32,
    layer: SecondLayer,
    rank_bits: u32,
    max_dim: usize,
    /// Whether the residues are to be constructed on devices, if every process has some, and whether a process without
    /// them is an error.
    sweeps: Option<bool>,
    /// Number of edges, if they are sent with their points. Otherwise the ranks of all pairs are sent, row by row below
    /// the diagonal.
    listed: Option<usize>,
}

/// Bytes after which a part of a graph is sent.
const PIECE: usize = if cfg!(test) { 100 } else { 4 << 20 };

/// Tells the other processes to open their devices.
pub(super) fn order_devices(processes: &dyn Ranks) {
    order(processes, &Order::Open);
}

/// Tells the other processes to construct a dimension.
pub(super) fn order_dimension(processes: &dyn Ranks, dim: usize) {
    order(processes, &Order::Dimension(dim));
}

/// Tells the other processes that the run is done.
pub(super) fn order_end(processes: &dyn Ranks) {
    order(processes, &Order::End);
}

fn order(processes: &dyn Ranks, order: &Order) {
    if processes.size() > 1 {
        processes.broadcast(&mut serde_json::to_vec(order).expect("numbers and names are JSON"));
    }
}

/// Waits for the next order.
fn next_order(processes: &dyn Ranks) -> Order {
    let mut bytes = Vec::new();
    processes.broadcast(&mut bytes);
    serde_json::from_slice(&bytes).expect("an order of process 0, which is the same program")
}

/// Sends a graph with this many distinct ranks to the other processes. `sweeps` says whether its residues are to be
/// constructed on devices, and then whether a process without them is an error; returns whether all processes have
/// some.
pub(super) fn order_graph(
    processes: &dyn Ranks,
    plan: &Plan,
    edges: &Edges,
    ranks: usize,
    sweeps: Option<bool>,
) -> bool {
    if processes.size() == 1 || plan.max_dim == 0 {
        return sweeps.is_some();
    }
    let Plan { points, max_dim, shape, rank_width, entry_width, pair_store: layer, .. } = *plan;
    let rank_bits = rank_bits(ranks);
    let is_listed = shape != Shape::Dense || matches!(edges.layout, Layout::Pairs(_));
    let listed = is_listed.then(|| edges.lower_degrees().into_iter().sum());
    let graph = Graph { points, shape, rank_width, entry_width, layer, rank_bits, max_dim, sweeps, listed };
    order(processes, &Order::Graph(graph));
    let mut piece = Vec::new();
    let mut send = |numbers: &[u32], is_last: bool| {
        piece.extend_from_slice(numbers.as_bytes());
        if piece.len() >= PIECE || is_last && !piece.is_empty() {
            processes.broadcast(&mut piece);
            piece.clear();
        }
    };
    if is_listed {
        edges.each(|i, j, rank| send(&[i, j, rank], false));
    } else {
        (0..points).for_each(|i| send(edges.lower_row(i), false));
    }
    send(&[], true);
    sweeps.is_some() && all_have_devices(processes, true)
}

/// Whether this process and all others have devices.
fn all_have_devices(processes: &dyn Ranks, has_devices: bool) -> bool {
    let mut without = [i64::from(!has_devices)];
    processes.sum(&mut without);
    without == [0]
}

/// Receives the graph that process 0 sends after this order.
fn receive(processes: &dyn Ranks, graph: &Graph) -> Result<Box<dyn Enumerate>, Refused> {
    let &Graph { points, shape, rank_width, listed, .. } = graph;
    let mut piece = Vec::new();
    let mut edges = Edges { points, numbers: Vec::new(), layout: Layout::Lower };
    let Some(count) = listed else {
        let count = points * points.saturating_sub(1) / 2;
        memory::reserve(&mut edges.numbers, count)?;
        while edges.numbers.len() < count {
            processes.broadcast(&mut piece);
            edges.numbers.extend(piece.as_chunks().0.iter().map(|&bytes| u32::from_ne_bytes(bytes)));
        }
        return shaped(points, shape, rank_width, edges);
    };
    let mut pairs = memory::with_room(count)?;
    memory::reserve(&mut edges.numbers, count)?;
    while pairs.len() < count {
        processes.broadcast(&mut piece);
        let (ends_and_ranks, _) = piece.as_chunks::<12>();
        for edge in ends_and_ranks {
            let [i, j, rank]: [u32; 3] = zerocopy::transmute!(*edge);
            pairs.push((i, j));
            edges.numbers.push(rank);
        }
    }
    shaped(points, shape, rank_width, Edges { layout: Layout::Pairs(pairs), ..edges })
}

/// Takes part in the run of process 0, as another process, until that is done, with the devices of `backend` if that
/// chooses devices. A run that ends early, also with a [partial result](crate::rips::Outcome::unfinished), does not
/// tell the other processes: they have to be ended.
///
/// # Errors
/// There is not enough memory for a graph; devices are required and this process has none, or they fail.
///
/// # Panics
/// Panics if this process is process 0.
pub fn take_part(processes: &dyn Ranks, backend: &Backend) -> Result<(), RipsError> {
    let sweeper: Sweeper<'_> = &|complex, sweep, found| complex.sweep_on(sweep, found);
    interruptible(&(), |progress| {
        Follower { processes, open: &|| backend.open(), sweeper, progress }.follow()
    })
}

/// A process that follows the orders of process 0.
struct Follower<'a> {
    processes: &'a dyn Ranks,
    /// Opens this process's devices, unless they are open.
    open: &'a dyn Fn() -> Result<Vec<Gpu>, CudaError>,
    sweeper: Sweeper<'a>,
    progress: &'a dyn Progress,
}

impl Follower<'_> {
    fn follow(&self) -> Result<(), RipsError> {
        assert_ne!(self.processes.rank(), 0, "process 0 runs the pipeline");
        let mut order = next_order(self.processes);
        loop {
            order = match order {
                Order::Open => {
                    // A failure is told when the devices are needed.
                    let _ = (self.open)();
                    next_order(self.processes)
                }
                Order::Graph(graph) => {
                    let complex = receive(self.processes, &graph)?;
                    match graph.entry_width {
                        64 => self.construct_all::<u64>(&*complex, &graph),
                        128 => self.construct_all::<u128>(&*complex, &graph),
                        _ => self.construct_all::<U512>(&*complex, &graph),
                    }?
                }
                Order::Dimension(_) | Order::End => return Ok(()),
            };
        }
    }

    /// Constructs this process's parts of the dimensions that are ordered, on devices if all processes have some.
    /// Returns the first other order.
    fn construct_all<W: Word>(&self, complex: &dyn Enumerate, graph: &Graph) -> Result<Order, RipsError> {
        let &Graph { points, max_dim, layer, rank_bits, rank_width, .. } = graph;
        let (process, progress) = (Place::among(self.processes), self.progress);
        let (nothing, gpus) = (Pivots::<W>::with_capacity(0)?, self.gpus(graph)?);
        let sweeper = gpus.is_some().then_some(self.sweeper);
        let (gpus, queue, limbs) = (&*gpus.unwrap_or_default(), &SweepQueue::default(), W::LIMBS);
        let sweep = DeviceSweep {
            gpus,
            points,
            max_dim,
            layer,
            rank_bits,
            rank_width,
            limbs,
            process,
            queue,
            progress,
        };
        thread::scope(|scope| {
            let (mut ahead, mut last) = (Ahead::start(scope, sweeper, complex, sweep), 0);
            loop {
                let dim = match next_order(self.processes) {
                    Order::Dimension(dim) => dim,
                    other => return Ok(other),
                };
                progress.begin("assembly", Some(dim), complex.work(dim));
                // Process 0 may have the dimensions before from a checkpoint.
                let mut swept = None;
                for _ in last..dim {
                    swept = ahead.next(progress, &mut || false).map_err(BackendError::from)?;
                }
                last = dim;
                let construction = Construction::new(dim, layer, rank_width, progress);
                let residue = match swept {
                    Some(swept) => swept.clear(&nothing, layer),
                    None => construct_share(complex, &construction, &nothing, self.processes),
                };
                residue.send(self.processes)?;
            }
        })
    }

    /// The devices to sweep a graph on; `None` if not all processes have some.
    fn gpus(&self, graph: &Graph) -> Result<Option<Vec<Gpu>>, BackendError> {
        let Some(is_required) = graph.sweeps else { return Ok(None) };
        let gpus = (self.open)();
        if is_required && let Err(error) = gpus {
            return Err(error.into());
        }
        let all_sweep = all_have_devices(self.processes, gpus.is_ok());
        Ok(gpus.ok().filter(|_| all_sweep))
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::tests::solve_together;
    use super::*;
    use crate::metric::{DistanceMatrix, Distances, PointCloud, SparseDistances};
    use crate::ranks::threads::on_ranks;
    use crate::rips::filtration_construction::tests::stand_in::StandIn;
    use crate::rips::representatives::RepresentativesRequest;
    use crate::rips::{Collapse, Outcome, Rips};

    /// Solves by this many processes.
    fn solve_on(processes: usize, rips: &Rips<f32>) -> Outcome {
        let run = |processes: &dyn Ranks| {
            if processes.rank() > 0 {
                take_part(processes, &Backend::default()).unwrap();
                return None;
            }
            Some(rips.clone().prepare(processes, &()).unwrap().solve_with(processes, &()).unwrap())
        };
        on_ranks(processes, run).into_iter().flatten().next().unwrap()
    }

    /// Results and counts of several processes are those of one.
    fn conforms(rips: &Rips<f32>) {
        let expected = rips.clone().solve(&()).unwrap();
        for processes in [2, 3, 5] {
            let found = solve_on(processes, rips);
            assert_eq!(found.diagram, expected.diagram, "{processes} {rips:?}");
            let why = format!("cpu: {processes} processes share filtration construction");
            assert_eq!(found.plan.backend, why);
            assert_eq!(found.representatives(), expected.representatives());
            for (found, expected) in found.stats.dimensions.iter().zip(&expected.stats.dimensions) {
                let counts = |stats: &crate::rips::DimensionStats| {
                    let store = &stats.pair_store;
                    let decided =
                        [stats.simplices, stats.cleared, stats.apparent, stats.residue, stats.pairs];
                    (stats.dim, decided, store.clearing_reads, store.layer2_writes)
                };
                assert_eq!(counts(found), counts(expected), "{processes} {rips:?}");
            }
            assert_eq!(found.stats.dimensions.len(), expected.stats.dimensions.len());
        }
    }

    /// Distances below `values` of the pairs of points that are drawn, of which `share` are kept.
    fn random(generator: &mut Pcg64Mcg, points: usize, values: u32, share: f64) -> Distances<f32> {
        let mut distance = || 1.0 + generator.random_range(0..values) as f32;
        let matrix = DistanceMatrix::from_lower((0..points * (points - 1) / 2).map(|_| distance()).collect());
        let matrix = matrix.unwrap();
        if share >= 1.0 {
            return matrix.into();
        }
        let pairs = (0..points).flat_map(|i| (0..i).map(move |j| (i, j)));
        let pairs: Vec<(usize, usize)> = pairs.filter(|_| generator.random_bool(share)).collect();
        let edges = pairs.into_iter().map(|(i, j)| (i as u32, j as u32, matrix.get(i, j)));
        SparseDistances::new(points, edges).unwrap().into()
    }

    #[test]
    fn processes_find_what_one_finds() {
        let mut generator = Pcg64Mcg::seed_from_u64(38);
        for (points, max_dim) in [(1, 1), (2, 2), (5, 4), (14, 12), (33, 2), (140, 1)] {
            for values in [1, 4, 1 << 20] {
                for share in [1.0, 0.5, 0.1] {
                    let rips = Rips::new(random(&mut generator, points, values, share)).max_dim(max_dim);
                    let rips = rips.collapse(Collapse::Off);
                    conforms(&rips);
                    conforms(&rips.clone().threshold(values as f64 / 3.0).pair_store(SecondLayer::Sorted));
                    conforms(&rips.clone().collapse(Collapse::On).modulus(3));
                    conforms(&rips.collapse(Collapse::Auto));
                }
            }
        }
    }

    /// Solves by processes with stand-ins for devices, of which process 1 has none where `one_lacks` it. The others
    /// return their errors.
    fn solve_on_devices(rips: &Rips<f32>, one_lacks: bool) -> Vec<Result<Outcome, String>> {
        let sweeper: Sweeper<'_> =
            &|complex, sweep, found| StandIn { fails: None }.sweep(complex, sweep, found);
        let run = |processes: &dyn Ranks| {
            if processes.rank() == 0 {
                return Some(solve_together(rips, processes, None, true, true).map_err(|e| e.to_string()));
            }
            let lacks = one_lacks && processes.rank() == 1;
            let open = || if lacks { Err(CudaError::NoDevice) } else { Ok(Vec::new()) };
            let follower = Follower { processes, open: &open, sweeper, progress: &() };
            follower.follow().err().map(|error| Err(error.to_string()))
        };
        on_ranks(3, run).into_iter().flatten().collect()
    }

    #[test]
    fn devices_of_several_processes_find_what_one_finds() {
        let mut generator = Pcg64Mcg::seed_from_u64(40);
        for (values, share) in [(1 << 20, 1.0), (30, 1.0), (1 << 20, 0.4), (4, 0.4)] {
            for collapse in [Collapse::Off, Collapse::On] {
                let rips = Rips::new(random(&mut generator, 33, values, share)).max_dim(3).collapse(collapse);
                for rips in [rips.clone().pair_store(SecondLayer::Sorted), rips] {
                    let expected = rips.clone().solve(&()).unwrap();
                    for (one_lacks, why) in [
                        (false, "cuda: it pays; 3 processes share filtration construction"),
                        (true, "cuda: it pays, but not all of 3 processes have a GPU"),
                    ] {
                        let found = solve_on_devices(&rips, one_lacks);
                        let [Ok(found)] = &found[..] else { panic!("{found:?}") };
                        assert_eq!(found.diagram, expected.diagram, "{one_lacks} {rips:?}");
                        let machine = if one_lacks { "cpu" } else { "cuda" };
                        let dimensions = &found.stats.dimensions;
                        assert!(dimensions.iter().all(|stats| stats.backend == machine), "{dimensions:?}");
                        assert_eq!(found.plan.backend, why.replacen("cuda", machine, 1));
                    }
                }
            }
        }
    }

    /// Entries of all widths, landmarks, representatives, and points whose distances are found by a tree.
    #[test]
    fn processes_share_every_kind_of_input() {
        let mut generator = Pcg64Mcg::seed_from_u64(39);
        let coordinates = (0..600).map(|_| generator.random_range(0..40) as f32).collect();
        let cloud = Rips::new(PointCloud::new(3, coordinates).unwrap()).max_dim(2);
        conforms(&cloud.clone().max_dim(0));
        conforms(&cloud.clone().threshold(12.0));
        conforms(&cloud.clone().landmarks(Some(50)).max_dim(3));
        conforms(&cloud.representatives(RepresentativesRequest::default()));
        let near = random(&mut generator, 12, 5, 1.0);
        let Distances::Matrix(near) = near else { unreachable!("all pairs are kept") };
        // The numbers of points are wide, and their simplices take 512 bits.
        let pairs = (0..12).flat_map(|i| (0..i).map(move |j| (i, j)));
        let edges = pairs.map(|(i, j)| (7001 * i as u32, 7001 * j as u32, near.get(i, j)));
        conforms(&Rips::new(random(&mut generator, 17, 3, 1.0)).max_dim(11));
        conforms(&Rips::new(SparseDistances::new(90_000, edges).unwrap()).max_dim(6));
    }
}
