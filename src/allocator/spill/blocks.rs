//! Which blocks of the file are in use, and which slots of theirs. Nothing of this lies in the file.
//!
//! An allocation is a run of blocks of its own, or a slot of a block with slots of its size. Blocks with free slots of a size are a list. What is freed is
//! found by its address alone.

use std::mem;

use super::classes::{BLOCK, CLASSES, LEAST, class_of, size_of_class};

/// Words of 64 bits in which a block has a bit for each of its slots.
pub(super) const WORDS: usize = BLOCK / LEAST / 64;

/// What is known of a block. All zero: it is free.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Block {
    /// Blocks of the run that begins here; 0 where none does.
    run: u32,
    /// Slots in use; at least one of a block of slots that is not kept for the next.
    used: u32,
    /// One more than the size of its slots; 0 where it has none.
    class: u32,
    /// The first word with a free slot, if there is one.
    from: u32,
    /// Neighbours in the list of blocks with free slots of this size, each its number and one; 0: there is none.
    next: u32,
    previous: u32,
}

/// Where an allocation may lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a slot of this block, which has a free one.
    Slot { block: usize },
    /// In a slot of this block, which is free yet and is to have slots of this size.
    NewSlots { block: usize, class: usize },
    /// In so many blocks from here on, which are free yet.
    NewRun { first: usize, count: usize },
}

impl Place {
    /// Offset and length of the blocks that are to be had from the disk first.
    pub(super) fn new_blocks(self) -> Option<(usize, usize)> {
        match self {
            Place::Slot { .. } => None,
            Place::NewSlots { block, .. } => Some((block * BLOCK, BLOCK)),
            Place::NewRun { first, count } => Some((first * BLOCK, count * BLOCK)),
        }
    }
}

/// What freeing leaves to be given back to the disk: so many bytes from an offset on.
pub(super) type Freed = Option<(usize, usize)>;

/// The blocks of a file.
#[derive(Debug)]
pub(super) struct Blocks<'a> {
    blocks: &'a mut [Block],
    /// A bit for each slot in use, [`WORDS`] words a block.
    bits: &'a mut [u64],
    /// The first block of each list, its number and one.
    lists: [u32; CLASSES],
    /// Behind the last run that was found: where the search begins.
    hint: usize,
    /// Behind the last block that was ever in use.
    end: usize,
}

impl<'a> Blocks<'a> {
    /// The blocks of a file, all free: tables of zeros, with [`WORDS`] words for each.
    pub(super) fn new(blocks: &'a mut [Block], bits: &'a mut [u64]) -> Self {
        debug_assert_eq!(bits.len(), blocks.len() * WORDS);
        Blocks { blocks, bits, lists: [0; CLASSES], hint: 0, end: 0 }
    }

    /// A place for so many bytes; none if there are no blocks. It is free until it is [taken](Self::take).
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

    /// Takes a place that was found, of which the disk has what is new. Its offset in the file; none if a listed block has no free slot, which would be a
    /// mistake here: nothing in the allocator may panic, since to tell of a panic takes memory, and the lock is held.
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

    /// The first of so many free blocks in a row, from behind the last that were found on.
    fn free_run(&self, count: usize) -> Option<usize> {
        self.free_run_in(self.hint, self.blocks.len(), count)
            .or_else(|| self.free_run_in(0, self.blocks.len(), count))
    }

    fn free_run_in(&self, from: usize, end: usize, count: usize) -> Option<usize> {
        let (mut first, mut at) = (from, from);
        while at < end {
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

    /// Takes a slot of a block that has a free one. Its offset in the file.
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

    /// Frees what lies at an offset.
    pub(super) fn free(&mut self, offset: usize) -> Freed {
        let block = offset / BLOCK;
        let Block { run, class, used, from, next, previous } = self.blocks[block];
        if run > 0 {
            self.blocks[block] = Block::default();
            return Some((offset, run as usize * BLOCK));
        }
        // What is freed twice is free.
        let size = size_of_class((class as usize).checked_sub(1)?);
        let slot = offset % BLOCK / size;
        self.bits[block * WORDS + slot / 64] &= !(1 << (slot % 64));
        self.blocks[block].from = from.min((slot / 64) as u32);
        self.blocks[block].used = used.saturating_sub(1);
        if used as usize == BLOCK / size {
            self.link(block);
        }
        // The last block of its list stays, for what comes next.
        if used > 1 || (next == 0 && previous == 0) {
            return None;
        }
        self.unlink(block);
        self.blocks[block] = Block::default();
        Some((block * BLOCK, BLOCK))
    }

    /// How many bytes there is room for where something lies.
    pub(super) fn room(&self, offset: usize) -> usize {
        match self.blocks[offset / BLOCK] {
            Block { run: 0, class, .. } => (class as usize).checked_sub(1).map_or(0, size_of_class),
            Block { run, .. } => run as usize * BLOCK,
        }
    }

    /// Behind the last byte that was ever in use.
    pub(super) fn end(&self) -> usize {
        self.end * BLOCK
    }

    /// Puts a block at the front of the list of its size.
    fn link(&mut self, block: usize) {
        let list = &mut self.lists[self.blocks[block].class as usize - 1];
        let next = mem::replace(list, block as u32 + 1);
        self.blocks[block].next = next;
        self.blocks[block].previous = 0;
        if next > 0 {
            self.blocks[next as usize - 1].previous = block as u32 + 1;
        }
    }

    /// Takes a block out of the list of its size.
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

    /// Takes a place at once, as if the disk had room.
    fn take(blocks: &mut Blocks<'_>, size: usize, align: usize) -> Option<usize> {
        let place = blocks.find(size, align)?;
        blocks.take(place)
    }

    #[test]
    fn what_is_taken_never_overlaps_and_all_comes_back() {
        with_blocks(64, |mut blocks| {
            let mut random = Pcg64::seed_from_u64(5);
            // Offset and length of all that is there.
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
            // At most one block of each size is kept.
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
