//! The payload of a snapshot: records of any types that serde supports, one after the other.
//!
//! bincode encodes them, with integers of variable length, so large tables of small numbers are shorter than in memory. Its
//! makers have stopped its development, so it stays at version 2, which is complete. No other module knows it: `postcard`,
//! which supports serde as well, would replace it here without other changes.

use std::io::{self, Write};
use std::path::Path;

use bincode::config::{self, Config, Configuration};
use bincode::enc::write;
use bincode::error::EncodeError;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::error::SnapshotError;
use super::file::HEADER_LENGTH;

/// Maximum size in bytes of a record that may have texts.
const MOST_BYTES: usize = 16 << 20;

const CODEC: Configuration = config::standard();

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
        let encoded = bincode::serde::encode_into_writer(record, &mut *self, CODEC);
        encoded.map_err(|error| self.failure.take().unwrap_or_else(|| io::Error::other(error)))
    }

    /// Writes `length` items one after the other, as the record of a list of them.
    ///
    /// # Errors
    /// Those of [`record`](Self::record); also if the number of items differs from `length`.
    pub fn list<T: Serialize>(
        &mut self,
        length: usize,
        mut items: impl Iterator<Item = T>,
    ) -> io::Result<()> {
        self.list_by(length, &mut |out| items.next().map(|item| out.record(&item)))
    }

    /// Writes `length` items one after the other with `write`, until that has no more.
    fn list_by(
        &mut self,
        length: usize,
        write: &mut dyn FnMut(&mut Self) -> Option<io::Result<()>>,
    ) -> io::Result<()> {
        self.record(&length)?;
        let mut count = 0;
        while let Some(written) = write(self) {
            written?;
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

impl write::Writer for &mut Writer<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.bytes(bytes).map_err(|error| {
            self.failure = Some(error);
            EncodeError::UnexpectedEnd
        })
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

    /// Reads the next record, of at most 16 MiB.
    ///
    /// # Errors
    /// [`SnapshotError::Content`].
    pub fn record<T: Deserialize<'a>>(&mut self, what: &str) -> Result<T, SnapshotError> {
        self.decode(what, CODEC.with_limit::<MOST_BYTES>())
    }

    /// Reads the next record, of any size. The record has no texts: bincode makes room for a text before it looks
    /// whether there is one.
    ///
    /// # Errors
    /// [`SnapshotError::Content`].
    pub fn table<T: Deserialize<'a>>(&mut self, what: &str) -> Result<T, SnapshotError> {
        self.decode(what, CODEC)
    }

    fn decode<T: Deserialize<'a>>(&mut self, what: &str, codec: impl Config) -> Result<T, SnapshotError> {
        let record = bincode::serde::borrow_decode_from_slice(&self.bytes[self.at..], codec);
        let (record, length) = record.map_err(|problem| self.unexpected(what, "a record", problem))?;
        self.at += length;
        Ok(record)
    }

    /// The error for an unexpected `what`, which was read last or comes next.
    pub fn unexpected(&self, what: &str, expected: impl ToString, found: impl ToString) -> SnapshotError {
        let place = format!("byte {}: {what}", self.at);
        SnapshotError::content(self.path, place, expected.to_string(), found.to_string())
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
