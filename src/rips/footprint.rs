//! Memory that ranking, edge collapse, the complex and a sorted layer of apparent pairs take, known before they are
//! begun.
//!
//! Checks here compare lower bounds of the peak with the memory available, so a run that is refused could not have
//! ended. The memory that columns take later is not known in advance. [`Tables`] holds the sizes for the plan, table by
//! table.

use crate::memory::{self, Bytes, MemoryPlan};
use crate::metric::value::Sealed;
use crate::metric::{Distances, PointCloud, Value};
use crate::rips::complex::{ABSENT, Sparse, stride};
use crate::rips::components::MOST_OLDEST;
use crate::rips::edge_collapse;
use crate::rips::filtration_construction::binomial;
use crate::rips::rank::{Edges, Keyed, Layout, pairs_of};
use crate::rips::submatrix_reduction::Walking;
use crate::rips::summary::Summary;
use crate::rips::{PairSearch, Plan, RipsError, Shape};

/// Bytes of a rank.
const RANK: u64 = size_of::<u32>() as u64;

/// Remedy for too many edges.
const LOWER: &str =
    "give a lower --threshold, with which only shorter distances are kept, or take fewer points";

/// Remedy for a complex that is too large.
const COMPLEX: &str = "a lower --threshold, --landmarks or fewer points take less";

/// Bytes of a key and its rank, which shares the memory of the key if both are equally wide.
const fn ranked<K>() -> u64 {
    let key = size_of::<K>() as u64;
    if key > RANK { key + RANK } else { key }
}

/// Bytes of the key, the rank and the two vertices of an edge while it is ranked.
const fn listed<K>() -> u64 {
    size_of::<(u32, u32)>() as u64 + ranked::<K>()
}

/// Bytes of the rank and the two vertices of an edge.
const RANKED_EDGE: u64 = size_of::<(u32, u32)>() as u64 + RANK;

/// Sizes in bytes, for the memory plan, of the tables that are known once the distances are keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tables {
    /// The input's distances or coordinates.
    input: u64,
    /// The ends of listed edges; the keys are `width` bytes for each of `count` pairs.
    ends: u64,
    /// The tables that find the keys and are freed then.
    finding: u64,
    /// Bytes of a key.
    width: u64,
    /// Number of keys.
    count: u64,
    is_square: bool,
    /// Number of edges of the graph that is collapsed, if one is.
    collapsed: Option<u64>,
    /// Bytes of a collapse that was skipped for lack of memory.
    shed: Option<u64>,
}

impl Tables {
    /// The tables for these keys, computed from an input of `input` bytes. `collapsed` is the number of edges that are
    /// collapsed first, if they are, and `shed` the number of bytes that were lacking for a collapse.
    pub(super) fn of<K>(input: u64, keyed: &Keyed<K>, collapsed: Option<usize>, shed: Option<u64>) -> Self {
        let (count, width) = (keyed.edges.numbers.len() as u64, size_of::<K>() as u64);
        let (ends, is_square) = match &keyed.edges.layout {
            Layout::Pairs(pairs) => (size_of_val(&pairs[..]) as u64, false),
            Layout::Square => (0, true),
            Layout::Lower => (0, false),
        };
        let finding = match keyed.search {
            // The points in blocks, and their distances to the growing tree.
            PairSearch::SpanningTree => input.saturating_add(2 * width * keyed.edges.points as u64),
            // The points in blocks and boxes, and lists of each thread, which double as they grow.
            PairSearch::Tree { .. } => input.saturating_mul(2).saturating_add(2 * (count * width + ends)),
            _ => 0,
        };
        let collapsed = collapsed.map(|edges| edges as u64);
        Tables { input, ends, finding, width, count, is_square, collapsed, shed }
    }

    /// Bytes of the ranks beside the keys, whose place they take if they are as wide.
    fn ranks(&self) -> u64 {
        if self.width > RANK { self.count.saturating_mul(RANK) } else { 0 }
    }

