//! The edges of a small dense complex in filtration order.
//!
//! With at most [`MOST_SORTED`] points a loop over the sorted edges finds the spanning forest, and decides which edges
//! are in apparent pairs, in less time than the vectorised algorithms take to start.

use super::ABSENT;
use super::dense::RankMatrix;
use crate::simd::{Kernel, Level, Rank, Simd};

/// Greatest number of points for which edges are sorted: the neighbours of a point are bits of two words. Tests set it
/// lower, so that small inputs reach the vectorised algorithms too.
pub(crate) const MOST_SORTED: usize = if cfg!(test) { 32 } else { 128 };

/// Edges are sorted by counting only if there are at most this many times as many ranks as pairs of points.
const RANKS_A_PAIR: usize = 4;

/// An edge and its rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RankedEdge {
    /// The rank.
    pub rank: u32,
    /// The vertices, descending.
    pub vertices: [u32; 2],
}

/// The edges of a matrix in filtration order: by ascending rank, edges of equal rank by descending vertices.
pub(super) fn edges<R: Rank>(matrix: RankMatrix<'_, R>, level: Level) -> Vec<RankedEdge> {
    let n = matrix.n;
    let pairs = n * n.saturating_sub(1) / 2;
    let greatest = level.run(Greatest(matrix)).widen();
    let mut edges = vec![RankedEdge::default(); pairs];
    if greatest as usize > RANKS_A_PAIR * pairs {
        let mut places = edges.iter_mut();
        each_pair(matrix, |pair| places.next().into_iter().for_each(|place| *place = pair));
        edges.retain(|edge| edge.rank != ABSENT);
        edges.sort_by_key(|edge| edge.rank);
        return edges;
    }
    // Counting sort. `ends[rank + 1]` first counts the edges of a rank; prefix sums then make `ends[rank]` the start of
    // its edges, and placing them moves it to their end. Pairs that are not edges get the rank after the greatest,
    // since a test for them would be a branch that cannot be predicted.
    let absent = greatest + 1;
    let mut ends = vec![0u32; absent as usize + 2];
    for u in 1..n {
        for rank in &matrix.row(u)[..u] {
            ends[rank.widen().min(absent) as usize + 1] += 1;
        }
    }
    let mut before = 0;
    for end in &mut ends {
        before += *end;
        *end = before;
    }
    let present = ends[absent as usize] as usize;
    each_pair(matrix, |pair| {
        let end = &mut ends[pair.rank.min(absent) as usize];
        edges[*end as usize] = pair;
        *end += 1;
    });
    edges.truncate(present);
    edges
}

/// Calls `visit` with all pairs of points and their ranks, pairs of rank `ABSENT` included, by descending vertices.
fn each_pair<R: Rank>(matrix: RankMatrix<'_, R>, mut visit: impl FnMut(RankedEdge)) {
    for u in (1..matrix.n).rev() {
        for (v, rank) in matrix.row(u)[..u].iter().enumerate().rev() {
            // Points are numbers of 32 bits.
            visit(RankedEdge { rank: rank.widen(), vertices: [u as u32, v as u32] });
        }
    }
}

/// The search for the greatest rank of an edge, 0 if there is no edge.
struct Greatest<'a, R>(RankMatrix<'a, R>);

impl<R: Rank> Kernel<R> for Greatest<'_, R> {
    type Output = R;

    #[inline(always)]
    fn run<S: Simd<R>>(self, _: S) -> R {
        let mut greatest = R::default();
        for &rank in self.0.ranks {
            greatest = greatest.max(if rank == R::MAX { R::default() } else { rank });
        }
        greatest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rips::complex::Dense;
    use crate::rips::complex::tests::{in_order, random_edges};

    /// Cases: few ranks, hence ties; many ranks; ranks far apart; and pairs that are not edges.
    #[test]
    fn edges_are_those_of_the_matrix_in_order() {
        let mut state = 5;
        for n in 0..40 {
            for (ranks, scale) in [(3, 1), (1000, 1), (7, 500_000_000)] {
                let mut all = random_edges(n, ranks, 192, &mut state);
                all.iter_mut().for_each(|edge| edge.2 *= scale);
                let expected = in_order(&all);
                for level in Level::available() {
                    let wide = Dense::<u32>::of_edges(n, &all, level);
                    assert_eq!(edges(wide.matrix(), level), expected, "{n} points, {ranks} ranks");
                    if scale == 1 {
                        let narrow = Dense::<u16>::of_edges(n, &all, level);
                        assert_eq!(edges(narrow.matrix(), level), expected, "{n} points, {ranks} ranks");
                    }
                }
            }
        }
    }
}
