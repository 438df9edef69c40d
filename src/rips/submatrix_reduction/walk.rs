//! Long columns of triangles over Z/2: walks along the filtration.
//!
//! The triangles whose coboundaries are added up to a column (its column of V) are a cochain, and the column is its
//! coboundary. When the column is zero on all tetrahedra before some triangle, every further addition can be decided
//! one triangle after the other, without storing the column:
//!
//! ```text
//! for each edge, in filtration order:
//!     for each triangle σ that it completes, in an apparent pair (σ, τ):
//!         value of σ ← sum of the values of the other facets of τ               the coboundary on τ becomes zero
//!     pivot ← the oldest tetrahedron that the edge completes on which the coboundary is not zero, if there is one
//! ```
//!
//! The other facets of τ are older than σ, so their values are known. Triangles past the pivot may be given values all
//! the same: the coboundary of the σ of an apparent pair begins with its τ, so it does not change earlier entries. When
//! the pivot has been cancelled by another column, the edge is processed once more.
//!
//! A column of many thousands of triangles, each with hundreds of cofacets, is thus reduced in a few hundred
//! nanoseconds per edge, however many triangles it has ([`cochain`](super::cochain)). This takes one bit per triangle
//! of the full complex for each worker that walks, and one word per edge for all workers together. Where memory for
//! these tables is short, columns are reduced as in [`super::long`]: the plan of a run sets how many workers may walk
//! ([`Walking`]).
//!
//! # Triangles are closed edge by edge
//!
//! Columns to the left of the working column are those of all triangles that later edges complete. So unless the
//! cochain itself is wanted, all of them may be added, not only those in apparent pairs: if the triangles that an edge
//! completes have values with which the coboundary is zero on all tetrahedra that it completes, these are taken
//! ([`Cochain::close`]). That takes one row of bits for most edges, and no pivot of equal rank has to be looked up.
//! Edges of equal rank are closed one after the other. Where that is not possible, the cochain is extended as above;
//! but if many edges have that rank, so that they would be processed together, again for each pivot, the walk is left:
//! the column is reduced entry by entry up to the next rank.
//!
//! # No worker waits for the list
//!
//! The edges are listed by the first worker that has a column to walk ([`Walks`]). It sorts them on the threads of the
//! pool, and while it waits for the sort it may execute any other job of the pool. If a worker waited for the list, it
//! could hold something that the listing worker waits for: a deadlock. So no worker waits: one that finds the list
//! begun but not finished goes on as in [`super::long`], and checks again at its next pivot. The column can be walked
//! from there, since a long column is stored as the same sum of simplices.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::annotations::{MOST_TABLES, TABLES};
use super::cochain::Cochain;
use super::column::Worker;
use super::edges::{ALL, Edges};
use super::queue::{Term, cancel};
use super::rows::Rows;
use super::{Shared, Submatrix, may_walk};
use crate::rips::code::Code;
use crate::rips::complex::apparent_pairs::{cofacet_of, join};
use crate::rips::complex::rank_of;
use crate::rips::field::Field;
use crate::rips::word::Word;
use crate::simd::Level;

/// Minimum number of simplices of a column that is walked; 3 in tests, where columns are short.
pub(super) const WALKED: usize = if cfg!(test) { 3 } else { 1 << 8 };
/// The first column that a worker walks must have one simplex for every this many edges too: the edges are listed, and
/// its cochain has n/8 bytes for each, which are zeroed.
const EDGES_ZEROED: usize = 1 << 8;
/// Maximum number of points: an edge is stored as two 16-bit vertices.
const MOST_POINTS: usize = 1 << 16;
/// Pairs of points per edge at most, for columns of edges and of triangles: a minimum edge density. In sparser graphs
/// lists of neighbours are shorter than rows of bits.
const PAIRS_AN_EDGE: [usize; 2] = [64, 8];
/// Maximum number of edges of one rank, and their maximum mean number, if the cochain is wanted: all tetrahedra that
/// they complete are processed together, and again for each pivot.
const MOST_EQUAL: usize = if cfg!(test) { 64 } else { 1 << 10 };
const EQUAL_IN_THE_MEAN: usize = if cfg!(test) { 64 } else { 1 << 4 };
/// Maximum number of edges of one rank whose triangles are processed together if they cannot be closed one edge after
/// the other; with more, the walk is left.
const MOST_TOGETHER: usize = if cfg!(test) { 2 } else { 1 << 4 };
/// [Work](Worker::work) for each block of bits of an edge that is closed, and for each triangle extended beside others.
const BLOCK: usize = 4;
const TRIANGLE: usize = 32;
/// Number of ranks after which a walk checks whether the run is to end.
const WALKED_AT_ONCE: usize = 1 << 10;

