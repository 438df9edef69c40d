//! The pairs of edges over Z/2 by annotations.
//!
//! The *annotation* of an edge is a set of classes: those of the classes that are alive in which the edge takes part,
//! such that a cycle is the sum of the classes that an odd number of its edges carry (Busaryev and others 2012; Dey,
//! Fan, Wang 2014). Annotations are kept in filtration order, for all classes at once, so that a long column does not
//! have to be reduced on its own:
//!
//! ```text
//! for each edge {u, v}, in filtration order, that joins no two components:
//!     if it completes triangles {u, v, w}:  annotation of {u, v} ← sum of those of {u, w} and {v, w} for the oldest
//!     otherwise:                            a class is born, the annotation of {u, v}
//!     for each triangle that it completes, in filtration order:
//!         sum ← sum of the three annotations                      a cycle that the triangle fills
//!         if it is not empty: its youngest class dies, paired with the triangle,
//!                             and the sum is added to each annotation with that class
//! ```
//!
//! The edges whose annotation contains a class are a cocycle, the column of V of that class. So this is the reduction
//! of the coboundary matrix, one row after the other instead of one column after the other (de Silva, Morozov,
//! Vejdemo-Johansson 2011).
//!
//! Most triangles have no edge with an annotation, and most others have two with equal ones. Both are found 64
//! triangles at a time ([`Annotations::candidates`]), and an edge at whose ends no edge has an annotation is not looked
//! at (Kapulkin and Kershaw's RedZeD visits triangles by their annotated edges, too). Nor are the edges after the last
//! class has died, which are most of them in many inputs: edges are listed as far as they are needed. So the time
//! depends on the number of edges that are annotated at the same time, not on the number of columns or their lengths.
//!
//! # Edges of equal rank
//!
//! The triangles that they complete have the same rank too, and are older or younger by their vertices. So the edges
//! are inserted together. Those in apparent pairs get their annotations in filtration order; with each of the others a
//! class is born; then the triangles are filled in filtration order.
//!
//! For bars alone, the edges of equal rank are taken one after the other. The classes that have died when all triangles
//! of this rank are filled do not depend on their order: they are the pivots of the space that the boundaries span. So
//! each edge has a triangle of the right rank, but not always its own.

mod births;
mod groups;
mod triangles;
mod vectors;

use std::ops::Range;
use std::sync::atomic::Ordering;

use self::births::CochainValues;
pub use self::births::Tied;
use self::groups::Annotations;
pub(super) use self::groups::MOST_TABLES;
pub(super) use self::triangles::{MOST_ALIKE, annotate_triangles};
use super::bits::Bits;
use super::cochain::{descending, top};
use super::edges::{ALL, Edges};
use super::queue::{Term, sort};
use super::rows::Rows;
use super::walk::cofacet;
use super::{ReductionCounts, Shared, Submatrix};
use crate::disjoint_sets::DisjointSets;
use crate::memory::{self, Refused};
use crate::parallel::lock;
use crate::progress::check;
use crate::rips::complex::Band;
use crate::rips::field::Field;
use crate::rips::word::Word;
use crate::simd::{Kernel, Level, Simd};

/// Number of edges after which the run is checked for its end.
const AT_ONCE: usize = 1 << 12;
/// A band has about one part in this many of all edges, or less.
const BANDS: usize = 16;
/// Number of tables of bits without those of classes: the edges so far, and those with light classes.
pub(super) const TABLES: usize = 2;

/// A triangle, the edge that completes it, and the third point.
type Triangle<W> = (W, (u32, u32), u32);

/// The state between two edges.
struct Pass<'a, 's, W: Word, F: Field> {
    shared: &'s Shared<'a, W, F>,
    components: DisjointSets,
    /// The edges so far.
    older: Rows,
    annotations: Annotations,
    /// Number of columns, which are in reverse filtration order, whose edges are yet to come.
    unborn: usize,
    /// The edges of one rank that may change annotations, each with its column, if it has one.
    open: Vec<((u32, u32), Option<usize>)>,
    /// Ranks at which bars of the next dimension are born whose order is asked for, ascending: those yet to come, and
    /// the bars of the others, in filtration order.
    tied: &'a [(u32, &'a Tied)],
    births: Vec<Vec<u32>>,
    /// The triangles to fill, in filtration order.
    triangles: Vec<Triangle<W>>,
    /// The points joined to both ends of an edge, as a row of bits, and those of them in triangles that may be cycles.
    common: Vec<u64>,
    candidates: Vec<u64>,
    cycle: Bits,
    vertices: Vec<u32>,
    level: Level,
    /// Changes of the values of cocycles, and pairs.
    counts: ReductionCounts,
}

