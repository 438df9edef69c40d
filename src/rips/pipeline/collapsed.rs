//! Path 1 on the collapsed graph, and in which order bars are that are born together.
//!
//! Both graphs have the same bars. Ripser lists the bars of a dimension by birth, the greatest first, and bars of equal
//! birth by the simplices at which they are born. The collapse keeps that order in dimension 1, and in dimension 2
//! where edges differ in length ([`edge_collapse`]). Elsewhere it may be another in the collapsed graph, which shows
//! where bars of equal birth have different deaths. Then the barcode up to the last dimension in which there are such
//! bars is computed again: of the collapsed graph in which the edges that these are born with keep all that enters with
//! them; or, if several edges have such a value, of the whole graph.
//!
//! `auto` first asks whether the work that edges make is worth a collapse at all, and then ends the collapse when it no
//! longer is. It counts operations, not seconds, so that it does the same each time.
//!
//! Points that are born late change nothing: an edge is born after its points, and a vertex that dominates it is joined
//! to both, so by then it is born. At each scale the smaller complex has the points of the larger, and its homotopy
//! type.

use std::collections::HashMap;
use std::time::Instant;

use super::{Asked, Setting, compute_graph, kept};
use crate::backend::{Backend, Choice, Estimate};
use crate::diagram::{Bar, Diagram};
use crate::progress::{Progress, if_finished};
use crate::rips::edge_collapse::{self, Collapsed, Keep, Worth, collapse};
use crate::rips::estimate::Device;
use crate::rips::rank::{Ranked, RankedEdges, Ranking, Values};
use crate::rips::stats::CollapseStats;
use crate::rips::{Collapse, Outcome, RipsError, Summary, estimate, footprint};

/// A collapse that is to be attempted.
#[derive(Debug)]
pub(super) enum Attempt {
    /// As long as it pays, by the estimates.
    WhileItPays {
        /// The dimensions that are computed after it.
        max_dim: usize,
        /// The device that would be used without a collapse.
        device: Option<Device>,
    },
    /// All edges.
    Whole,
}

impl Attempt {
    /// The attempt to be made, if any, and the bytes that one would take which would pay and does not fit. `estimate`
    /// is that of the whole graph.
    ///
    /// # Errors
    /// [`RipsError::Memory`] and [`RipsError::TooManyEdges`]: a collapse that is asked for cannot be done.
    pub(super) fn decide(
        collapse: Collapse,
        summary: &Summary,
        max_dim: usize,
        backend: &Backend,
        estimate: &Estimate,
    ) -> Result<(Option<Self>, Option<u64>), RipsError> {
        let (points, edges) = (summary.points, summary.edges);
        match collapse {
            Collapse::Off => Ok((None, None)),
            Collapse::On => footprint::check_collapse(points, edges).map(|()| (Some(Attempt::Whole), None)),
            Collapse::Auto => {
                let device = device(backend, estimate);
                let seconds = estimate::seconds(summary, edges, max_dim, device);
                let pays = seconds
                    > LEAST.max(
                        PROMISE * edge_collapse::preparation(edges, edge_collapse::bytes(points, edges)),
                    );
                let fits = footprint::check_collapse(points, edges).is_ok();
                let attempt = (pays && fits).then_some(Attempt::WhileItPays { max_dim, device });
                Ok((attempt, (pays && !fits).then(|| edge_collapse::bytes(points, edges))))
            }
        }
    }

