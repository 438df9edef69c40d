//! Cells in the order of the filtration.

use super::parts::{Cells, groups, range};
use super::{Flavour, WeightedBoundaryMatrix};
use crate::anti_transpose::anti_transpose;
use crate::parallel::{PIECE, each_of, position, ranges, table};
use crate::{BoundaryMatrix, Dimension, Index};
use rayon::prelude::*;

/// The order of the cells as columns of a matrix: filtration order, or for coboundaries its reverse, so that the
/// matrix of the coboundaries is the anti-transpose.
pub(super) struct Order<I> {
    pub(super) flavour: Flavour,
    /// The cell at each place.
    cells: Vec<I>,
    /// The place of each cell.
    pub(super) places: Vec<I>,
}

impl<I: Index> Order<I> {
    pub(super) fn of(cells: &Cells<I>, flavour: Flavour) -> Self {
        let n = cells.len();
        let key = |cell: usize| (ordered(cells.values[cell]), cells.dims[cell]);
        let descends = |cell| cell > 0 && key(cell - 1) > key(cell);
        let mut order: Vec<I> = if position(n, descends).is_none() {
            table(n, I::from_usize)
        } else {
            let mut keys = table(n, |cell| (key(cell), I::from_usize(cell)));
            keys.par_sort_unstable();
            table(n, |place| keys[place].1)
        };
        if flavour == Flavour::Coboundary {
            order.reverse();
        }
        let mut places = vec![I::default(); n];
        let shared = I::as_atomic(&mut places);
        ranges(n, PIECE, &|places| {
            places.for_each(|place| I::store(&shared[order[place].to_usize()], I::from_usize(place)));
        });
        Order { flavour, cells: order, places }
    }

    /// Builds the matrix whose columns are the cells' lists of entries in this order, turned into boundaries.
    pub(super) fn arrange(
        &self,
        cells: &Cells<I>,
        entries: Vec<I>,
        max_dim: Dimension,
    ) -> WeightedBoundaryMatrix<I> {
        let (n, cell) = (cells.len(), |place: usize| self.cells[place].to_usize());
        let (offsets, rows) = match position(n, |place| cell(place) != place) {
            None => (cells.offsets.clone(), entries),
            Some(_) => self.permute(cells, &entries),
        };
        let mut dims = table(n, |place| cells.dims[cell(place)]);
        let mut values = table(n, |place| cells.values[cell(place)]);
        let matrix = match self.flavour {
            Flavour::Boundary => BoundaryMatrix::from_checked(dims, offsets, rows),
            Flavour::Coboundary => {
                values.reverse();
                let coboundaries: Vec<_> = dims.iter().map(|dim| max_dim - dim).collect();
                let mirrored = BoundaryMatrix::from_checked(coboundaries, offsets, rows);
                dims.reverse();
                let (offsets, rows) = anti_transpose(&mirrored);
                BoundaryMatrix::from_checked(dims, offsets, rows)
            }
        };
        WeightedBoundaryMatrix { matrix, values, max_dim }
    }

    /// Returns the offsets and rows of the cells' lists in this order.
    fn permute(&self, cells: &Cells<I>, entries: &[I]) -> (Vec<I>, Vec<I>) {
        let list = |place: usize| &entries[range(&cells.offsets, self.cells[place].to_usize())];
        let mut end = 0;
        let ends = (0..cells.len()).map(|place| {
            end += list(place).len();
            I::from_usize(end)
        });
        let offsets: Vec<_> = std::iter::once(I::default()).chain(ends).collect();
        let mut rows = vec![I::default(); entries.len()];
        each_of(groups(&offsets, &mut rows).into_iter(), &|(places, mut rows)| {
            for place in places {
                let (first, rest) = rows.split_at_mut(list(place).len());
                first.copy_from_slice(list(place));
                rows = rest;
            }
        });
        (offsets, rows)
    }
}

/// Maps a value to an integer of the same order; both zeros are equal.
fn ordered(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_order_as_numbers() {
        let values =
            [f64::NEG_INFINITY, -1e300, -1.0, -f64::MIN_POSITIVE, -0.0, 0.0, 5e-324, 1.0, f64::INFINITY];
        for a in values {
            for b in values {
                assert_eq!(ordered(a).cmp(&ordered(b)), a.partial_cmp(&b).unwrap(), "{a} {b}");
            }
        }
    }
}
