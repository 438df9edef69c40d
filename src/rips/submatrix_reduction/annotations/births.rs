//! The triangles at which bars are born, among triangles of equal rank.
//!
//! Ripser lists bars of equal birth by the triangles at which they are born, so it needs the order of triangles of one
//! rank v. A computation with another order in v finds the same bars, of positive length, and for each a cochain c:
//! zero on the triangles below v, with a coboundary that is zero up to the death. Its triangles of rank v determine the
//! bars' triangles in any order of v:
//!
//! - A triangle σ that fills a cycle of edges is the birth of no bar. Any other σ is the end of a cycle z of triangles:
//!   σ itself, some older ones of rank v, and some of lesser ranks. Let c(z) be the number of triangles of c in z,
//!   modulo 2.
//! - A bar that dies at w or later is born at σ if and only if the vector of c(z), for the c of all bars that die at w
//!   or later, is not a sum of those of older triangles.
//!
//! (The σ of these bars are the leading triangles of the sums of such c and of coboundaries; and a σ leads such a sum
//! if and only if the value at σ does not follow from those at older triangles.)
//!
//! So Gaussian elimination of the annotations of boundaries, each with the values of the cochains beside it, gives the
//! triangles of all bars, if the cochains are in order of death, the last one first:
//!
//! ```text
//! for each triangle σ of rank v, in filtration order, until each bar has its triangle:
//!     (a, c) ← annotation of the boundary of σ, values of the cochains at σ
//!     if a is no sum of rows a' so far:    (a, c) becomes a row                            σ fills a cycle of edges
//!     otherwise:  c ← c − values c' of the rows that sum to a                              the vector of c(z)
//!                 c ← c − rows that begin with the same bar, until there is none
//!                 if c is not zero:        c becomes a row;  the bar that it begins with is born at σ
//! ```
//!
//! Edges of rank v in apparent pairs have annotations already that make the boundary of their oldest triangle zero. The
//! values at this triangle stay with the edge, and are added for each of its triangles.

use hashbrown::HashMap;

use super::super::bits::Bits;
use super::groups::ordered;
use super::{Pass, Triangle};
use crate::memory::Refused;
use crate::progress::check;
use crate::rips::field::Field;
use crate::rips::word::Word;

/// Number of triangles after which the run is checked for its end.
const AT_ONCE: usize = 1 << 12;

/// Bars of dimension 2 that are born at the same value and die at different ones.
#[derive(Debug, PartialEq)]
pub struct Tied {
    /// The value at which they are born.
    pub birth: f64,
    /// Their deaths, the last one first; or in Ripser's order, once that is known.
    pub deaths: Vec<f64>,
    /// The triangles of this value, vertices descending, with the bars in whose cochains they are.
    pub triangles: HashMap<[u32; 3], Bits>,
}

/// The values of cochains at triangles, and those that edges in apparent pairs have.
pub(super) struct CochainValues<'a> {
    tied: &'a Tied,
    of_edges: HashMap<(u32, u32), Bits>,
    /// The ends of edges with values; for each edge, the points of its triangles with values.
    ends: Bits,
    points: HashMap<(u32, u32), Bits>,
}

impl<'a> CochainValues<'a> {
    /// The values of bars.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(super) fn new(tied: &'a Tied) -> Result<Self, Refused> {
        let mut points = HashMap::<_, Bits>::new();
        for &[u, v, w] in tied.triangles.keys() {
            for (edge, point) in [((u, v), w), ((u, w), v), ((v, w), u)] {
                points.entry(ordered(edge)).or_default().insert(point)?;
            }
        }
        Ok(CochainValues { tied, of_edges: HashMap::new(), ends: Bits::default(), points })
    }

    /// Makes `sum` the values for a triangle, with those of its edges.
    fn of_triangle(&self, (u, v): (u32, u32), w: u32, sum: &mut Bits) -> Result<(), Refused> {
        sum.clear();
        let mut triangle = [u, v, w];
        triangle.sort_unstable_by(|a, b| b.cmp(a));
        let edges = [(u, v), (u, w), (v, w)].into_iter().filter_map(|edge| self.of_edges.get(&ordered(edge)));
        edges.chain(self.tied.triangles.get(&triangle)).try_for_each(|values| sum.add(values))
    }

    /// Gives an edge the values for its oldest triangle.
    pub(super) fn give(&mut self, edge: (u32, u32), w: u32) -> Result<(), Refused> {
        let mut sum = Bits::default();
        self.of_triangle(edge, w, &mut sum)?;
        if !sum.is_empty() {
            self.of_edges.insert(ordered(edge), sum);
            self.ends.insert(edge.0)?;
            self.ends.insert(edge.1)?;
        }
        Ok(())
    }

    /// Adds the points of `common`, those joined to both ends of an edge, whose triangle with it may have values to
    /// `found`. Returns whether there may be any.
    pub(super) fn mark(&self, edge: (u32, u32), common: &[u64], found: &mut [u64]) -> bool {
        if self.ends.contains(edge.0) || self.ends.contains(edge.1) {
            found.copy_from_slice(common);
            return true;
        }
        let Some(points) = self.points.get(&ordered(edge)) else { return false };
        points.words().iter().zip(found).for_each(|(points, found)| *found |= points);
        true
    }
}

impl<W: Word, F: Field> Pass<'_, '_, W, F> {
    /// The bars by the triangles at which they are born, the oldest first. The edges of their rank are inserted and
    /// annotated, but their triangles are not filled: these are those that may fill a cycle or have values.
    pub(super) fn births(
        &self,
        triangles: &[Triangle<W>],
        values: &CochainValues<'_>,
    ) -> Result<Vec<u32>, Refused> {
        let (mut fillings, mut rows) = (HashMap::<u32, (Bits, Bits)>::new(), HashMap::<u32, Bits>::new());
        let (mut cycle, mut value) = (Bits::default(), Bits::default());
        let mut born = Vec::new();
        for (place, &(_, edge, w)) in triangles.iter().enumerate() {
            if born.len() == values.tied.deaths.len() {
                break;
            }
            if place % AT_ONCE == 0 {
                check(self.shared.submatrix.progress);
            }
            self.annotations.boundary(edge, w, &mut cycle)?;
            values.of_triangle(edge, w, &mut value)?;
            let mut fills = false;
            while let Some(first) = cycle.first() {
                let Some((row, values)) = fillings.get(&first) else {
                    fillings.insert(first, (cycle.clone(), value.clone()));
                    fills = true;
                    break;
                };
                cycle.add(row)?;
                value.add(values)?;
            }
            while let Some(first) = value.first().filter(|_| !fills) {
                let Some(row) = rows.get(&first) else {
                    born.push(first);
                    rows.insert(first, value.clone());
                    break;
                };
                value.add(row)?;
            }
        }
        Ok(born)
    }
}
