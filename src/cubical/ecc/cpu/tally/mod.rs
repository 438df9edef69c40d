//! What is added up: the numbers of voxels, by key or by bin.

mod binned;
mod bytes;
pub(super) mod runs;
pub(super) mod summed;
mod words;

use std::convert::Infallible;
use std::io;

use crate::cubical::ecc::bins::Edges;
use crate::cubical::ecc::spill;
use crate::cubical::image::Voxel;
use crate::cubical::key::Key;
use binned::BinTally;
use bytes::ByteTally;
use runs::{RunTally, Spill};
use summed::Summed;
use words::WordTally;

/// What has been added up of a part of an image, to be added to the sums of the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PartialSums {
    /// The sum of each key that occurred, by key.
    Keys {
        /// The keys, ascending.
        keys: Vec<u64>,
        /// The sum of each.
        sums: Vec<i64>,
    },
    /// The sum of each bin.
    Bins(Vec<i64>),
}

/// Keys, ascending, and the sum of each.
type Rows<'a, K> = Box<dyn Iterator<Item = Result<(K, i64), Infallible>> + 'a>;

/// Sums that are not those of the curve that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected sums of the curve that is asked for, found others")]
pub struct OtherSums;

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

    /// What several threads have added up so far, which they go on adding to; none where some of it is in temporary files.
    pub(crate) fn so_far(all: &mut [&mut Self]) -> Option<PartialSums> {
        if let [Sums::Bins(first), ..] = all {
            let mut changes = vec![0; first.so_far().len()];
            for sums in all {
                let Sums::Bins(sums) = sums else { unreachable!("all are made alike") };
                changes.iter_mut().zip(sums.so_far()).for_each(|(change, other)| *change += other);
            }
            return Some(PartialSums::Bins(changes));
        }
        let sources = all.iter_mut().map(|sums| sums.rows_so_far()).collect::<Option<Vec<_>>>()?;
        let rows = spill::merge(sources).map(|row| row.unwrap_or_else(|never| match never {}));
        let (keys, sums) = rows.map(|(key, sum)| (key.to_u64(), sum)).unzip();
        Some(PartialSums::Keys { keys, sums })
    }

    /// The sum of each key that occurred so far, by key; none where some of them are in temporary files.
    fn rows_so_far(&mut self) -> Option<Rows<'_, T::Key>> {
        Some(match self {
            Sums::Bytes(sum) => Box::new(sum.so_far().into_iter().map(Ok)),
            Sums::Words(sum) => Box::new(sum.so_far().into_iter().map(Ok)),
            Sums::Runs(sum) => Box::new(sum.so_far()?.map(Ok)),
            Sums::Bins(_) => unreachable!("bins are no keys"),
        })
    }

    /// Adds what was added up before. Sums of another kind, or of other bins, are refused.
    ///
    /// # Errors
    /// [`OtherSums`].
    pub(crate) fn add_partial(&mut self, partial: &PartialSums) -> Result<(), OtherSums> {
        let widest = T::Key::MAX.to_u64();
        match (self, partial) {
            (Sums::Bins(sum), PartialSums::Bins(changes)) if changes.len() == sum.so_far().len() => {
                sum.add_changes(changes);
            }
            (sums, PartialSums::Keys { keys, sums: changes })
                if keys.len() == changes.len()
                    && keys.is_sorted_by(|a, b| a < b)
                    && keys.last().is_none_or(|&last| last <= widest) =>
            {
                let rows = keys.iter().map(|&key| T::Key::from_u64(key)).zip(changes.iter().copied());
                match sums {
                    Sums::Bytes(sum) => sum.add_changes(rows),
                    Sums::Words(sum) => sum.add_changes(rows),
                    Sums::Runs(sum) => sum.add_changes(rows),
                    Sums::Bins(_) => return Err(OtherSums),
                }
            }
            _ => return Err(OtherSums),
        }
        Ok(())
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
