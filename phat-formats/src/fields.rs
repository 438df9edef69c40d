//! Parsing of a binary file field by field.

use crate::dipha::{FileType, MAGIC};
use crate::parallel::lock;
use crate::{FormatError, Place, Source};
use std::sync::Mutex;

/// The eight bytes of an integer or a double.
pub(crate) type Word = [u8; 8];

/// The rest of a file, from `offset` on.
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Fields<'a> {
    /// Starts at the beginning of a file.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Fields { bytes, offset: 0 }
    }

    /// Reads the header of a DIPHA file.
    pub(crate) fn file_type(&mut self) -> Result<FileType, FormatError> {
        match self.integer("the magic number")? {
            MAGIC => {}
            found => return Err(FormatError::at(0, format!("DIPHA's magic number {MAGIC}"), found)),
        }
        let code = self.integer("the file type")?;
        let known = FileType::ALL.into_iter().find(|file_type| file_type.code() == code);
        known.ok_or_else(|| FormatError::at(8, "a DIPHA file type (0, 1, 2, 7 or 8)", code))
    }

    /// Starts after the header of a DIPHA file of the given type.
    pub(crate) fn of_type(bytes: &'a [u8], expected: FileType) -> Result<Self, FormatError> {
        let mut fields = Fields::new(bytes);
        match fields.file_type()? {
            found if found == expected => Ok(fields),
            found => Err(FormatError::at(8, format!("DIPHA file type {expected}"), found)),
        }
    }

    /// Byte offset of the next field.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Reads the next `count` words; `what` names them in errors.
    pub(crate) fn words(&mut self, count: usize, what: &'static str) -> Result<&'a [Word], FormatError> {
        let offset = self.offset;
        let expected = count.saturating_mul(8);
        let rest = &self.bytes[offset..];
        let field = rest.get(..expected).ok_or_else(|| {
            FormatError::truncated(offset as u64, what, expected as u64, self.bytes.len() as u64)
        })?;
        self.offset += expected;
        Ok(field.as_chunks().0)
    }

    pub(crate) fn integer(&mut self, what: &'static str) -> Result<i64, FormatError> {
        Ok(i64::from_le_bytes(self.words(1, what)?[0]))
    }

    /// Reads a count. [`Fields::words`] checks that the counted bytes exist.
    pub(crate) fn count(&mut self, what: &'static str) -> Result<usize, FormatError> {
        let offset = self.offset;
        let found = self.integer(what)?;
        usize::try_from(found).map_err(|_| FormatError::at(offset, what, found))
    }

    /// Refuses a file with further bytes.
    pub(crate) fn end(&self) -> Result<(), FormatError> {
        match self.bytes.len() - self.offset {
            0 => Ok(()),
            found => Err(FormatError::trailing(self.offset as u64, found as u64)),
        }
    }
}

/// A source that threads read block by block, with buffers for reuse.
pub(crate) struct Blocks<'a> {
    source: &'a dyn Source,
    buffers: Mutex<Vec<Vec<u8>>>,
}

impl<'a> Blocks<'a> {
    pub(crate) fn of(source: &'a dyn Source) -> Self {
        Blocks { source, buffers: Mutex::default() }
    }

    /// Reads `count` bytes from `offset` on.
    pub(crate) fn read(&self, offset: usize, count: usize) -> Result<Vec<u8>, FormatError> {
        let used = lock(&self.buffers).pop();
        let mut bytes = used.unwrap_or_default();
        bytes.resize(count, 0);
        fill(self.source, offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Takes a block back that is no longer needed.
    pub(crate) fn give_back(&self, bytes: Vec<u8>) {
        lock(&self.buffers).push(bytes);
    }
}

/// Fills `buffer` with the bytes of a source from `offset` on.
pub(crate) fn fill(
    source: &(impl Source + ?Sized),
    offset: usize,
    buffer: &mut [u8],
) -> Result<(), FormatError> {
    let read = source.read_exact_at(offset as u64, buffer);
    read.map_err(|error| unreadable(offset, buffer.len(), error))
}

/// Number of bytes of a source.
pub(crate) fn length(source: &(impl Source + ?Sized)) -> Result<usize, FormatError> {
    let size = source.size().map_err(|error| unreadable(0, 0, error))?;
    Ok(usize::try_from(size).unwrap_or(usize::MAX))
}

/// The system cannot read `count` bytes.
fn unreadable(offset: usize, count: usize, error: std::io::Error) -> FormatError {
    FormatError::new(Place::Byte(offset as u64), format!("{count} bytes that can be read"), error)
}
