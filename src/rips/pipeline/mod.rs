//! The pipeline from distances to diagram: [`barcode`] is the algorithm (Zhang, Xiao, Wang 2020, Figure 3), [`stages`]
//! calls its stages and records their statistics.

mod collapsed;
mod kept;
mod stages;
mod survey;
#[cfg(test)]
mod tests;

use std::time::Instant;

use ruint::aliases::U512;

use self::collapsed::Attempt;
use self::kept::KeptDimension;
use self::stages::{CPU, CUDA, RipsComplex, Run};
use self::survey::{Allowed, Surveyed, survey};
use super::Landmarks;
use super::code::MOST_POINTS;
use super::complex::Dense;
use super::filtration_construction::DeviceSweep;
use super::filtration_construction::cuda::ahead::{Ahead, Machine};
use super::footprint::Tables;
use super::pair_store::PairStore;
use super::plan::choose::{Asked, choose, entry_width, rank_bits};
use super::rank::{Keyed, Ranked, RankedEdges, Ranking, rank_keyed};
use super::representatives::{Below, Collector, collapse_beside};
use super::stats::DimensionStats;
use super::word::Word;
use super::{
    Collapse, Outcome, PairSearch, Plan, Progress, RepresentativesRequest, Rips, RipsError, Shape, Stats,
    Summary, estimate, footprint, landmarks,
};
use crate::backend::{Backend, BackendError, Estimate};
use crate::cuda::{CudaError, Gpu};
use crate::diagram::Diagram;
use crate::metric::Value;
use crate::progress::{Interrupted, if_finished, interruptible};
use crate::simd::Level;
use crate::snapshot::{Checkpoint, Part, Resumable};

/// The algorithm: dimension 0 by a spanning forest; then, dimension by dimension, construct the residue, cleared by the
/// pairs of the dimension below, and reduce it. `ahead` receives the sweeps of devices. Dimensions from a checkpoint
/// are not computed again. A run that is to end early with a partial result ends before the first dimension not done.
fn barcode<W: Word>(
    run: &mut Run<'_>,
    complex: &dyn RipsComplex,
    mut ahead: Ahead,
) -> Result<Diagram, RipsError> {
    let (bars, mut pairs_below) = run.components::<W>(complex)?;
    let mut dimensions = vec![bars];
    let mut below = run.wants_cycles().then(|| Below::Forest(run.forest(&pairs_below)));
    for dim in 1..=run.plan.max_dim {
        if let Some(KeptDimension { bars, pairs }) = run.kept_dimension(dim, &mut ahead)? {
            dimensions.push(bars);
            pairs_below = pairs;
            continue;
        }
        let progress = run.progress;
        let done = if_finished(progress, || -> Result<_, RipsError> {
            let residue = run.construct(complex, dim, &pairs_below, &mut ahead)?;
            let reduction = run.reduce(complex, dim, &residue)?;
            Ok((residue, reduction))
        });
        let Some(done) = done else {
            run.end_before(dim);
            break;
        };
        let (residue, reduction) = done?;
        let bars = run.bars(complex, dim, &residue.columns, &reduction, below.as_ref());
        run.keep_dimension(dim, &bars, &reduction.store);
        dimensions.push(bars);
        below = below.map(|_| Below::Pairs(residue.columns, reduction.pivots));
        pairs_below = PairStore { pivots: reduction.store, apparent: residue.apparent };
    }
    Ok(Diagram::new(dimensions))
}

/// Ranked distances and the options of a run. From here on the precision of the distances does not matter.
#[derive(Debug)]
pub struct Prepared {
    start: Instant,
    asked: Asked,
    backend: Backend,
    /// Summary of the graph that is ranked.
    summary: Summary,
    /// Number of edges up to the threshold: more than are ranked, if only a spanning tree is.
    edges: usize,
    tables: Tables,
    work: Work,
    /// The birth of each point, unless all are 0.
    births: Option<Vec<f64>>,
    landmarks: Option<Landmarks>,
    representatives: Option<RepresentativesRequest>,
    /// Messages about the preparation.
    notes: Vec<String>,
}

/// Ranked distances, whole or with a collapse to be made.
#[derive(Debug)]
enum Work {
    /// All edges are used.
    Whole(Ranked),
    /// Edges are collapsed first.
    Collapsed(Attempt, Ranking),
}

