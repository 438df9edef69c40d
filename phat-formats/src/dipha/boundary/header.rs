//! The header of a weighted boundary matrix.

use super::{Flavour, MatrixSize};
use crate::dipha::fields::{expect_type, file_type, wrong_magic};
use crate::dipha::{FileType, MAGIC};
use crate::{Dimension, FormatError, Source};

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
    pub(super) fn read(source: &(impl Source + ?Sized)) -> Result<Self, FormatError> {
        let size = source.size().map_err(|error| FormatError::unreadable(0, 0, &error))?;
        let length = usize::try_from(size).unwrap_or(usize::MAX);
        let word = |at: usize, what| {
            let (offset, mut word) = (8 * at, [0; 8]);
            if length < offset + 8 {
                return Err(FormatError::truncated(offset as u64, what, 8, length as u64));
            }
            let read = source.read_exact_at(offset as u64, &mut word);
            read.map_err(|error| FormatError::unreadable(offset as u64, 8, &error))
                .map(|()| i64::from_le_bytes(word))
        };
        match word(0, "the magic number")? {
            MAGIC => {}
            found => return Err(wrong_magic(found)),
        }
        expect_type(file_type(word(1, "the file type")?)?, FileType::BoundaryMatrix)?;
        let flavour = flavour(word(2, FLAVOUR)?)?;
        let cells = count(3, "a number of cells", word(3, "a number of cells")?)?;
        let found = word(4, "a dimension")?;
        let max_dim = Dimension::try_from(found).map_err(|_| FormatError::at(32, DIMENSION, found))?;
        // Each cell has a dimension, a value and an offset; the number of entries follows.
        let expected = cells.saturating_mul(24).saturating_add(8);
        if length - 8 * HEADER < expected {
            let what = "cells and the number of entries";
            return Err(FormatError::truncated(8 * HEADER as u64, what, expected as u64, length as u64));
        }
        let at = HEADER + 3 * cells;
        let entries = count(at, "a number of entries", word(at, "a number of entries")?)?;
        let (offset, expected) = (8 * (at + 1), entries.saturating_mul(8));
        match length - offset {
            given if given < expected => {
                Err(FormatError::truncated(offset as u64, "entries", expected as u64, length as u64))
            }
            given if given > expected => {
                Err(FormatError::trailing((offset + expected) as u64, (given - expected) as u64))
            }
            _ if cells == 0 && entries > 0 => {
                Err(FormatError::at(8 * at, "no entries without cells", entries))
            }
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

fn flavour(found: i64) -> Result<Flavour, FormatError> {
    let flavours = [Flavour::Boundary, Flavour::Coboundary];
    let known = flavours.into_iter().find(|flavour| flavour.code() == found);
    known.ok_or_else(|| FormatError::at(16, FLAVOUR, found))
}

fn count(at: usize, what: &'static str, found: i64) -> Result<usize, FormatError> {
    usize::try_from(found).map_err(|_| FormatError::at(8 * at, what, found))
}
