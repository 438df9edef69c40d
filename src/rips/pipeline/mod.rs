//! The pipeline from distances to diagram: [`barcode`] is the algorithm (Zhang, Xiao, Wang 2020, Figure 3), [`stages`]
//! calls its stages and records their statistics.

mod checkpoint;
mod collapsed;
pub(crate) mod processes;
mod stages;
mod survey;
#[cfg(test)]
mod tests;
mod ties;

use std::time::Instant;

use ruint::aliases::U512;

use self::collapsed::Attempt;
use self::stages::{CPU, CUDA, Run};
use self::survey::{Surveyed, survey};
use self::ties::Ties;
use super::Landmarks;
use super::code::MOST_POINTS;
use super::complex::Dense;
use super::filtration_construction::cuda::ahead::{Ahead, Sweeper};
use super::filtration_construction::{DeviceSweep, Enumerate, SweepQueue};
use super::footprint::Tables;
use super::modulus::prime_modulus;
use super::plan::choose::{choose, entry_widths, rank_bits};
use super::rank::{Edges, EntryWidth, Keyed, Lengths, Ranking, Sampled, rank_keyed};
use super::representatives::{Collector, collapse_beside};
use super::stats::DimensionStats;
use super::word::Word;
use super::{
    Collapse, Outcome, PairSearch, Progress, Rips, RipsError, RipsOptions, Shape, Stats, Summary, estimate,
    footprint, landmarks,
};
use crate::backend::{BackendError, Decision, Estimate};
use crate::cuda::{CudaError, Gpu};
use crate::diagram::Diagram;
use crate::memory::Refused;
use crate::metric::Value;
use crate::progress::{Interrupted, Resumable, interruptible};
use crate::ranks::{Alone, Place, Ranks};
use crate::simd::Level;
use crate::snapshot::{Checkpoint, Part};

/// The algorithm: dimension 0 by a spanning forest; then, dimension by dimension, the residue, cleared by the pairs of
/// the dimension below, is constructed and reduced. `ahead` receives the sweeps of devices. A run that is to end early
/// with a partial result ends before the first dimension not done, and one for the order of [`Ties`] once it is known.
fn barcode<W: Word>(
    run: &mut Run<'_>,
    complex: &dyn Enumerate,
    mut ahead: Ahead,
) -> Result<Diagram, RipsError> {
    let (bars, mut below) = run.components::<W>(complex)?;
    let mut dimensions = vec![bars];
    for dim in 1..=run.plan.max_dim {
        let Some((bars, pairs)) = run.dimension(complex, dim, &below, &mut ahead)? else { break };
        dimensions.push(bars);
        below = pairs;
        if matches!(run.ties, Ties::Ordered(_)) {
            break;
        }
    }
    Ok(Diagram::new(dimensions))
}

/// Ranked distances and the options of a run. From here on the precision of the distances does not matter.
#[derive(Debug)]
pub struct Prepared {
    setting: Setting,
    graph: Graph,
    /// The collapse of the graph's edges to make first, if any.
    attempt: Option<Attempt>,
    /// Number of edges up to the threshold: more than are ranked, if only a spanning tree is.
    edges: usize,
    landmarks: Option<Landmarks>,
    /// Messages about the preparation.
    notes: Vec<String>,
}

/// Parameters shared by all computations of a run.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) options: RipsOptions,
    /// The modulus of the options, which is a prime.
    pub(super) modulus: u16,
    /// The method by which the ranked distances were found.
    pub(super) search: PairSearch,
    /// The birth of each point, unless all are 0.
    births: Option<Vec<f64>>,
    /// Table sizes for the memory plan.
    tables: Tables,
}

/// A graph whose barcode is to be computed: that of the input or a collapsed one.
#[derive(Debug)]
pub(super) struct Graph {
    /// When the ranking of its edges began.
    start: Instant,
    /// The greatest dimension to compute.
    pub(super) max_dim: usize,
    pub(super) summary: Summary,
    pub(super) ranking: Ranking,
    /// The task where edges are equally long.
    pub(super) ties: Ties,
}

