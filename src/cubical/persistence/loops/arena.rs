//! Memory of reduced columns.
//!
//! A column is written once, by one thread, and never moves or changes. The words are atomic so that threads may read
//! columns in a chunk that another thread is still writing to. A column reached through the owner of a row was complete
//! before the owner was stored.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::super::cell::Cell;

/// Columns in chunks of words. The address of a column is never 0; its first word is its number and the number of words
/// that follow, which are its edges. An edge with the rank of its owner takes twice the memory of one without, but a
/// column can be added without a look at the grid, which would be a miss of the caches for each edge.
#[derive(Default)]
pub(super) struct Arena {
    chunks: boxcar::Vec<Box<[AtomicU64]>>,
}

/// Words of a chunk; a chunk for a single longer column has exactly its length.
const CHUNK: usize = 1 << 17;

/// A thread's position for writing: a chunk of its own, and the number of words used in it.
#[derive(Default)]
pub(super) struct Writer {
    chunk: Option<usize>,
    full: usize,
}

impl Arena {
    fn at(&self, address: u64) -> &[AtomicU64] {
        &self.chunks[((address - 1) >> 32) as usize][(address - 1) as u32 as usize..]
    }

    /// The number of the column at an address.
    #[inline]
    pub(super) fn column(&self, address: u64) -> u32 {
        (self.at(address)[0].load(Relaxed) >> 32) as u32
    }

    /// The edges of the column at an address.
    #[inline]
    pub(super) fn edges(&self, address: u64) -> impl Iterator<Item = Cell> {
        let words = self.at(address);
        let count = words[0].load(Relaxed) as u32 as usize;
        words[1..1 + count].iter().map(|word| Cell::of_word(word.load(Relaxed)))
    }
}

impl Writer {
    /// Writes a column and returns its address.
    pub(super) fn write(&mut self, arena: &Arena, number: u32, edges: &[Cell]) -> u64 {
        let length = edges.len() + 1;
        let chunk = match self.chunk {
            Some(chunk) if self.full + length <= CHUNK => chunk,
            _ => {
                self.full = 0;
                let words = (0..CHUNK.max(length)).map(|_| AtomicU64::new(0));
                let chunk = arena.chunks.push(words.collect());
                self.chunk = Some(chunk);
                chunk
            }
        };
        let place = self.full;
        self.full += length;
        let words = &arena.chunks[chunk][place..];
        words[0].store(u64::from(number) << 32 | edges.len() as u64, Relaxed);
        for (word, edge) in words[1..].iter().zip(edges) {
            word.store(edge.word(), Relaxed);
        }
        ((chunk as u64) << 32 | place as u64) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_columns_and_some_longer_than_a_chunk() {
        let arena = Arena::default();
        let mut writer = Writer::default();
        let lengths = [0, 1, CHUNK - 9, 7, CHUNK, 0, 3 * CHUNK, 5];
        let edges = |length: usize| (0..length).map(move |place| Cell::new(length as u32, 0, place));
        let write = |(number, &length): (usize, &usize)| {
            writer.write(&arena, number as u32, &edges(length).collect::<Vec<Cell>>())
        };
        let addresses: Vec<u64> = lengths.iter().enumerate().map(write).collect();
        for (number, (&address, &length)) in addresses.iter().zip(&lengths).enumerate() {
            assert_ne!(address, 0);
            assert_eq!(arena.column(address), number as u32);
            assert!(arena.edges(address).eq(edges(length)));
        }
    }
}
