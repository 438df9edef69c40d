//! What is added up: the numbers of voxels, by key or by bin.

mod binned;
mod bytes;
pub(super) mod runs;
pub(super) mod summed;
mod words;

use std::io;

use crate::cubical::ecc::bins::Edges;
use crate::cubical::image::Voxel;
use crate::cubical::key::Key;
use binned::BinTally;
use bytes::ByteTally;
use runs::{RunTally, Spill};
use summed::Summed;
use words::WordTally;

/// The sums of a thread, by whatever holds them best.
#[derive(Debug)]
pub(crate) enum Sums<T: Voxel> {
    /// The sums of keys of 8 bits.
    Bytes(Box<ByteTally>),
    /// The sums of keys of 16 bits.
    Words(Box<WordTally<T::Key>>),
    /// The sums of wider keys by bins that are known.
    Bins(BinTally<T>),
    /// The sums of wider keys, each key by itself.
    Runs(RunTally<T::Key>),
}

impl<T: Voxel> Sums<T> {
    /// Nothing yet. Edges serve keys of more than 16 bits; others are put into bins at the end. Keys that are too many go to `spill`.
    pub(crate) fn new(
        edges: Option<&Edges<T::Key>>,
        superlevel: bool,
        spill: Option<&Spill<T::Key>>,
    ) -> Self {
        match (T::Key::BITS, edges) {
            (8, _) => Sums::Bytes(Box::new(ByteTally::new())),
            (16, _) => Sums::Words(Box::new(WordTally::new())),
            (_, Some(edges)) => Sums::Bins(BinTally::new(edges, superlevel)),
            (_, None) => Sums::Runs(RunTally::new(spill.cloned())),
        }
    }

    /// Whether what was added could not be kept.
    pub(crate) fn has_failed(&self) -> bool {
        if let Sums::Runs(runs) = self { runs.has_failed() } else { false }
    }

    /// What several threads added, which is the same however they shared the work.
    ///
    /// # Errors
    /// Keys that were too many could not be kept in a file.
    pub(crate) fn finish(all: Vec<Self>) -> io::Result<Summed<T::Key>> {
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
        let keys = |rows: Vec<(T::Key, i64)>| {
            let (keys, sums) = rows.into_iter().unzip();
            Summed::Keys(keys, sums)
        };
        Ok(match sum {
            Sums::Bytes(sum) => keys(sum.finish()),
            Sums::Words(sum) => keys(sum.finish()),
            Sums::Bins(sum) => Summed::Bins(sum.finish()),
            Sums::Runs(sum) => sum.finish()?,
        })
    }
}