/// Chooses landmarks, weights the points, and ranks the distances.
pub(super) fn prepare<T: Value>(
    rips: Rips<T>,
    processes: &dyn Ranks,
    progress: &dyn Progress,
) -> Result<Prepared, RipsError> {
    let start = Instant::now();
    let Rips { distances, options } = rips;
    let modulus = prime_modulus(options.modulus)?;
    if let Some(t) = options.threshold
        && (t.is_nan() || t < 0.0)
    {
        return Err(RipsError::invalid("threshold", "a non-negative number", t));
    }
    options.representatives.as_ref().map_or(Ok(()), |request| request.bars.check())?;
    let points = distances.len();
    if points > MOST_POINTS {
        return Err(RipsError::invalid("points", format!("at most {MOST_POINTS}"), points));
    }
    let (max_dim, representatives) = (options.max_dim, options.representatives.as_ref());
    if options.landmarks.is_some() && options.weights.is_some() {
        let found = "weights by the distance to a measure, which is not that of a sample";
        return Err(RipsError::invalid("landmarks", "points without weights", found));
    }
    let (distances, landmarks) = match options.landmarks {
        None => (distances, None),
        Some(count) => {
            let (sample, chosen) = landmarks::choose(&distances, count, progress)?;
            drop(distances);
            (sample, Some(chosen))
        }
    };
    let (collapse, note) = collapse_beside(options.collapse, representatives);
    // In dimension 1 a collapse takes longer than it saves.
    let may_collapse = collapse == Collapse::On || collapse == Collapse::Auto && max_dim > 1;
    let collapse = if may_collapse { collapse } else { Collapse::Off };
    let input = footprint::of_input(&distances);
    let Surveyed { keyed, summary, births } = survey(distances, &options, may_collapse, progress)?;
    let edges = summary.edges;
    // The plan describes the graph that is ranked.
    let summary = match keyed.search {
        PairSearch::SpanningTree => Summary { edges: keyed.edges.numbers.len(), ..summary },
        _ => summary,
    };
    let estimate = estimated(&summary, max_dim).shared_by(processes.size());
    let limit = Keyed::limit(T::from_f64(summary.threshold));
    let sampled = || {
        let Sampled { lengths, are_in_order } = keyed.sampled(limit);
        Sampled {
            // Over other fields no column is walked.
            lengths: if modulus == 2 { lengths } else { Lengths::Distinct },
            // Births belong to the points, which then keep their numbers.
            are_in_order: are_in_order && births.is_none(),
        }
    };
    let device = collapsed::device(&options.backend, &estimate, processes.size());
    let (attempt, shed) = Attempt::decide(collapse, &summary, max_dim, device, &sampled)?;
    if attempt.as_ref().is_none_or(Attempt::keeps_edges) && options.backend.expect(&estimate) {
        processes::order_devices(processes);
    }
    let collapsed = attempt.as_ref().map(|_| summary.edges);
    let (search, tables) = (keyed.search, Tables::of(input, &keyed, collapsed, shed));
    tables.check_ranking(&summary)?;
    progress.begin("rank", None, 1);
    let width = |ranks| entry_widths(points, max_dim, ranks).map(|(_, entry_width)| entry_width);
    // A collapse gives each edge a rank of its own, so keys do not serve as ranks then.
    let width = attempt.is_none().then_some(&width as EntryWidth<'_>);
    let ranking = rank_keyed(keyed, limit, width, progress)?;
    Ok(Prepared {
        setting: Setting { options, modulus, search, births, tables },
        graph: Graph { start, max_dim, summary, ranking, ties: Ties::Ignored },
        attempt,
        edges,
        landmarks,
        notes: note.into_iter().collect(),
    })
}

/// The estimate before the distances are ranked, so that a device can begin to open meanwhile. The number of distinct
/// distances is known only after ranking.
fn estimated(summary: &Summary, max_dim: usize) -> Estimate {
    let rank_width = if summary.edges > usize::from(u16::MAX) { 32 } else { 16 };
    estimate::of(summary, max_dim, rank_width)
}

/// Maximum estimated seconds of sweeping for which a single thread is used. Such short runs consist mostly of the
/// starts and ends of sweeps, which the estimate leaves out.
const LIGHT: f64 = 0.25e-3;

impl Prepared {
    /// Whether a single thread should finish before others could help.
    pub fn is_light(&self) -> bool {
        let estimate = estimated(&self.graph.summary, self.graph.max_dim);
        estimate.cpu * rayon::current_num_threads() as f64 <= LIGHT
    }

    /// Chooses the widths and the device, and computes.
    ///
    /// # Errors
    /// As [`Rips::solve`](crate::rips::Rips::solve).
    pub fn solve(self, progress: &dyn Progress) -> Result<Outcome, RipsError> {
        self.solve_with(&Alone, progress)
    }

    /// Like [`solve`](Prepared::solve), by process 0, with which the others [construct](processes::take_part) residues.
    ///
    /// # Errors
    /// As [`Rips::solve`](crate::rips::Rips::solve).
    pub fn solve_with(self, processes: &dyn Ranks, progress: &dyn Progress) -> Result<Outcome, RipsError> {
        let backend = self.setting.options.backend.clone();
        interruptible(progress, |progress| {
            let decide: Decide<'_> = &|estimate| {
                let decision = backend.decide(&estimate.clone().shared_by(processes.size()))?;
                let sweeper: Sweeper<'_> = &|complex, sweep, found| complex.sweep_on(sweep, found);
                Ok(Dispatch { sweeper: Some(sweeper).filter(|_| !decision.gpus.is_empty()), decision })
            };
            let outcome = self.solve_on(processes, progress, decide)?;
            if outcome.unfinished.is_none() {
                processes::order_end(processes);
            }
            Ok(outcome)
        })
    }

    /// Like [`solve_with`](Prepared::solve_with), on the device that `decide` chooses.
    fn solve_on(
        self,
        processes: &dyn Ranks,
        progress: &dyn Progress,
        decide: Decide<'_>,
    ) -> Result<Outcome, RipsError> {
        let Prepared { setting, graph, attempt, edges, landmarks, mut notes } = self;
        let compute = |graph: Graph| setting.compute(graph, processes, progress, decide);
        let mut outcome = match attempt {
            None => compute(graph)?.0,
            Some(attempt) => attempt.compute(graph, progress, &compute)?,
        };
        if let (Some(representatives), Some(landmarks)) = (&mut outcome.representatives, &landmarks) {
            representatives.rename(&landmarks.points, setting.modulus);
        }
        notes.append(&mut outcome.notes);
        let summary = Summary { edges, ..outcome.summary };
        Ok(Outcome { summary, landmarks, notes, ..outcome })
    }
}

