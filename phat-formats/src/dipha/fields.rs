//! Parsing of a DIPHA file field by field.

use super::{DiphaError, FileType, HEADER, MAGIC};
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
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, DiphaError> {
        let mut fields = Fields { bytes, offset: 0 };
        match fields.integer("the magic number")? {
            MAGIC => Ok(fields),
            found => Err(DiphaError::Magic { found }),
        }
    }

    /// Starts after a header with the given type.
    pub(super) fn of_type(bytes: &'a [u8], expected: FileType) -> Result<Self, DiphaError> {
        let mut fields = Fields::new(bytes)?;
        let found = fields.file_type()?;
        if found == expected { Ok(fields) } else { Err(DiphaError::WrongType { expected, found }) }
    }

    pub(super) fn file_type(&mut self) -> Result<FileType, DiphaError> {
        let found = self.integer("the file type")?;
        FileType::ALL.into_iter().find(|t| t.code() == found).ok_or(DiphaError::UnknownType { found })
    }

    /// Byte offset of the next field.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// Reads the next `count` words; `what` names them in errors.
    pub(super) fn words(&mut self, count: usize, what: &'static str) -> Result<&'a [Word], DiphaError> {
        let offset = self.offset;
        let expected = count.saturating_mul(8);
        let rest = &self.bytes[offset..];
        let field = rest.get(..expected).ok_or(DiphaError::Truncated {
            offset,
            what,
            expected,
            found: self.bytes.len(),
        })?;
        self.offset += expected;
        Ok(field.as_chunks().0)
    }

    pub(super) fn integer(&mut self, what: &'static str) -> Result<i64, DiphaError> {
        Ok(i64::from_le_bytes(self.words(1, what)?[0]))
    }

    /// Reads a count. [`Fields::words`] checks that the counted bytes exist.
    pub(super) fn count(&mut self, what: &'static str) -> Result<usize, DiphaError> {
        let offset = self.offset;
        let found = self.integer(what)?;
        usize::try_from(found).map_err(|_| DiphaError::Count { offset, what, found })
    }

    /// Refuses a file with further bytes.
    pub(super) fn end(&self) -> Result<(), DiphaError> {
        match self.bytes.len() - self.offset {
            0 => Ok(()),
            found => Err(DiphaError::Trailing { offset: self.offset, found }),
        }
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
