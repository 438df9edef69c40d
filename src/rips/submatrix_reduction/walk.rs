//! Long columns over Z/2 of edges and triangles: walks along the filtration.
//!
//! The simplices that are added up to a column (its column of V) are a cochain, the column its coboundary. When the first entries of the
//! column are zero up to some simplex, all that is yet to be added is decided one simplex after the other, without the column:
//!
//! ```text
//! for each edge, in filtration order:
//!     for each simplex σ that it completes, in an apparent pair (σ, τ):
//!         value of σ ← sum of the values of the other facets of τ                      so that the coboundary on τ is zero
//!     pivot ← the oldest cofacet that the edge completes on which the coboundary is not zero, if there is one
//! ```
//!
//! The other facets of τ are older than σ, so their values are known. What comes after the pivot may be given values all the same: the
//! coboundary of the σ of an apparent pair begins with its τ, so it does not change what is zero before. When the pivot was cancelled by a
//! column, the edge is looked at once more.
//!
//! A column of many thousands of simplices, each with hundreds of cofacets, is so reduced in a few hundred nanoseconds an edge, however many
//! simplices it has ([`cochain`](super::cochain)). It takes a bit a simplex of the full complex, which is to have many of them, and edges of
//! many lengths: an edge is looked at together with all that are as long. Other columns are reduced as
//! [`super::long`] says, and so are all where memory is refused.

use super::cochain::Cochain;
use super::column::Worker;
use super::queue::{Term, cancel};
use super::{ApparentPairs, Shared, Submatrix};
use crate::memory;
use crate::progress::check;
use crate::rips::apparent_pairs::{cofacet_of, join};
use crate::rips::complex::{ABSENT, Band, Cofacet, Complex, rank_of};
use crate::rips::field::Field;
use crate::rips::word::Word;
use crate::simd::Level;

/// A column of so many simplices is walked. In tests, where columns are short, the third one makes it so.
pub(super) const WALKED: usize = if cfg!(test) { 3 } else { 1 << 8 };
/// The first one has a simplex for so many edges besides, since to list all of them takes a while.
const EDGES_LISTED: usize = 1 << 9;
/// The most edges that are listed.
const MOST_EDGES: usize = 1 << 23;
/// The most bytes that the cochain of a worker may take.
const MOST_BYTES: usize = 64 << 20;
/// Of so many pairs of points one at the least is an edge, if the columns are edges or triangles: in sparser graphs the lists of neighbours
/// are shorter than rows of bits.
const PAIRS_AN_EDGE: [usize; 2] = [64, 8];
/// The most edges of one rank, if the columns are edges or triangles: all that they complete is looked at together, and again for each pivot.
const MOST_EQUAL: [usize; 2] = if cfg!(test) { [64; 2] } else { [1 << 13, 1 << 10] };
/// The most edges of a rank in the mean, likewise.
const EQUAL_IN_THE_MEAN: [usize; 2] = if cfg!(test) { [64; 2] } else { [1 << 8, 1 << 4] };
/// After so many ranks a walk looks whether the run is to end.
const WALKED_AT_ONCE: usize = 1 << 10;

/// The edges of a complex, in filtration order.
pub(super) struct Edges {
    edges: Vec<(u32, u32)>,
    /// The ranks that edges have, ascending, and the place of the first edge of each; and one place more, that of the end.
    ranks: Vec<u32>,
    starts: Vec<usize>,
}

