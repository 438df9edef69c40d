//! Numbering of the critical edges that close loops, by place.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use hashbrown::HashMap;
use rayon::slice::ParallelSliceMut as _;

use super::super::cell::Cell;
use super::{Incidence, MATCHED, PART};
use crate::parallel;

/// Numbers of the critical edges that close loops. The other critical edges kill components, and are left out of
/// columns: each place has a mask of the directions of such edges, in which an edge is looked up when it is met.
pub(in super::super) enum Rows {
    /// By place, with the number of its first row: stored for every 32nd, with offsets for those in between.
    Everywhere {
        /// Number of rows before each block.
        of_block: Vec<u32>,
        /// Number of rows of the block before each place.
        in_block: Vec<u8>,
        /// The killers at each place. Zeroed memory is only mapped when it is first touched.
        killers: Vec<AtomicU8>,
        /// Number of rows.
        count: usize,
    },
    /// Where there are few rows, or the grid is too large for tables.
    Somewhere {
        /// The place of each row, ascending.
        places: Vec<usize>,
        /// The killers at the places that have any.
        killers: HashMap<usize, u8>,
    },
}

/// Number of places in a block. Each owns at most seven critical edges, so offsets fit 8 bits.
const BLOCK: usize = 32;
/// Number of blocks that a thread counts at a time.
const BLOCKS: usize = 1 << 10;

impl Rows {
    /// Numbers the critical edges of so many places but `killers`.
    pub(in super::super) fn new(incidence: &impl Incidence, killers: &[Cell], places: usize) -> Self {
        let masks: Vec<AtomicU8> = vec![0; places].into_iter().map(AtomicU8::new).collect();
        parallel::ranges(killers.len(), PART, &|range| {
            for &edge in &killers[range] {
                masks[incidence.place(edge)].fetch_or(1 << edge.direction(), Relaxed);
            }
        });
        let (mut of_block, mut in_block) = (vec![0; places.div_ceil(BLOCK)], vec![0; places]);
        let blocks = of_block.chunks_mut(BLOCKS).zip(in_block.chunks_mut(BLOCKS * BLOCK)).enumerate();
        parallel::each_of(blocks, &|(part, (of_block, in_block))| {
            for (block, (count, in_block)) in of_block.iter_mut().zip(in_block.chunks_mut(BLOCK)).enumerate()
            {
                let first = (part * BLOCKS + block) * BLOCK;
                let mut here = 0;
                for (place, before) in (first..).zip(in_block) {
                    *before = here;
                    // Most places have none, and machines without an instruction for it count slowly.
                    let edges = incidence.critical_edges(place);
                    if edges > 0 {
                        here += (edges - masks[place].load(Relaxed).count_ones()) as u8;
                    }
                }
                *count = u32::from(here);
            }
        });
        let count = of_block.iter_mut().fold(0, |sum, count| sum + std::mem::replace(count, sum));
        Rows::Everywhere { of_block, in_block, killers: masks, count: count as usize }
    }

    /// Numbers these critical edges, which are all but `killers`.
    pub(in super::super) fn of(incidence: &impl Incidence, killers: &[Cell], edges: &[Cell]) -> Self {
        let mut places: Vec<usize> = edges.iter().map(|&edge| incidence.place(edge)).collect();
        places.par_sort_unstable();
        let mut masks = HashMap::new();
        for &edge in killers {
            *masks.entry(incidence.place(edge)).or_default() |= 1 << edge.direction();
        }
        Rows::Somewhere { places, killers: masks }
    }

    /// Number of rows.
    pub(in super::super) fn count(&self) -> usize {
        match self {
            Rows::Everywhere { count, .. } => *count,
            Rows::Somewhere { places, .. } => places.len(),
        }
    }

    /// The mask of the directions of the killers at a place.
    #[inline(always)]
    fn killers(&self, place: usize) -> u8 {
        match self {
            Rows::Everywhere { killers, .. } => killers[place].load(Relaxed),
            Rows::Somewhere { killers, .. } => killers.get(&place).copied().unwrap_or(0),
        }
    }

    /// Whether an edge is critical and kills a component.
    #[inline(always)]
    pub(super) fn is_killer(&self, incidence: &impl Incidence, edge: Cell) -> bool {
        edge.direction() < MATCHED && self.killers(incidence.place(edge)) >> edge.direction() & 1 == 1
    }

    /// The row of a critical edge that closes a loop.
    #[inline(always)]
    pub(super) fn row(&self, incidence: &impl Incidence, edge: Cell) -> usize {
        let place = incidence.place(edge);
        let first = match self {
            Rows::Everywhere { of_block, in_block, .. } => {
                (of_block[place / BLOCK] + u32::from(in_block[place])) as usize
            }
            Rows::Somewhere { places, .. } => places.partition_point(|other| *other < place),
        };
        let killers = self.killers(place) & ((1 << edge.direction()) - 1);
        first + (incidence.index(edge) - killers.count_ones()) as usize
    }
}
