//! How much memory ranking and a sorted layer of apparent pairs take, known before they are begun.
//!
//! The figures are lower bounds of the peak: a run that is refused could not have ended. What a run takes later, for columns, is
//! not known before.

use crate::memory;
use crate::metric::{Distances, Value};
use crate::rips::RipsError;
use crate::rips::edge_collapse;
use crate::rips::filtration_construction::binomial;
use crate::rips::rank::Edges;
use crate::rips::summary::Summary;

/// Bytes of a rank.
const RANK: u64 = size_of::<u32>() as u64;

/// Checks that the matrix of all distances of so many points, and the ranks of these, can fit in memory.
///
/// # Errors
/// [`RipsError::Memory`]: they cannot.
pub(super) fn check_matrix<T: Value>(points: usize) -> Result<(), RipsError> {
    let distances = binomial(points, 2);
    let needed = distances.saturating_mul(size_of::<T>() as u64 + RANK);
    let helps = "give --threshold, with which only shorter distances are kept, or take fewer points";
    check(points, distances, needed, helps)
}

/// Checks that what ranking takes beside `distances` can fit in memory.
///
/// # Errors
/// [`RipsError::Memory`]: it cannot.
pub(super) fn check_ranking<T: Value>(distances: &Distances<T>, summary: &Summary) -> Result<(), RipsError> {
    let needed = ranking(distances, summary);
    let helps = "give a lower --threshold, with which only shorter distances are kept, or take fewer points";
    check(summary.points, summary.edges as u64, needed, helps)
}

/// Checks that the square matrix of ranks and the bits, which collapsing the edges of so many points takes, can fit in memory.
///
/// # Errors
/// [`RipsError::Memory`]: they cannot.
pub(super) fn check_collapse(points: usize, edges: usize) -> Result<(), RipsError> {
    let helps = "leave edges as they are (--collapse off), whose memory grows with the edges alone";
    check(points, edges as u64, edge_collapse::bytes(points, edges), helps)
}

/// Checks that a sorted second layer of the pair store can fit in memory: a dimension has at most as many apparent pairs as
/// simplices, those are at most the choices of d smaller neighbours of a point, and an entry is held twice while they are collected.
///
/// # Errors
/// [`RipsError::PairStoreMemory`]: it may not.
pub(super) fn check_sorted_layer(
    edges: &Edges,
    points: usize,
    max_dim: usize,
    entry_width: u32,
) -> Result<(), RipsError> {
    let degrees = edges.lower_degrees(points);
    let simplices = |dim| degrees.iter().fold(0u64, |sum, &k| sum.saturating_add(binomial(k, dim)));
    let most = (1..=max_dim).map(simplices).max().unwrap_or(0);
    let needed = most.saturating_mul(2 * u64::from(entry_width) / 8);
    match available_for(needed) {
        Some(available) if needed > available => Err(RipsError::PairStoreMemory { needed, available }),
        _ => Ok(()),
    }
}

/// Bytes that are taken without asking how many there are, which takes a third of a millisecond; the system refuses them if it must.
const LITTLE: u64 = 16 << 20;

/// The memory there is, if so much is needed that it matters.
fn available_for(needed: u64) -> Option<u64> {
    if needed <= LITTLE { None } else { memory::available() }
}

fn check(points: usize, distances: u64, needed: u64, helps: &'static str) -> Result<(), RipsError> {
    check_against(points, distances, needed, helps, available_for(needed))
}

fn check_against(
    points: usize,
    distances: u64,
    needed: u64,
    helps: &'static str,
    available: Option<u64>,
) -> Result<(), RipsError> {
    match available {
        Some(available) if needed > available => {
            Err(RipsError::Memory { points, distances, needed, available, helps })
        }
        _ => Ok(()),
    }
}

/// Bytes that ranking takes beside the distances at the least.
fn ranking<T: Value>(distances: &Distances<T>, summary: &Summary) -> u64 {
    let (points, edges) = (summary.points as u64, summary.edges as u64);
    let pairs = binomial(summary.points, 2);
    // Value and place of each distance that is kept are sorted, in one word if they fit.
    let is_narrow = |places: u64| T::NARROW && u32::try_from(places).is_ok();
    let sorted = |places: u64| edges.saturating_mul(if is_narrow(places) { 8 } else { 16 });
    match distances {
        // A rank for each entry of the matrix.
        Distances::Matrix(_) => sorted(pairs).saturating_add(pairs.saturating_mul(RANK)),
        Distances::Points(_) | Distances::Sparse(_) => {
            // The edges as a list; then their ranks, sorted; then, of a sparse complex, the ranked edges and two neighbour lists,
            // beside some numbers a point.
            let listed = edges.saturating_mul(size_of::<(u32, u32, T)>() as u64);
            let ranked = listed.saturating_add(sorted(edges)).saturating_add(edges.saturating_mul(RANK));
            let is_sparse = edges < pairs / super::plan::choose::SPARSE_BELOW as u64;
            let lists = edges.saturating_mul(12 + 16 + 16).saturating_add(points.saturating_mul(16));
            if is_sparse { ranked.max(lists) } else { ranked }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{DistanceMatrix, SparseDistances};
    use crate::rips::Threshold;

    #[test]
    fn a_collapse_of_very_many_points_is_refused() {
        assert_eq!(check_collapse(1000, 10), Ok(()));
        let refused = check_collapse(50_000_000, 10).unwrap_err();
        assert!(refused.to_string().contains("--collapse off"), "{refused}");
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_figures() {
        let refused =
            check_against(200_000, 19_999_900_000, 160_000_000_000, "give --threshold", Some(24 << 30))
                .unwrap_err();
        assert_eq!(
            refused.to_string(),
            "memory: 200000 points with 19999900000 distances to rank need 160.0 GB at the least, 25.8 GB are available; \
             give --threshold"
        );
        assert_eq!(check_against(2, 1, 100, "", Some(100)), Ok(()));
        assert_eq!(check_against(2, 1, u64::MAX, "", None), Ok(()));
    }

    #[test]
    fn all_distances_of_very_many_points_are_refused() {
        assert!(
            matches!(check_matrix::<f32>(usize::MAX), Err(RipsError::Memory { .. }))
                || !cfg!(target_os = "linux")
        );
        assert_eq!(check_matrix::<f32>(1), Ok(()));
    }

    #[test]
    fn bytes_of_each_shape() {
        let matrix =
            Distances::from(DistanceMatrix::from_lower(vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap());
        let summary = Summary::of(&matrix, Threshold::Value(2.0));
        assert_eq!(ranking(&matrix, &summary), 2 * 8 + 6 * 4);
        let edges = SparseDistances::new(1000, [(0, 1, 1.0f64), (1, 2, 2.0)]).unwrap().into();
        let summary = Summary::of(&edges, Threshold::EnclosingRadius);
        assert_eq!(ranking(&edges, &summary), 2 * 44 + 1000 * 16);
    }
}
