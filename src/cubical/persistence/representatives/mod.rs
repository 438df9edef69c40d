//! Representatives of the bars of an image: the cells of a cycle of each class that is wanted.
//!
//! A *cycle* of a class is a sum over Z/2 of cells without a boundary, all of which are there when the class is born, the one that it is born
//! with among them, and which bounds when the class dies and not before. Together the cycles of the bars that are alive at a value are
//! a basis of the homology of what is there at this value.
//!
//! **Why.** In an order of all cells each cell begins a class or ends one. Let z be a cycle whose last cell is the birth cell of a bar and
//! which bounds once the death cell is there. It does not bound before: by the pairing no boundary has this last cell as long as the
//! death cell is not there. Nor does a sum of cycles of several bars alive, as their last cells differ. So this is all that is to be
//! seen to, in one order that extends that of the voxels and suits the gradient: within a star vertices and edges that are matched come
//! first, then critical edges, edges with the faces they are matched with, critical faces, and faces with their cubes. The order of the
//! image is that of the grid, or, of the T-construction, the opposite one ([the parent module](super)).
//!
//! **Plan.** The stages that find the bars keep what they know ([`Trace`]), bars are chosen (`selection`), and for these alone cycles are made:
//!
//! | dimension | cycle | module |
//! |---|---|---|
//! | 0, but of the T-construction of a line | the vertex with which the component is born, and the one with which the component that it is joined to was: two points that a path joins when the bar dies. Of the essential bar its vertex alone | this one |
//! | the last, but of the V-construction of a line | the shell of what fills the class: all that comes after the birth and is connected to the death cell without it. A flood fill from the death cell; the cycle is the boundary of what it reaches | `shells` |
//! | 1 of space | the reduced column of the death cell, whose edges outside the forest that joins components are oldest, and closed through this forest | `loops` of the parent, `forest` |
//!
//! - *Shells.* The cells of the last dimension and the facets between them are the dual graph. By the elder rule the class of a last cell is
//!   killed, in the opposite order, by the facet that joins its tree to one with a later cell or to the outside. That facet is on the boundary
//!   of the tree and all others there are before it; and the tree bounds as soon as its last cell is there.
//! - *Loops of space.* A column is reduced until no edge is left that another column up to the death cell has as its pivot, but the birth: these
//!   columns are there, as the pairs were found by them. What is left is the one combination of the fundamental cycles of classes that
//!   outlive the bar, and of its own, that bounds at its death. So it does not depend on the columns, which are other ones on other threads.
//!   The edges that were left out are a minimum spanning forest: critical edges that join components and the edges of ways along the gradient. A
//!   cycle goes through it in one way only, along edges that are before those outside.
//! - Of the T-construction the loops of the image are cochains of the grid. So if cycles are wanted, its bars of dimension 1 are found by the
//!   reduction of the image itself, edges and faces of the grid exchanged; they are the same.
//!
//! A class that dies past a threshold is essential. Its cycle is the one that it has without the threshold.
//!
//! # Coordinates
//!
//! A cell is told by *twice the coordinates of its centre*, along the user's axes, the centres of voxels being at whole coordinates as indices
//! are. Halved, they lie right on the image in any viewer that draws voxel (i, j, k) around the point (i, j, k). Along an axis of more than one
//! voxel a cell extends, by one half to either side of its centre, where
//!
//! | construction | vertices are | a cell extends along |
//! |---|---|---|
//! | V | voxels | axes of odd numbers |
//! | T | the corners between voxels, those on the border of the image too: from −1 to 2n − 1 | axes of even numbers |
//!
//! So an edge of the V-construction joins two voxels, and a face of the T-construction lies between two. [`Representatives::corners`] has the
//! ends of edges and the corners of faces in turn. With the cells come the *voxels* that they are of, for masks: of the V-construction the
//! vertices of the cells, of the T-construction the first voxel that each cell lies in. All of them are there at birth.
//!
//! ```
//! use lacuna::cubical::{AnyImage, Construction, Cubical};
//! use lacuna::diagram::BarSelection;
//!
//! // A ring of ones around a nine.
//! let image = AnyImage::from_slice(&[1_u8, 1, 1, 1, 9, 1, 1, 1, 1], &[3, 3])?;
//! let run = Cubical::new(&image).construction(Construction::V).representatives(BarSelection::Longest(1)).solve(&())?;
//! let found = run.representatives().expect("they were asked for");
//! let ring = found.iter().next().unwrap();
//! assert_eq!((ring.dim, ring.index, ring.cells.len()), (1, 0, 8));
//! // The edge between the pixels (0, 0) and (0, 1), and all eight pixels.
//! assert!(ring.cells.iter().any(|cell| cell == [0, 1]));
//! assert_eq!(ring.voxels, [0, 1, 2, 3, 5, 6, 7, 8]);
//! assert_eq!(found.corners(&[0, 1]), [[0, 0], [0, 2]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod centre;
mod error;
mod forest;
mod selection;
mod shells;
mod store;

