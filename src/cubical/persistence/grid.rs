//! The voxels in their order, on a grid with a rim.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::super::{Construction, Image, Shape, Voxel};
use super::order::{FIRST, order};
use super::{PersistenceError, Request};
use crate::progress::Progress;

/// A place on the grid.
pub type Place = u32;

/// Where voxels lie: in memory, and on a grid that has one more place at either end of each axis, the *rim*.
///
/// Axes along which the image has one voxel are left out: they change no class.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    axes: usize,
    /// Planes, rows, columns of the image.
    extents: [usize; 3],
    /// From a place to the next along axis 0 (columns), 1 (rows), 2 (planes).
    strides: [usize; 3],
    places: usize,
}

/// Voxels that are too many: ranks and places take 30 bits each.
const LIMIT: usize = 1 << 30;

impl Layout {
    /// Of an image.
    ///
    /// # Errors
    /// [`PersistenceError::TooLarge`]: places are not numbered.
    pub fn new(shape: Shape) -> Result<Self, PersistenceError> {
        let mut extents = [1; 3];
        let long: Vec<usize> = shape.extents().into_iter().filter(|&extent| extent > 1).collect();
        extents[3 - long.len()..].copy_from_slice(&long);
        let with_rim = |axis: usize| extents[axis] + if 3 - axis <= long.len() { 2 } else { 0 };
        let places = (0..3).try_fold(1, |places: usize, axis| places.checked_mul(with_rim(axis)));
        let too_large = PersistenceError::TooLarge { shape, most: LIMIT };
        let places = places.filter(|&places| places < LIMIT).ok_or(too_large)?;
        let strides = [1, with_rim(2), with_rim(1) * with_rim(2)];
        Ok(Layout { axes: long.len(), extents, strides, places })
    }

    /// Places on the grid.
    pub fn places(&self) -> usize {
        self.places
    }

    /// The place of the first voxel.
    fn shift(&self) -> usize {
        self.strides[..self.axes].iter().sum()
    }

    /// The place on the grid of a place in memory.
    pub fn on_grid(&self, place: usize) -> Place {
        // Narrow words divide sooner.
        let [_, rows, columns] = self.extents.map(|extent| extent as u32);
        let (line, x) = (place as u32 / columns, place as u32 % columns);
        let (z, y) = ((line / rows) as usize, (line % rows) as usize);
        (z * self.strides[2] + y * self.strides[1] + x as usize + self.shift()) as Place
    }

    /// The places on the grid of a place in memory and those after it, without end.
    pub fn places_from(&self, place: usize) -> impl Iterator<Item = Place> + '_ {
        let columns = self.extents[2];
        let mut left = columns - place % columns;
        let (mut place, mut next) = (place, self.on_grid(place));
        std::iter::repeat_with(move || {
            if left == 0 {
                left = columns;
                next = self.on_grid(place);
            }
            left -= 1;
            place += 1;
            next += 1;
            next - 1
        })
    }

    /// The place in memory of a voxel's place on the grid.
    pub fn in_memory(&self, place: usize) -> usize {
        let [_, rows, columns] = self.extents;
        let (place, [_, line, plane]) =
            ((place - self.shift()) as u32, self.strides.map(|stride| stride as u32));
        let (z, rest) = ((place / plane) as usize, place % plane);
        let (y, x) = ((rest / line) as usize, (rest % line) as usize);
        (z * rows + y) * columns + x
    }
}

/// Voxels of an image, numbered in the order of the filtration of the complex of which they are vertices, on a grid with a rim.
///
/// The order is that of the image's complex if
/// its voxels are the vertices (V), and the reverse of it, ties included, if they are the top cells (T), which is then the dual
/// complex. Ranks are 1 to n. The rim's rank is 0 for T, where the rim is older than all, and for V [`AFTER`]: it is not there.
pub struct Grid {
    layout: Layout,
    has_rim: bool,
    rank_of: Vec<u32>,
    place_of: Vec<Place>,
    levels: Levels,
}

