//! Cycles: homology after cohomology.
//!
//! After the cohomology of dimension d is reduced, all pairs of that dimension are known. The cycle of a bar then needs
//! the boundaries of only few simplices (Čufar, Virk 2021, "Fast computation of persistent homology representatives
//! with involuted persistent homology"):
//!
//! ```text
//! of a finite bar with birth simplex σ and death simplex τ:
//!     z ← boundary of τ
//!     while the youngest simplex ρ of z is not σ:
//!         subtract from z the multiple of the reduced boundary of the simplex that ρ is paired with in which ρ cancels
//! ```
//!
//! Then z is a cycle that is born with σ, since ρ is always a birth simplex, and it becomes a boundary when τ enters.
//! The simplex paired with ρ is older than τ. If the two are an [apparent pair](crate::rips::apparent_pairs), its
//! boundary is already reduced. Otherwise it is reduced first, once for all bars that need it.
//!
//! An essential bar has no death simplex. The boundary of its birth simplex σ is reduced to zero in the same way, by
//! the pairs of dimension d−1, and the simplices whose boundaries were added up form the cycle. In dimension 1 these
//! are the edge σ and the path between its ends in the minimum spanning forest.

use std::collections::BinaryHeap;
use std::rc::Rc;

use hashbrown::HashMap;

use crate::rips::code::Code;
use crate::rips::complex::apparent_pairs::omit;
use crate::rips::complex::{Complex, rank_of};
use crate::rips::field::{Field, Modulo};
use crate::rips::submatrix_reduction::{Multiple, apparent_cofacet};
use crate::rips::word::Word;

/// The persistence pairs of one dimension, except apparent pairs.
#[derive(Debug, Clone, Copy)]
pub(in crate::rips) struct Pairs<'a, W> {
    /// The birth simplices, in reverse filtration order.
    pub(in crate::rips) columns: &'a [W],
    /// The death simplex of each column, or `None` for an essential class.
    pub(in crate::rips) pivots: &'a [Option<W>],
    /// Code of the columns.
    pub(in crate::rips) code: Code<W>,
    /// Code of the pivots.
    pub(in crate::rips) cofacet_code: Code<W>,
}

/// A reduced boundary.
struct Reduced<W> {
    /// The simplices of the boundary, the youngest last.
    boundary: Vec<Multiple<W>>,
    /// The chain whose boundary this is, if it is recorded.
    sum: Vec<Multiple<W>>,
}

/// A boundary under reduction.
struct Work<W> {
    /// The column of the birth simplex that the reduction ends with; `None` if it ends with zero.
    column: Option<usize>,
    boundary: BinaryHeap<Multiple<W>>,
    sum: Vec<Multiple<W>>,
}

/// Reduces boundaries by the pairs of a dimension, each at most once.
pub(super) struct Boundaries<'a, W> {
    complex: &'a dyn Complex,
    field: Modulo,
    pairs: Pairs<'a, W>,
    /// Whether the chains of the reduced boundaries are recorded.
    sums: bool,
    reduced: HashMap<usize, Rc<Reduced<W>>>,
}

impl<'a, W: Word> Boundaries<'a, W> {
    pub(super) fn new(complex: &'a dyn Complex, modulus: u16, pairs: Pairs<'a, W>, sums: bool) -> Self {
        Boundaries { complex, field: Modulo::new(modulus), pairs, sums, reduced: HashMap::new() }
    }

    /// The cycle of the finite class of a column with this death simplex, in filtration order.
    pub(super) fn of_finite(&mut self, column: usize, death: W) -> Vec<Multiple<W>> {
        let work = self.work(Some(column), death);
        self.reduce(work).boundary.clone()
    }

    /// The cycle of an essential class of the next dimension, given by its birth simplex.
    pub(super) fn of_essential(&mut self, birth: W) -> Vec<Multiple<W>> {
        let work = self.work(None, birth);
        self.reduce(work).sum.clone()
    }

    /// The unreduced boundary of a simplex of the higher dimension.
    fn work(&self, column: Option<usize>, simplex: W) -> Work<W> {
        let mut work = Work { column, boundary: BinaryHeap::new(), sum: Vec::new() };
        self.add_boundary(&mut work, (simplex, 1));
        work
    }

    /// Adds a multiple of the boundary of a simplex.
    fn add_boundary(&self, work: &mut Work<W>, (simplex, c): Multiple<W>) {
        let Pairs { code, cofacet_code, .. } = self.pairs;
        let (mut vertices, mut facet) = (Vec::new(), Vec::new());
        cofacet_code.vertices_of(simplex, &mut vertices);
        for omitted in 0..vertices.len() {
            omit(&vertices, omitted, &mut facet);
            let sign = self.field.sign(vertices.len() - 1 - omitted);
            let entry = code.entry(rank_of(self.complex, &facet), facet.iter().copied());
            work.boundary.push((entry, self.field.mul(sign, c)));
        }
        if self.sums {
            work.sum.push((simplex, c));
        }
    }

    /// Reduces a boundary, after those that it depends on.
    fn reduce(&mut self, work: Work<W>) -> Rc<Reduced<W>> {
        if let Some(reduced) = work.column.and_then(|column| self.reduced.get(&column)) {
            return Rc::clone(reduced);
        }
        let mut under_way = vec![work];
        let mut last = Rc::new(Reduced { boundary: Vec::new(), sum: Vec::new() });
        while let Some(mut work) = under_way.pop() {
            if let Some(needed) = self.go_on(&mut work) {
                under_way.extend([work, needed]);
                continue;
            }
            let boundary = self.combined(work.boundary.into_vec());
            last = Rc::new(Reduced { boundary, sum: self.combined(work.sum) });
            if let Some(column) = work.column {
                self.reduced.insert(column, Rc::clone(&last));
            }
        }
        last
    }

