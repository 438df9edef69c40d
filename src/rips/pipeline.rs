//! Path 1 from distances to diagram.

use std::time::Instant;

use rayon::prelude::*;
use ruint::aliases::U512;

use super::code::{Code, MOST_POINTS, vertex_bits};
use super::complex::{Complex, Dense, Sparse};
use super::components::{Forest, kruskal, prim};
use super::field::{Field, Modulo, Two};
use super::filtration_construction::{self, Assemble, binomial};
use super::offload::{Ahead, Machine};
use super::pair_store::{ApparentPairs, PairStore, Pivots};
use super::rank::{Edges, Ranking, matrix_of_points, rank};
use super::stats::{DimensionStats, PairStoreStats};
use super::word::Word;
use super::{
    Outcome, Plan, Progress, Rips, RipsError, Shape, Stats, Summary, Threshold, estimate, footprint, plan,
    submatrix_reduction,
};
use crate::backend::{BackendError, Estimate};
use crate::cuda::{CudaError, Gpu, KernelRank};
use crate::diagram::{Bar, Diagram};
use crate::memory;
use crate::metric::{DistanceMatrix, Distances, Value};
use crate::simd::{Level, Rank};

/// Ranks, chooses the widths, and computes.
pub(super) fn run<T: Value>(
    rips: Rips<T>,
    modulus: u16,
    progress: &dyn Progress,
) -> Result<Outcome, RipsError> {
    let backend = rips.backend.clone();
    run_on(rips, modulus, progress, &|estimate| Ok(backend.decide(estimate)?.into()))
}

/// Decides which machine is to do the work of an estimate.
type Decide<'a> = &'a dyn Fn(&Estimate) -> Result<Machine, BackendError>;

/// Like [`run`], on the machine that `decide` decides on.
fn run_on<T: Value>(
    rips: Rips<T>,
    modulus: u16,
    progress: &dyn Progress,
    decide: Decide<'_>,
) -> Result<Outcome, RipsError> {
    let start = Instant::now();
    let points = rips.distances.len();
    if points > MOST_POINTS {
        return Err(RipsError::TooManyPoints { points, most: MOST_POINTS });
    }
    let Rips { distances, threshold, max_dim, pair_store, backend, .. } = rips;
    let (distances, summary) = survey(distances, threshold, progress)?;
    // How many different distances there are is known when they are ranked; meanwhile a device may begin to open.
    let rank_width = if summary.edges > usize::from(u16::MAX) { 32 } else { 16 };
    backend.expect(&estimate::of(&summary, max_dim, rank_width, Level::detect()));
    footprint::check_ranking(&distances, &summary)?;
    progress.begin("rank", None, 1);
    let ranking = rank(&distances, T::from_f64(summary.threshold))?;
    drop(distances);
    compute(start, &Asked { max_dim, modulus, pair_store, decide }, summary, ranking, progress)
}

/// What is asked of ranked distances.
struct Asked<'a> {
    max_dim: usize,
    modulus: u16,
    pair_store: plan::PairStore,
    decide: Decide<'a>,
}

/// Chooses the widths and computes. From here on the precision of the distances does not matter.
fn compute(
    start: Instant,
    asked: &Asked<'_>,
    summary: Summary,
    ranking: Ranking,
    progress: &dyn Progress,
) -> Result<Outcome, RipsError> {
    let mut plan = plan(asked, &summary, &ranking)?;
    let estimate = estimate::of(&summary, asked.max_dim, plan.rank_width, Level::detect());
    let machine = (asked.decide)(&estimate)?;
    let Ranking { values, edges } = ranking;
    let mut run = Run {
        plan: &plan,
        values: &values,
        machine: &machine,
        progress,
        stats: Stats::default(),
        failure: None,
    };
    let level = Level::detect();
    let diagram = match (plan.shape, plan.rank_width) {
        (Shape::Sparse { .. }, _) => run.with_complex(start, edges.graph(plan.points)?),
        (Shape::Dense, 16) => run.with_complex(start, dense::<u16>(&plan, edges, level)?),
        (Shape::Dense, _) => run.with_complex(start, dense::<u32>(&plan, edges, level)?),
    };
    let diagram = diagram?;
    let Run { mut stats, failure, .. } = run;
    let decision = &machine.decision;
    stats.device_memory = decision.gpus.iter().map(Gpu::peak).max().unwrap_or(0);
    plan.backend = what_ran(&machine, &stats.dimensions, failure.as_ref());
    let notes = failure.map(|error| format!("{error}; the processor goes on")).into_iter().collect();
    Ok(Outcome { diagram, stats, plan, summary, notes })
}

