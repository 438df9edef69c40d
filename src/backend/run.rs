//! Runs a stage on the chosen device or on the processor.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::{Decision, MachineError};
use crate::cuda::{CudaError, Gpu};
use crate::progress::Interrupted;

/// A stage that can run on a device of type `G` or on the processor, with the same result.
pub(crate) trait Stage<G = Gpu> {
    /// The result.
    type Found;
    /// Error for an input that does not suit the stage, on either.
    type Error;

    /// Computes the result on a device.
    ///
    /// # Errors
    /// [`MachineError::Device`] if the device fails, so that the processor may take over; every other error ends the
    /// stage.
    fn on_device(&mut self, device: &G) -> Result<Self::Found, MachineError<Self::Error>>;

    /// Computes the result on the processor.
    ///
    /// # Errors
    /// The input does not suit the stage.
    fn on_processor(&mut self) -> Result<Self::Found, Self::Error>;

    /// Self-check: compares the result of a device with that of the processor.
    ///
    /// # Errors
    /// [`MachineError::Check`] with the first difference; any error that keeps either from computing its result.
    fn check(&mut self, found: &Self::Found) -> Result<(), MachineError<Self::Error>>;
}

impl<G> Decision<G> {
    /// Runs a stage on the device, checked by the processor if requested; or on the processor, if there is no device or
    /// it fails and fallback is allowed.
    ///
    /// # Errors
    /// The stage rejects its input, the device fails without fallback, or its result differs from the processor's.
    pub(crate) fn run<S: Stage<G>>(&mut self, stage: &mut S) -> Result<S::Found, MachineError<S::Error>> {
        let found = self.on_device(|device| match stage.on_device(device) {
            Err(MachineError::Device(failure)) => Err(failure),
            found => Ok(found),
        })?;
        let Some(found) = found.transpose()? else {
            return stage.on_processor().map_err(MachineError::Stage);
        };
        if self.self_check {
            stage.check(&found)?;
        }
        Ok(found)
    }

    /// Runs `work` on the first device. `None` if the processor is to do it, because there is no device or it failed
    /// and fallback is allowed; the fallback is recorded here and nowhere else. A device fails by an error of its
    /// driver, or by a panic of the code that drives it.
    ///
    /// # Errors
    /// The device fails, and fallback is not allowed.
    pub(crate) fn on_device<T>(
        &mut self,
        work: impl FnOnce(&G) -> Result<T, CudaError>,
    ) -> Result<Option<T>, CudaError> {
        let Some(device) = self.gpus.first() else { return Ok(None) };
        match guarded(|| work(device)) {
            Ok(found) => Ok(Some(found)),
            Err(error) if self.may_fall_back => {
                self.why = format!("{}, but {error}", self.why);
                self.gpus.clear();
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Runs work that drives a device; a panic counts as a failure of the device. An [interruption](crate::progress) does
/// not, and unwinds further: the device did not fail, and is not replaced.
///
/// # Errors
/// Those of the work, and [`CudaError::Panicked`].
pub(crate) fn guarded<T, E: From<CudaError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    // A failed device is given up with all its data, so nothing that the panic left half done is used again.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        if panic.is::<Interrupted>() {
            resume_unwind(panic);
        }
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let reason = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason is known");
        Err(CudaError::Panicked { reason: reason.to_owned() }.into())
    })
}
