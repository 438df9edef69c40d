//! Construction of a residue by several processes.
//!
//! Each process constructs the [`Parts`] of the dimension that it takes, or sweeps its tiles on its devices. Only
//! process 0 knows the pairs of the dimension below. The others send the simplices that distances alone do not decide,
//! and process 0 clears them. These are the columns, and at most as many more as the dimension below has columns. To
//! send the pairs to all processes instead would take more bytes.

use std::ops::ControlFlow;

use super::{Construction, Enumerate, Parts, Residue, SimplexCounts, Undecided, construct, construct_parts};
use crate::memory::{self, Refused};
use crate::ranks::{Portions, Ranks};
use crate::rips::pair_store::{ApparentPairs, Pivots};
use crate::rips::word::{Word, limbs};

/// Constructs the residue of a dimension in the parts that this process takes, while the others take theirs.
pub(in crate::rips) fn construct_share<W: Word>(
    complex: &dyn Enumerate,
    construction: &Construction<'_>,
    below: &Pivots<W>,
    processes: &dyn Ranks,
) -> Residue<W> {
    let (parts, mut residue) = (complex.parts(construction.dim), Residue::default());
    processes.deal(&mut |take| {
        let parts = Parts::taken(Portions::new(parts, processes.size(), take));
        residue = construct_parts(complex, construction, below, &parts);
        ControlFlow::Continue(())
    });
    residue
}

/// Constructs the residue of a dimension, as process 0 together with the others, each of which [sends](Residue::send)
/// its part. `below` has the pairs of the dimension below.
///
/// # Errors
/// There is not enough memory for what processes send.
pub(in crate::rips) fn construct_together<W: Word>(
    complex: &dyn Enumerate,
    construction: &Construction<'_>,
    below: &Pivots<W>,
    processes: &dyn Ranks,
) -> Result<Residue<W>, Refused> {
    if processes.size() == 1 {
        return Ok(construct(complex, construction, below));
    }
    let residue = construct_share(complex, construction, below, processes);
    let mut others = Undecided::default();
    others.receive(processes)?;
    Ok(others.join(residue, below, construction.layer))
}

/// Number of limbs before those of the entries: three counts, and the number of limbs of columns.
const HEAD: usize = 4;

impl<W: Word> Residue<W> {
    /// Sends the residue to process 0, as another process, where no pairs of the dimension below are known.
    ///
    /// # Errors
    /// There is not enough memory for the message.
    pub(in crate::rips) fn send(self, processes: &dyn Ranks) -> Result<(), Refused> {
        processes.gather(self.message()?).map(drop)
    }

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
}

impl Undecided {
    /// Adds the simplices that all other processes [send](Residue::send) to this one, process 0.
    ///
    /// # Errors
    /// There is not enough memory for them.
    pub(in crate::rips) fn receive(&mut self, processes: &dyn Ranks) -> Result<(), Refused> {
        for message in processes.gather(Vec::new())?.into_iter().filter(|message| !message.is_empty()) {
            self.add_message(&message)?;
        }
        Ok(())
    }

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
