//! The blocks of the file that are in use, and their slots. These tables lie in memory, not in the file.
//!
//! An allocation is a run of whole blocks, or a slot of a block that is divided into slots of one size. Blocks with
//! free slots of a size form a linked list. To free an allocation, its address suffices.

use std::mem;

use super::classes::{BLOCK, CLASSES, LEAST, class_of, size_of_class};

/// Number of 64-bit words in which a block has a bit for each of its slots.
pub(super) const WORDS: usize = BLOCK / LEAST / 64;

/// State of a block. All zero: the block is free.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Block {
    /// Length, in blocks, of the run that begins here; 0 if none does.
    run: u32,
    /// Number of slots in use. At least one in a block of slots, except for one kept in reserve.
    used: u32,
    /// Size class of the slots plus one; 0 if the block has no slots.
    class: u32,
    /// First word that may have a free slot.
    from: u32,
    /// Neighbours in the list of blocks with free slots of this size, as block number plus one; 0 for none.
    next: u32,
    previous: u32,
}

/// Possible location of an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A slot of this block, which has a free one.
    Slot { block: usize },
    /// A slot of this free block, which is to be divided into slots of this size class.
    NewSlots { block: usize, class: usize },
    /// A run of `count` free blocks.
    NewRun { first: usize, count: usize },
}

impl Place {
    /// Offset and length of the blocks that must first be reserved on the disk.
    pub(super) fn new_blocks(self) -> Option<(usize, usize)> {
        match self {
            Place::Slot { .. } => None,
            Place::NewSlots { block, .. } => Some((block * BLOCK, BLOCK)),
            Place::NewRun { first, count } => Some((first * BLOCK, count * BLOCK)),
        }
    }
}

/// Offset and length of the bytes to return to the disk after freeing, if any.
pub(super) type Freed = Option<(usize, usize)>;

/// State of the blocks of a file.
#[derive(Debug)]
pub(super) struct Blocks<'a> {
    blocks: &'a mut [Block],
    /// Bit set for each slot in use, [`WORDS`] words per block.
    bits: &'a mut [u64],
    /// First block of each list, as block number plus one.
    lists: [u32; CLASSES],
    /// End of the last run that was found, where the next search begins.
    hint: usize,
    /// End of the last block that was ever in use.
    end: usize,
}

impl<'a> Blocks<'a> {
    /// Makes the tables of a file whose blocks are all free, from zeroed tables with [`WORDS`] words per block.
    pub(super) fn new(blocks: &'a mut [Block], bits: &'a mut [u64]) -> Self {
        debug_assert_eq!(bits.len(), blocks.len() * WORDS);
        Blocks { blocks, bits, lists: [0; CLASSES], hint: 0, end: 0 }
    }

    /// Finds room for `size` bytes; `None` if there is none. It stays free until it is [taken](Self::take).
    pub(super) fn find(&self, size: usize, align: usize) -> Option<Place> {
        let Some(class) = class_of(size, align) else {
            let count = size.div_ceil(BLOCK);
            return Some(Place::NewRun { first: self.free_run(count)?, count });
        };
        match self.lists[class] {
            0 => Some(Place::NewSlots { block: self.free_run(1)?, class }),
            block => Some(Place::Slot { block: block as usize - 1 }),
        }
    }

    /// Takes a place that was found, after its new blocks were reserved on the disk; returns its offset in the file.
    /// `None` if a listed block had no free slot, which would be a bug. It is not a panic, since reporting a panic
    /// allocates, and the lock is held.
    pub(super) fn take(&mut self, place: Place) -> Option<usize> {
        match place {
            Place::Slot { block } => self.take_slot(block),
            Place::NewSlots { block, class } => {
                self.blocks[block] = Block { class: class as u32 + 1, ..Block::default() };
                self.found(block, 1);
                self.link(block);
                self.take_slot(block)
            }
            Place::NewRun { first, count } => {
                self.blocks[first] = Block { run: count as u32, ..Block::default() };
                self.found(first, count);
                Some(first * BLOCK)
            }
        }
    }

    /// First of `count` consecutive free blocks; the search begins after the previous result.
    fn free_run(&self, count: usize) -> Option<usize> {
        self.free_run_from(self.hint, count).or_else(|| self.free_run_from(0, count))
    }

    fn free_run_from(&self, from: usize, count: usize) -> Option<usize> {
        let (mut first, mut at) = (from, from);
        while at < self.blocks.len() {
            let Block { run, class, .. } = self.blocks[at];
            if run == 0 && class == 0 {
                at += 1;
                if at - first >= count {
                    return Some(first);
                }
            } else {
                at += run.max(1) as usize;
                first = at;
            }
        }
        None
    }

    fn found(&mut self, first: usize, count: usize) {
        self.hint = first + count;
        self.end = self.end.max(self.hint);
    }

    /// Takes a free slot of a block; returns its offset in the file.
    fn take_slot(&mut self, block: usize) -> Option<usize> {
        let bits = &mut self.bits[block * WORDS..][..WORDS];
        let from = self.blocks[block].from as usize;
        let word = from + bits[from..].iter().position(|&word| word != u64::MAX)?;
        let bit = bits[word].trailing_ones();
        bits[word] |= 1 << bit;
        let size = size_of_class(self.blocks[block].class as usize - 1);
        self.blocks[block].from = word as u32;
        self.blocks[block].used += 1;
        if self.blocks[block].used as usize == BLOCK / size {
            self.unlink(block);
        }
        Some(block * BLOCK + (64 * word + bit as usize) * size)
    }

