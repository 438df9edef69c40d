//! The cubical complex of an image.
//!
//! An image of n₁ × … × n_d voxels has (2n₁ − 1) × … × (2n_d − 1) cells. The coordinates of a cell say what it is: an
//! even one, 2k, is the voxel k on that axis, an odd one, 2k + 1, the interval from voxel k to k + 1. So the dimension
//! is the number of odd coordinates, and the facets of a cell are its neighbours along the axes of those.
//!
//! Sorting is counting: voxels get the rank of their value, and a cell goes to the bucket of the greatest rank of its
//! vertices and its dimension. Within a bucket cells are in the order of their numbers.

use phat_formats::{Dimension, Index};
use rayon::prelude::*;

use super::assembly::{Complex, assemble};
use super::{Filtration, FiltrationError};

/// A complex of this many axes has cells of so many vertices and facets as can still be counted.
const MOST_AXES: usize = 32;

/// The filtration of an image by its values: voxels are vertices, a cell has the greatest value of its vertices.
///
/// `shape` is the number of voxels along each axis, `values` their values, the first axis fastest. Cells above the
/// dimension `upper_dim` are left out.
///
/// # Errors
/// A shape without voxels or of more than 32 axes; not one value a voxel; NaN; more cells or entries than the index
/// type numbers.
pub fn cubical<I: Index>(
    shape: &[usize],
    values: &[f64],
    upper_dim: Option<usize>,
) -> Result<Filtration<I>, FiltrationError> {
    check(shape, values)?;
    let max_dim = upper_dim.map_or(shape.len(), |upper_dim| upper_dim.min(shape.len()));
    let extents = || shape.iter().map(|&voxels| voxels.checked_mul(2)?.checked_sub(1));
    let cells = extents().try_fold(1usize, |product, extent| product.checked_mul(extent?));
    let cells = FiltrationError::check_size::<I>("cells", cells)?;
    let (levels, ranks) = rank::<I>(values);
    let buckets = levels.len().checked_mul(max_dim + 1).and_then(|buckets| buckets.checked_add(1));
    let buckets = FiltrationError::check_size::<I>("pairs of value and dimension", buckets)?;
    let grid = Grid::new(shape);
    let keys = grid.keys(cells, &ranks, max_dim, I::from_usize(buckets - 1));
    let (mut order, position) = sort(&keys, buckets);
    order.truncate(order.partition_point(|cell| keys[cell.to_usize()].to_usize() < buckets - 1));
    let complex = Image { grid, keys, levels, max_dim };
    assemble(&complex, &order, &position, max_dim as Dimension)
}

fn check(shape: &[usize], values: &[f64]) -> Result<(), FiltrationError> {
    if shape.is_empty() || shape.len() > MOST_AXES || shape.contains(&0) {
        return Err(FiltrationError::Shape { shape: shape.to_vec(), most: MOST_AXES });
    }
    let voxels = shape.iter().try_fold(1usize, |product, &voxels| product.checked_mul(voxels));
    if voxels != Some(values.len()) {
        return Err(FiltrationError::Voxels { shape: shape.to_vec(), found: values.len() });
    }
    match values.par_iter().position_first(|value| value.is_nan()) {
        Some(voxel) => Err(FiltrationError::NotANumber { voxel }),
        None => Ok(()),
    }
}

/// The distinct values, ascending, and the place of each voxel's among them.
fn rank<I: Index>(values: &[f64]) -> (Vec<f64>, Vec<I>) {
    // Zeros of either sign are one value.
    let value = |voxel: &I| values[voxel.to_usize()] + 0.0;
    let mut order: Vec<I> = (0..values.len()).map(I::from_usize).collect();
    order.par_sort_unstable_by(|a, b| value(a).total_cmp(&value(b)));
    let mut levels: Vec<f64> = Vec::new();
    let mut ranks = vec![I::default(); values.len()];
    for voxel in &order {
        if levels.last() != Some(&value(voxel)) {
            levels.push(value(voxel));
        }
        ranks[voxel.to_usize()] = I::from_usize(levels.len() - 1);
    }
    (levels, ranks)
}

