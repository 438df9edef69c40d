//! The parts of a file that hold one word per cell, and the entries.

use super::header::Header;
use super::list::List;
use super::order::Order;
use crate::fields::{Blocks, Word};
use crate::parallel::{position, try_each};
use crate::{Dimension, FormatError, Index};
use std::ops::Range;

/// Number of words that are read at a time.
const BLOCK: usize = 1 << 15;

/// A file whose header is valid.
pub(super) struct File<'a> {
    pub(super) blocks: Blocks<'a>,
    pub(super) header: Header,
}

/// The cells in the order of the file.
pub(super) struct Cells<I> {
    pub(super) dims: Vec<Dimension>,
    pub(super) values: Vec<f64>,
    /// Index of the first entry of each cell, and then the number of all entries.
    pub(super) offsets: Vec<I>,
}

impl File<'_> {
    pub(super) fn dims(&self) -> Result<Vec<Dimension>, FormatError> {
        let max = self.header.max_dim;
        self.words(0, |word, offset| {
            let found = i64::from_le_bytes(word);
            let what = "a dimension from 0 to that of the complex";
            let dim = Dimension::try_from(found).ok().filter(|&dim| dim <= max);
            dim.ok_or_else(|| FormatError::at(offset, what, found))
        })
    }

    pub(super) fn values(&self) -> Result<Vec<f64>, FormatError> {
        self.words(1, |word, offset| match f64::from_le_bytes(word) {
            found if found.is_nan() => Err(FormatError::at(offset, "a value", found)),
            found => Ok(found),
        })
    }

    pub(super) fn offsets<I: Index>(&self) -> Result<Vec<I>, FormatError> {
        let most = self.header.entries;
        let read = |word, offset| {
            let found = i64::from_le_bytes(word);
            let start = usize::try_from(found).ok().filter(|&start| start <= most);
            start.map(I::from_usize).ok_or_else(|| wrong_offset(offset, 0, most, found))
        };
        let mut offsets = self.words(2, read)?;
        let place = |k: usize| self.header.offset(2) + 8 * k;
        let wrong = |k: usize, least, most, found: I| {
            Err(wrong_offset(place(k), least, most, found.to_usize() as i64))
        };
        if let Some(&found) = offsets.first().filter(|first| first.to_usize() > 0) {
            return wrong(0, 0, 0, found);
        }
        if let Some(k) = position(offsets.len(), |k| k > 0 && offsets[k] < offsets[k - 1]) {
            return wrong(k, offsets[k - 1].to_usize(), most, offsets[k]);
        }
        offsets.push(I::from_usize(most));
        Ok(offsets)
    }

    /// Reads one of the parts with one word per cell.
    fn words<T: Copy + Default + Send>(
        &self,
        part: usize,
        read: impl Fn(Word, usize) -> Result<T, FormatError> + Sync,
    ) -> Result<Vec<T>, FormatError> {
        let mut all = vec![T::default(); self.header.cells];
        try_each(all.chunks_mut(BLOCK).enumerate(), &|(k, block)| {
            let start = self.header.offset(part) + 8 * BLOCK * k;
            let bytes = self.blocks.read(start, 8 * block.len())?;
            for (k, (to, &word)) in block.iter_mut().zip(bytes.as_chunks().0).enumerate() {
                *to = read(word, start + 8 * k)?;
            }
            self.blocks.give_back(bytes);
            Ok(())
        })?;
        Ok(all)
    }

    /// Returns the entries of all cells in the order of the file, mapped to places in `order`, ascending for each
    /// cell.
    pub(super) fn entries<I: Index>(
        &self,
        cells: &Cells<I>,
        order: &Order<I>,
    ) -> Result<Vec<I>, FormatError> {
        let mut entries = vec![I::default(); self.header.entries];
        let start = self.header.offset(3);
        try_each(groups(&cells.offsets, &mut entries).into_iter(), &|(group, entries)| {
            let first = cells.offsets[group.start].to_usize();
            let bytes = self.blocks.read(start + 8 * first, 8 * entries.len())?;
            let words: &[Word] = bytes.as_chunks().0;
            for cell in group {
                let range = range(&cells.offsets, cell);
                let list = List { cell, offset: start + 8 * range.start, cells, order };
                let local = range.start - first..range.end - first;
                list.read(&words[local.clone()], &mut entries[local])?;
            }
            self.blocks.give_back(bytes);
            Ok(())
        })?;
        Ok(entries)
    }
}

fn wrong_offset(offset: usize, least: usize, most: usize, found: i64) -> FormatError {
    FormatError::at(offset, format!("an entry offset from {least} to {most}"), found)
}

impl<I> Cells<I> {
    pub(super) fn len(&self) -> usize {
        self.dims.len()
    }
}

/// The range of the entries of a cell among all entries.
pub(super) fn range<I: Index>(offsets: &[I], cell: usize) -> Range<usize> {
    offsets[cell].to_usize()..offsets[cell + 1].to_usize()
}

/// Divides `all`, which has an element per entry, by groups of consecutive cells with about a block of entries each,
/// or one cell with more.
pub(super) fn groups<'a, I: Index>(offsets: &[I], mut all: &'a mut [I]) -> Vec<(Range<usize>, &'a mut [I])> {
    let mut groups = Vec::new();
    let (mut start, cells) = (0, offsets.len() - 1);
    while start < cells {
        let first = offsets[start].to_usize();
        let more = offsets[start + 2..].partition_point(|offset| offset.to_usize() <= first + BLOCK);
        let end = start + 1 + more;
        let (group, rest) = all.split_at_mut(offsets[end].to_usize() - first);
        groups.push((start..end, group));
        (start, all) = (end, rest);
    }
    groups
}
