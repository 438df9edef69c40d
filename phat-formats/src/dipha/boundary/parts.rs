//! The parts of a file that hold one word per cell, and the entries.

use super::header::Header;
use super::list::List;
use super::order::Order;
use crate::fields::{Word, fill};
use crate::{Dimension, FormatError, Index, Source};
use rayon::prelude::*;
use std::ops::Range;

/// Number of words that are read at a time.
const BLOCK: usize = 1 << 15;

/// A file whose header is valid.
pub(super) struct File<'a, S: ?Sized> {
    pub(super) source: &'a S,
    pub(super) header: Header,
}

/// The cells in the order of the file.
pub(super) struct Cells<I> {
    pub(super) dims: Vec<Dimension>,
    pub(super) values: Vec<f64>,
    /// Index of the first entry of each cell, and then the number of all entries.
    pub(super) offsets: Vec<I>,
}

impl<S: Source + ?Sized> File<'_, S> {
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
        if let Some(k) = offsets.par_windows(2).position_first(|two| two[1] < two[0]) {
            return wrong(k + 1, offsets[k].to_usize(), most, offsets[k + 1]);
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
        let blocks = all.par_chunks_mut(BLOCK).enumerate();
        let wrong = blocks.map_init(Vec::new, |buffer, (k, block)| {
            let start = self.header.offset(part) + 8 * BLOCK * k;
            let words = self.bytes(start, block.len(), buffer)?;
            for (k, (to, &word)) in block.iter_mut().zip(words).enumerate() {
                *to = read(word, start + 8 * k)?;
            }
            Ok(())
        });
        wrong.find_map_first(Result::err).map_or(Ok(all), Err)
    }

    /// Reads `count` words from `offset` on through `buffer`.
    fn bytes<'b>(
        &self,
        offset: usize,
        count: usize,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [Word], FormatError> {
        buffer.resize(8 * count, 0);
        fill(self.source, offset, buffer)?;
        Ok(buffer.as_chunks().0)
    }

    /// Returns the entries of all cells in the order of the file, mapped to places in `order`, ascending for each
    /// cell.
    pub(super) fn entries<I: Index>(
        &self,
        cells: &Cells<I>,
        order: &Order<I>,
    ) -> Result<Vec<I>, FormatError> {
        let mut entries = vec![I::default(); self.header.entries];
        let groups = groups(&cells.offsets, &mut entries).into_par_iter();
        let start = self.header.offset(3);
        let wrong = groups.map_init(Vec::new, |buffer, (group, entries)| {
            let first = cells.offsets[group.start].to_usize();
            let words = self.bytes(start + 8 * first, entries.len(), buffer)?;
            group.into_iter().try_for_each(|cell| {
                let range = range(&cells.offsets, cell);
                let list = List { cell, offset: start + 8 * range.start, cells, order };
                let local = range.start - first..range.end - first;
                list.read(&words[local.clone()], &mut entries[local])
            })
        });
        wrong.find_map_first(Result::err).map_or(Ok(entries), Err)
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
