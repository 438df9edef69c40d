//! The transform of images, by the numbers of vertices in each orthant of directions.

use std::ops::{Add, AddAssign, Sub};

use zerocopy::FromZeros;

use super::directions;
use super::error::EctError;
use super::heights::{AT_ONCE, Batch, LANES, Scale, batches, tally};
use super::request::{Center, Ect, EctRequest};
use crate::cubical::{AnyImage, Construction, Shape, Voxel};
use crate::memory::{self, MemoryPlan, Refused};
use crate::parallel;
use crate::progress::{Progress, interruptible};
use crate::simd::{Kernel, Level as Instructions, Simd};
use crate::with_image;

/// Most entries of the histograms of all parts of an image together: 32 MiB.
const HISTOGRAMS: usize = 1 << 22;

/// Most parts into which an image is divided. It does not depend on the number of threads, so neither does the order of
/// sums.
const PARTS: usize = 64;

/// Number of vertices that are listed before their heights are computed, so that the list stays in the cache.
const LISTED: usize = 1 << 12;

/// Number of vertices between two reports of progress, at least.
const REPORTED: usize = 1 << 16;

/// The count of a cell or voxel: its presence, or its weight. The default is that of an absent one.
pub(super) trait Counted: Copy + Default + Send + Sync + FromZeros {
    /// Type of the sums of some cells.
    type Sum: Copy
        + Default
        + PartialEq
        + Add<Output = Self::Sum>
        + Sub<Output = Self::Sum>
        + AddAssign
        + Into<f64>;
    /// The count of the cell that contains both, which is present if both are.
    fn meet(self, other: Self) -> Self;
    /// The count of the face that both share, which is present if one of them is.
    fn join(self, other: Self) -> Self;
    /// The count as a summand.
    fn sum(self) -> Self::Sum;
}

/// Whether a cell is there: 0 or 1.
impl Counted for u8 {
    type Sum = i8;
    #[inline(always)]
    fn meet(self, other: u8) -> u8 {
        self & other
    }
    #[inline(always)]
    fn join(self, other: u8) -> u8 {
        self | other
    }
    #[inline(always)]
    fn sum(self) -> i8 {
        self as i8
    }
}

/// The weight of a cell, 0 if it is not there.
impl Counted for f64 {
    type Sum = f64;
    #[inline(always)]
    fn meet(self, other: f64) -> f64 {
        if self != 0.0 && other != 0.0 { greater(self, other) } else { 0.0 }
    }
    #[inline(always)]
    fn join(self, other: f64) -> f64 {
        let (a, b) = (if self == 0.0 { other } else { self }, if other == 0.0 { self } else { other });
        greater(a, b)
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        self
    }
}

/// The greater of two finite numbers, without the branches of `f64::max` on NaN.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The vertices of the complex of an image, as a grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    construction: Construction,
    /// Voxels along each axis, the slowest in memory first.
    voxels: [usize; 3],
    /// Vertices along each axis.
    pub(super) vertices: [usize; 3],
    /// The axes of the user for the axes in memory; axes of one voxel have none.
    users: [Option<usize>; 3],
}

impl Grid {
    /// # Errors
    /// [`EctError::Shape`]: there are four axes.
    pub(super) fn new(shape: Shape, construction: Construction) -> Result<Grid, EctError> {
        shape.check_three()?;
        let voxels = shape.extents();
        let first = 3 - shape.dim();
        let places = shape.users([0, 1, 2]);
        let users =
            std::array::from_fn(|axis| places.iter().position(|&place| place == axis && axis >= first));
        let is_more = |axis: usize| usize::from(construction == Construction::T && axis >= first);
        let vertices = std::array::from_fn(|k| voxels[k] + is_more(k));
        Ok(Grid { construction, voxels, vertices, users })
    }

    /// Items of the user's axes along the axes in memory; `other` along axes of one voxel.
    fn in_memory<T: Copy>(&self, items: &[T], other: T) -> [T; 3] {
        self.users.map(|axis| axis.map_or(other, |axis| items[axis]))
    }

