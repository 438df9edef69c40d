//! Divides points into clusters such that near points are in the same cluster.
//!
//! The plane is divided into square cells whose sides are twice the tolerance, so that near points are in the same
//! cell or in adjacent ones. Adjacent cells belong to the same cluster. If the tolerance is small compared with the
//! distances between points, clusters have one or two points.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::{NONE, PIECE};
use crate::disjoint_sets::DisjointSets;
use crate::kd_tree::Site;
use crate::parallel;

/// Number of columns that a thread sorts at a time.
const PARTS: usize = 64;

/// The non-empty cells of one column of the grid, from the lowest up.
struct Column {
    /// The number of the column, and the index of its first cell among all cells.
    number: f64,
    first: usize,
    /// The row of each cell, and the index of its first point.
    cells: Vec<(f64, usize)>,
}

/// Returns the clusters in which points of both sides are unmatched, grouped into pieces.
pub(super) fn unfinished(
    points: &mut [Site],
    partners: &[Vec<usize>; 2],
    tolerance: f64,
) -> Vec<Vec<Vec<Site>>> {
    let columns = columns(points, tolerance);
    let starts: Vec<usize> =
        columns.iter().flat_map(|column| column.cells.iter().map(|cell| cell.1)).collect();
    let cell =
        |number: usize| &points[starts[number]..starts.get(number + 1).copied().unwrap_or(points.len())];
    let mut sets = DisjointSets::new(starts.len());
    join(&columns, tolerance, &mut sets);
    // For each cluster, whether points of A and of B are unmatched.
    let mut free = vec![[false; 2]; starts.len()];
    for number in 0..starts.len() {
        let root = sets.find(number);
        for point in cell(number) {
            free[root][point.side()] |= partners[point.side()][point.id()] == NONE;
        }
    }
    let mut numbers: Vec<(usize, usize)> = (0..starts.len())
        .map(|number| (sets.find(number), number))
        .filter(|&(root, _)| free[root] == [true; 2])
        .collect();
    numbers.sort_unstable();
    let (mut pieces, mut piece, mut size) = (Vec::new(), Vec::new(), 0);
    for cells in numbers.chunk_by(|p, q| p.0 == q.0) {
        let cluster: Vec<Site> = cells.iter().flat_map(|&(_, number)| cell(number)).copied().collect();
        size += cluster.len();
        piece.push(cluster);
        if size >= PIECE {
            pieces.push(std::mem::take(&mut piece));
            size = 0;
        }
    }
    pieces.push(piece);
    pieces
}

/// The column or row number of a coordinate. Near values have equal or consecutive numbers despite rounding: where
/// quotients are so great that rounding matters, different values are further apart than the tolerance.
fn number(x: f64, tolerance: f64) -> f64 {
    // Zeros of either sign get the same number.
    let x = x + 0.0;
    if tolerance == f64::INFINITY {
        0.0
    } else if tolerance == 0.0 || x.is_infinite() {
        x
    } else {
        (x / (2.0 * tolerance)).floor()
    }
}

/// Whether two numbers, the first not greater, may be those of near values.
fn touch(low: f64, high: f64, tolerance: f64) -> bool {
    low == high || tolerance > 0.0 && high - low <= 1.0
}

/// Sorts points by column and then by row, and returns the columns.
fn columns(points: &mut [Site], tolerance: f64) -> Vec<Column> {
    points.par_sort_unstable_by(|p, q| order(p, q, 0));
    let column_of = |point: &Site| number(point.at[0], tolerance);
    let row_of = |point: &Site| number(point.at[1], tolerance);
    let mut parts: Vec<&mut [Site]> = points.chunk_by_mut(|p, q| column_of(p) == column_of(q)).collect();
    parallel::pieces_mut(&mut parts, PARTS, &|_, parts| {
        parts.iter_mut().for_each(|part| part.sort_unstable_by(|p, q| order(p, q, 1)));
    });
    let column = |part: &&mut [Site]| {
        let mut end = 0;
        let rows = part.chunk_by(|p, q| row_of(p) == row_of(q)).map(|cell| {
            end += cell.len();
            (row_of(&cell[0]), end - cell.len())
        });
        Column { number: column_of(&part[0]), first: 0, cells: rows.collect() }
    };
    let mut columns =
        parallel::listed(parts.len(), PARTS, &|range| parts[range].iter().map(column).collect());
    let (mut first, mut start) = (0, 0);
    for (column, part) in columns.iter_mut().zip(parts) {
        column.first = first;
        first += column.cells.len();
        column.cells.iter_mut().for_each(|cell| cell.1 += start);
        start += part.len();
    }
    columns
}