/// Sizes in bytes of the tables for long columns of triangles, which are walked, or of edges, which are
/// [annotated](super::annotations).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rips) struct Walking {
    /// Bytes of the edge list, which all workers share.
    pub(in crate::rips) edges: u64,
    /// Bytes of the cochain of one worker, or of one table of bits for annotations.
    pub(in crate::rips) table: u64,
    /// The fewest and the most tables that are of use; without a maximum, one for each thread.
    pub(in crate::rips) tables: (usize, Option<usize>),
}

impl Walking {
    /// The sizes for a complex with `points` points and `edges` edges and columns of simplices with `vertices`
    /// vertices; `None` if such columns are neither walked nor annotated.
    pub(in crate::rips) fn of(points: usize, edges: usize, vertices: usize) -> Option<Self> {
        let (pairs_an_edge, table, tables) = match vertices {
            2 => (PAIRS_AN_EDGE[0], Rows::bytes(points), (TABLES, Some(TABLES + MOST_TABLES))),
            3 => (PAIRS_AN_EDGE[1], Cochain::bytes(points), (1, None)),
            _ => return None,
        };
        let is_dense = edges.saturating_mul(pairs_an_edge) >= points * points.saturating_sub(1) / 2;
        // The number of edges bounds the number of simplices of a column of edges.
        let may_be_long = edges >= WALKED && points <= MOST_POINTS;
        let table = table.filter(|_| is_dense && may_be_long)? as u64;
        let edges = (edges as u64).saturating_mul(size_of::<u64>() as u64);
        Some(Walking { edges, table, tables })
    }
}

/// The state of walks that all workers share.
pub(super) struct Walks {
    /// The list of edges, once it is made; `None` inside if columns are not walked along it.
    edges: OnceLock<Option<Edges>>,
    /// Whether a worker has begun to list the edges. Only that worker fills the lock, so no other waits for it.
    is_begun: AtomicBool,
    /// Number of workers that may still begin to walk.
    workers: AtomicUsize,
    /// Whether columns are closed along the edges ([`Walk::close`]).
    closes: bool,
    /// Number of calls of [`Walks::edges`].
    #[cfg(test)]
    requests: AtomicUsize,
}

/// Number of calls for which tests are refused the edges, as if another worker were listing them: so some columns are
/// long before they are walked.
#[cfg(test)]
const LATE: usize = 5;

impl Walks {
    /// No edge list yet; at most `workers` workers may walk. `closes`: whether triangles may have any values with which
    /// the coboundary is zero.
    pub(super) fn of(workers: usize, closes: bool) -> Self {
        Walks {
            edges: OnceLock::new(),
            is_begun: AtomicBool::new(false),
            workers: AtomicUsize::new(workers),
            closes,
            #[cfg(test)]
            requests: AtomicUsize::new(0),
        }
    }

    /// The edges of a submatrix, listed by the first caller; `None` if columns are not walked along them, or while
    /// another worker lists them.
    fn edges<W>(&self, submatrix: &Submatrix<'_, W>) -> Option<&Edges> {
        #[cfg(test)]
        if self.requests.fetch_add(1, Ordering::Relaxed) < LATE {
            return None;
        }
        if let Some(edges) = self.edges.get() {
            return edges.as_ref();
        }
        if self.is_begun.swap(true, Ordering::Relaxed) {
            return None;
        }
        let Submatrix { complex, progress, .. } = *submatrix;
        // If memory is refused, columns are reduced without walking.
        let mut listed = Edges::of(complex, ALL, progress).ok();
        listed.take_if(|edges| !self.closes && are_tied(edges));
        self.edges.get_or_init(|| listed).as_ref()
    }
}

