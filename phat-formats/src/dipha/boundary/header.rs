//! The header of a weighted boundary matrix.

use super::{Flavour, MatrixSize};
use crate::dipha::FileType;
use crate::fields::{Fields, fill, length};
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
        let length = length(source)?;
        let mut head = vec![0; length.min(8 * HEADER)];
        fill(source, 0, &mut head)?;
        let mut fields = Fields::of_type(&head, FileType::BoundaryMatrix)?;
        let found = fields.integer(FLAVOUR)?;
        let flavours = [Flavour::Boundary, Flavour::Coboundary];
        let flavour = flavours.into_iter().find(|flavour| flavour.code() == found);
        let flavour = flavour.ok_or_else(|| FormatError::at(16, FLAVOUR, found))?;
        let cells = fields.count("a number of cells")?;
        let found = fields.integer("a dimension")?;
        let max_dim = Dimension::try_from(found).map_err(|_| FormatError::at(32, DIMENSION, found))?;
        // Each cell has a dimension, a value and an offset; the number of entries follows.
        let expected = cells.saturating_mul(24).saturating_add(8);
        if length - 8 * HEADER < expected {
            let what = "cells and the number of entries";
            return Err(FormatError::truncated(8 * HEADER as u64, what, expected as u64, length as u64));
        }
        let at = HEADER + 3 * cells;
        let mut word = [0; 8];
        fill(source, 8 * at, &mut word)?;
        let found = i64::from_le_bytes(word);
        let entries =
            usize::try_from(found).map_err(|_| FormatError::at(8 * at, "a number of entries", found))?;
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
