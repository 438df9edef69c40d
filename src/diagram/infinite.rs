//! Deserialises values that may be infinite: human-readable formats such as JSON have no infinite numbers, and write
//! `null`.

use serde::{Deserialize, Deserializer};

/// Reads a number; in a human-readable format, `null` is infinity.
///
/// # Errors
/// The value is neither a number nor `null`.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    if deserializer.is_human_readable() {
        return Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY));
    }
    f64::deserialize(deserializer)
}