    /// Computes on the collapsed graph.
    pub(super) fn compute(
        self,
        start: Instant,
        asked: Asked,
        setting: Setting<'_>,
        summary: Summary,
        whole: Ranking,
    ) -> Result<Outcome, RipsError> {
        if matches!(self, Attempt::WhileItPays { .. }) && would_be_done_twice(asked.max_dim, &whole, &summary)
        {
            return compute_graph(start, asked, setting, summary, unlisted(whole));
        }
        setting.progress.begin("collapse", None, 1);
        let began = Instant::now();
        let keep = Keep { plane: asked.max_dim >= 2, born_at: &[] };
        let Collapsed { graph, repeated, figures } =
            self.collapse(&summary, &whole, keep, setting.progress)?;
        let took = began.elapsed();
        // The time of ranking is what has passed since the start, but for this.
        let start = start + took;
        if figures.after == figures.before && figures.shifted == 0 {
            let mut outcome = compute_graph(start, asked, setting, summary, unlisted(whole))?;
            outcome.stats.collapse = Some(CollapseStats::of(figures, took));
            return Ok(outcome);
        }
        let of_graph = Summary { edges: figures.after, ..summary.clone() };
        let mut outcome = compute_graph(start, asked, setting, of_graph, unlisted(graph))?;
        let (mut ordered, mut order_seconds) = (None, 0.0);
        // Of a run that ends early nothing is computed again.
        let open = OpenOrder::of(&outcome.diagram, &repeated).filter(|_| outcome.unfinished.is_none());
        if let Some(open) = open {
            let began = Instant::now();
            let asked = Asked { max_dim: open.last_dim, ..asked };
            let again = if_finished(setting.progress, || match open.born_at {
                Some(born_at) => {
                    let keep = Keep { born_at: &born_at, ..keep };
                    let Collapsed { graph, figures, .. } =
                        self.collapse(&summary, &whole, keep, setting.progress)?;
                    let of_graph = Summary { edges: figures.after, ..summary.clone() };
                    compute_graph(began, asked, setting, of_graph, unlisted(graph))
                }
                None => compute_graph(began, asked, setting, summary.clone(), unlisted(whole)),
            });
            let again = again.transpose()?;
            let none = Diagram::default();
            let (diagram, unfinished) =
                again.as_ref().map_or((&none, Some(0)), |again| (&again.diagram, again.unfinished));
            outcome.diagram = match unfinished {
                None => joined(diagram, &outcome.diagram, open.last_dim + 1),
                Some(dim) => {
                    // The first two dimensions are in order as they are; those behind are not, before they are computed
                    // again.
                    let last = dim.max(2).min(outcome.diagram.len());
                    outcome.unfinished = Some(last);
                    outcome.stats.dimensions.retain(|stats| stats.dim < last);
                    cut(&joined(diagram, &outcome.diagram, dim), last)
                }
            };
            // What fails twice is told once.
            let notes = again.into_iter().flat_map(|again| again.notes);
            let unheard: Vec<String> = notes.filter(|note| !outcome.notes.contains(note)).collect();
            outcome.notes.extend(unheard);
            (ordered, order_seconds) = (Some(open.last_dim), began.elapsed().as_secs_f64());
        }
        outcome.summary = summary;
        let of_collapse = CollapseStats::of(figures, took);
        outcome.stats.collapse = Some(CollapseStats { ordered, order_seconds, ..of_collapse });
        Ok(outcome)
    }

    /// What is left of the graph.
    fn collapse(
        &self,
        summary: &Summary,
        whole: &Ranking,
        keep: Keep<'_>,
        progress: &dyn Progress,
    ) -> Result<Collapsed, RipsError> {
        let checkpoint = progress.checkpoint();
        let name = checkpoint
            .is_kept()
            .then(|| kept::name_of_collapse(summary.points, whole, keep, matches!(self, Attempt::Whole)));
        if let Some(name) = &name
            && let Some(kept) = kept::kept_collapse(checkpoint, name, summary.points)?
        {
            return Ok(kept);
        }
        let seconds;
        let worth = match *self {
            Attempt::Whole => Worth::All,
            Attempt::WhileItPays { max_dim, device } => {
                seconds = move |edges| estimate::seconds(summary, edges, max_dim, device);
                // A device that is given up for the collapse saves all that it takes at once, at the end.
                Worth::Paying {
                    seconds: &seconds,
                    hopes: device.is_some_and(|device| device.opening.is_some()),
                }
            }
        };
        let collapsed = collapse(summary.points, whole, keep, &worth, progress)?;
        if let Some(name) = &name {
            kept::keep_collapse(checkpoint, name, &collapsed);
        }
        Ok(collapsed)
    }
}

