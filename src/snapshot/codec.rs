//! Serialisation of records. It is private to this module, so that it can be changed together with the
//! [version](super::VERSION).
//!
//! Its makers have stopped the development of bincode, so it stays at version 2, which is complete. Records are small,
//! so `postcard`, which supports serde as well, would replace it here without other changes.

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximal size of a record in bytes; larger data goes into tables.
pub(super) const MOST_BYTES: usize = 16 << 20;

const CODEC: Configuration<LittleEndian, Fixint, Limit<MOST_BYTES>> =
    bincode::config::standard().with_fixed_int_encoding().with_limit::<MOST_BYTES>();

/// Encodes a record; the error is a message.
pub(super) fn encode(record: &impl Serialize) -> Result<Vec<u8>, String> {
    let bytes = bincode::serde::encode_to_vec(record, CODEC).map_err(|error| error.to_string())?;
    if bytes.len() > MOST_BYTES {
        return Err(format!("a record of {} bytes, of which there may be {MOST_BYTES}", bytes.len()));
    }
    Ok(bytes)
}

/// Decodes a record, which must use all of the bytes; the error is a message.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let (record, read) =
        bincode::serde::decode_from_slice(bytes, CODEC).map_err(|error| error.to_string())?;
    if read != bytes.len() {
        return Err(format!("{} bytes behind its end", bytes.len() - read));
    }
    Ok(record)
}
