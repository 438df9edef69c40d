//! The payload of a snapshot: records of any types that serde supports, one after the other.
//!
//! `postcard` encodes them. It takes integers of 32 and 64 bits with a variable length, so large tables of small numbers
//! are shorter than in memory.

use std::io::{self, Write};
use std::path::Path;

use postcard::ser_flavors::Flavor;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::error::SnapshotError;
use super::file::HEADER_LENGTH;

/// Number of bytes that are summed and written at a time.
const GATHERED: usize = 1 << 18;

/// Writes a payload.
pub struct Writer<'a> {
    out: &'a mut dyn Write,
    gathered: Vec<u8>,
    sum: Xxh3,
    length: u64,
    /// Error of `out` while a record was encoded.
    failure: Option<io::Error>,
}

impl<'a> Writer<'a> {
    /// Makes a writer to `out`, which need not be buffered.
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Writer { out, gathered: Vec::with_capacity(GATHERED), sum: Xxh3::new(), length: 0, failure: None }
    }

    /// Writes a record.
    ///
    /// # Errors
    /// Those of the file; also if serde cannot encode the record.
    pub fn record(&mut self, record: &(impl Serialize + ?Sized)) -> io::Result<()> {
        let encoded = postcard::serialize_with_flavor(record, &mut *self);
        encoded.map_err(|error| self.failure.take().unwrap_or_else(|| io::Error::other(error)))
    }

    /// Writes `length` items one after the other, as the record of a list of them.
    ///
    /// # Errors
    /// Those of [`record`](Self::record); also if the number of items differs from `length`.
    pub fn list<T: Serialize>(&mut self, length: usize, items: impl Iterator<Item = T>) -> io::Result<()> {
        self.record(&length)?;
        let mut count = 0;
        for item in items {
            self.record(&item)?;
            count += 1;
        }
        if count == length {
            return Ok(());
        }
        Err(io::Error::other(format!("a list of {length} items was to be written, {count} came")))
    }

    /// Writes bytes of a payload as they are.
    ///
    /// # Errors
    /// Those of the file.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() < GATHERED { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sum.update(&self.gathered);
        self.length += self.gathered.len() as u64;
        self.out.write_all(&self.gathered)?;
        self.gathered.clear();
        Ok(())
    }

    /// Ends the payload, and returns its length and checksum.
    pub(super) fn finish(mut self) -> io::Result<(u64, u128)> {
        self.flush()?;
        Ok((self.length, self.sum.digest128()))
    }
}

impl Flavor for &mut Writer<'_> {
    type Output = ();

    #[inline]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    #[inline]
    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.bytes(bytes).map_err(|error| {
            self.failure = Some(error);
            postcard::Error::SerializeBufferFull
        })
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Reads a payload.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    path: &'a Path,
    /// Bytes of the whole file.
    bytes: &'a [u8],
    /// Offset of the next record.
    at: usize,
}

impl<'a> Reader<'a> {
    /// Makes a reader for the payload of the file at `path` with the given bytes.
    pub(super) fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Reader { path, bytes, at: HEADER_LENGTH }
    }

    /// Reads the next record.
    ///
    /// # Errors
    /// [`SnapshotError::Content`].
    pub fn record<T: Deserialize<'a>>(&mut self, what: &str) -> Result<T, SnapshotError> {
        let record = postcard::take_from_bytes(&self.bytes[self.at..]);
        let (record, rest) = record.map_err(|problem| self.unexpected(what, "a record", problem))?;
        self.at = self.bytes.len() - rest.len();
        Ok(record)
    }

    /// The error for an unexpected `what`, which was read last or comes next.
    pub fn unexpected(&self, what: &str, expected: impl ToString, found: impl ToString) -> SnapshotError {
        SnapshotError::content(self.path, format!("byte {}: {what}", self.at), expected, found)
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
