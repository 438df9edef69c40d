//! The strict order of the edges in Ripser's filtration: by ascending length, edges of equal length by descending index
//! (i, then j).
//!
//! **Why.** Ripser lists the bars of dimension 1 by the edges at which they are born, the last edge first. If several
//! edges are equally long and the bars born with them end at different values, the order of the bars depends on the
//! edge at which each is born. If each edge has a rank of its own, the collapse keeps that order too, since it keeps
//! the bars of this finer filtration, in which at most one bar of dimension 1 is born with an edge.
//!
//! These bars are born at the same edges as Ripser's. Both boundary matrices have the same rows (edges) in the same
//! order, and up to each value the same columns (triangles). The pivot rows of the columns up to a value do not depend
//! on the order of these columns: they are the greatest rows of the elements of their span. In higher dimensions the
//! argument fails, since the rows of equally long simplices are ordered differently.

use crate::memory::{self, Refused};
use crate::rips::rank::Ranking;

/// The edges of a filtration in strict order.
pub(super) struct Ordered {
    /// Edges (i, j), i > j. The edge at place k has rank k + 1.
    pub(super) edges: Vec<(u32, u32)>,
    /// The value of each rank; rank 0 belongs to the vertices.
    pub(super) values: Vec<f64>,
}

/// The edges of a ranking in strict order.
///
/// # Errors
/// There is not enough memory for a second list of the edges.
pub(super) fn ordered(ranking: &Ranking) -> Result<Ordered, Refused> {
    let mut starts = memory::filled(0, ranking.values.count() + 1)?;
    ranking.edges.each(|_, _, rank| starts[rank as usize + 1] += 1);
    (1..starts.len()).for_each(|rank| starts[rank] += starts[rank - 1]);
    let mut edges = memory::filled((0, 0), starts[starts.len() - 1])?;
    let mut places = starts.clone();
    ranking.edges.each(|i, j, rank| {
        let place = &mut places[rank as usize];
        edges[*place] = (i, j);
        *place += 1;
    });
    let mut values = memory::with_room(edges.len() + 1)?;
    values.push(0.0);
    for (rank, bounds) in (0..).zip(starts.windows(2)) {
        let (value, alike) = (ranking.values.distance(rank), &mut edges[bounds[0]..bounds[1]]);
        alike.sort_unstable_by(|a, b| b.cmp(a));
        values.extend(alike.iter().map(|_| value));
    }
    Ok(Ordered { edges, values })
}

impl Ordered {
    /// The place of an edge of this value, if there is one.
    pub(super) fn place(&self, value: f64) -> Option<usize> {
        self.values[1..].binary_search_by(|other| other.total_cmp(&value)).ok()
    }

    /// The values that several edges share, ascending.
    pub(super) fn repeated(&self) -> Vec<f64> {
        let alike = self.values[1..].chunk_by(|a, b| a == b);
        alike.filter(|values| values.len() > 1).map(|values| values[0]).collect()
    }

    /// Renumbers `ranks` without gaps and returns the values of the new ranks.
    pub(super) fn renumber(&self, ranks: &mut [u32]) -> Vec<f64> {
        let mut is_left = vec![false; self.values.len()];
        is_left[0] = true;
        ranks.iter().for_each(|&rank| is_left[rank as usize] = true);
        let mut values = Vec::with_capacity(ranks.len() + 1);
        let mut numbers = vec![0; self.values.len()];
        for (rank, _) in is_left.iter().enumerate().filter(|&(_, &is_left)| is_left) {
            numbers[rank] = values.len() as u32;
            values.push(self.values[rank]);
        }
        ranks.iter_mut().for_each(|rank| *rank = numbers[*rank as usize]);
        values
    }
}