/// The cells in the order of their keys, equal ones in the order of their numbers, and where each is in it.
fn sort<I: Index>(keys: &[I], buckets: usize) -> (Vec<I>, Vec<I>) {
    let mut next = vec![I::default(); buckets + 1];
    let increment = |count: &mut I| *count = I::from_usize(count.to_usize() + 1);
    for key in keys {
        increment(&mut next[key.to_usize() + 1]);
    }
    for bucket in 0..buckets {
        next[bucket + 1] = I::from_usize(next[bucket].to_usize() + next[bucket + 1].to_usize());
    }
    let mut order = vec![I::default(); keys.len()];
    let mut position = Vec::with_capacity(keys.len());
    for (cell, key) in keys.iter().enumerate() {
        let next = &mut next[key.to_usize()];
        order[next.to_usize()] = I::from_usize(cell);
        position.push(*next);
        increment(next);
    }
    (order, position)
}

/// The cells of an image and how they are numbered.
struct Grid {
    axes: Vec<Axis>,
}

struct Axis {
    /// Cells along it.
    cells: usize,
    /// From a cell to the next along it.
    cell_stride: usize,
    /// From a voxel to the next along it.
    voxel_stride: usize,
}

impl Grid {
    fn new(shape: &[usize]) -> Self {
        let (mut cell_stride, mut voxel_stride) = (1, 1);
        let axis = |&voxels: &usize| {
            let axis = Axis { cells: 2 * voxels - 1, cell_stride, voxel_stride };
            cell_stride *= axis.cells;
            voxel_stride *= voxels;
            axis
        };
        Grid { axes: shape.iter().map(axis).collect() }
    }

    /// Each axis and the coordinate of a cell on it.
    fn coordinates(&self, cell: usize) -> impl Iterator<Item = (&Axis, usize)> {
        let mut rest = cell;
        self.axes.iter().map(move |axis| {
            let coordinate = rest % axis.cells;
            rest /= axis.cells;
            (axis, coordinate)
        })
    }

    /// The bucket of each of the `cells`: by rank and dimension; `above` for those above `max_dim`.
    fn keys<I: Index>(&self, cells: usize, ranks: &[I], max_dim: usize, above: I) -> Vec<I> {
        let mut keys = vec![above; cells];
        let line = self.axes[0].cells;
        keys.par_chunks_mut(line).enumerate().for_each_init(Vec::new, |corners, (number, keys)| {
            let dim = self.corners(number * line, corners);
            let rank = |voxel: usize| corners.iter().map(|corner| ranks[corner + voxel].to_usize()).max();
            for (x, key) in keys.iter_mut().enumerate() {
                let (voxel, dim) = (x / 2, dim + x % 2);
                let rank = if x % 2 == 0 { rank(voxel) } else { rank(voxel).max(rank(voxel + 1)) };
                if let Some(rank) = rank.filter(|_| dim <= max_dim) {
                    *key = I::from_usize(rank * (max_dim + 1) + dim);
                }
            }
        });
        keys
    }

    /// Puts the vertices of a cell whose first coordinate is 0 into `corners`, and gives its dimension.
    fn corners(&self, cell: usize, corners: &mut Vec<usize>) -> usize {
        corners.clear();
        corners.push(0);
        let mut dim = 0;
        for (axis, coordinate) in self.coordinates(cell) {
            let start = coordinate / 2 * axis.voxel_stride;
            corners.iter_mut().for_each(|corner| *corner += start);
            if coordinate % 2 == 1 {
                dim += 1;
                corners.extend_from_within(..);
                let half = corners.len() / 2;
                corners[half..].iter_mut().for_each(|corner| *corner += axis.voxel_stride);
            }
        }
        dim
    }
}

/// The cells of an image with their keys.
struct Image<I> {
    grid: Grid,
    keys: Vec<I>,
    levels: Vec<f64>,
    max_dim: usize,
}

impl<I: Index> Complex for Image<I> {
    fn dim(&self, cell: usize) -> Dimension {
        (self.keys[cell].to_usize() % (self.max_dim + 1)) as Dimension
    }

    fn facet_count(&self, dim: Dimension) -> usize {
        2 * usize::from(dim)
    }

    fn facets(&self, cell: usize, mut each: impl FnMut(usize)) {
        for (axis, coordinate) in self.grid.coordinates(cell) {
            if coordinate % 2 == 1 {
                each(cell - axis.cell_stride);
                each(cell + axis.cell_stride);
            }
        }
    }

    fn value(&self, cell: usize) -> f64 {
        self.levels[self.keys[cell].to_usize() / (self.max_dim + 1)]
    }
}
