//! Parsing of a DIPHA file field by field.

use super::{FileType, HEADER, MAGIC};
use crate::FormatError;
use std::io::{self, Write};

/// The eight bytes of an integer or a double.
pub(super) type Word = [u8; 8];

/// The rest of a file, from `offset` on.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Fields<'a> {
    /// Starts after the magic number.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let mut fields = Fields { bytes, offset: 0 };
        match fields.integer("the magic number")? {
            MAGIC => Ok(fields),
            found => Err(wrong_magic(found)),
        }
    }

    /// Starts after a header with the given type.
    pub(super) fn of_type(bytes: &'a [u8], expected: FileType) -> Result<Self, FormatError> {
        let mut fields = Fields::new(bytes)?;
        expect_type(fields.file_type()?, expected)?;
        Ok(fields)
    }

    pub(super) fn file_type(&mut self) -> Result<FileType, FormatError> {
        file_type(self.integer("the file type")?)
    }

    /// Byte offset of the next field.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// Reads the next `count` words; `what` names them in errors.
    pub(super) fn words(&mut self, count: usize, what: &'static str) -> Result<&'a [Word], FormatError> {
        let offset = self.offset;
        let expected = count.saturating_mul(8);
        let rest = &self.bytes[offset..];
        let field = rest.get(..expected).ok_or_else(|| {
            FormatError::truncated(offset as u64, what, expected as u64, self.bytes.len() as u64)
        })?;
        self.offset += expected;
        Ok(field.as_chunks().0)
    }

    pub(super) fn integer(&mut self, what: &'static str) -> Result<i64, FormatError> {
        Ok(i64::from_le_bytes(self.words(1, what)?[0]))
    }

    /// Reads a count. [`Fields::words`] checks that the counted bytes exist.
    pub(super) fn count(&mut self, what: &'static str) -> Result<usize, FormatError> {
        let offset = self.offset;
        let found = self.integer(what)?;
        usize::try_from(found).map_err(|_| FormatError::at(offset, what, found))
    }

    /// Refuses a file with further bytes.
    pub(super) fn end(&self) -> Result<(), FormatError> {
        match self.bytes.len() - self.offset {
            0 => Ok(()),
            found => Err(FormatError::trailing(self.offset as u64, found as u64)),
        }
    }
}

pub(super) fn wrong_magic(found: i64) -> FormatError {
    FormatError::at(0, format!("DIPHA's magic number {MAGIC}"), found)
}

/// The file type of a code.
pub(super) fn file_type(code: i64) -> Result<FileType, FormatError> {
    let known = FileType::ALL.into_iter().find(|file_type| file_type.code() == code);
    known.ok_or_else(|| FormatError::at(8, "a DIPHA file type (0, 1, 2, 7 or 8)", code))
}

/// Refuses a file of another type.
pub(super) fn expect_type(found: FileType, expected: FileType) -> Result<(), FormatError> {
    match found == expected {
        true => Ok(()),
        false => Err(FormatError::at(8, format!("DIPHA file type {expected}"), found)),
    }
}

/// Writes the header of a file of the given type.
pub(super) fn write_header(out: &mut impl Write, file_type: FileType) -> io::Result<()> {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC.to_le_bytes());
    header[8..].copy_from_slice(&file_type.code().to_le_bytes());
    out.write_all(&header)
}

/// Writes a count.
pub(super) fn write_count(out: &mut impl Write, count: usize) -> io::Result<()> {
    let count = i64::try_from(count).map_err(io::Error::other)?;
    out.write_all(&count.to_le_bytes())
}
