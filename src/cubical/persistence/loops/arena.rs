//! Memory of reduced columns.
//!
//! A column is written once, by one thread, and never moves or changes. The words are atomic so that threads may read
//! columns in a chunk that another thread is still writing to. A column reached through the owner of a row was complete
//! before the owner was stored.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Columns in chunks of words. The address of a column is never 0; its words are its number, the number of words that
/// follow, and these.
#[derive(Default)]
pub(super) struct Arena {
    chunks: boxcar::Vec<Box<[AtomicU32]>>,
}

/// Words of a chunk; a chunk for a single longer column has exactly its length.
const CHUNK: usize = 1 << 18;

/// A thread's position for writing: a chunk of its own, and the number of words used in it.
#[derive(Default)]
pub(super) struct Writer {
    chunk: Option<usize>,
    full: usize,
    words: Vec<u32>,
}

impl Arena {
    fn at(&self, address: u64) -> &[AtomicU32] {
        &self.chunks[((address - 1) >> 32) as usize][(address - 1) as u32 as usize..]
    }

    /// The number of the column at an address.
    #[inline]
    pub(super) fn column(&self, address: u64) -> u32 {
        self.at(address)[0].load(Relaxed)
    }

    /// The words of the column at an address, without its number.
    #[inline]
    pub(super) fn rest(&self, address: u64) -> impl Iterator<Item = u32> {
        let words = self.at(address);
        let count = words[1].load(Relaxed) as usize;
        words[2..2 + count].iter().map(|word| word.load(Relaxed))
    }
}

impl Writer {
    /// Writes a column and returns its address.
    pub(super) fn write(&mut self, arena: &Arena, number: u32, words: impl Iterator<Item = u32>) -> u64 {
        self.words.clear();
        self.words.extend([number, 0]);
        self.words.extend(words);
        self.words[1] = self.words.len() as u32 - 2;
        let chunk = match self.chunk {
            Some(chunk) if self.full + self.words.len() <= CHUNK => chunk,
            _ => {
                let size = CHUNK.max(self.words.len());
                self.full = 0;
                let chunk = arena.chunks.push((0..size).map(|_| AtomicU32::new(0)).collect());
                self.chunk = Some(chunk);
                chunk
            }
        };
        let place = self.full;
        self.full += self.words.len();
        for (word, value) in arena.chunks[chunk][place..].iter().zip(&self.words) {
            word.store(*value, Relaxed);
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
        let words = |length: usize| (0..length as u32).map(move |word| word ^ length as u32);
        let write = |(number, &length): (usize, &usize)| writer.write(&arena, number as u32, words(length));
        let addresses: Vec<u64> = lengths.iter().enumerate().map(write).collect();
        for (number, (&address, &length)) in addresses.iter().zip(&lengths).enumerate() {
            assert_ne!(address, 0);
            assert_eq!(arena.column(address), number as u32);
            assert!(arena.rest(address).eq(words(length)));
        }
    }
}
