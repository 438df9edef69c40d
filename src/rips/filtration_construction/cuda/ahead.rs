//! Sweeps on devices ahead of the reduction: a thread drives the devices through all dimensions, and the reduction
//! receives the result of each.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{Builder, Scope};
use std::time::Duration;

use super::{DeviceSweep, OnSwept};
use crate::backend::guarded;
use crate::cuda::CudaError;
use crate::progress::{Progress, check};
use crate::rips::filtration_construction::{Enumerate, Undecided};

/// Interval at which a reduction that waits for the devices checks whether the run is to end.
const LOOK: Duration = Duration::from_millis(20);

/// The simplices that devices leave undecided in a dimension, or the reason why they failed.
type Swept = Result<Undecided, CudaError>;

/// Sweeps the dimensions in turn on devices and passes the result of each to the receiver, until that returns that the
/// sweep is to stop. It is [`Enumerate::sweep_on`], or the stand-in of a test.
pub(in crate::rips) type Sweeper<'a> = &'a (dyn Fn(&dyn Enumerate, &DeviceSweep<'_>, OnSwept<'_>) + Sync);

/// Receiver of the undecided simplices of one dimension after the other, as the devices find them.
pub(in crate::rips) struct Ahead {
    found: Option<Receiver<Swept>>,
}

impl Ahead {
    /// Starts a thread that drives the devices; without devices nothing is swept ahead.
    pub(in crate::rips) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        sweeper: Option<Sweeper<'scope>>,
        complex: &'scope dyn Enumerate,
        sweep: DeviceSweep<'scope>,
    ) -> Self {
        let Some(sweeper) = sweeper else { return Ahead { found: None } };
        // The channel holds one dimension while the next is swept.
        let (send, found): (SyncSender<Swept>, _) = sync_channel(1);
        let mut hand_over = move |swept: Swept| {
            let failed = swept.is_err();
            send.send(swept).is_ok() && !failed
        };
        // A panic is passed on as a failure of a device.
        let drive = move || {
            let swept = guarded(|| {
                sweeper(complex, &sweep, &mut hand_over);
                Ok(())
            });
            if let Err(panic) = swept {
                hand_over(Err(panic));
            }
        };
        // If no thread starts, nothing is sent, which `next` reports as a failure of the devices.
        let _ = Builder::new().name("sweep".into()).spawn_scoped(scope, drive);
        Ahead { found: Some(found) }
    }

    /// The undecided simplices of the next dimension; `None` if the CPU is to construct its residue. A run that is to
    /// end early ends here; the devices stop after their current batch. While the devices are busy, `help` sweeps some
    /// batches itself, and returns whether it did.
    ///
    /// # Errors
    /// A device failed. From then on the CPU must do all the work.
    pub(in crate::rips) fn next(
        &mut self,
        progress: &dyn Progress,
        help: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Undecided>, CudaError> {
        let Some(found) = &self.found else { return Ok(None) };
        let mut wait = LOOK;
        let swept = loop {
            match found.recv_timeout(wait) {
                Ok(swept) => break swept,
                Err(RecvTimeoutError::Timeout) => {
                    check(progress);
                    wait = if help() { Duration::ZERO } else { LOOK };
                }
                // The devices' thread reports why it ends. If it reported nothing, it was never started.
                Err(RecvTimeoutError::Disconnected) => break Err(CudaError::NoThread),
            }
        };
        // Devices that stopped early leave an incomplete result.
        check(progress);
        if swept.is_err() {
            self.found = None;
        }
        swept.map(Some)
    }
}
