//! Stripes of columns and blocks of rows, by which the spectral sequence divides a matrix.

use std::ops::Range;

use phat_formats::Index;

/// Columns of one dimension, cut into stripes of equal size. The same bounds cut all rows into blocks: block b starts
/// where stripe b does, and ends where the next one starts. A low is before its column, so the lows of stripe s are
/// in blocks 0 to s.
#[derive(Debug)]
pub(crate) struct Stripes<I> {
    /// The open columns of each stripe, ascending: those that are neither paired nor zero.
    pub open: Vec<Vec<I>>,
    /// The first row of each block, and the end of the last block.
    bounds: Vec<usize>,
}

impl<I: Index> Stripes<I> {
    /// Cuts columns, which lie in several consecutive slices, into at most `stripes` stripes, none of them empty.
    pub(crate) fn cut(parts: &[Vec<I>], stripes: usize) -> Self {
        let columns: usize = parts.iter().map(Vec::len).sum();
        let share = columns.div_ceil(stripes.max(1)).max(1);
        let mut open: Vec<Vec<I>> = Vec::new();
        for part in parts {
            let mut part = &part[..];
            while !part.is_empty() {
                open.extend(
                    open.last().is_none_or(|last| last.len() == share).then(|| Vec::with_capacity(share)),
                );
                let Some(last) = open.last_mut() else { break };
                let (now, rest) = part.split_at(part.len().min(share - last.len()));
                last.extend_from_slice(now);
                part = rest;
            }
        }
        let starts = open.iter().skip(1).map(|columns| columns[0].to_usize());
        let bounds = std::iter::once(0).chain(starts).chain([usize::MAX]).collect();
        Stripes { open, bounds }
    }

    /// Number of stripes, of blocks and of passes.
    pub(crate) fn count(&self) -> usize {
        self.open.len()
    }

    /// The rows that a stripe processes in a pass: its own block in pass 0, down to block 0. Empty after that.
    pub(crate) fn block(&self, stripe: usize, pass: usize) -> Range<usize> {
        stripe.checked_sub(pass).map_or(0..0, |block| self.rows(block))
    }

    /// The rows of a block.
    pub(crate) fn rows(&self, block: usize) -> Range<usize> {
        self.bounds[block]..self.bounds[block + 1]
    }

    /// The block of a row.
    pub(crate) fn block_of(&self, row: usize) -> usize {
        self.bounds.partition_point(|&first| first <= row) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_where_stripes_start() {
        let stripes = Stripes::cut(&[vec![3u32, 5, 8, 9, 20]], 3);
        assert_eq!(stripes.open, [vec![3, 5], vec![8, 9], vec![20]]);
        assert_eq!(stripes.count(), 3);
        let parts = [vec![3u32], vec![], vec![5, 8, 9], vec![20]];
        assert_eq!(Stripes::cut(&parts, 3).open, stripes.open);
        assert_eq!(stripes.block(2, 0), 20..usize::MAX);
        assert_eq!(stripes.block(2, 1), 8..20);
        assert_eq!(stripes.block(2, 2), 0..8);
        assert!(stripes.block(1, 2).is_empty());
        assert_eq!([0, 7, 8, 19, 20, 90].map(|row| stripes.block_of(row)), [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn no_more_stripes_than_columns() {
        assert_eq!(Stripes::cut(&[vec![1u32, 2]], 8).count(), 2);
        assert_eq!(Stripes::<u32>::cut(&[vec![]], 8).count(), 0);
        assert_eq!(Stripes::cut(&[vec![1u32, 2]], 1).count(), 1);
    }
}