/// Order by one coordinate, then by the other, then by number.
fn order(p: &Site, q: &Site, axis: usize) -> Ordering {
    let order = |axis: usize| p.at[axis].partial_cmp(&q.at[axis]).unwrap_or(Ordering::Equal);
    match order(axis) {
        Ordering::Equal => order(1 - axis).then_with(|| p.number.cmp(&q.number)),
        order => order,
    }
}

/// Joins adjacent cells.
fn join(columns: &[Column], tolerance: f64, sets: &mut DisjointSets) {
    for (at, column) in columns.iter().enumerate() {
        for (k, cells) in column.cells.windows(2).enumerate() {
            if touch(cells[0].0, cells[1].0, tolerance) {
                sets.unite(column.first + k, column.first + k + 1);
            }
        }
        let Some(next) = columns.get(at + 1) else { continue };
        if !touch(column.number, next.number, tolerance) {
            continue;
        }
        // The first cell of the next column that may be adjacent to this one or a later one.
        let mut from = 0;
        for (k, &(row, _)) in column.cells.iter().enumerate() {
            while next.cells.get(from).is_some_and(|cell| cell.0 < row && !touch(cell.0, row, tolerance)) {
                from += 1;
            }
            for (j, &(other, _)) in next.cells.iter().enumerate().skip(from) {
                if !touch(row.min(other), row.max(other), tolerance) {
                    break;
                }
                sets.unite(column.first + k, next.first + j);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::are_near;
    use super::*;

    /// The cases include values whose last digit is about the tolerance, where rounding matters most.
    #[test]
    fn near_points_are_in_one_cluster() {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let mut alone = 0;
        for round in 0..4000 {
            let tolerance = [0.0, 1.0, 0.3, f64::INFINITY, 1e-300][round % 5];
            let base = [0.0, -3.0, 2_f64.powi(52), -2_f64.powi(53), 2_f64.powi(54), f64::MAX][round % 6];
            let mut points: Vec<Site> = (0..12)
                .map(|k| {
                    let at = [0, 1].map(|_| match rng.random_range(0..20) {
                        0 => f64::INFINITY,
                        1 => f64::NEG_INFINITY,
                        value => base + f64::from(value) * [0.25, 1.0][round % 2],
                    });
                    Site::tagged(at, k % 2, k / 2)
                })
                .collect();
            let none = [vec![NONE; 6], vec![NONE; 6]];
            let clusters: Vec<Vec<Site>> =
                unfinished(&mut points, &none, tolerance).into_iter().flatten().collect();
            let cluster_of = |point: &Site| {
                let has = |cluster: &Vec<Site>| cluster.iter().any(|other| other.number == point.number);
                clusters.iter().position(has)
            };
            for p in points.iter().filter(|point| point.side() == 0) {
                for q in points.iter().filter(|point| point.side() == 1) {
                    if are_near(p.at, q.at, tolerance) {
                        assert!(cluster_of(p).is_some(), "{p:?} {q:?}, tolerance {tolerance}");
                        assert_eq!(cluster_of(p), cluster_of(q), "{p:?} {q:?}, tolerance {tolerance}");
                    }
                }
            }
            alone += points.iter().filter(|point| cluster_of(point).is_none()).count();
        }
        assert!(alone > 4000);
    }
}
