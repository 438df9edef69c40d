//! Changes in bins that come to the host without waiting.

use super::{Counting, Found, Numbers, Vcec};
use crate::cuda::ecc::Totals;
use crate::cuda::{CudaError, KernelVoxel, Pinned};

impl<T: KernelVoxel> Counting<'_, T> {
    /// The number of totals, if wide keys are counted in bins.
    pub(in crate::cubical::ecc::cuda) fn levels(&self) -> Option<usize> {
        let Found::Bins { totals, .. } = &self.found else { return None };
        Some(totals.levels())
    }

    /// Begins to bring the totals to the host, after which they are zero. Only totals of bins are.
    pub(in crate::cubical::ecc::cuda) fn hand_over(&mut self, to: &mut Pinned<u64>) -> Result<(), CudaError> {
        let Found::Bins { totals, numbers, .. } = &mut self.found else { return Ok(()) };
        match numbers {
            Numbers::Narrow(march, _) => march.hand_over(totals, to),
            Numbers::Wide(march, _) => march.hand_over(totals, to),
        }
    }

    /// The curve of totals that were handed over; none if those are not of bins.
    pub(in crate::cubical::ecc::cuda) fn curve_of_handed(&self, handed: &[u64]) -> Option<Vcec> {
        let Found::Bins { edges, .. } = &self.found else { return None };
        Some(Vcec { values: edges.values.clone(), changes: Totals::changes(handed, self.order) })
    }
}
