//! The numbers c(x) of voxels on their way from where they are found ([`super::tables`]) to where they are added up ([`super::tally`]).

use super::bits::Digits;
use crate::cubical::key::Key;
use crate::simd::{BLOCK, Level};

/// The numbers of a plane's voxels, with their keys.
pub(crate) struct Numbers<'a, K> {
    pub(super) keys: &'a [K],
    pub(super) digits: &'a Digits,
    pub(super) own: &'a [u64],
}

/// 64 voxels.
pub(crate) struct Block<'a, K> {
    pub(crate) keys: &'a [K; BLOCK],
    /// The digits of their numbers plus [`OFFSET`](super::digits::OFFSET), lowest first.
    pub(crate) digits: [u64; 4],
    /// Where the numbers are not 0.
    pub(crate) nonzero: u64,
    /// Which voxels count.
    pub(crate) own: u64,
}

impl<K: Key> Numbers<'_, K> {
    /// Block by block.
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

/// Takes the numbers of voxels.
pub(crate) trait Tally<K: Key> {
    /// Takes those of a plane.
    fn plane(&mut self, level: Level, numbers: &Numbers<'_, K>);
}

/// The places of the bits that are set.
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