/// Finds the pairs of all columns of edges, and stores them in the pair store of `shared`, which must be empty. Returns
/// the bars of dimension 2 of each [tied](Submatrix::tied) rank in filtration order too.
///
/// # Errors
/// There is no memory for the tables.
pub(super) fn annotate<W: Word, F: Field>(
    shared: &Shared<'_, W, F>,
) -> Result<(ReductionCounts, Vec<Vec<u32>>), Refused> {
    let &Submatrix { complex, code, columns, edges: all, ranks, progress, only_bars, tied, .. } =
        shared.submatrix;
    let (points, level) = (complex.points(), Level::detect());
    let mut pass = Pass {
        shared,
        components: DisjointSets::new(points),
        older: Rows::new(points)?,
        annotations: Annotations::new(points, shared.submatrix.walkers.saturating_sub(TABLES), level)?,
        unborn: columns.len(),
        open: Vec::new(),
        tied,
        births: Vec::new(),
        triangles: Vec::new(),
        common: memory::zeroed(points.div_ceil(64))?,
        candidates: memory::zeroed(points.div_ceil(64))?,
        cycle: Bits::default(),
        vertices: Vec::new(),
        level,
        counts: ReductionCounts::default(),
    };
    // The first band ends with the youngest edge that has a column.
    let mut band = Band { from: 0, to: columns.first().map_or(0, |&column| code.rank(column)) };
    let (mut listed, mut reported) = (0, 0);
    progress.begin("annotation", Some(1), columns.len() as u64);
    loop {
        let edges = Edges::of(complex, band, progress)?;
        let mut start = 0;
        while start < edges.len() && !pass.is_done() {
            let tied = pass.tied.first().filter(|tied| tied.0 == edges.rank(start));
            let end = if only_bars && tied.is_none() { start + 1 } else { edges.end(start) };
            if start / AT_ONCE != end / AT_ONCE {
                check(progress);
                let pairs = pass.counts.pair_store.layer1_writes;
                progress.advance(pairs - std::mem::replace(&mut reported, pairs));
            }
            pass.insert(&edges, start..end, tied.map(|tied| tied.1))?;
            start = end;
        }
        if pass.is_done() || band.to >= ranks {
            pass.keep_essential();
            progress.advance(columns.len() as u64 - reported);
            return Ok((pass.counts, pass.births));
        }
        listed += edges.len();
        band = following(band, &edges, listed.min(all / BANDS));
    }
}

/// The band after this one, whose edges these are. It has about `wanted` edges if they are as dense as the later half
/// of these.
fn following(band: Band, edges: &Edges, wanted: usize) -> Band {
    let half = edges.len() / 2;
    let ranks = if edges.len() == 0 { 1 } else { u64::from(band.to - edges.rank(half)) + 1 };
    let step = (ranks * wanted as u64 / (edges.len() - half).max(1) as u64).max(1);
    // At most the greatest rank, which has 32 bits.
    let to = (u64::from(band.to) + step).min(u64::from(ALL.to)) as u32;
    Band { from: band.to + 1, to }
}