/// A worker's place in the filtration.
pub(super) struct Walk {
    cochain: Cochain,
    /// Number of edges, from the first on, that the cochain's graph contains.
    taken: usize,
    /// The first edge of the current rank.
    at: usize,
    /// Number of ranks processed.
    looked_at: usize,
    /// Work not counted yet, as [`Worker::work`].
    pub(super) work: usize,
    /// The first edge of the last rank on whose triangles the cochain could not be closed.
    open_at: usize,
    /// The last rank at which a walk was left.
    left_at: Option<u32>,
}

impl Walk {
    /// Makes the cochain's graph that of the first `count` edges.
    fn take(&mut self, edges: &Edges, count: usize) {
        let (from, to) = (self.taken.min(count), self.taken.max(count));
        edges.at(from..to).for_each(|edge| self.cochain.toggle_edge(edge));
        self.work += to - from;
        self.taken = count;
    }

    /// Extends the cochain to the triangles that the edges of equal rank from `at` to `end` complete, one edge after
    /// the other, such that its coboundary is zero. Returns whether that is possible, and the number of values changed.
    ///
    /// Several edges are tried once only: what is done for the first ones when it turns out to be impossible for a
    /// later one would otherwise undo, again and again, what the reduction adds to the column.
    fn close(&mut self, edges: &Edges, end: usize) -> (bool, u64) {
        let mut changed = 0;
        if self.open_at == self.at && end - self.at > 1 {
            return (false, changed);
        }
        self.take(edges, self.at);
        for edge in edges.at(self.at..end) {
            self.cochain.toggle_edge(edge);
            self.taken += 1;
            self.work += self.cochain.blocks * BLOCK;
            match self.cochain.close(edge) {
                Some(values) => changed += values,
                None => {
                    if end - self.at > 1 {
                        self.open_at = self.at;
                    }
                    return (false, changed);
                }
            }
        }
        self.at = end;
        (true, changed)
    }
}

/// Whether too many edges have the same rank to walk along them, all edges of a rank together.
fn are_tied(edges: &Edges) -> bool {
    let (ranks, most) = edges.ranks();
    most > MOST_EQUAL || edges.len() > ranks * EQUAL_IN_THE_MEAN
}

