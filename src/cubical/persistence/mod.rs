//! Persistent homology of images, over Z/2.
//!
//! | stage | source | module |
//! |---|---|---|
//! | voxels in order | — | `order`, [`grid`] |
//! | a matching of each lower star | Robins, Wood, Sheppard 2011 | [`gradient`] |
//! | dimension 0 | Kruskal; Delgado-Friedrichs, Robins, Sheppard 2015 | `components` |
//! | the top dimension, by duality | the same | `cavities` |
//! | dimension 1 of space | Morozov, Nigmetov 2020 | `loops` |
//! | the oracle: every cell, standard column algorithm | Edelsbrunner, Letscher, Zomorodian 2002 | [`plain`] |
//!
//! # Owners
//!
//! Take the V-construction. A cell enters with the last of its voxels, by value, ties by place in memory: its *owner*. The cells that
//! a voxel owns, its *lower star*, enter together. So the complexes of the first k voxels are a filtration with one step a voxel, and
//! a class that lives between steps has a voxel at which it is born and one at which it dies. In whatever order cells enter within a
//! star, those are the same: a method may choose the order, or a matching within each star, to suit itself, and all methods agree.
//!
//! # Both constructions are one
//!
//! The cells of the T-construction are those of a grid whose vertices are voxels, turned round: its top cells are voxels, its vertices are
//! the cubes between them, those at the border of the image included. So its filtration read backwards is that of a V-construction of the
//! image with a *rim* of one voxel around it, in the opposite order, relative to the rim. A pair of dimension k, born with voxel x,
//! killed by y, is there a pair of dimension d − 1 − k that y begins and x ends (Bleile, Garin, Heiss, Maggs, Robins
//! 2022; de Silva, Morozov, Vejdemo-Johansson 2011). The rim's own cells are left out: it is one vertex, older than all. The
//! essential class is that of the first voxel, in both.
//!
//! # From cells to voxels
//!
//! No cell is listed. A code of 16 bits a voxel says how its lower star is matched, and only cells left over, critical ones,
//! matter. Critical edges that join components are settled by union-find, and so, from above, are critical facets of top cells; that is all
//! there is in the plane. In space what is left are as many critical edges as faces, which alone are reduced.
//!
//! Memory is the ranks and places of voxels and their codes, ten bytes a voxel, and critical cells and columns.

mod cavities;
mod cell;
mod components;
mod figures;
mod forest;
pub mod gradient;
pub mod grid;
mod loops;
pub mod machine;
mod order;
pub mod plain;
#[cfg(test)]
mod tests;
mod threshold;
pub mod via_matrix;
mod words;

use rayon::prelude::*;

use self::cell::Cell;
pub use self::figures::Figures;
use self::figures::Watch;
use self::forest::Joined;
use self::gradient::{Critical, Gradient};
use self::grid::{Grid, Layout};
pub use self::machine::{MachineError, persistence_by};
use super::{Construction, Image, Shape, Voxel};
use crate::memory::{self, Refused};
use crate::progress::Progress;

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
    #[error(
        "expected an image that takes fewer than {most} places with a rim around it, found {} voxels of {shape}; \
         it has to be cropped or downsampled (`lacuna ecc` takes images of any size)", shape.count()
    )]
    TooLarge {
        /// The image.
        shape: Shape,
        /// Places, the rim included, that are too many.
        most: usize,
    },
    /// There is not memory enough.
    #[error(transparent)]
    Memory(#[from] Refused),
}

/// Bytes that a place on the grid takes while voxels are put in order, which is when it takes most: a word, its bucket and the place; later
/// these are the rank, the place and the code, and critical cells, of which smooth images have few.
const BYTES_OF_PLACE: u64 = 16;