/// Chooses the device for work of this estimate.
type Decide<'a> = &'a dyn Fn(&Estimate) -> Result<Dispatch<'a>, BackendError>;

/// The devices of a run as decided, and what sweeps on them, if anything does.
struct Dispatch<'a> {
    decision: Decision,
    sweeper: Option<Sweeper<'a>>,
}

impl Dispatch<'_> {
    /// Shares filtration construction with other processes, which makes `count` of them. `all_sweep` says whether all
    /// are to sweep on devices.
    fn share(&mut self, count: usize, all_sweep: bool) {
        if count == 1 {
            return;
        }
        let Decision { may_fall_back, why, .. } = &mut self.decision;
        // The others have not begun to construct on their processors, so this one cannot take over.
        *may_fall_back = false;
        match (all_sweep, self.sweeper.is_some()) {
            (true, _) => why.push_str(&format!("; {count} processes share filtration construction")),
            (false, true) => {
                self.sweeper = None;
                why.push_str(&format!(", but not all of {count} processes have a GPU"));
            }
            (false, false) => *why = format!("{count} processes share filtration construction"),
        }
    }
}

impl Setting {
    /// Chooses the widths and the device, and computes the barcode of a graph, or the order of some bars, and what is
    /// then known about bars of equal birth.
    fn compute(
        &self,
        graph: Graph,
        processes: &dyn Ranks,
        progress: &dyn Progress,
        decide: Decide<'_>,
    ) -> Result<(Outcome, Ties), RipsError> {
        let (births, representatives) = (self.births.as_deref(), self.options.representatives.as_ref());
        let mut plan =
            choose(&self.options, graph.max_dim, self.modulus, self.search, &graph.summary, &graph.ranking)?;
        plan.memory = self.tables.plan(&plan);
        self.tables.check(&plan)?;
        let Graph { start, max_dim, summary, ranking: Ranking { values, edges }, ties } = graph;
        let estimate = estimate::of(&summary, max_dim, plan.rank_width);
        let mut dispatch = decide(&estimate)?;
        if let Ties::Found(_) = ties {
            // Dimension 1 gives the order, which a device would leave behind.
            dispatch.sweeper = None;
        }
        let saves = representatives.is_none() && progress.checkpoint().is_kept();
        let prefix = if saves { checkpoint::prefix(&plan, &values, &edges, births) } else { String::new() };
        progress.expect(&estimate::stages(&summary, plan.max_dim, plan.rank_width, processes.size()));
        let sweeps = dispatch.sweeper.is_some().then_some(!dispatch.decision.may_fall_back);
        let all_sweep = processes::order_graph(processes, &plan, &edges, values.count(), sweeps);
        dispatch.share(processes.size(), all_sweep);
        let complex = shaped(plan.points, plan.shape, plan.rank_width, edges)?;
        let stats = Stats { rank_seconds: start.elapsed().as_secs_f64(), ..Stats::default() };
        let part = Part { checkpoint: progress.checkpoint(), prefix: &prefix };
        let checkpoint: &dyn Checkpoint = if saves { &part } else { &() };
        let mut run = Run {
            plan: &plan,
            values: &values,
            births,
            processes,
            dispatch: &dispatch,
            queue: &SweepQueue::default(),
            times_pair_store: self.options.times_pair_store,
            progress: &Resumable { progress, checkpoint },
            collector: representatives.map(|request| Collector::new(request, self.modulus)),
            ties,
            stats,
            failure: None,
            unfinished: None,
        };
        let diagram = match plan.entry_width {
            64 => beside_devices::<u64>(&mut run, &*complex),
            128 => beside_devices::<u128>(&mut run, &*complex),
            _ => beside_devices::<U512>(&mut run, &*complex),
        }?;
        let Run { mut stats, failure, collector, unfinished, ties, .. } = run;
        let representatives = match collector.map(|collector| collector.finish(&diagram)).transpose() {
            // The selected bars are of a dimension that is not done.
            Err(RipsError::Selection(_)) if unfinished.is_some() => return Err(Interrupted::default().into()),
            representatives => representatives?,
        };
        stats.device_memory = dispatch.decision.gpus.iter().map(Gpu::peak).max().unwrap_or(0);
        plan.backend = what_ran(&dispatch, &stats.dimensions, failure.as_ref());
        let shed = plan.memory.shed.iter().map(|shed| format!("{}: {}", shed.what, shed.why));
        let notes = shed.chain(failure.map(|error| format!("{error}; the processor goes on"))).collect();
        let outcome =
            Outcome { diagram, stats, plan, summary, landmarks: None, representatives, unfinished, notes };
        Ok((outcome, ties))
    }
}