impl<W: Word, F: Field> Worker<'_, W, F> {
    /// The minimum number of simplices of a column that is walked; `None` if no column is walked, as far as is known
    /// before the edges are listed.
    pub(super) fn walked_from(&self) -> Option<usize> {
        let Shared { submatrix, walks, field, .. } = self.shared;
        let first = if self.walk.is_some() { 0 } else { submatrix.edges / EDGES_ZEROED };
        (may_walk(submatrix, *field) && walks.edges.get().is_none_or(Option::is_some))
            .then(|| WALKED.max(first))
    }

    /// Continues the working column by walking, and returns whether it can. It cannot at the rank of the column's
    /// simplex, where apparent pairs to the right of the column must not be added.
    pub(super) fn begin_walk(&mut self) -> bool {
        let shared = self.shared;
        let Submatrix { complex, code, cofacet_code, columns, .. } = shared.submatrix;
        let rank = cofacet_code.rank(if self.is_long { self.bucketed.last() } else { self.column.last() });
        if rank == code.rank(columns[self.j]) {
            return false;
        }
        let Some(edges) = shared.walks.edges(shared.submatrix) else { return false };
        if self.walk.is_none() {
            self.walk = self.first_walk(complex.points());
        }
        let Some(walk) = self.walk.as_mut().filter(|walk| walk.left_at != Some(rank)) else { return false };
        walk.at = edges.start(rank);
        walk.take(edges, walk.at);
        walk.open_at = usize::MAX;
        cancel(shared.field, &mut self.terms);
        let mut simplex = Vec::new();
        for (entry, _) in self.terms.drain(..) {
            code.vertices_of(entry, &mut simplex);
            walk.cochain.flip(&simplex);
        }
        self.column.drain(|_| {});
        if std::mem::take(&mut self.is_long) {
            self.bucketed.close();
        }
        self.is_walking = true;
        true
    }

    /// A cochain for this worker, unless the limit on walking workers is reached or memory is refused.
    fn first_walk(&mut self, points: usize) -> Option<Walk> {
        let workers = &self.shared.walks.workers;
        let one_less = |left: usize| left.checked_sub(1);
        workers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).ok()?;
        let cochain = Cochain::new(points, Level::detect());
        // If memory is refused for one cochain, no other worker tries.
        let cochain = cochain.inspect_err(|_| workers.store(0, Ordering::Relaxed)).ok()?;
        Some(Walk { cochain, taken: 0, at: 0, looked_at: 0, work: 0, open_at: usize::MAX, left_at: None })
    }

    /// Ends the walk of a column.
    pub(super) fn end_walk(&mut self) {
        self.is_walking = false;
        if let Some(walk) = &mut self.walk {
            walk.cochain.clear();
        }
    }

    /// Adds a simplex to the walked column.
    pub(super) fn flip(&mut self, entry: W) {
        if let Some(walk) = &mut self.walk {
            let mut simplex = Vec::new();
            self.shared.submatrix.code.vertices_of(entry, &mut simplex);
            walk.cochain.flip(&simplex);
        }
    }

    /// Writes the simplices whose coboundaries sum to the walked column to `terms`.
    pub(super) fn walked_terms(&mut self) {
        let Submatrix { complex, code, .. } = self.shared.submatrix;
        let (terms, one) = (&mut self.terms, self.shared.field.one());
        terms.clear();
        if let Some(walk) = &self.walk {
            walk.cochain.each(|simplex| {
                terms.push((code.entry(rank_of(*complex, simplex), simplex.iter().copied()), one));
            });
        }
    }

    /// The pivot of the walked column.
    pub(super) fn pop_walk(&mut self) -> Option<Term<W, F>> {
        let shared = self.shared;
        let edges = shared.walks.edges.get()?.as_ref()?;
        let one = shared.field.one();
        while let Some(walk) = self.walk.as_mut().filter(|walk| walk.at < edges.len()) {
            let (rank, end) = (edges.rank(walk.at), edges.end(walk.at));
            walk.looked_at += 1;
            if walk.looked_at.is_multiple_of(WALKED_AT_ONCE) {
                self.look(rank);
            }
            if self.gives_up() {
                return None;
            }
            let walk = self.walk.as_mut()?;
            if shared.walks.closes {
                let (closed, changed) = walk.close(edges, end);
                self.counts.additions += changed;
                if closed {
                    continue;
                }
                if end - walk.at > MOST_TOGETHER {
                    // The column goes on entry by entry.
                    walk.left_at = Some(rank);
                    self.walked_terms();
                    self.end_walk();
                    self.enumerate_from(rank);
                    return None;
                }
            }
            walk.take(edges, end);
            let mut equal = edges.at(walk.at..end);
            let pivot = match equal.next() {
                Some(edge) if equal.len() == 0 => {
                    let (changed, beside) = walk.cochain.extend(edge);
                    self.counts.additions += changed;
                    beside.map(|beside| cofacet(&shared.submatrix.cofacet_code, rank, edge, beside))
                }
                _ => {
                    walk.work += equal.len() * shared.submatrix.complex.points() * TRIANGLE;
                    let (changed, pivot) =
                        extend_all(shared, &mut walk.cochain, rank, edges.at(walk.at..end));
                    self.counts.additions += changed;
                    pivot
                }
            };
            if pivot.is_some() {
                return pivot.map(|pivot| (pivot, one));
            }
            walk.at = end;
        }
        None
    }
}

