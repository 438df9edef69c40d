//! Cycles that represent selected classes of a boundary matrix.
//!
//! Let R = DV be the reduction of the boundary matrix D by the standard algorithm. Column j of R represents the class
//! of a pair (i, j): it is the boundary of a chain of cells up to j, its youngest cell is i, and no sum of boundaries
//! of cells before j has that youngest cell. So the cycle exists once cell i enters, and becomes a boundary when cell
//! j enters and not before. Column e of V represents the essential class of cell e: column e of R is zero, so column
//! e of V is a cycle, and its youngest cell is e. (Cohen-Steiner, Edelsbrunner, Morozov 2006. Computing the cycles of
//! few pairs is the involution of Čufar and Virk 2021.)
//!
//! **Plan.** Any of the [algorithms](super::reduction) has found the pairs, on any number of threads, perhaps of the
//! anti-transpose. None of them stores R and V. So the selected columns are reduced again, which is less work than a
//! reduction because the pairs are known:
//!
//! ```text
//! reduce(j), where column j is to have the low i, or none:
//!     while the low l of column j is not i:
//!         k = the death of the pair whose birth is l
//!         reduce(k), unless that has been done
//!         add column k of R to column j, and note k
//! ```
//!
//! - No column of a cell that creates a non-essential class is ever reduced, and no column that no selected column
//!   needs.
//! - A column k of D whose low is already the birth of its pair is reduced as it stands, and is read in the matrix.
//! - The added columns and their order are those of the standard algorithm. So the cycles do not depend on the
//!   algorithm that found the pairs.
//! - V is not stored, since it may be far denser than R. Instead, for each column k that an essential class may need,
//!   the set A(k) of columns added to it is stored. Column e of V is the sum of e and of column k of V for each k in
//!   A(e). It is produced by descending k: a working column starts as A(e), and while it is not empty its greatest k
//!   is moved to the cycle and A(k) is added to it.
//! - Columns that wait for another one lie on an explicit stack, since a chain of them can be as long as the matrix.
//!
//! | module | what it does |
//! |---|---|
//! | `selection` | selects classes |
//! | `partners` | the partner of each cell, and whether the pairs can be those of the matrix |
//! | `reducer` | reduces columns of R on demand, and derives columns of V from the recorded additions |
//! | `store` | the cycles in flat tables, and a view of each |
//!
//! The computation runs on one thread. Tables whose size depends on the matrix are refused with an error if there is
//! no memory for them.
//!
//! ```
//! use lacuna::matrix::cycles::{ClassSelection, cycles};
//! use lacuna::matrix::{BoundaryMatrix, Plan, ReductionRequest, reduce};
//!
//! // A triangle, filled: vertices 0 to 2, edges 3 to 5, the face 6.
//! let mut matrix = BoundaryMatrix::<u32>::new();
//! for (dim, boundary) in
//!     [(0, &[][..]), (0, &[]), (0, &[]), (1, &[0, 1]), (1, &[0, 2]), (1, &[1, 2]), (2, &[3, 4, 5])]
//! {
//!     matrix.push(dim, boundary)?;
//! }
//! let (plan, _reasons) = Plan::choose(&matrix, &ReductionRequest::default());
//! let pairs = reduce(&matrix, &plan);
//!
//! let found = cycles(&matrix, &pairs, &ClassSelection::All, &())?;
//! let of_loop = found.iter().find(|cycle| cycle.dim == 1).unwrap();
//! assert_eq!((of_loop.birth, of_loop.death), (5, Some(6)));
//! assert_eq!(of_loop.cells, [3, 4, 5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod partners;
mod reducer;
mod selection;
mod store;
#[cfg(test)]
mod tests;

use phat_formats::BoundaryMatrix;

use super::index::SharedIndex;
use super::pairs::Pairs;
use crate::memory;
use crate::progress::{Progress, interruptible};
use partners::Partners;
use reducer::Reducer;

pub use error::CyclesError;
pub use selection::ClassSelection;
pub use store::{Cycle, Cycles};

/// Computes the cycles that represent the selected classes of a matrix. `pairs` must be the pairs of the matrix, as
/// [`reduce`](super::reduce()) finds them, and ∂∂ must be 0 ([`BoundaryMatrix::check`]): otherwise the result need
/// not consist of cycles.
///
/// Reports its only stage to `progress`, without counts. `progress` may end the run early, which is checked every few
/// additions.
///
/// # Errors
/// A selected cell creates no class; the pairs cannot be those of the matrix; there is not enough memory; or
/// [`CyclesError::Interrupted`].
pub fn cycles<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    pairs: &Pairs<I>,
    selection: &ClassSelection,
    progress: &dyn Progress,
) -> Result<Cycles<I>, CyclesError> {
    interruptible(progress, |progress| {
        progress.begin("cycles", None, 1);
        selected(matrix, pairs, selection, progress)
    })
}

fn selected<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    pairs: &Pairs<I>,
    selection: &ClassSelection,
    progress: &dyn Progress,
) -> Result<Cycles<I>, CyclesError> {
    let partners = Partners::new(matrix, pairs)?;
    let (births, essential) = selection.births(&partners)?;
    let mut reducer = Reducer::new(matrix, &partners, progress)?;
    essential.iter().for_each(|cell| reducer.note_dimension(matrix.dim(cell.to_usize())));
    let mut deaths = Vec::new();
    memory::reserve(&mut deaths, births.len())?;
    deaths.extend(births.iter().map(|birth| I::from_usize(partners.partner(birth.to_usize()))));
    let finite: Vec<(usize, usize)> =
        births.iter().zip(&deaths).map(|(birth, death)| (birth.to_usize(), death.to_usize())).collect();
    // A column needs columns of later births only. So by descending birth no selected column has to wait.
    for &(birth, death) in finite.iter().rev() {
        reducer.cycle_of_pair(birth, death)?;
    }
    let mut cycles =
        Cycles { dims: Vec::new(), births, deaths, offsets: vec![0], cells: Vec::new(), additions: 0 };
    for (birth, death) in finite {
        cycles.push(reducer.cycle_of_pair(birth, death)?)?;
    }
    for cell in &essential {
        cycles.push(reducer.cycle_of_essential(cell.to_usize())?)?;
    }
    memory::reserve(&mut cycles.births, essential.len())?;
    cycles.births.extend(essential);
    memory::reserve(&mut cycles.dims, cycles.births.len())?;
    cycles.dims.extend(cycles.births.iter().map(|birth| matrix.dim(birth.to_usize())));
    cycles.additions = reducer.additions();
    Ok(cycles)
}
