//! Classes by the discrete gradient: voxels in order, a matching of each lower star, critical cells, and which of them are pairs.

use rayon::prelude::*;

use super::cell::Cell;
use super::classes::{Class, Classes};
use super::duality::Complex;
use super::error::PersistenceError;
use super::figures::{Figures, StageClock};
use super::forest::Joined;
use super::gradient::{self, Critical, Gradient};
use super::grid::{self, Grid};
use super::layout::GridLayout;
use super::request::PersistenceRequest;
use super::{cavities, components, loops};
use crate::cubical::image::{Image, Voxel};
use crate::cubical::shape::Shape;
use crate::memory;
use crate::progress::Progress;

/// Bytes that a place on the grid takes while voxels are put in order, which is when it takes most: a word, its bucket and the place; later
/// these are the rank, the place and the code, and critical cells, of which smooth images have few.
const BYTES_OF_PLACE: u64 = 16;

/// Who finds the gradient of a grid. It tells of the stage `gradient` itself, as only it knows whether its work can be counted.
pub type FindGradient<'a, E> = dyn FnMut(&Grid, &dyn Progress) -> Result<Gradient, E> + 'a;

/// The classes of an image, found by the processor.
///
/// # Errors
/// [`PersistenceError`]: it takes 2^30 places or more, or more memory than there is.
pub fn persistence<T: Voxel>(
    image: &Image<T>,
    request: &PersistenceRequest,
) -> Result<Classes, PersistenceError> {
    let mut gradient =
        |grid: &Grid, progress: &dyn Progress| Ok::<_, PersistenceError>(Gradient::new(grid, progress));
    Ok(persistence_with(image, request, &mut gradient, &())?.0)
}

/// The classes of an image, with a gradient that the caller finds; `progress` is told of the stages.
///
/// # Errors
/// [`PersistenceError`]: it takes 2^30 places or more, or more memory than there is. And whatever keeps the gradient from being
/// found.
pub fn persistence_with<T: Voxel, E: From<PersistenceError>>(
    image: &Image<T>,
    request: &PersistenceRequest,
    gradient: &mut FindGradient<'_, E>,
    progress: &dyn Progress,
) -> Result<(Classes, Figures), E> {
    let mut clock = StageClock::new(progress);
    check_memory(image.shape(), &mut clock)?;
    let grid = Grid::new(image, request, progress)?;
    let asked = request.dimensions(image.shape().dim());
    let classes = solve(&grid, asked, gradient, &mut clock)?;
    Ok((classes, clock.figures))
}

/// Begins the stage in which voxels are put in order, for which there must be memory.
fn check_memory(shape: Shape, clock: &mut StageClock<'_>) -> Result<(), PersistenceError> {
    clock.begin("order", grid::WORK_OF_VOXEL * shape.count() as u64);
    let places = GridLayout::new(shape)?.places() as u64;
    Ok(memory::probe(places * BYTES_OF_PLACE)?)
}

/// The classes of the first `asked` dimensions. Nothing from here on depends on the type of the voxels.
fn solve<E: From<PersistenceError>>(
    grid: &Grid,
    asked: usize,
    gradient: &mut FindGradient<'_, E>,
    clock: &mut StageClock<'_>,
) -> Result<Classes, E> {
    clock.figures.voxels = grid.voxels();
    // An image of one voxel has no axes, and no class but the essential one.
    let dimensions = asked.min(grid.axes());
    let mut pairs = Vec::new();
    if dimensions > 0 {
        clock.time("gradient");
        let gradient = gradient(grid, clock.progress)?;
        pairs = pairs_of(grid, dimensions, &gradient, clock)?;
    }
    clock.begin("classes", 1);
    let mut classes = vec![Vec::new(); asked];
    for (classes, pairs) in classes.iter_mut().zip(pairs) {
        *classes = classes_of(grid, pairs);
    }
    if let Some(components) = classes.first_mut() {
        let first = grid.place(grid.complex().first_of_image(grid.voxels() as u32));
        components.insert(0, Class { birth: grid.in_memory(first), death: None });
    }
    clock.end();
    Ok(Classes { dimensions: classes })
}

