//! Cells, in one word each.

/// A cell by its owner: 30 bits of the owner's rank, 4 of the direction in which it lies, 30 of the owner's place. Words are in the
/// order of the filtration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u64);

const PLACE_BITS: u32 = 30;
const DIRECTION_BITS: u32 = 4;

impl Cell {
    /// The cell in a direction, as numbered in [`super::gradient::table`], of the voxel of a rank and place.
    #[inline(always)]
    pub fn new(rank: u32, direction: usize, place: usize) -> Self {
        let direction = (direction as u64) << PLACE_BITS;
        Cell(u64::from(rank) << (PLACE_BITS + DIRECTION_BITS) | direction | place as u64)
    }

    /// Its owner's place.
    #[inline(always)]
    pub fn place(self) -> usize {
        (self.0 & ((1 << PLACE_BITS) - 1)) as usize
    }

    /// Where it lies from its owner.
    #[inline(always)]
    pub fn direction(self) -> usize {
        (self.0 >> PLACE_BITS & ((1 << DIRECTION_BITS) - 1)) as usize
    }

    /// Its owner's rank.
    #[inline(always)]
    pub fn rank(self) -> u32 {
        (self.0 >> (PLACE_BITS + DIRECTION_BITS)) as u32
    }

    /// The cell of a word.
    #[inline(always)]
    pub fn of_word(word: u64) -> Self {
        Cell(word)
    }

    /// The word that holds the cell.
    #[inline(always)]
    pub fn word(self) -> u64 {
        self.0
    }
}
