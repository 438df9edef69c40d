//! A growing graph as rows of bits.

use crate::memory::{self, Refused};

/// The graph of some edges: for each point, its neighbours as a row of bits.
pub(super) struct Rows {
    words: Vec<u64>,
    /// Number of words in a row.
    pub(super) width: usize,
}

impl Rows {
    /// Bytes of the rows of n points; `None` on overflow.
    pub(super) fn bytes(n: usize) -> Option<usize> {
        n.checked_mul(n.div_ceil(64))?.checked_mul(size_of::<u64>())
    }

    /// The rows of n points without edges.
    ///
    /// # Errors
    /// There is no memory for the rows.
    pub(super) fn new(n: usize) -> Result<Self, Refused> {
        let width = n.div_ceil(64);
        Ok(Rows { words: memory::zeroed(n * width)?, width })
    }

    /// The bytes of the rows.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> u64 {
        (self.words.capacity() * size_of::<u64>()) as u64
    }

    /// The neighbours of a point.
    #[inline(always)]
    pub(super) fn row(&self, u: u32) -> &[u64] {
        &self.words[u as usize * self.width..][..self.width]
    }

    /// Inserts or removes an edge.
    #[inline]
    pub(super) fn flip(&mut self, (u, v): (u32, u32)) {
        for (u, v) in [(u as usize, v as usize), (v as usize, u as usize)] {
            self.words[u * self.width + v / 64] ^= 1 << (v % 64);
        }
    }
}