/// Births and deaths as ranks on the grid, in the order, or the opposite one, of what is a birth in the image.
type Pairs = Vec<(u32, u32)>;

/// The stages that the dimensions asked for take, by the dimensions on the grid that they settle.
#[derive(Debug, Clone, Copy)]
struct Stages {
    /// Dimension 0: critical edges join components.
    components: bool,
    /// The last dimension, where there is more than one: critical facets of top cells part cavities.
    cavities: bool,
    /// Dimension 1 of space, for which the others say which critical cells are open.
    loops: bool,
}

impl Stages {
    fn new(complex: Complex, asked: usize, axes: usize) -> Self {
        let dimensions = complex.dimensions(asked, axes);
        let loops = axes == 3 && dimensions.contains(&1);
        Stages {
            components: loops || dimensions.contains(&0),
            cavities: axes > 1 && (loops || dimensions.contains(&(axes - 1))),
            loops,
        }
    }

    /// Which critical cells they take: voxels, edges, faces, and the cells of the grid's dimension.
    fn critical_cells(self, axes: usize) -> [bool; 4] {
        let Stages { components, cavities, .. } = self;
        [components, components || cavities && axes == 2, cavities && axes == 3, cavities]
    }
}

/// The pairs of each of the first `asked` dimensions of the image, but for the essential class.
fn pairs_of(
    grid: &Grid,
    asked: usize,
    gradient: &Gradient,
    clock: &mut StageClock<'_>,
) -> Result<Vec<Pairs>, PersistenceError> {
    let (axes, complex) = (grid.axes(), grid.complex());
    let stages = Stages::new(complex, asked, axes);
    clock.begin("critical cells", gradient::WORK_OF_VOXEL * grid.voxels() as u64);
    let critical = gradient.critical_cells(grid, stages.critical_cells(axes), clock.progress)?;
    let Critical { minima, edges, faces, maxima } = critical;
    clock.figures.critical = [minima.len(), edges.len(), faces.len(), maxima.len()];

    clock.begin("components and cavities", 1);
    let (joined, top) = rayon::join(
        || stages.components.then(|| components::components(grid, gradient, &minima, &edges)),
        || {
            let facets = if axes == 2 { edges.clone() } else { faces };
            stages.cavities.then(|| Top::new(grid, gradient, maxima, facets))
        },
    );
    let bottom = joined.map(|joined| Bottom { minima, edges, joined });
    let (first, last) = rayon::join(
        || bottom.as_ref().map(|bottom| bottom.pairs(complex)),
        || top.as_ref().map(|top| top.pairs(complex)),
    );
    let mut of_dimension = vec![Vec::new(); axes];
    // On a line the first dimension is the last, and what there is are components.
    for (dim, pairs) in [(axes - 1, last), (0, first)] {
        if let Some(pairs) = pairs {
            of_dimension[dim] = pairs;
        }
    }
    if let (Some(bottom), Some(top), true) = (bottom, top, stages.loops) {
        clock.time("loops");
        let ((killers, births), deaths) = (bottom.split(), top.open());
        let numbers = loops::loops(grid, gradient, &births, &killers, &deaths, clock);
        of_dimension[1] = pairs_of_loops(complex, &births, &deaths, &numbers);
    }
    let dimensions = complex.dimensions(asked, axes);
    let mut asked: Vec<Pairs> = of_dimension.drain(dimensions).collect();
    if complex.is_reversed() {
        asked.reverse();
    }
    Ok(asked)
}

/// Components: minima, and the critical edges that join them.
struct Bottom {
    minima: Vec<u32>,
    edges: Vec<Cell>,
    joined: Joined,
}