    /// The coordinate along an axis in memory of the vertex with this index, from the center of the grid.
    #[inline(always)]
    fn coordinate(&self, axis: usize, index: usize) -> f64 {
        index as f64 - (self.vertices[axis] - 1) as f64 / 2.0
    }

    /// Number of rows of vertices.
    fn rows(&self) -> usize {
        self.vertices[0] * self.vertices[1]
    }

    /// Indices of the voxels ahead of a vertex and behind it in a direction along an axis, which may be outside. In
    /// construction V the voxel ahead is the vertex itself.
    #[inline(always)]
    fn around(&self, axis: usize, index: usize, is_positive: bool) -> [usize; 2] {
        let (before, after) = (index.wrapping_sub(1), index.wrapping_add(1));
        match (self.construction, is_positive) {
            _ if self.users[axis].is_none() => [index, usize::MAX],
            (Construction::V, true) => [index, before],
            (Construction::V, false) => [index, after],
            (Construction::T, true) => [index, before],
            (Construction::T, false) => [before, index],
        }
    }
}

/// Reads the voxels from a place in memory on.
type Rows<'a, T> = &'a (dyn Fn(usize, &mut [T]) + Sync);

/// The voxels around a row of vertices, each row between two absent voxels.
struct Around<T> {
    /// The rows ahead along both other axes, behind along the second, behind along the first, behind along both.
    rows: [Vec<T>; 4],
    combined: Vec<T>,
}

impl<T: Counted> Around<T> {
    fn new(grid: &Grid) -> Result<Self, Refused> {
        let width = grid.voxels[2] + 2;
        let mut all: [Vec<T>; 5] = Default::default();
        for row in &mut all {
            *row = memory::zeroed(width)?;
        }
        let [a, b, c, d, combined] = all;
        Ok(Around { rows: [a, b, c, d], combined })
    }

    /// Reads the voxels around row `y` of plane `z` of vertices, ahead and behind as the signs of a direction say.
    fn read(&mut self, grid: &Grid, read: Rows<'_, T>, (z, y): (usize, usize), signs: [bool; 3]) {
        let [planes, rows, columns] = grid.voxels;
        let (zs, ys) = (grid.around(0, z, signs[0]), grid.around(1, y, signs[1]));
        for (number, row) in self.rows.iter_mut().enumerate() {
            let (z, y) = (zs[number / 2], ys[number % 2]);
            let row = &mut row[1..=columns];
            if z < planes && y < rows {
                read((z * rows + y) * columns, row);
            } else {
                row.fill(T::default());
            }
        }
    }

    /// Writes the numbers of the vertices of the row: the sum of (−1)^dim · w over the cells that each owns.
    #[inline(always)]
    fn count(&mut self, grid: &Grid, is_positive: bool, sums: &mut [T::Sum]) {
        let Around { rows: [a, b, c, d], combined } = self;
        let width = combined.len();
        let (a, b, c, d) = (&a[..width], &b[..width], &c[..width], &d[..width]);
        sums.fill(T::Sum::default());
        // The cells that extend along neither of the other axes, along the second, along the first, along both.
        let terms = if grid.users[0].is_some() { 4 } else { 2 };
        for term in 0..terms {
            match (grid.construction, term) {
                (Construction::V, 0) => fill(combined, |p| a[p]),
                (Construction::V, 1) => fill(combined, |p| a[p].meet(b[p])),
                (Construction::V, 2) => fill(combined, |p| a[p].meet(c[p])),
                (Construction::V, _) => fill(combined, |p| a[p].meet(b[p]).meet(c[p].meet(d[p]))),
                (Construction::T, 0) => fill(combined, |p| a[p].join(b[p]).join(c[p].join(d[p]))),
                (Construction::T, 1) => fill(combined, |p| b[p].join(d[p])),
                (Construction::T, 2) => fill(combined, |p| c[p].join(d[p])),
                (Construction::T, _) => fill(combined, |p| d[p]),
            }
            let is_odd = term == 1 || term == 2;
            // Each with the cell that also extends along the row.
            match grid.construction {
                Construction::V => {
                    let behind = if is_positive { &combined[..] } else { &combined[2..] };
                    for ((sum, &own), &behind) in sums.iter_mut().zip(&combined[1..]).zip(behind) {
                        add(sum, is_odd, own, own.meet(behind));
                    }
                }
                Construction::T => {
                    for ((sum, &before), &after) in sums.iter_mut().zip(&combined[..]).zip(&combined[1..]) {
                        add(sum, is_odd, before.join(after), if is_positive { before } else { after });
                    }
                }
            }
        }
    }