use rayon::prelude::*;

use self::centre::GridCell;
use self::forest::{Cubes, Forest, Voxels};
use self::shells::Visited;
use super::cell::Cell;
use super::classes::{Class, Classes};
use super::duality::Complex;
use super::gradient::Gradient;
use super::grid::Grid;
use super::loops::{Incidence, OfDual, OfGrid};
use super::request::PersistenceRequest;
use super::via_gradient::{Ends, Loops, Pairing};
use crate::cubical::image::AnyImage;
use crate::cubical::value::Value;
use crate::diagram::BarSelection;

pub use error::RepresentativesError;
pub use store::{Cells, Representative, Representatives};

/// What the stages that find the classes of an image know of them, for representatives.
pub struct Trace {
    pub(super) classes: Classes,
    pub(super) request: PersistenceRequest,
    pub(super) grid: Grid,
    /// None of an image without axes.
    pub(super) gradient: Option<Gradient>,
    pub(super) pairing: Pairing,
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace").field("request", &self.request).finish_non_exhaustive()
    }
}

/// A class that is wanted.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    dim: usize,
    /// The place among the bars of the dimension.
    index: usize,
    /// The class, which dies past the threshold if there is one.
    class: Class,
    /// How many classes before it have the same voxels.
    before: usize,
}

impl Trace {
    /// Cycles of the bars of the image that are chosen, where the filtration ends at the threshold if there is one. Bars are numbered as
    /// in [`Classes::cut`].
    ///
    /// # Errors
    /// [`RepresentativesError`]: a bar that is not there, a persistence that is none, or too little memory.
    pub fn representatives(
        &self,
        image: &AnyImage,
        threshold: Option<Value>,
        selection: &BarSelection,
    ) -> Result<Representatives, RepresentativesError> {
        let wanted = selection::wanted(&self.classes, image, &self.request, threshold, selection)?;
        let finder = Finder::new(self, &wanted);
        let places = self.grid.ranks().len();
        let cycle = |visited: &mut Visited, wanted: &Wanted| {
            let mut cells = finder.cycle(wanted, visited);
            cells.sort_unstable();
            let mut places: Vec<usize> = cells.iter().flat_map(|cell| cell.voxels(&self.grid)).collect();
            places.sort_unstable();
            places.dedup();
            (cells, places.into_iter().map(|place| self.grid.in_memory(place)).collect::<Vec<_>>())
        };
        let visited = || Visited::new(places);
        let found: Vec<_> = wanted.par_iter().map_init(visited, cycle).collect();
        let mut representatives = Representatives::new(image.shape(), self.request.construction);
        for (Wanted { dim, index, class, .. }, (cells, voxels)) in wanted.into_iter().zip(found) {
            let death = class.death.filter(|&place| {
                threshold.is_none_or(|threshold| self.request.reaches(threshold, image.exact(place)))
            });
            let centres = cells.iter().map(|cell| cell.centre(&self.grid));
            representatives.push(dim, index, Class { death, ..class }, centres, &voxels)?;
        }
        Ok(representatives)
    }

    /// The vertex of the image with which a component is born: its first voxel, or the last corner of that.
    fn vertex(&self, place: usize) -> GridCell {
        match self.grid.complex() {
            Complex::Primal => GridCell::new(place, 0),
            Complex::Dual => GridCell::new(place, (1 << self.grid.axes()) - 1),
        }
    }
}

/// How cycles of one dimension are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Two vertices.
    Vertices,
    /// The shell of what fills the class.
    Shell,
    /// A reduced column, closed through the forest.
    Loop,
}

/// What cycles are made from.
struct Finder<'a> {
    trace: &'a Trace,
    /// None of an image of one voxel.
    found: Option<&'a Gradient>,
    /// Vertices of the image: critical ones, and what joins them.
    vertices: Option<&'a Ends>,
    /// The dual graph: critical cells of the last dimension and what joins them, and what killed each of these.
    dual: Option<(&'a Ends, Vec<u32>)>,
    /// The forest that loops of space are closed through, if one of these is wanted.
    forest: Option<Forest<'a>>,
}

