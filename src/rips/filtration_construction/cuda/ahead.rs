//! Devices that sweep ahead of the reduction: a thread drives them through all dimensions, the reduction takes what each leaves.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{Builder, Scope};
use std::time::Duration;

use super::DeviceSweep;
use crate::backend::{Decision, guarded};
use crate::cuda::CudaError;
use crate::progress::{Progress, check};
use crate::rips::filtration_construction::{Enumerate, Undecided};

/// How often a reduction that waits for the devices looks whether the run is to end.
const LOOK: Duration = Duration::from_millis(20);

/// What devices leave of a dimension, or why they failed.
pub(super) type Swept = Result<Undecided, CudaError>;

/// The machines of a run: what was decided, and in tests what stands in for devices.
pub(in crate::rips) struct Machine {
    pub(in crate::rips) decision: Decision,
    #[cfg(test)]
    pub(in crate::rips) stand_in: Option<super::stand_in::StandIn>,
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
    pub(in crate::rips) fn has_devices(&self) -> bool {
        #[cfg(test)]
        if self.stand_in.is_some() {
            return true;
        }
        !self.decision.gpus.is_empty()
    }

    /// Sweeps all dimensions on the devices, one after the other, and hands over what each leaves, until told to stop. A panic is
    /// handed over as the failure of a device.
    fn sweep(&self, complex: &dyn Enumerate, sweep: &DeviceSweep<'_>, found: &mut dyn FnMut(Swept) -> bool) {
        let swept = guarded(|| {
            #[cfg(test)]
            if let Some(stand_in) = &self.stand_in {
                stand_in.sweep(complex, sweep, found);
                return Ok(());
            }
            sweep.run(&complex.on_device(sweep.rank_width), found);
            Ok(())
        });
        if let Err(panic) = swept {
            found(Err(panic));
        }
    }
}

/// The undecided simplices of one dimension after the other, as the devices find them.
pub(in crate::rips) struct Ahead {
    found: Option<Receiver<Swept>>,
}

impl Ahead {
    /// Starts a thread that drives the devices of a machine; if there are none, nothing is swept ahead.
    pub(in crate::rips) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        machine: &'scope Machine,
        complex: &'scope dyn Enumerate,
        sweep: DeviceSweep<'scope>,
    ) -> Self {
        if !machine.has_devices() {
            return Ahead { found: None };
        }
        // One dimension waits while the next is swept.
        let (send, found): (SyncSender<Swept>, _) = sync_channel(1);
        let mut hand_over = move |swept: Swept| {
            let failed = swept.is_err();
            send.send(swept).is_ok() && !failed
        };
        let drive = move || machine.sweep(complex, &sweep, &mut hand_over);
        // Without a thread nothing is handed over, which counts as a failure of the devices.
        let _ = Builder::new().name("sweep".into()).spawn_scoped(scope, drive);
        Ahead { found: Some(found) }
    }

    /// What the devices left of the next dimension; none when the processor is to construct its residue. A run that is to end early ends here, and
    /// the devices with it: they leave off after the batch that they work on.
    ///
    /// # Errors
    /// A device failed. From then on the processor is to do everything.
    pub(in crate::rips) fn next(&mut self, progress: &dyn Progress) -> Result<Option<Undecided>, CudaError> {
        let Some(found) = &self.found else { return Ok(None) };
        let swept = loop {
            match found.recv_timeout(LOOK) {
                Ok(swept) => break swept,
                Err(RecvTimeoutError::Timeout) => check(progress),
                // The devices' thread says why it ends. Without a word it was never started.
                Err(RecvTimeoutError::Disconnected) => break Err(CudaError::NoThread),
            }
        };
        // What devices leave that left off is not all.
        check(progress);
        if swept.is_err() {
            self.found = None;
        }
        swept.map(Some)
    }
}
