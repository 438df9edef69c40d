//! Triangles with their sides, counted at half as many vertices.
//!
//! In any direction the last vertex of a triangle is that of two of its sides, and the last vertex of its third side is
//! the middle vertex of the triangle. With [x] for the addition of 1 to the histogram at the height of x,
//!
//! ```text
//! [last of triangle] = ½ ([last of side 1] + [last of side 2] + [last of side 3]) − ½ [middle of triangle]
//! ```
//!
//! So a triangle can be counted at its middle vertex with the weight −½, if each of its sides gets ½ more. An edge
//! counts −1. If it is the side of two triangles, it gets 1 more, and is left out. Of a closed surface with n vertices,
//! n vertices and 2n triangles are counted instead of 3n edges as well. All sums are exact. The equation also holds
//! where vertices have the same height or a triangle has a vertex twice.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::complex::Cells;
use crate::lists::Lists;
use crate::memory::{self, Refused};
use crate::parallel;

/// Number of batches of directions from which on it pays to look for surfaces.
const FEWEST_BATCHES: usize = 8;

/// The edges and the triangles of a complex, all of them with weight 1.
pub(super) struct Surface<'a> {
    edges: Vec<&'a Cells>,
    triangles: Vec<&'a Cells>,
    /// The number of vertices of the complex.
    vertices: usize,
}

/// Cells that a sweep counts.
pub(super) struct Counted<'a> {
    pub(super) cells: &'a Cells,
    /// Whether they are triangles that count at their middle vertices with the weight −½.
    pub(super) at_middle: bool,
}

/// Whether these cells are edges or triangles of which all have weight 1.
fn is_part(cells: &Cells) -> bool {
    matches!((cells.dim, cells.size), (1, 2) | (2, 3)) && cells.weights.is_empty()
}

/// All cells to count, at middle vertices where `rest` is what remains of the edges then.
pub(super) fn counted<'a>(all: &'a [Cells], rest: Option<&'a [Cells]>) -> Vec<Counted<'a>> {
    let at_middle = |cells| rest.is_some() && is_part(cells);
    let kept = all.iter().filter(|cells| !at_middle(cells) || cells.size == 3);
    let kept = kept.map(|cells| Counted { cells, at_middle: at_middle(cells) });
    kept.chain(rest.unwrap_or_default().iter().map(|cells| Counted { cells, at_middle: false })).collect()
}

impl<'a> Surface<'a> {
    /// The surface among the cells of a complex, if it pays to look for it: if there are enough batches of directions,
    /// and edges may be the sides of two triangles each, but for a quarter of them.
    pub(super) fn new(all: &'a [Cells], vertices: usize, batches: usize) -> Option<Self> {
        let (edges, triangles) = all.iter().filter(|cells| is_part(cells)).partition(|cells| cells.size == 2);
        let surface = Surface { edges, triangles, vertices };
        let [edges, triangles] = surface.counts();
        let may_be = triangles > 0 && (triangles * 3).abs_diff(edges * 2) <= edges / 2;
        (batches >= FEWEST_BATCHES && may_be).then_some(surface)
    }

    /// The number of edges, and that of triangles.
    fn counts(&self) -> [usize; 2] {
        [&self.edges, &self.triangles].map(|all| all.iter().map(|cells| cells.len()).sum())
    }

    /// The bytes that the edges that remain take at most, and those of tables while they are found.
    pub(super) fn bytes(&self) -> [u64; 2] {
        let edges = self.counts()[0] as u64;
        // Vectors have room for twice as many at the most.
        [16 * edges, 8 * (edges + self.vertices as u64)]
    }

    /// The edges, with their weights, that remain if all triangles are counted at their middle vertices with the weight
    /// −½; `None` if half of them or more remain.
    ///
    /// # Errors
    /// [`Refused`] if the memory is not available.
    pub(super) fn rest(&self) -> Result<Option<Vec<Cells>>, Refused> {
        // How many more edges may remain.
        let left = AtomicUsize::new(self.counts()[0] / 2);
        // Each part goes through all cells.
        let parts = rayon::current_num_threads().min(16);
        let start = |part: usize| self.vertices * part / parts;
        let rests = parallel::map(parts, &|part| self.rest_of(start(part)..start(part + 1), &left));
        rests.into_iter().collect()
    }

    /// The part of the rest whose lower ends are these vertices; `None` if there are no more `left`.
    fn rest_of(&self, vertices: Range<usize>, left: &AtomicUsize) -> Result<Option<Cells>, Refused> {
        // The upper ends of edges, with the number of triangles at the edge.
        let edges = self.edges.iter().flat_map(|cells| cells.vertices.as_chunks().0);
        let mut edges = Lists::new(vertices.clone(), edges.map(|&[a, b]| (a.min(b), (a.max(b), 0_u32))))?;
        for vertex in vertices.clone() {
            edges.of_mut(vertex).sort_unstable();
        }
        let mut rest = Cells::new(1, 2);
        let mut remains = |[low, high]: [u32; 2], halves: i64| {
            let less = |left: usize| left.checked_sub(1);
            if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err() {
                return Ok(false);
            }
            memory::push(&mut rest.vertices, low)?;
            memory::push(&mut rest.vertices, high)?;
            memory::push(&mut rest.weights, halves as f64 / 2.0)?;
            Ok(true)
        };
        for &[a, b, c] in self.triangles.iter().flat_map(|cells| cells.vertices.as_chunks().0) {
            for [a, b] in [[a, b], [b, c], [a, c]] {
                let (low, high) = (a.min(b), a.max(b));
                if !vertices.contains(&(low as usize)) {
                    continue;
                }
                let edges = edges.of_mut(low as usize);
                match edges.binary_search_by_key(&high, |&(upper, _)| upper) {
                    Ok(place) => edges[place].1 += 1,
                    // A cell of dimension 1 has the sign −1.
                    Err(_) if remains([low, high], -1)? => {}
                    Err(_) => return Ok(None),
                }
            }
        }
        for vertex in vertices {
            for &(upper, triangles) in edges.of(vertex) {
                if triangles != 2 && !remains([vertex as u32, upper], 2 - i64::from(triangles))? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(rest))
    }
}
