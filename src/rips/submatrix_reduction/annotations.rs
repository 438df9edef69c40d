//! The pairs of edges over Z/2 where many distances are equal: annotations.
//!
//! The *annotation* of an edge is a set of classes: which of the classes that are alive the edge takes part in, such
//! that a cycle is the sum of the classes that an odd number of its edges carry (Busaryev and others 2012; Dey, Fan,
//! Wang 2014). Annotations are kept in filtration order, and of edges with an empty one nothing is stored:
//!
//! ```text
//! for each edge {u, v}, in filtration order, that joins no two components:
//!     for each vertex w with older edges {u, w} and {v, w}:                        {u, v} completes a triangle
//!         the first time:  annotation of {u, v} ← sum of those of {u, w}, {v, w}   the triangle is filled
//!         later:           sum ← sum of the three annotations                      a cycle that the triangle fills
//!                          if it is not empty: its youngest class dies,
//!                                              and the sum is added to each annotation with it
//!     if there is no such vertex:  a class is born, the annotation of {u, v}
//! ```
//!
//! Only triangles with an annotated edge matter, and if a triangle of {u, v} has no other annotated edge, the
//! annotation of {u, v} becomes empty. Both are found 64 vertices at a time, in rows of bits of the edges so far and of
//! the annotated edges (Kapulkin and Kershaw's RedZeD visits triangles by their annotated edges, too). So the time
//! depends on the number of edges that are annotated at the same time, and not on the number of triangles of equal
//! rank, which makes the columns of the coboundary matrix long.
//!
//! # Only ranks
//!
//! The triangles of equal rank are taken edge by edge, not in filtration order. The classes that have died when all of
//! them are filled do not depend on that: they are the pivots of the space that the boundaries span. So the edges of
//! the pairs and the ranks of the triangles are those of every other reduction, but not which of the triangles of equal
//! rank belongs to which edge. That is enough for bars. It is too little to clear columns of the next dimension, and
//! for representatives.

use hashbrown::HashMap;

use super::Submatrix;
use super::edges::Edges;
use super::walk::cofacet;
use crate::disjoint_sets::DisjointSets;
use crate::memory::{self, Refused};
use crate::progress::check;
use crate::rips::word::Word;

/// Number of edges after which the run is checked for its end.
const AT_ONCE: usize = 1 << 12;

/// The pivots of columns of edges, each a triangle of the right rank.
///
/// # Errors
/// There is no memory for the rows.
pub(super) fn pivots<W: Word>(
    submatrix: &Submatrix<'_, W>,
    edges: &Edges,
) -> Result<Vec<Option<W>>, Refused> {
    let &Submatrix { complex, code, cofacet_code, columns, progress, .. } = submatrix;
    let points = complex.points();
    let mut pivots = memory::filled(None, columns.len())?;
    let mut older = Rows::new(points)?;
    let mut annotations = Annotations::new(points)?;
    let mut components = DisjointSets::new(points);
    // The columns are in reverse filtration order.
    let mut unborn = columns.iter().enumerate().rev().peekable();
    let (mut candidates, mut sum) = (Vec::new(), Vec::new());
    for (place, edge) in edges.at(0..edges.len()).enumerate() {
        if place % AT_ONCE == 0 {
            check(progress);
        }
        let ((u, v), rank) = (edge, edges.rank(place));
        let entry = code.entry(rank, [u, v]);
        let column = unborn.next_if(|&(_, &column)| column == entry).map(|(j, _)| j);
        if components.unite(u as usize, v as usize) {
            older.flip(u, v);
            continue;
        }
        candidates.clear();
        let other = older.completed(&annotations.rows, u, v, &mut candidates);
        let mut dies = |j: usize, w: u32| pivots[j] = Some(cofacet(&cofacet_code, rank, edge, [w; 2]));
        match (other.or_else(|| candidates.first().copied()), column) {
            (Some(w), _) => {
                column.into_iter().for_each(|j| dies(j, w));
                annotations.sum(&[(u, w), (v, w)], &mut sum);
                annotations.set(edge, &sum);
            }
            (None, Some(j)) => annotations.set(edge, &[Class::of(j, columns.len())]),
            // An edge with an apparent pair completes a triangle.
            (None, None) => debug_assert!(false, "edge {u}, {v} is in no column"),
        }
        for &w in &candidates {
            annotations.sum(&[edge, (u, w), (v, w)], &mut sum);
            if let Some(class) = annotations.fill(&sum) {
                dies(class.column(columns.len()), w);
            }
        }
        older.flip(u, v);
    }
    Ok(pivots)
}

/// A class, by the age of its edge: greater ones are younger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Class(u32);

impl Class {
    /// The class of column j of `columns`, which are in reverse filtration order. Edges of at most 2^16 points have
    /// numbers of 32 bits.
    fn of(j: usize, columns: usize) -> Self {
        Class((columns - 1 - j) as u32)
    }

