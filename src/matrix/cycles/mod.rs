//! Cycles that represent the classes of a boundary matrix, for the classes that are wanted.
//!
//! Let R = DV be the reduction of the boundary matrix D by the standard algorithm. The class of a pair (i, j) is represented by column
//! j of R: it is the boundary of a chain of the cells up to j, its youngest cell is i, and no sum of boundaries of cells before j has
//! that youngest cell. So it is a cycle that is there when cell i enters, and that bounds when cell j enters and not before. An
//! essential class, of cell e, is represented by column e of V: column e of R is zero, so it is a cycle, and its youngest cell is e.
//! (Cohen-Steiner, Edelsbrunner, Morozov 2006; what is done here for few of the pairs is the involution of Čufar and Virk 2021.)
//!
//! **Plan.** The pairs are known: any of the [algorithms](super::reduction) has found them, on any number of threads, perhaps of the
//! anti-transpose. None of them keeps R and V. So the columns that are wanted are reduced once more, and with the pairs known that is
//! less work than a reduction:
//!
//! ```text
//! reduce(j), where column j is to have the low i, or none:
//!     while the low l of column j is not i:
//!         k = the death of the pair whose birth is l
//!         reduce(k), unless that has been done
//!         add column k of R to column j, and note k
//! ```
//!
//! - No column of a cell that gives birth to a class that dies is ever reduced, and no column that no wanted one needs.
//! - A column k of D whose low is its pair's birth is reduced as it stands: it is read in the matrix.
//! - The columns that are added are those that the standard algorithm adds, in the same order. So the cycles are those of the standard
//!   algorithm, whichever algorithm has found the pairs.
//! - V is not stored, which may be far denser than R. Of the columns that an essential class may need, the columns that were added to
//!   each are noted, A(k). Column e of V is the sum of e and of column k of V for each k in A(e). It is written down by descending
//!   k: a working column starts as A(e), and as long as it is not empty its greatest k is taken out as a cell of the cycle, and
//!   A(k) is added to it.
//! - Columns that wait for another one are kept on a stack of their own: a chain of them can be as long as the matrix.
//!
//! | module | what it does |
//! |---|---|
//! | `selection` | which classes are wanted |
//! | `partners` | who is paired with whom, and whether the pairs can be those of the matrix |
//! | `reducer` | columns of R on demand, columns of V from what was added |
//! | `lists` | many short lists in one vector, whose growth can be refused |
//! | `store` | the cycles in flat tables, and the view of one of them |
//!
//! It runs on one thread. Tables whose size depends on the matrix are refused with an error where there is no memory for them.
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
//! let found = cycles(&matrix, &pairs, &ClassSelection::All)?;
//! let of_loop = found.iter().find(|cycle| cycle.dim == 1).unwrap();
//! assert_eq!((of_loop.birth, of_loop.death), (5, Some(6)));
//! assert_eq!(of_loop.cells, [3, 4, 5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod lists;
mod partners;
mod reducer;
mod selection;
mod store;
#[cfg(test)]
mod tests;

use phat_formats::{BoundaryMatrix, Index};

use super::pairs::Pairs;
use crate::memory;
use crate::progress::{Progress, interruptible};
use lists::Lists;
use partners::Partners;
use reducer::Reducer;

pub use error::CyclesError;
pub use selection::ClassSelection;
pub use store::{Cycle, Cycles};

/// The cycles that represent the selected classes of a matrix. `pairs` are the pairs of the matrix, as
/// [`reduce`](super::reduce()) finds them, and boundaries of the matrix have no boundary ([`BoundaryMatrix::check`]): otherwise what is
/// found need not be a cycle.
///
/// # Errors
/// A cell that is selected creates no class; the pairs cannot be those of the matrix; there is not enough memory.
pub fn cycles<I: Index>(
    matrix: &BoundaryMatrix<I>,
    pairs: &Pairs<I>,
    selection: &ClassSelection,
) -> Result<Cycles<I>, CyclesError> {
    cycles_watched(matrix, pairs, selection, &())
}

/// Like [`cycles`]; `progress` is told of its one stage, whose work is not counted, and may end it early, which is looked at every few additions.
///
/// # Errors
/// Those of [`cycles`], and [`CyclesError::Interrupted`].
pub fn cycles_watched<I: Index>(
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

fn selected<I: Index>(
    matrix: &BoundaryMatrix<I>,
    pairs: &Pairs<I>,
    selection: &ClassSelection,
    progress: &dyn Progress,
) -> Result<Cycles<I>, CyclesError> {
    let partners = Partners::new(matrix, pairs)?;
    let (mut births, essential) = selection.births(&partners)?;
    let mut reducer = Reducer::new(matrix, &partners, progress)?;
    essential.iter().for_each(|cell| reducer.note_dimension(matrix.dim(cell.to_usize())));
    let mut deaths = Vec::new();
    memory::reserve(&mut deaths, births.len())?;
    deaths.extend(births.iter().map(|birth| I::from_usize(partners.partner(birth.to_usize()))));
    let finite = births.iter().zip(&deaths).map(|(birth, death)| (birth.to_usize(), death.to_usize()));
    // A column needs those whose births are later. Of descending births, none of those that are wanted has to wait.
    for (birth, death) in finite.clone().rev() {
        reducer.cycle_of_pair(birth, death)?;
    }
    let mut cells = Lists::new();
    for (birth, death) in finite {
        cells.push(reducer.cycle_of_pair(birth, death)?)?;
    }
    essential.iter().try_for_each(|cell| reducer.cycle_of_essential(cell.to_usize(), &mut cells))?;
    memory::reserve(&mut births, essential.len())?;
    births.extend(essential);
    let mut dims = Vec::new();
    memory::reserve(&mut dims, births.len())?;
    dims.extend(births.iter().map(|birth| matrix.dim(birth.to_usize())));
    Ok(Cycles { dims, births, deaths, cells, additions: reducer.additions() })
}
