//! Persistent homology by the discrete gradient: voxel order, matching of lower stars, critical cells, pairing.

use rayon::prelude::*;

use super::cell::Cell;
use super::classes::{Class, Classes};
use super::duality::Complex;
use super::error::PersistenceError;
use super::expected::Asked;
use super::figures::{Figures, StageClock};
use super::footprint::BYTES_OF_PLACE;
use super::forest::Joined;
use super::gradient::{self, Critical, Gradient};
use super::grid::{self, Grid};
use super::layout::GridLayout;
use super::loops::{self, Columns, OfDual, OfGrid};
use super::representatives::Trace;
use super::request::PersistenceRequest;
use super::{cavities, components};
use crate::cubical::image::{Image, Voxel};
use crate::cubical::shape::Shape;
use crate::memory;
use crate::progress::Progress;
use crate::snapshot::SnapshotError;

/// Computes the gradient of a grid. It begins the progress stage `gradient` itself, since only it knows whether its
/// work can be counted.
pub type FindGradient<'a, E> = dyn FnMut(&Grid, &dyn Progress) -> Result<Gradient, E> + 'a;

/// Computes the classes of an image on the CPU.
///
/// # Errors
/// [`PersistenceError`]: the image needs 2^30 places or more, or more memory than is available.
pub fn persistence<T: Voxel>(
    image: &Image<T>,
    request: &PersistenceRequest,
) -> Result<Classes, PersistenceError> {
    let mut gradient =
        |grid: &Grid, progress: &dyn Progress| Ok::<_, PersistenceError>(Gradient::new(grid, progress));
    Ok(persistence_with(image, request, &mut gradient, &())?.0)
}

/// Computes the classes of an image with a gradient computed by the caller, reporting stages to `progress`.
///
/// # Errors
/// [`PersistenceError`]: the image needs 2^30 places or more, or more memory than there is. Also errors of `gradient`.
pub fn persistence_with<T: Voxel, E: From<PersistenceError>>(
    image: &Image<T>,
    request: &PersistenceRequest,
    gradient: &mut FindGradient<'_, E>,
    progress: &dyn Progress,
) -> Result<(Classes, Figures), E> {
    let (classes, figures, _) = find(image, request, gradient, progress, false)?;
    Ok((classes, figures))
}

/// Like [`persistence_with`], but also returns the trace from which representatives are computed.
///
/// # Errors
/// The errors of [`persistence_with`].
pub fn persistence_traced<T: Voxel, E: From<PersistenceError>>(
    image: &Image<T>,
    request: &PersistenceRequest,
    gradient: &mut FindGradient<'_, E>,
    progress: &dyn Progress,
) -> Result<(Classes, Figures, Trace), E> {
    let (classes, figures, found) = find(image, request, gradient, progress, true)?;
    let Found { grid, gradient, pairing } = found;
    let trace = Trace { classes: classes.clone(), request: *request, grid, gradient, pairing };
    Ok((classes, figures, trace))
}

/// Results of the stages.
struct Found {
    grid: Grid,
    /// The gradient; `None` for an image without axes.
    gradient: Option<Gradient>,
    pairing: Pairing,
}

/// Computes the classes and the results of the stages, which include the pairing only if `is_traced`.
fn find<T: Voxel, E: From<PersistenceError>>(
    image: &Image<T>,
    request: &PersistenceRequest,
    gradient: &mut FindGradient<'_, E>,
    progress: &dyn Progress,
    is_traced: bool,
) -> Result<(Classes, Figures, Found), E> {
    let mut clock = StageClock::new(progress);
    let (shape, asked) = (image.shape(), request.dimensions(image.shape().dim()));
    let stages = Stages::new(Complex::of(request.construction), asked, shape.dim());
    progress.expect(&stages.of_voxels(shape.count(), is_traced).stages());
    check_memory(shape, &mut clock)?;
    let grid = Grid::new(image, request, progress)?;
    let (classes, gradient, pairing) = solve(&grid, asked, gradient, is_traced, &mut clock)?;
    Ok((classes, clock.figures, Found { grid, gradient, pairing }))
}

/// Begins the stage that orders the voxels, after checking that memory suffices.
fn check_memory(shape: Shape, clock: &mut StageClock<'_>) -> Result<(), PersistenceError> {
    clock.begin("order", grid::WORK_OF_VOXEL * shape.count() as u64);
    let places = GridLayout::new(shape)?.places() as u64;
    Ok(memory::probe(places * BYTES_OF_PLACE)?)
}

