//! What devices have swept ahead of the reduction.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::RipsError;
use super::assembly::Undecided;
use super::word::Word;
use crate::backend::{BackendError, Decision};
use crate::cuda::CudaError;

type Swept<W> = Result<Undecided<W>, CudaError>;

/// The undecided simplices of one dimension after the other, as the devices find them.
pub(super) struct Ahead<W> {
    found: Option<Receiver<Swept<W>>>,
    may_fall_back: bool,
}

impl<W: Word> Ahead<W> {
    /// There are no devices.
    pub(super) fn nobody() -> Self {
        Ahead { found: None, may_fall_back: false }
    }

    /// Of devices, and what they are to call with what they find; it says whether to go on.
    pub(super) fn on(decision: &Decision) -> (Self, impl FnMut(Swept<W>) -> bool + Send + use<W>) {
        // One dimension waits while the next is swept.
        let (send, found): (SyncSender<Swept<W>>, _) = sync_channel(1);
        let ahead = Ahead { found: Some(found), may_fall_back: decision.may_fall_back };
        (ahead, move |swept| {
            let failed = swept.is_err();
            send.send(swept).is_ok() && !failed
        })
    }

    /// The next dimension; none when the processor is to do it. A device that fails where it may is replaced for good, which
    /// is noted.
    pub(super) fn next(&mut self, notes: &mut Vec<String>) -> Result<Option<Undecided<W>>, RipsError> {
        let Some(found) = &self.found else { return Ok(None) };
        match found.recv() {
            Ok(Ok(undecided)) => Ok(Some(undecided)),
            Ok(Err(error)) if self.may_fall_back => {
                notes.push(format!("{error}; the processor goes on"));
                self.found = None;
                Ok(None)
            }
            Ok(Err(error)) => Err(BackendError::from(error).into()),
            // They end after the last dimension, or panicked, which ends the run when their thread is joined.
            Err(_) => Ok(None),
        }
    }
}
