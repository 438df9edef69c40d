//! Memory that finding and ranking distances take, known before they are begun.
//!
//! Lower bounds of the peak are compared with the memory available, so a run that is refused could not have ended.

use super::keyed::pairs_of;
use crate::memory::{self, Bytes};
use crate::metric::value::Sealed;
use crate::metric::{PointCloud, Value};
use crate::rips::RipsError;
use crate::rips::binomial::binomial;
use crate::rips::complex::stride;

/// Bytes of a rank.
pub(in crate::rips) const RANK: u64 = size_of::<u32>() as u64;

/// Bytes of a key and its rank, which shares the memory of the key if both are equally wide.
const fn ranked<K>() -> u64 {
    let key = size_of::<K>() as u64;
    if key > RANK { key + RANK } else { key }
}

/// Bytes of the key, the rank and the two vertices of an edge while it is ranked.
const fn listed<K>() -> u64 {
    size_of::<(u32, u32)>() as u64 + ranked::<K>()
}

/// Checks that the distances of all pairs of points, as keys, and their ranks can fit in memory. `is_bounded` says
/// whether there is a finite threshold already.
///
/// # Errors
/// [`RipsError::Memory`]: they do not fit.
pub(in crate::rips) fn check_all_pairs<T: Value + Sealed>(
    cloud: &PointCloud<T>,
    is_bounded: bool,
) -> Result<(), RipsError> {
    let (points, pairs) = (cloud.len(), binomial(cloud.len(), 2));
    let needed = pairs.saturating_mul(ranked::<T::Key>());
    check(points, pairs, needed, room_for(needed), |available| proposals(cloud, is_bounded, available))
}

/// Whether the distances of all pairs of points, as keys, their ranks, and, if they are sorted, their places and values
/// can fit in memory.
pub(super) fn affords_all_pairs<K>(points: usize) -> bool {
    let sorted = if size_of::<K>() as u64 > RANK { RANK + size_of::<f64>() as u64 } else { 0 };
    let needed = binomial(points, 2).saturating_mul(ranked::<K>() + sorted);
    memory::has_room_for(needed)
}

/// Number of pairs of points sampled to propose a threshold.
const PAIRS: u64 = 1 << 18;

/// Part of the available memory that proposals may use; columns need the rest.
const PART: f64 = 0.5;

/// Proposals that would fit into `available` bytes: a threshold, estimated from a sample of pairs, landmarks, or single
/// precision.
fn proposals<T: Value + Sealed>(cloud: &PointCloud<T>, is_bounded: bool, available: u64) -> String {
    let (points, room) = (cloud.len(), PART * available as f64);
    let mut helps = Vec::new();
    let all = binomial(points, 2) as f64;
    let mut sample: Vec<f64> = pairs_of(points, PAIRS).map(|(i, j)| cloud.distance(i, j).into()).collect();
    sample.sort_by(f64::total_cmp);
    let part = room / (all * listed_at_work::<T::Key>() as f64);
    // With fewer pairs of the sample below it, the threshold would be a guess.
    let place = (part * sample.len() as f64) as usize;
    if let Some(&threshold) = sample.get(place).filter(|&&threshold| place >= FEWEST && threshold > 0.0) {
        let threshold = rounded_down(threshold);
        let below = sample.partition_point(|&distance| distance <= threshold) as f64 / sample.len() as f64;
        let edges = below * all;
        let takes = Bytes((edges * listed_at_work::<T::Key>() as f64) as u64);
        let lower = if is_bounded { "a lower one, " } else { "" };
        helps.push(format!(
            "--threshold {lower}{threshold} would keep some {edges:.1e} edges and take {takes}"
        ));
    } else {
        helps.push(if is_bounded { "give a lower --threshold" } else { "give --threshold" }.to_owned());
    }
    let side = (room / (0.5 * ranked::<T::Key>() as f64)).sqrt();
    let landmarks = rounded_down(side.min(points as f64 - 1.0)) as usize;
    if landmarks > 1 {
        let takes = Bytes(binomial(landmarks, 2).saturating_mul(ranked::<T::Key>()));
        helps.push(format!("--landmarks {landmarks} would take {takes}"));
    }
    if size_of::<T::Key>() as u64 > RANK {
        let takes = Bytes(binomial(points, 2).saturating_mul(RANK));
        helps.push(format!("coordinates of single precision (an array of float32) would take {takes}"));
    }
    helps.join("; ")
}

