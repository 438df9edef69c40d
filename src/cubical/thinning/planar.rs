//! Thinning of planar images, 64 pixels at a time.
//!
//! The image is cut into tiles of 64×64 pixels, one word per row, with a ring of background tiles around. A
//! subiteration reads all tiles from one buffer and writes to another, so all pixels are decided from the same image.
//! Only borders change: a subiteration examines a tile only if, since it last did, a pixel seen by one of the tile's
//! has changed ([`SEEN`]). A tile that changed is always examined by the next subiteration, so an unexamined tile is
//! equal in both buffers.
//!
//! Work is divided by rows of tiles; the result does not depend on the threads.

use rayon::prelude::*;

use super::bits::BitImage;
use super::cpu::Thinning;
use super::window::{PlanarRule, Window};
use crate::cubical::shape::Shape;
use crate::simd::{Kernel, Level, Simd};

/// Number of pixels of a tile's side.
const SIDE: usize = 64;

/// Number of rows above a pixel that a rule sees, besides one row below, two columns to the left and one to the right.
const ABOVE: usize = 2;

/// Number of rows of a tile together with those that its pixels see.
const SEEN: usize = ABOVE + SIDE + 1;

/// Fewest tiles to examine for which threads pay.
const ALONE: usize = 48;

type BitTile = [u64; SIDE];

/// Flags of a changed tile: the neighbours that may see its change.
const CHANGED: u8 = 1;
const ABOVE_SEES: u8 = 2;
const BELOW_SEES: u8 = 4;
const LEFT_SEES: u8 = 8;
const RIGHT_SEES: u8 = 16;

/// Bytes needed for thinning a planar image: the words of each tile in both buffers, and three marks.
pub(super) fn bytes(shape: Shape) -> u64 {
    let [_, rows, columns] = shape.extents().map(|extent| extent.div_ceil(SIDE) as u64 + 2);
    rows.saturating_mul(columns).saturating_mul(2 * size_of::<BitTile>() as u64 + 3)
}

/// Tiles of an image with a ring of background tiles around.
struct Tiles {
    /// Number of tiles in a row, including the ring.
    width: usize,
    tiles: Vec<BitTile>,
}

impl Tiles {
    fn of(image: &BitImage) -> Tiles {
        let [_, rows, _] = image.shape().extents();
        let width = image.width() + 2;
        let mut tiles = vec![[0; SIDE]; width * (rows.div_ceil(SIDE) + 2)];
        let bands = image.words().par_chunks(SIDE * image.width());
        tiles[width..].par_chunks_exact_mut(width).zip(bands).for_each(|(tiles, band)| {
            for (y, row) in band.chunks_exact(image.width()).enumerate() {
                tiles[1..].iter_mut().zip(row).for_each(|(tile, &word)| tile[y] = word);
            }
        });
        Tiles { width, tiles }
    }

    fn write_to(&self, image: &mut BitImage) {
        let width = image.width();
        let bands = image.words_mut().par_chunks_mut(SIDE * width);
        self.tiles[self.width..].par_chunks_exact(self.width).zip(bands).for_each(|(tiles, band)| {
            for (y, row) in band.chunks_exact_mut(width).enumerate() {
                row.iter_mut().zip(&tiles[1..]).for_each(|(word, tile)| *word = tile[y]);
            }
        });
    }

    /// The rows from two above a tile to one below: of the tile's column, of the left column, and of the right.
    #[inline(always)]
    fn seen(&self, place: usize) -> [[u64; SEEN]; 3] {
        [place, place - 1, place + 1].map(|place| {
            let mut rows = [0; SEEN];
            rows[..ABOVE].copy_from_slice(&self.tiles[place - self.width][SIDE - ABOVE..]);
            rows[ABOVE..ABOVE + SIDE].copy_from_slice(&self.tiles[place]);
            rows[ABOVE + SIDE] = self.tiles[place + self.width][0];
            rows
        })
    }
}

/// Kernel that runs a subiteration on a row of tiles.
struct Sweep<'a, R, const STEP: usize> {
    rule: R,
    from: &'a Tiles,
    /// Index of the row's first tile.
    first: usize,
    to: &'a mut [BitTile],
    wanted: &'a mut [bool],
    seen_by: &'a mut [u8],
}

impl<R: PlanarRule, const STEP: usize> Kernel<u32> for Sweep<'_, R, STEP> {
    /// Number of pixels deleted.
    type Output = usize;

    /// Works on plain words, which the compiler turns into vectors of the instruction set's width.
    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> usize {
        let mut deleted = 0;
        for (k, wanted) in self.wanted.iter_mut().enumerate() {
            if std::mem::take(wanted) {
                let (tile, gone) = tile_after::<R, STEP>(self.rule, self.from, self.first + k);
                self.to[k] = tile;
                self.seen_by[k] = seen_by(&gone);
                if self.seen_by[k] != 0 {
                    deleted += gone.iter().map(|word| word.count_ones() as usize).sum::<usize>();
                }
            }
        }
        deleted
    }
}