    fn column(self, columns: usize) -> usize {
        columns - 1 - self.0 as usize
    }
}

/// The graph of some edges: for each vertex, its neighbours as a row of bits.
struct Rows {
    words: Vec<u64>,
    /// Number of words of a row.
    stride: usize,
}

impl Rows {
    fn new(points: usize) -> Result<Self, Refused> {
        let stride = points.div_ceil(64);
        Ok(Rows { words: memory::zeroed(points * stride)?, stride })
    }

    fn row(&self, u: u32) -> &[u64] {
        &self.words[u as usize * self.stride..][..self.stride]
    }

    /// Inserts or removes an edge.
    fn flip(&mut self, u: u32, v: u32) {
        for (u, v) in [(u as usize, v as usize), (v as usize, u as usize)] {
            self.words[u * self.stride + v / 64] ^= 1 << (v % 64);
        }
    }

    /// Appends the common neighbours w of u and v for which {u, w} or {v, w} is in `annotated` to `found`. Returns one
    /// for which neither is, if there is one.
    fn completed(&self, annotated: &Rows, u: u32, v: u32, found: &mut Vec<u32>) -> Option<u32> {
        let mut other = None;
        let common = self.row(u).iter().zip(self.row(v));
        let annotated = annotated.row(u).iter().zip(annotated.row(v));
        for (k, ((a, b), (c, d))) in common.zip(annotated).enumerate() {
            let vertex = |bits: u64| 64 * k as u32 + bits.trailing_zeros();
            let (common, annotated) = (a & b, c | d);
            if common & !annotated != 0 {
                other = Some(vertex(common & !annotated));
            }
            let mut both = common & annotated;
            while both != 0 {
                found.push(vertex(both));
                both &= both - 1;
            }
        }
        other
    }
}

/// The annotations of edges. Each is a list of classes in ascending order, and empty ones are not stored.
struct Annotations {
    /// The edges with an annotation.
    rows: Rows,
    lists: HashMap<(u32, u32), Vec<Class>>,
    /// For each class, the edges that have or had it in their annotations.
    edges: HashMap<Class, Vec<(u32, u32)>>,
}

impl Annotations {
    fn new(points: usize) -> Result<Self, Refused> {
        Ok(Annotations { rows: Rows::new(points)?, lists: HashMap::new(), edges: HashMap::new() })
    }

    /// Writes the sum of the annotations of some edges to `sum`.
    fn sum(&self, edges: &[(u32, u32)], sum: &mut Vec<Class>) {
        sum.clear();
        let mut lists = edges.iter().filter_map(|&edge| self.lists.get(&ordered(edge)));
        match (lists.next(), lists.next(), lists.next()) {
            // The usual case, in which nothing is to be added up.
            (Some(a), Some(b), None) if a == b => {}
            (a, b, c) => [a, b, c].into_iter().flatten().for_each(|list| add(sum, list)),
        }
    }

    /// Sets the annotation of an edge that has none.
    fn set(&mut self, (u, v): (u32, u32), list: &[Class]) {
        if list.is_empty() {
            return;
        }
        let edge = ordered((u, v));
        for class in list {
            self.edges.entry(*class).or_default().push(edge);
        }
        self.lists.insert(edge, list.to_vec());
        self.rows.flip(u, v);
    }

    /// Fills a cycle, the sum of some classes: the youngest becomes the sum of the others, and is returned.
    fn fill(&mut self, cycle: &[Class]) -> Option<Class> {
        let (&youngest, others) = cycle.split_last()?;
        for edge in self.edges.remove(&youngest).unwrap_or_default() {
            let Some(list) = self.lists.get_mut(&edge) else { continue };
            if list.binary_search(&youngest).is_err() {
                continue;
            }
            for class in others.iter().filter(|class| list.binary_search(class).is_err()) {
                self.edges.entry(*class).or_default().push(edge);
            }
            add(list, cycle);
            if list.is_empty() {
                self.lists.remove(&edge);
                self.rows.flip(edge.0, edge.1);
            }
        }
        Some(youngest)
    }
}

/// Adds an ascending list to another one, modulo 2.
fn add(sum: &mut Vec<Class>, list: &[Class]) {
    if sum.is_empty() {
        return sum.extend_from_slice(list);
    }
    let (mut added, mut rest) = (Vec::with_capacity(sum.len() + list.len()), list);
    for &class in &*sum {
        let before = rest.partition_point(|&other| other < class);
        added.extend_from_slice(&rest[..before]);
        rest = &rest[before..];
        match rest.split_first() {
            Some((&other, after)) if other == class => rest = after,
            _ => added.push(class),
        }
    }
    added.extend_from_slice(rest);
    *sum = added;
}

fn ordered((u, v): (u32, u32)) -> (u32, u32) {
    (u.min(v), u.max(v))
}
