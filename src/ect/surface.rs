//! Triangles with their sides, counted at half as many vertices.
//!
//! In any direction the last vertex of a triangle is that of two of its sides, and the last vertex of its third side is
//! the middle vertex of the triangle. With [x] for the addition of 1 to the histogram at the height of x,
//!
//! ```text
//! [last of triangle] = ½ ([last of side 1] + [last of side 2] + [last of side 3]) − ½ [middle of triangle]
//! ```
//!
//! So a triangle can be counted at its middle vertex with the weight −½, if each of its sides gets ½ more. An edge has
//! −1 and is the side of two triangles, unless it is at the border of the surface: it then has 0 and is left out. What
//! remains of a closed surface with n vertices are n vertices and 2n triangles, instead of 3n edges as well, and all
//! sums are exact. The equation holds also where vertices have the same height or a triangle has a vertex twice.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use zerocopy::FromZeros;

use super::complex::Cells;
use crate::memory::{self, Refused};
use crate::parallel;

/// The edges and the triangles of a complex, all of them with weight 1.
struct Surface<'a> {
    edges: Vec<&'a Cells>,
    triangles: Vec<&'a Cells>,
}

/// Whether these cells are edges or triangles of which all have weight 1.
pub(super) fn is_part(cells: &Cells) -> bool {
    matches!((cells.dim, cells.size), (1, 2) | (2, 3)) && cells.weights.is_empty()
}

impl<'a> Surface<'a> {
    fn new(all: &'a [Cells]) -> Self {
        let (edges, triangles) = all.iter().filter(|cells| is_part(cells)).partition(|cells| cells.size == 2);
        Surface { edges, triangles }
    }

    /// The number of edges, and that of triangles.
    fn counts(&self) -> [usize; 2] {
        [&self.edges, &self.triangles].map(|all| all.iter().map(|cells| cells.len()).sum())
    }

    /// Each edge and each side of a triangle: its lower end, and twice its upper one, with 1 added if it is an edge.
    fn sides(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        let edges = self.edges.iter().flat_map(|cells| cells.vertices.as_chunks().0);
        let triangles = self.triangles.iter().flat_map(|cells| cells.vertices.as_chunks().0);
        let of_triangles = triangles.flat_map(|&[a, b, c]| [[a, b], [b, c], [a, c]]);
        let edges = edges.map(|&[a, b]| (a.min(b), a.max(b) << 1 | 1));
        edges.chain(of_triangles.map(|[a, b]| (a.min(b), a.max(b) << 1)))
    }

    /// The edges and sides whose lower end is one of these vertices and whose weights do not add up to 0; `None` if
    /// there are no more `left` of them.
    fn rest(&self, vertices: Range<usize>, left: &AtomicUsize) -> Result<Option<Cells>, Refused> {
        let mut uppers = Lists::new(vertices.clone(), self.sides())?;
        let mut rest = Cells::new(1, 2);
        for vertex in vertices {
            let uppers = uppers.of(vertex);
            uppers.sort_unstable();
            for same in uppers.chunk_by(|a, b| a >> 1 == b >> 1) {
                // The sign of an edge is that of its dimension.
                let halves: i64 = same.iter().map(|upper| if upper & 1 == 1 { 2 } else { -1 }).sum();
                if halves == 0 {
                    continue;
                }
                if left.fetch_sub(1, Ordering::Relaxed) == 0 {
                    return Ok(None);
                }
                memory::push(&mut rest.vertices, vertex as u32)?;
                memory::push(&mut rest.vertices, same[0] >> 1)?;
                memory::push(&mut rest.weights, halves as f64 / 2.0)?;
            }
        }
        Ok(Some(rest))
    }
}

/// A list for each vertex of a range.
pub(super) struct Lists<T> {
    first: usize,
    /// The end of the list of each vertex, after that of the vertex before the range, which is 0.
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + FromZeros> Lists<T> {
    /// Lists the items of vertices of the range in their order. Vertices may be others as well.
    ///
    /// # Errors
    /// [`Refused`] if the memory is not available.
    pub(super) fn new(
        range: Range<usize>,
        items: impl Iterator<Item = (u32, T)> + Clone,
    ) -> Result<Self, Refused> {
        let (first, count) = (range.start, range.len());
        let place = |vertex: u32| Some((vertex as usize).wrapping_sub(first)).filter(|&place| place < count);
        // Before the items are taken, `ends[k + 1]` is the start of list k.
        let mut ends: Vec<usize> = memory::zeroed(count + 2)?;
        items.clone().for_each(|(vertex, _)| {
            if let Some(place) = place(vertex) {
                ends[place + 2] += 1;
            }
        });
        for place in 2..ends.len() {
            ends[place] += ends[place - 1];
        }
        let mut listed: Vec<T> = memory::zeroed(ends[count + 1])?;
        items.for_each(|(vertex, item)| {
            if let Some(place) = place(vertex) {
                listed[ends[place + 1]] = item;
                ends[place + 1] += 1;
            }
        });
        Ok(Lists { first, ends, items: listed })
    }

    /// The items of a vertex.
    pub(super) fn of(&mut self, vertex: usize) -> &mut [T] {
        let place = vertex - self.first;
        &mut self.items[self.ends[place]..self.ends[place + 1]]
    }
}

/// Number of batches of directions from which on it pays to look for surfaces.
const FEWEST_BATCHES: usize = 4;

/// The surface in a complex whose transform has this number of batches, if it pays to look for one: if edges may be the
/// sides of two triangles each, but for a quarter of them.
fn worthwhile(all: &[Cells], vertices: usize, batches: usize) -> Option<Surface<'_>> {
    let surface = Surface::new(all);
    let [edges, triangles] = surface.counts();
    let may_be = triangles > 0 && (triangles * 3).abs_diff(edges * 2) <= edges / 2;
    (batches >= FEWEST_BATCHES && vertices <= 1 << 31 && may_be).then_some(surface)
}

/// The bytes that the edges that remain take at most, and those of tables while they are found.
pub(super) fn bytes(all: &[Cells], vertices: usize, batches: usize) -> [u64; 2] {
    let Some(surface) = worthwhile(all, vertices, batches) else { return [0, 0] };
    let [edges, triangles] = surface.counts().map(|count| count as u64);
    // Vectors have room for twice as many at the most.
    [16 * edges, 4 * (edges + 3 * triangles) + 8 * vertices as u64]
}

/// The edges, with their weights, that remain if all triangles of weight 1 are counted at their middle vertices with the weight −½; `None`
/// if that is no gain. Other cells are counted as before.
///
/// # Errors
/// [`Refused`] if the memory is not available.
pub(super) fn rest(all: &[Cells], vertices: usize, batches: usize) -> Result<Option<Cells>, Refused> {
    let Some(surface) = worthwhile(all, vertices, batches) else { return Ok(None) };
    // How many more edges may remain.
    let left = AtomicUsize::new(surface.counts()[0] / 2);
    let threads = rayon::current_num_threads();
    let of_range =
        |part: usize| surface.rest(vertices * part / threads..vertices * (part + 1) / threads, &left);
    let mut all = Cells::new(1, 2);
    for found in parallel::map(threads, &of_range) {
        let Some(found) = found? else { return Ok(None) };
        memory::make_room(&mut all.vertices, found.vertices.len())?;
        memory::make_room(&mut all.weights, found.weights.len())?;
        all.vertices.extend(found.vertices);
        all.weights.extend(found.weights);
    }
    Ok(Some(all))
}
