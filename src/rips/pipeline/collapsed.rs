//! Path 1 on another graph with the same bars, which takes less time, and the order of bars that have the same birth.
//!
//! The other graph is the collapsed one or, with `auto`, the whole one with distinct ranks:
//!
//! - Where there are few lengths, long columns cannot be walked edge by edge. With a rank of its own for each edge, in
//!   the order of Ripser's filtration, they can. Where there are more, but most edges have the length of another one,
//!   the graph is computed as it is first; its reduction gives up dimension 2 if it takes long.
//! - Where points with neighbouring numbers are near each other, as in a grid or a random walk, few cofacets of a
//!   simplex add a greater vertex, and filtration construction takes three to ten times as long. So the points are
//!   numbered anew at random.
//!
//! Ripser lists the bars of a dimension by descending birth, and bars of equal birth by the simplices at which they are
//! born. A rank of its own for each edge keeps that order in dimension 1, and on the whole graph in all dimensions if
//! all edges differ in length; after a collapse it does so in dimension 2, and with new numbers in none above 1
//! ([`edge_collapse`]). Otherwise the order of bars that have equal births but different deaths may change. On the
//! whole graph [`ties`] determines it in dimension 2, over Z/2. In other cases the barcode up to the last dimension
//! with such bars is computed again: on a collapsed graph that keeps all simplices which enter with the edges at these
//! births; or, if several edges have such a value, on the whole graph.
//!
//! `auto` first tests whether the work caused by the edges justifies a collapse at all, and ends the collapse when it
//! no longer pays. The test counts operations, not seconds, so its result is reproducible.
//!
//! Births of points do not affect the collapse: an edge is born after its points, and a vertex that dominates it is
//! adjacent to both, so it is born by then. At each scale the smaller complex has the points of the larger, and its
//! homotopy type.

use std::time::Instant;

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::Graph;
use super::checkpoint::{collapse_name, load_collapse, save_collapse};
use super::ties::{self, Ties};
use crate::backend::{Backend, Choice, Estimate};
use crate::diagram::{Bar, Diagram};
use crate::progress::{Progress, if_finished};
use crate::rips::edge_collapse::{self, Collapsed, CostTest, Keep, collapse};
use crate::rips::estimate::Device;
use crate::rips::rank::{Edges, Layout, Lengths, Sampled};
use crate::rips::stats::CollapseStats;
use crate::rips::{Collapse, Outcome, RipsError, Summary, estimate, footprint};

/// A computation on another graph to attempt.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) collapse: Collapsing,
    /// The properties of the distances for which another graph is taken even without a collapse.
    pub(super) pairs: Sampled,
}

/// The edges to collapse.
#[derive(Debug)]
pub(super) enum Collapsing {
    /// None: each edge gets a rank of its own.
    Nothing,
    /// Edges as long as that pays, by the estimates.
    WhileItPays {
        /// The greatest dimension computed after the collapse.
        max_dim: usize,
        /// The device that would be used without a collapse.
        device: Option<Device>,
    },
    /// All edges, whether it pays or not.
    Whole,
}

impl Attempt {
    /// The attempt to make, if any, and the number of bytes it would need if it would pay but does not fit in memory.
    /// `device` is what would be used without a collapse, `sampled` looks at the distances.
    ///
    /// # Errors
    /// [`RipsError::Memory`] and [`RipsError::TooManyEdges`]: a collapse was requested but is not possible.
    pub(super) fn decide(
        collapse: Collapse,
        summary: &Summary,
        max_dim: usize,
        device: Option<Device>,
        sampled: &dyn Fn() -> Sampled,
    ) -> Result<(Option<Self>, Option<u64>), RipsError> {
        let (points, edges) = (summary.points, summary.edges);
        match collapse {
            Collapse::Off => Ok((None, None)),
            Collapse::On => {
                let whole = Attempt { collapse: Collapsing::Whole, pairs: Sampled::default() };
                footprint::check_collapse(points, edges).map(|()| (Some(whole), None))
            }
            Collapse::Auto => {
                let seconds = estimate::seconds(summary, edges, max_dim, device);
                if seconds <= LEAST {
                    return Ok((None, None));
                }
                let (pairs, bytes) = (sampled(), edge_collapse::bytes(points, edges));
                let collapses = seconds > PROMISE * edge_collapse::least(edges, bytes);
                let pays = collapses || pairs != Sampled::default();
                let fits = footprint::check_collapse(points, edges).is_ok();
                let collapse =
                    if collapses { Collapsing::WhileItPays { max_dim, device } } else { Collapsing::Nothing };
                let attempt = (pays && fits).then_some(Attempt { collapse, pairs });
                Ok((attempt, (pays && !fits).then_some(bytes)))
            }
        }
    }

