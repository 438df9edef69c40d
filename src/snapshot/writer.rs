//! Writes a payload: records and tables, counted and summed.

use std::io::{self, Write};

use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;
use zerocopy::{Immutable, IntoBytes};

use super::codec;
use super::header::{Header, Kind};

/// Writes a payload.
pub struct Writer<'a> {
    out: &'a mut dyn Write,
    sum: Xxh3,
    length: u64,
}

/// Bytes of a table that are processed at a time: byte-swapped on big-endian machines, or collected from an iterator.
const GATHERED: usize = 1 << 16;

impl<'a> Writer<'a> {
    /// Makes a writer to `out`, which should be buffered.
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Writer { out, sum: Xxh3::new(), length: 0 }
    }

    /// The header for what was written.
    pub(super) fn header(&self, kind: Kind) -> Header {
        Header { kind, length: self.length, checksum: self.sum.digest128() }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.length += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    fn pad(&mut self) -> io::Result<()> {
        // Fewer than 8 bytes.
        let missing = self.length.next_multiple_of(8) - self.length;
        self.put(&[0; 8][..missing as usize])
    }

    /// Writes a record.
    ///
    /// # Errors
    /// Those of the file; also if serde cannot encode the record, or it is longer than 16 MiB.
    pub fn record(&mut self, record: &impl Serialize) -> io::Result<()> {
        let bytes = codec::encode(record).map_err(io::Error::other)?;
        self.put(&(bytes.len() as u64).to_le_bytes())?;
        self.put(&bytes)?;
        self.pad()
    }

    /// Writes a table of bytes.
    ///
    /// # Errors
    /// Those of the file.
    pub fn bytes(&mut self, items: &[u8]) -> io::Result<()> {
        self.put(&(items.len() as u64).to_le_bytes())?;
        self.put(items)?;
        self.pad()
    }

    /// Writes a table of 32-bit numbers.
    ///
    /// # Errors
    /// Those of the file.
    pub fn u32s(&mut self, items: &[u32]) -> io::Result<()> {
        self.numbers(items, u32::to_le)
    }

    /// Writes a table of 64-bit numbers.
    ///
    /// # Errors
    /// Those of the file.
    pub fn u64s(&mut self, items: &[u64]) -> io::Result<()> {
        self.numbers(items, u64::to_le)
    }

    /// Writes a table of `length` 64-bit numbers from an iterator.
    ///
    /// # Errors
    /// Those of the file; also if the number of items differs from `length`.
    pub fn u64s_of(&mut self, length: usize, items: impl Iterator<Item = u64>) -> io::Result<()> {
        self.put(&(length as u64).to_le_bytes())?;
        let mut gathered = Vec::with_capacity(GATHERED);
        let mut count = 0;
        for item in items {
            gathered.extend_from_slice(&item.to_le_bytes());
            count += 1;
            if gathered.len() >= GATHERED {
                self.put(&gathered)?;
                gathered.clear();
            }
        }
        self.put(&gathered)?;
        if count == length {
            return Ok(());
        }
        Err(io::Error::other(format!("a table of {length} numbers was to be written, {count} came")))
    }

    /// Writes a table of floating-point numbers by their bits.
    ///
    /// # Errors
    /// Those of the file.
    pub fn f64s(&mut self, items: &[f64]) -> io::Result<()> {
        self.u64s_of(items.len(), items.iter().map(|x| x.to_bits()))
    }

    fn numbers<T: Copy + IntoBytes + Immutable>(&mut self, items: &[T], to_le: fn(T) -> T) -> io::Result<()> {
        self.put(&(items.len() as u64).to_le_bytes())?;
        if cfg!(target_endian = "little") {
            self.put(items.as_bytes())?;
        } else {
            for piece in items.chunks(GATHERED) {
                let swapped: Vec<T> = piece.iter().map(|&item| to_le(item)).collect();
                self.put(swapped.as_bytes())?;
            }
        }
        self.pad()
    }
}
