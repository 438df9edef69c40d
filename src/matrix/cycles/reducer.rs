//! Reduces columns of R on demand, and derives columns of V from the recorded additions.

use hashbrown::HashMap;
use phat_formats::{BoundaryMatrix, Dimension};

use super::CyclesError;
use super::partners::{Partners, Role};
use crate::matrix::index::SharedIndex;
use crate::matrix::reduction_matrix::ReductionMatrix;
use crate::matrix::working_columns::{BitTree, WorkingColumn};
use crate::memory;
use crate::progress::{Progress, check};

/// Number of additions between checks whether the run is to end.
const STEPS: u64 = 32;

/// The columns reduced so far, and the column that is being reduced.
pub(super) struct Reducer<'m, I: SharedIndex> {
    partners: &'m Partners<I>,
    progress: &'m dyn Progress,
    /// The columns of R that are reduced, and those of the matrix for the others.
    columns: ReductionMatrix<'m, I>,
    /// For each reduced column with recorded additions, the columns that were added to it.
    added: HashMap<usize, Box<[I]>>,
    /// Whether additions are recorded, for each dimension.
    notes: [bool; 1 << Dimension::BITS],
    working: BitTree,
    /// The recorded additions to the column under reduction.
    noted: Vec<I>,
    /// The rows or cells of a column behind the working column; its capacity is the number of cells.
    scratch: Vec<I>,
    /// Partly reduced columns, each of which waits for the next one and the last for the column under reduction.
    waiting: Vec<Waiting<I>>,
    additions: u64,
}

/// A column to reduce, and the low that it must get; `None` if it must become zero.
#[derive(Debug, Clone, Copy)]
struct Task {
    column: usize,
    low: Option<usize>,
}

/// A partly reduced column.
struct Waiting<I> {
    task: Task,
    /// The current rows of the column.
    rows: Box<[I]>,
    /// The recorded additions to the column.
    noted: Vec<I>,
}

impl<'m, I: SharedIndex> Reducer<'m, I> {
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
        // `columns` and `scratch` take one index per cell each, the working column about a bit.
        memory::probe((cells as u64).saturating_mul(2 * size_of::<I>() as u64 + 1))?;
        let mut scratch = Vec::new();
        memory::reserve(&mut scratch, cells)?;
        Ok(Reducer {
            partners,
            progress,
            columns: ReductionMatrix::new(matrix),
            added: HashMap::new(),
            notes: [false; 1 << Dimension::BITS],
            working: BitTree::new(cells),
            noted: Vec::new(),
            scratch,
            waiting: Vec::new(),
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
        if self.columns.low(death) != Some(birth) {
            self.reduce(Task { column: death, low: Some(birth) })?;
        }
        Ok(self.columns.column(death))
    }

    /// Returns the column of V of a cell that creates an essential class, ascending. Additions to columns of its
    /// dimension must be recorded.
    ///
    /// # Errors
    /// The pairs are not those of the matrix; or there is no memory for the columns.
    pub(super) fn cycle_of_essential(&mut self, cell: usize) -> Result<&[I], CyclesError> {
        self.reduce(Task { column: cell, low: None })?;
        self.noted.iter().for_each(|column| self.working.toggle(column.to_usize()));
        self.noted.clear();
        // The capacity of `scratch` suffices for all cells.
        self.scratch.clear();
        self.scratch.push(I::from_usize(cell));
        while let Some(column) = self.working.greatest() {
            self.working.toggle(column);
            self.scratch.push(I::from_usize(column));
            self.added.get(&column).into_iter().for_each(|added| self.working.add(added));
        }
        self.scratch.reverse();
        Ok(&self.scratch)
    }

    /// Reduces a column and the columns that it needs. The working column is empty before and after.
    fn reduce(&mut self, task: Task) -> Result<(), CyclesError> {
        let mut task = task;
        self.working.add(self.columns.column(task.column));
        loop {
            let low = self.working.greatest();
            if low == task.low {
                let Some(waiting) = self.finish(task) else { return Ok(()) };
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
            if self.columns.low(death) == Some(birth) {
                self.add(task, death)?;
            } else {
                WorkingColumn::take(&mut self.working, &mut self.scratch);
                let (rows, noted) = (self.scratch[..].into(), std::mem::take(&mut self.noted));
                self.waiting.push(Waiting { task, rows, noted });
                task = Task { column: death, low: Some(birth) };
                self.working.add(self.columns.column(death));
            }
        }
    }

    /// Adds column `death` of R, which is reduced, to the column under reduction.
    fn add(&mut self, task: Task, death: usize) -> Result<(), CyclesError> {
        self.working.add(self.columns.column(death));
        self.additions += 1;
        if self.additions.is_multiple_of(STEPS) {
            check(self.progress);
        }
        if self.notes[usize::from(self.columns.boundaries().dim(task.column))] {
            memory::push(&mut self.noted, I::from_usize(death))?;
        }
        Ok(())
    }

    /// Stores the reduced working column and resumes the column that waits for it, if there is one.
    fn finish(&mut self, task: Task) -> Option<Task> {
        if task.low.is_some() {
            WorkingColumn::take(&mut self.working, &mut self.scratch);
            self.columns.set(task.column, &self.scratch);
            if !self.noted.is_empty() {
                self.added.insert(task.column, std::mem::take(&mut self.noted).into());
            }
        }
        let Waiting { task, rows, noted } = self.waiting.pop()?;
        self.working.add(&rows);
        self.noted = noted;
        Some(task)
    }
}
