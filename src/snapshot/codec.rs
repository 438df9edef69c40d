//! How a record becomes bytes. No other module knows, so that it can be changed together with the [version](super::VERSION).

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most bytes of a record: larger things are tables.
pub(super) const MOST_BYTES: usize = 16 << 20;

const CODEC: Configuration<LittleEndian, Fixint, Limit<MOST_BYTES>> =
    bincode::config::standard().with_fixed_int_encoding().with_limit::<MOST_BYTES>();

/// The bytes of a record, or why it has none.
pub(super) fn encode(record: &impl Serialize) -> Result<Vec<u8>, String> {
    let bytes = bincode::serde::encode_to_vec(record, CODEC).map_err(|error| error.to_string())?;
    if bytes.len() > MOST_BYTES {
        return Err(format!("a record of {} bytes, of which there may be {MOST_BYTES}", bytes.len()));
    }
    Ok(bytes)
}

/// The record that bytes are, all of them, or why they are none.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let (record, read) =
        bincode::serde::decode_from_slice(bytes, CODEC).map_err(|error| error.to_string())?;
    if read != bytes.len() {
        return Err(format!("{} bytes behind its end", bytes.len() - read));
    }
    Ok(record)
}