/// Whether images of this shape can have their classes found, before they are read.
///
/// # Errors
/// [`PersistenceError::TooLarge`]: they take 2^30 places or more.
pub fn check(shape: Shape) -> Result<(), PersistenceError> {
    Layout::new(shape).map(drop)
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
/// [`PersistenceError`]: it takes 2^30 places or more, or more memory than there is.
pub fn persistence<T: Voxel>(image: &Image<T>, request: &Request) -> Result<Classes, PersistenceError> {
    let mut gradient =
        |grid: &Grid, progress: &dyn Progress| Ok::<_, PersistenceError>(Gradient::new(grid, progress));
    Ok(persistence_with(image, request, &mut gradient, &())?.0)
}

/// The classes of an image, given who finds the gradient, and whoever wants to hear of the stages.
///
/// Who finds the gradient tells of the stage `gradient` itself, as only it knows whether its work can be counted.
///
/// # Errors
/// [`PersistenceError`]: it takes 2^30 places or more, or more memory than there is. And whatever keeps the gradient from being
/// found.
pub fn persistence_with<T: Voxel, E: From<PersistenceError>>(
    image: &Image<T>,
    request: &Request,
    gradient: &mut dyn FnMut(&Grid, &dyn Progress) -> Result<Gradient, E>,
    progress: &dyn Progress,
) -> Result<(Classes, Figures), E> {
    let mut watch = Watch::new(progress);
    watch.begin("order", grid::WORK_OF_VOXEL * image.shape().count() as u64);
    let places = Layout::new(image.shape())?.places() as u64;
    memory::probe(places * BYTES_OF_PLACE).map_err(PersistenceError::from)?;
    let grid = Grid::new(image, request, progress)?;
    let asked = request.dimensions(image.shape().dim());
    let gradient = if asked.min(grid.axes()) == 0 {
        None
    } else {
        watch.time("gradient");
        Some(gradient(&grid, progress)?)
    };
    let classes = classes(&grid, asked, gradient, &mut watch)?;
    Ok((classes, watch.figures))
}

/// The classes of the dimensions asked for. All that depends on the type of the voxels is behind us.
fn classes(
    grid: &Grid,
    asked: usize,
    gradient: Option<Gradient>,
    watch: &mut Watch<'_>,
) -> Result<Classes, PersistenceError> {
    watch.figures.voxels = grid.voxels();
    let mut dimensions = vec![Vec::new(); asked];
    let pairs = pairs(grid, asked.min(grid.axes()), gradient, watch)?;
    watch.begin("classes", 1);
    for (classes, pairs) in dimensions.iter_mut().zip(pairs) {
        *classes = classes_of(grid, pairs);
    }
    if let Some(components) = dimensions.first_mut() {
        let first = grid.place(if grid.has_rim() { grid.voxels() as u32 } else { 1 });
        components.insert(0, Class { birth: grid.in_memory(first), death: None });
    }
    watch.end();
    Ok(Classes { dimensions })
}

/// The pairs of each dimension asked for but for the essential class: ranks of births and deaths on the grid, in the order, or the
/// opposite one, of what is a birth in the image.
fn pairs(
    grid: &Grid,
    asked: usize,
    gradient: Option<Gradient>,
    watch: &mut Watch<'_>,
) -> Result<Vec<Vec<(u32, u32)>>, PersistenceError> {
    let axes = grid.axes();
    let Some(gradient) = gradient else { return Ok(Vec::new()) };
    watch.begin("critical cells", gradient::WORK_OF_VOXEL * grid.voxels() as u64);
    // In the dual complex, classes of the last dimension are those of the first here.
    let dual = grid.has_rim();
    let has_middle = axes == 3 && asked >= 2;
    let has_bottom = asked == axes || !dual || has_middle;
    let has_top = axes > 1 && (asked == axes || dual || has_middle);
    let wanted = [has_bottom, has_bottom || has_top && axes == 2, has_top && axes == 3, has_top];
    let Critical { minima, edges, faces, mut maxima } =
        gradient.critical_cells(grid, wanted, watch.progress)?;
    watch.figures.critical = [minima.len(), edges.len(), faces.len(), maxima.len()];

    watch.begin("components and cavities", 1);
    let (bottom, (facets, top)) = rayon::join(
        || has_bottom.then(|| components::components(grid, &gradient, &minima, &edges)),
        || {
            let mut facets = if axes == 2 { edges.clone() } else { faces };
            facets.reverse();
            maxima.reverse();
            let top = has_top.then(|| cavities::cavities(grid, &gradient, &maxima, &facets));
            (facets, top)
        },
    );
    let mut of_dimension = vec![Vec::new(); axes];
    let of_bottom = |joined: &Joined| {
        let pair = |(node, edge): (u32, Cell)| (minima[node as usize - 1], edge.rank());
        if dual {
            joined.by_edge(&edges).map(pair).collect()
        } else {
            joined.by_node(minima.len(), &edges).into_iter().map(pair).collect()
        }
    };
    let of_top = |joined: &Joined| {
        let pair = |(node, facet): (u32, Cell)| (facet.rank(), maxima[node as usize - 1]);
        if dual {
            joined.by_node(maxima.len(), &facets).into_iter().map(pair).collect()
        } else {
            joined.by_edge(&facets).map(pair).collect()
        }
    };
    let (first, last) = rayon::join(|| bottom.as_ref().map(of_bottom), || top.as_ref().map(of_top));
    // In one dimension there is one kind of pairs.
    for (dim, pairs) in [(axes - 1, last), (0, first)] {
        if let Some(pairs) = pairs {
            of_dimension[dim] = pairs;
        }
    }
    drop((minima, maxima));
    if let (Some(bottom), Some(top), true) = (bottom, top, has_middle) {
        watch.time("loops");
        let (killers, loops) = bottom.split(&edges);
        let (_, mut open) = top.split(&facets);
        drop((edges, facets, bottom, top));
        open.reverse();
        let numbers = loops::loops(grid, &gradient, &loops, &killers, &open, watch);
        let pair = |(edge, number): (&Cell, &u32)| (edge.rank(), open[*number as usize].rank());
        of_dimension[1] = if dual {
            let mut edges = vec![0; open.len()];
            for (edge, &number) in loops.iter().zip(&numbers) {
                edges[number as usize] = edge.rank();
            }
            edges.into_iter().zip(&open).map(|(edge, face)| (edge, face.rank())).collect()
        } else {
            loops.iter().zip(&numbers).map(pair).collect()
        };
    }
    if dual {
        of_dimension.reverse();
    }
    of_dimension.truncate(asked);
    Ok(of_dimension)
}

/// The classes of a dimension by pairs of ranks on the grid, births in the order of the image or the opposite one.
fn classes_of(grid: &Grid, mut pairs: Vec<(u32, u32)>) -> Vec<Class> {
    if grid.has_rim() {
        // What dies in the dual complex is born in that of the image; the order is the opposite one.
        let mirrored = |rank: u32| grid.voxels() as u32 + 1 - rank;
        pairs.par_iter_mut().for_each(|pair| *pair = (mirrored(pair.1), mirrored(pair.0)));
    }
    if pairs.first().map(|pair| pair.0) > pairs.last().map(|pair| pair.0) {
        pairs.reverse();
    }
    for of_voxel in pairs.chunk_by_mut(|a, b| a.0 == b.0) {
        of_voxel.sort_unstable();
    }
    let on_grid = |rank: u32| if grid.has_rim() { grid.voxels() as u32 + 1 - rank } else { rank };
    let is_class = |&(birth, death): &(u32, u32)| !grid.are_equal(on_grid(birth), on_grid(death));
    if !pairs.par_iter().with_min_len(1 << 12).all(is_class) {
        pairs = pairs.into_par_iter().filter(is_class).collect();
    }
    let place = |rank: u32| grid.in_memory(grid.place(on_grid(rank)));
    let class = |(birth, death)| Class { birth: place(birth), death: Some(place(death)) };
    pairs.into_par_iter().with_min_len(1 << 12).map(class).collect()
}
