//! What devices have swept ahead of the reduction.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::filtration_construction::{Assemble, Offload, Undecided};
use super::word::Word;
use crate::backend::Decision;
use crate::cuda::CudaError;

type Swept<W> = Result<Undecided<W>, CudaError>;

/// The machines of a run: what was decided, and in tests what stands in for devices.
pub(super) struct Machine {
    pub(super) decision: Decision,
    #[cfg(test)]
    pub(super) stand_in: Option<stand_in::StandIn>,
}

impl From<Decision> for Machine {
    fn from(decision: Decision) -> Self {
        Machine {
            decision,
            #[cfg(test)]
            stand_in: None,
        }
    }
}

impl Machine {
    /// Whether there is a device to sweep.
    pub(super) fn has_devices(&self) -> bool {
        #[cfg(test)]
        if self.stand_in.is_some() {
            return true;
        }
        !self.decision.gpus.is_empty()
    }

    /// Sweeps all dimensions on the devices, one after the other, and hands over what each leaves, until told to stop. A panic is
    /// handed over as the failure of a device.
    pub(super) fn sweep<C: Assemble, W: Word>(
        &self,
        complex: &C,
        task: &Offload<'_>,
        rank_width: u32,
        mut found: impl FnMut(Swept<W>) -> bool,
    ) {
        // What the work was changing is not used any more: the devices are given up.
        let swept = catch_unwind(AssertUnwindSafe(|| {
            #[cfg(test)]
            if let Some(stand_in) = &self.stand_in {
                return stand_in.sweep(complex, task, rank_width, &mut found);
            }
            complex.offload::<W>(task, rank_width, &mut found);
        }));
        if let Err(panic) = swept {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let reason = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let reason = reason.unwrap_or("no reason is known").to_owned();
            found(Err(CudaError::Panicked { reason }));
        }
    }
}

/// The undecided simplices of one dimension after the other, as the devices find them.
pub(super) struct Ahead<W> {
    found: Option<Receiver<Swept<W>>>,
}

impl<W: Word> Ahead<W> {
    /// There are no devices.
    pub(super) fn nobody() -> Self {
        Ahead { found: None }
    }

    /// Of devices, and what they are to call with what they find; it says whether to go on.
    pub(super) fn on_devices() -> (Self, impl FnMut(Swept<W>) -> bool + Send) {
        // One dimension waits while the next is swept.
        let (send, found): (SyncSender<Swept<W>>, _) = sync_channel(1);
        let hand_over = move |swept: Swept<W>| {
            let failed = swept.is_err();
            send.send(swept).is_ok() && !failed
        };
        (Ahead { found: Some(found) }, hand_over)
    }

    /// The next dimension; none when the processor is to do it.
    ///
    /// # Errors
    /// A device failed. From then on the processor is to do everything.
    pub(super) fn next(&mut self) -> Result<Option<Undecided<W>>, CudaError> {
        let Some(found) = &self.found else { return Ok(None) };
        // The devices' thread says why it ends. Without a word it was never started.
        let swept = found.recv().unwrap_or(Err(CudaError::NoThread));
        if swept.is_err() {
            self.found = None;
        }
        swept.map(Some)
    }
}

/// A device for tests: it does what a device does, on the processor, and fails when it is told to.
#[cfg(test)]
pub(super) mod stand_in {
    use super::*;
    use crate::rips::code::Code;
    use crate::rips::filtration_construction::{Counts, Task};
    use crate::rips::pair_store::{ApparentPairs, PairStore, Pivots};
    use crate::simd::Level;

    /// How the device fails.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Failure {
        /// It says so.
        Error,
        /// Its driver's code panics.
        Panic,
        /// Its thread ends without a word.
        Silence,
        /// It finds something wrong.
        WrongCounts,
    }

    /// The device, and the dimension in which it fails.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct StandIn {
        pub(crate) fails: Option<(usize, Failure)>,
    }

    impl StandIn {
        pub(super) fn sweep<C: Assemble, W: Word>(
            &self,
            complex: &C,
            task: &Offload<'_>,
            rank_width: u32,
            found: &mut dyn FnMut(Swept<W>) -> bool,
        ) {
            let nothing = PairStore { pivots: Pivots::none(), apparent: ApparentPairs::None };
            for dim in 1..=task.max_dim {
                let failure = self.fails.filter(|&(at, _)| at == dim).map(|(_, failure)| failure);
                let residue = complex.assemble(&Task {
                    dim,
                    code: Code::new(task.points, dim + 1),
                    cofacet_code: Code::new(task.points, dim + 2),
                    cleared: &nothing,
                    layer: task.layer,
                    rank_width,
                    level: Level::detect(),
                    progress: &(),
                });
                let mut cofacets = match residue.apparent {
                    ApparentPairs::Sorted(cofacets) => cofacets,
                    _ => Vec::new(),
                };
                cofacets.reverse();
                let counts = match failure {
                    Some(Failure::Error) => {
                        found(Err(CudaError::NoDevice));
                        return;
                    }
                    Some(Failure::Panic) => panic!("a test's device breaks in dimension {dim}"),
                    Some(Failure::Silence) => return,
                    Some(Failure::WrongCounts) => {
                        Counts { simplices: residue.counts.simplices + 1, ..residue.counts }
                    }
                    None => residue.counts,
                };
                let (columns, cofacets) = (vec![residue.columns], vec![cofacets]);
                if !found(Ok(Undecided { columns, cofacets, counts, seconds: 0.0 })) {
                    return;
                }
            }
        }
    }
}
