//! Path 1 on the collapsed graph, and in which order bars are that are born together.
//!
//! Both graphs have the same bars. Ripser lists the bars of a dimension by birth, the greatest first, and bars of equal birth by the simplices
//! at which they are born, which need not be the same in the collapsed graph. Where bars of equal birth have different deaths, that
//! order shows: so the barcode up to the last dimension in which there are such bars is computed of the whole graph after all. The dimensions
//! above it, which take nearly all the time, are not.

use std::collections::HashMap;
use std::time::Instant;

use super::{Asked, Decide, compute_graph};
use crate::diagram::{Bar, Diagram};
use crate::rips::edge_collapse::collapse;
use crate::rips::rank::{Ranked, RankedEdges, Ranking, Values};
use crate::rips::stats::CollapseStats;
use crate::rips::{Outcome, Progress, RipsError, Summary, footprint};
use crate::simd::Level;

/// Computes on the collapsed graph.
pub(super) fn compute(
    start: Instant,
    asked: Asked,
    decide: Decide<'_>,
    summary: Summary,
    whole: Ranking,
    progress: &dyn Progress,
) -> Result<Outcome, RipsError> {
    footprint::check_collapse(summary.points, summary.edges, whole.values.len())?;
    progress.begin("collapse", None, 1);
    let began = Instant::now();
    let (edges, figures) = collapse(summary.points, &whole, Level::detect())?;
    let took = began.elapsed();
    // The time of ranking is what has passed since the start, but for this.
    let start = start + took;
    let graph = Ranked { values: Values::Listed(whole.values.clone()), edges: RankedEdges::Other(edges) };
    let of_graph = Summary { edges: figures.after, ..summary.clone() };
    let mut outcome = compute_graph(start, asked, decide, of_graph, graph, progress)?;
    outcome.summary = summary.clone();
    let began = Instant::now();
    let ordered = last_open_order(&outcome.diagram);
    if let Some(max_dim) = ordered {
        let whole = Ranked { values: Values::Listed(whole.values), edges: RankedEdges::Other(whole.edges) };
        let again = compute_graph(start, Asked { max_dim, ..asked }, decide, summary, whole, progress)?;
        outcome.diagram = joined(&again.diagram, &outcome.diagram, max_dim);
        outcome.notes.extend(again.notes);
    }
    let order_seconds = began.elapsed().as_secs_f64();
    outcome.stats.collapse =
        Some(CollapseStats { figures, seconds: took.as_secs_f64(), ordered, order_seconds });
    Ok(outcome)
}

/// The last dimension in which bars of equal birth have different deaths.
fn last_open_order(diagram: &Diagram) -> Option<usize> {
    let is_open = |bars: &[Bar]| {
        let mut deaths = HashMap::new();
        bars.iter().any(|bar| *deaths.entry(bar.birth.to_bits()).or_insert(bar.death) != bar.death)
    };
    // In dimension 0 all are born at 0, and bars are in the order of their deaths.
    (1..diagram.len()).rfind(|&dim| is_open(diagram.bars(dim)))
}

/// The bars of one diagram up to a dimension, those of the other above it.
fn joined(first: &Diagram, second: &Diagram, last: usize) -> Diagram {
    let from = |dim: usize| if dim <= last { first } else { second };
    Diagram::new((0..second.len()).map(|dim| from(dim).bars(dim).to_vec()).collect())
}
