//! Buffered output: numbers are collected in a buffer, so that the underlying writer sees few, large writes.

use crate::dipha::{FileType, MAGIC};
use std::io::{self, Write};

/// Number of bytes at which the buffer is written.
const FULL: usize = 64 * 1024;

/// A buffer in front of a writer. [`Block::finish`] writes its content; dropping it does not.
pub(crate) struct Block<'a, W> {
    out: &'a mut W,
    bytes: Vec<u8>,
}

impl<'a, W: Write> Block<'a, W> {
    pub(crate) fn new(out: &'a mut W) -> Self {
        // The extra room is for the number that crosses the limit.
        Block { out, bytes: Vec::with_capacity(FULL + 32) }
    }

    /// Starts a DIPHA file.
    pub(crate) fn dipha(out: &'a mut W, file_type: FileType) -> io::Result<Self> {
        let mut block = Block::new(out);
        block.word(MAGIC.to_le_bytes())?;
        block.word(file_type.code().to_le_bytes())?;
        Ok(block)
    }

    /// Appends a number in decimal and the byte `after`.
    #[inline]
    pub(crate) fn decimal(&mut self, number: u64, after: u8) -> io::Result<()> {
        self.bytes.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        self.bytes.push(after);
        self.flush_full()
    }

    /// Appends eight bytes.
    #[inline]
    pub(crate) fn word(&mut self, word: [u8; 8]) -> io::Result<()> {
        self.bytes.extend_from_slice(&word);
        self.flush_full()
    }

    /// Appends a number as the binary formats store it: a signed little-endian 64-bit word.
    #[inline]
    pub(crate) fn integer(&mut self, number: u64) -> io::Result<()> {
        self.word(signed(number)?.to_le_bytes())
    }

    #[inline]
    fn flush_full(&mut self) -> io::Result<()> {
        if self.bytes.len() >= FULL { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    /// Writes the rest of the buffer.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()
    }
}

/// Converts a number to the signed type of the formats.
pub(crate) fn signed(number: u64) -> io::Result<i64> {
    i64::try_from(number).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
}