    /// The first and the last vertex of the row that are there, how many there are, and the sum of their indices.
    fn present(&mut self, grid: &Grid) -> Present {
        let mut found = Present { first: usize::MAX, ..Present::default() };
        let Around { rows: [a, b, c, d], .. } = self;
        for x in 0..grid.vertices[2] {
            let is_there = |p: usize| match grid.construction {
                Construction::V => a[p],
                Construction::T => a[p].join(b[p]).join(c[p].join(d[p])),
            };
            let vertex = match grid.construction {
                Construction::V => is_there(x + 1),
                Construction::T => is_there(x).join(is_there(x + 1)),
            };
            if vertex.sum() != T::Sum::default() {
                found.first = found.first.min(x);
                found.last = x;
                found.count += 1;
                found.sum += x;
            }
        }
        found
    }
}

/// Replaces each entry by its value.
#[inline(always)]
fn fill<T>(entries: &mut [T], value: impl Fn(usize) -> T) {
    entries.iter_mut().enumerate().for_each(|(p, entry)| *entry = value(p));
}

/// Adds a cell, and subtracts the one that also extends along the row; or the other way round.
#[inline(always)]
fn add<T: Counted>(sum: &mut T::Sum, is_odd: bool, cell: T, longer: T) {
    *sum += if is_odd { longer.sum() - cell.sum() } else { cell.sum() - longer.sum() };
}

/// The vertices of a row that are there.
#[derive(Debug, Clone, Copy, Default)]
struct Present {
    first: usize,
    last: usize,
    count: usize,
    sum: usize,
}

/// Computes the transform of an image on the current thread pool. The unit of work that is reported to `progress` is a
/// vertex in one orthant of directions.
///
/// ```
/// use lacuna::cubical::AnyImage;
/// use lacuna::ect::{EctRequest, of_image};
///
/// // A frame of pixels: its first row, then two sides, and a cycle with the last row.
/// let image = AnyImage::from_slice(&[1_u8, 1, 1, 1, 0, 1, 1, 1, 1], &[3, 3])?;
/// let ect = of_image(&image, &EctRequest::new(4, 9), &())?;
/// assert_eq!(ect.row(0), [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`EctError`]: the request is invalid or does not suit the image; a voxel is infinite and the transform weighted;
/// memory; the run is interrupted.
pub fn of_image(image: &AnyImage, request: &EctRequest, progress: &dyn Progress) -> Result<Ect, EctError> {
    interruptible(progress, |progress| {
        request.check()?;
        let grid = Grid::new(image.shape(), request.construction)?;
        let shape = image.shape();
        let vectors = request.directions.unit_vectors(shape.dim()).map_err(of_axes(shape))?;
        let is_there = |place: usize, row: &mut [u8]| {
            with_image!(image, image => masks(&image.voxels()[place..], row));
        };
        if !request.weighted {
            return transform(&grid, &is_there, vectors, (request, &is_there), progress);
        }
        with_image!(image, image => check_finite(image.shape(), image.voxels()))?;
        let values = |place: usize, row: &mut [f64]| {
            with_image!(image, image => doubles(&image.voxels()[place..], row));
        };
        transform(&grid, &values, vectors, (request, &is_there), progress)
    })
}

/// Says in an error of directions that axes of one voxel have no component, if the image has such axes.
fn of_axes(shape: Shape) -> impl Fn(EctError) -> EctError {
    move |error| match error {
        EctError::Directions { expected, found } if shape.axes().len() > shape.dim() => {
            EctError::Directions { expected, found: format!("{found} (axes of one voxel have none)") }
        }
        error => error,
    }
}

/// Whether voxels are not 0, as 0 or 1.
fn masks<V: Voxel>(voxels: &[V], row: &mut [u8]) {
    row.iter_mut().zip(voxels).for_each(|(out, voxel)| *out = u8::from(*voxel != V::default()));
}

