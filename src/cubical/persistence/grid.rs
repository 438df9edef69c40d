//! The voxels in their order, on a grid.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::duality::Complex;
use super::error::PersistenceError;
use super::layout::{GridLayout, GridPlace};
use super::order::{FIRST, order};
use super::request::PersistenceRequest;
use crate::cubical::image::{Image, Voxel};
use crate::cubical::key::Keys;
use crate::progress::Progress;

/// Voxels of an image, numbered in the order of the filtration of the complex of which they are vertices, on a grid with a rim.
///
/// The order is that of the image's complex where it is [`Complex::Primal`], and the reverse of it, ties included, where it is
/// [`Complex::Dual`]. Ranks are 1 to n. The rim has rank 0 in the dual complex, where it is one vertex older than all, and [`AFTER`] in
/// the primal one, which has no rim.
pub struct Grid {
    layout: GridLayout,
    complex: Complex,
    rank_of: Vec<u32>,
    place_of: Vec<GridPlace>,
    levels: Levels,
}

/// The values of an image, numbered in the order of ranks.
struct Levels {
    /// A bit for each voxel in order, which says whether it is the first of its value.
    firsts: Vec<u64>,
    /// How many are before each word.
    before: Vec<u32>,
}

impl Levels {
    /// The levels of places in order, of which the first of each value is marked; takes the marks off.
    fn new(order: &mut [u32]) -> Self {
        let word = |places: &mut [u32]| {
            let mut word = 0;
            for (bit, place) in places.iter_mut().enumerate() {
                word |= u64::from(*place / FIRST) << bit;
                *place &= !FIRST;
            }
            word
        };
        let firsts: Vec<u64> = order.par_chunks_mut(64).with_min_len(256).map(word).collect();
        let mut count = 0;
        let mut next = |word: &u64| {
            let before = count;
            count += word.count_ones();
            before
        };
        let before = firsts.iter().map(&mut next).collect();
        Levels { firsts, before }
    }

    /// The number of the value of a voxel in order.
    #[inline]
    fn of(&self, at: usize) -> u32 {
        self.before[at / 64] + (self.firsts[at / 64] << (63 - at % 64)).count_ones()
    }
}

/// Units of work that it takes to number a voxel: it is dealt to a bucket, sorted, and told its rank.
pub(crate) const WORK_OF_VOXEL: u64 = 3;

/// Voxels that are told their ranks at once.
const PART: usize = 1 << 12;

/// The rank of what is not there.
pub(crate) const AFTER: u32 = i32::MAX.cast_unsigned();

impl Grid {
    /// Numbers the voxels of an image, each of which is [`WORK_OF_VOXEL`] units of work.
    pub fn new<T: Voxel>(
        image: &Image<T>,
        request: &PersistenceRequest,
        progress: &dyn Progress,
    ) -> Result<Self, PersistenceError> {
        let complex = Complex::of(request.construction);
        let layout = GridLayout::new(image.shape())?;
        let keys = Keys::new::<T::Key>(T::CODING, request.superlevel);
        let place_of = order(T::bits(image.voxels()), keys, &layout, complex.is_reversed(), progress);
        Ok(Grid::in_this_order(layout, complex, place_of, progress))
    }

    /// A grid with these places of ranks, of which the first of each value is marked.
    fn in_this_order(
        layout: GridLayout,
        complex: Complex,
        mut place_of: Vec<GridPlace>,
        progress: &dyn Progress,
    ) -> Self {
        let levels = Levels::new(&mut place_of[1..]);
        // Zeros cost nothing until they are touched.
        let ranks: Vec<AtomicU32> = vec![0; layout.places()].into_iter().map(AtomicU32::new).collect();
        if complex == Complex::Primal {
            ranks.par_iter().with_min_len(1 << 12).for_each(|rank| rank.store(AFTER, Relaxed));
        }
        place_of[1..].par_chunks(PART).enumerate().panic_fuse().for_each(|(i, places)| {
            for (rank, &place) in (i * PART + 1..).zip(places) {
                ranks[place as usize].store(rank as u32, Relaxed);
            }
            progress.advance(places.len() as u64);
        });
        let rank_of = ranks.into_iter().map(AtomicU32::into_inner).collect();
        Grid { layout, complex, rank_of, place_of, levels }
    }

    /// Axes along which there is more than one voxel.
    pub fn axes(&self) -> usize {
        self.layout.axes
    }

    /// Planes, rows, columns of the image in C order.
    pub fn extents(&self) -> [usize; 3] {
        self.layout.extents
    }

    /// The distance from a place to the next along each axis, the fastest axis first.
    #[inline(always)]
    pub fn strides(&self) -> [usize; 3] {
        self.layout.strides
    }

    /// Which complex has the voxels as its vertices.
    pub fn complex(&self) -> Complex {
        self.complex
    }

    /// The ranks of all places.
    #[inline(always)]
    pub fn ranks(&self) -> &[u32] {
        &self.rank_of
    }

    /// The rank of a place.
    #[inline(always)]
    pub fn rank(&self, place: usize) -> u32 {
        self.rank_of[place]
    }

    /// The place of a rank, 1 to n.
    #[inline(always)]
    pub fn place(&self, rank: u32) -> usize {
        self.place_of[rank as usize] as usize
    }

    /// The places of the voxels in the order of their ranks.
    pub fn in_order(&self) -> &[GridPlace] {
        &self.place_of[1..]
    }

    /// Voxels.
    pub fn voxels(&self) -> usize {
        self.place_of.len() - 1
    }

    /// The neighbour of a place along axis `edge / 2`, in the direction of sign `edge % 2`.
    #[inline(always)]
    pub fn neighbour(&self, place: usize, edge: usize) -> usize {
        let stride = self.layout.strides[edge / 2];
        if edge.is_multiple_of(2) { place - stride } else { place + stride }
    }

    /// The step from a place to its neighbour in the direction of each edge: along axis `edge / 2`, towards sign `edge % 2`.
    pub fn steps(&self) -> [isize; 6] {
        std::array::from_fn(|edge| {
            let stride = self.layout.strides[edge / 2].cast_signed();
            if edge % 2 == 0 { -stride } else { stride }
        })
    }

    /// The place of the first voxel of a row.
    pub fn row(&self, plane: usize, row: usize) -> usize {
        let [_, line, area] = self.layout.strides;
        plane * area + row * line + self.layout.shift()
    }

    /// Whether the voxels of two ranks, 1 to n, have equal values.
    pub fn are_equal(&self, a: u32, b: u32) -> bool {
        self.levels.of(a as usize - 1) == self.levels.of(b as usize - 1)
    }

    /// The place on the grid of a voxel's place in memory.
    pub fn on_grid(&self, place: usize) -> usize {
        self.layout.on_grid(place) as usize
    }

    /// The plane, row and column of a place, those of the first voxel being 0; along an axis with a rim they begin at −1.
    pub fn coordinates(&self, place: usize) -> [i32; 3] {
        self.layout.coordinates(place)
    }

    /// The place in memory of a voxel's place on the grid.
    pub fn in_memory(&self, place: usize) -> usize {
        self.layout.in_memory(place)
    }
}
