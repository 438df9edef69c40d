//! The transform of points with cells on them: point sets, graphs, meshes and other complexes.

use std::fmt::Display;
use std::sync::Mutex;

use super::directions;
use super::error::EctError;
use super::heights::{AT_ONCE, Batch, LANES, Scale, batches, tally};
use super::request::{Center, Ect, EctRequest};
use super::surface::{self, Counted, Surface};
use crate::lists::Lists;
use crate::memory::{self, MemoryPlan, Refused};
use crate::metric::read::Polygons;
use crate::parallel::{self, lock};
use crate::progress::{Progress, interruptible};
use crate::simd::{Kernel, Level, Simd};

/// A complex with vertices in R^d: their coordinates, and other cells as lists of vertices. Every cell is given: those
/// in the boundary of others, too.
///
/// ```
/// use lacuna::ect::{EctRequest, EmbeddedComplex, of_complex};
///
/// // A triangle without its inside: from below one vertex, then both sides, then the edge above.
/// let mut triangle = EmbeddedComplex::new(2, vec![0.0, -1.0, -1.0, 0.5, 1.0, 0.5])?;
/// triangle.push_cells(1, 2, &[0, 1, 1, 2, 2, 0], None)?;
/// let ect = of_complex(&triangle, &EctRequest::new(4, 9), &())?;
/// // Direction 1 is that of the second axis.
/// assert_eq!(ect.row(1), [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), lacuna::ect::EctError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedComplex {
    dimension: usize,
    coordinates: Vec<f64>,
    /// Weights of the vertices; empty if all are 1.
    weights: Vec<f64>,
    /// All cells but the vertices.
    cells: Vec<Cells>,
}

/// Cells that have the same dimension and number of vertices, all of them with weight 1 or each with its own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cells {
    pub(super) dim: usize,
    /// The number of vertices of a cell.
    pub(super) size: usize,
    /// The vertices, cell by cell.
    pub(super) vertices: Vec<u32>,
    /// The weight of each cell; empty if all are 1.
    pub(super) weights: Vec<f64>,
}

impl Cells {
    /// No cell yet.
    pub(super) fn new(dim: usize, size: usize) -> Self {
        Cells { dim, size, vertices: Vec::new(), weights: Vec::new() }
    }

    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        self.vertices.len() / self.size
    }

    /// The sign with which the cells count, (−1)^dim.
    pub(super) fn sign(&self) -> f64 {
        if self.dim.is_multiple_of(2) { 1.0 } else { -1.0 }
    }
}

impl EmbeddedComplex {
    /// The complex of vertices with these coordinates, vertex by vertex, and no other cell.
    ///
    /// # Errors
    /// [`EctError::Complex`]: the coordinates are not those of whole points, or there are more than 2^32 points.
    /// [`EctError::NotFinite`]: a coordinate is not finite.
    pub fn new(dimension: usize, coordinates: Vec<f64>) -> Result<Self, EctError> {
        let is_whole = dimension > 0 && coordinates.len().is_multiple_of(dimension);
        if !is_whole || coordinates.len() / dimension > 1 << 32 {
            return Err(EctError::Complex {
                place: "vertices".to_owned(),
                expected: format!("up to 2^32 points of {} coordinates", dimension.max(1)),
                found: format!("{} coordinates", coordinates.len()),
            });
        }
        check_finite(&coordinates, &|place| format!("vertex {}", place / dimension))?;
        Ok(EmbeddedComplex { dimension, coordinates, weights: Vec::new(), cells: Vec::new() })
    }