/// Voxels as doubles.
fn doubles<V: Voxel>(voxels: &[V], row: &mut [f64]) {
    row.iter_mut().zip(voxels).for_each(|(out, voxel)| *out = voxel.value());
}

fn check_finite<V: Voxel>(shape: Shape, voxels: &[V]) -> Result<(), EctError> {
    match parallel::position(voxels.len(), |place| !voxels[place].value().is_finite()) {
        Some(place) => {
            let (place, found) = (format!("voxel {:?}", shape.coordinates(place)), voxels[place].value());
            Err(EctError::NotFinite { place, found })
        }
        None => Ok(()),
    }
}

/// The center, by the user's axes, and the greatest distance of a vertex from it.
fn frame(grid: &Grid, read: Rows<'_, u8>, center: Center) -> Result<(Vec<f64>, f64), Refused> {
    let rows = grid.vertices[1];
    let piece = (REPORTED / grid.vertices[2]).max(1);
    let pieces = parallel::map(grid.rows().div_ceil(piece), &|number| -> Result<Vec<Present>, Refused> {
        let mut around = Around::<u8>::new(grid)?;
        let mut present = memory::with_room(piece)?;
        for row in number * piece..grid.rows().min((number + 1) * piece) {
            around.read(grid, read, (row / rows, row % rows), [true; 3]);
            present.push(around.present(grid));
        }
        Ok(present)
    });
    let pieces = pieces.into_iter().collect::<Result<Vec<_>, _>>()?;
    let each = || pieces.iter().flatten().enumerate().filter(|(_, found)| found.count > 0);
    let ends = |row: usize, found: &Present| {
        let [z, y] = [grid.coordinate(0, row / rows), grid.coordinate(1, row % rows)];
        [[z, y, grid.coordinate(2, found.first)], [z, y, grid.coordinate(2, found.last)]]
    };
    let mut found = [0.0; 3];
    match center {
        Center::Origin => {}
        _ if each().next().is_none() => {}
        Center::Mean => {
            let count = each().map(|(_, found)| found.count).sum::<usize>() as f64;
            let total = |index: &dyn Fn(usize, &Present) -> usize| {
                each().map(|(row, found)| index(row, found) as u128).sum::<u128>() as f64 / count
            };
            let means = [
                total(&|row, found| row / rows * found.count),
                total(&|row, found| row % rows * found.count),
                total(&|_, found| found.sum),
            ];
            found = std::array::from_fn(|axis| means[axis] - (grid.vertices[axis] - 1) as f64 / 2.0);
        }
        Center::Box => {
            let points = || each().flat_map(|(row, found)| ends(row, found));
            for (axis, center) in found.iter_mut().enumerate() {
                let along = || points().map(|point| point[axis]);
                let sides = [along().reduce(f64::min), along().reduce(f64::max)];
                *center = sides.map(Option::unwrap_or_default).iter().sum::<f64>() / 2.0;
            }
        }
    }
    let square = |point: [f64; 3]| point.iter().zip(found).map(|(x, c)| (x - c) * (x - c)).sum::<f64>();
    let farthest = each().flat_map(|(row, found)| ends(row, found)).map(square).fold(0.0, f64::max);
    let dimension = grid.users.iter().flatten().count();
    let of_user =
        |user| grid.users.iter().position(|&axis| axis == Some(user)).map_or(0.0, |axis| found[axis]);
    Ok(((0..dimension).map(of_user).collect(), farthest.sqrt()))
}

/// The directions of one orthant.
struct Orthant {
    /// Whether components along the axes in memory are not negative.
    signs: [bool; 3],
    batches: Vec<Batch>,
}

