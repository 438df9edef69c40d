//! Values that may be infinite, read back: formats for people, as JSON, have no infinite numbers, and write `null`.

use serde::{Deserialize, Deserializer};

/// A number; infinity where a format for people has none.
///
/// # Errors
/// There is neither a number nor `null`.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    if deserializer.is_human_readable() {
        return Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY));
    }
    f64::deserialize(deserializer)
}