/// Computes the classes of the first `asked` dimensions, the gradient, and the pairing if `is_traced`. From here on
/// nothing depends on the voxel type.
fn solve<E: From<PersistenceError>>(
    grid: &Grid,
    asked: usize,
    gradient: &mut FindGradient<'_, E>,
    is_traced: bool,
    clock: &mut StageClock<'_>,
) -> Result<(Classes, Option<Gradient>, Pairing), E> {
    clock.figures.voxels = grid.voxels();
    // An image of one voxel has no axes, and only the essential class.
    let dimensions = asked.min(grid.axes());
    let (mut pairs, mut pairing, mut found) = (Vec::new(), Pairing::default(), None);
    if dimensions > 0 {
        clock.time("gradient");
        let gradient = gradient(grid, clock.progress)?;
        (pairs, pairing) = pairs_of(grid, dimensions, &gradient, is_traced, clock)?;
        found = Some(gradient).filter(|_| is_traced);
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
    Ok((Classes { dimensions: classes }, found, pairing))
}

/// Births and deaths in the grid, as ranks, sorted by the image's birth in ascending or descending order.
type Pairs = Vec<(u32, u32)>;

/// The stages needed for the requested dimensions, named by the dimensions of the grid that they settle.
#[derive(Debug, Clone, Copy)]
struct Stages {
    /// Dimension 0: critical edges join components.
    components: bool,
    /// The last dimension, if there are several: critical facets separate cavities.
    cavities: bool,
    /// Dimension 1 in space, after the other stages have left the unpaired critical cells.
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

    /// The stages for an image with this many voxels, for the estimate of progress.
    fn of_voxels(self, voxels: usize, is_traced: bool) -> Asked {
        Asked { voxels, loops: self.loops, cycles: is_traced }
    }

    /// Whether critical voxels, edges, faces, and cells of the grid's dimension are needed.
    fn critical_cells(self, axes: usize) -> [bool; 4] {
        let Stages { components, cavities, .. } = self;
        [components, components || cavities && axes == 2, cavities && axes == 3, cavities]
    }
}

/// The pairs of each of the first `asked` dimensions of the image, without the essential class; also as pairs of cells
/// if `is_traced`.
fn pairs_of(
    grid: &Grid,
    asked: usize,
    gradient: &Gradient,
    is_traced: bool,
    clock: &mut StageClock<'_>,
) -> Result<(Vec<Pairs>, Pairing), PersistenceError> {
    let (axes, complex) = (grid.axes(), grid.complex());
    let stages = Stages::new(complex, asked, axes);
    clock.begin("critical cells", gradient::WORK_OF_VOXEL * grid.voxels() as u64);
    let critical = gradient.critical_cells(grid, stages.critical_cells(axes), clock.progress)?;
    let Critical { minima, edges, faces, maxima } = critical;
    clock.figures.critical = [minima.len(), edges.len(), faces.len(), maxima.len()];
    let ahead = stages.of_voxels(grid.voxels(), is_traced).stages_after(clock.figures.critical);
    clock.progress.expect(&ahead);

    clock.begin("components and cavities", 1);
    let (joined, top) = rayon::join(
        || stages.components.then(|| components::components(grid, gradient, &minima, &edges)),
        || {
            let facets = if axes == 2 { edges.clone() } else { faces };
            stages.cavities.then(|| Ends::of_top(grid, gradient, maxima, facets))
        },
    );
    let bottom = joined.map(|joined| Ends { nodes: minima, joints: edges, joined });
    let (first, last) = rayon::join(
        || bottom.as_ref().map(|bottom| bottom.pairs_of_bottom(complex)),
        || top.as_ref().map(|top| top.pairs_of_top(complex)),
    );
    let mut of_dimension = vec![Vec::new(); axes];
    // On a line the first dimension is also the last; its pairs are those of components.
    for (dim, pairs) in [(axes - 1, last), (0, first)] {
        if let Some(pairs) = pairs {
            of_dimension[dim] = pairs;
        }
    }
    let mut pairing = Pairing { bottom, top, loops: None };
    if stages.loops {
        clock.time("loops");
        of_dimension[1] = pairing.find_loops(grid, gradient, is_traced, clock)?;
    }
    let dimensions = complex.dimensions(asked, axes);
    let mut asked: Vec<Pairs> = of_dimension.drain(dimensions).collect();
    if complex.is_reversed() {
        asked.reverse();
    }
    if !is_traced {
        pairing = Pairing::default();
    }
    Ok((asked, pairing))
}

/// The pairing of critical cells, as far as it was computed and kept.
#[derive(Default)]
pub(super) struct Pairing {
    /// Minima, and the critical edges that join components.
    pub(super) bottom: Option<Ends>,
    /// Critical cells of a grid of several axes, and critical facets between cavities, in reverse filtration order.
    pub(super) top: Option<Ends>,
    /// Loops in space. They are those of the image, whether the grid is its complex or the dual.
    pub(super) loops: Option<Loops>,
}

impl Pairing {
    /// The pairs of loops in space, as ranks in the grid. The other pairings are kept only if `is_traced`.
    fn find_loops(
        &mut self,
        grid: &Grid,
        gradient: &Gradient,
        is_traced: bool,
        clock: &mut StageClock<'_>,
    ) -> Result<Pairs, SnapshotError> {
        let (Some(bottom), Some(top)) = (&self.bottom, &self.top) else { return Ok(Vec::new()) };
        let ((killers, births), (walls, mut deaths)) = (bottom.split(), top.split());
        deaths.reverse();
        if !is_traced {
            (self.bottom, self.top) = (None, None);
        }
        let complex = grid.complex();
        if is_traced && complex == Complex::Dual {
            drop(killers);
            let loops = loops_of_dual(grid, gradient, births, walls, deaths, clock)?;
            let pairs = loops.pairs_of_dual(grid.voxels() as u32);
            self.loops = Some(loops);
            return Ok(pairs);
        }
        drop(walls);
        let loops = loops_of_grid(grid, gradient, births, killers, deaths, clock)?;
        let pairs = loops.pairs_of_grid(complex);
        self.loops = Some(loops).filter(|_| is_traced);
        Ok(pairs)
    }
}

/// The loops of a grid: `births` are the critical edges that close loops, `killers` those that join components, and
/// `deaths` the critical faces that fill loops. Births and deaths are in filtration order.
fn loops_of_grid(
    grid: &Grid,
    gradient: &Gradient,
    births: Vec<Cell>,
    killers: Vec<Cell>,
    deaths: Vec<Cell>,
    clock: &mut StageClock<'_>,
) -> Result<Loops, SnapshotError> {
    let (incidence, places) = (OfGrid { grid, gradient }, grid.ranks().len());
    let is_reversed = grid.complex().is_reversed();
    let columns = loops::reduce(&incidence, places, &killers, &deaths, is_reversed, clock)?;
    let fillers = columns.fillers(&incidence, &births);
    Ok(Loops { edges: births, faces: deaths, fillers, columns })
}

/// The loops of the complex whose dual is the grid. In the grid, `births` are the critical edges that close loops,
/// `walls` the critical faces that separate cavities, and `deaths` the other critical faces. Births and deaths are in
/// filtration order.
fn loops_of_dual(
    grid: &Grid,
    gradient: &Gradient,
    mut births: Vec<Cell>,
    walls: Vec<Cell>,
    mut deaths: Vec<Cell>,
    clock: &mut StageClock<'_>,
) -> Result<Loops, SnapshotError> {
    let incidence = OfDual::new(grid, gradient);
    births.reverse();
    deaths.reverse();
    let edges = |faces: &[Cell]| -> Vec<Cell> {
        faces.par_iter().filter_map(|&face| incidence.edge_of(face)).collect()
    };
    let (killers, deaths) = (edges(&walls), edges(&deaths));
    let columns = loops::reduce(&incidence, grid.ranks().len(), &killers, &births, false, clock)?;
    let fillers = columns.fillers(&incidence, &deaths);
    Ok(Loops { edges: deaths, faces: births, fillers, columns })
}

/// Critical cells at which gradient paths end, and the critical cells that join the trees of these paths.
pub(super) struct Ends {
    /// The ranks of the places where paths end. Nodes are numbered from 1.
    pub(super) nodes: Vec<u32>,
    pub(super) joints: Vec<Cell>,
    pub(super) joined: Joined,
}

impl Ends {
    /// Joins the cavities; critical cells are given in filtration order.
    fn of_top(grid: &Grid, gradient: &Gradient, mut maxima: Vec<u32>, mut facets: Vec<Cell>) -> Self {
        maxima.reverse();
        facets.reverse();
        let joined = cavities::cavities(grid, gradient, &maxima, &facets);
        Ends { nodes: maxima, joints: facets, joined }
    }

    fn pairs_of_bottom(&self, complex: Complex) -> Pairs {
        let Ends { nodes, joints, joined } = self;
        let pair = |(node, edge): (u32, Cell)| (nodes[node as usize - 1], edge.rank());
        match complex {
            Complex::Primal => joined.by_node(nodes.len(), joints).into_iter().map(pair).collect(),
            Complex::Dual => joined.by_edge(joints).map(pair).collect(),
        }
    }

    fn pairs_of_top(&self, complex: Complex) -> Pairs {
        let Ends { nodes, joints, joined } = self;
        let pair = |(node, facet): (u32, Cell)| (facet.rank(), nodes[node as usize - 1]);
        match complex {
            Complex::Primal => joined.by_edge(joints).map(pair).collect(),
            Complex::Dual => joined.by_node(nodes.len(), joints).into_iter().map(pair).collect(),
        }
    }

    /// The number of the node whose paths end at the place of this rank; `is_reversed` if ranks of nodes descend.
    pub(super) fn node(&self, rank: u32, is_reversed: bool) -> usize {
        let is_before = |&node: &u32| if is_reversed { node > rank } else { node < rank };
        let at = self.nodes.partition_point(is_before);
        debug_assert_eq!(self.nodes.get(at), Some(&rank));
        at + 1
    }

    /// For each node, the number of the joint that killed it.
    pub(super) fn killers(&self) -> Vec<u32> {
        self.joined.killers(self.nodes.len())
    }

    /// The joints that join trees, and those that do not, each in the order of the joints.
    fn split(&self) -> (Vec<Cell>, Vec<Cell>) {
        self.joined.split(&self.joints)
    }
}

/// Loops: critical edges that close them and critical faces that fill them, in filtration order, with reduced columns.
pub(super) struct Loops {
    pub(super) edges: Vec<Cell>,
    pub(super) faces: Vec<Cell>,
    /// For each edge, the number of the face that fills its loop.
    pub(super) fillers: Vec<u32>,
    pub(super) columns: Columns,
}

impl Loops {
    /// The edge of the loop with this birth rank and death place; `before` counts earlier loops that have both.
    pub(super) fn edge(&self, rank: u32, death: usize, before: usize) -> Cell {
        let first = self.edges.partition_point(|edge| edge.rank() < rank);
        let dies_there = |(_, filler): &(&Cell, &u32)| self.faces[**filler as usize].place() == death;
        let same = self.edges[first..].iter().zip(&self.fillers[first..]).filter(dies_there);
        let found = same.take_while(|(edge, _)| edge.rank() == rank).nth(before);
        *found.expect("a class is a pair of cells").0
    }

    /// The pairs of loops in the grid, in the order of the image's births.
    fn pairs_of_grid(&self, complex: Complex) -> Pairs {
        let Loops { edges, faces, fillers, .. } = self;
        let pairs = edges.iter().zip(fillers).map(|(edge, &filler)| (edge.rank(), filler as usize));
        match complex {
            Complex::Primal => pairs.map(|(edge, filler)| (edge, faces[filler].rank())).collect(),
            Complex::Dual => {
                let mut filled = vec![0; faces.len()];
                pairs.for_each(|(edge, filler)| filled[filler] = edge);
                filled.into_iter().zip(faces).map(|(edge, face)| (edge, face.rank())).collect()
            }
        }
    }

    /// The pairs in the grid of loops in the complex whose dual it is.
    fn pairs_of_dual(&self, voxels: u32) -> Pairs {
        let pair = |(edge, &filler): (&Cell, &u32)| {
            (self.faces[filler as usize].rank(), Complex::Dual.mirrored(edge.rank(), voxels))
        };
        self.edges.iter().zip(&self.fillers).map(pair).collect()
    }
}

/// The classes of a dimension of the image, from pairs of ranks in the grid.
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