impl Edges {
    /// The edges of a complex, to walk columns of simplices of so many vertices; none if there are too many, or too many of one rank, or memory is
    /// refused.
    fn of(complex: &dyn Complex, vertices: usize) -> Option<Self> {
        let (most_equal, equal_in_the_mean) =
            (*MOST_EQUAL.get(vertices - 2)?, *EQUAL_IN_THE_MEAN.get(vertices - 2)?);
        // Fewer than 2^16, or the cochain would take too many bytes.
        let points = complex.points() as u32;
        let mut keys: Vec<u64> = Vec::new();
        let mut found: Vec<Cofacet> = Vec::new();
        for u in 0..points {
            complex.cofacets(&[u], 0, Band { from: 0, to: ABSENT - 1 }, u + 1, &mut found);
            let key =
                |&Cofacet { vertex, rank }: &Cofacet| u64::from(rank) << 32 | u64::from(!(vertex << 16 | u));
            if keys.len() + found.len() > MOST_EDGES {
                return None;
            }
            memory::reserve(&mut keys, found.len()).ok()?;
            keys.extend(found.iter().map(key));
        }
        Word::sort(&mut keys);
        let rank = |key: &u64| (key >> 32).low_u32();
        let groups = || keys.chunk_by(|a, b| rank(a) == rank(b));
        let count = groups().count();
        if keys.len() > count * equal_in_the_mean || groups().any(|equal| equal.len() > most_equal) {
            return None;
        }
        let edge = |&key: &u64| (!key.low_u32() >> 16, !key.low_u32() & 0xffff);
        let (mut edges, mut ranks, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        memory::reserve(&mut edges, keys.len()).ok()?;
        edges.extend(keys.iter().map(edge));
        memory::reserve(&mut ranks, count).ok()?;
        memory::reserve(&mut starts, count + 1).ok()?;
        let mut at = 0;
        for equal in groups() {
            ranks.push(rank(&equal[0]));
            starts.push(at);
            at += equal.len();
        }
        starts.push(at);
        Some(Edges { edges, ranks, starts })
    }
}

/// A worker's place in the filtration.
pub(super) struct Walk {
    cochain: Cochain,
    /// The number of edges in the cochain's graph.
    taken: usize,
    /// The place among ranks of that which is looked at.
    at: usize,
}

impl<W: Word, F: Field> Worker<'_, W, F> {
    /// Whether columns may be walked once they have enough simplices; as far as is known before edges are listed.
    fn may_walk(&self) -> bool {
        let Submatrix { complex, code, apparent, edges, .. } = self.shared.submatrix;
        let bytes = Cochain::bytes(code.vertices() as usize, complex.points());
        F::UNIT
            && bytes.is_some_and(|bytes| bytes <= MOST_BYTES)
            && *edges <= MOST_EDGES
            && !matches!(apparent, ApparentPairs::None)
            && self.shared.edges.get().is_none_or(Option::is_some)
    }

    /// The number of simplices from which a column is walked; none if none is.
    pub(super) fn walked_from(&self) -> Option<usize> {
        let first =
            if self.shared.edges.get().is_some() { 0 } else { self.shared.submatrix.edges / EDGES_LISTED };
        self.may_walk().then(|| WALKED.max(first))
    }

    /// Goes on with the working column j by walking, if it can. It cannot at the rank of the column's simplex, where apparent pairs to its
    /// right are not to be added.
    pub(super) fn begin_walk(&mut self, j: usize) -> bool {
        let (shared, last) = (self.shared, self.column.last());
        let Submatrix { complex, code, cofacet_code, columns, .. } = shared.submatrix;
        let rank = cofacet_code.rank(last);
        let Some(Edges { edges, ranks, starts }) = edges(shared) else { return false };
        if rank == code.rank(columns[j]) {
            return false;
        }
        let vertices = code.vertices() as usize;
        let walk = match &mut self.walk {
            Some(walk) => walk,
            None => match Cochain::new(vertices, complex.points(), Level::detect()) {
                Ok(cochain) => self.walk.insert(Walk { cochain, taken: 0, at: 0 }),
                Err(_) => return false,
            },
        };
        walk.at = ranks.partition_point(|&other| other < rank);
        let start = starts[walk.at];
        let (from, to) = (walk.taken.min(start), walk.taken.max(start));
        edges[from..to].iter().for_each(|&edge| walk.cochain.toggle_edge(edge));
        walk.taken = start;
        cancel(shared.field, &mut self.terms);
        let mut simplex = Vec::new();
        for (entry, _) in self.terms.drain(..) {
            code.vertices_of(entry, &mut simplex);
            walk.cochain.flip(&simplex);
        }
        self.column.drain(|_| {});
        self.is_walking = true;
        true
    }

    /// Ends the walk of a column.
    pub(super) fn end_walk(&mut self) {
        self.is_walking = false;
        if let Some(walk) = &mut self.walk {
            walk.cochain.clear();
        }
    }