/// The ranking as the pipeline has it.
fn unlisted(ranking: Ranking) -> Ranked {
    Ranked { values: Values::Listed(ranking.values), edges: RankedEdges::Other(ranking.edges) }
}

/// Seconds of work, on one thread, below which a collapse is not attempted: nobody would feel it.
const LEAST: f64 = 0.5e-3;

/// How many times what its preparation takes a collapse must promise to save.
const PROMISE: f64 = 4.0;

/// Points for each bar of dimension 2, as it is with distances of dragon1000 and HIV (`benches/RESULTS.md`).
const POINTS_A_BAR: usize = 20;

/// How many times as fast as estimated a device may be, where it has much to do.
const DEVICE_GAIN: f64 = 3.0;

/// The device that would construct the residues of an estimate, if one would.
fn device(backend: &Backend, estimate: &Estimate) -> Option<Device> {
    let opening = match backend.request().choice {
        Choice::Cpu => return None,
        Choice::Cuda => None,
        Choice::Auto if !backend.prefers_device(estimate) => return None,
        Choice::Auto => Some(backend.opening() * rayon::current_num_threads() as f64),
    };
    let share =
        if estimate.cpu > 0.0 { (estimate.device / estimate.cpu / DEVICE_GAIN).min(1.0) } else { 1.0 };
    Some(Device { share, opening })
}

/// Whether the last dimension is likely to be computed of the whole graph too, since two of its bars are born at the
/// same value: that is more likely than not if there are fewer values than pairs of bars.
fn would_be_done_twice(max_dim: usize, whole: &Ranking, summary: &Summary) -> bool {
    let bars = summary.points / POINTS_A_BAR;
    max_dim == 2 && whole.values.len() < bars * bars
}

/// Bars that may be in another order than Ripser's: bars of equal birth and different deaths.
struct OpenOrder {
    /// The last dimension that has such bars.
    last_dim: usize,
    /// The values at which they are born, if each of these is that of one edge alone.
    born_at: Option<Vec<f64>>,
}

impl OpenOrder {
    /// What is open in the diagram of a collapsed graph, if anything is. `repeated` are the values that several edges
    /// have, ascending.
    fn of(diagram: &Diagram, repeated: &[f64]) -> Option<Self> {
        let is_single = |value: f64| repeated.binary_search_by(|other| other.total_cmp(&value)).is_err();
        // In dimension 0 all are born at 0, and bars are in the order of their deaths. The collapse keeps the order of
        // dimension 1, and of dimension 2 where one edge has the value.
        let mut open: Vec<(usize, f64)> = Vec::new();
        for dim in 2..diagram.len() {
            let mut deaths = HashMap::new();
            let mut differ =
                |bar: &&Bar| *deaths.entry(bar.birth.to_bits()).or_insert(bar.death) != bar.death;
            let births = diagram.bars(dim).iter().filter(|bar| differ(bar)).map(|bar| bar.birth);
            open.extend(births.filter(|&birth| dim > 2 || !is_single(birth)).map(|birth| (dim, birth)));
        }
        let last_dim = open.iter().map(|&(dim, _)| dim).max()?;
        let is_settled_by_edges = open.iter().all(|&(_, birth)| is_single(birth));
        let mut born_at: Vec<f64> = open.into_iter().map(|(_, birth)| birth).collect();
        born_at.dedup();
        Some(OpenOrder { last_dim, born_at: is_settled_by_edges.then_some(born_at) })
    }
}

/// The bars of one diagram below a dimension, those of the other from it on.
fn joined(first: &Diagram, second: &Diagram, end: usize) -> Diagram {
    let of = |dim: usize| if dim < end { first } else { second };
    Diagram::new((0..second.len()).map(|dim| of(dim).bars(dim).to_vec()).collect())
}

/// The bars of a diagram below a dimension.
fn cut(diagram: &Diagram, end: usize) -> Diagram {
    Diagram::new((0..end).map(|dim| diagram.bars(dim).to_vec()).collect())
}
