//! The cubical complex of an image in DIPHA's order: voxels are ranked by value, and equal values have equal ranks.

use phat_formats::Index;

use super::boundary_matrix::sorted;
use super::cubical_grid::{self, Line, filter};
use super::{ComplexError, WeightedBoundaryMatrix};
use crate::cubical::{Construction, Voxel};
use crate::input::{Place, Problem};
use crate::parallel;
use crate::progress::Progress;

/// Maximum number of axes: the number of vertices of a cell, 2^32, can still be counted.
const MOST_AXES: usize = 32;

/// Builds the filtration of an image by its values: voxels are vertices, and a cell has the greatest value of its
/// vertices.
///
/// `shape` is the number of voxels along each axis; `values` are the values of the voxels, the first axis fastest.
/// Cells above the dimension `upper_dim` are left out.
///
/// # Errors
/// A shape without voxels or with more than 32 axes; different numbers of values and voxels; NaN; more cells or
/// entries than the index type can number.
pub fn cubical_complex<I: Index>(
    shape: &[usize],
    values: &[f64],
    upper_dim: Option<usize>,
) -> Result<WeightedBoundaryMatrix<I>, ComplexError> {
    cubical_complex_watched(shape, values, upper_dim, &())
}

/// Like [`cubical_complex`], but reports to `progress`, which may unwind.
///
/// # Errors
/// The errors of [`cubical_complex`].
pub(crate) fn cubical_complex_watched<I: Index>(
    shape: &[usize],
    values: &[f64],
    upper_dim: Option<usize>,
    progress: &dyn Progress,
) -> Result<WeightedBoundaryMatrix<I>, ComplexError> {
    check(shape, values)?;
    // An image that is too large is refused before any sorting.
    let axes: Vec<Line> = shape.iter().map(|&voxels| Line { voxels, is_periodic: false }).collect();
    cubical_grid::cells::<I>(Construction::V, &axes)?;
    let (levels, ranks) = rank::<I>(values);
    let filtered = filter(Construction::V, &axes, &ranks, levels.len(), upper_dim, progress)?;
    let values = filtered.levels(|rank| levels[rank]);
    Ok(WeightedBoundaryMatrix { matrix: filtered.matrix, values, max_dim: filtered.max_dim })
}

fn check(shape: &[usize], values: &[f64]) -> Result<(), ComplexError> {
    if shape.is_empty() || shape.len() > MOST_AXES || shape.contains(&0) {
        let expected = format!("an image with at least one voxel along each of 1 to {MOST_AXES} axes");
        return Err(ComplexError::new(expected, format!("shape {shape:?}")));
    }
    let voxels = shape.iter().try_fold(1usize, |product, &voxels| product.checked_mul(voxels));
    if voxels != Some(values.len()) {
        let expected = format!("a value for each voxel of an image of shape {shape:?}");
        return Err(ComplexError::new(expected, values.len().to_string()));
    }
    match parallel::position(values.len(), |voxel| values[voxel].is_nan()) {
        Some(voxel) => Err(Problem::new(Place::Named(format!("voxel {voxel}")), "a number", "NaN").into()),
        None => Ok(()),
    }
}

/// The distinct values, ascending, and for each voxel the index of its value.
fn rank<I: Index>(values: &[f64]) -> (Vec<f64>, Vec<I>) {
    // Zeros of either sign are one value.
    let value = |voxel: usize| values[voxel] + 0.0;
    let order = sorted(parallel::table(values.len(), |k| (value(k).key(), I::from_usize(k))));
    let mut levels: Vec<f64> = Vec::new();
    let mut ranks = vec![I::default(); values.len()];
    for voxel in order.into_iter().map(I::to_usize) {
        if levels.last() != Some(&value(voxel)) {
            levels.push(value(voxel));
        }
        ranks[voxel] = I::from_usize(levels.len() - 1);
    }
    (levels, ranks)
}
