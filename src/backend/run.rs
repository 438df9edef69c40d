//! Running a stage on the machine that was decided on.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::{Decision, MachineError};
use crate::cuda::{CudaError, Gpu};
use crate::progress::Interrupted;

/// A stage that a device of type `G` may run in the processor's place, with the same result.
pub(crate) trait Stage<G = Gpu> {
    /// The result.
    type Found;
    /// Why the stage refuses its input, on either machine.
    type Error;
    /// How the code that drives the device fails.
    type Failure: From<CudaError> + fmt::Display;

    /// Finds the result on a device.
    ///
    /// # Errors
    /// [`MachineError::Device`] if the device fails, which the processor may replace; every other error ends the stage.
    fn on_device(&mut self, device: &G) -> Outcome<Self::Found, Self, G>;

    /// Finds the result on the processor.
    ///
    /// # Errors
    /// The input does not suit the stage.
    fn on_processor(&mut self) -> Result<Self::Found, Self::Error>;

    /// Compares what a device found with what the processor finds, for a self-check.
    ///
    /// # Errors
    /// [`MachineError::Check`] with the first difference; and what keeps either machine from telling what it finds.
    fn check(&mut self, found: &Self::Found) -> Outcome<(), Self, G>;
}

/// What comes of running the stage `S`, which may use a device of type `G`.
pub(crate) type Outcome<T, S, G = Gpu> =
    Result<T, MachineError<<S as Stage<G>>::Error, <S as Stage<G>>::Failure>>;

impl<G> Decision<G> {
    /// Runs a stage: on the device, which the processor checks if that was asked for; or on the processor, if there is no device or it fails
    /// and may be replaced.
    ///
    /// # Errors
    /// The stage refuses its input, the device fails and may not be replaced, or it finds something else than the processor.
    pub(crate) fn run<S: Stage<G>>(&mut self, stage: &mut S) -> Outcome<S::Found, S, G> {
        match self.run_on_device(stage)? {
            Some(found) => Ok(found),
            None => stage.on_processor().map_err(MachineError::Stage),
        }
    }

    /// Runs a stage as [`run`](Decision::run) does, but leaves the processor's part to the caller where the result is `None`.
    ///
    /// # Errors
    /// As [`run`](Decision::run).
    pub(crate) fn run_on_device<S: Stage<G>>(&mut self, stage: &mut S) -> Outcome<Option<S::Found>, S, G> {
        let found = self.on_device(|device| match stage.on_device(device) {
            Err(MachineError::Device(failure)) => Err(failure),
            found => Ok(found),
        });
        let found = found.map_err(MachineError::Device)?.transpose()?;
        match &found {
            Some(found) if self.self_check => stage.check(found)?,
            _ => {}
        }
        Ok(found)
    }

    /// Does work on the first device. The result is `None` when the processor is to do it: there is no device, or it failed and may be
    /// replaced, which is recorded here and nowhere else. A device fails by an error of its driver, or by a panic of the code that drives it.
    ///
    /// # Errors
    /// The device fails, and may not be replaced.
    pub(crate) fn on_device<T, E: From<CudaError> + fmt::Display>(
        &mut self,
        work: impl FnOnce(&G) -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        let Some(device) = self.gpus.first() else { return Ok(None) };
        match guarded(|| work(device)) {
            Ok(found) => Ok(Some(found)),
            Err(error) if self.may_fall_back => {
                self.fall_back(&error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Records that the processor replaces the devices, because they fail with this error.
    pub(crate) fn fall_back(&mut self, error: &dyn fmt::Display) {
        self.why = format!("{}, but {error}", self.why);
        self.gpus.clear();
    }
}

/// Does work that drives a device; a panic is a failure of the device like any other. An [interruption](crate::progress) is none, and unwinds
/// further: the device did what it should, and nothing replaces it.
///
/// # Errors
/// Those of the work, and [`CudaError::Panicked`].
pub(crate) fn guarded<T, E: From<CudaError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    // A device that failed is given up with all that was on it, so nothing that the panic left half done is used again.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        if panic.is::<Interrupted>() {
            resume_unwind(panic);
        }
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let reason = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason is known");
        Err(CudaError::Panicked { reason: reason.to_owned() }.into())
    })
}