impl<'a, W: Word, F: Field> Pass<'a, '_, W, F> {
    /// Whether every column has its pivot, and every tied rank the order of its bars.
    fn is_done(&self) -> bool {
        self.unborn == 0 && self.annotations.are_empty() && self.tied.is_empty()
    }

    /// Inserts some edges of one rank, all if it is tied, and fills the triangles that they complete.
    fn insert(&mut self, edges: &Edges, places: Range<usize>, tied: Option<&'a Tied>) -> Result<(), Refused> {
        let Submatrix { code, cofacet_code, columns, .. } = self.shared.submatrix;
        let (rank, are_many) = (edges.rank(places.start), places.len() > 1);
        let triangle = |edge, w| cofacet(cofacet_code, rank, edge, [w; 2]);
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        for edge in edges.at(places) {
            let joins = self.components.unite(edge.0 as usize, edge.1 as usize);
            let is_next = |&j: &usize| {
                code.rank(columns[j]) == rank && columns[j] == code.entry(rank, [edge.0, edge.1])
            };
            let column = self.unborn.checked_sub(1).filter(is_next);
            self.unborn = column.unwrap_or(self.unborn);
            let may_change = are_many || column.is_some() || tied.is_some() || self.annotations.touch(edge);
            if may_change && !joins {
                open.push((edge, column));
            }
            self.older.flip(edge);
        }
        let mut values = tied.map(CochainValues::new).transpose()?;
        for &(edge, column) in &open {
            match (self.common(edge), column) {
                (Some(w), column) if !are_many || column.is_none() => {
                    self.annotations.add_sum(edge, w)?;
                    values.as_mut().map_or(Ok(()), |values| values.give(edge, w))?;
                    column.into_iter().for_each(|j| self.pair(j, triangle(edge, w), Vec::new()));
                }
                (_, Some(j)) => self.annotations.bear(edge, j)?,
                // An edge with an apparent pair completes a triangle.
                (_, None) => debug_assert!(false, "edge {edge:?} is in no column"),
            }
        }
        let mut triangles = std::mem::take(&mut self.triangles);
        triangles.clear();
        for &(edge, _) in &open {
            // Of one edge they are known already.
            if are_many {
                self.common(edge);
            }
            let mut any = self.annotations.candidates(edge, &self.common, &mut self.candidates);
            if let Some(values) = &values {
                any |= values.mark(edge, &self.common, &mut self.candidates);
            }
            if any {
                for w in descending(self.candidates.clone()) {
                    memory::push(&mut triangles, (triangle(edge, w), edge, w))?;
                }
            }
        }
        // Those of one edge are in the order of the filtration.
        if are_many {
            triangles.sort_unstable_by_key(|triangle| triangle.0);
            triangles.dedup_by_key(|triangle| triangle.0);
        }
        if let Some(values) = &values {
            self.births.push(self.births(&triangles, values)?);
            self.tied = &self.tied[1..];
        }
        for &(triangle, edge, w) in &triangles {
            self.fill(edge, w, triangle)?;
        }
        (self.open, self.triangles) = (open, triangles);
        Ok(())
    }

    /// Writes the points joined to both ends of an edge to `common`, and returns the greatest.
    fn common(&mut self, edge: (u32, u32)) -> Option<u32> {
        self.level.run(Common { rows: &self.older, edge, common: &mut self.common })
    }

    /// Fills the triangle of an edge and a point.
    fn fill(&mut self, edge: (u32, u32), w: u32, triangle: W) -> Result<(), Refused> {
        let Pass { shared, annotations, cycle, .. } = self;
        let Some((youngest, j)) = annotations.boundary(edge, w, cycle)? else { return Ok(()) };
        let length = annotations.cocycle(youngest).count();
        self.counts.additions += (length * (cycle.iter().count() - 1)) as u64;
        // Of edges of equal rank, those in apparent pairs may be in the cocycle although their triangles are younger.
        let is_emergent = length == 1
            || shared.oldest_cofacet(j, &mut self.vertices).is_some_and(|(oldest, _)| oldest == triangle);
        shared.touched[j].store(!is_emergent, Ordering::Relaxed);
        let terms = if shared.essential.is_some() { self.terms(youngest) } else { Vec::new() };
        self.pair(j, triangle, terms);
        self.annotations.kill(youngest, &self.cycle)
    }

    /// Pairs column j with a triangle, as [`Shared::pair`] does. Each triangle is the pivot of one column.
    fn pair(&mut self, j: usize, triangle: W, terms: Vec<Term<W, F>>) {
        self.shared.pair(j, triangle, terms);
        self.counts.pair_store.layer1_writes += 1;
    }

    /// The simplices whose coboundaries sum to the column of a class.
    fn terms(&self, class: u32) -> Vec<Term<W, F>> {
        let Shared { submatrix: Submatrix { complex, code, .. }, field, .. } = self.shared;
        let term = |(u, v)| (code.entry(complex.edge(u, v), [u, v]), field.one());
        let mut terms: Vec<Term<W, F>> = self.annotations.cocycle(class).map(term).collect();
        sort(&mut terms);
        terms
    }

    /// Keeps the cocycles of the classes that are still alive, if they may be wanted.
    fn keep_essential(&self) {
        if let Some(essential) = &self.shared.essential {
            for (class, j) in self.annotations.alive() {
                lock(essential).insert(j, self.terms(class));
            }
        }
    }
}

/// Kernel of [`Pass::common`].
struct Common<'a> {
    rows: &'a Rows,
    edge: (u32, u32),
    common: &'a mut [u64],
}

impl Kernel<u32> for Common<'_> {
    type Output = Option<u32>;

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> Option<u32> {
        let Common { rows, edge: (u, v), common } = self;
        for (word, (a, b)) in common.iter_mut().zip(rows.row(u).iter().zip(rows.row(v))) {
            *word = a & b;
        }
        let block = common.iter().rposition(|&word| word != 0)?;
        Some(top(block, common[block]))
    }
}
