//! Path 1 from distances to diagram.

use std::borrow::Cow;
use std::time::Instant;

use ruint::aliases::U512;

use super::assembly::{self, Assemble, binomial};
use super::code::{Code, vertex_bits};
use super::complex::{Dense, Sparse};
use super::components::{Forest, kruskal, prim};
use super::field::{Field, Modulo, Two};
use super::offload::Ahead;
use super::pair_store::{ApparentPairs, PairStore, Pivots};
use super::rank::{Edges, Ranking, matrix_of_points, rank};
use super::stats::{DimensionStats, PairStoreStats};
use super::word::Word;
use super::{
    Outcome, Plan, Progress, Rips, RipsError, Shape, Stats, Summary, Threshold, estimate, plan, reduction,
};
use crate::backend::{Backend, Decision};
use crate::cuda::{Gpu, KernelRank};
use crate::diagram::{Bar, Diagram};
use crate::memory;
use crate::metric::{Distances, Value};
use crate::simd::{Level, Rank};

/// Ranks, chooses the widths, and computes.
pub(super) fn run<T: Value>(
    rips: &Rips<T>,
    modulus: u16,
    progress: &dyn Progress,
) -> Result<Outcome, RipsError> {
    let start = Instant::now();
    progress.begin("rank", 0, 1);
    let (distances, summary) = survey(&rips.distances, rips.threshold);
    let Rips { max_dim, pair_store, ref backend, .. } = *rips;
    // How many different distances there are is known when they are ranked; meanwhile a device may begin to open.
    let rank_width = if summary.edges > usize::from(u16::MAX) { 32 } else { 16 };
    backend.expect(&estimate::of(&summary, max_dim, rank_width, Level::detect()));
    let ranking = rank(&distances, T::from_f64(summary.threshold));
    drop(distances);
    compute(start, &Asked { max_dim, modulus, pair_store, backend }, summary, ranking, progress)
}

/// What is asked of ranked distances.
struct Asked<'a> {
    max_dim: usize,
    modulus: u16,
    pair_store: plan::PairStore,
    backend: &'a Backend,
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
    let decision = asked.backend.decide(&estimate)?;
    plan.backend = decision.to_string();
    let Ranking { values, edges } = ranking;
    let mut run = Run {
        plan: &plan,
        values: &values,
        decision: &decision,
        progress,
        stats: Stats::default(),
        notes: Vec::new(),
    };
    let level = Level::detect();
    let diagram = match (plan.shape, plan.rank_width) {
        (Shape::Sparse { .. }, _) => run.with_complex(start, edges.graph(plan.points)),
        (Shape::Dense, 16) => run.with_complex(start, dense::<u16>(&plan, edges, level)),
        (Shape::Dense, _) => run.with_complex(start, dense::<u32>(&plan, edges, level)),
    };
    let diagram = diagram?;
    let Run { mut stats, notes, .. } = run;
    stats.device_memory = decision.gpus.iter().map(Gpu::peak).max().unwrap_or(0);
    Ok(Outcome { diagram, stats, plan, summary, notes })
}

/// The figures of the input, and the input itself, point clouds without a finite threshold as a matrix.
fn survey<T: Value>(distances: &Distances<T>, threshold: Threshold) -> (Cow<'_, Distances<T>>, Summary) {
    let bounded = matches!(threshold, Threshold::Value(t) if t.is_finite());
    if let Distances::Points(points) = distances
        && !bounded
        && let Some(matrix) = matrix_of_points(points)
    {
        let distances = Distances::Matrix(matrix);
        let summary = Summary::of(&distances, threshold);
        let ambient_dimension = Some(points.dimension());
        return (Cow::Owned(distances), Summary { ambient_dimension, ..summary });
    }
    (Cow::Borrowed(distances), Summary::of(distances, threshold))
}

fn dense<R: Rank + KernelRank>(plan: &Plan, edges: Edges, level: Level) -> Dense<R> {
    Dense::new(plan.points, edges.square(plan.points), level)
}

/// A dense matrix when at least one pair in this many is an edge.
const SPARSE_BELOW: usize = 8;

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
    decision: &'a Decision,
    progress: &'a dyn Progress,
    stats: Stats,
    notes: Vec<String>,
}

