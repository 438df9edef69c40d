//! The threads of a reduction, each with a working column of its own.

use std::iter;
use std::ops::Range;
use std::sync::Mutex;

use super::problem::{Additions, ReductionProblem};
use crate::matrix::index::SharedIndex;
use crate::matrix::reduction_matrix::ReductionMatrix;
use crate::matrix::working_columns::{self, WorkingColumn};
use crate::parallel::{self, SharedRange};
use crate::progress::{Progress, check};

/// Number of steps (columns visited and columns added) between checks whether the run is to end. An addition may take
/// as long as a hundred thousand rows do.
const STEPS: u64 = 32;

/// The working column of a thread, and its count of additions.
pub(crate) struct Worker<'p, I> {
    progress: &'p dyn Progress,
    steps: u64,
    working: Box<dyn WorkingColumn<I>>,
    rows: Vec<I>,
    /// Number of additions so far.
    pub additions: Additions,
}

impl<'p, I: SharedIndex> Worker<'p, I> {
    /// Creates a worker for the columns of a problem.
    pub(crate) fn new(problem: &ReductionProblem<'p, I>) -> Self {
        let working = working_columns::column(problem.columns, problem.matrix.len());
        Worker { progress: problem.progress, steps: 0, working, rows: Vec::new(), additions: 0 }
    }

    /// Counts a step, and checks every few of them whether the run is to end.
    #[inline]
    fn step(&mut self) {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS) {
            check(self.progress);
        }
    }

    /// Adds to a column whatever `next` returns for its pivot, until that is nothing or the column is zero. Returns
    /// the final pivot.
    ///
    /// The column is written before this returns; the working column is left empty. If `next` returns nothing for the
    /// first pivot, the column is not written.
    #[inline]
    pub(crate) fn reduce<'a>(
        &mut self,
        matrix: &ReductionMatrix<'_, I>,
        column: usize,
        next: impl Fn(usize) -> Option<&'a [I]>,
    ) -> Option<usize> {
        let low = matrix.low(column)?;
        self.step();
        match next(low) {
            None => Some(low),
            Some(other) => self.add_up(matrix, column, other, next),
        }
    }

    fn add_up<'a>(
        &mut self,
        matrix: &ReductionMatrix<'_, I>,
        column: usize,
        mut other: &'a [I],
        next: impl Fn(usize) -> Option<&'a [I]>,
    ) -> Option<usize> {
        self.working.add(matrix.column(column));
        loop {
            self.additions += 1;
            self.step();
            self.working.add(other);
            let Some(pivot) = self.working.pivot() else {
                matrix.clear(column);
                return None;
            };
            match next(pivot.to_usize()) {
                Some(found) => other = found,
                None => {
                    self.working.take(&mut self.rows);
                    matrix.set(column, &self.rows);
                    return Some(pivot.to_usize());
                }
            }
        }
    }

    /// Adds to a column the reduced columns with its lows, as long as these are in a block of rows. Returns the final
    /// pivot, as [`Worker::reduce`] does.
    #[inline]
    pub(crate) fn reduce_by(
        &mut self,
        problem: &ReductionProblem<'_, I>,
        column: usize,
        block: &Range<usize>,
    ) -> Option<usize> {
        let within = |pivot: usize| block.contains(&pivot).then(|| problem.reduced(pivot)).flatten();
        self.reduce(problem.matrix, column, within)
    }

    /// Reduces columns, from left to right, as long as their lows are in a block of rows, and pairs them there. Calls
    /// `left` with each column that has a low outside the block then, and with that low.
    pub(crate) fn reduce_within(
        &mut self,
        problem: &ReductionProblem<'_, I>,
        columns: &[I],
        block: &Range<usize>,
        mut left: impl FnMut(I, usize),
    ) {
        for &column in columns {
            match self.reduce_by(problem, column.to_usize(), block) {
                Some(pivot) if block.contains(&pivot) => problem.pair(pivot, column.to_usize()),
                Some(pivot) => left(column, pivot),
                None => (),
            }
        }
    }

    /// Visits the rows of a column from the greatest down, and keeps, drops or replaces each by `rule`.
    pub(crate) fn rewrite<'a>(
        &mut self,
        matrix: &ReductionMatrix<'_, I>,
        column: usize,
        rule: impl Fn(usize) -> Rewrite<'a, I>,
    ) {
        self.rows.clear();
        self.working.add(matrix.column(column));
        while let Some(row) = self.working.pivot() {
            match rule(row.to_usize()) {
                Rewrite::Keep => self.rows.extend(self.working.pop()),
                Rewrite::Drop => drop(self.working.pop()),
                Rewrite::Add(other) => {
                    self.working.add(other);
                    self.additions += 1;
                    self.step();
                }
            }
        }
        self.rows.reverse();
        if self.rows != matrix.column(column) {
            matrix.set(column, &self.rows);
        }
    }
}

/// The action of [`Worker::rewrite`] on a row.
pub(crate) enum Rewrite<'a, I> {
    /// The row stays.
    Keep,
    /// The row is removed.
    Drop,
    /// The row is removed by adding this column, whose low it is.
    Add(&'a [I]),
}

/// The workers of all threads. Every call is a barrier: it returns when all its work is done, and all threads see the
/// results in the next call.
pub(crate) struct Team<'p, I> {
    workers: Vec<Worker<'p, I>>,
}

/// Number of tasks that a worker takes at a time, where there are many small ones.
const BATCH: usize = 16;

impl<'p, I: SharedIndex> Team<'p, I> {
    /// Creates a worker for each of the problem's threads.
    pub(crate) fn new(problem: &ReductionProblem<'p, I>) -> Self {
        Team { workers: iter::repeat_with(|| Worker::new(problem)).take(problem.threads.max(1)).collect() }
    }

    /// Runs tasks 0..`tasks`, each on the first free worker. Returns the results in the order of the tasks. A single
    /// task runs on the calling thread, and no other is woken for it.
    pub(crate) fn map<R: Send>(
        &mut self,
        tasks: usize,
        each: impl Fn(&mut Worker<'p, I>, usize) -> R + Sync,
    ) -> Vec<R> {
        if tasks <= 1 {
            return (0..tasks).map(|task| each(&mut self.workers[0], task)).collect();
        }
        let results: Mutex<Vec<Option<R>>> = Mutex::new(iter::repeat_with(|| None).take(tasks).collect());
        self.run(tasks, 1, &|worker, task| {
            for task in task {
                let result = each(worker, task);
                parallel::lock(&results)[task] = Some(result);
            }
        });
        parallel::into_inner(results).into_iter().flatten().collect()
    }

    /// Calls `each` for many small items. Each worker takes the next items in order.
    pub(crate) fn each<T: Sync>(&mut self, items: &[T], each: impl Fn(&mut Worker<'p, I>, &T) + Sync) {
        self.run(items.len(), BATCH, &|worker, batch| {
            items[batch].iter().for_each(|item| each(worker, item))
        });
    }

    /// Runs tasks 0..`tasks`. Each worker takes the next `batch` of them in order.
    fn run(&mut self, tasks: usize, batch: usize, work: &(dyn Fn(&mut Worker<'p, I>, Range<usize>) + Sync)) {
        let next = SharedRange::new(tasks, batch);
        parallel::pieces_mut(&mut self.workers, 1, &|_, worker| {
            while let Some(tasks) = next.take() {
                work(&mut worker[0], tasks);
            }
        });
    }

    /// Number of all additions so far.
    pub(crate) fn additions(&self) -> Additions {
        self.workers.iter().map(|worker| worker.additions).sum()
    }
}