/// The machine that did the work, and why it did: as was decided, unless the devices failed on the way.
fn what_ran(machine: &Machine, dimensions: &[DimensionStats], failure: Option<&CudaError>) -> String {
    let decision = &machine.decision;
    let name = if machine.has_devices() { CUDA } else { CPU };
    let Some(error) = failure else { return format!("{name}: {}", decision.why) };
    let last = dimensions.iter().rfind(|stats| stats.backend == CUDA).map(|stats| stats.dim);
    match last {
        None => format!("{CPU}: {}, but {error}", decision.why),
        Some(last) => {
            let why = &decision.why;
            format!("{CUDA}+{CPU}: {why}, but after dimension {last} {error}; the processor did the rest")
        }
    }
}

/// The names of the machines, in plans and statistics.
const CPU: &str = "cpu";
const CUDA: &str = "cuda";

/// The figures of the input, and the input itself, point clouds without a finite threshold as a matrix.
fn survey<T: Value>(
    distances: Distances<T>,
    threshold: Threshold,
    progress: &dyn Progress,
) -> Result<(Distances<T>, Summary), RipsError> {
    let bounded = matches!(threshold, Threshold::Value(t) if t.is_finite());
    if let Distances::Points(points) = &distances
        && !bounded
    {
        footprint::check_matrix::<T>(points.len())?;
        progress.begin("distances", None, binomial(points.len(), 2));
        let matrix = matrix_of_points(points, progress)?;
        progress.begin("summary", None, 1);
        let distances = Distances::Matrix(matrix);
        let summary = Summary::of(&distances, threshold);
        // Up to a finite threshold a distance that is too great for its precision makes no difference.
        if summary.threshold.is_infinite()
            && let Distances::Matrix(matrix) = &distances
            && let Some((i, j)) = first_infinite(matrix)
        {
            return Err(RipsError::TooFarApart { i, j });
        }
        let ambient_dimension = Some(points.dimension());
        return Ok((distances, Summary { ambient_dimension, ..summary }));
    }
    progress.begin("summary", None, 1);
    let summary = Summary::of(&distances, threshold);
    Ok((distances, summary))
}

/// The first two points whose distance is infinite, if there are any.
fn first_infinite<T: Value>(matrix: &DistanceMatrix<T>) -> Option<(usize, usize)> {
    let place = matrix.lower().par_iter().position_first(|&d| d == T::INFINITY)?;
    let i = (1..matrix.len()).find(|i| i * (i + 1) / 2 > place)?;
    Some((i, place - i * (i - 1) / 2))
}

fn dense<R: Rank + KernelRank>(plan: &Plan, edges: Edges, level: Level) -> Result<Dense<R>, RipsError> {
    Ok(Dense::new(plan.points, edges.square(plan.points)?, level))
}

/// A dense matrix when at least one pair in this many is an edge.
pub(super) const SPARSE_BELOW: usize = 8;

fn plan(asked: &Asked<'_>, summary: &Summary, ranking: &Ranking) -> Result<Plan, RipsError> {
    let n = summary.points;
    let max_dim = asked.max_dim.min(n.saturating_sub(2));
    let ranks = ranking.values.len();
    // Bits of the greatest rank; a rank of a stored matrix is also below the value for absent edges.
    let rank_bits = rank_bits(ranks);
    let index_width = u64::from(vertex_bits(n)) * (max_dim as u64 + 2);
    let bits = index_width + u64::from(rank_bits);
    let entry_width = [64, 128, 512].into_iter().find(|&width| bits < u64::from(width));
    let Some(entry_width) = entry_width else {
        return Err(RipsError::TooWide { dim: max_dim, points: n, bits, widest: 512 });
    };
    if asked.pair_store == plan::PairStore::Sorted {
        check_sorted(&ranking.edges, n, max_dim, entry_width)?;
    }
    let dense = summary.edges >= n * n.saturating_sub(1) / 2 / SPARSE_BELOW;
    let shape = if dense { Shape::Dense } else { Shape::Sparse { bitsets: Sparse::affords_bitsets(n) } };
    Ok(Plan {
        points: n,
        edges: summary.edges,
        max_dim,
        asked_dim: asked.max_dim,
        modulus: asked.modulus,
        threshold: summary.threshold,
        enclosing_radius: summary.enclosing_radius,
        ranks,
        rank_width: if ranks <= usize::from(u16::MAX) { 16 } else { 32 },
        // Below 512, as was just checked.
        index_width: index_width as u32,
        entry_width,
        shape,
        pair_store: asked.pair_store,
        threads: rayon::current_num_threads(),
        backend: String::new(),
        simd: Level::detect().name(),
    })
}

