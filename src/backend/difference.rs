//! The first difference between the results of a device and those of the processor.

use std::fmt;

/// A place at which the results of a device and of the processor differ, with both values in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct Difference {
    /// The compared table and the place, such as `row 3, value`; empty if the results differ in a single number.
    pub place: String,
    /// The value on the device.
    pub device: String,
    /// The value on the processor.
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
    /// Returns the difference with the name of the stage prepended to its place.
    pub(crate) fn within(self, stage: &str) -> Self {
        Difference { place: format!("{stage}: {}", self.place), ..self }
    }
}

/// Checks that a device and the processor found the same value at a place.
///
/// # Errors
/// Returns a [`Difference`] if they found different values.
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
