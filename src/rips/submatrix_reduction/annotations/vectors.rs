//! The annotations of triangles, each a row of bits.
//!
//! Killing a class adds its row of other classes to each annotation with that class. So that a row is read and written
//! once for many classes, killed classes are collected, and rows are out of date until [`Vectors::settle`]. That is
//! harmless, because all that is computed from annotations is linear: sums of rows that are out of date become the
//! sums that they should be when they are settled.
//!
//! What the collected classes together add to a row depends on the row's bits of these classes alone, linearly. It is
//! looked up for [`TOGETHER`] classes at a time in a table of all their sums (the method of the four Russians).

use hashbrown::HashMap;

use super::super::cochain::{has, insert, top};
use crate::memory::{self, Refused};
use crate::parallel::pieces_mut;
use crate::simd::{Kernel, Level, Simd};

/// Number of classes whose sums are in one table.
const TOGETHER: usize = 8;
/// Number of classes that are collected before rows are settled.
const COLLECTED: usize = if cfg!(test) { 3 } else { 64 };
/// Number of rows that a thread settles at a time.
const ROWS: usize = 1 << 8;

/// A triangle: its vertices, descending, in 16 bits each.
pub(super) type Key = u64;

/// The key of three points.
pub(super) fn key(mut triangle: [u32; 3]) -> Key {
    triangle.sort_unstable();
    triangle.iter().rev().fold(0, |key, &vertex| key << 16 | u64::from(vertex))
}

/// The points of a key, descending.
pub(super) fn vertices_of(key: Key) -> [u32; 3] {
    // Each has 16 bits.
    [32, 16, 0].map(|shift| (key >> shift) as u32 & 0xffff)
}

/// A class of cocycles.
struct Class {
    /// The column of the triangle at which it was born.
    column: usize,
    is_alive: bool,
}

/// The annotations of all triangles that have one.
pub(super) struct Vectors {
    /// Number of words in a row.
    pub(super) width: usize,
    rows: Vec<u64>,
    /// The triangle of each row, and the row of each triangle.
    triangles: Vec<Key>,
    places: HashMap<Key, u32>,
    /// By age, the oldest first. The place of a class is its bit in rows.
    classes: Vec<Class>,
    alive: usize,
    /// The classes killed since rows were settled, each with the classes, itself among them, that are added to the
    /// annotations with it.
    killed: Vec<(u32, Vec<u64>)>,
    level: Level,
}

impl Vectors {
    /// No class, and no annotation.
    pub(super) fn new(level: Level) -> Self {
        let (rows, triangles, places) = (Vec::new(), Vec::new(), HashMap::new());
        let (classes, killed) = (Vec::new(), Vec::new());
        Vectors { width: 0, rows, triangles, places, classes, alive: 0, killed, level }
    }

    pub(super) fn level(&self) -> Level {
        self.level
    }

    /// The number of classes that are alive.
    pub(super) fn alive(&self) -> usize {
        self.alive
    }

    /// The columns of the classes that are alive, each with its number.
    pub(super) fn living(&self) -> impl Iterator<Item = (u32, usize)> {
        let numbered = (0..).zip(&self.classes).filter(|(_, class)| class.is_alive);
        numbered.map(|(number, class)| (number, class.column))
    }

    /// The annotation of a triangle, perhaps out of date.
    #[inline(always)]
    pub(super) fn get(&self, triangle: Key) -> Option<&[u64]> {
        self.places.get(&triangle).map(|&place| self.row(place))
    }

    #[inline(always)]
    fn row(&self, place: u32) -> &[u64] {
        &self.rows[place as usize * self.width..][..self.width]
    }

