//! A part of an image that is in memory, and the tiles that it is worked on by.

use std::ops::Range;

use crate::cubical::image::Voxel;
use crate::cubical::key::Key as _;
use crate::simd::BLOCK;

/// Voxels of a tile in a row, at most.
const TILE_COLUMNS: usize = 64 * BLOCK;

/// Bytes that a tile's rows should take of a cache, all tables included.
const TILE_BYTES: usize = 96 << 10;

/// Some consecutive slices of an image along its slowest axis that has more than one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a, T> {
    /// Planes, rows and columns of the image.
    pub(crate) extents: [usize; 3],
    /// Where the first voxel that is in memory lies.
    pub(crate) first: [usize; 3],
    /// Those in memory.
    pub(crate) voxels: &'a [T],
}

impl<'a, T> View<'a, T> {
    /// The voxels of a row that are asked for, as far as there are such; `None` when the image has no such row.
    ///
    /// A row is counted from 1: the one before the first is 0. So are planes.
    #[inline]
    pub(crate) fn row(&self, plane: usize, row: usize, columns: Range<usize>) -> Option<&'a [T]> {
        let (plane, row) = (plane.checked_sub(1)?, row.checked_sub(1)?);
        if plane >= self.extents[0] || row >= self.extents[1] {
            return None;
        }
        let [_, rows, width] = self.extents;
        let start = ((plane - self.first[0]) * rows + row - self.first[1]) * width;
        let (from, to) = (columns.start - self.first[2], columns.end.min(width) - self.first[2]);
        Some(&self.voxels[start + from..start + to])
    }
}

/// Rows of an image as keys, whatever the type of its voxels: what follows is compiled once for a type of keys.
pub(crate) trait KeyRows<K> {
    /// Puts the keys of a row's columns, as far as there are such, to the front of `keys`, in the order of the filtration, and says how many
    /// they are. Rows and planes are counted as in [`View::row`].
    fn row(&self, plane: usize, row: usize, columns: Range<usize>, keys: &mut [K]) -> usize;
}

/// The voxels of a view in the order of a filtration.
pub(crate) struct Filtered<'a, T> {
    pub(crate) view: View<'a, T>,
    pub(crate) superlevel: bool,
}

impl<T: Voxel> KeyRows<T::Key> for Filtered<'_, T> {
    fn row(&self, plane: usize, row: usize, columns: Range<usize>, keys: &mut [T::Key]) -> usize {
        let voxels = self.view.row(plane, row, columns).unwrap_or_default();
        let keys = keys.iter_mut().zip(voxels);
        if self.superlevel {
            keys.for_each(|(key, voxel)| *key = voxel.key().reversed());
        } else {
            keys.for_each(|(key, voxel)| *key = voxel.key());
        }
        voxels.len()
    }
}

/// A box of voxels, whose numbers one thread adds up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VoxelTile {
    pub(crate) planes: Range<usize>,
    pub(crate) rows: Range<usize>,
    /// Begins at a multiple of [`BLOCK`].
    pub(crate) columns: Range<usize>,
}

/// Cuts a box into tiles for so many threads. The box's columns begin at a multiple of [`BLOCK`].
///
/// Tiles are long along planes, which share their comparisons with the next, and few rows high, so that their tables stay in a cache.
pub(crate) fn tiles(
    [planes, rows, columns]: [Range<usize>; 3],
    key_bytes: usize,
    threads: usize,
) -> Vec<VoxelTile> {
    let height = height(columns.len(), key_bytes);
    let across = columns.len().div_ceil(TILE_COLUMNS) * rows.len().div_ceil(height);
    // Some tiles a thread, so that all end together, but not so thin that their first planes count.
    let parts = if threads == 1 { 1 } else { (8 * threads).div_ceil(across) };
    let depth = planes.len().div_ceil(parts).max(16);
    let mut tiles = Vec::new();
    for planes in cut(&planes, depth) {
        for rows in cut(&rows, height) {
            for columns in cut(&columns, TILE_COLUMNS) {
                tiles.push(VoxelTile { planes: planes.clone(), rows: rows.clone(), columns });
            }
        }
    }
    tiles
}

/// VcecRows of a tile.
fn height(columns: usize, key_bytes: usize) -> usize {
    (TILE_BYTES / row_bytes(columns, key_bytes)).clamp(4, 64)
}

/// What a row of a tile takes: some twenty words of bits a block, and keys of two planes.
fn row_bytes(columns: usize, key_bytes: usize) -> usize {
    (columns.min(TILE_COLUMNS).div_ceil(BLOCK) + 1) * (24 * 8 + 2 * BLOCK * key_bytes)
}

/// What the tables of a thread take.
pub(crate) fn table_bytes(columns: usize, key_bytes: usize) -> usize {
    (height(columns, key_bytes) + 2) * (row_bytes(columns, key_bytes) + row_bytes(1, key_bytes))
}

/// Pieces of a range, of one length but for the last.
fn cut(range: &Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let end = range.end;
    range.clone().step_by(length).map(move |from| from..end.min(from + length))
}