    /// Reduces a boundary to the end, or returns another one that has to be reduced first.
    fn go_on(&mut self, work: &mut Work<W>) -> Option<Work<W>> {
        let field = self.field;
        let mut last = None;
        while let Some((youngest, c)) = self.pop(&mut work.boundary) {
            debug_assert!(
                last.is_none_or(|last| youngest < last),
                "what was added does not cancel the youngest simplex"
            );
            last = Some(youngest);
            let column = self.pairs.columns.binary_search_by(|column| youngest.cmp(column)).ok();
            if column.is_some() && column == work.column {
                work.boundary.push((youngest, c));
                return None;
            }
            let Some(column) = column else {
                work.boundary.push((youngest, c));
                let Pairs { code, cofacet_code, .. } = self.pairs;
                let (cofacet, below) = apparent_cofacet(self.complex, code, cofacet_code, youngest)?;
                // The coefficient of the simplex in the boundary of the cofacet.
                let own = field.sign(below);
                self.add_boundary(work, (cofacet, field.neg(field.mul(c, field.inverse(own)))));
                continue;
            };
            let Some(reduced) = self.reduced.get(&column) else {
                work.boundary.push((youngest, c));
                return Some(self.work(Some(column), self.pairs.pivots[column]?));
            };
            let Reduced { boundary, sum } = &**reduced;
            let (&(_, own), others) = boundary.split_last()?;
            let factor = field.neg(field.mul(c, field.inverse(own)));
            let multiple = |&(simplex, c): &Multiple<W>| (simplex, field.mul(c, factor));
            work.boundary.extend(others.iter().map(multiple));
            work.sum.extend(sum.iter().map(multiple));
        }
        None
    }

    /// Removes the youngest simplex whose coefficients do not sum to zero, and returns it with their sum.
    fn pop(&self, boundary: &mut BinaryHeap<Multiple<W>>) -> Option<Multiple<W>> {
        loop {
            let (youngest, mut sum) = boundary.pop()?;
            while let Some(&(simplex, c)) = boundary.peek()
                && simplex == youngest
            {
                sum = self.field.add(sum, c);
                boundary.pop();
            }
            if sum != 0 {
                return Some((youngest, sum));
            }
        }
    }

    /// Sorts terms into filtration order and adds up those of the same simplex.
    fn combined(&self, mut terms: Vec<Multiple<W>>) -> Vec<Multiple<W>> {
        terms.sort_unstable();
        let mut combined: Vec<Multiple<W>> = Vec::with_capacity(terms.len());
        for same in terms.chunk_by(|a, b| a.0 == b.0) {
            let sum = same.iter().fold(0, |sum, &(_, c)| self.field.add(sum, c));
            if sum != 0 {
                combined.push((same[0].0, sum));
            }
        }
        combined
    }
}

/// A forest with a root in each tree.
pub(super) struct Paths {
    /// The parent and the depth of each vertex; a root is its own parent.
    above: Vec<(u32, u32)>,
}

impl Paths {
    /// The forest with these edges on `points` points.
    pub(super) fn new(points: usize, edges: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut joined: Vec<Vec<u32>> = vec![Vec::new(); points];
        for [u, v] in edges {
            joined[u as usize].push(v);
            joined[v as usize].push(u);
        }
        let mut above = vec![(u32::MAX, 0); points];
        let mut next = Vec::new();
        // Points are numbers of 32 bits.
        for root in 0..points as u32 {
            if above[root as usize].0 != u32::MAX {
                continue;
            }
            above[root as usize] = (root, 0);
            next.push(root);
            while let Some(vertex) = next.pop() {
                let depth = above[vertex as usize].1 + 1;
                for &below in &joined[vertex as usize] {
                    if above[below as usize].0 == u32::MAX {
                        above[below as usize] = (vertex, depth);
                        next.push(below);
                    }
                }
            }
        }
        Paths { above }
    }

    /// The cycle that consists of the edge u < v with coefficient 1 and the path from v back to u in the forest, as
    /// edges with coefficients modulo p.
    pub(super) fn cycle<W: Word>(
        &self,
        [u, v]: [u32; 2],
        complex: &dyn Complex,
        code: Code<W>,
        field: Modulo,
    ) -> Vec<Multiple<W>> {
        let entry = |a: u32, b: u32| code.entry(complex.edge(a, b), [a.max(b), a.min(b)]);
        let mut terms = vec![(entry(u, v), field.one())];
        // A step from a to b is the edge, oriented from its lesser vertex to its greater one, with coefficient 1 if a <
        // b, else −1.
        let mut step = |a: u32, b: u32| terms.push((entry(a, b), field.sign(usize::from(a > b))));
        let (mut from, mut to) = (v, u);
        while from != to {
            let [(over_from, depth_from), (over_to, depth_to)] =
                [from, to].map(|vertex| self.above[vertex as usize]);
            if depth_from >= depth_to {
                step(from, over_from);
                from = over_from;
            } else {
                step(over_to, to);
                to = over_to;
            }
        }
        terms.sort_unstable();
        terms
    }
}