/// The values of an image, numbered in the order of ranks.
struct Levels {
    /// For each voxel in order a bit, whether it is the first of its value.
    firsts: Vec<u64>,
    /// How many are before each word.
    before: Vec<u32>,
}

impl Levels {
    /// By places in order that are marked; the marks are taken off.
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
pub const WORK_OF_VOXEL: u64 = 3;

/// Voxels that are told their ranks at once.
const PART: usize = 1 << 12;

/// The rank of what is not there.
pub const AFTER: u32 = i32::MAX.cast_unsigned();

impl Grid {
    /// Numbers the voxels of an image, each of which is [`WORK_OF_VOXEL`] units of work.
    pub fn new<T: Voxel>(
        image: &Image<T>,
        request: &Request,
        progress: &dyn Progress,
    ) -> Result<Self, PersistenceError> {
        let has_rim = request.construction == Construction::T;
        let layout = Layout::new(image.shape())?;
        let place_of = order(image.voxels(), request.superlevel, &layout, has_rim, progress);
        Ok(Grid::in_this_order(layout, has_rim, place_of, progress))
    }

    /// With these places of ranks, the first of each value marked.
    fn in_this_order(
        layout: Layout,
        has_rim: bool,
        mut place_of: Vec<Place>,
        progress: &dyn Progress,
    ) -> Self {
        let levels = Levels::new(&mut place_of[1..]);
        // Zeros cost nothing until they are touched.
        let ranks: Vec<AtomicU32> = vec![0; layout.places].into_iter().map(AtomicU32::new).collect();
        if !has_rim {
            ranks.par_iter().with_min_len(1 << 12).for_each(|rank| rank.store(AFTER, Relaxed));
        }
        place_of[1..].par_chunks(PART).enumerate().for_each(|(i, places)| {
            for (rank, &place) in (i * PART + 1..).zip(places) {
                ranks[place as usize].store(rank as u32, Relaxed);
            }
            progress.advance(places.len() as u64);
        });
        let rank_of = ranks.into_iter().map(AtomicU32::into_inner).collect();
        Grid { layout, has_rim, rank_of, place_of, levels }
    }

    /// Axes along which there is more than one voxel.
    pub fn axes(&self) -> usize {
        self.layout.axes
    }

    /// Planes, rows, columns of the image.
    pub fn extents(&self) -> [usize; 3] {
        self.layout.extents
    }

    /// From a place to the next along an axis, the fastest first.
    #[inline(always)]
    pub fn strides(&self) -> [usize; 3] {
        self.layout.strides
    }

    /// Whether the rim is there, as one vertex older than all.
    pub fn has_rim(&self) -> bool {
        self.has_rim
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
    pub fn in_order(&self) -> &[Place] {
        &self.place_of[1..]
    }

    /// Voxels.
    pub fn voxels(&self) -> usize {
        self.place_of.len() - 1
    }

    /// From a place to its neighbour along axis `edge / 2`, in the direction of sign `edge % 2`.
    #[inline(always)]
    pub fn neighbour(&self, place: usize, edge: usize) -> usize {
        let stride = self.layout.strides[edge / 2];
        if edge.is_multiple_of(2) { place - stride } else { place + stride }
    }

    /// From a place to its neighbour in the direction of each edge: along axis `edge / 2`, towards sign `edge % 2`.
    pub fn steps(&self) -> [isize; 6] {
        std::array::from_fn(|edge| {
            let stride = self.layout.strides[edge / 2].cast_signed();
            if edge % 2 == 0 { -stride } else { stride }
        })
    }

    /// The place of the first voxel of a row.
    pub fn row(&self, plane: usize, row: usize) -> usize {
        self.layout.on_grid((plane * self.layout.extents[1] + row) * self.layout.extents[2]) as usize
    }

    /// Whether the voxels of two ranks, 1 to n, have equal values.
    pub fn are_equal(&self, a: u32, b: u32) -> bool {
        self.levels.of(a as usize - 1) == self.levels.of(b as usize - 1)
    }

    /// The place in memory of a voxel's place on the grid.
    pub fn in_memory(&self, place: usize) -> usize {
        self.layout.in_memory(place)
    }
}