    /// Whether the other graph certainly has all edges.
    pub(super) fn keeps_edges(&self) -> bool {
        matches!(self.collapse, Collapsing::Nothing)
    }

    /// Computes the barcode on the other graph. `compute` computes the barcode of a graph as it is.
    pub(super) fn compute(
        self,
        whole: Graph,
        progress: &dyn Progress,
        compute: &dyn Fn(Graph) -> Result<(Outcome, Ties), RipsError>,
    ) -> Result<Outcome, RipsError> {
        let Attempt { ref collapse, pairs } = self;
        let is_auto = !matches!(collapse, Collapsing::Whole);
        if is_auto && !pairs.are_in_order && !self.keeps_edges() && would_be_done_twice(&whole) {
            let pairs = Sampled { lengths: pairs.lengths.max(Lengths::Equal), ..pairs };
            return Attempt { collapse: Collapsing::Nothing, pairs }.compute(whole, progress, compute);
        }
        let began = Instant::now();
        let keep = Keep { plane: whole.max_dim >= 2, born_at: &[] };
        let collapsed = if self.keeps_edges() { None } else { Some(self.collapse(&whole, keep, progress)?) };
        let tried = collapsed.as_ref().map(|Collapsed { stats, .. }| stats.clone());
        let tried = tried.map(|stats| CollapseStats { seconds: began.elapsed().as_secs_f64(), ..stats });
        // A small gain is not worth the risk that dimensions are computed twice.
        let gains_little = |stats: &CollapseStats| {
            is_auto && stats.tried < stats.before && stats.after > stats.before / 3 * 2
        };
        let collapsed = collapsed.filter(|Collapsed { stats, .. }| !gains_little(stats));
        let is_unchanged = |stats: &CollapseStats| stats.after == stats.before && stats.shifted == 0;
        let is_whole = collapsed.as_ref().is_none_or(|Collapsed { stats, .. }| is_unchanged(stats));
        // Ranking is timed from `start`, which is shifted so that what went before is not included.
        let start = whole.start + began.elapsed();
        if is_whole && pairs == Sampled::default() {
            let (mut outcome, _) = compute(Graph { start, ..whole })?;
            outcome.stats.collapse = tried;
            return Ok(outcome);
        }
        if is_whole && pairs == (Sampled { lengths: Lengths::Equal, are_in_order: false }) {
            let (ranking, summary) = (whole.ranking.clone(), whole.summary.clone());
            let graph = Graph { start, max_dim: whole.max_dim, summary, ranking, ties: Ties::Shunned };
            let (mut outcome, ties) = compute(graph)?;
            if !matches!(ties, Ties::GivenUp) {
                outcome.stats.collapse = tried;
                return Ok(outcome);
            }
        }
        let Collapsed { mut graph, repeated, stats } = match collapsed {
            Some(collapsed) => collapsed,
            None => edge_collapse::refined(whole.summary.points, &whole.ranking)?,
        };
        let took = began.elapsed();
        let mut collapse = CollapseStats { seconds: took.as_secs_f64(), ..tried.unwrap_or(stats) };
        let start = whole.start + took;
        if pairs.are_in_order {
            shuffle(&mut graph.edges);
        }
        let summary = whole.summary.clone();
        let of_graph = Summary { edges: graph.edges.numbers.len(), ..summary.clone() };
        let ties = if is_whole { Ties::Sought } else { Ties::Ignored };
        let (mut outcome, ties) =
            compute(Graph { start, max_dim: whole.max_dim, summary: of_graph, ranking: graph, ties })?;
        // After a run that ended early nothing is computed again.
        let settled = if pairs.are_in_order {
            1
        } else if is_whole {
            usize::MAX
        } else {
            2
        };
        let open =
            OpenOrder::of(&outcome.diagram, &repeated, settled).filter(|_| outcome.unfinished.is_none());
        if let Some(open) = open {
            let began = Instant::now();
            let again = if_finished(progress, || {
                let mut whole = Graph { start: began, max_dim: open.last_dim, ..whole };
                if let Ties::Found(mut tied) = ties
                    && open.last_dim == 2
                {
                    tied.retain(|tied| open.births.contains(&tied.birth));
                    if pairs.are_in_order {
                        ties::rename(&mut tied, &shuffled(whole.summary.points));
                    }
                    whole.ties = Ties::Found(tied);
                    return compute(whole);
                }
                if !open.are_single {
                    return compute(whole);
                }
                let keep = Keep { born_at: &open.births, ..keep };
                let Collapsed { graph, stats, .. } = self.collapse(&whole, keep, progress)?;
                let summary = Summary { edges: stats.after, ..whole.summary };
                compute(Graph { summary, ranking: graph, ..whole })
            });
            let again = again.transpose()?;
            let (diagram, unfinished) = match &again {
                None => (Diagram::default(), Some(0)),
                Some((_, Ties::Ordered(tied))) => (ties::ordered(&outcome.diagram, tied), None),
                Some((again, _)) => (again.diagram.clone(), again.unfinished),
            };
            outcome.diagram = match unfinished {
                None => joined(&diagram, &outcome.diagram, open.last_dim + 1, outcome.diagram.len()),
                Some(dim) => {
                    // The first two dimensions are in order already, later ones only after they are computed again.
                    let last = dim.max(2).min(outcome.diagram.len());
                    outcome.unfinished = Some(last);
                    outcome.stats.dimensions.retain(|stats| stats.dim < last);
                    joined(&diagram, &outcome.diagram, dim, last)
                }
            };
            // A message of both computations is reported once.
            let notes = again.into_iter().flat_map(|(again, _)| again.notes);
            let unheard: Vec<String> = notes.filter(|note| !outcome.notes.contains(note)).collect();
            outcome.notes.extend(unheard);
            collapse.ordered = Some(open.last_dim);
            collapse.order_seconds = began.elapsed().as_secs_f64();
        }
        outcome.summary = summary;
        outcome.stats.collapse = Some(collapse);
        Ok(outcome)
    }

