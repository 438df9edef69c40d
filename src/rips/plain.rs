//! The plain version: the readable reference, and the oracle of all tests of the fast version.
//!
//! It lists every simplex up to dimension `max_dim + 1`, sorts them by (diameter ↑, dimension ↑, combinatorial index
//! ↓), and reduces the boundary matrix column by column from the left (Edelsbrunner, Letscher, Zomorodian 2002; over
//! Z/p: Zomorodian, Carlsson 2005). Memory is at least linear in the number of simplices and time more than that, so it
//! suits small inputs only. It shares nothing with the fast version but the types of input and output.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::diagram::{Bar, Diagram};
use crate::metric::{Distances, Value};

/// The barcode of the Vietoris–Rips filtration up to diameter `threshold` and homology dimension `max_dim` (at most n −
/// 2) over Z/`modulus`, `modulus` a prime. Births of points come from the distances; a simplex is born when all its
/// points and edges are.
pub fn barcode<T: Value>(distances: &Distances<T>, max_dim: usize, threshold: f64, modulus: u32) -> Diagram {
    let bars = |classes: Vec<Class>| classes.into_iter().map(|class| class.bar).collect();
    Diagram::new(classes(distances, max_dim, threshold, modulus).into_iter().map(bars).collect())
}

/// A homology class: its bar, and its birth and death simplices.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// The bar.
    pub bar: Bar,
    /// The vertices of the birth simplex, ascending.
    pub birth: Vec<usize>,
    /// The vertices of the death simplex, ascending; `None` for an essential class.
    pub death: Option<Vec<usize>>,
}

/// Like [`barcode`], with birth and death simplices: the classes of each dimension in the order of the bars.
pub fn classes<T: Value>(
    distances: &Distances<T>,
    max_dim: usize,
    threshold: f64,
    modulus: u32,
) -> Vec<Vec<Class>> {
    let n = distances.len();
    // Distances and threshold are compared in the precision of the distances.
    let threshold = T::from_f64(threshold).into();
    let max_dim = max_dim.min(n.saturating_sub(2));
    let distance = table(distances);
    let filtration = filtration(n, max_dim + 1, threshold, |i, j| distance[i * n + j]);
    classes_of(&filtration, max_dim, &standard_reduction(&filtration, u64::from(modulus)))
}

/// The enclosing radius: the smallest r such that some point is born at r and within r of all others.
pub fn enclosing_radius<T: Value>(distances: &Distances<T>) -> f64 {
    let n = distances.len();
    let distance = table(distances);
    let eccentricity = |i: usize| (0..n).map(|j| distance[i * n + j]).fold(0.0, f64::max);
    (0..n).map(eccentricity).fold(f64::INFINITY, f64::min)
}

/// All n² distances, with the births of the points on the diagonal.
fn table<T: Value>(distances: &Distances<T>) -> Vec<f64> {
    let n = distances.len();
    let mut table = vec![f64::INFINITY; n * n];
    // Adding 0 turns −0 into 0, which the sort below would distinguish.
    let mut set = |i: usize, j: usize, d: f64| {
        table[i * n + j] = d + 0.0;
        table[j * n + i] = d + 0.0;
    };
    for i in 0..n {
        set(i, i, distances.births().map_or(0.0, |births| births[i].into()));
    }
    match distances {
        Distances::Matrix(m) => pairs(n).for_each(|(i, j)| set(i, j, m.get(i, j).into())),
        Distances::Points(p) => pairs(n).for_each(|(i, j)| set(i, j, p.distance(i, j).into())),
        Distances::Sparse(s) => {
            s.edges().iter().for_each(|e| set(e.i as usize, e.j as usize, e.distance.into()));
        }
    }
    table
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(|i| (0..i).map(move |j| (i, j)))
}

/// A simplex of the filtration; `vertices` descend.
struct Simplex {
    vertices: Vec<usize>,
    diameter: f64,
}

/// All simplices of finite diameter up to `threshold` and dimension `top`, in filtration order. The diameter of a
/// vertex is its birth.
fn filtration(n: usize, top: usize, threshold: f64, distance: impl Fn(usize, usize) -> f64) -> Vec<Simplex> {
    let is_in = |diameter: f64| diameter <= threshold && diameter.is_finite();
    let born = (0..n).map(|v| Simplex { vertices: vec![v], diameter: distance(v, v) });
    let mut all: Vec<Simplex> = born.filter(|vertex| is_in(vertex.diameter)).collect();
    let mut start = 0;
    for _ in 0..top {
        let end = all.len();
        for s in start..end {
            for v in 0..*all[s].vertices.last().unwrap_or(&0) {
                let born = all[s].diameter.max(distance(v, v));
                let diameter = all[s].vertices.iter().map(|&u| distance(u, v)).fold(born, f64::max);
                if is_in(diameter) {
                    let mut vertices = all[s].vertices.clone();
                    vertices.push(v);
                    all.push(Simplex { vertices, diameter });
                }
            }
        }
        start = end;
    }
    all.sort_by(order);
    all
}

