//! The explicit Vietoris–Rips complex.
//!
//! A simplex is written with its vertices descending, v₀ > v₁ > … > v_d, and the simplices of a dimension are listed
//! in lexicographic order, which is that of the combinatorial number system. The simplices that extend τ by one
//! smaller vertex are the *children* of τ, and they are adjacent in the list. So a simplex is determined by its last
//! vertex and its place, and no hashing is needed: the children of (τ, v) have as last vertices w < v those of
//! children of τ that are neighbours of v, and the facet of (σ, w) without vᵢ is the child with last vertex w of the
//! facet of σ without vᵢ.

use std::ops::Range;

use phat_formats::{Dimension, Index};

use super::boundary_matrix::{boundary_matrix, positions, sorted, split};
use super::{ComplexError, WeightedBoundaryMatrix};
use crate::metric::{Distances, Value};
use crate::parallel;

/// Number of simplices whose children a task lists.
const CHUNK: usize = 1 << 10;

/// Builds the Vietoris–Rips filtration of distances: all simplices up to dimension `upper_dim` whose diameter is
/// finite and at most `threshold`. The value of a simplex is half its diameter, as in DIPHA, and that of a vertex
/// half its birth. All vertices are included, even those born above the threshold.
///
/// # Errors
/// `upper_dim` is above 255; or there are more cells or entries than the index type can number.
pub fn rips_complex<I: Index, T: Value>(
    distances: &Distances<T>,
    upper_dim: usize,
    threshold: f64,
) -> Result<WeightedBoundaryMatrix<I>, ComplexError> {
    let max_dim = Dimension::try_from(upper_dim).map_err(|_| {
        ComplexError::new(format!("a dimension up to {}", Dimension::MAX), upper_dim.to_string())
    })?;
    let mut cells = ComplexError::check_size::<I>("cells", Some(distances.len()))?;
    let birth = |v: usize| distances.births().map_or(0.0, |births| births[v].into());
    let mut levels: Vec<Level<I>> = vec![Level::vertices(distances.len(), birth)];
    if max_dim > 0 {
        levels.push(Level::edges(distances, threshold, &mut cells)?);
    }
    while levels.len() <= upper_dim && levels.last().is_some_and(|level| !level.last.is_empty()) {
        let next = Level::next(&levels, &mut cells)?;
        levels.push(next);
    }
    let complex = Simplices::new(levels);
    let order = complex.order(cells);
    // There are no levels above the requested dimension, which fits.
    let dim = |cell: usize| complex.place(cell).0 as Dimension;
    let count = |dim| if dim == 0 { 0 } else { dim + 1 };
    let facets = |cell: usize| {
        let (dim, place) = complex.place(cell);
        let (first, facets) = match dim {
            0 => (0, &[][..]),
            dim => (complex.firsts[dim - 1], complex.levels[dim].facets_of(dim, place)),
        };
        facets.iter().map(move |facet| first + facet.to_usize())
    };
    let matrix = boundary_matrix(&order, &positions(&order), dim, &count, facets, &())?;
    let values = parallel::table(order.len(), |k| complex.value(order[k].to_usize()));
    Ok(WeightedBoundaryMatrix { matrix, values, max_dim })
}

/// The simplices of a dimension d, in lexicographic order.
struct Level<I> {
    /// The last vertex of each simplex.
    last: Vec<u32>,
    /// Start of the children of each simplex of the dimension below, and then the number of all children.
    starts: Vec<I>,
    /// For each simplex, the places of its d + 1 facets in the dimension below, the k-th without v_k.
    facets: Vec<I>,
    /// Half the diameter of each simplex.
    values: Vec<f64>,
}

impl<I: Index> Level<I> {
    /// The vertices. Their numbers fit 32 bits: a graph uses such numbers, and no square matrix of more points fits
    /// into memory.
    fn vertices(n: usize, births: impl Fn(usize) -> f64) -> Self {
        let values = (0..n).map(|v| births(v) / 2.0).collect();
        Level { last: (0..n as u32).collect(), starts: Vec::new(), facets: Vec::new(), values }
    }

    fn edges<T: Value>(
        distances: &Distances<T>,
        threshold: f64,
        cells: &mut usize,
    ) -> Result<Self, ComplexError> {
        let near = |d: f64| d.is_finite() && d <= threshold;
        let neighbours: Vec<Vec<(u32, f64)>> = if let Distances::Sparse(graph) = distances {
            let mut neighbours = vec![Vec::new(); distances.len()];
            // Edges are sorted by (i, j).
            for edge in graph.edges().iter().filter(|edge| near(edge.distance.into())) {
                neighbours[edge.i as usize].push((edge.j, edge.distance.into()));
            }
            neighbours
        } else {
            parallel::map(distances.len(), &|i| {
                let smaller = (0..i).map(|j| (j as u32, distance(distances, i, j)));
                smaller.filter(|&(_, d)| near(d)).collect()
            })
        };
        let counts: Vec<usize> = neighbours.iter().map(Vec::len).collect();
        let starts: Vec<I> = starts(&counts, cells)?;
        let edges =
            || neighbours.iter().enumerate().flat_map(|(i, list)| list.iter().map(move |edge| (i, edge)));
        Ok(Level {
            last: edges().map(|(_, &(j, _))| j).collect(),
            starts,
            facets: edges().flat_map(|(i, &(j, _))| [I::from_usize(j as usize), I::from_usize(i)]).collect(),
            values: edges().map(|(_, &(_, d))| d / 2.0).collect(),
        })
    }

