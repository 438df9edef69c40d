//! Buffered output of numbers.

use crate::dipha::{FileType, MAGIC};
use std::io::{self, BufWriter, IntoInnerError, Write};

/// A buffer in front of a writer, so that it sees few, large writes. [`Block::finish`] writes the rest.
pub(crate) struct Block<'a, W: Write>(BufWriter<&'a mut W>);

impl<'a, W: Write> Block<'a, W> {
    pub(crate) fn new(out: &'a mut W) -> Self {
        Block(BufWriter::with_capacity(64 * 1024, out))
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
        self.0.write_all(itoa::Buffer::new().format(number).as_bytes())?;
        self.0.write_all(&[after])
    }

    /// Appends eight bytes.
    #[inline]
    pub(crate) fn word(&mut self, word: [u8; 8]) -> io::Result<()> {
        self.0.write_all(&word)
    }

    /// Appends a number as the binary formats store it: a signed little-endian 64-bit word.
    #[inline]
    pub(crate) fn integer(&mut self, number: u64) -> io::Result<()> {
        self.word(signed(number)?.to_le_bytes())
    }

    /// Writes the rest of the buffer. Dropping it after an error does so too, as far as the writer takes it.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.0.into_inner().map(drop).map_err(IntoInnerError::into_error)
    }
}

/// Converts a number to the signed type of the formats.
pub(crate) fn signed(number: u64) -> io::Result<i64> {
    i64::try_from(number).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
}
