//! Numbering of critical edges by place.

use rayon::slice::ParallelSliceMut as _;

use crate::parallel;

/// The number of the first critical edge of each place.
pub(in super::super) enum Rows {
    /// By place: stored for every 32nd, with offsets for those in between.
    Everywhere {
        /// Number of critical edges before each block.
        of_block: Vec<u32>,
        /// Number of critical edges of the block before each place.
        in_block: Vec<u8>,
        /// Number of critical edges.
        count: usize,
    },
    /// The place of each critical edge, ascending, for grids that are too large for a table.
    Somewhere(Vec<usize>),
}

/// Number of places in a block. Each owns at most seven critical edges, so offsets fit 8 bits.
const BLOCK: usize = 32;
/// Number of blocks that a thread counts at a time.
const PART: usize = 1 << 10;

impl Rows {
    /// Numbers the critical edges of all places; `critical_edges` returns their number at a place.
    pub(in super::super) fn new(critical_edges: impl Fn(usize) -> u32 + Sync, places: usize) -> Self {
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
        Rows::Everywhere { of_block, in_block, count: count as usize }
    }

    /// Numbers the critical edges with these places.
    pub(in super::super) fn of(mut places: Vec<usize>) -> Self {
        places.par_sort_unstable();
        Rows::Somewhere(places)
    }

    /// Number of critical edges.
    pub(in super::super) fn count(&self) -> usize {
        match self {
            Rows::Everywhere { count, .. } => *count,
            Rows::Somewhere(places) => places.len(),
        }
    }

    /// The number of the first critical edge of a place.
    #[inline(always)]
    pub(in super::super) fn first(&self, place: usize) -> usize {
        match self {
            Rows::Everywhere { of_block, in_block, .. } => {
                (of_block[place / BLOCK] + u32::from(in_block[place])) as usize
            }
            Rows::Somewhere(places) => places.partition_point(|other| *other < place),
        }
    }
}
