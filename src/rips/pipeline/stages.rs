//! The stages of a run: their inputs, and the statistics recorded of them.

use std::ops::Range;
use std::time::Instant;

use super::Dispatch;
use super::processes::order_dimension;
use super::ties::{self, Ties};
use crate::backend::BackendError;
use crate::cuda::CudaError;
use crate::diagram::Bar;
use crate::progress::if_finished;
use crate::ranks::Ranks;
use crate::rips::code::Code;
use crate::rips::components::{ComponentBar, component_bars};
use crate::rips::field::{Modulo, Two};
use crate::rips::filtration_construction::cuda::ahead::Ahead;
use crate::rips::filtration_construction::{
    Construction, Enumerate, Parts, Residue, SweepQueue, Undecided, construct, construct_parts,
    construct_together,
};
use crate::rips::pair_store::{Below, Pivots};
use crate::rips::plan::choose::rank_bits;
use crate::rips::rank::Values;
use crate::rips::representatives::{Class, Collector, Pairs, RepresentativeKind};
use crate::rips::stats::DimensionStats;
use crate::rips::submatrix_reduction::{Reduction, Submatrix, Tied, Wanted, reduce};
use crate::rips::word::{Word, limbs};
use crate::rips::{Plan, Progress, RipsError, Stats};

/// The names of the devices, in plans and statistics.
pub(super) const CPU: &str = "cpu";
pub(super) const CUDA: &str = "cuda";

/// The bars of a finished dimension, and its results that the next one needs.
pub(super) type Dimension<W> = (Vec<Bar>, Below<W>);

/// State shared by the stages.
pub(super) struct Run<'a> {
    /// The choices of the run.
    pub(super) plan: &'a Plan,
    /// The distance of each rank.
    pub(super) values: &'a Values,
    /// The birth of each point, unless all are 0.
    pub(super) births: Option<&'a [f64]>,
    /// The processes that share filtration construction, of which this is process 0.
    pub(super) processes: &'a dyn Ranks,
    /// The devices that sweep ahead of the CPU, if any.
    pub(super) dispatch: &'a Dispatch<'a>,
    /// The batches that these devices have not swept yet.
    pub(super) queue: &'a SweepQueue,
    /// Whether the reduction times its accesses to the pair store.
    pub(super) times_pair_store: bool,
    /// Receives the stages and their progress.
    pub(super) progress: &'a dyn Progress,
    /// The representatives collected so far, if any are wanted.
    pub(super) collector: Option<Collector<'a>>,
    /// The task where edges are equally long, and then its result.
    pub(super) ties: Ties,
    /// The statistics so far.
    pub(super) stats: Stats,
    /// The error for which the devices were given up, if they were.
    pub(super) failure: Option<CudaError>,
    /// The first dimension that is not done, if the run ended early.
    pub(super) unfinished: Option<usize>,
}

/// How many times as fast as one thread a device is assumed to sweep, until that is known.
const SLOWER: f64 = 64.0;

/// Least number of batches that devices are assumed to sweep while the CPU sweeps one.
const LEAST_PACE: f64 = 0.25;

/// The number of batches to sweep on the CPU when this many are left and devices sweep `pace` batches while it sweeps
/// one: somewhat fewer than those with which both would be done at once, and none if they are too few for all threads.
fn lent(left: usize, pace: f64, threads: usize) -> usize {
    let most = (left as f64 / (1.25 * pace + 1.0)) as usize;
    if most < threads.div_ceil(4) { 0 } else { most.min(threads) }
}