    /// The complex of the vertices, edges and faces of a mesh. The sides of faces are edges. Each edge and each face
    /// is there once, however often it is listed; faces with the same vertices are the same.
    ///
    /// # Errors
    /// Those of [`EmbeddedComplex::new`] and [`push_cells`](EmbeddedComplex::push_cells).
    pub fn of_mesh(dimension: usize, coordinates: Vec<f64>, polygons: &Polygons) -> Result<Self, EctError> {
        let mut complex = EmbeddedComplex::new(dimension, coordinates)?;
        let faces = || polygons.iter().filter(|polygon| polygon.len() > 2);
        let mut corners = memory::with_room(polygons.corners())?;
        for face in faces() {
            let start = corners.len();
            corners.extend_from_slice(face);
            corners[start..].sort_unstable();
        }
        let places = faces().scan(0, |end, face| {
            let start = std::mem::replace(end, *end + face.len());
            Some((corners[start], [start, *end]))
        });
        let mut places = Lists::new(0..complex.len(), places)?;
        for vertex in 0..complex.len() {
            let faces = places.of_mut(vertex);
            faces.sort_unstable_by_key(|&[start, end]| (end - start, &corners[start..end]));
            for same in faces.chunk_by(|a, b| corners[a[0]..a[1]] == corners[b[0]..b[1]]) {
                let [start, end] = same[0];
                complex.push_cells(2, end - start, &corners[start..end], None)?;
            }
        }
        drop((places, corners));
        let sides = polygons.iter().flat_map(|polygon| {
            let ends = polygon.iter().zip(polygon.iter().cycle().skip(1));
            ends.filter(|(a, b)| a != b).map(|(&a, &b)| (a.min(b), a.max(b)))
        });
        let mut sides = Lists::new(0..complex.len(), sides)?;
        for vertex in 0..complex.len() {
            let uppers = sides.of_mut(vertex);
            uppers.sort_unstable();
            // The two sides of a polygon with two vertices are one edge.
            for same in uppers.chunk_by(|a, b| a == b) {
                complex.push_cells(1, 2, &[vertex as u32, same[0]], None)?;
            }
        }
        Ok(complex)
    }

    /// Sets the weights of the vertices, which are 1 without.
    ///
    /// # Errors
    /// [`EctError::Complex`]: there is not one weight for each vertex. [`EctError::NotFinite`]: one is not finite.
    pub fn set_vertex_weights(&mut self, weights: Vec<f64>) -> Result<(), EctError> {
        if weights.len() != self.len() {
            return Err(EctError::Complex {
                place: "weights of vertices".to_owned(),
                expected: self.len().to_string(),
                found: weights.len().to_string(),
            });
        }
        check_finite(&weights, &|vertex| format!("weight of vertex {vertex}"))?;
        self.weights = weights;
        Ok(())
    }

    /// Adds cells of this dimension and number of vertices each, which are listed cell by cell as integers of any type.
    /// A cell without a weight has the greatest weight of its vertices. A cell that is listed twice counts twice.
    ///
    /// # Errors
    /// [`EctError::Complex`]: the dimension is 0, whose cells are the vertices that there are; the vertices are not
    /// those of whole cells, one does not exist, or there is not one weight for each cell. [`EctError::NotFinite`]: a
    /// weight is not finite. [`EctError::Memory`].
    pub fn push_cells<V: Copy + TryInto<u32> + Display>(
        &mut self,
        dim: usize,
        size: usize,
        vertices: &[V],
        weights: Option<&[f64]>,
    ) -> Result<(), EctError> {
        let problem = |place: String, expected: String, found: String| {
            Err(EctError::Complex { place, expected, found })
        };
        let all = || format!("cells of dimension {dim}");
        if dim == 0 {
            return problem(all(), "a dimension of 1 or more".to_owned(), "0".to_owned());
        }
        if size == 0 || !vertices.len().is_multiple_of(size) {
            return problem(all(), format!("{size} vertices each"), format!("{} vertices", vertices.len()));
        }
        let count = vertices.len() / size;
        if let Some(weights) = weights.filter(|weights| weights.len() != count) {
            return problem(all(), format!("{count} weights"), weights.len().to_string());
        }
        let total = self.len();
        let known = |vertex: V| vertex.try_into().ok().filter(|&vertex: &u32| (vertex as usize) < total);
        if let Some(place) = vertices.iter().position(|&vertex| known(vertex).is_none()) {
            let place_of = format!("cell {} of dimension {dim}", place / size);
            return problem(place_of, format!("vertices below {total}"), vertices[place].to_string());
        }
        check_finite(weights.unwrap_or_default(), &|cell| {
            format!("weight of cell {cell} of dimension {dim}")
        })?;
        let are_one = weights.is_none() && self.weights.is_empty();
        let is_same =
            |cells: &Cells| (cells.dim, cells.size, cells.weights.is_empty()) == (dim, size, are_one);
        let place = match self.cells.iter().position(is_same) {
            Some(place) => place,
            None => {
                memory::push(&mut self.cells, Cells::new(dim, size))?;
                self.cells.len() - 1
            }
        };
        let cells = &mut self.cells[place];
        memory::make_room(&mut cells.vertices, vertices.len())?;
        memory::make_room(&mut cells.weights, if are_one { 0 } else { count })?;
        let start = cells.vertices.len();
        cells.vertices.extend(vertices.iter().map(|&vertex| known(vertex).unwrap_or_default()));
        match weights {
            Some(weights) => cells.weights.extend_from_slice(weights),
            None if are_one => {}
            None => cells.weights.extend(cells.vertices[start..].chunks_exact(size).map(|cell| {
                cell.iter().map(|&vertex| self.weights[vertex as usize]).fold(f64::MIN, f64::max)
            })),
        }
        Ok(())
    }

    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.coordinates.len() / self.dimension
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// The number of coordinates of a vertex.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The number of cells of dimension 1 and above.
    pub fn cells(&self) -> usize {
        self.cells.iter().map(Cells::len).sum()
    }

