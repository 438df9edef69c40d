//! Sums of the numbers c(x) by key, for 16-bit keys.

use super::Table;
use crate::cubical::ecc::cpu::digits::OFFSET;
use crate::cubical::ecc::cpu::numbers::{Block, Numbers, Tally, number, places};
use crate::cubical::key::Key;
use crate::simd::{BLOCK, Level};

/// Number of keys.
const KEYS: usize = 1 << 16;

/// Number of blocks that can be added before a sum could overflow: no number exceeds 8 in absolute value.
const ROOM: u32 = i32::MAX as u32 / (8 * BLOCK as u32);

/// The sum of the numbers of each key.
#[derive(Debug)]
pub(crate) struct WordTally {
    sums: Vec<i32>,
    /// Blocks left to add before a sum could overflow.
    room: u32,
    table: Table,
}

impl WordTally {
    pub(crate) fn new() -> Self {
        WordTally { sums: vec![0; KEYS], room: ROOM, table: Table::new(KEYS, false) }
    }

    /// The sum of each key so far.
    pub(crate) fn table(&mut self) -> &mut Table {
        self.flush();
        &mut self.table
    }

    #[cold]
    #[inline(never)]
    fn flush(&mut self) {
        let sums = self.sums.iter_mut().map(std::mem::take);
        self.table.changes.iter_mut().zip(sums).for_each(|(change, sum)| *change += i64::from(sum));
        self.room = ROOM;
    }
}

impl<K: Key> Tally<K> for WordTally {
    fn plane(&mut self, _level: Level, numbers: &Numbers<'_, K>) {
        numbers.for_each(|block| self.block(&block));
    }
}

impl WordTally {
    #[inline(always)]
    fn block<K: Key>(&mut self, &Block { keys, digits, nonzero, own }: &Block<'_, K>) {
        // A key has 16 bits, so arrays of this length need no bounds check.
        let seen: &mut [bool; KEYS] = self.table.seen.as_mut_slice().try_into().expect("made so long");
        let sums: &mut [i32; KEYS] = self.sums.as_mut_slice().try_into().expect("made so long");
        let index = |key: K| usize::from(key.to_u64() as u16);
        if own == u64::MAX {
            keys.iter().for_each(|&key| seen[index(key)] = true);
        } else {
            places(own).for_each(|place| seen[index(keys[place])] = true);
        }
        for place in places(nonzero & own) {
            sums[index(keys[place])] += number(digits, place) as i32 - OFFSET as i32;
        }
        self.room -= 1;
        if self.room == 0 {
            self.flush();
        }
    }
}