/// The transform of an image whose voxels `read` counts.
fn transform<T: Counted>(
    grid: &Grid,
    read: Rows<'_, T>,
    vectors: Vec<f64>,
    (request, is_there): (&EctRequest, Rows<'_, u8>),
    progress: &dyn Progress,
) -> Result<Ect, EctError> {
    let dimension = grid.users.iter().flatten().count();
    let (center, farthest) = frame(grid, is_there, request.center)?;
    let scale = request.scale(farthest);
    let stride = request.bins + 1;
    let orthants = orthants(grid, &vectors, dimension);
    let parts = parts(grid, vectors.len() / dimension, request.bins);
    let work = (grid.vertices.iter().product::<usize>() as u64).saturating_mul(orthants.len() as u64);
    progress.begin("transform", None, work);
    let rows = grid.rows().div_ceil(parts);
    let histograms = parallel::map(orthants.len() * parts, &|task| {
        let (orthant, part) = (&orthants[task / parts], task % parts);
        let rows = (part * rows).min(grid.rows())..((part + 1) * rows).min(grid.rows());
        let center = grid.in_memory(&center, 0.0);
        Instructions::detect().run(Sweep { grid, read, orthant, rows, center, scale, stride, progress })
    });
    let histograms = histograms.into_iter().collect::<Result<Vec<Vec<f64>>, _>>()?;
    // Where the histogram of a direction begins in those of its orthant.
    let mut places = vec![(0, 0); vectors.len() / dimension];
    for (number, orthant) in orthants.iter().enumerate() {
        let directions = orthant.batches.iter().enumerate().flat_map(|(batch, of)| {
            of.directions.iter().enumerate().map(move |(lane, direction)| (batch * LANES + lane, direction))
        });
        directions.for_each(|(place, &direction)| places[direction] = (number, place * stride));
    }
    let radius = request.radius.unwrap_or(farthest);
    Ect::summed(request, dimension, vectors, (center, radius), &|direction, row| {
        let (orthant, start) = places[direction];
        for part in &histograms[orthant * parts..(orthant + 1) * parts] {
            row.iter_mut().zip(&part[start..]).for_each(|(sum, x)| *sum += x);
        }
    })
}

/// Divides the directions by the signs of their components.
fn orthants(grid: &Grid, vectors: &[f64], dimension: usize) -> Vec<Orthant> {
    let signs = |direction: usize| {
        grid.in_memory(&vectors[direction * dimension..(direction + 1) * dimension], 0.0).map(|x| x >= 0.0)
    };
    let of = |number: usize| {
        let wanted = [0, 1, 2].map(|axis| number >> axis & 1 == 0);
        let chosen: Vec<usize> = (0..vectors.len() / dimension).filter(|&k| signs(k) == wanted).collect();
        Orthant { signs: wanted, batches: batches(vectors, dimension, &chosen) }
    };
    (0..8).map(of).filter(|orthant| !orthant.batches.is_empty()).collect()
}

/// Number of parts into which the rows of an image are divided.
fn parts(grid: &Grid, directions: usize, bins: usize) -> usize {
    let entries = directions.saturating_mul(bins).max(1);
    (HISTOGRAMS / entries).clamp(1, PARTS).min(grid.rows())
}

/// The memory plan of the transform of an image of `image` bytes.
///
/// # Errors
/// [`EctError::Directions`]: the number or the dimension of the directions does not suit the image.
pub fn memory_plan(shape: Shape, image: u64, request: &EctRequest) -> Result<MemoryPlan, EctError> {
    let grid = Grid::new(shape, request.construction)?;
    let directions = request.directions.count(shape.dim()).map_err(of_axes(shape))?;
    let of_directions = ("directions", directions::bytes(directions, shape.dim()));
    let values = (directions as u64).saturating_mul(request.bins as u64).saturating_mul(8);
    // Batches of an orthant are full but one.
    let padded = (directions as u64)
        .saturating_add(8 * LANES as u64)
        .saturating_mul(request.bins as u64 + 1)
        .saturating_mul(8);
    let parts = parts(&grid, directions, request.bins) as u64;
    let rows = grid.rows() as u64 * size_of::<Present>() as u64;
    let histograms = ("histograms", parts.saturating_mul(padded));
    let plan = MemoryPlan::new();
    let plan = plan.stage("frame", [("the image", image), of_directions, ("ends of rows", rows)], false);
    let of_transform = [("the image", image), of_directions, histograms, ("the transform", values)];
    Ok(plan.stage("transform", of_transform, false))
}

/// The histograms of the directions of an orthant, of some rows of vertices.
struct Sweep<'a, T> {
    grid: &'a Grid,
    read: Rows<'a, T>,
    orthant: &'a Orthant,
    rows: std::ops::Range<usize>,
    center: [f64; 3],
    scale: Scale,
    stride: usize,
    progress: &'a dyn Progress,
}

