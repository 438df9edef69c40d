//! Opens devices in the background.
//!
//! Creating a context takes 0.2–0.3 s, during which the processor reads and ranks. A run that needs the devices waits
//! for them; one that does not ends without waiting.

use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

use super::{CudaError, Gpu};

/// Devices that are open or being opened.
#[derive(Debug)]
pub(crate) struct Starting {
    arriving: Receiver<Result<Vec<Gpu>, CudaError>>,
    arrived: Option<Result<Vec<Gpu>, CudaError>>,
}

impl Starting {
    /// Begins to open devices, each with at most `memory` bytes.
    pub(crate) fn begin(ordinals: Vec<usize>, memory: Option<u64>) -> Starting {
        let (done, arriving) = sync_channel(1);
        // The thread is not joined, since it may still be in the driver when the program ends without the devices.
        let spawned = thread::Builder::new().name("cuda".into()).spawn(move || {
            let gpus = ordinals.iter().map(|&ordinal| Gpu::open(ordinal, memory)).collect();
            // The run may have ended without waiting for the devices.
            let _ = done.send(gpus);
        });
        // Without a thread the sender is dropped, which `wait` reports as `NoThread`.
        drop(spawned);
        Starting { arriving, arrived: None }
    }

    /// The devices, if all of them are open by now.
    pub(crate) fn ready(&mut self) -> Option<&[Gpu]> {
        if self.arrived.is_none() {
            self.arrived = match self.arriving.try_recv() {
                Ok(opened) => Some(opened),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => Some(Err(CudaError::NoThread)),
            };
        }
        self.arrived.as_ref()?.as_deref().ok()
    }

    /// Waits until the devices are open.
    ///
    /// # Errors
    /// The reason why a device could not be opened.
    pub(crate) fn wait(&mut self) -> Result<Vec<Gpu>, CudaError> {
        let arrive = || self.arriving.recv().unwrap_or(Err(CudaError::NoThread));
        self.arrived.get_or_insert_with(arrive).clone()
    }
}
