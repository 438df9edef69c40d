//! Path 1 on the collapsed graph, and in which order bars are that are born together.
//!
//! Both graphs have the same bars. Ripser lists the bars of a dimension by birth, the greatest first, and bars of equal birth by the simplices
//! at which they are born. The collapse keeps that order in dimension 1, and in dimension 2 where edges differ in length
//! ([`edge_collapse`]). Elsewhere it may be another in the collapsed graph: where bars of equal birth
//! have different deaths, it shows, and the barcode up to the last dimension in which there are such bars is computed of the whole graph
//! after all. The dimensions above it, which take nearly all the time, are not.
//!
//! `auto` first asks whether the work that edges make is worth a collapse at all, and then ends the collapse when it no longer is. It counts
//! operations, not seconds, so that it does the same each time.

use std::collections::HashMap;
use std::time::Instant;

use super::{Asked, Decide, compute_graph};
use crate::backend::{Backend, Choice, Estimate};
use crate::diagram::{Bar, Diagram};
use crate::rips::edge_collapse::{self, Collapsed, Worth, collapse};
use crate::rips::rank::Ranking;
use crate::rips::stats::CollapseStats;
use crate::rips::{Collapse, Outcome, Progress, RipsError, Summary, estimate, footprint};

/// A collapse that is to be attempted.
pub(super) enum Attempt {
    /// As long as it pays, by the estimates for so many dimensions; the numbers are those of operations that a device saves.
    WhileItPays {
        max_dim: usize,
        /// How much of what the processor takes is taken by the machine that will do it.
        share: f64,
    },
    /// All edges.
    Whole,
}

impl Attempt {
    /// The attempt to be made, if any. `estimate` is that of the whole graph.
    ///
    /// # Errors
    /// [`RipsError::Memory`]: a collapse that is asked for cannot fit in memory.
    pub(super) fn decide(
        collapse: Collapse,
        summary: &Summary,
        max_dim: usize,
        backend: &Backend,
        estimate: &Estimate,
    ) -> Result<Option<Self>, RipsError> {
        let (points, edges) = (summary.points, summary.edges);
        match collapse {
            Collapse::Off => Ok(None),
            Collapse::On => footprint::check_collapse(points, edges).map(|()| Some(Attempt::Whole)),
            Collapse::Auto => {
                let share = share(backend, estimate);
                let pays = share * estimate::seconds(summary, edges, max_dim)
                    > PREPARATION * edge_collapse::bytes(points, edges) as f64;
                let fits = footprint::check_collapse(points, edges).is_ok();
                Ok((pays && fits).then_some(Attempt::WhileItPays { max_dim, share }))
            }
        }
    }

    /// Computes on the collapsed graph.
    pub(super) fn compute(
        self,
        start: Instant,
        asked: Asked,
        decide: Decide<'_>,
        summary: Summary,
        whole: Ranking,
        progress: &dyn Progress,
    ) -> Result<Outcome, RipsError> {
        if matches!(self, Attempt::WhileItPays { .. }) && would_be_done_twice(asked.max_dim, &whole, &summary)
        {
            return compute_graph(start, asked, decide, summary, whole, progress);
        }
        progress.begin("collapse", None, 1);
        let began = Instant::now();
        let Collapsed { graph, repeated, figures } = self.collapse(&summary, &whole, asked.max_dim >= 2)?;
        let took = began.elapsed();
        let mut stats =
            CollapseStats { figures, seconds: took.as_secs_f64(), ordered: None, order_seconds: 0.0 };
        // The time of ranking is what has passed since the start, but for this.
        let start = start + took;
        if figures.after == figures.before && figures.shifted == 0 {
            let mut outcome = compute_graph(start, asked, decide, summary, whole, progress)?;
            outcome.stats.collapse = Some(stats);
            return Ok(outcome);
        }
        let of_graph = Summary { edges: figures.after, ..summary.clone() };
        let mut outcome = compute_graph(start, asked, decide, of_graph, graph, progress)?;
        outcome.summary = summary.clone();
        let began = Instant::now();
        stats.ordered = last_open_order(&outcome.diagram, &repeated);
        if let Some(max_dim) = stats.ordered {
            let again = compute_graph(start, Asked { max_dim, ..asked }, decide, summary, whole, progress)?;
            outcome.diagram = joined(&again.diagram, &outcome.diagram, max_dim);
            // What fails twice is told once.
            let unheard = again.notes.into_iter().filter(|note| !outcome.notes.contains(note));
            let unheard: Vec<String> = unheard.collect();
            outcome.notes.extend(unheard);
        }
        stats.order_seconds = began.elapsed().as_secs_f64();
        outcome.stats.collapse = Some(stats);
        Ok(outcome)
    }

    /// What is left of the graph.
    fn collapse(
        &self,
        summary: &Summary,
        whole: &Ranking,
        keeps_order: bool,
    ) -> Result<Collapsed, RipsError> {
        let seconds;
        let worth = match *self {
            Attempt::Whole => Worth(None),
            Attempt::WhileItPays { max_dim, share } => {
                seconds = move |edges| share * estimate::seconds(summary, edges, max_dim);
                Worth(Some(&seconds))
            }
        };
        Ok(collapse(summary.points, whole, keeps_order, &worth)?)
    }
}

/// Seconds that it takes to prepare a collapse, for each byte of it, times what it must promise to save.
const PREPARATION: f64 = 4.0 * 0.5e-9;

/// How much of the processor's time the machine takes that is likely to do the work.
fn share(backend: &Backend, estimate: &Estimate) -> f64 {
    let takes_device = match backend.request().choice {
        Choice::Cpu => false,
        Choice::Cuda => true,
        Choice::Auto => backend.prefers_device(estimate),
    };
    if takes_device && estimate.cpu > 0.0 { (estimate.device / estimate.cpu).min(1.0) } else { 1.0 }
}

/// Whether the last dimension is likely to be computed of the whole graph too, since many edges are equally long.
fn would_be_done_twice(max_dim: usize, whole: &Ranking, summary: &Summary) -> bool {
    max_dim == 2 && whole.values.len() < summary.edges / 2
}

/// The last dimension in which bars of equal birth have different deaths, and may be in another order than Ripser's. `repeated` are
/// the values that several edges have, ascending.
fn last_open_order(diagram: &Diagram, repeated: &[f64]) -> Option<usize> {
    let is_open = |bars: &[Bar], is_settled: &dyn Fn(f64) -> bool| {
        let mut deaths = HashMap::new();
        let mut unsettled = bars.iter().filter(|bar| !is_settled(bar.birth));
        unsettled.any(|bar| *deaths.entry(bar.birth.to_bits()).or_insert(bar.death) != bar.death)
    };
    let is_single = |value: f64| repeated.binary_search_by(|other| other.total_cmp(&value)).is_err();
    // In dimension 0 all are born at 0, and bars are in the order of their deaths.
    (2..diagram.len()).rfind(|&dim| is_open(diagram.bars(dim), &|birth| dim == 2 && is_single(birth)))
}

/// The bars of one diagram up to a dimension, those of the other above it.
fn joined(first: &Diagram, second: &Diagram, last: usize) -> Diagram {
    let from = |dim: usize| if dim <= last { first } else { second };
    Diagram::new((0..second.len()).map(|dim| from(dim).bars(dim).to_vec()).collect())
}