/// Vertices whose numbers are not 0.
#[derive(Default)]
struct List {
    /// Coordinates of rows along the other two axes, and where the vertices of each end.
    rows: Vec<([f64; 2], usize)>,
    /// Coordinates along the row, and numbers.
    vertices: Vec<(f64, f64)>,
}

impl<T: Counted> Kernel<u32> for Sweep<'_, T> {
    type Output = Result<Vec<f64>, Refused>;

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> Self::Output {
        let Sweep { grid, read, orthant, rows, center, scale, stride, progress } = self;
        let mut histograms: Vec<f64> =
            memory::zeroed((orthant.batches.len() * LANES).saturating_mul(stride))?;
        let mut around = Around::<T>::new(grid)?;
        let mut sums: Vec<T::Sum> = memory::filled(T::Sum::default(), grid.vertices[2])?;
        let mut list = List::default();
        memory::reserve(&mut list.vertices, LISTED + grid.vertices[2])?;
        let (mut reported, last) = (0, rows.end);
        for row in rows {
            let (z, y) = (row / grid.vertices[1], row % grid.vertices[1]);
            around.read(grid, read, (z, y), orthant.signs);
            around.count(grid, orthant.signs[2], &mut sums);
            let before = list.vertices.len();
            const BLOCK: usize = 16;
            for (block, sums) in sums.chunks(BLOCK).enumerate() {
                if sums.iter().fold(true, |is_zero, &sum| is_zero & (sum == T::Sum::default())) {
                    continue;
                }
                for (x, &sum) in sums.iter().enumerate() {
                    if sum != T::Sum::default() {
                        let x = grid.coordinate(2, block * BLOCK + x) - center[2];
                        list.vertices.push((x, sum.into()));
                    }
                }
            }
            if list.vertices.len() > before {
                let [z, y] = [grid.coordinate(0, z) - center[0], grid.coordinate(1, y) - center[1]];
                list.rows.push(([z, y], list.vertices.len()));
            }
            if list.vertices.len() >= LISTED || row + 1 == last {
                for (batch, histograms) in
                    orthant.batches.iter().zip(histograms.chunks_exact_mut(LANES * stride))
                {
                    list.add(grid, batch, scale, stride, histograms);
                }
                list.rows.clear();
                list.vertices.clear();
            }
            reported += grid.vertices[2];
            if reported >= REPORTED || row + 1 == last {
                progress.advance(reported as u64);
                reported = 0;
            }
        }
        Ok(histograms)
    }
}

impl List {
    /// Adds the vertices to the histograms of a batch of directions.
    #[inline(always)]
    fn add(&self, grid: &Grid, batch: &Batch, scale: Scale, stride: usize, histograms: &mut [f64]) {
        let along = grid.users.map(|axis| axis.map_or([0.0; LANES], |axis| batch.along[axis]));
        // Heights are summed in the order of the user's axes, so that the order in memory has no effect.
        let is_last = grid.users[2] > grid.users[1];
        let (mut all, mut start) = ([[0; LANES]; AT_ONCE], 0);
        for &([z, y], end) in &self.rows {
            let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
            for lane in 0..LANES {
                let (of_z, of_y) = (z * along[0][lane], y * along[1][lane]);
                (first[lane], second[lane]) = if is_last { (of_z + of_y, 0.0) } else { (of_y, of_z) };
            }
            for vertices in self.vertices[start..end].chunks(AT_ONCE) {
                for (&(x, _), bins) in vertices.iter().zip(&mut all) {
                    let mut heights = [0.0; LANES];
                    for lane in 0..LANES {
                        heights[lane] = (first[lane] + x * along[2][lane]) + second[lane];
                    }
                    *bins = scale.bins(heights);
                }
                for (&(_, number), &bins) in vertices.iter().zip(&all) {
                    tally(histograms, stride, bins, number);
                }
            }
            start = end;
        }
    }
}
