//! Persistent homology of images, over Z/2.

mod cavities;
mod cell;
mod components;
mod figures;
pub mod gradient;
pub mod grid;
mod loops;
pub mod plain;
#[cfg(test)]
mod tests;
mod threshold;
pub mod via_matrix;

use rayon::prelude::*;

pub use self::figures::Figures;
use self::figures::Watch;
use self::gradient::Gradient;
use self::grid::Grid;
use super::{Construction, Image, Voxel};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Request {
    /// How the image is made a complex.
    pub construction: Construction,
    /// Whether great values come first. All else, ties included, is as of an image whose values are reversed.
    pub superlevel: bool,
    /// The greatest dimension of classes; one below the number of axes if it is not given, where the last classes live.
    pub max_dim: Option<usize>,
}

/// A class: the places in memory of the voxels with which it is born and dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class {
    /// Where it is born.
    pub birth: usize,
    /// Where it dies; nowhere, if it is essential.
    pub death: Option<usize>,
}

/// The classes of an image, but for those that die at the value they are born at.
///
/// A dimension's are ascending by the place of their births, then of their deaths, in the order of the filtration: by value
/// (descending for superlevel sets), ties by place in memory. Essential ones come after others of the same birth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classes {
    /// The classes of each dimension, from 0 up to the greatest that was asked for and can have any.
    pub dimensions: Vec<Vec<Class>>,
}

/// Why an image has no persistence here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PersistenceError {
    /// More voxels than are numbered.
    #[error("expected an image of at most {most} voxels, found {found}")]
    TooLarge {
        /// Voxels.
        found: usize,
        /// The most.
        most: usize,
    },
}

impl Request {
    /// The number of dimensions whose classes are asked for, of an image with so many axes.
    pub fn dimensions(&self, axes: usize) -> usize {
        self.max_dim.map_or(axes, |max_dim| axes.min(max_dim.saturating_add(1)))
    }
}

/// The classes of an image.
///
/// # Errors
/// [`PersistenceError::TooLarge`]: it has too many voxels.
pub fn persistence<T: Voxel>(image: &Image<T>, request: &Request) -> Result<Classes, PersistenceError> {
    Ok(persistence_with(image, request, Gradient::new, &mut |_| ())?.0)
}

/// The classes of an image, given who finds the gradient, and whoever wants to hear of each stage that begins.
///
/// # Errors
/// [`PersistenceError::TooLarge`]: it has too many voxels.
pub fn persistence_with<T: Voxel>(
    image: &Image<T>,
    request: &Request,
    gradient: impl FnOnce(&Grid) -> Gradient,
    hear: &mut dyn FnMut(&'static str),
) -> Result<(Classes, Figures), PersistenceError> {
    let mut watch = Watch::new(hear);
    watch.begin("order");
    let grid = Grid::new(image, request)?;
    watch.figures.voxels = grid.voxels();
    let asked = request.dimensions(image.shape().dim());
    let mut dimensions = vec![Vec::new(); asked];
    let pairs = pairs(&grid, asked.min(grid.axes()), gradient, &mut watch);
    watch.begin("classes");
    for (classes, pairs) in dimensions.iter_mut().zip(pairs) {
        *classes = classes_of(image, &grid, pairs);
    }
    if let Some(components) = dimensions.first_mut() {
        let first = grid.place(if grid.has_rim() { grid.voxels() as u32 } else { 1 });
        components.insert(0, Class { birth: grid.in_memory(first), death: None });
    }
    watch.end();
    Ok((Classes { dimensions }, watch.figures))
}

/// The pairs of places (birth, death) of each dimension asked for, those of the dual complex read backwards, but for the essential
/// class.
fn pairs(
    grid: &Grid,
    asked: usize,
    gradient: impl FnOnce(&Grid) -> Gradient,
    watch: &mut Watch<'_>,
) -> Vec<Vec<(u32, u32)>> {
    let axes = grid.axes();
    if asked == 0 {
        return Vec::new();
    }
    watch.begin("gradient");
    let gradient = gradient(grid);
    let dual = grid.has_rim();
    // Of the complex whose vertices are voxels, the dimensions from which classes are wanted.
    let (bottom, top) = if dual { (asked == axes, true) } else { (true, asked == axes) };
    let middle = axes == 3 && asked >= 2;
    let mut of_dimension = vec![Vec::new(); axes];
    watch.begin("components");
    let edges = if bottom || middle || axes == 2 { gradient.critical_cells(grid, 1) } else { Vec::new() };
    watch.figures.critical[0] = edges.len();
    let (loops, killers) = if bottom || middle {
        let components = components::components(grid, &gradient, edges);
        of_dimension[0] = components.pairs;
        (components.loops, components.killers)
    } else {
        (edges, Vec::new())
    };
    watch.begin("cavities");
    if axes == 2 && top {
        of_dimension[1] = cavities::cavities(grid, &gradient, loops).pairs;
    } else if axes == 3 && (top || middle) {
        let faces = gradient.critical_cells(grid, 2);
        watch.figures.critical[1] = faces.len();
        let cavities = cavities::cavities(grid, &gradient, faces);
        of_dimension[2] = cavities.pairs;
        if middle {
            watch.begin("loops");
            of_dimension[1] =
                loops::loops(grid, &gradient, &loops, &killers, &cavities.open, &mut watch.figures);
        }
    }
    if dual {
        of_dimension.reverse();
    }
    of_dimension.truncate(asked);
    of_dimension
}

/// The classes of a dimension by pairs of places on the grid.
fn classes_of<T: Voxel>(image: &Image<T>, grid: &Grid, pairs: Vec<(u32, u32)>) -> Vec<Class> {
    let mut words: Vec<u64> = pairs
        .into_par_iter()
        .map(|(birth, death)| {
            let (birth, death) = (grid.rank(birth as usize), grid.rank(death as usize));
            // Read backwards, what dies is born and what is born dies.
            let (birth, death) = if grid.has_rim() {
                let last = grid.voxels() as u32 + 1;
                (last - death, last - birth)
            } else {
                (birth, death)
            };
            u64::from(birth) << 32 | u64::from(death)
        })
        .collect();
    words.par_sort_unstable();
    let place = |rank: u32| {
        let rank = if grid.has_rim() { grid.voxels() as u32 + 1 - rank } else { rank };
        grid.in_memory(grid.place(rank))
    };
    let class = |word: u64| {
        let (birth, death) = (place((word >> 32) as u32), place(word as u32));
        let differ = image.voxels()[birth].key() != image.voxels()[death].key();
        differ.then_some(Class { birth, death: Some(death) })
    };
    words.into_par_iter().filter_map(class).collect()
}