    /// Adds a simplex to the column that is walked.
    pub(super) fn flip(&mut self, entry: W) {
        if let Some(walk) = &mut self.walk {
            let mut simplex = Vec::new();
            self.shared.submatrix.code.vertices_of(entry, &mut simplex);
            walk.cochain.flip(&simplex);
        }
    }

    /// The simplices that add up to the column that is walked.
    pub(super) fn walked_terms(&mut self) {
        let Submatrix { complex, code, .. } = self.shared.submatrix;
        let (vertices, one) = (code.vertices() as usize, self.shared.field.one());
        self.terms.clear();
        if let Some(walk) = &mut self.walk {
            let term = |simplex: &[u32; 3]| {
                let simplex = &simplex[..vertices];
                (code.entry(rank_of(*complex, simplex), simplex.iter().copied()), one)
            };
            self.terms.extend(walk.cochain.support().iter().map(term));
        }
    }

    /// The pivot of the column that is walked.
    pub(super) fn pop_walk(&mut self) -> Option<Term<W, F>> {
        let shared = self.shared;
        let Edges { edges, ranks, starts } = edges(shared)?;
        let walk = self.walk.as_mut()?;
        let one = shared.field.one();
        while walk.at < ranks.len() {
            if walk.at.is_multiple_of(WALKED_AT_ONCE) {
                check(shared.submatrix.progress);
                shared.save_if_due();
            }
            let (rank, end) = (ranks[walk.at], starts[walk.at + 1]);
            edges[walk.taken..end].iter().for_each(|&edge| walk.cochain.toggle_edge(edge));
            walk.taken = end;
            let pivot = match edges[starts[walk.at]..end] {
                [edge] => {
                    let (changed, beside) = walk.cochain.extend(edge);
                    self.counts.additions += changed;
                    beside.map(|beside| cofacet(shared, rank, edge, beside))
                }
                ref equal => {
                    let (changed, pivot) = extend_all(shared, &mut walk.cochain, rank, equal);
                    self.counts.additions += changed;
                    pivot
                }
            };
            if pivot.is_some() {
                return pivot.map(|pivot| (pivot, one));
            }
            walk.at += 1;
        }
        None
    }
}

/// The edges of the complex, listed when they are first asked for; none if columns are not walked along them.
fn edges<'s, W: Word, F: Field>(shared: &'s Shared<'_, W, F>) -> Option<&'s Edges> {
    let Submatrix { complex, code, .. } = shared.submatrix;
    let points = complex.points();
    let listed = || {
        let vertices = code.vertices() as usize;
        let pairs_an_edge = PAIRS_AN_EDGE.get(vertices - 2)?;
        let is_dense =
            |edges: &Edges| edges.edges.len() * pairs_an_edge >= points * points.saturating_sub(1) / 2;
        Edges::of(*complex, vertices).filter(is_dense)
    };
    shared.edges.get_or_init(listed).as_ref()
}

/// The cofacet of an edge, or of a triangle with it, and what [`Cochain::extend`] gives.
fn cofacet<W: Word, F: Field>(
    shared: &Shared<'_, W, F>,
    rank: u32,
    (u, v): (u32, u32),
    [x, w]: [u32; 2],
) -> W {
    let mut vertices = [u, v, x, w];
    let vertices = if x == w { &mut vertices[..3] } else { &mut vertices[..] };
    vertices.sort_unstable_by(|a, b| b.cmp(a));
    shared.submatrix.cofacet_code.entry(rank, vertices.iter().copied())
}

/// Extends the cochain to the simplices that several edges of one rank complete. Gives the number of values that changed and the oldest
/// cofacet on which the coboundary is one.
fn extend_all<W: Word, F: Field>(
    shared: &Shared<'_, W, F>,
    cochain: &mut Cochain,
    rank: u32,
    equal: &[(u32, u32)],
) -> (u64, Option<W>) {
    let Submatrix { complex, code, cofacet_code, .. } = shared.submatrix;
    let mut simplices: Vec<W> = Vec::new();
    let mut simplex = Vec::new();
    for &(u, v) in equal {
        if code.vertices() == 2 {
            simplices.push(code.entry(rank, [u, v]));
            continue;
        }
        for w in cochain.link((u, v)) {
            let mut triangle = [u, v, w];
            triangle.sort_unstable_by(|a, b| b.cmp(a));
            simplices.push(code.entry(rank, triangle));
        }
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
