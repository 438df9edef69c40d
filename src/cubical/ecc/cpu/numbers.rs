//! The numbers c(x) of voxels, which [`super::tables`] computes and [`super::tally`] adds up.

use super::bits::Digits;
use crate::cubical::key::Key;
use crate::simd::{BLOCK, Level};

/// The numbers of a plane's voxels, with the voxels' keys.
pub(crate) struct Numbers<'a, K> {
    pub(super) keys: &'a [K],
    pub(super) digits: &'a Digits,
    pub(super) own: &'a [u64],
}

/// Keys and numbers of 64 voxels of a row.
pub(crate) struct Block<'a, K> {
    pub(crate) keys: &'a [K; BLOCK],
    /// Binary digits of the numbers plus [`OFFSET`](super::digits::OFFSET), lowest first.
    pub(crate) digits: [u64; 4],
    /// Mask of the nonzero numbers.
    pub(crate) nonzero: u64,
    /// Mask of the voxels of the tile; the others are neighbours.
    pub(crate) own: u64,
}

impl<K: Key> Numbers<'_, K> {
    /// Calls `work` for each block, row by row.
    #[inline(always)]
    pub(crate) fn for_each(&self, mut work: impl FnMut(Block<'_, K>)) {
        let width = self.own.len();
        for (row, nonzero) in self.digits.nonzero.chunks_exact(width).enumerate() {
            let keys = &self.keys[row * (width + 1) * BLOCK..];
            for (column, (keys, &own)) in keys.as_chunks::<BLOCK>().0.iter().zip(self.own).enumerate() {
                let digits = self.digits.digits.each_ref().map(|digit| digit[row * width + column]);
                work(Block { keys, digits, nonzero: nonzero[column], own });
            }
        }
    }
}

/// Adds up the numbers of voxels.
pub(crate) trait Tally<K: Key> {
    /// Adds the numbers of a plane.
    fn plane(&mut self, level: Level, numbers: &Numbers<'_, K>);
}

/// Iterates over the places of the set bits.
#[inline(always)]
pub(crate) fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros() as usize;
        (bits != 0).then(|| {
            bits &= bits - 1;
            place
        })
    })
}

/// The number at a place, plus [`OFFSET`](super::digits::OFFSET).
#[inline(always)]
pub(crate) fn number(digits: [u64; 4], place: usize) -> usize {
    let bit = |k: usize| (digits[k] >> place & 1) << k;
    (bit(0) | bit(1) | bit(2) | bit(3)) as usize
}
