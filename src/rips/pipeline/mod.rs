//! Path 1 from distances to diagram: [`barcode`] is the algorithm (Zhang, Xiao, Wang 2020, Figure 3), [`stages`] the calls of its
//! stages, with their figures.

mod collapsed;
mod stages;
mod survey;
#[cfg(test)]
mod tests;

use std::time::Instant;

use ruint::aliases::U512;

use self::stages::{CPU, CUDA, RipsComplex, Run};
use self::survey::survey;
use super::code::MOST_POINTS;
use super::complex::Dense;
use super::filtration_construction::DeviceSweep;
use super::filtration_construction::cuda::ahead::{Ahead, Machine};
use super::pair_store::PairStore;
use super::plan::choose::{Asked, choose, entry_width, rank_bits};
use super::rank::{Keyed, Ranked, RankedEdges, rank_keyed};
use super::stats::DimensionStats;
use super::word::Word;
use super::{Collapse, Outcome, Plan, Progress, Rips, RipsError, Shape, Stats, Summary, estimate, footprint};
use crate::backend::{BackendError, Estimate};
use crate::cuda::{CudaError, Gpu};
use crate::diagram::Diagram;
use crate::metric::Value;
use crate::simd::Level;

/// The algorithm: dimension 0 by a spanning forest; then, dimension by dimension, construct the residue, cleared by
/// the pairs of the dimension below, and reduce it. `ahead` is what devices have swept.
fn barcode<W: Word>(
    run: &mut Run<'_>,
    complex: &dyn RipsComplex,
    mut ahead: Ahead,
) -> Result<Diagram, RipsError> {
    let (bars, mut pairs_below) = run.components::<W>(complex)?;
    let mut dimensions = vec![bars];
    for dim in 1..=run.plan.max_dim {
        let residue = run.construct(complex, dim, &pairs_below, &mut ahead)?;
        let reduction = run.reduce(complex, dim, &residue)?;
        dimensions.push(run.bars(dim, &residue.columns, &reduction.pivots));
        pairs_below = PairStore { pivots: reduction.store, apparent: residue.apparent };
    }
    Ok(Diagram::new(dimensions))
}

/// Ranks the distances, chooses the widths, and computes.
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
    let Rips { distances, threshold, max_dim, pair_store, times_pair_store, backend, collapse, .. } = rips;
    let (keyed, summary) = survey(distances, threshold, collapse == Collapse::Off, progress)?;
    // How many different distances there are is known when they are ranked; meanwhile a device may begin to open.
    let rank_width = if summary.edges > usize::from(u16::MAX) { 32 } else { 16 };
    if collapse == Collapse::Off {
        backend.expect(&estimate::of(&summary, max_dim, rank_width, Level::detect()));
    }
    footprint::check_ranking(&keyed, &summary)?;
    progress.begin("rank", None, 1);
    let asked = Asked { max_dim, modulus, pair_store, times_pair_store, search: keyed.search };
    let limit = Keyed::limit(T::from_f64(summary.threshold));
    match collapse {
        Collapse::Off => {
            let width = |ranks| entry_width(points, max_dim, ranks);
            let ranked = rank_keyed(keyed, limit, Some(&width))?;
            compute_graph(start, asked, decide, summary, ranked, progress)
        }
        Collapse::On => {
            let ranking = rank_keyed(keyed, limit, None)?.listed(points)?;
            collapsed::compute(start, asked, decide, summary, ranking, progress)
        }
    }
}

/// Chooses the widths and the machine, and computes. From here on the precision of the distances does not matter.
fn compute_graph(
    start: Instant,
    asked: Asked,
    decide: Decide<'_>,
    summary: Summary,
    ranked: Ranked,
    progress: &dyn Progress,
) -> Result<Outcome, RipsError> {
    let mut plan = choose(asked, &summary, &ranked)?;
    let estimate = estimate::of(&summary, asked.max_dim, plan.rank_width, Level::detect());
    let machine = decide(&estimate)?;
    let Ranked { values, edges } = ranked;
    let complex = shaped(&plan, edges)?;
    let rank_seconds = start.elapsed().as_secs_f64();
    let stats = Stats { rank_seconds, ..Stats::default() };
    let times_pair_store = asked.times_pair_store;
    let values = &values;
    let mut run =
        Run { plan: &plan, values, machine: &machine, times_pair_store, progress, stats, failure: None };
    let diagram = match plan.entry_width {
        64 => beside_devices::<u64>(&mut run, &*complex),
        128 => beside_devices::<u128>(&mut run, &*complex),
        _ => beside_devices::<U512>(&mut run, &*complex),
    }?;
    let Run { mut stats, failure, .. } = run;
    stats.device_memory = machine.decision.gpus.iter().map(Gpu::peak).max().unwrap_or(0);
    plan.backend = what_ran(&machine, &stats.dimensions, failure.as_ref());
    let notes = failure.map(|error| format!("{error}; the processor goes on")).into_iter().collect();
    Ok(Outcome { diagram, stats, plan, summary, notes })
}

/// The complex in the shape and with the rank width that were chosen.
fn shaped(plan: &Plan, edges: RankedEdges) -> Result<Box<dyn RipsComplex>, RipsError> {
    let (n, level) = (plan.points, Level::detect());
    Ok(match (plan.shape, plan.rank_width) {
        (Shape::Sparse { .. }, _) => Box::new(edges.graph(n)?),
        (Shape::Dense, 16) => Box::new(Dense::<u16>::new(n, edges.square(n)?, level)),
        (Shape::Dense, _) => Box::new(Dense::<u32>::new(n, edges.square(n)?, level)),
    })
}

/// The barcode, devices sweeping ahead of the processor if there are any.
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
    };
    std::thread::scope(|scope| {
        let ahead = Ahead::start(scope, machine, complex, sweep);
        barcode::<W>(run, complex, ahead)
    })
}

/// The machine that did the work, and why it did: as was decided, unless the devices failed on the way.
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