    /// Frees the allocation at an offset.
    pub(super) fn free(&mut self, offset: usize) -> Freed {
        let block = offset / BLOCK;
        let Block { run, class, used, from, next, previous } = self.blocks[block];
        if run > 0 {
            self.blocks[block] = Block::default();
            return Some((offset, run as usize * BLOCK));
        }
        // A second free of the same memory changes nothing.
        let size = size_of_class((class as usize).checked_sub(1)?);
        let slot = offset % BLOCK / size;
        self.bits[block * WORDS + slot / 64] &= !(1 << (slot % 64));
        self.blocks[block].from = from.min((slot / 64) as u32);
        self.blocks[block].used = used.saturating_sub(1);
        if used as usize == BLOCK / size {
            self.link(block);
        }
        // The last block of its list is kept in reserve.
        if used > 1 || (next == 0 && previous == 0) {
            return None;
        }
        self.unlink(block);
        self.blocks[block] = Block::default();
        Some((block * BLOCK, BLOCK))
    }

    /// Capacity in bytes of the allocation at an offset.
    pub(super) fn room(&self, offset: usize) -> usize {
        match self.blocks[offset / BLOCK] {
            Block { run: 0, class, .. } => (class as usize).checked_sub(1).map_or(0, size_of_class),
            Block { run, .. } => run as usize * BLOCK,
        }
    }

    /// End of the last byte that was ever in use.
    pub(super) fn end(&self) -> usize {
        self.end * BLOCK
    }

    /// Inserts a block at the front of the list of its size.
    fn link(&mut self, block: usize) {
        let list = &mut self.lists[self.blocks[block].class as usize - 1];
        let next = mem::replace(list, block as u32 + 1);
        self.blocks[block].next = next;
        self.blocks[block].previous = 0;
        if next > 0 {
            self.blocks[next as usize - 1].previous = block as u32 + 1;
        }
    }

    /// Removes a block from the list of its size.
    fn unlink(&mut self, block: usize) {
        let Block { class, next, previous, .. } = self.blocks[block];
        match previous {
            0 => self.lists[class as usize - 1] = next,
            _ => self.blocks[previous as usize - 1].next = next,
        }
        if next > 0 {
            self.blocks[next as usize - 1].previous = previous;
        }
        (self.blocks[block].next, self.blocks[block].previous) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand_pcg::Pcg64;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    use super::*;

    fn with_blocks(count: usize, test: impl FnOnce(Blocks<'_>)) {
        test(Blocks::new(&mut vec![Block::default(); count], &mut vec![0; count * WORDS]));
    }

    /// Finds and takes a place, as if the disk had room.
    fn take(blocks: &mut Blocks<'_>, size: usize, align: usize) -> Option<usize> {
        let place = blocks.find(size, align)?;
        blocks.take(place)
    }

    #[test]
    fn what_is_taken_never_overlaps_and_all_comes_back() {
        with_blocks(64, |mut blocks| {
            let mut random = Pcg64::seed_from_u64(5);
            // Offset and length of all live allocations.
            let mut there = BTreeMap::new();
            let mut given_back = 0;
            for round in 0..60_000 {
                let shrinks = round % 20_000 > 12_000;
                if random.next_u64() % 8 < if shrinks { 6 } else { 3 } && !there.is_empty() {
                    let place = random.next_u64() as usize % (64 * BLOCK);
                    let offset = there
                        .range(..=place)
                        .next_back()
                        .map_or(*there.keys().next().unwrap(), |(&offset, _)| offset);
                    let size = there.remove(&offset).unwrap();
                    assert!(blocks.room(offset) >= size);
                    if let Some((from, length)) = blocks.free(offset) {
                        assert!(there.range(from..from + length).next().is_none());
                        given_back += 1;
                    }
                    continue;
                }
                let size = 1 + random.next_u64() as usize % (1 << (1 + random.next_u64() % 23));
                let align = 1 << (random.next_u64() % 9);
                let Some(offset) = take(&mut blocks, size, align) else { continue };
                assert!(
                    offset.is_multiple_of(align)
                        && offset + size <= 64 * BLOCK
                        && offset + size <= blocks.end()
                );
                let before = there.range(..=offset).next_back().map_or(0, |(&offset, &size)| offset + size);
                let after = there.range(offset..).next().map_or(usize::MAX, |(&offset, _)| offset);
                assert!(before <= offset && offset + size <= after);
                there.insert(offset, size);
            }
            assert!(given_back > 100, "{given_back}");
            for offset in there.into_keys() {
                blocks.free(offset);
            }
            // At most one block per size is kept in reserve.
            let kept = blocks.blocks.iter().filter(|block| block.class > 0).count();
            assert!(kept <= CLASSES && blocks.blocks.iter().all(|block| block.run == 0 && block.used == 0));
            assert!(blocks.bits.iter().all(|&word| word == 0));
        });
    }

    #[test]
    fn a_full_file_has_no_place_until_something_is_freed() {
        with_blocks(4, |mut blocks| {
            let all = take(&mut blocks, 4 * BLOCK, 8).unwrap();
            assert_eq!(blocks.find(1, 1), None);
            assert_eq!(blocks.free(all), Some((0, 4 * BLOCK)));
            assert_eq!(take(&mut blocks, 3 * BLOCK - 5, 8), Some(0));
            assert_eq!(take(&mut blocks, 1 << 20, 8), Some(3 * BLOCK));
            assert_eq!(take(&mut blocks, 1 << 20, 8), Some(3 * BLOCK + (1 << 20)));
            assert_eq!(take(&mut blocks, 1 << 20, 8), None);
        });
    }
}
