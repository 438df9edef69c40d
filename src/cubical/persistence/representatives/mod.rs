//! Representatives of the bars of an image: for each selected class, the cells of a cycle.
//!
//! A *cycle* of a class is a sum over Z/2 of cells with zero boundary. It contains the birth cell of the class, all its
//! other cells are present at birth, and it becomes a boundary when the class dies and not before. The cycles of the
//! bars alive at a value form a basis of the homology at that value.
//!
//! **Correctness.** In a total order of the cells, each cell creates a class or destroys one. Let z be a cycle whose
//! last cell is the birth cell of a bar, and which is a boundary once the death cell is present. It is no boundary
//! earlier: by the pairing, no boundary has this last cell before the death cell is present. Nor is a sum of cycles of
//! several bars alive, as their last cells differ. So these two properties suffice, in one order that extends that of
//! the voxels and suits the gradient: within a star, matched vertices and edges come first, then critical edges, edges
//! with the faces they are matched with, critical faces, and faces with their cubes. The order of the image is that of
//! the grid for the V-construction and the opposite one for the T-construction ([the parent module](super)).
//!
//! **Plan.** The stages that compute the bars keep their results ([`Trace`]). Bars are selected (`selection`), and
//! cycles are computed only for these:
//!
//! | dimension | cycle | module |
//! |---|---|---|
//! | 0, except T-construction of a line | two vertices; one for the essential bar | this one |
//! | the last, except V-construction of a line | the boundary of what a flood fill from the death cell reaches | `shells` |
//! | 1 in space | the reduced column of the death cell, closed through a spanning forest | `loops` of the parent, `forest` |
//!
//! - *Components.* The two vertices are those with which the component and the older one that it merges into are born.
//!   A path joins them when the bar dies.
//! - *Shells.* The flood fill reaches all cells of the last dimension that come after the birth and are connected to
//!   the death cell through such cells. These cells and the facets between them are the dual graph. By the elder rule
//!   the class of a last cell is killed, in the opposite order, by the facet that joins its tree to one with a later
//!   cell or to the outside. That facet is on the boundary of the tree and all other facets there precede it; and the
//!   boundary of the tree bounds as soon as its last cell is present.
//! - *Loops in space.* A column is reduced until none of its edges except the birth is the pivot of another column up
//!   to the death cell; these columns are available, since the pairs were computed with them. The result is the one
//!   combination of the fundamental cycles of classes that outlive the bar, and of its own, that bounds at its death.
//!   It therefore does not depend on the columns, which may differ between numbers of threads. The omitted edges form a
//!   minimum spanning forest: critical edges that join components and the edges of gradient paths. A cycle passes
//!   through the forest in a unique way, along edges that precede those outside.
//! - In the T-construction the loops of the image are cochains of the grid. If cycles are requested, its bars of
//!   dimension 1 are therefore computed by the reduction of the image itself, with the edges and faces of the grid
//!   exchanged; the bars are the same.
//!
//! A class that dies past a threshold is essential. Its cycle is the one that it has without the threshold.
//!
//! # Coordinates
//!
//! A cell is given by *twice the coordinates of its centre* along the user's axes. The centres of voxels have integer
//! coordinates, their indices. Halved, the coordinates match the image in any viewer that draws voxel (i, j, k) around
//! the point (i, j, k). Along an axis of more than one voxel a cell extends, by one half to either side of its centre,
//! where
//!
//! | construction | vertices | a cell extends along |
//! |---|---|---|
//! | V | the voxels | axes whose doubled coordinate is odd |
//! | T | the corners of voxels, those on the border included: from −1 to 2n − 1 | axes whose doubled coordinate is even |
//!
//! So an edge of the V-construction joins two voxels, and a face of the T-construction lies between two.
//! [`Representatives::corners`] returns the ends of edges and the corners of faces in cyclic order. Each cycle also
//! lists its *voxels*, for masks: the vertices of the cells in the V-construction, the first voxel that contains each
//! cell in the T-construction. All of them are present at birth.
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

/// Results of the stages that compute the classes of an image, kept for representatives.
pub struct Trace {
    pub(super) classes: Classes,
    pub(super) request: PersistenceRequest,
    pub(super) grid: Grid,
    /// `None` for an image without axes.
    pub(super) gradient: Option<Gradient>,
    pub(super) pairing: Pairing,
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace").field("request", &self.request).finish_non_exhaustive()
    }
}

/// A selected class.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    dim: usize,
    /// The index among the bars of the dimension.
    index: usize,
    /// The class without the threshold: its death may lie past the threshold.
    class: Class,
    /// The number of preceding classes with the same birth and death voxels.
    before: usize,
}

impl Trace {
    /// Computes the cycles of the selected bars of the image. If there is a threshold, the filtration ends there. Bars
    /// are numbered as in [`Classes::cut`].
    ///
    /// # Errors
    /// [`RepresentativesError`]: a selected bar does not exist, a persistence is invalid, or there is too little
    /// memory.
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

    /// The vertex with which a component is born: the voxel in the primal complex, the last corner of the voxel in the
    /// dual one.
    fn vertex(&self, place: usize) -> GridCell {
        match self.grid.complex() {
            Complex::Primal => GridCell::new(place, 0),
            Complex::Dual => GridCell::new(place, (1 << self.grid.axes()) - 1),
        }
    }
}

/// The method that computes the cycles of one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The two vertices whose components merge.
    Vertices,
    /// The boundary of the cells that a flood fill from the death cell reaches.
    Shell,
    /// A reduced column, closed through the spanning forest.
    Loop,
}

/// Data shared by the computation of all cycles.
struct Finder<'a> {
    trace: &'a Trace,
    /// The gradient; `None` for an image of one voxel.
    found: Option<&'a Gradient>,
    /// The union-find result for the vertices of the image: critical vertices and the edges that join them.
    vertices: Option<&'a Ends>,
    /// The union-find result for the dual graph, critical cells of the last dimension and the facets that join them,
    /// with the facet that kills each cell.
    dual: Option<(&'a Ends, Vec<u32>)>,
    /// The spanning forest through which loops in space are closed, if a loop is selected.
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

    /// The method for a dimension. In the T-construction of a line, components are computed as shells.
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
        // The essential class is represented by its vertex alone.
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

    /// The birth vertices of a component and of the older one that it merges into.
    fn joined(&self, birth: usize) -> Vec<GridCell> {
        let Trace { grid, .. } = self.trace;
        let ends = self.vertices.expect("components were asked for");
        let node = ends.node(grid.rank(birth), grid.complex() == Complex::Dual);
        let elder = grid.place(ends.nodes[ends.joined.elder(node) - 1]);
        vec![self.trace.vertex(birth), self.trace.vertex(elder)]
    }

    /// The boundary of the cells that die with the class whose death voxel is given.
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

    /// The loop with these birth and death voxels; `before` is its index among the loops that share both.
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

/// The edges outside the spanning forest of the loop whose birth edge is given.
fn outside_of_forest(grid: &Grid, loops: &Loops, incidence: &impl Incidence, edge: Cell) -> Vec<GridCell> {
    let edges = loops.columns.loop_of(incidence, edge);
    edges.into_iter().map(|edge| GridCell::of_word(grid, incidence.word(edge))).collect()
}
