//! Boundary matrices of cells that are listed in filtration order.

use phat_formats::{BoundaryMatrix, Dimension, Index};
use rayon::prelude::*;

use super::ComplexError;
use crate::parallel;
use crate::progress::Progress;

/// Number of columns that a task builds.
const CHUNK: usize = 1 << 12;

/// Builds the boundary matrix of a complex. `order` lists its cells in filtration order, `position` is the inverse of
/// `order`. `dim` returns the dimension of a cell, `count` the number of facets of a cell of a dimension, and `facets`
/// the facets of a cell. Reports its stage to `progress`, with cells as units of work.
pub(super) fn boundary_matrix<I: Index, F: Iterator<Item = usize>>(
    order: &[I],
    position: &[I],
    dim: impl Fn(usize) -> Dimension + Sync,
    count: &dyn Fn(usize) -> usize,
    facets: impl Fn(usize) -> F + Sync,
    progress: &dyn Progress,
) -> Result<BoundaryMatrix<I>, ComplexError> {
    progress.begin("boundaries", None, order.len() as u64);
    let dims: Vec<Dimension> = parallel::table(order.len(), |k| dim(order[k].to_usize()));
    let offsets: Vec<I> = offsets(&dims, count)?;
    let mut rows = vec![I::default(); offsets[dims.len()].to_usize()];
    let mut ends = offsets.iter().skip(CHUNK).step_by(CHUNK).map(|end| end.to_usize());
    let pieces = split(&mut rows, &mut ends);
    let columns = pieces.into_iter().zip(order.chunks(CHUNK)).zip(offsets.chunks(CHUNK));
    parallel::each_of(columns, &|((rows, cells), starts)| {
        for (cell, start) in cells.iter().zip(starts) {
            let column = &mut rows[start.to_usize() - starts[0].to_usize()..];
            let mut count = 0;
            for facet in facets(cell.to_usize()) {
                column[count] = position[facet];
                count += 1;
            }
            column[..count].sort_unstable();
        }
        progress.advance(cells.len() as u64);
    });
    Ok(BoundaryMatrix::from_parts(dims, offsets, rows)?)
}

/// Start of each column, and then the number of entries.
fn offsets<I: Index>(dims: &[Dimension], count: &dyn Fn(usize) -> usize) -> Result<Vec<I>, ComplexError> {
    let facets: [usize; 1 << Dimension::BITS] = std::array::from_fn(count);
    let mut cells = [0usize; 1 << Dimension::BITS];
    for &dim in dims {
        cells[usize::from(dim)] += 1;
    }
    let entries = |sum: usize, (cells, facets): (usize, usize)| sum.checked_add(cells.checked_mul(facets)?);
    ComplexError::check_size::<I>("entries", cells.into_iter().zip(facets).try_fold(0, entries))?;
    let mut end = 0;
    let ends = dims.iter().map(|&dim| {
        end += facets[usize::from(dim)];
        I::from_usize(end)
    });
    Ok(std::iter::once(I::default()).chain(ends).collect())
}

/// Cuts a slice before each of `ends`, which ascend; the last piece is the rest.
pub(super) fn split<'a, T>(mut rest: &'a mut [T], ends: &mut dyn Iterator<Item = usize>) -> Vec<&'a mut [T]> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for end in ends {
        let (piece, after) = rest.split_at_mut(end - start);
        pieces.push(piece);
        (rest, start) = (after, end);
    }
    pieces.push(rest);
    pieces
}

/// The cells, each given with its key, in the order of keys and then of numbers.
pub(super) fn sorted<I: Index>(mut keys: Vec<(u64, I)>) -> Vec<I> {
    keys.par_sort_unstable();
    parallel::table(keys.len(), |k| keys[k].1)
}

/// The inverse of the permutation `order`.
pub(super) fn positions<I: Index>(order: &[I]) -> Vec<I> {
    let mut position = vec![I::default(); order.len()];
    for (k, cell) in order.iter().enumerate() {
        position[cell.to_usize()] = I::from_usize(k);
    }
    position
}
