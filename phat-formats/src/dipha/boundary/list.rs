//! The entries of one cell: checked, mapped to filtration order and sorted.

use super::Flavour;
use super::order::Order;
use super::parts::Cells;
use crate::entries::store;
use crate::fields::Word;
use crate::{FormatError, Index};

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
    pub(super) fn read(&self, words: &[Word], out: &mut [I]) -> Result<(), FormatError> {
        let check = |k, word| Ok(self.order.places[self.entry(i64::from_le_bytes(word), k)?]);
        let twice = |k: usize| {
            let expected = format!("an entry that cell {} does not have yet", self.cell);
            let found = format!("cell {} again", i64::from_le_bytes(words[k]));
            FormatError::at(self.offset + 8 * k, expected, found)
        };
        store(words.iter().copied(), check, twice, out).map(drop)
    }

    /// Checks the k-th entry and returns it.
    #[inline]
    fn entry(&self, found: i64, k: usize) -> Result<usize, FormatError> {
        let List { cell, cells, order, .. } = *self;
        let offset = self.offset + 8 * k;
        let entry = usize::try_from(found).ok().filter(|&entry| entry < cells.len());
        let entry =
            entry.ok_or_else(|| FormatError::at(offset, format!("a cell below {}", cells.len()), found))?;
        let dims = (i16::from(cells.dims[cell]), i16::from(cells.dims[entry]));
        let values = (cells.values[cell], cells.values[entry]);
        let (right_dim, right_value, kind, [beside, beyond]) = match order.flavour {
            Flavour::Boundary => (dims.1 + 1 == dims.0, values.1 <= values.0, "boundary", ["below", "above"]),
            Flavour::Coboundary => {
                (dims.0 + 1 == dims.1, values.0 <= values.1, "coboundary", ["above", "below"])
            }
        };
        if !right_dim {
            let expected = format!("a {kind} cell one dimension {beside} {}, that of cell {cell}", dims.0);
            let found = format!("cell {entry} of dimension {}", dims.1);
            return Err(FormatError::at(offset, expected, found));
        }
        if !right_value {
            let expected =
                format!("a {kind} cell whose value is not {beyond} {}, that of cell {cell}", values.0);
            let found = format!("cell {entry} with the value {}", values.1);
            return Err(FormatError::at(offset, expected, found));
        }
        Ok(entry)
    }
}
