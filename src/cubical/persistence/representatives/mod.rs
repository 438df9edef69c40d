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
//! **Plan.** The stages that compute the bars keep their results (`Trace`). Bars are selected (`selection`), and
//! cycles are computed only for these:
//!
//! | dimension | cycle | module |
//! |---|---|---|
//! | 0, except T-construction of a line | two vertices; one for the essential bar | this one |
//! | the last, except V-construction of a line | the boundary of a flood fill from the death cell | `shells` |
//! | 1 in space | the reduced column of the death cell, closed through a forest | `loops` of the parent, `forest` |
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
//! Images of four axes and with periodic axes have classes for which this plan has no cycle. Their cycles are those
//! of the [boundary matrix](crate::matrix::cycles) of all cells, ordered by owner, dimension and number: the reduced
//! column of the death cell, or for an essential class the column of V; and in dimension 0 the two vertices as above
//! ([`via_matrix`](super::via_matrix)). These cycles have both properties, too. The cells of a star are in another
//! order than above, and columns of loops are reduced no further than needed, so cycles of one image may differ
//! between the two methods.
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
//! | T | the corners of voxels, from −1 to 2n − 1 | axes whose doubled coordinate is even |
//!
//! Along a periodic axis of n voxels, the cells of the V-construction reach to 2n − 1, between the last voxel and the
//! first, and those of the T-construction to 2n − 2.
//!
//! So an edge of the V-construction joins two voxels, and a face of the T-construction lies between two.
//! [`Representatives::corners`] returns the ends of edges and the corners of faces in cyclic order. Each cycle also
//! lists its *voxels*, for masks: the vertices of the cells in the V-construction, the first voxel that contains each
//! cell in the T-construction. All of them are present at birth.
//!
//! ```
//! use lacuna::cubical::persistence::PersistenceRequest;
//! use lacuna::cubical::{AnyImage, Construction, Cubical};
//! use lacuna::diagram::BarSelection;
//!
//! // A ring of ones around a nine.
//! let image = AnyImage::from_slice(&[1_u8, 1, 1, 1, 9, 1, 1, 1, 1], &[3, 3])?;
//! let request = PersistenceRequest { construction: Construction::V, ..PersistenceRequest::default() };
//! let bars = BarSelection::Longest(1);
//! let run = Cubical { representatives: Some(bars), ..Cubical::new(&image, request) }.solve(&())?;
//! let found = run.representatives.expect("they were asked for");
//! let ring = found.iter().next().unwrap();
//! assert_eq!((ring.dim, ring.index, ring.cells.len()), (1, 0, 8));
//! // The edge between the pixels (0, 0) and (0, 1), and all eight pixels.
//! assert!(ring.cells.iter().any(|cell| cell == [0, 1]));
//! assert_eq!(ring.voxels, [0, 1, 2, 3, 5, 6, 7, 8]);
//! assert_eq!(found.corners(&[0, 1]), [[0, 0], [0, 2]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod forest;
mod selection;
mod shells;
mod store;

use std::sync::Mutex;

use self::forest::Forest;
use self::shells::{Visited, shell};
use super::cell::Cell;
use super::classes::{Class, Classes};
use super::error::PersistenceError;
use super::forest::Merging;
use super::gradient::Gradient;
use super::grid::Grid;
use super::grid_cell::GridCell;
use super::limits::Limits;
use super::look::Any;
use super::loops::{Incidence, OfDual, OfGrid};
use super::request::PersistenceRequest;
use super::via_gradient::{Loops, Pairing};
use crate::cubical::construction::Construction;
use crate::cubical::image::AnyImage;
use crate::diagram::BarSelection;
use crate::memory::Refused;
use crate::parallel::{self, into_inner, lock};
use crate::progress::Progress;

pub(super) use selection::wanted;
pub use store::{Cells, Representative, Representatives};

/// Results of the stages that compute the classes of an image, from which cycles are computed.
pub(in crate::cubical) struct Trace<'a> {
    pub(super) classes: Classes,
    pub(super) request: PersistenceRequest,
    pub(super) grid: Grid<'a>,
    pub(super) found: Pairing,
}

/// Number of parts into which the selected classes are divided among threads.
const PARTS: usize = 1 << 10;

/// A selected class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) dim: usize,
    /// The index among the bars of the dimension.
    index: usize,
    /// The class without the threshold: its death may lie past the threshold.
    pub(super) class: Class,
    /// The number of preceding classes with the same birth and death voxels.
    pub(super) before: usize,
}

