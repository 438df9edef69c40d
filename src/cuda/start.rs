//! Opening devices in the background.
//!
//! Creating a context takes 0.2–0.3 s, during which the processor reads and ranks. Whoever needs the devices waits for
//! them; whoever turns out not to leaves them alone, and the program ends without them.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::{CudaError, Gpu};

/// Devices on their way.
#[derive(Debug)]
pub struct Starting {
    opened: Receiver<Result<Vec<Gpu>, CudaError>>,
}

impl Starting {
    /// Begins to open these devices, each with at most `memory` bytes.
    pub fn begin(ordinals: Vec<usize>, memory: Option<u64>) -> Starting {
        let (done, opened) = sync_channel(1);
        // The thread is not joined: it may still be in the driver when the program is done without it.
        let spawned = thread::Builder::new().name("cuda".into()).spawn(move || {
            let gpus = ordinals.iter().map(|&ordinal| Gpu::open(ordinal, memory)).collect();
            // Nobody may be waiting any more.
            let _ = done.send(gpus);
        });
        // Without a thread the sender is dropped, and `wait` opens nothing: that is said there.
        drop(spawned);
        Starting { opened }
    }

    /// The devices, when they are open.
    ///
    /// # Errors
    /// Why they could not be opened.
    pub fn wait(self) -> Result<Vec<Gpu>, CudaError> {
        self.opened.recv().unwrap_or(Err(CudaError::NoThread))
    }
}