    /// Collapses the graph, or loads its collapse from the checkpoint.
    fn collapse(
        &self,
        whole: &Graph,
        keep: Keep<'_>,
        progress: &dyn Progress,
    ) -> Result<Collapsed, RipsError> {
        let Graph { summary, ranking, .. } = whole;
        if self.keeps_edges() {
            return Ok(edge_collapse::refined(whole.summary.points, &whole.ranking)?);
        }
        progress.begin("collapse", None, 1);
        let is_whole = matches!(self.collapse, Collapsing::Whole);
        let checkpoint = progress.checkpoint();
        let name = checkpoint.is_kept().then(|| collapse_name(summary.points, ranking, keep, is_whole));
        if let Some(name) = &name
            && let Some(collapsed) = load_collapse(checkpoint, name, summary.points)?
        {
            return Ok(collapsed);
        }
        let seconds;
        let cost_test = match self.collapse {
            Collapsing::Nothing | Collapsing::Whole => None,
            Collapsing::WhileItPays { max_dim, device } => {
                seconds = move |edges| estimate::seconds(summary, edges, max_dim, device);
                // If the collapse makes a device unnecessary, the time to open it is saved at once, by the last edges.
                let hopes = device.is_some_and(|device| device.opening.is_some());
                Some(CostTest { seconds: &seconds, hopes })
            }
        };
        let collapsed = collapse(summary.points, ranking, keep, cost_test, progress)?;
        if let Some(name) = &name {
            save_collapse(checkpoint, name, &collapsed);
        }
        Ok(collapsed)
    }
}

/// Seconds of work, on one thread, below which no collapse is attempted: the gain would not be noticeable.
const LEAST: f64 = 0.5e-3;

/// Factor by which the estimated work must exceed that of the cheapest collapse of all edges.
const PROMISE: f64 = 1.5;

/// Assumed number of points per bar of dimension 2, as measured with the distances of dragon1000 and HIV
/// (`benches/RESULTS.md`).
const POINTS_A_BAR: usize = 20;

/// Number of values below which columns become long because many simplices have the same rank (distances rounded to
/// one or two digits, and hops in a graph).
const FEW_VALUES: usize = 256;

/// Factor by which a device may be faster than estimated when it has much to do.
const DEVICE_GAIN: f64 = 3.0;