impl Trace<'_> {
    /// Computes the cycles of the selected bars of the image. The filtration ends at the limits. Bars
    /// are numbered as in [`Classes::cut`]. `progress` is told of each cycle and may unwind.
    ///
    /// # Errors
    /// [`PersistenceError`]: a selected bar does not exist, a persistence is invalid, or there is too little memory.
    pub(in crate::cubical) fn representatives(
        &self,
        image: &AnyImage,
        limits: Limits<'_>,
        selection: &BarSelection,
        progress: &dyn Progress,
    ) -> Result<Representatives, PersistenceError> {
        let wanted = wanted(&self.classes, image, &self.request, limits, selection)?;
        let finder = Finder::new(self, &wanted);
        let cycle = |visited: &mut Visited, wanted: &Wanted| {
            progress.advance(0);
            let mut cells = finder.cycle(wanted, visited);
            cells.sort_unstable();
            let mut voxels: Vec<usize> = cells.iter().flat_map(|cell| cell.voxels(&self.grid)).collect();
            voxels.sort_unstable();
            voxels.dedup();
            voxels.iter_mut().for_each(|place| *place = self.grid.layout.in_memory(*place));
            let centres = cells.iter().map(|cell| cell.centre(&self.grid));
            Representative::new(wanted, image, &self.request, limits, centres, voxels)
        };
        // Sets of places that no thread uses at present, and the error that ends the computation.
        let (unused, refused) = (Mutex::new(Vec::new()), Mutex::new(None));
        let all = parallel::listed(wanted.len(), wanted.len().div_ceil(PARTS).max(1), &|range| {
            if lock(&refused).is_some() {
                return Vec::new();
            }
            let visited = lock(&unused).pop();
            let mut visited = visited.unwrap_or_else(|| Visited::new(self.grid.places()));
            let cycles = wanted[range].iter().map(|wanted| cycle(&mut visited, wanted));
            let found: Result<Vec<_>, Refused> = cycles.collect();
            lock(&unused).push(visited);
            found.unwrap_or_else(|error| {
                *lock(&refused) = Some(error);
                Vec::new()
            })
        });
        if let Some(error) = into_inner(refused) {
            return Err(error.into());
        }
        Ok(Representatives::new(image.shape(), &self.request, all))
    }

    /// The vertex with which a component is born: the voxel in the primal complex, the last corner of the voxel in the
    /// dual one.
    fn vertex(&self, place: usize) -> GridCell {
        match self.grid.construction {
            Construction::V => GridCell::new(place, 0),
            Construction::T => GridCell::new(place, (1 << self.grid.layout.axes) - 1),
        }
    }
}

/// Data shared by the computation of all cycles.
struct Finder<'a> {
    trace: &'a Trace<'a>,
    /// The union-find result for the vertices of the image: critical vertices and the edges that join them.
    vertices: Option<&'a Merging>,
    /// The union-find result for the dual graph: critical cells of the last dimension and the facets that join them.
    dual: Option<&'a Merging>,
    /// The spanning forest through which loops in space are closed, if a loop is selected.
    forest: Option<Forest<'a>>,
}

impl<'a> Finder<'a> {
    fn new(trace: &'a Trace, wanted: &[Wanted]) -> Self {
        let Trace { grid, found, .. } = trace;
        let (vertices, dual) = match grid.construction {
            Construction::V => (found.bottom.as_ref(), found.top.as_ref()),
            Construction::T => (found.top.as_ref(), found.bottom.as_ref()),
        };
        let has_loops = grid.layout.axes == 3 && wanted.iter().any(|wanted| wanted.dim == 1);
        let forest = match (&found.gradient, vertices) {
            (Some(gradient), Some(merging)) if has_loops => Some(Forest::new(grid, gradient, merging)),
            _ => None,
        };
        Finder { trace, vertices, dual, forest }
    }

    /// The cells of a cycle: the two vertices whose components merge, the boundary of what a flood fill from the death
    /// cell reaches, or a reduced column, closed through the spanning forest.
    fn cycle(&self, wanted: &Wanted, visited: &mut Visited) -> Vec<GridCell> {
        let Trace { grid, found, .. } = self.trace;
        let Class { birth, death } = wanted.class;
        let birth = grid.layout.on_grid(birth);
        // The essential class is represented by its vertex alone.
        let (Some(death), Some(gradient)) = (death, &found.gradient) else {
            return vec![self.trace.vertex(birth)];
        };
        let death = grid.layout.on_grid(death);
        // In the T-construction of a line, components are shells.
        let is_line_of_cells = grid.layout.axes == 1 && grid.construction == Construction::T;
        match wanted.dim {
            0 if !is_line_of_cells => self.joined(birth),
            dim if dim + 1 == grid.layout.axes => {
                let merging = self.dual.expect("the last dimension was asked for");
                let birth = merging.saddles[merging.killers[merging.node(grid.entry(death))] as usize];
                shell(grid, gradient, death, birth, visited)
            }
            _ => self.closed(gradient, birth, death, wanted.before),
        }
    }

    /// The birth vertices of a component and of the older one that it merges into.
    fn joined(&self, birth: usize) -> Vec<GridCell> {
        let merging = self.vertices.expect("components were asked for");
        let survivor = merging.survivor(merging.node(self.trace.grid.entry(birth)));
        vec![self.trace.vertex(birth), self.trace.vertex(self.trace.grid.place(survivor))]
    }

    /// The loop with these birth and death voxels; `before` is its index among the loops that share both.
    fn closed(&self, gradient: &Gradient, birth: usize, death: usize, before: usize) -> Vec<GridCell> {
        let Trace { grid, found, .. } = self.trace;
        let loops = found.loops.as_ref().expect("loops were asked for");
        let forest = self.forest.as_ref().expect("it is there if a loop is wanted");
        let edge = loops.edge(grid, birth, death, before);
        forest.close(match grid.construction {
            Construction::V => {
                outside_of_forest(grid, loops, &OfGrid { grid, look: Any { grid, gradient } }, edge)
            }
            Construction::T => outside_of_forest(grid, loops, &OfDual::new(grid, gradient), edge),
        })
    }
}

/// The edges outside the spanning forest of the loop whose birth edge is given.
fn outside_of_forest(grid: &Grid, loops: &Loops, incidence: &impl Incidence, edge: Cell) -> Vec<GridCell> {
    let edges = loops.columns.loop_of(incidence, edge);
    edges.into_iter().map(|edge| GridCell::of_word(grid, incidence.word(edge))).collect()
}
