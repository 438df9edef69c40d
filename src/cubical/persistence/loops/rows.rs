//! Numbering of critical edges by place.

use crate::parallel;

/// The number of the first critical edge of each place: stored for every 32nd place, with offsets for those in between.
pub(super) struct Rows {
    of_block: Vec<u32>,
    in_block: Vec<u8>,
    count: usize,
}

/// Number of places in a block. Each owns at most seven critical edges, so offsets fit 8 bits.
const BLOCK: usize = 32;
/// Number of blocks that a thread counts at a time.
const PART: usize = 1 << 10;

impl Rows {
    /// Numbers the critical edges of all places; `critical_edges` returns their number at a place.
    pub(super) fn new(critical_edges: impl Fn(usize) -> u32 + Sync, places: usize) -> Self {
        let (mut of_block, mut in_block) = (vec![0; places.div_ceil(BLOCK)], vec![0; places]);
        let blocks = of_block.chunks_mut(PART).zip(in_block.chunks_mut(PART * BLOCK)).enumerate();
        parallel::each_of(blocks, &|(part, (of_block, in_block))| {
            for (block, (count, in_block)) in of_block.iter_mut().zip(in_block.chunks_mut(BLOCK)).enumerate()
            {
                let first = (part * PART + block) * BLOCK;
                let mut here = 0;
                for (place, before) in (first..).zip(in_block) {
                    *before = here;
                    here += critical_edges(place) as u8;
                }
                *count = u32::from(here);
            }
        });
        let count = of_block.iter_mut().fold(0, |sum, count| sum + std::mem::replace(count, sum));
        Rows { of_block, in_block, count: count as usize }
    }

    /// Number of critical edges.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The number of the first critical edge of a place.
    #[inline(always)]
    pub(super) fn first(&self, place: usize) -> usize {
        (self.of_block[place / BLOCK] + u32::from(self.in_block[place])) as usize
    }
}