    /// The bytes of its tables.
    pub fn bytes(&self) -> u64 {
        let of_cells = self.cells.iter().map(|cells| 4 * cells.vertices.len() + 8 * cells.weights.len());
        (8 * (self.coordinates.len() + self.weights.len()) + of_cells.sum::<usize>()) as u64
    }

    /// The memory plan of its transform, the complex included, on the current thread pool.
    ///
    /// # Errors
    /// [`EctError::Directions`]: the number or the dimension of the directions does not suit the complex.
    pub fn memory_plan(&self, request: &EctRequest) -> Result<MemoryPlan, EctError> {
        let count = request.directions.count(self.dimension)?;
        let batches = count.div_ceil(LANES);
        let of_batch = (LANES as u64 * 8).saturating_mul(request.bins as u64 + 1);
        let bins = self.len() as u64 * size_of::<[u32; LANES]>() as u64;
        let (mut plan, mut rest) = (MemoryPlan::new(), 0);
        if let Some(surface) = self.surface(batches) {
            let [of_rest, listed] = surface.bytes();
            rest = of_rest;
            let looking =
                [("the complex", self.bytes()), ("edges by vertex", listed), ("edges that remain", rest)];
            plan = plan.stage("surface", looking, false);
        }
        let uses = [
            ("the complex", self.bytes()),
            ("edges that remain", rest),
            ("directions", directions::bytes(count, self.dimension)),
            ("bins of vertices", bins * batches.min(rayon::current_num_threads()) as u64),
            ("histograms", of_batch.saturating_mul(batches as u64)),
            ("the transform", (count as u64).saturating_mul(8).saturating_mul(request.bins as u64)),
        ];
        Ok(plan.stage("transform", uses, false))
    }

    /// The coordinates of the vertices, vertex by vertex.
    pub(super) fn coordinates(&self) -> &[f64] {
        &self.coordinates
    }

    /// The weight of a vertex.
    pub(super) fn weight(&self, vertex: usize) -> f64 {
        self.weights.get(vertex).copied().unwrap_or(1.0)
    }

