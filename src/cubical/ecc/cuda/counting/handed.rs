//! Asynchronous transfer of the totals of bins to the host.

use super::{Counting, Found, Numbers, Vcec};
use crate::cuda::ecc::Totals;
use crate::cuda::{CudaError, KernelVoxel, Pinned};

impl<T: KernelVoxel> Counting<'_, T> {
    /// Number of totals if wide keys are counted in bins, else `None`.
    pub(in crate::cubical::ecc::cuda) fn levels(&self) -> Option<usize> {
        let Found::Bins { totals, .. } = &self.found else { return None };
        Some(totals.levels())
    }

    /// Starts the transfer of the totals to the host and resets them to zero. Does nothing without bins.
    pub(in crate::cubical::ecc::cuda) fn hand_over(&mut self, to: &mut Pinned<u64>) -> Result<(), CudaError> {
        let Found::Bins { totals, numbers, .. } = &mut self.found else { return Ok(()) };
        match numbers {
            Numbers::Narrow(march, _) => march.hand_over(totals, to),
            Numbers::Wide(march, _) => march.hand_over(totals, to),
        }
    }

    /// The curve of transferred totals; `None` unless they are totals of bins.
    pub(in crate::cubical::ecc::cuda) fn curve_of_handed(&self, handed: &[u64]) -> Option<Vcec> {
        let Found::Bins { edges, .. } = &self.found else { return None };
        Some(Vcec { values: edges.values.clone(), changes: Totals::changes(handed, self.order) })
    }
}
