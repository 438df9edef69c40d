//! The voxels of an image ranked by the filtration, on a grid with a rim.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::error::PersistenceError;
use super::layout::{GridLayout, GridPlace};
use super::order::{FIRST, Keyed, order};
use super::request::PersistenceRequest;
use crate::cubical::construction::Construction;
use crate::cubical::image::AnyImage;
use crate::parallel;
use crate::progress::Progress;
use crate::with_image;

/// The voxels of an image, ranked by the filtration of the complex whose vertices they are, on a grid with a rim.
///
/// The order is the filtration order of the image for [`Construction::V`], and its reverse, ties included, for
/// [`Construction::T`]. Ranks are 1 to n. Rim places have rank 0 in the dual complex, where the rim is a single vertex
/// older than all others, and [`AFTER`] in the primal complex, where they stand for no vertex.
pub(crate) struct Grid {
    pub(crate) layout: GridLayout,
    /// The complex whose vertices are the voxels.
    pub(crate) construction: Construction,
    rank_of: Vec<u32>,
    place_of: Vec<GridPlace>,
    levels: Levels,
}

/// The distinct values of an image, numbered in the order of ranks.
struct Levels {
    /// One bit per voxel in the order of ranks: whether it is the first of its value.
    firsts: Vec<u64>,
    /// The number of set bits before each word of `firsts`.
    before: Vec<u32>,
}

impl Levels {
    /// Builds the levels from sorted places marked with [`FIRST`], and clears the marks.
    fn new(order: &mut [u32]) -> Self {
        let mut firsts = vec![0; order.len().div_ceil(64)];
        parallel::each_of(order.chunks_mut(PART).zip(firsts.chunks_mut(PART / 64)), &|(places, words)| {
            for (places, word) in places.chunks_mut(64).zip(words) {
                for (bit, place) in places.iter_mut().enumerate() {
                    *word |= u64::from(*place / FIRST) << bit;
                    *place &= !FIRST;
                }
            }
        });
        let mut count = 0;
        let mut next = |word: &u64| {
            let before = count;
            count += word.count_ones();
            before
        };
        let before = firsts.iter().map(&mut next).collect();
        Levels { firsts, before }
    }

    /// The number of the value of the voxel at index `at` of the order.
    #[inline]
    fn of(&self, at: usize) -> u32 {
        self.before[at / 64] + (self.firsts[at / 64] << (63 - at % 64)).count_ones()
    }
}

/// Units of work per voxel: it is distributed to a bucket, sorted, and ranked.
pub(crate) const WORK_OF_VOXEL: u64 = 3;

/// Number of voxels, or of places, that a thread takes at a time.
const PART: usize = 1 << 14;

/// The rank of places outside the image in the primal complex: later than every voxel.
pub(crate) const AFTER: u32 = i32::MAX.cast_unsigned();

impl Grid {
    /// Ranks the voxels of an image. Each voxel is [`WORK_OF_VOXEL`] units of work.
    ///
    /// # Errors
    /// [`PersistenceError::TooLarge`]: the grid has too many places.
    pub(crate) fn new(
        image: &AnyImage,
        request: &PersistenceRequest,
        progress: &dyn Progress,
    ) -> Result<Self, PersistenceError> {
        let layout = GridLayout::new(image.shape())?;
        let mut place_of = with_image!(image, image => {
            let voxels = Keyed::new(image.voxels(), request.superlevel);
            order(&voxels, &layout, request.construction.is_reversed(), progress)
        });
        let levels = Levels::new(&mut place_of[1..]);
        // Zeroed memory is only mapped when it is first touched.
        let ranks: Vec<AtomicU32> = vec![0; layout.places()].into_iter().map(AtomicU32::new).collect();
        if request.construction == Construction::V {
            parallel::ranges(ranks.len(), PART, &|range| {
                ranks[range].iter().for_each(|rank| rank.store(AFTER, Relaxed));
            });
        }
        parallel::ranges(place_of.len() - 1, PART, &|range| {
            for (rank, &place) in (range.start + 1..).zip(&place_of[1..][range.clone()]) {
                ranks[place as usize].store(rank as u32, Relaxed);
            }
            progress.advance(range.len() as u64);
        });
        let rank_of = ranks.into_iter().map(AtomicU32::into_inner).collect();
        Ok(Grid { layout, construction: request.construction, rank_of, place_of, levels })
    }

    /// The ranks of all places.
    #[inline(always)]
    pub(crate) fn ranks(&self) -> &[u32] {
        &self.rank_of
    }

    /// The rank of a place.
    #[inline(always)]
    pub(crate) fn rank(&self, place: usize) -> u32 {
        self.rank_of[place]
    }

    /// The place of a rank, 1 to n.
    #[inline(always)]
    pub(crate) fn place(&self, rank: u32) -> usize {
        self.place_of[rank as usize] as usize
    }

    /// The places of the voxels in the order of their ranks.
    pub(crate) fn in_order(&self) -> &[GridPlace] {
        &self.place_of[1..]
    }

    /// Number of voxels.
    pub(crate) fn voxels(&self) -> usize {
        self.place_of.len() - 1
    }

    /// The neighbour of a place along axis `edge / 2`: the one before it if `edge` is even, the one after it if odd.
    #[inline(always)]
    pub(crate) fn neighbour(&self, place: usize, edge: usize) -> usize {
        let stride = self.layout.strides[edge / 2];
        if edge.is_multiple_of(2) { place - stride } else { place + stride }
    }

    /// The step from a place to its neighbour for each edge of [`neighbour`](Self::neighbour).
    pub(crate) fn steps(&self) -> [isize; 6] {
        std::array::from_fn(|edge| {
            let stride = self.layout.strides[edge / 2].cast_signed();
            if edge % 2 == 0 { -stride } else { stride }
        })
    }

    /// The place of the first voxel of a row.
    pub(crate) fn row(&self, plane: usize, row: usize) -> usize {
        let [_, line, area] = self.layout.strides;
        plane * area + row * line + self.layout.shift()
    }

    /// Whether the voxels of two ranks, 1 to n, have equal values.
    pub(crate) fn are_equal(&self, a: u32, b: u32) -> bool {
        self.levels.of(a as usize - 1) == self.levels.of(b as usize - 1)
    }

    /// The grid place of the voxel at a place in memory.
    pub(crate) fn on_grid(&self, place: usize) -> usize {
        self.layout.on_grid(place) as usize
    }
}