    /// Gives a triangle an annotation that is not empty.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(super) fn insert(&mut self, triangle: Key, row: &[u64]) -> Result<(), Refused> {
        memory::make_room(&mut self.rows, row.len())?;
        if self.places.len() == self.places.capacity() {
            let more = self.places.len().max(1 << 10);
            memory::probe((more * 2 * size_of::<(Key, u32)>()) as u64)?;
        }
        // The limit on memory is reached long before 2³² rows.
        self.places.insert(triangle, self.triangles.len() as u32);
        memory::push(&mut self.triangles, triangle)?;
        self.rows.extend_from_slice(row);
        Ok(())
    }

    /// Settles rows if many classes were killed, and makes room for some more classes.
    ///
    /// # Errors
    /// There is no memory for the rows.
    pub(super) fn make_room(&mut self, more: usize) -> Result<(), Refused> {
        if self.killed.len() >= COLLECTED || self.classes.len() + more > 64 * self.width {
            self.settle(more)?;
        }
        Ok(())
    }

    /// A new class, the youngest, that is born with the triangle of a column. There must be room for it.
    pub(super) fn bear(&mut self, column: usize) -> u32 {
        self.classes.push(Class { column, is_alive: true });
        self.alive += 1;
        // The limit on memory is reached long before 2³² classes.
        self.classes.len() as u32 - 1
    }

    /// Makes a row up to date.
    #[inline(always)]
    pub(super) fn update(&self, row: &mut [u64]) {
        for (class, added) in &self.killed {
            if has(row, *class) {
                row.iter_mut().zip(added).for_each(|(word, added)| *word ^= added);
            }
        }
    }

    /// The youngest class of a row that is up to date, and its column; `None` if the row is empty.
    pub(super) fn youngest(&self, row: &[u64]) -> Option<(u32, usize)> {
        let block = row.iter().rposition(|&word| word != 0)?;
        let class = top(block, row[block]);
        Some((class, self.classes[class as usize].column))
    }

    /// Kills a class: from now on, a row that has it among others is added to every annotation with it.
    pub(super) fn kill(&mut self, class: u32, row: &[u64]) {
        self.classes[class as usize].is_alive = false;
        self.alive -= 1;
        self.killed.push((class, row.to_vec()));
    }

    /// The classes, by annotations that are out of date, whose sum is this class.
    pub(super) fn functional(&self, class: u32) -> Vec<u64> {
        let mut functional = vec![0; self.width];
        insert(&mut functional, class);
        for (killed, added) in self.killed.iter().rev() {
            if is_odd(&functional, added) {
                functional[*killed as usize / 64] ^= 1 << (killed % 64);
            }
        }
        functional
    }

    /// Makes all rows up to date, forgets those that have become empty and, once they are many, the classes that are
    /// dead, and makes room for `more` classes.
    ///
    /// # Errors
    /// There is no memory for the rows.
    fn settle(&mut self, more: usize) -> Result<(), Refused> {
        let (killed, width) = (std::mem::take(&mut self.killed), self.width);
        if !killed.is_empty() {
            let tables: Vec<Table> =
                effects(&killed, width).chunks(TOGETHER).map(|effects| Table::of(effects, width)).collect();
            let level = self.level;
            pieces_mut(&mut self.rows, ROWS * width, &|_, rows| {
                level.run(Settle { rows, width, tables: &tables });
            });
            let is_empty = |place: usize| self.rows[place * width..][..width].iter().all(|&word| word == 0);
            let empty: Vec<usize> = (0..self.triangles.len()).filter(|&place| is_empty(place)).collect();
            empty.into_iter().rev().for_each(|place| self.forget(place));
        }
        let dead = self.classes.len() - self.alive;
        let full = self.classes.len() + more > 64 * width;
        if full || dead > self.classes.len() / 4 + 64 {
            self.renumber(more)?;
        }
        Ok(())
    }

    /// Forgets the row of a triangle.
    fn forget(&mut self, place: usize) {
        let (last, width) = (self.triangles.len() - 1, self.width);
        self.places.remove(&self.triangles[place]);
        if place != last {
            self.rows.copy_within(last * width.., place * width);
            // As many as rows.
            self.places.insert(self.triangles[last], place as u32);
        }
        self.triangles.swap_remove(place);
        self.rows.truncate(last * width);
    }

    /// Forgets the classes that are dead, whose bits are zero, and gives rows room for `more` classes and some others.
    fn renumber(&mut self, more: usize) -> Result<(), Refused> {
        let mut alive = vec![0; self.width];
        self.living().for_each(|(number, _)| insert(&mut alive, number));
        let (old, new) = (self.width, (self.alive + more + self.alive / 8).div_ceil(64).max(1));
        let compressions: Vec<Compression> = alive.into_iter().map(Compression::of).collect();
        let (from, mut rows) = (&self.rows, memory::zeroed(self.triangles.len() * new)?);
        pieces_mut(&mut rows, ROWS * new, &|piece, rows| {
            let from = from[piece * ROWS * old..].chunks(old.max(1));
            for (to, from) in rows.chunks_mut(new).zip(from) {
                let mut at = 0;
                for (compression, &word) in compressions.iter().zip(from) {
                    let word = compression.apply(word);
                    if word != 0 {
                        to[at / 64] |= word << (at % 64);
                        if at % 64 + compression.ones > 64 {
                            to[at / 64 + 1] |= word >> (64 - at % 64);
                        }
                    }
                    at += compression.ones;
                }
            }
        });
        (self.rows, self.width) = (rows, new);
        self.classes.retain(|class| class.is_alive);
        Ok(())
    }
}

