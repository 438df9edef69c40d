//! Writing in blocks: numbers gather in a buffer, and the writer below sees few, large writes.

use std::io::{self, Write};

/// The bytes that gather before they are written.
const FULL: usize = 64 * 1024;

/// A buffer before a writer. What is in it is written by [`Block::finish`], not when it is dropped.
pub(crate) struct Block<'a, W> {
    out: &'a mut W,
    bytes: Vec<u8>,
}

impl<'a, W: Write> Block<'a, W> {
    pub(crate) fn new(out: &'a mut W) -> Self {
        // Room for the number that makes it full.
        Block { out, bytes: Vec::with_capacity(FULL + 32) }
    }

    /// A number in decimal and a byte after it.
    #[inline]
    pub(crate) fn decimal(&mut self, number: u64, after: u8) -> io::Result<()> {
        self.bytes.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        self.bytes.push(after);
        self.flush_full()
    }

    /// Eight bytes as they are.
    #[inline]
    pub(crate) fn word(&mut self, word: [u8; 8]) -> io::Result<()> {
        self.bytes.extend_from_slice(&word);
        self.flush_full()
    }

    /// A number as the files hold it: a signed little-endian word.
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

    /// Writes what has gathered.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()
    }
}

/// A number as a signed one, which is all that the formats know.
pub(crate) fn signed(number: u64) -> io::Result<i64> {
    i64::try_from(number).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
}
