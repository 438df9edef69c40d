//! Filtered cell complexes as boundary matrices: random ones with ties, and all tiny ones.

use std::collections::HashMap;

use lacuna::matrix::{BoundaryMatrix, Dimension, Index};
use rand::RngExt;
use rand_pcg::Pcg64;

/// Cells with their boundaries and values, in an order in which boundaries come first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Complex {
    pub(crate) cells: Vec<Cell>,
}

#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub(crate) dim: Dimension,
    pub(crate) boundary: Vec<usize>,
    pub(crate) value: u32,
}

impl Complex {
    /// Adds a cell whose value is the maximum of `value` and the values of its boundary.
    pub(crate) fn push(&mut self, dim: usize, boundary: Vec<usize>, value: u32) -> usize {
        let value = boundary.iter().map(|&cell| self.cells[cell].value).fold(value, u32::max);
        self.cells.push(Cell { dim: dim as Dimension, boundary, value });
        self.cells.len() - 1
    }

    /// The matrix of the cells sorted by value, then dimension, then order of addition.
    pub(crate) fn matrix<I: Index>(&self) -> BoundaryMatrix<I> {
        let mut order: Vec<usize> = (0..self.cells.len()).collect();
        order.sort_by_key(|&cell| (self.cells[cell].value, self.cells[cell].dim));
        self.matrix_in_order(&order)
    }

    /// The matrix of the cells in the given order, in which boundaries must come first.
    pub(crate) fn matrix_in_order<I: Index>(&self, order: &[usize]) -> BoundaryMatrix<I> {
        let place: HashMap<usize, usize> = order.iter().enumerate().map(|(at, &cell)| (cell, at)).collect();
        let mut matrix = BoundaryMatrix::new();
        for &cell in order {
            let Cell { dim, boundary, .. } = &self.cells[cell];
            let mut rows: Vec<usize> = boundary.iter().map(|cell| place[cell]).collect();
            rows.sort_unstable();
            matrix.push(*dim, &rows).expect("boundaries come first");
        }
        matrix
    }

    /// The simplices on `points` points with at most `top` + 1 vertices, with the values that `value` returns; `None`
    /// leaves a simplex and its cofaces out.
    pub(crate) fn simplicial(
        points: usize,
        top: usize,
        mut value: impl FnMut(&[usize]) -> Option<u32>,
    ) -> Complex {
        let mut complex = Complex::default();
        let mut known: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut layer: Vec<Vec<usize>> = (0..points).map(|point| vec![point]).collect();
        for dim in 0..=top {
            let mut kept = Vec::new();
            for simplex in layer {
                let facets: Option<Vec<usize>> = facets(&simplex).map(|f| known.get(&f).copied()).collect();
                let (Some(boundary), Some(value)) = (facets, value(&simplex)) else { continue };
                known.insert(simplex.clone(), complex.push(dim, boundary, value));
                kept.push(simplex);
            }
            layer = kept.iter().flat_map(|simplex| extensions(simplex, points)).collect();
        }
        complex
    }

    /// The flag complex of a random graph with ties among edges.
    pub(crate) fn flag(points: usize, top: usize, edges: f64, ties: u32, rng: &mut Pcg64) -> Complex {
        Complex::simplicial(points, top, |simplex| match simplex.len() {
            1 => Some(rng.random_range(0..ties)),
            2 => rng.random_bool(edges).then(|| rng.random_range(0..2 * ties)),
            _ => Some(0),
        })
    }

    /// Random simplices: each is included with probability `keep` if its facets are.
    pub(crate) fn random(points: usize, top: usize, keep: f64, ties: u32, rng: &mut Pcg64) -> Complex {
        Complex::simplicial(points, top, |simplex| {
            (simplex.len() == 1 || rng.random_bool(keep)).then(|| rng.random_range(0..ties))
        })
    }

    /// The cubes of a grid of vertices with random values.
    pub(crate) fn cubical(sizes: [usize; 3], ties: u32, rng: &mut Pcg64) -> Complex {
        let doubled = sizes.map(|size| 2 * size - 1);
        let all = (0..doubled.iter().product())
            .map(|at| [at % doubled[0], at / doubled[0] % doubled[1], at / doubled[0] / doubled[1]]);
        let mut cubes: Vec<[usize; 3]> = all.collect();
        // An odd coordinate is the interval between the adjacent even ones.
        let dim = |cube: &[usize; 3]| cube.iter().filter(|x| *x % 2 == 1).count();
        cubes.sort_by_key(dim);
        let mut complex = Complex::default();
        let mut known = HashMap::new();
        for cube in cubes {
            let mut boundary = Vec::new();
            for axis in (0..3).filter(|&axis| cube[axis] % 2 == 1) {
                for end in [cube[axis] - 1, cube[axis] + 1] {
                    let mut face = cube;
                    face[axis] = end;
                    boundary.push(known[&face]);
                }
            }
            let value = if dim(&cube) == 0 { rng.random_range(0..ties) } else { 0 };
            known.insert(cube, complex.push(dim(&cube), boundary, value));
        }
        complex
    }