/// Whether two rows have an odd number of bits in common.
pub(super) fn is_odd(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).fold(0, |sum, (a, b)| sum ^ (a & b)).count_ones() % 2 == 1
}

/// For each killed class, all that it adds to a row that has it, before the others are added.
fn effects(killed: &[(u32, Vec<u64>)], width: usize) -> Vec<(u32, Vec<u64>)> {
    let effect = |first: usize| {
        let class = killed[first].0;
        let mut row = vec![0; width];
        insert(&mut row, class);
        for (class, added) in &killed[first..] {
            if has(&row, *class) {
                row.iter_mut().zip(added).for_each(|(word, added)| *word ^= added);
            }
        }
        insert(&mut row, class);
        (class, row)
    };
    (0..killed.len()).map(effect).collect()
}

/// All sums of what some classes add.
struct Table {
    /// The word and the bit of each class.
    places: Vec<(usize, u32)>,
    sums: Vec<u64>,
}

impl Table {
    fn of(effects: &[(u32, Vec<u64>)], width: usize) -> Self {
        let mut sums = vec![0; width << effects.len()];
        for index in 1_usize..1 << effects.len() {
            let (first, rest) = (index.trailing_zeros() as usize, index & (index - 1));
            let (done, row) = sums.split_at_mut(index * width);
            let row = row.iter_mut().zip(&done[rest * width..]).zip(&effects[first].1);
            row.for_each(|((sum, rest), first)| *sum = rest ^ first);
        }
        Table { places: effects.iter().map(|&(class, _)| (class as usize / 64, class % 64)).collect(), sums }
    }
}

/// Makes rows up to date.
struct Settle<'a> {
    rows: &'a mut [u64],
    width: usize,
    tables: &'a [Table],
}

impl Kernel<u32> for Settle<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) {
        let mut indices = vec![0; self.tables.len()];
        for row in self.rows.chunks_mut(self.width) {
            // A row's bits are read before any change.
            for (index, table) in indices.iter_mut().zip(self.tables) {
                let places = table.places.iter().rev();
                *index = places.fold(0, |index, &(word, bit)| index << 1 | (row[word] >> bit & 1) as usize);
            }
            for (&index, table) in indices.iter().zip(self.tables) {
                if index != 0 {
                    let sum = &table.sums[index * self.width..][..self.width];
                    row.iter_mut().zip(sum).for_each(|(word, sum)| *word ^= sum);
                }
            }
        }
    }
}

/// The bits of a word at the places where a mask is one, moved together (Warren, Hacker's Delight, section 7–4).
struct Compression {
    mask: u64,
    /// Number of places.
    ones: usize,
    /// The bits that move by 1, 2, 4, … places.
    moves: [u64; 6],
}

impl Compression {
    fn of(mask: u64) -> Self {
        let (mut left, mut moves) = (mask, [0; 6]);
        // At each bit, the parity of the zeros below it tells whether it moves.
        let mut zeros = !mask << 1;
        for (k, moving) in moves.iter_mut().enumerate() {
            let mut parity = zeros;
            (0..6).for_each(|shift| parity ^= parity << (1 << shift));
            *moving = parity & left;
            left = (left ^ *moving) | (*moving >> (1 << k));
            zeros &= !parity;
        }
        Compression { mask, ones: mask.count_ones() as usize, moves }
    }

    #[inline(always)]
    fn apply(&self, word: u64) -> u64 {
        let mut word = word & self.mask;
        if self.mask != u64::MAX {
            for (k, moving) in self.moves.iter().enumerate() {
                let moved = word & moving;
                word = (word ^ moved) | (moved >> (1 << k));
            }
        }
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rips::submatrix_reduction::cochain::bits;

    #[test]
    fn bits_are_moved_together() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        for mask in [0, 1, 1 << 63, u64::MAX, u64::MAX - 1].into_iter().chain((0..1000).map(|_| random())) {
            let (word, compression) = (mask.rotate_left(7) ^ 0x5555, Compression::of(mask));
            let places = bits([mask].into_iter());
            let expected = (0..).zip(places).map(|(to, from)| (word >> from & 1) << to).sum::<u64>();
            assert_eq!(compression.apply(word), expected, "{mask:x}");
        }
    }
}