/// A tile after a subiteration, and its deleted pixels.
#[inline(always)]
fn tile_after<R: PlanarRule, const STEP: usize>(rule: R, tiles: &Tiles, place: usize) -> (BitTile, BitTile) {
    let [c, left, right] = tiles.seen(place);
    let (mut ww, mut w, mut e) = ([0; SEEN], [0; SEEN], [0; SEEN]);
    for y in 0..SEEN {
        ww[y] = c[y] << 2 | left[y] >> 62;
        w[y] = c[y] << 1 | left[y] >> 63;
        e[y] = c[y] >> 1 | right[y] << 63;
    }
    let (mut tile, mut gone) = ([0; SIDE], [0; SIDE]);
    for y in 0..SIDE {
        let window = Window {
            nnww: ww[y],
            nnw: w[y],
            nn: c[y],
            nne: e[y],
            nww: ww[y + 1],
            nw: w[y + 1],
            n: c[y + 1],
            ne: e[y + 1],
            ww: ww[y + 2],
            w: w[y + 2],
            c: c[y + 2],
            e: e[y + 2],
            sww: ww[y + 3],
            sw: w[y + 3],
            s: c[y + 3],
            se: e[y + 3],
        };
        gone[y] = window.c & rule.deleted::<STEP>(&window);
        tile[y] = window.c & !gone[y];
    }
    (tile, gone)
}

/// Flags of the tiles that see the deletion of these pixels.
#[inline(always)]
fn seen_by(gone: &BitTile) -> u8 {
    let all = gone.iter().fold(0, |all, word| all | word);
    let flag = |seen: bool, flag: u8| if seen { flag } else { 0 };
    flag(all != 0, CHANGED)
        | flag(gone[0] != 0, ABOVE_SEES)
        | flag(gone[SIDE - 1] | gone[SIDE - 2] != 0, BELOW_SEES)
        | flag(all & 1 != 0, LEFT_SEES)
        | flag(all >> 62 != 0, RIGHT_SEES)
}

/// Buffers of a thinning run, and the tiles still to be examined.
pub(super) struct TwoBuffers<R> {
    rule: R,
    from: Tiles,
    to: Tiles,
    /// For each subiteration, whether it is to examine each tile.
    wanted: [Vec<bool>; 2],
    seen_by: Vec<u8>,
    /// For each subiteration, the number of tiles to examine.
    left: [usize; 2],
    looked_at: u64,
}

impl<R: PlanarRule> TwoBuffers<R> {
    pub(super) fn new(rule: R, image: &BitImage) -> Self {
        let from = Tiles::of(image);
        let to = Tiles { width: from.width, tiles: from.tiles.clone() };
        let black: Vec<bool> = from.tiles.par_iter().map(|tile| *tile != [0; SIDE]).collect();
        let count = black.iter().filter(|&&black| black).count();
        let mut left = [0; 2];
        left[..R::STEPS].fill(count);
        let seen_by = vec![0; black.len()];
        TwoBuffers { rule, from, to, wanted: [black.clone(), black], seen_by, left, looked_at: 0 }
    }

    /// Runs a subiteration and returns the number of pixels deleted.
    fn step<const STEP: usize>(&mut self) -> usize {
        let (width, from, count) = (self.from.width, &self.from, self.left[STEP]);
        let (rule, level) = (self.rule, Level::detect());
        self.looked_at += count as u64;
        let rows_together = if count < ALONE { usize::MAX } else { 1 };
        let rows =
            self.to.tiles.par_chunks_exact_mut(width).zip(self.wanted[STEP].par_chunks_exact_mut(width));
        let rows = rows.zip(self.seen_by.par_chunks_exact_mut(width)).enumerate();
        let sweep = |(row, ((to, wanted), seen_by)): (usize, ((_, &mut [bool]), _))| {
            if !wanted.contains(&true) {
                return 0;
            }
            level.run(Sweep::<R, STEP> { rule, from, first: row * width, to, wanted, seen_by })
        };
        let deleted = rows.with_min_len(rows_together).map(sweep).sum();
        std::mem::swap(&mut self.from, &mut self.to);
        self.left[STEP] = 0;
        if deleted > 0 {
            self.spread();
        }
        deleted
    }

    /// Marks the tiles whose pixels see a change, for all subiterations.
    fn spread(&mut self) {
        let width = self.from.width;
        for place in 0..self.seen_by.len() {
            let seen_by = std::mem::take(&mut self.seen_by[place]);
            if seen_by == 0 {
                continue;
            }
            let sees = |flag: u8| seen_by & flag != 0;
            let rows = [(sees(ABOVE_SEES), place - width), (true, place), (sees(BELOW_SEES), place + width)];
            for (_, row) in rows.into_iter().filter(|(seen, _)| *seen) {
                let columns = [(sees(LEFT_SEES), row - 1), (true, row), (sees(RIGHT_SEES), row + 1)];
                for (_, other) in columns.into_iter().filter(|(seen, _)| *seen) {
                    // A background tile has nothing to delete, but a changed tile must be copied to both buffers.
                    if other == place || self.from.tiles[other] != [0; SIDE] {
                        self.want(other);
                    }
                }
            }
        }
    }

    fn want(&mut self, place: usize) {
        for step in 0..R::STEPS {
            let wanted = &mut self.wanted[step][place];
            self.left[step] += usize::from(!*wanted);
            *wanted = true;
        }
    }
}

impl<R: PlanarRule> Thinning for TwoBuffers<R> {
    fn iterate(&mut self) -> usize {
        self.step::<0>() + if R::STEPS == 2 { self.step::<1>() } else { 0 }
    }

    fn finish(&self, skeleton: &mut BitImage) -> u64 {
        self.from.write_to(skeleton);
        self.looked_at * SIDE as u64
    }
}
