//! How much memory ranking and a sorted layer of apparent pairs take, known before they are begun.
//!
//! The figures are lower bounds of the peak: a run that is refused could not have ended. What a run takes later, for columns, is
//! not known before.

use crate::memory;
use crate::rips::RipsError;
use crate::rips::complex::{ABSENT, stride};
use crate::rips::edge_collapse;
use crate::rips::filtration_construction::binomial;
use crate::rips::rank::{Keyed, Layout, RankedEdges};
use crate::rips::summary::Summary;

/// Bytes of a rank.
const RANK: u64 = size_of::<u32>() as u64;

/// What helps where there are too many edges.
const LOWER: &str =
    "give a lower --threshold, with which only shorter distances are kept, or take fewer points";

/// Bytes of a key and of its rank, which lies in the memory of the key if it is as wide.
const fn ranked<K>() -> u64 {
    let key = size_of::<K>() as u64;
    if key > RANK { key + RANK } else { key }
}

/// Bytes of the key, the rank and the two vertices of an edge, when it is ranked.
const fn listed<K>() -> u64 {
    size_of::<(u32, u32)>() as u64 + ranked::<K>()
}

/// Checks that the distances of all pairs of so many points, as keys, and their ranks can fit in memory. `is_bounded`: whether there
/// is a finite threshold already.
///
/// # Errors
/// [`RipsError::Memory`]: they cannot.
pub(super) fn check_all_pairs<K>(points: usize, is_bounded: bool) -> Result<(), RipsError> {
    let distances = binomial(points, 2);
    let needed = distances.saturating_mul(ranked::<K>());
    let unbounded = "give --threshold, with which only shorter distances are kept, or take fewer points";
    let helps = if is_bounded { LOWER } else { unbounded };
    check(points, distances, needed, helps)
}

/// Whether the keys of all pairs of points may lie in a square: they are as wide as ranks, and there is memory enough for twice the square.
pub(super) fn affords_square<K>(points: usize) -> bool {
    let square = (points as u64).saturating_mul(stride(points) as u64).saturating_mul(RANK);
    size_of::<K>() as u64 == RANK
        && available_for(square.saturating_mul(2))
            .is_none_or(|available| square.saturating_mul(2) <= available)
}

/// The most edges that are found and ranked in the memory there is.
pub(super) fn most_edges<K>() -> u64 {
    memory::available().map_or(u64::MAX, |available| available / listed::<K>())
}

/// The error for more edges than there is memory for.
pub(super) fn too_many_edges<K>(points: usize, edges: u64) -> RipsError {
    let available = memory::available().unwrap_or(u64::MAX);
    let needed = edges.saturating_mul(listed::<K>());
    RipsError::Memory { points, distances: edges, needed, available, helps: LOWER }
}

/// Checks that what ranks and the complex take beside the keys can fit in memory.
///
/// # Errors
/// [`RipsError::Memory`]: it cannot.
pub(super) fn check_ranking<K>(keyed: &Keyed<K>, summary: &Summary) -> Result<(), RipsError> {
    check(summary.points, summary.edges as u64, ranking(keyed, summary), LOWER)
}

/// Checks that so many edges can have a rank each, and that the square matrix of ranks and the bits, which collapsing the edges of so many
/// points takes, can fit in memory.
///
/// # Errors
/// [`RipsError::TooManyEdges`] and [`RipsError::Memory`]: they cannot.
pub(super) fn check_collapse(points: usize, edges: usize) -> Result<(), RipsError> {
    if edges as u64 >= u64::from(ABSENT) {
        return Err(RipsError::TooManyEdges(edges));
    }
    let helps = "leave edges as they are (--collapse off), whose memory grows with the edges alone";
    check(points, edges as u64, edge_collapse::bytes(points, edges), helps)
}

/// Checks that a sorted second layer of the pair store can fit in memory: a dimension has at most as many apparent pairs as
/// simplices, those are at most the choices of d smaller neighbours of a point, and an entry is held twice while they are collected.
///
/// # Errors
/// [`RipsError::PairStoreMemory`]: it may not.
pub(super) fn check_sorted_layer(
    edges: &RankedEdges,
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

/// The memory there is, if so much is needed that it matters.
fn available_for(needed: u64) -> Option<u64> {
    if needed <= memory::LITTLE { None } else { memory::available() }
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

/// Bytes that ranks and the complex take beside the keys at the least.
fn ranking<K>(keyed: &Keyed<K>, summary: &Summary) -> u64 {
    let (points, edges, keys) = (summary.points as u64, summary.edges as u64, keyed.keys.len() as u64);
    let ranks = keys.saturating_mul(ranked::<K>() - size_of::<K>() as u64);
    let list = if matches!(keyed.layout, Layout::Pairs(_)) {
        edges.saturating_mul(size_of::<(u32, u32, u32)>() as u64)
    } else {
        0
    };
    // When the complex is made, keys that are wider than ranks are there no more.
    let freed = keys.saturating_mul(size_of::<K>() as u64 - RANK);
    let complex = if summary.is_dense() {
        // A square of ranks of 16 bits or more, if the keys do not lie in one.
        let rows = if matches!(keyed.layout, Layout::Square) { 0 } else { points };
        rows.saturating_mul(2 * stride(summary.points) as u64)
    } else {
        // Two neighbour lists, and some numbers a point.
        edges.saturating_mul(16 + 16).saturating_add(points.saturating_mul(16))
    };
    ranks.max(list).max(complex.saturating_sub(freed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{DistanceMatrix, Distances, SparseDistances};
    use crate::rips::Threshold;

    #[test]
    fn a_collapse_of_very_many_points_is_refused() {
        assert_eq!(check_collapse(1000, 10), Ok(()));
        assert_eq!(check_collapse(100_000, 4_294_967_295), Err(RipsError::TooManyEdges(4_294_967_295)));
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
            matches!(check_all_pairs::<u32>(usize::MAX, false), Err(RipsError::Memory { .. }))
                || !cfg!(target_os = "linux")
        );
        assert_eq!(check_all_pairs::<u32>(1, true), Ok(()));
        let refused = too_many_edges::<u64>(1 << 30, 1 << 60).to_string();
        assert!(refused.contains("give a lower --threshold"), "{refused}");
        assert!(most_edges::<u32>() >= most_edges::<u64>());
    }

    #[test]
    fn bytes_of_each_shape() {
        let matrix =
            Distances::from(DistanceMatrix::from_lower(vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap());
        let of = |distances: &Distances<f32>, threshold: Option<f32>| {
            let keyed = Keyed::of(distances, threshold, false, &()).unwrap();
            let given = threshold.map_or(Threshold::EnclosingRadius, |t| Threshold::Value(t.into()));
            ranking(&keyed, &Summary::of(distances, given).unwrap())
        };
        // A square of four rows; the ranks lie where the keys are.
        assert_eq!(of(&matrix, Some(2.0)), 4 * 2 * stride(4) as u64);
        let edges = SparseDistances::new(1000, [(0, 1, 1.0f32), (1, 2, 2.0)]).unwrap().into();
        assert_eq!(of(&edges, None), 2 * 32 + 1000 * 16);
    }
}
