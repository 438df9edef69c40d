//! Memory that ranking, edge collapse, the complex and a sorted layer of apparent pairs take, known before they are
//! begun.
//!
//! Checks here compare lower bounds of the peak with the memory available, so a run that is refused could not have
//! ended. The memory that columns take later is not known in advance. [`Tables`] holds the sizes for the plan, table by
//! table.

use crate::memory::{self, Bytes, MemoryPlan};
use crate::metric::{Distances, Value};
use crate::rips::binomial::binomial;
use crate::rips::complex::{ABSENT, Sparse, stride};
use crate::rips::components::MOST_OLDEST;
use crate::rips::edge_collapse;
use crate::rips::rank::footprint::{RANK, check, room_for};
use crate::rips::rank::{Edges, Keyed, Layout};
use crate::rips::submatrix_reduction::Walking;
use crate::rips::summary::Summary;
use crate::rips::{PairSearch, Plan, RipsError, Shape};

/// Remedy for too many edges.
const LOWER: &str =
    "give a lower --threshold, with which only shorter distances are kept, or take fewer points";

/// Remedy for a complex that is too large.
const COMPLEX: &str = "a lower --threshold, --landmarks or fewer points take less";

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
        // Two neighbour lists, and some numbers per point.
        let lists = edges.saturating_mul(16 + 16).saturating_add(points.saturating_mul(16));
        let complex = if summary.is_dense() {
            // A square of ranks of 16 bits or more, if the keys do not lie in one.
            let rows = if self.is_square { 0 } else { points };
            let square = rows.saturating_mul(2 * stride(summary.points) as u64);
            // Listed edges may stay in lists.
            if self.ends > 0 { square.min(lists) } else { square }
        } else {
            lists
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
    match plan.shape {
        Shape::Dense => matrix(plan.points, plan.rank_width),
        Shape::Sparse { bitsets } => {
            let blocks = if bitsets { Sparse::bitset_bytes(plan.points) } else { 0 };
            lists(plan.points, plan.edges).saturating_add(blocks)
        }
    }
}

/// Bytes of a square matrix of ranks.
fn matrix(points: usize, rank_width: u32) -> u64 {
    (points as u64).saturating_mul(stride(points) as u64).saturating_mul(u64::from(rank_width / 8))
}

/// Bytes of neighbour lists: two for each point, with its offset and its nearest neighbours.
fn lists(points: usize, edges: usize) -> u64 {
    (edges as u64).saturating_mul(16).saturating_add((points as u64).saturating_mul(72))
}

/// The reason why neighbour lists take the place of a square matrix of ranks, if so: the matrix does not fit in memory,
/// and the lists take less while they are made. `count` is the number of edges up to the threshold.
pub(super) fn too_large_matrix(edges: &Edges, count: usize, rank_width: u32) -> Option<String> {
    let (needed, each) = match edges.layout {
        // The ranks lie in a matrix already.
        Layout::Square => return None,
        Layout::Lower => (matrix(edges.points, rank_width), 16 + RANKED_EDGE),
        Layout::Pairs(_) => (matrix(edges.points, rank_width), 16),
    };
    let available = room_for(needed).filter(|&available| needed > available)?;
    let lists = lists(edges.points, count).saturating_add(each.saturating_mul(count as u64));
    let why = format!("it would take {}, {} are available", Bytes(needed), Bytes(available));
    (lists < needed).then_some(why)
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
        let Walking { edges, table, .. } =
            Walking::of(plan.points, plan.edges, vertices).filter(|_| walkers > 0)?;
        Some(edges.saturating_add(table.saturating_mul(walkers as u64)))
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

/// The available memory; `None` if `needed` is too small to matter.
fn available_for(needed: u64) -> Option<u64> {
    if needed <= memory::LITTLE { None } else { memory::available() }
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