/// Minimum number of sampled pairs from which a threshold is proposed.
const FEWEST: usize = 8;

/// Peak bytes per edge while a sparse complex is made, including ranking.
const fn listed_at_work<K>() -> u64 {
    let making = size_of::<(u32, u32, u32)>() as u64 + 32;
    if listed::<K>() > making { listed::<K>() } else { making }
}

/// The number rounded down to two significant digits.
fn rounded_down(number: f64) -> f64 {
    let unit = 10f64.powf(number.log10().floor() - 1.0);
    let digits = (number / unit).floor();
    if unit >= 1.0 { digits * unit } else { digits / (1.0 / unit).round() }
}

/// Whether the keys of all pairs may lie in a square matrix: they are as wide as ranks and the square fits in memory.
pub(super) fn affords_square<K>(points: usize) -> bool {
    let square = (points as u64).saturating_mul(stride(points) as u64).saturating_mul(RANK);
    size_of::<K>() as u64 == RANK && memory::has_room_for(square)
}

/// Maximum number of edges that can be found and ranked in the available memory.
pub(super) fn most_edges<K>() -> u64 {
    memory::room().map_or(u64::MAX, |room| room / listed::<K>())
}

/// The error for more edges between points than there is memory for.
pub(super) fn too_many_edges<T: Value + Sealed>(cloud: &PointCloud<T>, edges: u64) -> RipsError {
    let available = memory::room().unwrap_or(u64::MAX);
    let needed = edges.saturating_mul(listed::<T::Key>());
    let helps = proposals(cloud, true, available);
    RipsError::Memory { points: cloud.len(), distances: edges, needed, available, helps }
}

/// The memory that a run may take; `None` if `needed` is too small to matter.
pub(in crate::rips) fn room_for(needed: u64) -> Option<u64> {
    if needed <= memory::LITTLE { None } else { memory::room() }
}

/// Checks that `needed` bytes are available, if that is known. `helps` says what to do otherwise.
pub(in crate::rips) fn check(
    points: usize,
    distances: u64,
    needed: u64,
    available: Option<u64>,
    helps: impl FnOnce(u64) -> String,
) -> Result<(), RipsError> {
    match available {
        Some(available) if needed > available => {
            Err(RipsError::Memory { points, distances, needed, available, helps: helps(available) })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_the_figures() {
        let refused =
            check(200_000, 19_999_900_000, 160_000_000_000, Some(24 << 30), |_| "give --threshold".into())
                .unwrap_err();
        assert_eq!(
            refused.to_string(),
            "memory: 200000 points with 19999900000 distances to rank need 160.0 GB at the least, 25.8 GB are available; \
             give --threshold"
        );
        assert_eq!(check(2, 1, 100, Some(100), |_| String::new()), Ok(()));
        assert_eq!(check(2, 1, u64::MAX, None, |_| String::new()), Ok(()));
    }

    #[test]
    fn all_distances_of_very_many_points_are_refused() {
        let few = PointCloud::new(1, vec![0.0f32, 1.0]).unwrap();
        assert_eq!(check_all_pairs(&few, true), Ok(()));
        let many = PointCloud::new(1, (0..200_000).map(f64::from).collect()).unwrap();
        let helps = proposals(&many, false, 16 << 30);
        assert_eq!(
            helps,
            "--threshold 970 would keep some 1.9e8 edges and take 8.6 GB; --landmarks 37000 would take 8.2 GB; \
             coordinates of single precision (an array of float32) would take 80.0 GB"
        );
        assert!(proposals(&many, true, 1 << 20).starts_with("give a lower --threshold; --landmarks"));
        let refused = too_many_edges(&many, 1 << 60).to_string();
        assert!(refused.contains("--threshold a lower one"), "{refused}");
        assert!(most_edges::<u32>() >= most_edges::<u64>());
    }
}
