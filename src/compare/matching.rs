//! Greatest matchings of points in the plane that are near each other.
//!
//! Going through two sorted lists side by side is not enough. Of A = {(0, 11), (0.6, 9)} and B = {(0, 10), (0.5, 12)}
//! with tolerance 1 the first of A is near both of B; if it takes the first, nothing is left for the second of A. So:
//!
//! 1. The points of both sides are cut into *clusters* wherever, along an axis, there is a gap wider than the
//!    tolerance: no pair of near points is in two clusters. Nearly all clusters have a point or two.
//! 2. Equal points of a side become one *site* with a number of points, so a million equal bars are one.
//! 3. In each cluster a greatest flow from the sites of A to those of B is found by shortest augmenting paths (Edmonds
//!    and Karp 1972), after a greedy start. What a search without success has reached is never reached again.

mod flow;

use flow::Cluster;

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
    let side = |side: usize, points: &[Point]| {
        let tag = move |(id, at): (usize, &Point)| Tagged { at: *at, side, id };
        points.iter().enumerate().map(tag).collect::<Vec<_>>()
    };
    let mut points = side(0, a);
    points.extend(side(1, b));
    let mut left = [Vec::new(), Vec::new()];
    // What is still to be cut: the points, the axis to cut along, and whether the other axis has just failed.
    let mut todo = vec![(points.as_mut_slice(), 0, false)];
    while let Some((part, axis, stuck)) = todo.pop() {
        if part.iter().all(|point| point.side == part[0].side) {
            part.iter().for_each(|point| left[point.side].push(point.id));
            continue;
        }
        sort(part, axis);
        let gap = |pair: [&Tagged; 2]| !near(pair[0].at[axis], pair[1].at[axis], tolerance);
        if part.windows(2).any(|pair| gap([&pair[0], &pair[1]])) {
            todo.extend(part.chunk_by_mut(|p, q| !gap([p, q])).map(|piece| (piece, 1 - axis, false)));
        } else if stuck {
            Cluster::new(part, tolerance).leave(&mut left);
        } else {
            todo.push((part, 1 - axis, true));
        }
    }
    left.each_mut().map(|ids| {
        ids.sort_unstable();
        std::mem::take(ids)
    })
}

/// A point, the side it is of and its number there.
#[derive(Debug, Clone, Copy)]
struct Tagged {
    at: Point,
    side: usize,
    id: usize,
}

/// Sorts by one coordinate, then by the other.
fn sort(points: &mut [Tagged], axis: usize) {
    let order = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal);
    points.sort_unstable_by(|p, q| {
        order(p.at[axis], q.at[axis]).then_with(|| order(p.at[1 - axis], q.at[1 - axis]))
    });
}

#[cfg(test)]
mod tests;
