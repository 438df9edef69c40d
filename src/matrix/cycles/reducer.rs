//! Reduces columns of R on demand, and derives columns of V from the recorded additions.

use phat_formats::{BoundaryMatrix, Dimension, Index};

use super::CyclesError;
use super::lists::Lists;
use super::partners::{Partners, Role};
use crate::matrix::working_columns::{BitTree, WorkingColumn};
use crate::memory;
use crate::progress::{Progress, check};

/// Number of additions between checks whether the run is to end.
const STEPS: u64 = 32;

/// The columns reduced so far, and the column that is being reduced.
pub(super) struct Reducer<'m, I> {
    matrix: &'m BoundaryMatrix<I>,
    partners: &'m Partners<I>,
    progress: &'m dyn Progress,
    /// For each column that additions have reduced, the number of its list in `columns` plus one; 0 for others.
    places: Vec<I>,
    /// The reduced columns that differ from those of the matrix.
    columns: Lists<I>,
    /// For each of `columns`, the columns that were added to it in order, if additions are recorded for its
    /// dimension.
    added: Lists<I>,
    /// Whether additions are recorded, for each dimension.
    notes: [bool; 1 << Dimension::BITS],
    working: BitTree,
    /// The recorded additions to the column under reduction.
    noted: Vec<I>,
    /// The rows or cells of a column between working column and list; its capacity is the number of cells.
    scratch: Vec<I>,
    /// Partly reduced columns that wait for the column under reduction.
    waiting: Waiting<I>,
    additions: u64,
}

/// A column to reduce, and the low that it must get; `None` if it must become zero.
#[derive(Debug, Clone, Copy)]
struct Task {
    column: usize,
    low: Option<usize>,
}

/// A stack of partly reduced columns.
struct Waiting<I> {
    tasks: Vec<Task>,
    /// The current rows of each column.
    rows: Lists<I>,
    /// The recorded additions to each column.
    noted: Lists<I>,
}

impl<'m, I: Index> Reducer<'m, I> {
    /// Creates a reducer without a reduced column.
    ///
    /// # Errors
    /// There is no memory for the tables.
    pub(super) fn new(
        matrix: &'m BoundaryMatrix<I>,
        partners: &'m Partners<I>,
        progress: &'m dyn Progress,
    ) -> Result<Self, CyclesError> {
        let cells = matrix.len();
        // `places` and `scratch` take one index per cell each, the working column about a bit.
        memory::probe((cells as u64).saturating_mul(2 * size_of::<I>() as u64 + 1))?;
        let places = memory::filled(I::default(), cells)?;
        let mut scratch = Vec::new();
        memory::reserve(&mut scratch, cells)?;
        Ok(Reducer {
            matrix,
            partners,
            progress,
            places,
            columns: Lists::new(),
            added: Lists::new(),
            notes: [false; 1 << Dimension::BITS],
            working: BitTree::new(cells),
            noted: Vec::new(),
            scratch,
            waiting: Waiting { tasks: Vec::new(), rows: Lists::new(), noted: Lists::new() },
            additions: 0,
        })
    }

    /// Records additions to columns of a dimension from now on. None of them may have been reduced yet.
    pub(super) fn note_dimension(&mut self, dim: Dimension) {
        self.notes[usize::from(dim)] = true;
    }

    /// Number of column additions so far.
    pub(super) fn additions(&self) -> u64 {
        self.additions
    }

    /// Returns column `death` of R, which is the cycle of the class that the cell `birth` creates.
    ///
    /// # Errors
    /// The pairs are not those of the matrix; or there is no memory for the column.
    pub(super) fn cycle_of_pair(&mut self, birth: usize, death: usize) -> Result<&[I], CyclesError> {
        if self.reduced(birth, death).is_none() {
            self.reduce(Task { column: death, low: Some(birth) })?;
        }
        self.reduced(birth, death).ok_or(CyclesError::NotThePairs { column: death })
    }

    /// Column `death` of R, with the low `birth`, if it has been reduced or is reduced as it stands.
    fn reduced(&self, birth: usize, death: usize) -> Option<&[I]> {
        reduced(self.matrix, &self.places, &self.columns, birth, death)
    }

