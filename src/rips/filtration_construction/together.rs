//! Construction of a residue by several processes.
//!
//! Each process constructs its [`Parts`](super::Parts) of the dimension. Only process 0 knows the pairs of the
//! dimension below. The others send the simplices that distances alone do not decide, as devices do, and process 0
//! clears them. These are the columns, and at most as many more as the dimension below has columns. To send the pairs
//! to all processes instead would take more bytes.

use super::{Construction, Enumerate, Residue, SimplexCounts, Undecided, construct};
use crate::memory::{self, Refused};
use crate::ranks::Ranks;
use crate::rips::pair_store::{ApparentPairs, Pivots};
use crate::rips::word::{Word, limbs, sort_runs};

/// Constructs the residue of a dimension together with the other processes. Process 0 gives the pairs of the dimension
/// below and returns the residue; the others give none, and return an empty one.
///
/// # Errors
/// There is not enough memory for what processes send.
pub(in crate::rips) fn construct_together<W: Word>(
    complex: &dyn Enumerate,
    construction: &Construction<'_>,
    below: &Pivots<W>,
    processes: &dyn Ranks,
) -> Result<Residue<W>, Refused> {
    let mut residue = construct(complex, &construction.part_of(processes), below);
    let message = if processes.rank() == 0 { Vec::new() } else { std::mem::take(&mut residue).message()? };
    let mut others = Undecided::default();
    for message in processes.gather(message)?.into_iter().filter(|message| !message.is_empty()) {
        others.add_message(&message)?;
    }
    if processes.size() > 1 {
        residue.add(others.clear(below, construction.layer));
    }
    Ok(residue)
}

/// Number of limbs before those of the entries: three counts, and the number of limbs of columns.
const HEAD: usize = 4;

impl<W: Word> Residue<W> {
    /// The residue as bytes for process 0, limb by limb.
    fn message(self) -> Result<Vec<u8>, Refused> {
        let SimplexCounts { simplices, cleared, apparent } = self.counts;
        let cofacets = match self.apparent {
            ApparentPairs::Sorted(cofacets) => cofacets,
            ApparentPairs::Implicit => Vec::new(),
        };
        let entries = self.columns.len() + cofacets.len();
        let mut message = memory::with_room(size_of::<u64>() * (HEAD + entries * W::LIMBS))?;
        let head = [simplices, cleared, apparent, (self.columns.len() * W::LIMBS) as u64];
        let limbs = head.into_iter().chain(self.columns.into_iter().chain(cofacets).flat_map(limbs));
        limbs.for_each(|limb| message.extend_from_slice(&limb.to_ne_bytes()));
        Ok(message)
    }

    /// Adds the residue of other simplices.
    fn add(&mut self, other: Self) {
        let Residue { columns, apparent, counts, pair_store } = other;
        self.columns.extend(columns);
        sort_runs(&mut self.columns);
        self.columns.reverse();
        if let (ApparentPairs::Sorted(all), ApparentPairs::Sorted(more)) = (&mut self.apparent, apparent) {
            all.extend(more);
            sort_runs(all);
        }
        self.counts += counts;
        self.pair_store += pair_store;
    }
}

impl Undecided {
    /// Adds the simplices of a message.
    fn add_message(&mut self, message: &[u8]) -> Result<(), Refused> {
        let Some((head, limbs)) = message.as_chunks().0.split_first_chunk::<HEAD>() else { return Ok(()) };
        let [simplices, cleared, apparent, columns] = head.map(u64::from_ne_bytes);
        let (columns, cofacets) = limbs.split_at(columns as usize);
        for (parts, limbs) in [(&mut self.columns, columns), (&mut self.cofacets, cofacets)] {
            let mut part = memory::with_room(limbs.len())?;
            part.extend(limbs.iter().map(|&limb| u64::from_ne_bytes(limb)));
            parts.push(part);
        }
        self.counts += SimplexCounts { simplices, cleared, apparent };
        Ok(())
    }
}
