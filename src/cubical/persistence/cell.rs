//! Cells of the complex, one word each.

use zerocopy::FromZeros;

/// A cell, identified by its owner: 30 bits of the owner's rank, 4 of the cell's direction from the owner, 30 of the
/// owner's place. Words compare in filtration order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, FromZeros)]
pub(crate) struct Cell(u64);

const PLACE_BITS: u32 = 30;
const DIRECTION_BITS: u32 = 4;

impl Cell {
    /// The cell in a direction, numbered as in [`super::gradient::table`], of the voxel with this rank and place.
    #[inline(always)]
    pub(crate) fn new(rank: u32, direction: usize, place: usize) -> Self {
        let direction = (direction as u64) << PLACE_BITS;
        Cell(u64::from(rank) << (PLACE_BITS + DIRECTION_BITS) | direction | place as u64)
    }

    /// The place of the owner.
    #[inline(always)]
    pub(crate) fn place(self) -> usize {
        (self.0 & ((1 << PLACE_BITS) - 1)) as usize
    }

    /// The direction of the cell from its owner.
    #[inline(always)]
    pub(crate) fn direction(self) -> usize {
        (self.0 >> PLACE_BITS & ((1 << DIRECTION_BITS) - 1)) as usize
    }

    /// The rank of the owner.
    #[inline(always)]
    pub(crate) fn rank(self) -> u32 {
        (self.0 >> (PLACE_BITS + DIRECTION_BITS)) as u32
    }
}