/// Bits of the greatest of so many ranks.
fn rank_bits(ranks: usize) -> u32 {
    usize::BITS - (ranks - 1).leading_zeros()
}

/// Refuses a sorted second layer that may not fit: a dimension has at most as many apparent pairs as simplices, those
/// at most the choices of d smaller neighbours of a point, and an entry is held twice while they are collected.
fn check_sorted(edges: &Edges, n: usize, max_dim: usize, entry_width: u32) -> Result<(), RipsError> {
    let Some(available) = memory::available() else { return Ok(()) };
    let degrees = edges.lower_degrees(n);
    let simplices = |dim| degrees.iter().fold(0u64, |sum, &k| sum.saturating_add(binomial(k, dim)));
    let most = (1..=max_dim).map(simplices).max().unwrap_or(0);
    let needed = most.saturating_mul(2 * u64::from(entry_width) / 8);
    if needed > available {
        return Err(RipsError::PairStoreMemory { needed, available });
    }
    Ok(())
}

/// What the stages share.
struct Run<'a> {
    plan: &'a Plan,
    values: &'a [f64],
    machine: &'a Machine,
    progress: &'a dyn Progress,
    stats: Stats,
    /// Why the devices were given up, if they were.
    failure: Option<CudaError>,
}

/// A complex of either shape.
trait Shaped: Assemble {
    /// Steps of [`Shaped::forest`], as it tells of them; 1 when it does not.
    fn forest_work(&self) -> u64;

    fn forest<W: Word>(&self, code: &Code<W>, progress: &dyn Progress) -> Forest<W>;
}

impl<R: Rank + KernelRank> Shaped for Dense<R> {
    fn forest_work(&self) -> u64 {
        self.points() as u64
    }

    fn forest<W: Word>(&self, code: &Code<W>, progress: &dyn Progress) -> Forest<W> {
        prim(self, code, progress)
    }
}

impl Shaped for Sparse {
    fn forest_work(&self) -> u64 {
        1
    }

    fn forest<W: Word>(&self, code: &Code<W>, _: &dyn Progress) -> Forest<W> {
        kruskal(self, code)
    }
}