    /// Checks that the ranks and the complex can fit in memory beside the keys.
    ///
    /// # Errors
    /// [`RipsError::Memory`]: they do not fit.
    pub(super) fn check_ranking(&self, summary: &Summary) -> Result<(), RipsError> {
        let needed = self.ranking(summary);
        check(summary.points, summary.edges as u64, needed, room_for(needed), |_| LOWER.to_owned())
    }

    /// Lower bound on the bytes that ranks and the complex take beside the keys.
    fn ranking(&self, summary: &Summary) -> u64 {
        let (points, edges) = (summary.points as u64, summary.edges as u64);
        // Keys that are wider than ranks are freed before the complex is made.
        let freed = self.count.saturating_mul(self.width - RANK);
        let complex = if summary.is_dense() {
            // A square of ranks of 16 bits or more, if the keys do not lie in one.
            let rows = if self.is_square { 0 } else { points };
            rows.saturating_mul(2 * stride(summary.points) as u64)
        } else {
            // Two neighbour lists, and some numbers per point.
            edges.saturating_mul(16 + 16).saturating_add(points.saturating_mul(16))
        };
        self.ranks().max(complex.saturating_sub(freed))
    }

    /// Checks that the complex fits beside the tables that exist already.
    ///
    /// # Errors
    /// [`RipsError::DoesNotFit`]: the complex does not fit.
    pub(super) fn check(&self, plan: &Plan) -> Result<(), RipsError> {
        let made = ["the complex", "what it is made of"];
        // Tables of earlier stages are freed.
        let stages = plan.memory.stages.iter().skip_while(|stage| stage.stage != "complex");
        let mut rest = MemoryPlan { stages: stages.cloned().collect(), ..MemoryPlan::default() };
        // If memory for walking is refused, columns are reduced without it.
        rest.stages.iter_mut().for_each(|stage| stage.uses.retain(|part| part.what != WALKING));
        let there = rest.stages.iter().take(1).flat_map(|stage| &stage.uses);
        let there = there.filter(|part| !made.contains(&&*part.what)).map(|part| part.bytes).sum();
        let in_place = if self.in_place(plan) { complex(plan) } else { 0 };
        Ok(rest.check(in_place.saturating_add(there), COMPLEX)?)
    }

    /// Whether the ranks already lie in the matrix that the complex uses.
    fn in_place(&self, plan: &Plan) -> bool {
        self.is_square && self.collapsed.is_none() && plan.shape == Shape::Dense && plan.rank_width == 32
    }

    /// Adds the stages of a run to its plan.
    pub(super) fn plan(&self, plan: &Plan) -> MemoryPlan {
        let Tables { input, ends, finding, width, count, collapsed, shed, .. } = *self;
        let (edges, keys) = (plan.edges as u64, count.saturating_mul(width));
        let values = if plan.keys_are_ranks { 0 } else { 8 * plan.ranks as u64 };
        // The places of keys, by bucket, with room for the value of each; or the keys in order; or a bitset of the keys
        // that occur.
        let order = match plan.keys_are_ranks {
            true => 0,
            false if width > RANK => count.saturating_mul(RANK + 8),
            false if count == 0 => 0,
            false => width * plan.ranks as u64 + values,
        };
        let all_ranked = count.saturating_mul(RANK).saturating_add(ends);
        // The values of a whole graph are counted as if no two edges had the same.
        let whole = collapsed.map_or(0, |edges| all_ranked.saturating_add(8 * edges));
        let ranked = match collapsed {
            Some(_) => edges.saturating_mul(RANKED_EDGE),
            None if self.in_place(plan) => 0,
            None => all_ranked,
        };
        let making = match plan.shape {
            Shape::Dense => 0,
            // Both neighbour lists, unsorted, and the edges as a list if they lie in a matrix.
            Shape::Sparse { .. } => {
                let is_list = collapsed.is_some() || ends > 0;
                edges.saturating_mul(if is_list { 16 } else { 16 + RANKED_EDGE })
            }
        };
        let mut memory = plan.memory.clone();
        if let Some(bytes) = shed {
            memory.shed("the collapse of edges", format!("it would take {}", Bytes(bytes)));
        }
        let [keys, ends] = [("distances as keys", keys), ("the ends of edges", ends)];
        let [whole, values] = [("edges of the whole graph", whole), ("distances of ranks", values)];
        let complex = ("the complex", complex(plan));
        let found = [("the input", input), ("tables to find distances", finding), keys, ends];
        memory = memory.stage("distances", found, false);
        let ranking = [keys, ends, ("ranks", self.ranks()), ("distances in order", order)];
        memory = memory.stage("rank", ranking, false);
        if let Some(edges) = collapsed {
            let graph = edge_collapse::peak(plan.points, edges as usize);
            memory = memory.stage("collapse", [whole, ("the graph, and its edges in order", graph)], false);
        }
        let making = [whole, ("edges with ranks", ranked), complex, ("what it is made of", making), values];
        memory = memory.stage("complex", making, false);
        let components = [whole, complex, values, ("the oldest edges", components(plan))];
        memory = memory.stage("components", components, false);
        let reducing = [whole, complex, values, (WALKING, walking(plan))];
        memory.stage("reduce", reducing, plan.max_dim > 0)
    }
}

