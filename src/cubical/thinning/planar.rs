//! Thinning of planar images, 64 pixels at a time.
//!
//! The image is cut into tiles of 64×64 pixels, one word per row, with a ring of background tiles around. A
//! subiteration reads all tiles from one buffer and writes to another, so all pixels are decided from the same image.
//! Only borders change: a subiteration examines a tile only if, since it last did, a pixel seen by one of the tile's
//! has changed ([`SEEN`]). A tile that changed is always examined by the next subiteration, so an unexamined tile is
//! equal in both buffers.
//!
//! Work is divided into runs of tiles; the result does not depend on the threads.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::bits::BitImage;
use super::cpu::{Thinning, each_part};
use super::window::{PlanarRule, Window};
use crate::cubical::shape::Shape;
use crate::parallel;
use crate::simd::{Kernel, Level, Simd};

/// Number of pixels of a tile's side.
const SIDE: usize = 64;

/// Number of rows above a pixel that a rule sees, besides one row below, two columns to the left and one to the right.
const ABOVE: usize = 2;

/// Number of rows of a tile together with those that its pixels see.
const SEEN: usize = ABOVE + SIDE + 1;

/// Fewest tiles to examine for which threads pay.
const ALONE: usize = 48;

/// Least and greatest number of tiles that a thread takes at a time.
const AT_ONCE: usize = 16;
const MOST_AT_ONCE: usize = 256;

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
        let bands = image.words().chunks(SIDE * image.width());
        parallel::each_of(tiles[width..].chunks_exact_mut(width).zip(bands), &|(tiles, band)| {
            for (y, row) in band.chunks_exact(image.width()).enumerate() {
                tiles[1..].iter_mut().zip(row).for_each(|(tile, &word)| tile[y] = word);
            }
        });
        Tiles { width, tiles }
    }

    fn write_to(&self, image: &mut BitImage) {
        let width = image.width();
        parallel::pieces_mut(image.words_mut(), SIDE * width, &|k, band| {
            let tiles = &self.tiles[(k + 1) * self.width..];
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

/// Consecutive tiles in a subiteration.
struct Part<'a> {
    from: &'a Tiles,
    /// Index of the first tile.
    first: usize,
    to: &'a mut [BitTile],
    wanted: &'a mut [bool],
    seen_by: &'a mut [u8],
}

/// Runs a subiteration of a rule on consecutive tiles and returns the number of pixels deleted.
type Step = fn(Level, Part<'_>) -> usize;

fn step<R: PlanarRule, const STEP: usize>(level: Level, part: Part<'_>) -> usize {
    level.run(Sweep::<R, STEP>(part, PhantomData))
}

/// Kernel that runs subiteration `STEP` of a rule on consecutive tiles.
struct Sweep<'a, R, const STEP: usize>(Part<'a>, PhantomData<R>);

impl<R: PlanarRule, const STEP: usize> Kernel<u32> for Sweep<'_, R, STEP> {
    /// Number of pixels deleted.
    type Output = usize;

    /// Works on plain words, which the compiler turns into vectors of the instruction set's width.
    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> usize {
        let Part { from, first, to, wanted, seen_by } = self.0;
        let mut deleted = 0;
        for (k, wanted) in wanted.iter_mut().enumerate() {
            if std::mem::take(wanted) {
                let (tile, gone) = tile_after::<R, STEP>(from, first + k);
                to[k] = tile;
                seen_by[k] = flags_of(&gone);
                if seen_by[k] != 0 {
                    deleted += gone.iter().map(|word| word.count_ones() as usize).sum::<usize>();
                }
            }
        }
        deleted
    }
}

/// A tile after a subiteration, and its deleted pixels.
#[inline(always)]
fn tile_after<R: PlanarRule, const STEP: usize>(tiles: &Tiles, place: usize) -> (BitTile, BitTile) {
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
        gone[y] = window.c & R::deleted::<STEP>(&window);
        tile[y] = window.c & !gone[y];
    }
    (tile, gone)
}

/// Flags of the tiles that see the deletion of these pixels.
#[inline(always)]
fn flags_of(gone: &BitTile) -> u8 {
    let all = gone.iter().fold(0, |all, word| all | word);
    let flag = |seen: bool, flag: u8| if seen { flag } else { 0 };
    flag(all != 0, CHANGED)
        | flag(gone[0] != 0, ABOVE_SEES)
        | flag(gone[SIDE - 1] | gone[SIDE - 2] != 0, BELOW_SEES)
        | flag(all & 1 != 0, LEFT_SEES)
        | flag(all >> 62 != 0, RIGHT_SEES)
}

/// Buffers of a thinning run, and the tiles still to be examined.
pub(super) struct TwoBuffers {
    /// The subiterations of an iteration, one or two.
    steps: &'static [Step],
    from: Tiles,
    to: Tiles,
    /// For each subiteration, whether it is to examine each tile.
    wanted: [Vec<bool>; 2],
    seen_by: Vec<u8>,
    /// For each subiteration, the number of tiles to examine.
    left: [usize; 2],
    looked_at: u64,
}

impl TwoBuffers {
    pub(super) fn of<R: PlanarRule>(image: &BitImage) -> Self {
        TwoBuffers::new(image, &[step::<R, 0>, step::<R, 1>][..R::STEPS])
    }

    fn new(image: &BitImage, steps: &'static [Step]) -> Self {
        let from = Tiles::of(image);
        let to = Tiles { width: from.width, tiles: from.tiles.clone() };
        let black = parallel::table(from.tiles.len(), |place| from.tiles[place] != [0; SIDE]);
        let count = black.iter().filter(|&&black| black).count();
        let seen_by = vec![0; black.len()];
        let (wanted, left) = ([black.clone(), black], [count; 2]);
        TwoBuffers { steps, from, to, wanted, seen_by, left, looked_at: 0 }
    }

    /// Runs a subiteration and returns the number of pixels deleted.
    fn step(&mut self, step: usize) -> usize {
        let (from, count, run) = (&self.from, self.left[step], self.steps[step]);
        let (level, deleted) = (Level::detect(), AtomicUsize::new(0));
        self.looked_at += count as u64;
        // About a row of tiles.
        let size = from.width.clamp(AT_ONCE, MOST_AT_ONCE);
        let tiles = self.to.tiles.chunks_mut(size).zip(self.wanted[step].chunks_mut(size));
        let parts = tiles.zip(self.seen_by.chunks_mut(size)).enumerate();
        each_part(parts, count >= ALONE, &|(part, ((to, wanted), seen_by))| {
            let part = Part { from, first: part * size, to, wanted, seen_by };
            deleted.fetch_add(run(level, part), Ordering::Relaxed);
        });
        let deleted = deleted.into_inner();
        std::mem::swap(&mut self.from, &mut self.to);
        self.left[step] = 0;
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
        for step in 0..self.steps.len() {
            let wanted = &mut self.wanted[step][place];
            self.left[step] += usize::from(!*wanted);
            *wanted = true;
        }
    }
}

impl Thinning for TwoBuffers {
    fn iterate(&mut self) -> usize {
        (0..self.steps.len()).map(|step| self.step(step)).sum()
    }

    fn finish(&self, skeleton: &mut BitImage) -> u64 {
        self.from.write_to(skeleton);
        self.looked_at * SIDE as u64
    }
}
