//! Device memory that is filled while the device works on other memory.
//!
//! All work is on one stream in the order of the requests. Copies into inboxes are on a second stream, and two events
//! per inbox order them: no copy begins before the preceding work on the inbox has reached `left`, and no work begins
//! before `filled`. The memory is only lent to work ([`Inbox::work`]), so the events cover all work on it.

use std::sync::Arc;

use cudarc::driver::{CudaEvent, CudaStream};

use super::{Buffer, Gpu, Pinned, Plain};
use crate::cuda::CudaError;

/// A buffer that is filled from page-locked memory while the device works on others.
#[derive(Debug)]
pub struct Inbox<T> {
    buffer: Buffer<T>,
    /// Reached when all work requested so far is done.
    left: CudaEvent,
    /// Reached when all copies begun so far are done.
    filled: CudaEvent,
    copies: Arc<CudaStream>,
    gpu: Gpu,
}

impl Gpu {
    /// Creates an inbox of `len` zeros.
    ///
    /// # Errors
    /// See [`Gpu::zeros`].
    pub fn inbox<T: Plain>(&self, len: usize) -> Result<Inbox<T>, CudaError> {
        let buffer = self.zeros(len)?;
        let event = || self.done("creating an event", self.context.new_event(None));
        let inbox = Inbox {
            buffer,
            left: event()?,
            filled: event()?,
            copies: Arc::clone(&self.copies),
            gpu: self.clone(),
        };
        inbox.leave()?;
        Ok(inbox)
    }
}

impl<T: Plain> Inbox<T> {
    /// Begins to copy the first `n` elements to the inbox, from its element `at` on, once the work on it is done.
    ///
    /// # Errors
    /// The driver failed.
    ///
    /// # Panics
    /// Either has too few elements, or belongs to another device.
    pub fn send(&mut self, from: &mut Pinned<T>, n: usize, at: usize) -> Result<(), CudaError> {
        self.gpu.expect_same(&from.gpu);
        let is_in = at.checked_add(n).is_some_and(|end| end <= self.buffer.len);
        assert!(is_in, "{n} elements at {at} of {}", self.buffer.len);
        if n == 0 {
            return Ok(());
        }
        let gpu = &self.gpu;
        gpu.done("waiting for work", self.copies.wait(&self.left))?;
        let host = &from.slice_mut()?[..n];
        let mut part = self.buffer.slice.slice_mut(at..at + n);
        gpu.done("copying to the device", self.copies.memcpy_htod(host, &mut part))?;
        let filled = gpu.done("noting a copy", self.filled.record(&self.copies));
        from.begun_on(&self.copies)?;
        filled.or_else(|error| {
            // Work on the inbox must not begin before the copy is done.
            gpu.done("finishing a copy", self.copies.synchronize())?;
            Err(error)
        })
    }

    /// Enqueues work on the elements that were sent, to begin when their copies are done.
    ///
    /// # Errors
    /// The work or the driver failed.
    pub fn work<R, E: From<CudaError>>(
        &mut self,
        work: impl FnOnce(&mut Buffer<T>) -> Result<R, E>,
    ) -> Result<R, E> {
        self.gpu.done("waiting for a copy", self.gpu.stream.wait(&self.filled))?;
        let done = work(&mut self.buffer);
        self.leave()?;
        done
    }
}

impl<T> Inbox<T> {
    /// Records `left` after all work on the inbox requested so far.
    fn leave(&self) -> Result<(), CudaError> {
        self.gpu.done("noting work", self.left.record(&self.gpu.stream)).or_else(|error| {
            // Copies must not begin before the work is done.
            self.gpu.finish()?;
            Err(error)
        })
    }
}

impl<T> Drop for Inbox<T> {
    fn drop(&mut self) {
        // The memory is freed on the stream of all work, and copies must be done by then. An error of the driver is
        // reported by another call.
        if self.gpu.stream.wait(&self.filled).is_err() {
            let _ = self.copies.synchronize();
        }
    }
}