/// Bytes of the complex.
fn complex(plan: &Plan) -> u64 {
    let (points, edges) = (plan.points as u64, plan.edges as u64);
    match plan.shape {
        Shape::Dense => {
            points.saturating_mul(stride(plan.points) as u64).saturating_mul(u64::from(plan.rank_width / 8))
        }
        Shape::Sparse { bitsets } => {
            let blocks = if bitsets { Sparse::bitset_bytes(plan.points) } else { 0 };
            // Two neighbour lists; for each point its offset and its nearest neighbours.
            edges.saturating_mul(16).saturating_add(points.saturating_mul(72)).saturating_add(blocks)
        }
    }
}

/// Bytes of the tables for the components: the edges of a graph that is given by lists, the oldest edges of a matrix,
/// and some numbers per point.
fn components(plan: &Plan) -> u64 {
    let (points, edges) = (plan.points as u64, plan.edges as u64);
    let edges = if plan.shape == Shape::Dense { edges.min(MOST_OLDEST as u64 * points) } else { edges };
    edges.saturating_mul(size_of::<u64>() as u64).saturating_add(points.saturating_mul(64))
}

/// Name, in the memory plan, of the tables for walking long columns.
const WALKING: &str = "edges in order and cochains, for long columns";

/// Bytes of the tables for walking long columns, in the dimension where they take most.
fn walking(plan: &Plan) -> u64 {
    let of = |(&walkers, vertices): (&usize, usize)| {
        let Walking { edges, cochain } =
            Walking::of(plan.points, plan.edges, vertices).filter(|_| walkers > 0)?;
        Some(edges.saturating_add(cochain.saturating_mul(walkers as u64)))
    };
    plan.walkers.iter().zip(2..).filter_map(of).max().unwrap_or(0)
}

/// Bytes of the input distances or coordinates.
pub(super) fn of_input<T: Value>(distances: &Distances<T>) -> u64 {
    match distances {
        Distances::Matrix(matrix) => size_of_val(matrix.lower()) as u64,
        Distances::Points(cloud) => (cloud.len() as u64)
            .saturating_mul(cloud.dimension() as u64)
            .saturating_mul(size_of::<T>() as u64),
        Distances::Sparse(sparse) => size_of_val(sparse.edges()) as u64,
    }
}

/// Checks that the distances of all pairs of points, as keys, and their ranks can fit in memory. `is_bounded` says
/// whether there is a finite threshold already.
///
/// # Errors
/// [`RipsError::Memory`]: they do not fit.
pub(super) fn check_all_pairs<T: Value + Sealed>(
    cloud: &PointCloud<T>,
    is_bounded: bool,
) -> Result<(), RipsError> {
    let (points, needed) = (cloud.len(), all_pairs::<T::Key>(cloud.len()));
    let helps = |available| proposals(cloud, is_bounded, available);
    check(points, binomial(points, 2), needed, room_for(needed), helps)
}

/// Whether the distances of all pairs of points, as keys, and their ranks can fit in memory.
pub(super) fn affords_all_pairs<K>(points: usize) -> bool {
    let needed = all_pairs::<K>(points);
    room_for(needed).is_none_or(|room| needed <= room)
}