/// The complex of `n` points with these edges.
fn shaped(n: usize, shape: Shape, rank_width: u32, edges: Edges) -> Result<Box<dyn Enumerate>, Refused> {
    let level = Level::detect();
    Ok(match (shape, rank_width) {
        (Shape::Sparse { bitsets }, _) => Box::new(edges.graph(bitsets)?),
        (Shape::Dense, 16) => Box::new(Dense::<u16>::new(n, edges.square()?, level)),
        (Shape::Dense, _) => Box::new(Dense::<u32>::new(n, edges.square()?, level)),
    })
}

/// The barcode, with devices sweeping ahead of the CPU if there are any.
fn beside_devices<W: Word>(run: &mut Run<'_>, complex: &dyn Enumerate) -> Result<Diagram, RipsError> {
    let dispatch = run.dispatch;
    let sweep = DeviceSweep {
        gpus: &dispatch.decision.gpus,
        points: run.plan.points,
        max_dim: run.plan.max_dim,
        layer: run.plan.pair_store,
        rank_bits: rank_bits(run.values.count()),
        rank_width: run.plan.rank_width,
        limbs: W::LIMBS,
        queue: run.queue,
        process: Place::among(run.processes),
        progress: run.progress,
    };
    std::thread::scope(|scope| {
        let ahead = Ahead::start(scope, dispatch.sweeper, complex, sweep);
        barcode::<W>(run, complex, ahead)
    })
}

/// The device that did the work and the reason for it: as decided, unless the devices failed during the run.
fn what_ran(dispatch: &Dispatch<'_>, dimensions: &[DimensionStats], failure: Option<&CudaError>) -> String {
    let why = &dispatch.decision.why;
    let name = if dispatch.sweeper.is_some() { CUDA } else { CPU };
    let Some(error) = failure else { return format!("{name}: {why}") };
    let last = dimensions.iter().rfind(|stats| stats.backend == CUDA).map(|stats| stats.dim);
    match last {
        None => format!("{CPU}: {why}, but {error}"),
        Some(last) => {
            format!("{CUDA}+{CPU}: {why}, but after dimension {last} {error}; the processor did the rest")
        }
    }
}