    /// The simplices one dimension above the last of `levels`, of which there must be at least two.
    fn next(levels: &[Level<I>], cells: &mut usize) -> Result<Self, ComplexError> {
        let [.., level] = levels else { return Ok(Level::vertices(0, |_| 0.0)) };
        let edges = &levels[1];
        let (dim, below) = (levels.len(), level.last.len());
        let counts = parallel::listed(below, CHUNK, &|simplices| {
            simplices.map(|simplex| level.children(edges, dim - 1, simplex).count()).collect()
        });
        let starts: Vec<I> = starts(&counts, cells)?;
        let count = starts[below].to_usize();
        // The facets of all simplices must be countable before they are listed.
        ComplexError::check_size::<I>("entries", count.checked_mul(dim + 1))?;
        let mut last = vec![0; count];
        let mut facets = vec![I::default(); count * (dim + 1)];
        let ends = || starts.iter().skip(CHUNK).step_by(CHUNK).map(|end| end.to_usize());
        let lasts = split(&mut last, &mut ends()).into_iter();
        let facet_lists = split(&mut facets, &mut ends().map(|end| end * (dim + 1)));
        parallel::each_of(lasts.zip(facet_lists).enumerate(), &|(chunk, (last, facets))| {
            let simplices = chunk * CHUNK..((chunk + 1) * CHUNK).min(below);
            let children = simplices.flat_map(|s| level.children(edges, dim - 1, s).map(move |w| (s, w)));
            for (((simplex, w), last), facets) in children.zip(last).zip(facets.chunks_exact_mut(dim + 1)) {
                *last = w;
                for (facet, &of_simplex) in facets.iter_mut().zip(level.facets_of(dim - 1, simplex)) {
                    *facet = I::from_usize(level.child(of_simplex.to_usize(), w));
                }
                facets[dim] = I::from_usize(simplex);
            }
        });
        let value = |facet: &I| level.values[facet.to_usize()];
        let values = parallel::table(count, |simplex| {
            facets[simplex * (dim + 1)..][..dim + 1].iter().map(value).fold(0.0, f64::max)
        });
        Ok(Level { last, starts, facets, values })
    }

    fn facets_of(&self, dim: usize, simplex: usize) -> &[I] {
        &self.facets[simplex * (dim + 1)..(simplex + 1) * (dim + 1)]
    }

    /// The range of the children of a simplex of the dimension below.
    fn range(&self, below: usize) -> Range<usize> {
        self.starts[below].to_usize()..self.starts[below + 1].to_usize()
    }

    /// The child with last vertex `w` of a simplex of the dimension below, which must exist.
    fn child(&self, below: usize, w: u32) -> usize {
        let range = self.range(below);
        range.start + self.last[range].partition_point(|&last| last < w)
    }

    /// The last vertices of the children of a simplex of this level, of dimension `dim` ≥ 1, ascending.
    fn children<'a>(
        &'a self,
        edges: &'a Level<I>,
        dim: usize,
        simplex: usize,
    ) -> impl Iterator<Item = u32> + 'a {
        let parent = self.facets_of(dim, simplex)[dim].to_usize();
        let candidates = &self.last[self.range(parent).start..simplex];
        let mut neighbours = &edges.last[edges.range(self.last[simplex] as usize)];
        candidates.iter().copied().filter(move |&w| {
            let before = neighbours.iter().position(|&v| v >= w).unwrap_or(neighbours.len());
            neighbours = &neighbours[before..];
            neighbours.first() == Some(&w)
        })
    }
}

fn distance<T: Value>(distances: &Distances<T>, i: usize, j: usize) -> f64 {
    match distances {
        Distances::Matrix(matrix) => matrix.get(i, j).into(),
        Distances::Points(points) => points.distance(i, j).into(),
        Distances::Sparse(_) => f64::INFINITY,
    }
}

/// Start of each list, and then their total length, which is added to `cells`.
fn starts<I: Index>(counts: &[usize], cells: &mut usize) -> Result<Vec<I>, ComplexError> {
    let before = *cells;
    let mut starts = vec![I::default()];
    for &count in counts {
        *cells = ComplexError::check_size::<I>("cells", cells.checked_add(count))?;
        starts.push(I::from_usize(*cells - before));
    }
    Ok(starts)
}

/// All simplices, numbered dimension by dimension.
struct Simplices<I> {
    levels: Vec<Level<I>>,
    /// The number of the first simplex of each dimension.
    firsts: Vec<usize>,
}

impl<I: Index> Simplices<I> {
    fn new(levels: Vec<Level<I>>) -> Self {
        let mut end = 0;
        let first = |level: &Level<I>| {
            let first = end;
            end += level.last.len();
            first
        };
        let firsts = levels.iter().map(first).collect();
        Simplices { levels, firsts }
    }

    /// The dimension of a simplex, and its place among those of this dimension.
    fn place(&self, cell: usize) -> (usize, usize) {
        let dim = self.firsts.partition_point(|&first| first <= cell) - 1;
        (dim, cell - self.firsts[dim])
    }

    /// All simplices, sorted by value and then by number.
    fn order(&self, cells: usize) -> Vec<I> {
        let values = self.levels.iter().flat_map(|level| &level.values);
        sorted(values.zip(0..cells).map(|(value, cell)| (value.order_bits(), I::from_usize(cell))).collect())
    }

    fn value(&self, cell: usize) -> f64 {
        let (dim, place) = self.place(cell);
        self.levels[dim].values[place]
    }
}
