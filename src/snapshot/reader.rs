//! Reads a payload: records and tables in sequence.

use std::path::Path;

use serde::de::DeserializeOwned;
use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

use super::codec;
use super::error::SnapshotError;
use super::header::HEADER_LENGTH;

/// Reads a payload.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Makes a reader for the payload `bytes` of the file at `path`.
    pub(super) fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Reader { path, bytes, at: 0 }
    }

    /// The error for an unexpected `what`, which was read last or comes next.
    pub fn unexpected(
        &self,
        what: &'static str,
        expected: impl ToString,
        found: impl ToString,
    ) -> SnapshotError {
        let byte = (HEADER_LENGTH + self.at) as u64;
        let (expected, found) = (expected.to_string(), found.to_string());
        SnapshotError::Content { path: self.path.to_path_buf(), byte, what, expected, found }
    }

    /// Bytes of the next sequence of items of `width` bytes each, with its padding checked.
    fn items(&mut self, what: &'static str, width: usize) -> Result<&'a [u8], SnapshotError> {
        let left = &self.bytes[self.at..];
        let Some((length, behind)) = left.split_first_chunk::<8>() else {
            return Err(self.unexpected(what, "a length of 8 bytes", format!("{} bytes", left.len())));
        };
        let length = u64::from_le_bytes(*length);
        let bytes = usize::try_from(length).ok().and_then(|length| length.checked_mul(width));
        let Some(items) = bytes.and_then(|bytes| behind.get(..bytes)) else {
            let found = format!("{length} of {width} bytes in {} bytes", behind.len());
            return Err(self.unexpected(what, "no more items than there are bytes for", found));
        };
        // Padding is at most 7 bytes, and also present at the end of the payload.
        let padded = items.len().next_multiple_of(8);
        if behind.get(items.len()..padded).is_none_or(|padding| padding.iter().any(|&byte| byte != 0)) {
            return Err(self.unexpected(what, "zeros up to a multiple of 8 bytes", "other bytes"));
        }
        self.at += 8 + padded;
        Ok(items)
    }

    /// Reads the next record.
    ///
    /// # Errors
    /// [`SnapshotError::Content`].
    pub fn record<T: DeserializeOwned>(&mut self, what: &'static str) -> Result<T, SnapshotError> {
        let before = self.clone();
        let bytes = self.items(what, 1)?;
        codec::decode(bytes).map_err(|problem| before.unexpected(what, "a record", problem))
    }

    /// Reads the next table, of bytes.
    ///
    /// # Errors
    /// [`SnapshotError::Content`].
    pub fn bytes(&mut self, what: &'static str) -> Result<&'a [u8], SnapshotError> {
        self.items(what, 1)
    }

    /// Reads the next table, of 32-bit numbers, in place.
    ///
    /// # Errors
    /// [`SnapshotError::Content`].
    pub fn u32s(&mut self, what: &'static str) -> Result<&'a [U32], SnapshotError> {
        self.numbers(what)
    }

    /// Reads the next table, of 64-bit numbers, in place.
    ///
    /// # Errors
    /// [`SnapshotError::Content`].
    pub fn u64s(&mut self, what: &'static str) -> Result<&'a [U64], SnapshotError> {
        self.numbers(what)
    }

    /// Reads the next table, of floating-point numbers.
    ///
    /// # Errors
    /// [`SnapshotError::Content`].
    pub fn f64s(
        &mut self,
        what: &'static str,
    ) -> Result<impl ExactSizeIterator<Item = f64> + use<'a>, SnapshotError> {
        Ok(self.u64s(what)?.iter().map(|bits| f64::from_bits(bits.get())))
    }

    fn numbers<T>(&mut self, what: &'static str) -> Result<&'a [T], SnapshotError>
    where
        T: FromBytes + Immutable + KnownLayout + Unaligned + 'static,
    {
        let items = self.items(what, size_of::<T>())?;
        // The length is a multiple of the item size, and any alignment is accepted.
        <[T]>::ref_from_bytes(items).map_err(|_| self.unexpected(what, "whole items", "a part of one"))
    }

    /// Ends the payload.
    ///
    /// # Errors
    /// [`SnapshotError::Content`] if bytes are left.
    pub fn end(self) -> Result<(), SnapshotError> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            left => Err(self.unexpected("payload", "its end", format!("{left} more bytes"))),
        }
    }
}
