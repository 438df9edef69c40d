//! Sums of the numbers c(x) of voxels, by key or by bin.

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

/// Sums over a part of an image, in a form that can be saved and added to the sums of the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PartialSums {
    /// Sums by key, for the keys that occurred.
    Keys {
        /// The keys, ascending.
        keys: Vec<u64>,
        /// The sum of each key.
        sums: Vec<i64>,
    },
    /// The sum of each bin.
    Bins(Vec<i64>),
}

/// Iterator over keys, ascending, with the sum of each.
type Rows<'a, K> = Box<dyn Iterator<Item = Result<(K, i64), Infallible>> + 'a>;

/// Error: the saved sums belong to a curve with other parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected sums of the curve that is asked for, found others")]
pub struct OtherSums;

/// The sums of a thread; the variant depends on the width of keys and on whether there are bins.
#[derive(Debug)]
pub(crate) enum Sums<T: Voxel> {
    /// Sums of 8-bit keys.
    Bytes(Box<ByteTally>),
    /// Sums of 16-bit keys.
    Words(Box<WordTally<T::Key>>),
    /// Sums of wider keys by bins whose edges are known.
    Bins(BinTally<T>),
    /// Sums of wider keys, key by key.
    Runs(RunTally<T::Key>),
}

impl<T: Voxel> Sums<T> {
    /// Empty sums. Keys of up to 16 bits ignore `edges`; they are binned at the end. Excess keys go to `spill`.
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

    /// Whether spilling keys has failed.
    pub(crate) fn has_failed(&self) -> bool {
        if let Sums::Runs(runs) = self { runs.has_failed() } else { false }
    }

    /// Returns the sums so far of several threads, which may add more; `None` if some are in temporary files.
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

    /// The sums so far of the keys that occurred, ascending by key; `None` if some are in temporary files.
    fn rows_so_far(&mut self) -> Option<Rows<'_, T::Key>> {
        Some(match self {
            Sums::Bytes(sum) => Box::new(sum.so_far().into_iter().map(Ok)),
            Sums::Words(sum) => Box::new(sum.so_far().into_iter().map(Ok)),
            Sums::Runs(sum) => Box::new(sum.so_far()?.map(Ok)),
            Sums::Bins(_) => unreachable!("bins are no keys"),
        })
    }

    /// Adds saved sums.
    ///
    /// # Errors
    /// [`OtherSums`]: the saved sums do not fit this curve (keys or bins), or their keys do not ascend or are too wide.
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

    /// Combines the sums of all threads. The result does not depend on how the work was shared.
    ///
    /// # Errors
    /// Spilled keys could not be written to a file.
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
