//! A view of the part of an image that is in memory, and its division into tiles.

use std::ops::Range;

use crate::cubical::key::Key;
use crate::cubical::order::VoxelOrder;
use crate::simd::BLOCK;

/// Greatest number of voxels in a row of a tile.
const TILE_COLUMNS: usize = 64 * BLOCK;

/// Target size in bytes of a tile's rows with all tables, for the cache.
const TILE_BYTES: usize = 96 << 10;

/// Consecutive slices of an image along its slowest axis longer than one voxel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a, K> {
    /// Planes, rows and columns of the image.
    pub(crate) extents: [usize; 3],
    /// Plane, row and column of the first voxel in memory.
    pub(crate) first: [usize; 3],
    /// The bits of the voxels in memory.
    pub(crate) voxels: &'a [K],
    pub(crate) order: VoxelOrder,
}

impl<K: Key> View<'_, K> {
    /// Writes the keys of a row's columns, clipped at the end of the row, to the front of `keys` in filtration order,
    /// and returns their number; 0 if the image has no such row.
    ///
    /// Rows and planes are counted from 1; 0 is the absent one before the first.
    pub(crate) fn keys(&self, plane: usize, row: usize, columns: Range<usize>, keys: &mut [K]) -> usize {
        let [planes, rows, width] = self.extents;
        if !(1..=planes).contains(&plane) || !(1..=rows).contains(&row) {
            return 0;
        }
        let start = ((plane - 1 - self.first[0]) * rows + row - 1 - self.first[1]) * width;
        let (from, to) = (columns.start - self.first[2], columns.end.min(width) - self.first[2]);
        let voxels = &self.voxels[start + from..start + to];
        self.order.fill(voxels, keys);
        voxels.len()
    }
}

/// A box of voxels whose numbers one thread adds up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VoxelTile {
    pub(crate) planes: Range<usize>,
    pub(crate) rows: Range<usize>,
    /// The first column is a multiple of [`BLOCK`].
    pub(crate) columns: Range<usize>,
}

/// Cuts a box into tiles for a number of threads. The first column of the box must be a multiple of [`BLOCK`].
///
/// Tiles extend over many planes, since consecutive planes share their comparisons, and over few rows, so that their
/// tables stay in the cache.
pub(crate) fn tiles(
    [planes, rows, columns]: [Range<usize>; 3],
    key_bytes: usize,
    threads: usize,
) -> Vec<VoxelTile> {
    let height = height(columns.len(), key_bytes);
    let across = columns.len().div_ceil(TILE_COLUMNS) * rows.len().div_ceil(height);
    // Several tiles per thread, for load balance, but deep enough that their first planes, read twice, do not matter.
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

/// Number of rows of a tile.
fn height(columns: usize, key_bytes: usize) -> usize {
    (TILE_BYTES / row_bytes(columns, key_bytes)).clamp(4, 64)
}

/// Bytes of a row of a tile: about twenty words of bits per block, and the keys of two planes.
fn row_bytes(columns: usize, key_bytes: usize) -> usize {
    (columns.min(TILE_COLUMNS).div_ceil(BLOCK) + 1) * (24 * 8 + 2 * BLOCK * key_bytes)
}

/// Bytes of the tables of a thread.
pub(crate) fn table_bytes(columns: usize, key_bytes: usize) -> usize {
    (height(columns, key_bytes) + 2) * (row_bytes(columns, key_bytes) + row_bytes(1, key_bytes))
}

/// Cuts a range into pieces of equal length, except for the last.
fn cut(range: &Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let end = range.end;
    range.clone().step_by(length).map(move |from| from..end.min(from + length))
}
