//! The survey of the input: its summary, and its distances in the form that is ranked.

use crate::metric::value::DistanceKey;
use crate::metric::{Distances, Value};
use crate::progress::Resumable;
use crate::rips::rank::footprint::check_all_pairs;
use crate::rips::rank::{Edges, Keyed, PairSearch, matrix_of_points, spanning_tree, spanning_tree_pays};
use crate::rips::{DistanceToMeasure, Progress, RipsError, RipsOptions, Summary, distance_to_measure};
use crate::snapshot::Part;

/// The surveyed input.
pub(super) struct Surveyed<K> {
    /// The keys of its distances; the distances themselves are freed.
    pub(super) keyed: Keyed<K>,
    /// The summary of the input.
    pub(super) summary: Summary,
    /// The births of the points, if not all are 0.
    pub(super) births: Option<Vec<f64>>,
}

/// Weights the input, if requested, and surveys it.
///
/// # Errors
/// [`RipsError::Memory`], [`RipsError::Refused`], [`RipsError::TooFarApart`], and those of [`distance_to_measure`].
pub(super) fn survey<T: Value>(
    distances: Distances<T>,
    options: &RipsOptions,
    may_collapse: bool,
    progress: &dyn Progress,
) -> Result<Surveyed<T::Key>, RipsError> {
    let given = options.threshold.map(T::from_f64);
    let ambient_dimension = match &distances {
        Distances::Points(points) => Some(points.dimension()),
        _ => None,
    };
    let distances = match &options.weights {
        Some(measure) => weighted(distances, measure, given.is_some(), progress)?,
        None => distances,
    };
    // Dimension 0 without representatives needs only the edges of a spanning tree.
    let needs_tree = options.max_dim == 0 && options.representatives.is_none() && !may_collapse;
    if let (Distances::Points(cloud), true) = (&distances, needs_tree)
        && spanning_tree_pays(cloud, given)
    {
        let checkpoint = progress.checkpoint();
        let prefix = if checkpoint.is_kept() {
            let threshold = given.map_or(u64::MAX, T::order_bits);
            format!("{:032x}-{threshold:016x}-", distances.checksum())
        } else {
            String::new()
        };
        let part = Part { checkpoint, prefix: &prefix };
        let progress = &Resumable { progress, checkpoint: &part };
        let (keyed, summary) = spanning_tree(cloud, given, progress)?;
        return Ok(Surveyed { keyed, summary, births: None });
    }
    let keyed = Keyed::of(&distances, given, !may_collapse, progress)?;
    progress.begin("summary", None, 1);
    let summary = Summary::of_keyed(&distances, &keyed, given);
    // Below a finite threshold, distances that overflow to infinity make no difference.
    if (keyed.search == PairSearch::All || ambient_dimension.is_some() && options.weights.is_some())
        && summary.threshold.is_infinite()
        && let Some((i, j)) = first_infinite(&keyed.edges)
    {
        return Err(RipsError::TooFarApart { i, j });
    }
    let births = distances.births().map(|births| births.iter().map(|&birth| birth.into()).collect());
    Ok(Surveyed { keyed, summary: Summary { ambient_dimension, ..summary }, births })
}

/// Distances whose points are born by their distance to measure; those of points become a matrix.
fn weighted<T: Value>(
    distances: Distances<T>,
    measure: &DistanceToMeasure,
    is_bounded: bool,
    progress: &dyn Progress,
) -> Result<Distances<T>, RipsError> {
    let matrix = match distances {
        Distances::Points(points) => {
            check_all_pairs(&points, is_bounded)?;
            matrix_of_points(&points, progress)?
        }
        Distances::Matrix(matrix) => matrix,
        Distances::Sparse(graph) => {
            progress.begin("weights", None, 1);
            return Ok(distance_to_measure::weighted_graph(&graph, measure)?.into());
        }
    };
    progress.begin("weights", None, 1);
    Ok(distance_to_measure::weighted_matrix(matrix, measure)?.into())
}

/// The first two points whose distance is infinite, if there are any.
fn first_infinite<K: DistanceKey>(all: &Edges<K>) -> Option<(usize, usize)> {
    let in_row = |i: usize| all.lower_row(i).iter().position(|&key| key == K::INFINITY);
    (1..all.points).find_map(|i| in_row(i).map(|j| (i, j)))
}