impl<'a> Finder<'a> {
    fn new(trace: &'a Trace, wanted: &[Wanted]) -> Self {
        let Trace { grid, gradient, pairing, .. } = trace;
        let (vertices, dual) = match grid.complex() {
            Complex::Primal => (pairing.bottom.as_ref(), pairing.top.as_ref()),
            Complex::Dual => (pairing.top.as_ref(), pairing.bottom.as_ref()),
        };
        let mut finder = Finder {
            trace,
            found: gradient.as_ref(),
            vertices,
            dual: dual.map(|dual| (dual, dual.killers())),
            forest: None,
        };
        let is_loop = |wanted: &Wanted| finder.way(wanted.dim) == Way::Loop;
        if let (true, Some(gradient), Some(ends)) = (wanted.iter().any(is_loop), finder.found, vertices) {
            finder.forest = Some(match grid.complex() {
                Complex::Primal => Forest::new(Voxels { grid, gradient }, ends),
                Complex::Dual => Forest::new(Cubes { grid, gradient }, ends),
            });
        }
        finder
    }

    /// How cycles of a dimension are made. Components of a line are found as trees of voxels: of the T-construction these are what fills them.
    fn way(&self, dim: usize) -> Way {
        let grid = &self.trace.grid;
        let is_line_of_cells = grid.axes() == 1 && grid.complex() == Complex::Dual;
        match dim {
            0 if !is_line_of_cells => Way::Vertices,
            dim if dim + 1 == grid.axes() => Way::Shell,
            _ => Way::Loop,
        }
    }

    /// The cells of a cycle.
    fn cycle(&self, wanted: &Wanted, visited: &mut Visited) -> Vec<GridCell> {
        let grid = &self.trace.grid;
        let Class { birth, death } = wanted.class;
        let birth = grid.on_grid(birth);
        // The essential class needs nothing that was found.
        let (Some(death), Some(gradient)) = (death, self.found) else {
            return vec![self.trace.vertex(birth)];
        };
        let death = grid.on_grid(death);
        match self.way(wanted.dim) {
            Way::Vertices => self.joined(birth),
            Way::Shell => self.shell(gradient, death, visited),
            Way::Loop => self.closed(gradient, birth, death, wanted.before),
        }
    }

    /// The vertices with which a component and the one that it is joined to are born.
    fn joined(&self, birth: usize) -> Vec<GridCell> {
        let Trace { grid, .. } = self.trace;
        let ends = self.vertices.expect("components were asked for");
        let node = ends.node(grid.rank(birth), grid.complex() == Complex::Dual);
        let elder = grid.place(ends.nodes[ends.joined.elder(node) - 1]);
        vec![self.trace.vertex(birth), self.trace.vertex(elder)]
    }

    /// The shell of the class that a voxel fills.
    fn shell(&self, gradient: &Gradient, death: usize, visited: &mut Visited) -> Vec<GridCell> {
        let Trace { grid, .. } = self.trace;
        let (ends, killers) = self.dual.as_ref().expect("the last dimension was asked for");
        let node = ends.node(grid.rank(death), grid.complex() == Complex::Primal);
        let birth = ends.joints[killers[node] as usize];
        match grid.complex() {
            Complex::Primal => shells::of_cells(grid, gradient, death, birth, visited),
            Complex::Dual => shells::of_voxels(grid, gradient, death, birth, visited),
        }
    }

    /// The loop that is born with a voxel and dies with another, after so many loops of the same voxels.
    fn closed(&self, gradient: &Gradient, birth: usize, death: usize, before: usize) -> Vec<GridCell> {
        let Trace { grid, pairing, .. } = self.trace;
        let loops = pairing.loops.as_ref().expect("loops were asked for");
        let forest = self.forest.as_ref().expect("it is there if a loop is wanted");
        let rank = grid.complex().mirrored(grid.rank(birth), grid.voxels() as u32);
        let edge = loops.edge(rank, death, before);
        match grid.complex() {
            Complex::Primal => {
                let edges = outside_of_forest(grid, loops, &OfGrid { grid, gradient }, edge);
                forest.close(Voxels { grid, gradient }, edges)
            }
            Complex::Dual => {
                let edges = outside_of_forest(grid, loops, &OfDual::new(grid, gradient), edge);
                forest.close(Cubes { grid, gradient }, edges)
            }
        }
    }
}

/// The edges outside the forest of the loop that is born with an edge.
fn outside_of_forest(grid: &Grid, loops: &Loops, incidence: &impl Incidence, edge: Cell) -> Vec<GridCell> {
    let edges = loops.columns.loop_of(incidence, edge);
    edges.into_iter().map(|edge| GridCell::of_word(grid, incidence.word(edge))).collect()
}
