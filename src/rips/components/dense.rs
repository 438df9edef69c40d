//! The forest of a matrix: Kruskal's algorithm on the oldest edges, then Borůvka's on the trees that remain.
//!
//! A few edges per point join nearly all points, and one pass over the matrix finds them: those up to a rank below
//! which a sample of rows has that many. One large tree and few points remain, in clusters of their own or far out. In
//! each round of Borůvka's algorithm every tree but the largest is joined to another by its oldest edge, so only rows
//! of points outside the largest tree are read.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Growing;
use crate::parallel::{SharedRange, into_inner, lock};
use crate::rips::Progress;
use crate::rips::code::Code;
use crate::rips::complex::{Complex, Dense, RankMatrix, RankedEdge};
use crate::rips::word::Word;
use crate::simd::{Kernel, Level, Rank, Simd};

/// Number of edges per point that Kruskal's algorithm gets, on average; and the upper limit, which is reached if many
/// edges share the greatest of their ranks.
const OLDEST: usize = 8;
pub(in crate::rips) const MOST_OLDEST: usize = 8 * OLDEST;
/// Number of rows in the sample.
const SAMPLE: usize = 64;
/// Fewest points for which the Kruskal pass pays: with fewer, Borůvka's algorithm takes few rounds.
const MANY: usize = 4 * SAMPLE;
/// Approximate number of matrix elements that a thread reads at a time, so that waking it up pays.
const AT_ONCE: usize = 1 << 16;

/// The minimum spanning forest of a matrix. `progress` advances by every edge and every tree of it.
pub(super) fn forest<W: Word, R: Rank>(complex: &Dense<R>, progress: &dyn Progress) -> Vec<RankedEdge> {
    let n = complex.points();
    let (matrix, level) = (complex.matrix(), complex.level());
    let mut growing = Growing::<W>::new(n);
    growing.add(&mut oldest_edges(matrix, level, &growing.code));
    progress.advance(growing.edges.len() as u64);
    while let joined @ 1.. = boruvka_round(matrix, level, &mut growing) {
        progress.advance(joined as u64);
    }
    progress.advance((n - growing.edges.len()) as u64);
    growing.forest()
}

/// All edges up to some rank, about [`OLDEST`] per point; none if the matrix is small or too many edges have that rank.
fn oldest_edges<W: Word, R: Rank>(matrix: RankMatrix<'_, R>, level: Level, code: &Code<W>) -> Vec<W> {
    let n = matrix.n;
    if n < MANY {
        return Vec::new();
    }
    let mut sample: Vec<R> = (0..SAMPLE).flat_map(|k| &matrix.row(k * n / SAMPLE)[..n]).copied().collect();
    let (_, &mut limit, _) = sample.select_nth_unstable(2 * OLDEST * SAMPLE);
    drop(sample);
    if limit == R::MAX {
        return Vec::new();
    }
    let (rows, found) = (SharedRange::new(n, AT_ONCE.div_ceil(n)), Mutex::new(Vec::new()));
    let count = AtomicUsize::new(0);
    rows.share(&|| {
        let (mut edges, mut near) = (Vec::new(), Vec::new());
        while let Some(taken) = rows.take() {
            for u in taken {
                near.clear();
                level.run(UpTo { row: &matrix.row(u)[..u], limit, found: &mut near });
                // Points are numbers of 32 bits.
                edges.extend(near.iter().map(|&(v, rank)| code.entry(rank, [u as u32, v])));
                if count.fetch_add(near.len(), Ordering::Relaxed) > MOST_OLDEST * n {
                    return;
                }
            }
        }
        lock(&found).extend_from_slice(&edges);
    });
    if count.into_inner() > MOST_OLDEST * n { Vec::new() } else { into_inner(found) }
}

/// The search for the elements of a row up to a limit, with their columns.
struct UpTo<'a, R> {
    row: &'a [R],
    limit: R,
    found: &'a mut Vec<(u32, u32)>,
}

impl<R: Rank> Kernel<R> for UpTo<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<R>>(self, _: S) {
        const PIECE: usize = 64;
        for (number, piece) in self.row.chunks(PIECE).enumerate() {
            let mut is_any = false;
            for &rank in piece {
                is_any |= rank <= self.limit;
            }
            if is_any {
                for (place, &rank) in piece.iter().enumerate() {
                    if rank <= self.limit {
                        self.found.push(((number * PIECE + place) as u32, rank.widen()));
                    }
                }
            }
        }
    }
}

/// Joins every tree but the largest to another by the oldest edge that leaves it. Returns the number of edges that were
/// added to the forest.
fn boruvka_round<W: Word, R: Rank>(
    matrix: RankMatrix<'_, R>,
    level: Level,
    growing: &mut Growing<W>,
) -> usize {
    let (n, code) = (matrix.n, growing.code);
    // Points are numbers of 32 bits.
    let trees: Vec<u32> = (0..n).map(|v| growing.sets.find(v) as u32).collect();
    let Some(largest) = (0..n).max_by_key(|&v| growing.sets.size[trees[v] as usize]) else { return 0 };
    let outside: Vec<usize> = (0..n).filter(|&v| trees[v] != trees[largest]).collect();
    let (points, found) = (SharedRange::new(outside.len(), AT_ONCE.div_ceil(n)), Mutex::new(Vec::new()));
    points.share(&|| {
        let mut edges = Vec::new();
        while let Some(taken) = points.take() {
            for &u in &outside[taken] {
                let row = &matrix.row(u)[..n];
                if let Some((v, rank)) = level.run(OldestOut { row, trees: &trees, own: trees[u] }) {
                    let edge = code.entry(rank.widen(), [u.max(v) as u32, u.min(v) as u32]);
                    edges.push((trees[u], edge));
                }
            }
        }
        lock(&found).extend_from_slice(&edges);
    });
    let mut oldest: Vec<Option<W>> = vec![None; n];
    for (tree, edge) in into_inner(found) {
        let own = &mut oldest[tree as usize];
        *own = Some(own.map_or(edge, |own| own.min(edge)));
    }
    let before = growing.edges.len();
    // Two trees may have the same oldest edge. Entries are distinct, so there is no cycle.
    oldest.into_iter().flatten().for_each(|edge| growing.join(edge));
    growing.edges.len() - before
}

/// The search for the oldest edge from a point to another tree: of the edges of least rank, the one to the greatest
/// point.
struct OldestOut<'a, R> {
    row: &'a [R],
    trees: &'a [u32],
    own: u32,
}

impl<R: Rank> Kernel<R> for OldestOut<'_, R> {
    type Output = Option<(usize, R)>;

    #[inline(always)]
    fn run<S: Simd<R>>(self, _: S) -> Option<(usize, R)> {
        let OldestOut { row, trees, own } = self;
        let mut least = R::MAX;
        for (&rank, &tree) in row.iter().zip(trees) {
            least = least.min(if tree == own { R::MAX } else { rank });
        }
        if least == R::MAX {
            return None;
        }
        let v = row.iter().zip(trees).rposition(|(&rank, &tree)| rank == least && tree != own)?;
        Some((v, least))
    }
}