    /// Appends the column of V of a cell that creates an essential class to `cycle`, ascending. Additions to columns
    /// of its dimension must be recorded.
    ///
    /// # Errors
    /// The pairs are not those of the matrix; or there is no memory for the columns.
    pub(super) fn cycle_of_essential(
        &mut self,
        cell: usize,
        cycle: &mut Lists<I>,
    ) -> Result<(), CyclesError> {
        self.reduce(Task { column: cell, low: None })?;
        self.noted.iter().for_each(|column| self.working.toggle(column.to_usize()));
        self.noted.clear();
        // The capacity of `scratch` suffices for all cells.
        self.scratch.clear();
        self.scratch.push(I::from_usize(cell));
        while let Some(column) = self.working.greatest() {
            self.working.toggle(column);
            self.scratch.push(I::from_usize(column));
            if let Some(list) = self.places[column].to_usize().checked_sub(1) {
                self.working.add(self.added.get(list));
            }
        }
        self.scratch.reverse();
        Ok(cycle.push(&self.scratch)?)
    }

    /// Reduces a column and the columns that it needs. The working column is empty before and after.
    fn reduce(&mut self, task: Task) -> Result<(), CyclesError> {
        let mut task = task;
        self.working.add(self.matrix.column(task.column));
        loop {
            let low = self.working.greatest();
            if low == task.low {
                let Some(waiting) = self.finish(task)? else { return Ok(()) };
                task = waiting;
                continue;
            }
            let needed = low.and_then(|low| match self.partners.role(low) {
                Role::Birth(death) if death < task.column => Some((low, death)),
                _ => None,
            });
            // The pairs of the matrix lead each column to its required low, so other pairs were passed.
            let Some((birth, death)) = needed else {
                return Err(CyclesError::NotThePairs { column: task.column });
            };
            if self.add(birth, death) {
                if self.notes[usize::from(self.matrix.dim(task.column))] {
                    memory::push(&mut self.noted, I::from_usize(death))?;
                }
            } else {
                self.suspend(task)?;
                task = Task { column: death, low: Some(birth) };
                self.working.add(self.matrix.column(death));
            }
        }
    }

    /// Adds column `death` of R, with the low `birth`, if it is reduced, and returns whether it is.
    fn add(&mut self, birth: usize, death: usize) -> bool {
        let column = reduced(self.matrix, &self.places, &self.columns, birth, death);
        let Some(column) = column else { return false };
        self.working.add(column);
        self.additions += 1;
        if self.additions.is_multiple_of(STEPS) {
            check(self.progress);
        }
        true
    }

    /// Pushes a partly reduced column on the stack and empties the working column.
    fn suspend(&mut self, task: Task) -> Result<(), CyclesError> {
        WorkingColumn::take(&mut self.working, &mut self.scratch);
        memory::push(&mut self.waiting.tasks, task)?;
        self.waiting.rows.push(&self.scratch)?;
        self.waiting.noted.push(&self.noted)?;
        self.noted.clear();
        Ok(())
    }

    /// Stores the reduced working column and resumes the column on top of the stack, if there is one.
    fn finish(&mut self, task: Task) -> Result<Option<Task>, CyclesError> {
        if task.low.is_some() {
            WorkingColumn::take(&mut self.working, &mut self.scratch);
            self.columns.push(&self.scratch)?;
            self.added.push(&self.noted)?;
            self.places[task.column] = I::from_usize(self.columns.len());
            self.noted.clear();
        }
        let Some(waiting) = self.waiting.tasks.pop() else { return Ok(None) };
        let top = self.waiting.rows.len() - 1;
        self.working.add(self.waiting.rows.get(top));
        let noted = self.waiting.noted.get(top);
        memory::reserve(&mut self.noted, noted.len())?;
        self.noted.extend_from_slice(noted);
        self.waiting.rows.pop();
        self.waiting.noted.pop();
        Ok(Some(waiting))
    }
}

/// Column `death` of R, with the low `birth`, if it is among the reduced `columns` or is reduced as it stands in the
/// matrix.
#[inline]
fn reduced<'a, I: Index>(
    matrix: &'a BoundaryMatrix<I>,
    places: &[I],
    columns: &'a Lists<I>,
    birth: usize,
    death: usize,
) -> Option<&'a [I]> {
    match places[death].to_usize().checked_sub(1) {
        Some(list) => Some(columns.get(list)),
        None => {
            let column = matrix.column(death);
            column.last().is_some_and(|low| low.to_usize() == birth).then_some(column)
        }
    }
}
