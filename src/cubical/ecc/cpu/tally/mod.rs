//! What is added up: the numbers of voxels, by key or by bin.

mod binned;
mod bytes;
mod runs;
mod words;

use super::digits::OFFSET;
use super::tables::{Block, Numbers};
use crate::cubical::ecc::bins::Edges;
use crate::cubical::{Key, Voxel};
use crate::simd::Level;
use binned::BinTally;
use bytes::ByteTally;
use runs::RunTally;
use words::WordTally;

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

/// The number at a place, plus [`OFFSET`].
#[inline(always)]
pub(crate) fn number(digits: [u64; 4], place: usize) -> usize {
    let bit = |k: usize| (digits[k] >> place & 1) << k;
    (bit(0) | bit(1) | bit(2) | bit(3)) as usize
}

/// The sums of a thread, by whatever holds them best.
#[derive(Debug)]
pub(crate) enum Sums<T: Voxel> {
    /// Of 8 bits.
    Bytes(Box<ByteTally>),
    /// Of 16 bits.
    Words(Box<WordTally<T::Key>>),
    /// Of more, when the bins are known.
    Bins(BinTally<T>),
    /// Of more, each key by itself.
    Runs(RunTally<T::Key>),
}

/// Sums by key, ascending, or by bin.
#[derive(Debug, PartialEq)]
pub(crate) enum Summed<K> {
    Keys(Vec<(K, i64)>),
    Bins(Vec<i64>),
}

impl<T: Voxel> Sums<T> {
    /// Nothing yet. Edges serve keys of more than 16 bits; others are put into bins at the end.
    pub(crate) fn new(edges: Option<&Edges<T::Key>>, superlevel: bool) -> Self {
        match (T::Key::BITS, edges) {
            (8, _) => Sums::Bytes(Box::new(ByteTally::new())),
            (16, _) => Sums::Words(Box::new(WordTally::new())),
            (_, Some(edges)) => Sums::Bins(BinTally::new(edges, superlevel)),
            (_, None) => Sums::Runs(RunTally::new()),
        }
    }

    /// Bytes of memory that grow with what is added.
    pub(crate) fn bytes(&self) -> usize {
        if let Sums::Runs(runs) = self { runs.bytes() } else { 0 }
    }

    /// What several threads added, which is the same however they shared the work.
    pub(crate) fn finish(all: Vec<Self>) -> Summed<T::Key> {
        let mut all = all.into_iter();
        let mut sum = all.next().expect("a thread at least");
        for other in all {
            match (&mut sum, other) {
                (Sums::Bytes(sum), Sums::Bytes(other)) => sum.absorb(*other),
                (Sums::Words(sum), Sums::Words(other)) => sum.absorb(*other),
                (Sums::Bins(sum), Sums::Bins(other)) => sum.absorb(&other),
                (Sums::Runs(sum), Sums::Runs(other)) => sum.absorb(other),
                _ => unreachable!("all are made alike"),
            }
        }
        match sum {
            Sums::Bytes(sum) => Summed::Keys(sum.finish()),
            Sums::Words(sum) => Summed::Keys(sum.finish()),
            Sums::Bins(sum) => Summed::Bins(sum.finish()),
            Sums::Runs(sum) => Summed::Keys(sum.finish()),
        }
    }
}
