//! Places of a grid, brick by brick.

use super::super::cell::Cell;
use super::super::grid::Grid;

/// Numbers the places of a grid so that those of a cube of it, a *brick*, follow each other.
pub(super) struct Bricks {
    side: usize,
    strides: [usize; 3],
    /// Number of bricks along rows and columns.
    counts: [usize; 2],
    /// Bits of the numbers that are cut off so that 32 remain.
    cut: u32,
}

/// Side of a brick: what is looked up in it fits the second cache of a core.
const SIDE: usize = 16;
/// Fewest levels of an image whose plateaus are small. With two levels bricks cost a third more time, with eight
/// nothing; from there on they save time.
const LEVELS: usize = 16;

impl Bricks {
    /// Bricks for columns of these faces, which are given in filtration order. Where there are plateaus, a place is a
    /// brick.
    pub(super) fn new(grid: &Grid<'_>, faces: &[Cell]) -> Self {
        let side = if has_levels(grid, faces) { SIDE } else { 1 };
        Bricks::of(side, grid.layout.strides, grid.places())
    }

    /// Bricks of so many places, which are so far apart along axes 0, 1 and 2.
    fn of(side: usize, strides: [usize; 3], places: usize) -> Self {
        let [_, row, plane] = strides;
        let counts = [(plane / row).div_ceil(side), row.div_ceil(side)];
        let planes = places.div_ceil(plane).div_ceil(side);
        let greatest = planes * counts[0] * counts[1] * side.pow(3);
        let cut = (usize::BITS - greatest.leading_zeros()).saturating_sub(u32::BITS);
        Bricks { side, strides, counts, cut }
    }

    /// The number of a place, at most 32 bits.
    pub(super) fn number(&self, place: usize) -> u64 {
        let (side, [_, row, plane]) = (self.side, self.strides);
        let at = [place / plane, place % plane / row, place % row];
        let ([z, y, x], [rows, columns]) = (at.map(|at| at / side), self.counts);
        let within = at.iter().fold(0, |within, at| within * side + at % side);
        let number = ((z * rows + y) * columns + x) * side.pow(3) + within;
        number as u64 >> self.cut
    }
}

/// Whether faces, given in filtration order, have at least [`LEVELS`] different keys.
fn has_levels(grid: &Grid<'_>, mut faces: &[Cell]) -> bool {
    for _ in 1..LEVELS {
        let Some(first) = faces.first() else { return false };
        let is_level = |face: &Cell| grid.packing.are_equal(face.entry(), first.entry());
        faces = &faces[faces.partition_point(is_level)..];
    }
    !faces.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_numbers_of_their_own_and_those_of_a_brick_follow_each_other() {
        // 5 planes of 7 rows of 6 columns.
        let (strides, places) = ([1, 6, 42], 210);
        let numbers = |side: usize| -> Vec<u64> {
            let bricks = Bricks::of(side, strides, places);
            (0..places).map(|place| bricks.number(place)).collect()
        };
        assert!(numbers(1).into_iter().eq(0..places as u64));
        let numbers = numbers(4);
        let brick = |place: usize| (place / 42 / 4, place % 42 / 6 / 4, place % 6 / 4);
        for (a, b) in (0..places).flat_map(|a| (0..a).map(move |b| (a, b))) {
            assert_ne!(numbers[a], numbers[b]);
            assert_eq!(numbers[a] / 64 == numbers[b] / 64, brick(a) == brick(b));
        }
    }
}