    /// The surface in the complex, if it pays to look for it in this number of batches.
    pub(super) fn surface(&self, batches: usize) -> Option<Surface<'_>> {
        Surface::new(&self.cells, self.len(), batches)
    }

    /// The vertices of each cell but the vertices themselves, with its weight times (−1)^dim.
    pub(super) fn each_cell(&self) -> impl Iterator<Item = (&[u32], f64)> {
        self.cells.iter().flat_map(|cells| {
            let weight = |cell: usize| cells.sign() * cells.weights.get(cell).copied().unwrap_or(1.0);
            cells.vertices.chunks_exact(cells.size).enumerate().map(move |(k, cell)| (cell, weight(k)))
        })
    }

    /// The center, and the greatest distance of a vertex from it.
    pub(super) fn frame(&self, center: Center) -> Result<(Vec<f64>, f64), EctError> {
        let points = || self.coordinates.chunks_exact(self.dimension);
        let count = self.len() as f64;
        let of_axis = |axis: usize| {
            let along = points().map(|point| point[axis]);
            match center {
                Center::Origin => 0.0,
                Center::Mean => along.sum::<f64>() / count,
                Center::Box => {
                    let most = along.clone().fold(f64::MIN, f64::max);
                    along.fold(f64::MAX, f64::min) / 2.0 + most / 2.0
                }
            }
        };
        let center = (0..self.dimension).map(|axis| if self.is_empty() { 0.0 } else { of_axis(axis) });
        let center: Vec<f64> = center.collect();
        let square = |point: &[f64]| point.iter().zip(&center).map(|(x, c)| (x - c) * (x - c)).sum::<f64>();
        let farthest = points().map(square).fold(0.0, f64::max).sqrt();
        if !farthest.is_finite() {
            return Err(EctError::NotFinite {
                place: "the greatest distance from the center".to_owned(),
                found: farthest,
            });
        }
        Ok((center, farthest))
    }
}

/// Checks that numbers are finite. `place` names that of one that is not.
fn check_finite(numbers: &[f64], place: &dyn Fn(usize) -> String) -> Result<(), EctError> {
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(number) => Err(EctError::NotFinite { place: place(number), found: numbers[number] }),
        None => Ok(()),
    }
}

/// Computes the transform of a complex on the current thread pool. `weighted` and `construction` of the request are of
/// images only. The unit of work that is reported to `progress` is a vertex or cell in eight directions.
///
/// # Errors
/// [`EctError`]: the request is invalid or does not suit the complex; memory; the run is interrupted.
pub fn of_complex(
    complex: &EmbeddedComplex,
    request: &EctRequest,
    progress: &dyn Progress,
) -> Result<Ect, EctError> {
    interruptible(progress, |progress| {
        request.check()?;
        let dimension = complex.dimension;
        // The histograms of all batches exist at once.
        memory::probe(complex.memory_plan(request)?.peak().saturating_sub(complex.bytes()))?;
        let vectors = request.directions.unit_vectors(dimension)?;
        let (center, farthest) = complex.frame(request.center)?;
        let scale = request.scale(farthest);
        let chosen: Vec<usize> = (0..vectors.len() / dimension).collect();
        let batches = batches(&vectors, dimension, &chosen);
        let surface = complex.surface(batches.len());
        let rest = surface.map_or(Ok(None), |surface| surface.rest())?;
        let counted = surface::counted(&complex.cells, rest.as_deref());
        let work = complex.len() + counted.iter().map(|counted| counted.cells.len()).sum::<usize>();
        progress.begin("transform", None, (work as u64).saturating_mul(batches.len() as u64));
        let (stride, spare, counted) = (request.bins + 1, &Mutex::default(), &counted[..]);
        let histograms = parallel::map(batches.len(), &|number| {
            let batch = &batches[number];
            Level::detect().run(Sweep {
                complex,
                counted,
                center: &center,
                batch,
                scale,
                stride,
                spare,
                progress,
            })
        });
        let histograms = histograms.into_iter().collect::<Result<Vec<_>, _>>()?;
        let radius = request.radius.unwrap_or(farthest);
        Ect::summed(request, dimension, vectors, (center, radius), &|direction, row| {
            let start = direction % LANES * stride;
            row.copy_from_slice(&histograms[direction / LANES][start..start + stride]);
        })
    })
}

/// The histograms of a batch of directions.
struct Sweep<'a> {
    complex: &'a EmbeddedComplex,
    counted: &'a [Counted<'a>],
    center: &'a [f64],
    batch: &'a Batch,
    scale: Scale,
    stride: usize,
    /// Tables of the bins of vertices that other batches are done with.
    spare: &'a Mutex<Vec<Vec<[u32; LANES]>>>,
    progress: &'a dyn Progress,
}

/// Number of vertices or cells between two reports of progress.
const REPORTED: usize = 1 << 14;

