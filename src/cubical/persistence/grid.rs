//! The voxels in their order, on a grid with a rim.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::super::{Construction, Image, Shape, Voxel};
use super::order::{FIRST, order};
use super::{PersistenceError, Request};

/// A place on the grid.
pub type Place = u32;

/// Voxels of an image, numbered in the order of the filtration of the complex of which they are vertices, on a grid that has one
/// more place at either end of each axis: the *rim*.
///
/// Axes along which the image has one voxel are left out: they change no class. The order is that of the image's complex if
/// its voxels are the vertices (V), and the reverse of it, ties included, if they are the top cells (T), which is then the dual
/// complex. Ranks are 1 to n. The rim's rank is 0 for T, where the rim is older than all, and for V [`AFTER`]: it is not there.
pub struct Grid {
    axes: usize,
    /// Planes, rows, columns of the image.
    extents: [usize; 3],
    /// From a place to the next along axis 0 (columns), 1 (rows), 2 (planes).
    strides: [usize; 3],
    has_rim: bool,
    rank_of: Vec<u32>,
    place_of: Vec<Place>,
    levels: Levels,
}

/// The values of an image, numbered in its order.
#[derive(Default)]
struct Levels {
    /// For each voxel in order a bit, whether it is the first of its value.
    firsts: Vec<u64>,
    /// How many are before each word.
    before: Vec<u32>,
}

impl Levels {
    fn new(order: &[u32]) -> Self {
        let word = |places: &[u32]| {
            places.iter().enumerate().fold(0, |word, (bit, place)| word | u64::from(place / FIRST) << bit)
        };
        let firsts: Vec<u64> = order.par_chunks(64).with_min_len(256).map(word).collect();
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

/// The rank of what is not there.
pub const AFTER: u32 = i32::MAX.cast_unsigned();

/// Voxels that are too many: ranks and places take 30 bits each.
const LIMIT: usize = 1 << 30;

impl Grid {
    /// Numbers the voxels of an image.
    pub fn new<T: Voxel>(image: &Image<T>, request: &Request) -> Result<Self, PersistenceError> {
        let has_rim = request.construction == Construction::T;
        let mut grid = Grid::empty(image.shape(), has_rim)?;
        let order = order(image.voxels(), request.superlevel);
        grid.levels = Levels::new(&order);
        let ranks: Vec<AtomicU32> =
            std::mem::take(&mut grid.rank_of).into_iter().map(AtomicU32::new).collect();
        let number = |i: usize| {
            let at = if has_rim { order.len().checked_sub(i) } else { i.checked_sub(1) };
            // Rank 0 is no voxel's.
            let Some(&place) = at.filter(|_| i > 0).and_then(|at| order.get(at)) else { return 0 };
            let place = grid.on_grid((place & !FIRST) as usize);
            ranks[place as usize].store(i as u32, Relaxed);
            place
        };
        let places = (0..order.len() + 1).into_par_iter().with_min_len(1 << 12).map(number);
        grid.place_of = places.collect();
        grid.rank_of = ranks.into_iter().map(AtomicU32::into_inner).collect();
        Ok(grid)
    }

    fn empty(shape: Shape, has_rim: bool) -> Result<Self, PersistenceError> {
        let mut extents = [1; 3];
        let long: Vec<usize> = shape.extents().into_iter().filter(|&extent| extent > 1).collect();
        extents[3 - long.len()..].copy_from_slice(&long);
        let with_rim = |axis: usize| extents[axis] + if 3 - axis <= long.len() { 2 } else { 0 };
        let places = (0..3).try_fold(1, |places: usize, axis| places.checked_mul(with_rim(axis)));
        let too_large = PersistenceError::TooLarge { found: shape.count(), most: LIMIT };
        let places = places.filter(|&places| places < LIMIT).ok_or(too_large)?;
        let strides = [1, with_rim(2), with_rim(1) * with_rim(2)];
        let rim = if has_rim { 0 } else { AFTER };
        Ok(Grid {
            axes: long.len(),
            extents,
            strides,
            has_rim,
            rank_of: vec![rim; places],
            place_of: Vec::new(),
            levels: Levels::default(),
        })
    }

    /// Axes along which there is more than one voxel.
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// Planes, rows, columns of the image.
    pub fn extents(&self) -> [usize; 3] {
        self.extents
    }

    /// From a place to the next along an axis, the fastest first.
    #[inline(always)]
    pub fn strides(&self) -> [usize; 3] {
        self.strides
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
        let stride = self.strides[edge / 2];
        if edge.is_multiple_of(2) { place - stride } else { place + stride }
    }

    /// Calls with the place of each voxel, rows in parallel.
    pub fn for_each_voxel(&self, call: impl Fn(usize) + Sync) {
        let [planes, rows, columns] = self.extents;
        (0..planes * rows).into_par_iter().with_min_len((1 << 12) / columns + 1).for_each(|line| {
            let start = self.row(line / rows, line % rows);
            (start..start + columns).for_each(&call);
        });
    }

    /// The place of the first voxel of a row.
    pub fn row(&self, plane: usize, row: usize) -> usize {
        self.on_grid((plane * self.extents[1] + row) * self.extents[2]) as usize
    }

    /// The place on the grid of a place in memory.
    fn on_grid(&self, place: usize) -> Place {
        // Narrow words divide sooner.
        let [_, rows, columns] = self.extents.map(|extent| extent as u32);
        let (line, x) = (place as u32 / columns, place as u32 % columns);
        let (z, y) = ((line / rows) as usize, (line % rows) as usize);
        let shift: usize = self.strides[..self.axes].iter().sum();
        (z * self.strides[2] + y * self.strides[1] + x as usize + shift) as Place
    }

    /// Whether the voxels of two ranks in the order of the image, 1 to n, have equal values.
    pub fn are_equal(&self, a: u32, b: u32) -> bool {
        self.levels.of(a as usize - 1) == self.levels.of(b as usize - 1)
    }

    /// The place in memory of a voxel's place on the grid.
    pub fn in_memory(&self, place: usize) -> usize {
        let [_, rows, columns] = self.extents;
        let shift: usize = self.strides[..self.axes].iter().sum();
        let (place, [_, line, plane]) = ((place - shift) as u32, self.strides.map(|stride| stride as u32));
        let (z, rest) = ((place / plane) as usize, place % plane);
        let (y, x) = ((rest / line) as usize, (rest % line) as usize);
        (z * rows + y) * columns + x
    }
}