/// Chooses landmarks, weights the points, and ranks the distances.
pub(super) fn prepare<T: Value>(
    rips: Rips<T>,
    modulus: u16,
    progress: &dyn Progress,
) -> Result<Prepared, RipsError> {
    let start = Instant::now();
    let points = rips.distances.len();
    if points > MOST_POINTS {
        return Err(RipsError::TooManyPoints { points, most: MOST_POINTS });
    }
    let Rips { threshold, max_dim, pair_store, times_pair_store, backend, weights, representatives, .. } =
        rips;
    let (distances, landmarks) = match rips.landmarks {
        None => (rips.distances, None),
        Some(_) if weights.is_some() => return Err(RipsError::WeightedLandmarks),
        Some(count) => {
            let (distances, chosen) = landmarks::choose(&rips.distances, count, progress)?;
            drop(rips.distances);
            (distances, Some(chosen))
        }
    };
    let (collapse, note) = collapse_beside(rips.collapse, representatives.as_ref());
    // In dimension 1 a collapse takes longer than it saves.
    let may_collapse = collapse == Collapse::On || collapse == Collapse::Auto && max_dim > 1;
    let collapse = if may_collapse { collapse } else { Collapse::Off };
    let input = footprint::of_input(&distances);
    // Dimension 0 without representatives needs only the edges of a spanning tree.
    let spanning_tree = max_dim == 0 && representatives.is_none() && !may_collapse;
    let allowed = Allowed { square: !may_collapse, spanning_tree };
    let Surveyed { keyed, summary, births } =
        survey(distances, weights.as_ref(), threshold, allowed, progress)?;
    let edges = summary.edges;
    // The plan describes the graph that is ranked.
    let summary = match keyed.search {
        PairSearch::SpanningTree => Summary { edges: keyed.keys.len(), ..summary },
        _ => summary,
    };
    let estimate = estimated(&summary, max_dim);
    let (attempt, shed) = Attempt::decide(collapse, &summary, max_dim, &backend, &estimate)?;
    if attempt.is_none() {
        backend.expect(&estimate);
    }
    footprint::check_ranking(&keyed, &summary)?;
    progress.begin("rank", None, 1);
    let tables = Tables::of(input, &keyed).without_collapse(shed);
    let asked = Asked { max_dim, modulus, pair_store, times_pair_store, search: keyed.search };
    let limit = Keyed::limit(T::from_f64(summary.threshold));
    let work = match attempt {
        None => {
            let width = |ranks| entry_width(points, max_dim, ranks);
            Work::Whole(rank_keyed(keyed, limit, Some(&width), progress)?)
        }
        Some(attempt) => {
            let ranking = rank_keyed(keyed, limit, None, progress)?.listed(points)?;
            Work::Collapsed(attempt, ranking)
        }
    };
    let notes = note.into_iter().collect();
    let tables = if matches!(work, Work::Collapsed(..)) { tables.collapsing(summary.edges) } else { tables };
    Ok(Prepared {
        start,
        asked,
        backend,
        summary,
        edges,
        tables,
        work,
        births,
        landmarks,
        representatives,
        notes,
    })
}

/// The estimate before the distances are ranked, so that a device can begin to open meanwhile. The number of distinct
/// distances is known only after ranking.
fn estimated(summary: &Summary, max_dim: usize) -> Estimate {
    let rank_width = if summary.edges > usize::from(u16::MAX) { 32 } else { 16 };
    estimate::of(summary, max_dim, rank_width, Level::detect())
}

/// Maximum estimated seconds of sweeping for which a single thread is used. Such short runs consist mostly of the
/// starts and ends of sweeps, which the estimate leaves out.
const LIGHT: f64 = 0.25e-3;

impl Prepared {
    /// Whether a single thread should finish before others could help.
    pub fn is_light(&self) -> bool {
        let estimate = estimated(&self.summary, self.asked.max_dim);
        estimate.cpu * rayon::current_num_threads() as f64 <= LIGHT
    }

    /// Chooses the widths and the device, and computes.
    ///
    /// # Errors
    /// As [`Rips::solve`](crate::rips::Rips::solve).
    pub fn solve(self, progress: &dyn Progress) -> Result<Outcome, RipsError> {
        let backend = self.backend.clone();
        interruptible(progress, |progress| {
            self.solve_on(progress, &|estimate| Ok(backend.decide(estimate)?.into()))
        })
    }

    /// Like [`solve`](Prepared::solve), on the device that `decide` chooses.
    fn solve_on(self, progress: &dyn Progress, decide: Decide<'_>) -> Result<Outcome, RipsError> {
        let Prepared {
            start,
            asked,
            summary,
            edges,
            tables,
            work,
            births,
            landmarks,
            representatives,
            mut notes,
            ..
        } = self;
        let (births, representatives) = (births.as_deref(), representatives.as_ref());
        let setting = Setting { decide, births, representatives, tables, progress };
        let mut outcome = match work {
            Work::Whole(ranked) => compute_graph(start, asked, setting, summary, ranked),
            Work::Collapsed(attempt, ranking) => attempt.compute(start, asked, setting, summary, ranking),
        }?;
        if let (Some(representatives), Some(landmarks)) = (&mut outcome.representatives, &landmarks) {
            representatives.rename(&landmarks.points, asked.modulus);
        }
        notes.append(&mut outcome.notes);
        let summary = Summary { edges, ..outcome.summary };
        Ok(Outcome { summary, landmarks, notes, ..outcome })
    }
}

/// Chooses the device for work of this estimate.
type Decide<'a> = &'a dyn Fn(&Estimate) -> Result<Machine, BackendError>;

