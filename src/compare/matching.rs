//! Maximum matchings of points in the plane that are near each other.
//!
//! A simultaneous scan of two sorted lists is not enough. For A = {(0, 11), (0.6, 9)} and B = {(0, 10), (0.5, 12)}
//! with tolerance 1, the first point of A is near both of B; if it takes the first, nothing is left for the second
//! point of A. So:
//!
//! 1. Points are matched with near ones, in increasing parts of the plane (`start`). If no point remains on one side,
//!    the matching is maximum.
//! 2. Otherwise the points are divided into *clusters*, such that near points are in the same cluster (`clusters`).
//!    If points of both sides remain in a cluster, its matching is augmented to a maximum one in phases on the graph of
//!    near points; if it has too many edges, they are not listed (`hopcroft_karp`).

mod clusters;
mod graph;
mod hopcroft_karp;
mod start;
mod tree;

use crate::kd_tree::{Point, Site};
use crate::parallel;

use hopcroft_karp::Matching;

/// Minimum number of points of clusters that a thread matches at a time.
const PIECE: usize = 1 << 12;

/// Marks a missing partner.
const NONE: usize = usize::MAX;

/// Whether two values differ by at most `tolerance`. Equal infinities do not differ.
#[inline]
pub fn near(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance
}

/// Whether two points are near in both coordinates.
#[inline]
fn are_near(a: Point, b: Point, tolerance: f64) -> bool {
    (0..2).all(|axis| near(a[axis], b[axis], tolerance))
}

/// Computes a maximum matching of points (birth, death) of `a` with points of `b` that are near in both coordinates, and
/// returns the numbers of the unmatched points of each, ascending. No coordinate may be NaN.
pub fn unmatched(a: &[[f64; 2]], b: &[[f64; 2]], tolerance: f64) -> [Vec<usize>; 2] {
    unmatched_counted(a, b, tolerance).0
}

/// Like [`unmatched`], and counts the visited pairs and tree nodes.
fn unmatched_counted(a: &[Point], b: &[Point], tolerance: f64) -> ([Vec<usize>; 2], u64) {
    let side = |side: usize, points: &[Point]| {
        let tag = move |(id, at): (usize, &Point)| Site::tagged(*at, side, id);
        points.iter().enumerate().map(tag).collect::<Vec<_>>()
    };
    let mut points = side(0, a);
    points.extend(side(1, b));
    let mut partners = [vec![NONE; a.len()], vec![NONE; b.len()]];
    let (pairs, mut work) = start::pairs(&mut points, tolerance);
    // Without a tolerance only equal points match, so any maximal matching is maximum.
    let is_greatest = tolerance == 0.0 || pairs.iter().map(Vec::len).sum::<usize>() == a.len().min(b.len());
    pair(&mut partners, pairs.into_iter().flatten());
    if !is_greatest {
        let clusters = clusters::unfinished(&mut points, &partners, tolerance);
        let improved = parallel::map(clusters.len(), &|piece| {
            let greatest = |cluster: &Vec<Site>| Matching::greatest(cluster, &partners, tolerance);
            clusters[piece].iter().map(greatest).collect::<Vec<_>>()
        });
        for (pairs, steps) in improved.into_iter().flatten() {
            pair(&mut partners, pairs);
            work += steps;
        }
    }
    let left = partners.map(|partners| {
        (0_usize..).zip(&partners).filter(|&(_, &partner)| partner == NONE).map(|(id, _)| id).collect()
    });
    (left, work)
}

/// Records points of A and B as partners.
fn pair(partners: &mut [Vec<usize>; 2], pairs: impl IntoIterator<Item = [usize; 2]>) {
    for [a, b] in pairs {
        (partners[0][a], partners[1][b]) = (b, a);
    }
}

/// A point with its side and its number on that side: the number is shifted left by one, with the side in the lowest
/// bit.
impl Site {
    fn tagged(at: Point, side: usize, id: usize) -> Self {
        Site { at, number: (id as u64) << 1 | side as u64 }
    }

    fn side(&self) -> usize {
        (self.number & 1) as usize
    }

    fn id(&self) -> usize {
        (self.number >> 1) as usize
    }
}

#[cfg(test)]
mod tests;