impl Run<'_> {
    fn with_complex<C: Shaped>(&mut self, start: Instant, complex: C) -> Result<Diagram, RipsError> {
        self.stats.rank_seconds = start.elapsed().as_secs_f64();
        match self.plan.entry_width {
            64 => self.with_word::<C, u64>(&complex),
            128 => self.with_word::<C, u128>(&complex),
            _ => self.with_word::<C, U512>(&complex),
        }
    }

    fn with_word<C: Shaped, W: Word>(&mut self, complex: &C) -> Result<Diagram, RipsError> {
        match self.plan.modulus {
            2 => self.barcode::<C, W, Two>(complex, Two),
            p => self.barcode::<C, W, Modulo>(complex, Modulo::new(p)),
        }
    }

    /// The barcode, devices sweeping ahead of the processor if there are any.
    fn barcode<C: Shaped, W: Word, F: Field>(&mut self, complex: &C, field: F) -> Result<Diagram, RipsError> {
        let machine = self.machine;
        if !machine.has_devices() {
            return self.dimensions::<C, W, F>(complex, field, Ahead::nobody());
        }
        let task = filtration_construction::Offload {
            gpus: &machine.decision.gpus,
            points: self.plan.points,
            max_dim: self.plan.max_dim,
            layer: self.plan.pair_store,
            rank_bits: rank_bits(self.values.len()),
        };
        let rank_width = self.plan.rank_width;
        std::thread::scope(|scope| {
            let (ahead, found) = Ahead::on_devices();
            // Without a thread nothing is handed over, which counts as a failure of the devices.
            let _ = std::thread::Builder::new()
                .name("sweep".into())
                .spawn_scoped(scope, move || machine.sweep::<C, W>(complex, &task, rank_width, found));
            self.dimensions::<C, W, F>(complex, field, ahead)
        })
    }

    /// The algorithm: dimension 0 by a spanning forest; then, dimension by dimension, assemble the residue, cleared by
    /// the pairs of the dimension below, and reduce it.
    fn dimensions<C: Shaped, W: Word, F: Field>(
        &mut self,
        complex: &C,
        field: F,
        mut ahead: Ahead<W>,
    ) -> Result<Diagram, RipsError> {
        let (bars, mut store) = self.components::<C, W>(complex)?;
        let mut dimensions = vec![bars];
        for dim in 1..=self.plan.max_dim {
            let (code, cofacet_code) = (self.code(dim), self.code(dim + 1));
            let residue = self.assemble(complex, dim, &store, &mut ahead)?;
            let started = Instant::now();
            self.progress.begin("reduction", Some(dim), residue.columns.len() as u64);
            let reduction = submatrix_reduction::reduce(&submatrix_reduction::Task {
                complex,
                field,
                code,
                cofacet_code,
                // Ranks are stored in 32 bits.
                ranks: self.values.len() as u32,
                columns: &residue.columns,
                apparent: &residue.apparent,
                progress: self.progress,
            })?;
            let reduction_seconds = started.elapsed().as_secs_f64();
            dimensions.push(self.bars(&residue.columns, &reduction.pivots, &code, &cofacet_code));
            self.count(&residue, &reduction, reduction_seconds);
            store = PairStore { pivots: reduction.store, apparent: residue.apparent };
        }
        Ok(Diagram::new(dimensions))
    }

    /// Entries of simplices of one dimension.
    fn code<W: Word>(&self, dim: usize) -> Code<W> {
        Code::new(self.plan.points, dim + 1)
    }

    /// Dimension 0: its bars, and the edges they die with.
    fn components<C: Shaped, W: Word>(&mut self, complex: &C) -> Result<(Vec<Bar>, PairStore<W>), RipsError> {
        let started = Instant::now();
        self.progress.begin("components", Some(0), complex.forest_work());
        let code = self.code(1);
        let Forest { edges, trees } = complex.forest::<W>(&code, self.progress);
        let deaths = edges.iter().map(|&edge| self.values[code.rank(edge) as usize]);
        let essential = std::iter::repeat_n(f64::INFINITY, trees);
        let bars = deaths.filter(|&d| d > 0.0).chain(essential).map(|death| Bar { birth: 0.0, death });
        let bars = bars.collect();
        let pivots = Pivots::with_capacity(edges.len())?;
        for &edge in &edges {
            // Each edge comes once.
            let _ = pivots.insert(edge, 0);
        }
        self.stats.components_seconds = started.elapsed().as_secs_f64();
        Ok((bars, PairStore { pivots, apparent: ApparentPairs::None }))
    }

    fn assemble<C: Shaped, W: Word>(
        &mut self,
        complex: &C,
        dim: usize,
        cleared: &PairStore<W>,
        ahead: &mut Ahead<W>,
    ) -> Result<filtration_construction::Assembly<W>, RipsError> {
        let started = Instant::now();
        self.progress.begin("assembly", Some(dim), complex.work(dim));
        let task = filtration_construction::Task {
            dim,
            code: self.code(dim),
            cofacet_code: self.code(dim + 1),
            cleared,
            layer: self.plan.pair_store,
            rank_width: self.plan.rank_width,
            level: Level::detect(),
            progress: self.progress,
        };
        let mut stats = DimensionStats { dim, backend: CPU, ..DimensionStats::default() };
        let decision = &self.machine.decision;
        let swept = match ahead.next() {
            Ok(swept) => swept,
            Err(error) if decision.may_fall_back => {
                self.failure = Some(error);
                None
            }
            Err(error) => return Err(BackendError::from(error).into()),
        };
        let residue = match swept {
            None => complex.assemble(&task),
            Some(undecided) => {
                stats.backend = CUDA;
                stats.device_seconds = undecided.seconds;
                if decision.self_check {
                    let nothing = PairStore { pivots: Pivots::none(), apparent: ApparentPairs::None };
                    let own = complex.assemble(&filtration_construction::Task { cleared: &nothing, ..task });
                    undecided
                        .check(&own, &task.code)
                        .map_err(|difference| RipsError::SelfCheck { dim, difference })?;
                }
                undecided.clear(cleared, self.plan.pair_store)
            }
        };
        stats.assembly_seconds = started.elapsed().as_secs_f64();
        self.stats.dimensions.push(stats);
        Ok(residue)
    }

    /// The bars of the residue, in the order of the columns.
    fn bars<W: Word>(
        &self,
        columns: &[W],
        pivots: &[Option<W>],
        code: &Code<W>,
        cofacet_code: &Code<W>,
    ) -> Vec<Bar> {
        let bar = |(&column, &pivot): (&W, &Option<W>)| Bar {
            birth: self.values[code.rank(column) as usize],
            death: pivot.map_or(f64::INFINITY, |pivot| self.values[cofacet_code.rank(pivot) as usize]),
        };
        columns.iter().zip(pivots).map(bar).filter(|bar| bar.death > bar.birth).collect()
    }

    /// Completes the figures of the last dimension.
    fn count<W: Word>(
        &mut self,
        residue: &filtration_construction::Assembly<W>,
        reduction: &submatrix_reduction::Reduction<W>,
        reduction_seconds: f64,
    ) {
        let (simplices, counts) = (residue.counts, reduction.counts);
        let paired = reduction.pivots.iter().flatten().count() as u64;
        let Some(stats) = self.stats.dimensions.last_mut() else { return };
        *stats = DimensionStats {
            simplices: simplices.simplices,
            cleared: simplices.cleared,
            apparent: simplices.apparent,
            shortcut: simplices.apparent + counts.shortcut,
            emergent: simplices.apparent + counts.emergent,
            pairs: simplices.apparent + paired,
            essential: reduction.pivots.len() as u64 - paired,
            residue: reduction.pivots.len() as u64,
            additions: counts.additions,
            pair_store: PairStoreStats {
                layer1_reads: residue.layer1_reads + counts.layer1_reads,
                layer1_writes: counts.layer1_writes,
                layer2_reads: counts.layer2_reads,
                layer2_writes: residue.apparent.written(),
            },
            reduction_seconds,
            ..*stats
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::offload::stand_in::{Failure, StandIn};
    use super::*;
    use crate::backend::Decision;
    use crate::metric::{PointCloud, SparseDistances};
    use crate::progress::Sums;

    /// Points around a circle, all their distances or, for a sparse complex, some.
    fn distances(is_sparse: bool) -> Distances<f32> {
        let at = |k: usize| [(k as f32 * 0.7).cos(), (k as f32 * 0.7).sin(), (k % 5) as f32 * 0.1];
        let cloud = PointCloud::new(3, (0..40).flat_map(at).collect()).unwrap();
        if !is_sparse {
            return cloud.into();
        }
        let near = (0..40u32).flat_map(|i| (0..i).map(move |j| (i, j)));
        let edges = near.map(|(i, j)| (9 * i, 9 * j, cloud.distance(i as usize, j as usize)));
        SparseDistances::new(400, edges).unwrap().into()
    }

    /// Runs on a stand-in for a device.
    fn solve(
        rips: &Rips<f32>,
        fails: Option<(usize, Failure)>,
        may_fall_back: bool,
        self_check: bool,
    ) -> Result<Outcome, RipsError> {
        let decision = Decision { gpus: Vec::new(), self_check, may_fall_back, why: "it pays".into() };
        run_on(rips.clone(), 2, &(), &|_| {
            Ok(Machine { decision: decision.clone(), stand_in: Some(StandIn { fails }) })
        })
    }

    fn backends(outcome: &Outcome) -> Vec<&'static str> {
        outcome.stats.dimensions.iter().map(|stats| stats.backend).collect()
    }

    #[test]
    fn a_device_that_works_is_recorded() {
        for is_sparse in [false, true] {
            for layer in [plan::PairStore::Implicit, plan::PairStore::Sorted] {
                let rips = Rips::new(distances(is_sparse)).max_dim(3).pair_store(layer);
                let expected = rips.clone().solve(&()).unwrap();
                assert_eq!(backends(&expected), ["cpu"; 3]);
                assert_eq!(expected.plan.backend, "cpu: as asked");
                let found = solve(&rips, None, false, true).unwrap();
                assert_eq!(found.diagram, expected.diagram);
                assert_eq!(backends(&found), ["cuda"; 3]);
                assert_eq!((found.plan.backend.as_str(), found.notes.len()), ("cuda: it pays", 0));
            }
        }
    }

    #[test]
    fn a_device_that_fails_is_replaced_and_the_records_say_so() {
        let rips = Rips::new(distances(false)).max_dim(3);
        let expected = rips.clone().solve(&()).unwrap().diagram;
        for (failure, reason) in [
            (Failure::Error, "the CUDA driver finds no device"),
            (Failure::Panic, "the work on the device broke off: a test's device breaks"),
            (Failure::Silence, "no thread could be started"),
        ] {
            let first = solve(&rips, Some((1, failure)), true, false).unwrap();
            assert_eq!(first.diagram, expected);
            assert_eq!(backends(&first), ["cpu", "cpu", "cpu"]);
            assert!(first.plan.backend.starts_with(&format!("cpu: it pays, but {reason}")), "{}", first.plan);
            assert_eq!(first.plan.backend_name(), "cpu");
            assert!(first.notes.len() == 1 && first.notes[0].starts_with(reason), "{:?}", first.notes);
            assert!(first.notes[0].ends_with("; the processor goes on"));

            let later = solve(&rips, Some((3, failure)), true, false).unwrap();
            assert_eq!(later.diagram, expected);
            assert_eq!(backends(&later), ["cuda", "cuda", "cpu"]);
            let begin = format!("cuda+cpu: it pays, but after dimension 2 {reason}");
            assert!(later.plan.backend.starts_with(&begin), "{}", later.plan);
            assert_eq!((later.plan.backend_name(), later.notes.len()), ("cuda+cpu", 1));

            let asked = solve(&rips, Some((2, failure)), false, false).unwrap_err();
            assert!(matches!(asked, RipsError::Backend(BackendError::Cuda(_))), "{asked:?}");
        }
    }

    #[test]
    fn a_device_that_is_wrong_is_found_out() {
        let rips = Rips::new(distances(true)).max_dim(2);
        let wrong = solve(&rips, Some((2, Failure::WrongCounts)), false, true).unwrap_err();
        assert!(matches!(wrong, RipsError::SelfCheck { dim: 2, .. }), "{wrong:?}");
    }

    #[test]
    fn points_too_far_apart_for_their_precision() {
        let cloud = |xs: &[f32]| Rips::new(PointCloud::new(1, xs.to_vec()).unwrap());
        let far = [-3e38, 0.0, 3e38];
        let refused = cloud(&far).threshold(f64::INFINITY).run();
        assert_eq!(refused, Err(RipsError::TooFarApart { i: 2, j: 0 }));
        // From the middle all are near enough, and no longer distance is asked for.
        assert_eq!(cloud(&far).run().unwrap().bars(0).len(), 3);
        assert_eq!(cloud(&far).threshold(1e38).run().unwrap().bars(0).len(), 3);
        assert_eq!(cloud(&[-3e38, 3e38]).run(), Err(RipsError::TooFarApart { i: 1, j: 0 }));
    }

    #[test]
    fn more_points_than_ids() {
        let points = MOST_POINTS + 1;
        let distances = SparseDistances::new(points, [(0, 1, 1.0f32)]).unwrap();
        let refused = Rips::new(distances).run();
        assert_eq!(refused, Err(RipsError::TooManyPoints { points, most: MOST_POINTS }));
    }

    #[test]
    fn what_is_reported_adds_up_to_the_totals() {
        for is_sparse in [false, true] {
            let sums = Sums::default();
            Rips::new(distances(is_sparse)).max_dim(3).solve(&sums).unwrap();
            let stages = sums.stages();
            // Stages without parts have a total of 1.
            let counted: Vec<&str> =
                stages.iter().filter(|told| told.total > 1).map(|told| told.stage).collect();
            let counts = |stage| counted.contains(&stage);
            assert!(counts("assembly") && counts("reduction"), "{counted:?}");
            assert!(is_sparse || counts("distances") && counts("components"), "{counted:?}");
        }
    }
}