/// Bytes of the distances of all pairs of points, as keys, and of their ranks.
fn all_pairs<K>(points: usize) -> u64 {
    binomial(points, 2).saturating_mul(ranked::<K>())
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
    size_of::<K>() as u64 == RANK && room_for(square).is_none_or(|room| square <= room)
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

/// Checks that each edge can have a distinct rank, and that the rank matrix and bitsets of edge collapse can fit in
/// memory.
///
/// # Errors
/// [`RipsError::TooManyEdges`] or [`RipsError::Memory`], if one of these fails.
pub(super) fn check_collapse(points: usize, edges: usize) -> Result<(), RipsError> {
    if edges as u64 >= u64::from(ABSENT) {
        return Err(RipsError::TooManyEdges(edges));
    }
    let helps = "leave edges as they are (--collapse off), whose memory grows with the edges alone";
    let needed = edge_collapse::bytes(points, edges);
    check(points, edges as u64, needed, room_for(needed), |_| helps.to_owned())
}

/// The reason why a sorted second layer of the pair store may not fit in memory, if so. A dimension has at most as many
/// apparent pairs as simplices, at most C(k, d) simplices have a given greatest vertex with k smaller neighbours, and
/// an entry is held twice while the pairs are collected.
pub(super) fn too_large_sorted_layer(edges: &Edges, max_dim: usize, entry_width: u32) -> Option<String> {
    let degrees = edges.lower_degrees();
    let simplices = |dim| degrees.iter().fold(0u64, |sum, &k| sum.saturating_add(binomial(k, dim)));
    let most = (1..=max_dim).map(simplices).max().unwrap_or(0);
    let needed = most.saturating_mul(2 * u64::from(entry_width) / 8);
    let available = available_for(needed).filter(|&available| needed > available)?;
    Some(format!("it may take {}, {} are available", Bytes(needed), Bytes(available)))
}

/// The number of tables, at most `count`, to make if they only save time, and the reason if fewer: `each` bytes per
/// table and `shared` bytes together may take no more than 1/[`CACHES`] of the available memory.
pub(super) fn affordable_caches(shared: u64, each: u64, count: usize) -> (usize, Option<String>) {
    let bytes = shared.saturating_add(each.saturating_mul(count as u64));
    let Some(available) = available_for(bytes).filter(|&available| bytes > available / CACHES) else {
        return (count, None);
    };
    let left = (available / CACHES).saturating_sub(shared);
    let why = format!("they would take {} of the {} that are available", Bytes(bytes), Bytes(available));
    // This is less than `count`, since all of them take more.
    (left.checked_div(each).unwrap_or(0) as usize, Some(why))
}

/// Tables that only save time may take one part in this many of the available memory.
const CACHES: u64 = 4;

/// The memory that a run may take; `None` if `needed` is too small to matter.
fn room_for(needed: u64) -> Option<u64> {
    if needed <= memory::LITTLE { None } else { memory::room() }
}

/// The available memory; `None` if `needed` is too small to matter.
fn available_for(needed: u64) -> Option<u64> {
    if needed <= memory::LITTLE { None } else { memory::available() }
}

/// Checks that `needed` bytes are available, if that is known. `helps` says what to do otherwise.
fn check(
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
    use crate::metric::{DistanceMatrix, Distances, SparseDistances};

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

    #[test]
    fn bytes_of_each_shape() {
        let matrix =
            Distances::from(DistanceMatrix::from_lower(vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap());
        let of = |distances: &Distances<f32>, threshold: Option<f32>| {
            let keyed = Keyed::of(distances, threshold, false, &()).unwrap();
            Tables::of(0, &keyed, None, None)
                .ranking(&Summary::of(distances, threshold.map(f64::from)).unwrap())
        };
        // A square of four rows; the ranks lie where the keys are.
        assert_eq!(of(&matrix, Some(2.0)), 4 * 2 * stride(4) as u64);
        let edges = SparseDistances::new(1000, [(0, 1, 1.0f32), (1, 2, 2.0)]).unwrap().into();
        assert_eq!(of(&edges, None), 2 * 32 + 1000 * 16);
    }
}