/// (diameter ↑, dimension ↑, combinatorial index ↓): among simplices of one dimension the combinatorial index
/// orders as the descending vertex lists do.
fn order(a: &Simplex, b: &Simplex) -> Ordering {
    a.diameter
        .total_cmp(&b.diameter)
        .then(a.vertices.len().cmp(&b.vertices.len()))
        .then(b.vertices.cmp(&a.vertices))
}

/// A column over Z/p: the coefficient of each row.
type Column = BTreeMap<usize, u64>;

/// Finds the pivot (the papers' *low*) of every column by the standard algorithm, left to right; `None` if the column
/// reduces to zero.
fn standard_reduction(filtration: &[Simplex], p: u64) -> Vec<Option<usize>> {
    let position: HashMap<&[usize], usize> =
        filtration.iter().enumerate().map(|(k, s)| (s.vertices.as_slice(), k)).collect();
    let mut columns: Vec<Column> = Vec::with_capacity(filtration.len());
    let mut column_with_pivot: HashMap<usize, usize> = HashMap::new();
    let mut pivots = Vec::with_capacity(filtration.len());
    for (j, simplex) in filtration.iter().enumerate() {
        let mut column = boundary(simplex, &position, p);
        while let Some((pivot, &c)) = column.last_key_value() {
            let Some(&i) = column_with_pivot.get(pivot) else { break };
            let factor = p - c * inverse(columns[i][pivot], p) % p;
            for (&row, other) in &columns[i] {
                let sum = (column.remove(&row).unwrap_or(0) + factor * other) % p;
                if sum != 0 {
                    column.insert(row, sum);
                }
            }
        }
        let pivot = column.last_key_value().map(|(&row, _)| row);
        if let Some(row) = pivot {
            column_with_pivot.insert(row, j);
        }
        columns.push(column);
        pivots.push(pivot);
    }
    pivots
}

/// The boundary of a simplex.
fn boundary(simplex: &Simplex, position: &HashMap<&[usize], usize>, p: u64) -> Column {
    let vertices = &simplex.vertices;
    let facet = |k: usize| [&vertices[..k], &vertices[k + 1..]].concat();
    let facets = (0..vertices.len()).filter(|_| vertices.len() > 1);
    facets.map(|k| (position[facet(k).as_slice()], if k % 2 == 0 { 1 } else { p - 1 })).collect()
}

/// The inverse modulo a prime p, by Fermat's little theorem.
fn inverse(a: u64, p: u64) -> u64 {
    let (mut base, mut exponent, mut result) = (a % p, p - 2, 1);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result * base % p;
        }
        base = base * base % p;
        exponent /= 2;
    }
    result
}

/// The classes of dimensions up to `max_dim` with bars of positive length, in the order of the canonical diagram.
fn classes_of(filtration: &[Simplex], max_dim: usize, pivots: &[Option<usize>]) -> Vec<Vec<Class>> {
    let mut death = vec![None; filtration.len()];
    for (j, pivot) in pivots.iter().enumerate() {
        if let Some(row) = *pivot {
            death[row] = Some(j);
        }
    }
    let mut dimensions: Vec<Vec<Class>> = vec![Vec::new(); max_dim + 1];
    // Births in reverse filtration order give higher dimensions in the canonical order.
    for k in (0..filtration.len()).rev() {
        let dim = filtration[k].vertices.len() - 1;
        let dies = death[k].map_or(f64::INFINITY, |j: usize| filtration[j].diameter);
        let bar = Bar { birth: filtration[k].diameter, death: dies };
        if pivots[k].is_none() && dim <= max_dim && bar.death > bar.birth {
            let ascending = |simplex: &Simplex| simplex.vertices.iter().rev().copied().collect();
            let death = death[k].map(|j| ascending(&filtration[j]));
            dimensions[dim].push(Class { bar, birth: ascending(&filtration[k]), death });
        }
    }
    // Equal bars of dimension 0 are sorted by their edges, older first. Edges at which equal bars end are equally long.
    let edge = |class: &Class| class.death.as_ref().map(|edge| Reverse((edge[1], edge[0])));
    dimensions[0].sort_by(|a, b| {
        let by_bar = a.bar.death.total_cmp(&b.bar.death).then(b.bar.birth.total_cmp(&a.bar.birth));
        by_bar.then_with(|| edge(a).cmp(&edge(b)))
    });
    dimensions
}