/// The device that would construct the residues by this estimate, if any. The processors of several processes are such
/// a device for one.
pub(super) fn device(backend: &Backend, estimate: &Estimate, processes: usize) -> Option<Device> {
    let processors = Device { share: 1.0 / processes as f64, opening: None };
    let opening = match backend.request().choice {
        Choice::Cuda => None,
        Choice::Auto if backend.prefers_device(estimate) => {
            Some(backend.opening() * rayon::current_num_threads() as f64)
        }
        Choice::Auto | Choice::Cpu => return (processes > 1).then_some(processors),
    };
    let share =
        if estimate.cpu > 0.0 { (estimate.device / estimate.cpu / DEVICE_GAIN).min(1.0) } else { 1.0 };
    Some(Device { share: share * processors.share, opening })
}

/// Whether, after a collapse, the last dimension is likely to be computed on the whole graph too, since two of its bars
/// are born at the same value: that is more likely than not if there are fewer values than pairs of bars. With very few
/// values the whole graph may take a hundred times as long as one with distinct ranks, which is then worth trying.
fn would_be_done_twice(whole: &Graph) -> bool {
    let bars = whole.summary.points / POINTS_A_BAR;
    whole.max_dim == 2 && (FEW_VALUES..bars * bars).contains(&whole.ranking.values.count())
}

/// Bars whose order may differ from Ripser's: those of equal birth and different deaths.
struct OpenOrder {
    /// The last dimension with such bars.
    last_dim: usize,
    /// The births of these bars.
    births: Vec<f64>,
    /// Whether each of them is the value of a single edge.
    are_single: bool,
}

impl OpenOrder {
    /// The open order in the diagram of another graph, if there is any. `repeated` are the values that several edges
    /// share, ascending; up to the dimension `settled` bars born with a single edge have Ripser's order. That is 1 if
    /// points are numbered anew, 2 after a collapse, and no limit if the simplices are those of the whole graph.
    fn of(diagram: &Diagram, repeated: &[f64], settled: usize) -> Option<Self> {
        let is_single = |value: f64| repeated.binary_search_by(|other| other.total_cmp(&value)).is_err();
        // In dimension 0 all bars are born at 0 and sorted by their deaths. Edges of distinct ranks keep the order in
        // dimension 1 ([`edge_collapse`]).
        let mut open: Vec<(usize, f64)> = Vec::new();
        for dim in 2..diagram.len() {
            let mut deaths = HashMap::new();
            let mut differ =
                |bar: &&Bar| *deaths.entry(bar.birth.to_bits()).or_insert(bar.death) != bar.death;
            let births = diagram.bars(dim).iter().filter(|bar| differ(bar)).map(|bar| bar.birth);
            open.extend(births.filter(|&birth| dim > settled || !is_single(birth)).map(|birth| (dim, birth)));
        }
        let last_dim = open.iter().map(|&(dim, _)| dim).max()?;
        let are_single = open.iter().all(|&(_, birth)| is_single(birth));
        let mut births: Vec<f64> = open.into_iter().map(|(_, birth)| birth).collect();
        births.dedup();
        Some(OpenOrder { last_dim, births, are_single })
    }
}

/// The points in an order that is random but always the same.
fn shuffled(points: usize) -> Vec<u32> {
    // Points are numbers of 32 bits.
    let mut order: Vec<u32> = (0..points as u32).collect();
    order.sort_by_cached_key(|point| xxh3_64(&point.to_le_bytes()));
    order
}

/// Numbers the points anew, by their places in that order.
fn shuffle(edges: &mut Edges) {
    let mut names = vec![0; edges.points];
    (0..).zip(shuffled(edges.points)).for_each(|(name, point)| names[point as usize] = name);
    if let Layout::Pairs(pairs) = &mut edges.layout {
        for (i, j) in pairs {
            let (a, b) = (names[*i as usize], names[*j as usize]);
            (*i, *j) = (a.max(b), a.min(b));
        }
    }
}

/// The bars of `first` below dimension `middle`, and those of `second` from there up to below dimension `end`.
fn joined(first: &Diagram, second: &Diagram, middle: usize, end: usize) -> Diagram {
    let of = |dim: usize| if dim < middle { first } else { second };
    Diagram::new((0..end).map(|dim| of(dim).bars(dim).to_vec()).collect())
}