    /// The cone: a new vertex, and over every cell a cell of the next dimension, all after the original cells.
    pub(crate) fn cone(&self) -> Complex {
        let mut complex = self.clone();
        let last = self.cells.iter().map(|cell| cell.value).max().unwrap_or(0);
        let apex = complex.push(0, Vec::new(), last);
        let mut over: Vec<usize> = Vec::new();
        for (at, cell) in self.cells.iter().enumerate() {
            let ends = if cell.dim == 0 { vec![apex] } else { Vec::new() };
            let sides = cell.boundary.iter().map(|&face| over[face]);
            let boundary = [at].into_iter().chain(ends).chain(sides).collect();
            over.push(complex.push(usize::from(cell.dim) + 1, boundary, last));
        }
        complex
    }

    /// A union of two random graphs, or its cone, with additional loops and spheres.
    pub(crate) fn with_many_classes(ties: u32, rng: &mut Pcg64) -> Complex {
        let [a, b] = [0.3, 0.8].map(|keep| Complex::random(rng.random_range(1..6), 2, keep, ties, rng));
        let both = a.beside(&b);
        let both = if rng.random_bool(0.5) { both.cone() } else { both };
        let [loops, spheres] = [0, 0].map(|_: usize| rng.random_range(0..4));
        both.with_loops(1, loops, ties, rng).with_loops(2, spheres, ties, rng)
    }

    /// The disjoint union, interleaved by value.
    pub(crate) fn beside(&self, other: &Complex) -> Complex {
        let mut complex = self.clone();
        let shift = self.cells.len();
        for cell in &other.cells {
            let boundary = cell.boundary.iter().map(|face| face + shift).collect();
            complex.push(cell.dim.into(), boundary, cell.value);
        }
        complex
    }

    /// Adds `count` cells of dimension `dim` without boundary: loops or spheres.
    pub(crate) fn with_loops(mut self, dim: usize, count: usize, ties: u32, rng: &mut Pcg64) -> Complex {
        for _ in 0..count {
            self.push(dim, Vec::new(), rng.random_range(0..ties));
        }
        self
    }

    /// Calls `visit` with every order of the cells in which boundaries come first.
    pub(crate) fn every_order(&self, visit: &mut impl FnMut(&[usize])) {
        self.extend_order(&mut Vec::new(), visit);
    }

    fn extend_order(&self, order: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
        if order.len() == self.cells.len() {
            return visit(order);
        }
        for cell in 0..self.cells.len() {
            let ready = self.cells[cell].boundary.iter().all(|face| order.contains(face));
            if ready && !order.contains(&cell) {
                order.push(cell);
                self.extend_order(order, visit);
                order.pop();
            }
        }
    }

    /// All simplicial complexes on the vertices 0..`points` that contain every vertex.
    pub(crate) fn every_simplicial(points: usize) -> Vec<Complex> {
        let more: Vec<u32> = (1..1u32 << points).filter(|mask| mask.count_ones() > 1).collect();
        let closed = |chosen: &u32| {
            let has = |face: u32| more.iter().position(|&m| m == face).is_none_or(|at| chosen >> at & 1 == 1);
            more.iter()
                .enumerate()
                .filter(|(at, _)| chosen >> at & 1 == 1)
                .all(|(_, &mask)| (0..points).filter(|v| mask >> v & 1 == 1).all(|v| has(mask & !(1 << v))))
        };
        let build = |chosen: u32| {
            Complex::simplicial(points, points, |simplex| {
                let mask = simplex.iter().fold(0, |mask, v| mask | 1 << v);
                let at = more.iter().position(|&m| m == mask);
                at.is_none_or(|at| chosen >> at & 1 == 1).then_some(0)
            })
        };
        (0..1u32 << more.len()).filter(closed).map(build).collect()
    }
}

/// The facets of a simplex; none for a point.
fn facets(simplex: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let count = if simplex.len() > 1 { simplex.len() } else { 0 };
    (0..count).map(|omitted| {
        let rest = simplex.iter().enumerate().filter(|&(at, _)| at != omitted);
        rest.map(|(_, &point)| point).collect()
    })
}

/// The simplices with one additional vertex, greater than the others.
fn extensions(simplex: &[usize], points: usize) -> impl Iterator<Item = Vec<usize>> {
    let next = simplex.last().map_or(0, |last| last + 1);
    (next..points).map(|point| simplex.iter().copied().chain([point]).collect())
}
