//! Sums of the numbers c(x) by key, for 8-bit keys.

use super::Table;
use crate::cubical::ecc::cpu::digits::OFFSET;
use crate::cubical::ecc::cpu::numbers::{Block, Numbers, Tally, number, places};
use crate::cubical::key::Key;
use crate::simd::{BLOCK, BlockKernel, Blocks, Bytes, Level};

/// A count for each pair of a number (plus [`OFFSET`]) and a byte.
type Counts = [u32; 16 << 8];

/// Histogram of the pairs of number and byte.
///
/// Counting a pair takes one addition and no branch on the number. Neighbours are counted in different tables, so that
/// equal pairs do not wait for each other.
#[derive(Debug)]
pub(crate) struct ByteTally {
    counts: [Box<Counts>; 2],
    /// Number of blocks that can be added before a count could overflow.
    room: u32,
    /// Mask of the bytes that have occurred.
    seen: [u8; 32],
    table: Table,
}

/// Fewest nonzero numbers of a block for which all its voxels are counted.
const DENSE: u32 = 20;

impl ByteTally {
    pub(crate) fn new() -> Self {
        let counts = || Box::new([0; 16 << 8]);
        let room = u32::MAX / BLOCK as u32;
        ByteTally { counts: [counts(), counts()], room, seen: [0; 32], table: Table::new(1 << 8, false) }
    }

    /// The sum of each byte so far.
    pub(crate) fn table(&mut self) -> &mut Table {
        self.flush();
        &mut self.table
    }

    #[cold]
    #[inline(never)]
    fn flush(&mut self) {
        for counts in &mut self.counts {
            for (k, count) in counts.iter_mut().enumerate() {
                self.table.changes[k & 255] += ((k >> 8) as i64 - OFFSET) * i64::from(std::mem::take(count));
            }
        }
        self.room = u32::MAX / BLOCK as u32;
    }

    #[cold]
    #[inline(never)]
    fn see(&mut self, keys: &[u8], own: u64) {
        for place in places(own) {
            let byte = keys[place];
            self.seen[usize::from(byte >> 3)] |= 1 << (byte & 7);
            self.table.seen[usize::from(byte)] = true;
        }
    }
}

impl<K: Key> Tally<K> for ByteTally {
    fn plane(&mut self, level: Level, numbers: &Numbers<'_, K>) {
        level.run_blocks(Count { tally: self, numbers });
    }
}

/// Kernel that counts the numbers of a plane.
struct Count<'a, K> {
    tally: &'a mut ByteTally,
    numbers: &'a Numbers<'a, K>,
}

impl<K: Key> BlockKernel<K> for Count<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Blocks<K> + Bytes>(self, simd: S) {
        self.numbers.for_each(|block| self.tally.block(simd, &block));
    }
}

impl ByteTally {
    #[inline(always)]
    fn block<K: Key>(&mut self, simd: impl Bytes, block: &Block<'_, K>) {
        let &Block { keys, digits, nonzero, own } = block;
        let keys = K::bytes(keys).expect("this tally is made for bytes alone");
        if own != u64::MAX || !simd.all_in(keys, &self.seen) {
            self.see(keys, own);
        }
        if self.room == 0 {
            self.flush();
        }
        self.room -= 1;
        let nonzero = nonzero & own;
        // References to the arrays in the boxes, so that the compiler knows that the counts do not alias the boxes.
        let [even, odd] = &mut self.counts;
        let (even, odd) = (&mut **even, &mut **odd);
        if nonzero.count_ones() < DENSE || own != u64::MAX {
            for place in places(nonzero) {
                even[number(digits, place) << 8 | usize::from(keys[place])] += 1;
            }
            return;
        }
        let mut pairs = [0; BLOCK];
        simd.pair(keys, digits, &mut pairs);
        for pair in pairs.chunks_exact(2) {
            // Numbers have four digits; the mask removes the bounds check.
            even[usize::from(pair[0]) & 0xfff] += 1;
            odd[usize::from(pair[1]) & 0xfff] += 1;
        }
    }
}