impl Run<'_> {
    /// Dimension 0: its bars, and the edges they die with.
    pub(super) fn components<W: Word>(&mut self, complex: &dyn Enumerate) -> Result<Dimension<W>, RipsError> {
        let started = Instant::now();
        self.progress.begin("components", Some(0), complex.forest_work());
        let forest = complex.forest(rank_bits(self.values.count()), self.progress);
        let pivots = Pivots::with_capacity(forest.len())?;
        let code = self.code::<W>(1);
        for edge in &forest {
            // Each edge occurs once.
            let _ = pivots.insert(code.entry(edge.rank, edge.vertices), 0);
        }
        let Plan { points, threshold, .. } = *self.plan;
        let components = component_bars(&forest, points, self.births, self.values, threshold);
        if let Some(collector) = &mut self.collector {
            collector.components(&components);
        }
        let bars = components.into_iter().map(|ComponentBar { bar, .. }| bar).collect();
        self.stats.components_seconds = started.elapsed().as_secs_f64();
        Ok((bars, Below::new(pivots)))
    }

    /// A further dimension: taken from the checkpoint, or the residue is constructed, cleared by the pairs of the
    /// dimension below, and reduced. `None` if the run ends early before this dimension is done, or gives up.
    pub(super) fn dimension<W: Word>(
        &mut self,
        complex: &dyn Enumerate,
        dim: usize,
        below: &Below<W>,
        ahead: &mut Ahead,
    ) -> Result<Option<Dimension<W>>, RipsError> {
        // A saved dimension does not tell the order of tied bars.
        if !matches!(self.ties, Ties::Found(_))
            && let Some(loaded) = self.load_dimension(dim, ahead)?
        {
            return Ok(Some(loaded));
        }
        let progress = self.progress;
        let done = if_finished(progress, || -> Result<_, RipsError> {
            let residue = self.construct(complex, dim, &below.store, ahead)?;
            Ok(self.reduce(complex, dim, &residue)?.map(|reduction| (residue, reduction)))
        });
        let Some(done) = done else { return Ok(self.left(dim)) };
        let Some((residue, reduction)) = done? else {
            self.ties = Ties::GivenUp;
            return Ok(None);
        };
        let bars = if_finished(progress, || self.bars(complex, dim, &residue.columns, &reduction, below));
        let Some(bars) = bars else { return Ok(self.left(dim)) };
        self.save_dimension(dim, &bars, &reduction.store);
        let wants_cycles = |collector: &Collector<'_>| collector.wants(RepresentativeKind::Cycles);
        let (columns, pivots) = if self.collector.as_ref().is_some_and(wants_cycles) {
            (residue.columns, reduction.pivots)
        } else {
            Default::default()
        };
        Ok(Some((bars, Below { store: reduction.store, columns, pivots })))
    }

    /// The residue of a dimension: the simplices that devices left undecided, then cleared, or constructed here without
    /// devices.
    pub(super) fn construct<W: Word>(
        &mut self,
        complex: &dyn Enumerate,
        dim: usize,
        below: &Pivots<W>,
        ahead: &mut Ahead,
    ) -> Result<Residue<W>, RipsError> {
        let started = Instant::now();
        // Each process takes about as much as every other.
        let work = complex.work(dim).div_ceil(self.processes.size() as u64);
        self.progress.begin("assembly", Some(dim), work);
        let swept = ahead.next(self.progress, &mut self.help::<W>(complex, dim)?);
        let swept = self.swept(swept)?;
        if let Some(residue) = self.load_residue(dim)? {
            return Ok(residue);
        }
        let mut stats = DimensionStats { dim, backend: CPU.into(), ..DimensionStats::default() };
        order_dimension(self.processes, dim);
        let residue = match swept {
            None => {
                construct_together(complex, &self.construction(dim, self.progress), below, self.processes)?
            }
            Some(mut undecided) => {
                if self.processes.size() > 1 {
                    undecided.receive(self.processes)?;
                }
                stats.backend = CUDA.into();
                stats.device_seconds = undecided.seconds;
                if self.dispatch.decision.self_check {
                    self.check::<W>(complex, dim, &undecided)?;
                }
                undecided.clear(below, self.plan.pair_store)
            }
        };
        stats.assembly_seconds = started.elapsed().as_secs_f64();
        self.save_residue(dim, &residue, &stats);
        self.stats.dimensions.push(stats);
        Ok(residue)
    }

    /// The simplices that devices left undecided in a dimension, if this is what they report; `None` without devices,
    /// or if they failed and the CPU may replace them.
    pub(super) fn swept(
        &mut self,
        swept: Result<Option<Undecided>, CudaError>,
    ) -> Result<Option<Undecided>, RipsError> {
        match swept {
            Ok(swept) => Ok(swept),
            Err(error) if self.dispatch.decision.may_fall_back => {
                self.failure = Some(error);
                Ok(None)
            }
            Err(error) => Err(BackendError::from(error).into()),
        }
    }

    /// A function that sweeps some simplices in place of the devices, while they sweep others, and returns whether it
    /// did.
    fn help<'b, W: Word>(
        &'b self,
        complex: &'b dyn Enumerate,
        dim: usize,
    ) -> Result<impl FnMut() -> bool + 'b, RipsError> {
        let (threads, nothing) = (rayon::current_num_threads(), Pivots::<W>::with_capacity(0)?);
        let mut pace = SLOWER / threads as f64;
        Ok(move || {
            let Some(loan) = self.queue.lend(dim, |left| lent(left, pace, threads)) else { return false };
            // The part of the greatest vertex comes first.
            let (Range { start, end }, parts) = (loan.vertices.clone(), complex.parts(dim));
            let parts = Parts::of(parts - end..parts - start);
            let construction = self.construction(dim, &());
            let Residue { columns, counts, .. } = construct_parts(complex, &construction, &nothing, &parts);
            let batches = loan.batches as f64;
            let columns = columns.into_iter().flat_map(limbs).collect();
            pace = (loan.give(columns, counts) as f64 / batches).max(LEAST_PACE);
            true
        })
    }

    /// Compares the result of the devices for a dimension with that of the CPU.
    fn check<W: Word>(
        &self,
        complex: &dyn Enumerate,
        dim: usize,
        undecided: &Undecided,
    ) -> Result<(), RipsError> {
        let own = construct(complex, &self.construction(dim, self.progress), &Pivots::<W>::with_capacity(0)?);
        let same = undecided.check(&own, &self.code(dim));
        same.map_err(|difference| RipsError::SelfCheck { dim, difference: difference.to_string() })
    }

    /// Leaves a dimension unfinished, as the run was ended early.
    fn left<W>(&mut self, dim: usize) -> Option<Dimension<W>> {
        self.stats.dimensions.retain(|stats| stats.dim < dim);
        self.unfinished = Some(dim);
        None
    }

    /// The parameters of the filtration construction of a dimension.
    fn construction<'b>(&self, dim: usize, progress: &'b dyn Progress) -> Construction<'b> {
        Construction::new(dim, self.plan.pair_store, self.plan.rank_width, progress)
    }

    /// The pairs of the residue, or `None` if their computation gives up.
    pub(super) fn reduce<W: Word>(
        &mut self,
        complex: &dyn Enumerate,
        dim: usize,
        residue: &Residue<W>,
    ) -> Result<Option<Reduction<W>>, RipsError> {
        let started = Instant::now();
        self.progress.begin("reduction", Some(dim), residue.columns.len() as u64);
        let known = if let (1, Ties::Found(tied)) = (dim, &self.ties) { &tied[..] } else { &[] };
        let tied: Vec<(u32, &Tied)> =
            known.iter().map(|tied| (self.values.last_rank(tied.birth), tied)).collect();
        let submatrix = Submatrix {
            complex,
            code: self.code(dim),
            cofacet_code: self.code(dim + 1),
            // Ranks are stored in 32 bits.
            ranks: self.values.count() as u32,
            edges: self.plan.edges,
            walkers: self.plan.walkers.get(dim - 1).copied().unwrap_or(0),
            columns: &residue.columns,
            apparent: &residue.apparent,
            times_store: self.times_pair_store,
            only_bars: dim == self.plan.max_dim && self.collector.is_none(),
            gives_up: dim == 2 && matches!(self.ties, Ties::Shunned),
            tied: &tied,
            progress: self.progress,
        };
        let Submatrix { code, cofacet_code, .. } = submatrix;
        let values = self.values;
        let collector = self.collector.as_mut();
        let mut collector = collector.filter(|collector| collector.wants_cochains());
        let is_binary = self.plan.modulus == 2 && !W::IS_RARE;
        let seeks_ties = dim == 2 && is_binary && matches!(self.ties, Ties::Sought);
        let are_unique = collector.is_some();
        let mut found: Vec<Class<W>> = Vec::new();
        let mut columns = |pivots: &[Option<W>]| -> Vec<usize> {
            let pairs = Pairs { columns: &residue.columns, pivots, code, cofacet_code };
            found = classes(values, pairs).collect();
            match &mut collector {
                Some(collector) => collector.wanted(&found),
                None => ties::columns(&found),
            }
        };
        let last_rank = |rank| if are_unique { u32::MAX } else { values.last_rank(values.distance(rank)) };
        let wanted = Wanted { columns: &mut columns, last_rank: &last_rank, are_unique };
        let wanted = (are_unique || seeks_ties).then_some(wanted);
        // The constant is asked first: then the other way is not compiled for words that never take it.
        let reduction = if W::IS_RARE || !is_binary {
            reduce(&submatrix, Modulo::new(self.plan.modulus), wanted)
        } else {
            reduce(&submatrix, Two, wanted)
        };
        let Some(reduction) = reduction? else { return Ok(None) };
        if seeks_ties {
            self.ties = Ties::of(&found, code, &reduction)?;
        } else if dim == 1 {
            self.ties.order(&reduction.births);
        }
        self.count(residue, &reduction, started.elapsed().as_secs_f64());
        Ok(Some(reduction))
    }

    /// The code of simplices of a dimension.
    pub(super) fn code<W: Word>(&self, dim: usize) -> Code<W> {
        Code::new(self.plan.points, dim + 1)
    }

    /// The bars of the residue, in the order of the columns. `below` holds the results of the dimension below, if
    /// cycles are wanted.
    pub(super) fn bars<W: Word>(
        &mut self,
        complex: &dyn Enumerate,
        dim: usize,
        columns: &[W],
        reduction: &Reduction<W>,
        below: &Below<W>,
    ) -> Vec<Bar> {
        let (code, cofacet_code) = (self.code(dim), self.code(dim + 1));
        let pairs = Pairs { columns, pivots: &reduction.pivots, code, cofacet_code };
        let classes = classes(self.values, pairs);
        let Some(collector) = &mut self.collector else {
            return classes.map(|class| class.bar).collect();
        };
        let classes: Vec<Class<W>> = classes.collect();
        let started = Instant::now();
        let tightening = collector.dimension(
            complex,
            self.values,
            pairs,
            &classes,
            &reduction.cochains,
            below,
            self.progress,
        );
        if let Some(stats) = self.stats.dimensions.last_mut() {
            stats.representatives_seconds = started.elapsed().saturating_sub(tightening).as_secs_f64();
            stats.tightening_seconds = tightening.as_secs_f64();
        }
        classes.into_iter().map(|class| class.bar).collect()
    }

    /// Completes the statistics of the last dimension.
    fn count<W: Word>(&mut self, residue: &Residue<W>, reduction: &Reduction<W>, reduction_seconds: f64) {
        let (simplices, counts) = (residue.counts, &reduction.counts);
        let paired = reduction.pivots.iter().flatten().count() as u64;
        let mut pair_store = residue.pair_store.clone();
        pair_store += counts.pair_store.clone();
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
            pair_store,
            reduction_seconds,
            ..std::mem::take(stats)
        };
    }
}

/// The classes of a residue whose bars have positive length, in the order of the columns.
fn classes<W: Word>(values: &Values, pairs: Pairs<'_, W>) -> impl Iterator<Item = Class<W>> {
    let Pairs { columns, pivots, code, cofacet_code } = pairs;
    let class = move |(place, (&column, &pivot)): (usize, (&W, &Option<W>))| {
        let birth = values.distance(code.rank(column));
        let death = pivot.map_or(f64::INFINITY, |pivot| values.distance(cofacet_code.rank(pivot)));
        Class { place, column, pivot, bar: Bar { birth, death } }
    };
    let classes = columns.iter().zip(pivots).enumerate().map(class);
    classes.filter(|class| class.bar.death > class.bar.birth)
}
