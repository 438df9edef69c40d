//! Working tables of a thread for a tile: keys of two planes, their comparison bits, and the digits of the numbers.

use super::bits::{AddUp, Digits, InnerBits, OuterBits, shift};
use super::digits::{Inner, Outer};
use super::numbers::{Numbers, Tally};
use super::view::{View, VoxelTile};
use crate::cubical::construction::Construction;
use crate::cubical::key::Key;
use crate::simd::{BLOCK, BlockKernel, Blocks, Bytes, Level};

/// The tables of a thread, whose memory is reused from tile to tile.
#[derive(Debug, Default)]
pub(crate) struct Tables<K> {
    /// Number of 64-voxel blocks in a row.
    width: usize,
    /// Number of rows of the tile.
    height: usize,
    /// Keys of the current plane, from the row above the tile to the row below; a row has one block more than it has
    /// blocks of voxels. Absent voxels have the key `Key::MAX`.
    this: Vec<K>,
    /// Keys of the next plane.
    next: Vec<K>,
    inner: InnerBits,
    outer: OuterBits,
    before: OuterBits,
    digits: Digits,
    /// Masks of the voxels of the tile, a word per block of a row.
    own: Vec<u64>,
    /// 1 if the block has a predecessor in its row, else 0.
    follows: Vec<u64>,
    /// Words of zeros, for absent voxels.
    absent: Vec<u64>,
}

/// Adds up the numbers of a tile's voxels, plane by plane: each plane is compared with the next, which completes the
/// comparisons that its numbers need.
pub(crate) fn sweep<K: Key>(
    level: Level,
    view: &View<'_, K>,
    tile: &VoxelTile,
    construction: Construction,
    tables: &mut Tables<K>,
    tally: &mut dyn Tally<K>,
) {
    tables.resize(tile);
    let (first, width) = (tile.planes.start, tables.width);
    let top = tile.rows.start == 0;
    stage(&mut tables.this, view, first, tile, width);
    stage(&mut tables.next, view, first + 1, tile, width);
    if first == 0 {
        // The absent plane before the first loses to it in T and wins in V: zeros encode both.
        tables.outer.clear();
    } else {
        level.run_blocks(Compare { tables, construction, top });
    }
    for plane in tile.planes.clone() {
        std::mem::swap(&mut tables.this, &mut tables.next);
        std::mem::swap(&mut tables.outer, &mut tables.before);
        stage(&mut tables.next, view, plane + 2, tile, width);
        level.run_blocks(Compare { tables, construction, top });
        level.run_blocks(tables.add_up(construction));
        tally.plane(level, &tables.numbers());
    }
}

/// Loads the keys of a plane (counted from 1), in filtration order.
fn stage<K: Key>(keys: &mut [K], view: &View<'_, K>, plane: usize, tile: &VoxelTile, width: usize) {
    let from = tile.columns.start.saturating_sub(BLOCK);
    for (row, keys) in keys.chunks_exact_mut((width + 1) * BLOCK).enumerate() {
        let present = view.keys(plane, tile.rows.start + row, from..tile.columns.end + 1, keys);
        keys[present..].fill(K::MAX);
    }
}

impl<K: Key> Tables<K> {
    /// Resizes the tables for a tile.
    fn resize(&mut self, tile: &VoxelTile) {
        let before = if tile.columns.start == 0 { 0 } else { BLOCK };
        let (columns, height) = (before + tile.columns.len(), tile.rows.len());
        let width = columns.div_ceil(BLOCK);
        (self.width, self.height) = (width, height);
        for keys in [&mut self.this, &mut self.next] {
            keys.resize((height + 2) * (width + 1) * BLOCK, K::MAX);
        }
        let words = (height + 1) * width;
        self.inner.resize(words);
        self.outer.resize(words);
        self.before.resize(words);
        self.digits.resize(height * width);
        self.absent.resize(words, 0);
        self.follows.clear();
        self.follows.extend((0..words).map(|word| u64::from(!word.is_multiple_of(width))));
        self.own.clear();
        self.own.resize(width, u64::MAX);
        if !columns.is_multiple_of(BLOCK) {
            self.own[width - 1] = u64::MAX >> (BLOCK - columns % BLOCK);
        }
        if before > 0 {
            self.own[0] = 0;
        }
    }

    fn add_up(&mut self, construction: Construction) -> AddUp<'_> {
        let Tables { width, height, ref inner, ref outer, ref before, ref mut digits, .. } = *self;
        let invert = construction == Construction::V;
        AddUp { width, height, invert, inner, next: outer, last: before, out: digits }
    }

    fn numbers(&self) -> Numbers<'_, K> {
        let &Tables { width, ref this, ref digits, ref own, .. } = self;
        Numbers { keys: &this[(width + 1) * BLOCK..], digits, own }
    }
}

/// Kernel that compares the plane `this` with itself and with `next`.
struct Compare<'a, K> {
    tables: &'a mut Tables<K>,
    construction: Construction,
    /// Whether the row above the tile is absent.
    top: bool,
}

impl<K: Key> BlockKernel<K> for Compare<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Blocks<K> + Bytes>(self, simd: S) {
        match self.construction {
            Construction::T => self.compare(simd, |a, b| simd.least(a, b)),
            Construction::V => self.compare(simd, |a, b| simd.greatest(a, b)),
        }
    }
}

impl<K: Key> Compare<'_, K> {
    /// Fills the comparison bits; `pick` returns the winner of two blocks of keys.
    #[inline(always)]
    fn compare<S: Blocks<K>>(self, simd: S, pick: impl Fn(S::Block, S::Block) -> S::Block) {
        let Tables { width, height, this, next, inner, outer, follows, absent, .. } = self.tables;
        let (width, rows) = (*width, *height + 1);
        let stride = (width + 1) * BLOCK;
        let Inner { a, b, d, a_left, d_left } = inner;
        let Outer { c, e, f, g, e_left, g_left } = outer;
        for column in 0..width {
            // A voxel, the next of its row, and the winner of the two, in both planes; they advance down the rows.
            let load = |keys: &[K], row: usize| {
                let at = row * stride + column * BLOCK;
                let (voxel, right) = (simd.load(&keys[at..]), simd.load(&keys[at + 1..]));
                (voxel, right, pick(voxel, right))
            };
            let (mut voxel, mut right, mut pair) = load(this, 0);
            let (mut over, _, mut over_pair) = load(next, 0);
            for row in 0..rows {
                let word = row * width + column;
                let (below, below_right, below_pair) = load(this, row + 1);
                let (over_below, _, over_below_pair) = load(next, row + 1);
                a[word] = simd.not_greater(voxel, right);
                b[word] = simd.not_greater(voxel, below);
                c[word] = simd.not_greater(voxel, over);
                d[word] = simd.not_greater(pair, below_pair);
                e[word] = simd.not_greater(pair, over_pair);
                f[word] = simd.not_greater(pick(voxel, below), pick(over, over_below));
                g[word] = simd.not_greater(pick(pair, below_pair), pick(over_pair, over_below_pair));
                (voxel, right, pair) = (below, below_right, below_pair);
                (over, over_pair) = (over_below, over_below_pair);
            }
        }
        // Absent voxels lose to present ones in T and win in V. Zeros encode both, for the row above the first and for
        // the voxel before the first of a row.
        if self.top {
            b[..width].fill(0);
            d[..width].fill(0);
        }
        let words = rows * width;
        let follows = &follows[..words];
        shift(a, absent, follows, a_left);
        shift(d, b, follows, d_left);
        shift(e, c, follows, e_left);
        shift(g, f, follows, g_left);
    }
}