impl Kernel<u32> for Sweep<'_> {
    type Output = Result<Vec<f64>, Refused>;

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> Self::Output {
        let Sweep { complex, counted, center, batch, scale, stride, spare, progress } = self;
        let mut histograms: Vec<f64> = memory::zeroed(LANES * stride)?;
        let of_before = lock(spare).pop();
        let mut bins = of_before.map_or_else(|| memory::zeroed(complex.len()), Ok)?;
        let points = complex.coordinates.chunks(REPORTED * complex.dimension);
        for (number, (points, bins)) in points.zip(bins.chunks_mut(REPORTED)).enumerate() {
            for (point, bins) in points.chunks_exact(complex.dimension).zip(&mut *bins) {
                let mut heights = [0.0; LANES];
                for ((x, c), along) in point.iter().zip(center).zip(&batch.along) {
                    for (height, component) in heights.iter_mut().zip(along) {
                        *height += (x - c) * component;
                    }
                }
                *bins = scale.bins(heights);
            }
            for (vertex, &bins) in (number * REPORTED..).zip(&*bins) {
                tally(&mut histograms, stride, bins, complex.weight(vertex));
            }
            progress.advance(bins.len() as u64);
        }
        let mut histograms = Histograms { stride, histograms, bins: &bins };
        for &Counted { cells, at_middle } in counted {
            for (number, part) in cells.vertices.chunks(REPORTED * cells.size).enumerate() {
                let weights = cells.weights.get(number * REPORTED..).unwrap_or_default();
                // Loops are compiled for these numbers of vertices.
                match (cells.size, at_middle) {
                    (3, true) => histograms.count(part, 3, -0.5 * cells.sign(), weights, true),
                    (2, _) => histograms.count(part, 2, cells.sign(), weights, false),
                    (3, _) => histograms.count(part, 3, cells.sign(), weights, false),
                    (size, _) => histograms.count(part, size, cells.sign(), weights, false),
                }
                progress.advance((part.len() / cells.size) as u64);
            }
        }
        let Histograms { histograms, .. } = histograms;
        lock(spare).push(bins);
        Ok(histograms)
    }
}

/// The histograms of a batch of directions, and the bins of the vertices.
struct Histograms<'a> {
    bins: &'a [[u32; LANES]],
    stride: usize,
    histograms: Vec<f64>,
}

impl Histograms<'_> {
    /// Adds cells of `size` vertices to the bins of their last or middle vertices: `factor`, times the weight of the
    /// cell if there are weights.
    #[inline(always)]
    fn count(&mut self, vertices: &[u32], size: usize, factor: f64, weights: &[f64], at_middle: bool) {
        let mut found = [[0; LANES]; AT_ONCE];
        for (part, vertices) in vertices.chunks(size * AT_ONCE).enumerate() {
            for (found, cell) in found.iter_mut().zip(vertices.chunks_exact(size)) {
                // A function that is an argument might not be inlined.
                *found = if at_middle { middle(self.bins, cell) } else { last(self.bins, cell) };
            }
            for (number, &bins) in found[..vertices.len() / size].iter().enumerate() {
                let weight =
                    if weights.is_empty() { factor } else { factor * weights[part * AT_ONCE + number] };
                tally(&mut self.histograms, self.stride, bins, weight);
            }
        }
    }
}

/// The greatest bins of the vertices of a cell.
#[inline(always)]
fn last(bins: &[[u32; LANES]], cell: &[u32]) -> [u32; LANES] {
    let mut last = [0; LANES];
    for &vertex in cell {
        for (last, &bin) in last.iter_mut().zip(&bins[vertex as usize]) {
            *last = bin.max(*last);
        }
    }
    last
}

/// The bins in the middle of those of the vertices of a triangle.
#[inline(always)]
fn middle(bins: &[[u32; LANES]], triangle: &[u32]) -> [u32; LANES] {
    let (a, b, c) = (&bins[triangle[0] as usize], &bins[triangle[1] as usize], &bins[triangle[2] as usize]);
    let mut middle = [0; LANES];
    for lane in 0..LANES {
        let (low, high) = (a[lane].min(b[lane]), a[lane].max(b[lane]));
        middle[lane] = low.max(high.min(c[lane]));
    }
    middle
}