/// The cofacet formed by an edge and two vertices; a triangle if these are equal.
#[inline]
pub(super) fn cofacet<W: Word>(code: &Code<W>, rank: u32, (u, v): (u32, u32), [x, w]: [u32; 2]) -> W {
    let mut vertices = [u, v, x, w];
    let vertices = if x == w { &mut vertices[..3] } else { &mut vertices[..] };
    vertices.sort_unstable_by(|a, b| b.cmp(a));
    code.entry(rank, vertices.iter().copied())
}

/// Extends the cochain to the triangles that several edges of one rank complete. Returns the number of values changed
/// and the oldest tetrahedron on which the coboundary is one.
fn extend_all<W: Word, F: Field>(
    shared: &Shared<'_, W, F>,
    cochain: &mut Cochain,
    rank: u32,
    equal: impl Iterator<Item = (u32, u32)>,
) -> (u64, Option<W>) {
    let Submatrix { complex, code, cofacet_code, .. } = shared.submatrix;
    let mut simplices: Vec<W> = Vec::new();
    let mut simplex = Vec::new();
    for (u, v) in equal {
        simplices.extend(cochain.link((u, v)).map(|w| cofacet(code, rank, (u, v), [w; 2])));
    }
    simplices.sort_unstable();
    simplices.dedup();
    let mut changed = 0;
    for &entry in &simplices {
        code.vertices_of(entry, &mut simplex);
        let Some(added) = cofacet_of(*complex, &simplex, rank) else { continue };
        let facets = (0..simplex.len()).map(|omitted| {
            let mut facet = simplex.clone();
            facet[omitted] = added;
            cochain.value(&facet)
        });
        let value = facets.fold(false, |sum, value| sum != value);
        changed += u64::from(cochain.set(&simplex, value));
    }
    let pivots = simplices.iter().filter_map(|&entry| {
        code.vertices_of(entry, &mut simplex);
        let added = cochain.defect(&simplex)?;
        join(&mut simplex, added);
        Some(cofacet_code.entry(rank, simplex.iter().copied()))
    });
    (changed, pivots.min())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rips::submatrix_reduction::ApparentPairs;
    use crate::rips::submatrix_reduction::edges::tests::{Pairs, pairs_of};

    #[test]
    fn the_plan_has_the_bytes_of_the_tables() {
        for points in [64, 65, 200] {
            let count = pairs_of(points);
            let complex = Pairs { points, last: points, first: 1 };
            let walking = Walking::of(points as usize, count, 3).unwrap();
            assert_eq!(walking.edges, Edges::of(&complex, ALL, &()).unwrap().capacity());
            let cochain = Cochain::new(points as usize, Level::detect()).unwrap();
            assert_eq!(walking.table, cochain.capacity());
            let annotating = Walking::of(points as usize, count, 2).unwrap();
            assert_eq!(annotating.edges, walking.edges);
            assert_eq!(annotating.table, Rows::new(points as usize).unwrap().capacity());
        }
        // Columns of tetrahedra are not walked, nor those of sparse graphs, nor those of graphs with more than
        // `MOST_POINTS` points.
        assert_eq!(Walking::of(200, pairs_of(200), 4), None);
        assert_eq!(Walking::of(2000, 2000, 2), None);
        assert!(Walking::of(1 << 16, pairs_of(1 << 16), 2).is_some_and(|walking| walking.edges > 1 << 33));
        assert_eq!(Walking::of((1 << 16) + 1, pairs_of((1 << 16) + 1), 2), None);
    }

    /// A worker that finds the list begun goes on without it instead of waiting.
    #[test]
    fn a_list_that_another_worker_makes_is_not_waited_for() {
        let complex = Pairs { points: 20, last: 20, first: 1 };
        let submatrix = Submatrix::<u64>::of_columns(&complex, 2, 190, &[], &ApparentPairs::Implicit);
        let walks = Walks::of(1, true);
        walks.is_begun.store(true, Ordering::Relaxed);
        assert!((0..2 * LATE).all(|_| walks.edges(&submatrix).is_none()));
        walks.is_begun.store(false, Ordering::Relaxed);
        assert!(walks.edges(&submatrix).is_some_and(|edges| edges.len() == 190));
        assert!(walks.edges(&submatrix).is_some());
    }
}
