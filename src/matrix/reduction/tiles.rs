//! The tiles of a dimension and their open columns, for SS+.

use std::borrow::Cow;

use super::problem::ReductionProblem;
use super::stripes::Stripes;
use super::team::Worker;
use crate::matrix::index::SharedIndex;

/// A tile: the columns of a stripe whose low is in a block of rows. The columns need not ascend.
pub(crate) struct Tile<I> {
    /// Number of the stripe.
    pub stripe: usize,
    /// Number of the block.
    pub block: usize,
    /// The open columns.
    pub columns: Vec<I>,
}

/// The open columns of one dimension, by tile. A column is visited only in the passes of the tiles that contain it.
///
/// A column is put into the tile of its low once that is known. Before a stripe's first pass its columns are in the
/// tile of its own block, the greatest that can contain their lows; or, where no cell of the dimension below comes
/// after the first column, in that of block 0, which contains all of their lows.
pub(crate) struct Tiles<I> {
    stripes: Stripes<I>,
    /// The open columns of each stripe and block.
    open: Vec<Vec<Vec<I>>>,
}

impl<I: SharedIndex> Tiles<I> {
    /// Cuts the columns of a dimension, ascending and in several parts, into at most `stripes` stripes.
    pub(crate) fn cut(problem: &ReductionProblem<'_, I>, parts: &[Vec<I>], stripes: usize) -> Self {
        let mut stripes = Stripes::cut(parts, stripes);
        let rows_are_mixed = rows_are_mixed(problem, parts.iter().flatten().next());
        let whole = std::mem::take(&mut stripes.open).into_iter().enumerate();
        let open = whole.map(|(stripe, columns)| {
            let mut open = vec![Vec::new(); stripe + 1];
            open[if rows_are_mixed { stripe } else { 0 }] = columns;
            open
        });
        Tiles { open: open.collect(), stripes }
    }

    /// Number of stripes, of blocks and of passes.
    pub(crate) fn count(&self) -> usize {
        self.open.len()
    }

    /// Removes and returns the tiles of a pass that have open columns.
    pub(crate) fn take(&mut self, pass: usize) -> Vec<Tile<I>> {
        let tiles = self.open.iter_mut().enumerate().skip(pass).map(|(stripe, open)| {
            let block = stripe - pass;
            Tile { stripe, block, columns: std::mem::take(&mut open[block]) }
        });
        tiles.filter(|tile| !tile.columns.is_empty()).collect()
    }

    /// Puts columns of a stripe back, given by block.
    pub(crate) fn put(&mut self, stripe: usize, by_block: Vec<Vec<I>>) {
        for (open, mut columns) in self.open[stripe].iter_mut().zip(by_block) {
            if open.is_empty() {
                *open = columns;
            } else {
                open.append(&mut columns);
            }
        }
    }

    /// Adds to the given columns of a tile all columns that earlier passes paired in its block.
    pub(crate) fn add_earlier(
        &self,
        problem: &ReductionProblem<'_, I>,
        worker: &mut Worker<'_, I>,
        block: usize,
        columns: &[I],
    ) {
        let block = self.stripes.rows(block);
        for column in columns {
            worker.reduce_by(problem, column.to_usize(), &block);
        }
    }

    /// Reduces a tile as the spectral sequence does. Returns, for each block before it, the columns whose low is now
    /// there.
    pub(crate) fn settle(
        &self,
        problem: &ReductionProblem<'_, I>,
        worker: &mut Worker<'_, I>,
        tile: &Tile<I>,
    ) -> Vec<Vec<I>> {
        let block = self.stripes.rows(tile.block);
        let mut left = Vec::new();
        worker.reduce_within(problem, &ascending(&tile.columns), &block, |column, pivot| {
            left.resize_with(tile.block, Vec::new);
            left[self.stripes.block_of(pivot)].push(column);
        });
        left
    }
}

/// The columns in ascending order, which columns from several tiles are not in.
fn ascending<I: SharedIndex>(columns: &[I]) -> Cow<'_, [I]> {
    let mut columns = Cow::Borrowed(columns);
    if !columns.is_sorted() {
        columns.to_mut().sort_unstable();
    }
    columns
}

/// Whether cells of the dimension below come after the first of the columns, which are of one dimension.
fn rows_are_mixed<I: SharedIndex>(problem: &ReductionProblem<'_, I>, first: Option<&I>) -> bool {
    let dims = problem.matrix.boundaries().dims();
    let Some(first) = first.map(|first| first.to_usize()) else { return false };
    dims[first].checked_sub(1).is_some_and(|below| dims[first..].contains(&below))
}
