//! Greatest matchings of points in the plane that are near each other.
//!
//! Going through two sorted lists side by side is not enough. Of A = {(0, 11), (0.6, 9)} and B = {(0, 10), (0.5, 12)}
//! with tolerance 1 the first of A is near both of B; if it takes the first, nothing is left for the second of A. So:
//!
//! 1. The points of both sides are cut into *clusters* wherever, along an axis, there is a gap wider than the
//!    tolerance: no pair of near points is in two clusters. Nearly all clusters have a point or two.
//! 2. In each cluster a greatest matching is found in phases, on the graph of near points, whose edges are not listed where they are many
//!    (`hopcroft_karp`).

mod graph;
mod hopcroft_karp;
mod tree;

use hopcroft_karp::Matching;

/// Cuts one within the other: points can be laid so that each cuts off but one, and sorting the rest each time would take longer than
/// matching them.
const CUTS: usize = 24;

/// A point: birth and death.
pub type Point = [f64; 2];

/// Whether two values differ by `tolerance` at most. Equal infinities do not differ.
#[inline]
pub fn near(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance
}

/// Matches points of `a` with points of `b` that are near them in both coordinates, as many as can be, and gives the
/// numbers of the points of each that are left over, ascending. No coordinate may be NaN.
pub fn unmatched(a: &[Point], b: &[Point], tolerance: f64) -> [Vec<usize>; 2] {
    unmatched_counted(a, b, tolerance).0
}

/// Like [`unmatched`], and the nodes of trees that were looked at.
fn unmatched_counted(a: &[Point], b: &[Point], tolerance: f64) -> ([Vec<usize>; 2], u64) {
    let side = |side: usize, points: &[Point]| {
        let tag = move |(id, at): (usize, &Point)| Tagged { at: *at, side, id };
        points.iter().enumerate().map(tag).collect::<Vec<_>>()
    };
    let mut points = side(0, a);
    points.extend(side(1, b));
    let mut left = [Vec::new(), Vec::new()];
    let mut work = 0;
    // What is still to be cut: the points, the axis to cut along, whether the other axis has just failed, and the cuts before.
    let mut todo = vec![(points.as_mut_slice(), 0, false, 0)];
    while let Some((part, axis, stuck, cuts)) = todo.pop() {
        if part.iter().all(|point| point.side == part[0].side) {
            part.iter().for_each(|point| left[point.side].push(point.id));
            continue;
        }
        sort(part, axis);
        let gap = |pair: [&Tagged; 2]| !near(pair[0].at[axis], pair[1].at[axis], tolerance);
        if cuts < CUTS && part.windows(2).any(|pair| gap([&pair[0], &pair[1]])) {
            let pieces = part.chunk_by_mut(|p, q| !gap([p, q]));
            todo.extend(pieces.map(|piece| (piece, 1 - axis, false, cuts + 1)));
        } else if stuck || cuts == CUTS {
            work += Matching::greatest(part, tolerance).leave(&mut left);
        } else {
            todo.push((part, 1 - axis, true, cuts));
        }
    }
    let left = left.map(|mut ids: Vec<usize>| {
        ids.sort_unstable();
        ids
    });
    (left, work)
}

/// A point, the side it is of and its number there.
#[derive(Debug, Clone, Copy)]
struct Tagged {
    at: Point,
    side: usize,
    id: usize,
}

/// Sorts by one coordinate, then by the other, then by number.
fn sort(points: &mut [Tagged], axis: usize) {
    let order = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal);
    points.sort_unstable_by(|p, q| {
        let places = order(p.at[axis], q.at[axis]).then_with(|| order(p.at[1 - axis], q.at[1 - axis]));
        places.then_with(|| (p.side, p.id).cmp(&(q.side, q.id)))
    });
}

#[cfg(test)]
mod tests;