impl Bottom {
    fn pairs(&self, complex: Complex) -> Pairs {
        let Bottom { minima, edges, joined } = self;
        let pair = |(node, edge): (u32, Cell)| (minima[node as usize - 1], edge.rank());
        match complex {
            Complex::Primal => joined.by_node(minima.len(), edges).into_iter().map(pair).collect(),
            Complex::Dual => joined.by_edge(edges).map(pair).collect(),
        }
    }

    /// The edges that join components, and those that close loops.
    fn split(self) -> (Vec<Cell>, Vec<Cell>) {
        let Bottom { minima, edges, joined } = self;
        drop(minima);
        joined.split(&edges)
    }
}

/// Cavities: the critical cells of the grid's dimension, and the critical facets between them, both in the opposite order.
struct Top {
    maxima: Vec<u32>,
    facets: Vec<Cell>,
    joined: Joined,
}

impl Top {
    /// Critical cells are given in order.
    fn new(grid: &Grid, gradient: &Gradient, mut maxima: Vec<u32>, mut facets: Vec<Cell>) -> Self {
        maxima.reverse();
        facets.reverse();
        let joined = cavities::cavities(grid, gradient, &maxima, &facets);
        Top { maxima, facets, joined }
    }

    fn pairs(&self, complex: Complex) -> Pairs {
        let Top { maxima, facets, joined } = self;
        let pair = |(node, facet): (u32, Cell)| (facet.rank(), maxima[node as usize - 1]);
        match complex {
            Complex::Primal => joined.by_edge(facets).map(pair).collect(),
            Complex::Dual => joined.by_node(maxima.len(), facets).into_iter().map(pair).collect(),
        }
    }

    /// The faces that close no cavity, in order.
    fn open(self) -> Vec<Cell> {
        let Top { maxima, facets, joined } = self;
        drop(maxima);
        let (_, mut open) = joined.split(&facets);
        open.reverse();
        open
    }
}

/// The pairs of edges that close loops with the faces that fill them, whose numbers are given edge by edge.
fn pairs_of_loops(complex: Complex, births: &[Cell], deaths: &[Cell], numbers: &[u32]) -> Pairs {
    match complex {
        Complex::Primal => {
            let pair = |(edge, &number): (&Cell, &u32)| (edge.rank(), deaths[number as usize].rank());
            births.iter().zip(numbers).map(pair).collect()
        }
        Complex::Dual => {
            let mut edges = vec![0; deaths.len()];
            for (edge, &number) in births.iter().zip(numbers) {
                edges[number as usize] = edge.rank();
            }
            edges.into_iter().zip(deaths).map(|(edge, face)| (edge, face.rank())).collect()
        }
    }
}

/// The classes of a dimension of the image, by pairs of ranks on the grid.
fn classes_of(grid: &Grid, mut pairs: Pairs) -> Vec<Class> {
    let (complex, voxels) = (grid.complex(), grid.voxels() as u32);
    if complex.is_reversed() {
        pairs.par_iter_mut().for_each(|pair| *pair = complex.pair_of_image(*pair, voxels));
    }
    if pairs.first().map(|pair| pair.0) > pairs.last().map(|pair| pair.0) {
        pairs.reverse();
    }
    for of_voxel in pairs.chunk_by_mut(|a, b| a.0 == b.0) {
        of_voxel.sort_unstable();
    }
    let on_grid = |rank: u32| complex.mirrored(rank, voxels);
    let is_class = |&(birth, death): &(u32, u32)| !grid.are_equal(on_grid(birth), on_grid(death));
    if !pairs.par_iter().with_min_len(1 << 12).all(is_class) {
        pairs = pairs.into_par_iter().filter(is_class).collect();
    }
    let place = |rank: u32| grid.in_memory(grid.place(on_grid(rank)));
    let class = |(birth, death)| Class { birth: place(birth), death: Some(place(death)) };
    pairs.into_par_iter().with_min_len(1 << 12).map(class).collect()
}
