//! One word for each voxel, with all that the reduction of loops looks up there.
//!
//! A step along the gradient compares the keys of four voxels and looks up the matching of one or two of them, then
//! whether their edges kill components, and at last the row of the pivot. Noise has so many columns that these tables
//! do not fit the caches; a word for each voxel is one access instead of four.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::super::gradient::table::Star;
use super::super::look::Look;
use super::rows::{BLOCK, Rows};
use crate::parallel;

/// For each place, from the high bits down: the key of the voxel; the number of rows of its block before it; what the
/// voxel and its edges are matched with, and which of these kill components.
pub(in super::super) struct Stars {
    words: Vec<u64>,
    /// Number of rows before each block.
    of_block: Vec<u32>,
    /// Number of rows.
    count: usize,
}

/// Bits below the key.
const KEY: u32 = 32;
/// Bits below the number of rows.
const ROWS: u32 = Star::OF_EDGES.count_ones();

impl Rows {
    /// Puts what [`Rows::Everywhere`] holds by place beside keys and matchings. Other rows stay as they are.
    ///
    /// # Errors
    /// These rows are not of that kind.
    pub(in super::super) fn with_stars(self, look: &impl Look) -> Result<Stars, Self> {
        let Rows::Everywhere { of_block, in_block, killers, count } = self else { return Err(self) };
        let word = |place: usize| {
            let (before, killers): (u8, &AtomicU8) = (in_block[place], &killers[place]);
            let edges = look.star(place).of_edges(killers.load(Relaxed));
            u64::from(look.key(place).cast_unsigned()) << KEY | u64::from(before) << ROWS | edges
        };
        Ok(Stars { words: parallel::table(in_block.len(), word), of_block, count })
    }
}

impl Stars {
    /// The key of the voxel at a place.
    #[inline(always)]
    pub(in super::super) fn key(&self, place: usize) -> i32 {
        ((self.words[place] >> KEY) as u32).cast_signed()
    }

    /// The matching of the voxel at a place and of its edges, in which the edges that kill components are marked.
    #[inline(always)]
    pub(in super::super) fn star(&self, place: usize) -> Star {
        Star::of_bits(self.words[place] & Star::OF_EDGES)
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.count
    }

    /// The row of a critical edge that closes a loop.
    #[inline(always)]
    pub(super) fn row(&self, place: usize, direction: usize) -> usize {
        let before = (self.words[place] >> ROWS) as u8;
        let closing = self.star(place).closing(direction);
        (self.of_block[place / BLOCK] + u32::from(before) + closing) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::gradient::table::{EDGES, Table};
    use super::*;

    #[test]
    fn marked_matchings_leave_killers_out_and_count_the_other_critical_edges() {
        let table = Table::of(3);
        for code in (0..=u16::MAX).step_by(7) {
            let (star, critical) = (table.star(code), table.critical(code) & ((1 << EDGES) - 1));
            // Every other critical edge, beginning with the first or the second.
            for alternate in [0x15, 0x2a, 0x3f, 0] {
                let killers = critical & alternate;
                let marked = Star::of_bits(star.of_edges(killers as u8));
                for edge in 0..EDGES {
                    let is_killer = killers >> edge & 1 == 1;
                    assert_eq!(marked.is_in_forest(edge), is_killer || star.edge_of_voxel() == Some(edge));
                    assert_eq!(marked.goes_to_face(edge), star.goes_to_face(edge));
                    assert!(!star.goes_to_face(edge) || marked.face_of(edge) == star.face_of(edge));
                    let below = critical & !killers & ((1 << edge) - 1);
                    assert_eq!(marked.closing(edge), below.count_ones());
                }
            }
        }
    }
}
