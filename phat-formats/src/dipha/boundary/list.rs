//! The entries of one cell: checked, mapped to filtration order and sorted.

use super::Flavour;
use super::order::Order;
use super::parts::Cells;
use crate::{FormatError, Index};
use hashbrown::HashSet;

/// The entries of one cell in the file.
pub(super) struct List<'a, I> {
    pub(super) cell: usize,
    /// Byte offset of the list in the file.
    pub(super) offset: usize,
    pub(super) cells: &'a Cells<I>,
    pub(super) order: &'a Order<I>,
}

impl<I: Index> List<'_, I> {
    /// Stores the entries as places in the order, ascending.
    pub(super) fn read(&self, words: &[[u8; 8]], out: &mut [I]) -> Result<(), FormatError> {
        for (k, (out, &word)) in out.iter_mut().zip(words).enumerate() {
            match self.entry(i64::from_le_bytes(word), k) {
                Ok(entry) => *out = self.order.places[entry],
                // A repeated entry before this one would be the earlier error.
                Err(error) => return self.no_entry_twice(&words[..k]).and(Err(error)),
            }
        }
        if !out.is_sorted_by(|a, b| a < b) {
            out.sort_unstable();
            if !out.is_sorted_by(|a, b| a < b) {
                return self.no_entry_twice(words);
            }
        }
        Ok(())
    }

    /// Checks the k-th entry and returns it.
    #[inline]
    fn entry(&self, found: i64, k: usize) -> Result<usize, FormatError> {
        let List { cell, cells, order, .. } = *self;
        let flavour = order.flavour;
        let offset = self.offset + 8 * k;
        let entry = usize::try_from(found).ok().filter(|&entry| entry < cells.len());
        let entry =
            entry.ok_or_else(|| FormatError::at(offset, format!("a cell below {}", cells.len()), found))?;
        let dims = (i16::from(cells.dims[cell]), i16::from(cells.dims[entry]));
        let values = (cells.values[cell], cells.values[entry]);
        let (right_dim, right_value) = match flavour {
            Flavour::Boundary => (dims.1 + 1 == dims.0, values.1 <= values.0),
            Flavour::Coboundary => (dims.0 + 1 == dims.1, values.0 <= values.1),
        };
        if !right_dim {
            let which = match flavour {
                Flavour::Boundary => "a boundary cell one dimension below",
                Flavour::Coboundary => "a coboundary cell one dimension above",
            };
            let expected = format!("{which} {}, that of cell {cell}", cells.dims[cell]);
            let found = format!("cell {entry} of dimension {}", cells.dims[entry]);
            return Err(FormatError::at(offset, expected, found));
        }
        if !right_value {
            let which = match flavour {
                Flavour::Boundary => "a boundary cell whose value is not above",
                Flavour::Coboundary => "a coboundary cell whose value is not below",
            };
            let expected = format!("{which} {}, that of cell {cell}", values.0);
            return Err(FormatError::at(
                offset,
                expected,
                format!("cell {entry} with the value {}", values.1),
            ));
        }
        Ok(entry)
    }

    #[cold]
    fn no_entry_twice(&self, words: &[[u8; 8]]) -> Result<(), FormatError> {
        let mut seen = HashSet::with_capacity(words.len());
        match words.iter().position(|word| !seen.insert(word)) {
            None => Ok(()),
            Some(k) => {
                let expected = format!("an entry that cell {} does not have yet", self.cell);
                let found = format!("cell {} again", i64::from_le_bytes(words[k]));
                Err(FormatError::at(self.offset + 8 * k, expected, found))
            }
        }
    }
}
