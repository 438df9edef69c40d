//! The oracle: every direction builds the filtration cell by cell.

use super::complex::EmbeddedComplex;
use super::error::EctError;
use super::request::{Center, Ect, EctRequest, smooth};
use crate::cubical::plain_cells::{PlainCells, dim};
use crate::cubical::{AnyImage, Construction};

/// A cell: its dimension, the coordinates of its vertices, and its weight.
type Cell = (usize, Vec<Vec<f64>>, f64);

/// The transform of an image, whose complex is listed first.
///
/// # Errors
/// [`EctError`]: the request is invalid or does not suit the image.
pub fn of_image(image: &AnyImage, request: &EctRequest) -> Result<Ect, EctError> {
    let shape = image.shape();
    shape.check_three()?;
    let extents = shape.four_extents();
    let (dimension, is_v) = (shape.dim(), request.construction == Construction::V);
    let middle = extents.map(|extent| (extent - usize::from(is_v)) as f64 / 2.0);
    let mut all: Vec<Cell> = Vec::new();
    let cells = PlainCells::new(extents, dimension, request.construction);
    for cell in cells.all() {
        let around = cells.voxels(cell);
        let values: Vec<f64> =
            around.iter().map(|&place| image.value(place)).filter(|&value| value != 0.0).collect();
        let is_there = if is_v { values.len() == around.len() } else { !values.is_empty() };
        if !is_there {
            continue;
        }
        // Along an axis in which the cell extends, which has an odd coordinate, it has a vertex at either end.
        let mut vertices = vec![Vec::new()];
        for axis in 4 - dimension..4 {
            let ends = if cell[axis] % 2 == 1 { vec![0, 1] } else { vec![0] };
            let longer = |vertex: Vec<f64>| {
                let at = |end: &usize| (cell[axis] / 2 + end) as f64 - middle[axis];
                ends.iter().map(|end| [&vertex[..], &[at(end)]].concat()).collect::<Vec<_>>()
            };
            vertices = vertices.into_iter().flat_map(longer).collect();
        }
        for vertex in &mut vertices {
            *vertex =
                shape.users([0, 1, 2, 3].map(|axis: usize| {
                    if axis < 4 - dimension { 0.0 } else { vertex[axis + dimension - 4] }
                }));
        }
        let greatest = values.into_iter().fold(f64::MIN, f64::max);
        all.push((dim(&cell), vertices, if request.weighted { greatest } else { 1.0 }));
    }
    transform(dimension, &all, request)
}

/// The transform of a complex.
///
/// # Errors
/// [`EctError`]: the request is invalid or does not suit the complex.
pub fn of_complex(complex: &EmbeddedComplex, request: &EctRequest) -> Result<Ect, EctError> {
    let dimension = complex.dimension();
    let points: Vec<Vec<f64>> = complex.coordinates().chunks_exact(dimension).map(<[f64]>::to_vec).collect();
    let vertices =
        points.iter().enumerate().map(|(vertex, point)| (0, vec![point.clone()], complex.weight(vertex)));
    // Weights already have their signs.
    let others = complex.each_cell().map(|(cell, weight)| {
        (0, cell.iter().map(|&vertex| points[vertex as usize].clone()).collect(), weight)
    });
    transform(dimension, &vertices.chain(others).collect::<Vec<Cell>>(), request)
}

fn transform(dimension: usize, cells: &[Cell], request: &EctRequest) -> Result<Ect, EctError> {
    request.check()?;
    let directions = request.directions.unit_vectors(dimension)?;
    let vertices: Vec<&Vec<f64>> =
        cells.iter().filter(|(_, v, _)| v.len() == 1).map(|(_, v, _)| &v[0]).collect();
    let center: Vec<f64> = (0..dimension)
        .map(|axis| {
            let along = || vertices.iter().map(|vertex| vertex[axis]);
            match request.center {
                _ if vertices.is_empty() => 0.0,
                Center::Origin => 0.0,
                Center::Mean => along().sum::<f64>() / vertices.len() as f64,
                Center::Box => (along().fold(f64::MAX, f64::min) + along().fold(f64::MIN, f64::max)) / 2.0,
            }
        })
        .collect();
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let moved = |vertex: &[f64]| vertex.iter().zip(&center).map(|(x, c)| x - c).collect::<Vec<f64>>();
    let distance = |vertex: &&Vec<f64>| product(&moved(vertex), &moved(vertex)).sqrt();
    let farthest = vertices.iter().map(distance).fold(0.0, f64::max);
    let radius = request.radius.unwrap_or(farthest);
    let samples = samples(request, radius);
    let mut values = Vec::new();
    for direction in directions.chunks_exact(dimension) {
        let height = |vertex: &Vec<f64>| product(&moved(vertex), direction);
        let heights: Vec<f64> = cells
            .iter()
            .map(|(_, vertices, _)| vertices.iter().map(height).fold(f64::MIN, f64::max))
            .collect();
        let mut row: Vec<f64> = Vec::new();
        for &sample in &samples {
            let entered = cells.iter().zip(&heights).filter(|&(_, &height)| height <= sample);
            row.push(entered.map(|((dim, _, weight), _)| if dim % 2 == 0 { *weight } else { -weight }).sum());
        }
        if request.smooth {
            smooth(&mut row);
        }
        values.extend(row);
    }
    Ok(Ect { dimension, directions, bins: request.bins, radius, center, values })
}

/// The samples. The last one is beyond what the rounding of heights adds to the radius, unless it is given.
fn samples(request: &EctRequest, radius: f64) -> Vec<f64> {
    let last = request.bins - 1;
    // All heights are 0 if the radius is, and any other samples have the same values.
    let radius = if radius == 0.0 { 1.0 } else { radius };
    let at = |k: usize| match k {
        _ if k == last => radius,
        0 => -radius,
        _ => (k as f64 - last as f64 / 2.0) * (2.0 * radius / last as f64),
    };
    let mut samples: Vec<f64> = (0..=last).map(at).collect();
    if request.radius.is_none() {
        samples[last] = f64::INFINITY;
    }
    samples
}
