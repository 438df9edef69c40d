//! The header of a weighted boundary matrix.

use super::{Flavour, MatrixSize};
use crate::dipha::{DiphaError, FileType, MAGIC};
use crate::{Dimension, Source};

/// Number of words before the dimensions.
const HEADER: usize = 5;

const FLAVOUR: &str = "0 for boundaries or 1 for coboundaries";
const DIMENSION: &str = "a dimension of the complex from 0 to 255";

/// The fields of the header, and the number of entries.
pub(super) struct Header {
    pub(super) flavour: Flavour,
    pub(super) cells: usize,
    pub(super) max_dim: Dimension,
    pub(super) entries: usize,
}

impl Header {
    /// Reads the header, and refuses one that contradicts the length of the file.
    pub(super) fn read(source: &(impl Source + ?Sized)) -> Result<Self, DiphaError> {
        let size = source.size().map_err(|error| DiphaError::read(0, 0, &error))?;
        let length = usize::try_from(size).unwrap_or(usize::MAX);
        let word = |at: usize, what| {
            let (offset, mut word) = (8 * at, [0; 8]);
            if length < offset + 8 {
                return Err(DiphaError::Truncated { offset, what, expected: 8, found: length });
            }
            let read = source.read_exact_at(offset as u64, &mut word);
            read.map_err(|error| DiphaError::read(offset, 8, &error)).map(|()| i64::from_le_bytes(word))
        };
        magic(word(0, "the magic number")?)?;
        boundary_type(word(1, "the file type")?)?;
        let flavour = flavour(word(2, FLAVOUR)?)?;
        let cells = count(3, "a number of cells", word(3, "a number of cells")?)?;
        let found = word(4, "a dimension")?;
        let wrong = DiphaError::Number { offset: 32, what: DIMENSION, found };
        let max_dim = Dimension::try_from(found).map_err(|_| wrong)?;
        // Each cell has a dimension, a value and an offset; the number of entries follows.
        let expected = cells.saturating_mul(24).saturating_add(8);
        if length - 8 * HEADER < expected {
            let what = "cells and the number of entries";
            return Err(DiphaError::Truncated { offset: 8 * HEADER, what, expected, found: length });
        }
        let at = HEADER + 3 * cells;
        let entries = count(at, "a number of entries", word(at, "a number of entries")?)?;
        let (offset, expected) = (8 * (at + 1), entries.saturating_mul(8));
        match length - offset {
            given if given < expected => {
                Err(DiphaError::Truncated { offset, what: "entries", expected, found: length })
            }
            given if given > expected => {
                Err(DiphaError::Trailing { offset: offset + expected, found: given - expected })
            }
            _ if cells == 0 && entries > 0 => Err(DiphaError::Number {
                offset: 8 * at,
                what: "no entries without cells",
                found: entries as i64,
            }),
            _ => Ok(Header { flavour, cells, max_dim, entries }),
        }
    }

    pub(super) fn size(&self) -> MatrixSize {
        MatrixSize { columns: self.cells, entries: self.entries }
    }

    /// Returns the byte offset of a part: 0 dimensions, 1 values, 2 offsets, 3 entries.
    pub(super) fn offset(&self, part: usize) -> usize {
        8 * (HEADER + part * self.cells + usize::from(part == 3))
    }
}

fn magic(found: i64) -> Result<(), DiphaError> {
    if found == MAGIC { Ok(()) } else { Err(DiphaError::Magic { found }) }
}

fn boundary_type(found: i64) -> Result<(), DiphaError> {
    match FileType::ALL.into_iter().find(|file_type| file_type.code() == found) {
        Some(FileType::BoundaryMatrix) => Ok(()),
        Some(found) => Err(DiphaError::WrongType { expected: FileType::BoundaryMatrix, found }),
        None => Err(DiphaError::UnknownType { found }),
    }
}

fn flavour(found: i64) -> Result<Flavour, DiphaError> {
    let flavours = [Flavour::Boundary, Flavour::Coboundary];
    let wrong = DiphaError::Number { offset: 16, what: FLAVOUR, found };
    flavours.into_iter().find(|flavour| flavour.code() == found).ok_or(wrong)
}

fn count(at: usize, what: &'static str, found: i64) -> Result<usize, DiphaError> {
    usize::try_from(found).map_err(|_| DiphaError::Count { offset: 8 * at, what, found })
}
