//! The entries of one cell: checked, mapped to filtration order and sorted.

use super::Flavour;
use super::order::Order;
use super::parts::Cells;
use crate::Index;
use crate::dipha::DiphaError;
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
    pub(super) fn read(&self, words: &[[u8; 8]], out: &mut [I]) -> Result<(), DiphaError> {
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
    fn entry(&self, found: i64, k: usize) -> Result<usize, DiphaError> {
        let List { cell, cells, order, .. } = *self;
        let flavour = order.flavour;
        let offset = self.offset + 8 * k;
        let entry = usize::try_from(found).ok().filter(|&entry| entry < cells.len());
        let entry = entry.ok_or(DiphaError::Cell { offset, cells: cells.len(), found })?;
        let dims = (i16::from(cells.dims[cell]), i16::from(cells.dims[entry]));
        let values = (cells.values[cell], cells.values[entry]);
        let (right_dim, right_value) = match flavour {
            Flavour::Boundary => (dims.1 + 1 == dims.0, values.1 <= values.0),
            Flavour::Coboundary => (dims.0 + 1 == dims.1, values.0 <= values.1),
        };
        if !right_dim {
            let (dim, found) = (cells.dims[cell], cells.dims[entry]);
            return Err(DiphaError::EntryDimension { offset, flavour, cell, dim, entry, found });
        }
        if !right_value {
            let (value, found) = values;
            return Err(DiphaError::EntryValue { offset, flavour, cell, value, entry, found });
        }
        Ok(entry)
    }

    #[cold]
    fn no_entry_twice(&self, words: &[[u8; 8]]) -> Result<(), DiphaError> {
        let mut seen = HashSet::with_capacity(words.len());
        match words.iter().position(|word| !seen.insert(word)) {
            None => Ok(()),
            Some(k) => Err(DiphaError::Repeated {
                offset: self.offset + 8 * k,
                cell: self.cell,
                entry: i64::from_le_bytes(words[k]) as usize,
            }),
        }
    }
}
