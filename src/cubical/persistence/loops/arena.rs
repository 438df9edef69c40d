//! Memory of reduced columns.
//!
//! A column is written once, by one thread, and never moves or changes. Its parts are atomic so that threads may read
//! columns in a chunk that another thread is still writing to. A column reached through the owner of a row was complete
//! before the owner was stored.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

use super::super::cell::{Cell, DIRECTION_BITS};

/// Columns in chunks. The address of a column is never 0.
#[derive(Default)]
pub(super) struct Arena {
    chunks: boxcar::Vec<Chunk>,
}

/// A column is its number, the number of its edges, and these: each as the low bits of a place, and as the direction
/// from it with the high bits of the place above. Only the key of the place has to be looked up when the column is
/// added.
struct Chunk {
    words: Box<[AtomicU32]>,
    directions: Box<[AtomicU8]>,
}

/// Bits beside a direction that hold the high bits of a place.
const HIGH: usize = 0xff << DIRECTION_BITS & 0xff;

/// Words of a chunk; a chunk for a single longer column has exactly its length.
const CHUNK: usize = 1 << 18;

/// A thread's position for writing: a chunk of its own, and the number of words used in it.
#[derive(Default)]
pub(super) struct Writer {
    chunk: Option<usize>,
    full: usize,
}

impl Arena {
    fn at(&self, address: u64) -> (&Chunk, usize) {
        (&self.chunks[((address - 1) >> 32) as usize], (address - 1) as u32 as usize)
    }

    /// The number of the column at an address.
    #[inline]
    pub(super) fn column(&self, address: u64) -> u32 {
        let (chunk, first) = self.at(address);
        chunk.words[first].load(Relaxed)
    }

    /// The edges of the column at an address; `cell` makes one of its owner's place and its direction.
    #[inline]
    pub(super) fn edges(
        &self,
        address: u64,
        cell: impl Fn(usize, usize) -> Cell,
    ) -> impl Iterator<Item = Cell> {
        let (Chunk { words, directions }, first) = self.at(address);
        let edges = first + 2..first + 2 + words[first + 1].load(Relaxed) as usize;
        words[edges.clone()].iter().zip(&directions[edges]).map(move |(word, byte)| {
            let byte = usize::from(byte.load(Relaxed));
            cell((byte & HIGH) << (32 - DIRECTION_BITS) | word.load(Relaxed) as usize, byte & !HIGH)
        })
    }
}

impl Writer {
    /// Writes a column and returns its address; `place` returns the place of the owner of an edge.
    pub(super) fn write(
        &mut self,
        arena: &Arena,
        number: u32,
        edges: &[Cell],
        place: impl Fn(Cell) -> usize,
    ) -> u64 {
        let length = edges.len() + 2;
        let chunk = match self.chunk {
            Some(chunk) if self.full + length <= CHUNK => chunk,
            _ => {
                self.full = 0;
                let size = CHUNK.max(length);
                let words = (0..size).map(|_| AtomicU32::new(0)).collect();
                let directions = (0..size).map(|_| AtomicU8::new(0)).collect();
                let chunk = arena.chunks.push(Chunk { words, directions });
                self.chunk = Some(chunk);
                chunk
            }
        };
        let first = self.full;
        self.full += length;
        let Chunk { words, directions } = &arena.chunks[chunk];
        words[first].store(number, Relaxed);
        words[first + 1].store(edges.len() as u32, Relaxed);
        for ((word, direction), edge) in words[first + 2..].iter().zip(&directions[first + 2..]).zip(edges) {
            // A place has 36 bits, and a direction 4.
            let place = place(*edge);
            word.store(place as u32, Relaxed);
            direction.store((place >> (32 - DIRECTION_BITS) & HIGH | edge.direction()) as u8, Relaxed);
        }
        ((chunk as u64) << 32 | first as u64) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::cell::Packing;
    use super::*;

    #[test]
    fn short_columns_and_some_longer_than_a_chunk() {
        let arena = Arena::default();
        let mut writer = Writer::default();
        let lengths = [0, 1, CHUNK - 9, 7, CHUNK, 0, 3 * CHUNK, 5];
        let packing = Packing::new(1 << 36, 1 << 20, false).unwrap();
        let cell = |place, direction| packing.cell(7, direction, place);
        let edges = |length: usize| (0..length).map(|k| cell((k << 16) + k % 7, k % 14));
        let write = |(number, &length): (usize, &usize)| {
            let edges: Vec<Cell> = edges(length).collect();
            writer.write(&arena, number as u32, &edges, |edge| packing.place(edge.entry()))
        };
        let addresses: Vec<u64> = lengths.iter().enumerate().map(write).collect();
        for (number, (&address, &length)) in addresses.iter().zip(&lengths).enumerate() {
            assert_ne!(address, 0);
            assert_eq!(arena.column(address), number as u32);
            assert!(arena.edges(address, cell).eq(edges(length)));
        }
    }
}