/// Parameters shared by all computations of a run.
#[derive(Clone, Copy)]
struct Setting<'a> {
    decide: Decide<'a>,
    /// The birth of each point, unless all are 0.
    births: Option<&'a [f64]>,
    /// The representatives wanted, if any.
    representatives: Option<&'a RepresentativesRequest>,
    /// Table sizes for the memory plan.
    tables: Tables,
    progress: &'a dyn Progress,
}

/// Chooses the widths and the device, and computes.
fn compute_graph(
    start: Instant,
    asked: Asked,
    setting: Setting<'_>,
    summary: Summary,
    ranked: Ranked,
) -> Result<Outcome, RipsError> {
    let Setting { decide, births, representatives, tables, progress } = setting;
    let collector = representatives.map(|request| Collector::new(request, asked.modulus));
    let mut plan = choose(asked, &summary, &ranked)?;
    plan.representatives = representatives.map(|request| request.kinds.clone()).unwrap_or_default();
    plan.memory = tables.plan(&plan);
    tables.check(&plan)?;
    let estimate = estimate::of(&summary, asked.max_dim, plan.rank_width, Level::detect());
    let machine = decide(&estimate)?;
    let prefix = kept::prefix(&plan, &ranked, &setting);
    progress.expect(&estimate::stages(&summary, plan.max_dim, plan.rank_width));
    let Ranked { values, edges } = ranked;
    let complex = shaped(&plan, edges)?;
    let rank_seconds = start.elapsed().as_secs_f64();
    let stats = Stats { rank_seconds, ..Stats::default() };
    let times_pair_store = asked.times_pair_store;
    let prefix = prefix.unwrap_or_default();
    let part = Part { checkpoint: progress.checkpoint(), prefix: &prefix };
    let checkpoint: &dyn Checkpoint = if prefix.is_empty() { &() } else { &part };
    let progress = &Resumable { progress, checkpoint };
    let mut run = Run {
        plan: &plan,
        values: &values,
        births,
        machine: &machine,
        times_pair_store,
        progress,
        collector,
        stats,
        failure: None,
        unfinished: None,
    };
    let diagram = match plan.entry_width {
        64 => beside_devices::<u64>(&mut run, &*complex),
        128 => beside_devices::<u128>(&mut run, &*complex),
        _ => beside_devices::<U512>(&mut run, &*complex),
    }?;
    let Run { mut stats, failure, collector, unfinished, .. } = run;
    let representatives = match collector.map(|collector| collector.finish(&diagram)).transpose() {
        // The selected bars are of a dimension that is not done.
        Err(RipsError::Selection(_)) if unfinished.is_some() => return Err(Interrupted::default().into()),
        representatives => representatives?,
    };
    stats.device_memory = machine.decision.gpus.iter().map(Gpu::peak).max().unwrap_or(0);
    plan.backend = what_ran(&machine, &stats.dimensions, failure.as_ref());
    let shed = plan.memory.shed.iter().map(|shed| format!("{}: {}", shed.what, shed.why));
    let notes = shed.chain(failure.map(|error| format!("{error}; the processor goes on"))).collect();
    Ok(Outcome { diagram, stats, plan, summary, landmarks: None, representatives, unfinished, notes })
}

/// The complex, in the shape and rank width of the plan.
fn shaped(plan: &Plan, edges: RankedEdges) -> Result<Box<dyn RipsComplex>, RipsError> {
    let (n, level) = (plan.points, Level::detect());
    Ok(match (plan.shape, plan.rank_width) {
        (Shape::Sparse { bitsets }, _) => Box::new(edges.graph(n, bitsets)?),
        (Shape::Dense, 16) => Box::new(Dense::<u16>::new(n, edges.square(n)?, level)),
        (Shape::Dense, _) => Box::new(Dense::<u32>::new(n, edges.square(n)?, level)),
    })
}

/// The barcode, with devices sweeping ahead of the CPU if there are any.
fn beside_devices<W: Word>(run: &mut Run<'_>, complex: &dyn RipsComplex) -> Result<Diagram, RipsError> {
    let machine = run.machine;
    let sweep = DeviceSweep {
        gpus: &machine.decision.gpus,
        points: run.plan.points,
        max_dim: run.plan.max_dim,
        layer: run.plan.pair_store,
        rank_bits: rank_bits(run.values.len()),
        rank_width: run.plan.rank_width,
        limbs: W::LIMBS,
        progress: run.progress,
    };
    std::thread::scope(|scope| {
        let ahead = Ahead::start(scope, machine, complex, sweep);
        barcode::<W>(run, complex, ahead)
    })
}

/// The device that did the work and the reason for it: as decided, unless the devices failed during the run.
fn what_ran(machine: &Machine, dimensions: &[DimensionStats], failure: Option<&CudaError>) -> String {
    let why = &machine.decision.why;
    let name = if machine.has_devices() { CUDA } else { CPU };
    let Some(error) = failure else { return format!("{name}: {why}") };
    let last = dimensions.iter().rfind(|stats| stats.backend == CUDA).map(|stats| stats.dim);
    match last {
        None => format!("{CPU}: {why}, but {error}"),
        Some(last) => {
            format!("{CUDA}+{CPU}: {why}, but after dimension {last} {error}; the processor did the rest")
        }
    }
}
