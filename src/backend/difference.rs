//! The first thing that a device found otherwise than the processor.

use std::fmt;

/// A place at which a device and the processor found different things, and what either found there, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct Difference {
    /// What is compared and where, as `row 3, value`; empty if the whole results differ in one number.
    pub place: String,
    /// What the device found there.
    pub device: String,
    /// What the processor found there.
    pub processor: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { place, device, processor } = self;
        if !place.is_empty() {
            write!(f, "{place}: ")?;
        }
        write!(f, "{device} on the device, {processor} on the processor")
    }
}

impl Difference {
    /// The difference, with the name of the stage in front of its place.
    pub(crate) fn within(self, stage: &str) -> Self {
        Difference { place: format!("{stage}: {}", self.place), ..self }
    }
}

/// Expects a device and the processor to have found the same thing at a place.
///
/// # Errors
/// They found different things.
pub(crate) fn expect_same<T: PartialEq + fmt::Display>(
    place: impl FnOnce() -> String,
    device: T,
    processor: T,
) -> Result<(), Difference> {
    if device == processor {
        return Ok(());
    }
    Err(Difference { place: place(), device: device.to_string(), processor: processor.to_string() })
}