/// A complex of either shape.
trait Shaped: Assemble {
    fn forest<W: Word>(&self, code: &Code<W>) -> Forest<W>;
}

impl<R: Rank + KernelRank> Shaped for Dense<R> {
    fn forest<W: Word>(&self, code: &Code<W>) -> Forest<W> {
        prim(self, code)
    }
}

impl Shaped for Sparse {
    fn forest<W: Word>(&self, code: &Code<W>) -> Forest<W> {
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
        let decision = self.decision;
        if decision.gpus.is_empty() {
            return self.dimensions::<C, W, F>(complex, field, Ahead::nobody());
        }
        let task = assembly::Offload {
            gpus: &decision.gpus,
            points: self.plan.points,
            max_dim: self.plan.max_dim,
            layer: self.plan.pair_store,
            rank_bits: rank_bits(self.values.len()),
        };
        let rank_width = self.plan.rank_width;
        std::thread::scope(|scope| {
            let (ahead, found) = Ahead::on(decision);
            scope.spawn(move || complex.offload::<W>(&task, rank_width, found));
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
        let (bars, mut store) = self.components::<C, W>(complex);
        let mut dimensions = vec![bars];
        for dim in 1..=self.plan.max_dim {
            let (code, cofacet_code) = (self.code(dim), self.code(dim + 1));
            let residue = self.assemble(complex, dim, &store, &mut ahead)?;
            let started = Instant::now();
            self.progress.begin("reduction", dim, residue.columns.len() as u64);
            let reduction = reduction::reduce(&reduction::Task {
                complex,
                field,
                code,
                cofacet_code,
                // Ranks are stored in 32 bits.
                ranks: self.values.len() as u32,
                columns: &residue.columns,
                apparent: &residue.apparent,
                progress: self.progress,
            });
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
    fn components<C: Shaped, W: Word>(&mut self, complex: &C) -> (Vec<Bar>, PairStore<W>) {
        let started = Instant::now();
        self.progress.begin("components", 0, 1);
        let code = self.code(1);
        let Forest { edges, trees } = complex.forest::<W>(&code);
        let deaths = edges.iter().map(|&edge| self.values[code.rank(edge) as usize]);
        let essential = std::iter::repeat_n(f64::INFINITY, trees);
        let bars = deaths.filter(|&d| d > 0.0).chain(essential).map(|death| Bar { birth: 0.0, death });
        let bars = bars.collect();
        let pivots = Pivots::with_capacity(edges.len());
        for &edge in &edges {
            // Each edge comes once.
            let _ = pivots.insert(edge, 0);
        }
        self.stats.components_seconds = started.elapsed().as_secs_f64();
        (bars, PairStore { pivots, apparent: ApparentPairs::None })
    }

    fn assemble<C: Shaped, W: Word>(
        &mut self,
        complex: &C,
        dim: usize,
        cleared: &PairStore<W>,
        ahead: &mut Ahead<W>,
    ) -> Result<assembly::Assembly<W>, RipsError> {
        let started = Instant::now();
        let total = match self.plan.shape {
            Shape::Dense => binomial(self.plan.points, dim + 1),
            Shape::Sparse { .. } => self.plan.points as u64,
        };
        self.progress.begin("assembly", dim, total);
        let task = assembly::Task {
            dim,
            code: self.code(dim),
            cofacet_code: self.code(dim + 1),
            cleared,
            layer: self.plan.pair_store,
            rank_width: self.plan.rank_width,
            level: Level::detect(),
            progress: self.progress,
        };
        let mut stats = DimensionStats { dim, ..DimensionStats::default() };
        let residue = match ahead.next(&mut self.notes)? {
            None => complex.assemble(&task),
            Some(undecided) => {
                stats.device_seconds = undecided.seconds;
                if self.decision.self_check {
                    let nothing =
                        PairStore { pivots: Pivots::with_capacity(0), apparent: ApparentPairs::None };
                    let own = complex.assemble(&assembly::Task { cleared: &nothing, ..task });
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
        residue: &assembly::Assembly<W>,
        reduction: &reduction::Reduction<W>,
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
