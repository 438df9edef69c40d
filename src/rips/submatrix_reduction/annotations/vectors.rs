//! The annotations of triangles, each a row of bits.
//!
//! Killing a class adds its row of other classes to each annotation with that class. So that a row is read and written
//! once for many classes, killed classes are collected, and rows are out of date until [`Vectors::settle`]. That is
//! harmless, because all that is computed from annotations is linear: sums of rows that are out of date become the
//! sums that they should be when they are settled.
//!
//! What the collected classes together add to a row depends on the row's bits of these classes alone, linearly. It is
//! looked up for [`TOGETHER`] classes at a time in a table of all their sums (the method of the four Russians).

use std::sync::Mutex;

use hashbrown::HashMap;

use super::super::cochain::{has, insert, top};
use crate::memory::{self, Refused};
use crate::parallel::{into_inner, lock, pieces_mut};
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

/// A class that was killed after rows were last settled.
struct Killed {
    class: u32,
    /// The classes, itself among them, that are added to the annotations with it.
    added: Vec<u64>,
    /// The group whose triangles with this class are wanted, if any.
    wanted: Option<u32>,
}

/// The annotations of all triangles that have one.
pub(super) struct Vectors {
    /// Number of words in a row.
    pub(super) width: usize,
    rows: Vec<u64>,
    /// The triangle of each row, and the row of each triangle.
    triangles: Vec<Key>,
    places: HashMap<Key, u32>,
    /// The group of each row's triangle.
    groups: Vec<u32>,
    /// By age, the oldest first. The place of a class is its bit in rows.
    classes: Vec<Class>,
    alive: usize,
    killed: Vec<Killed>,
    level: Level,
}

impl Vectors {
    /// No class, and no annotation.
    pub(super) fn new(level: Level) -> Self {
        let (rows, triangles, groups) = (Vec::new(), Vec::new(), Vec::new());
        let (places, classes, killed) = (HashMap::new(), Vec::new(), Vec::new());
        Vectors { width: 0, rows, triangles, places, groups, classes, alive: 0, killed, level }
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

    /// Gives a triangle of a group an annotation that is not empty.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(super) fn insert(&mut self, triangle: Key, group: u32, row: &[u64]) -> Result<(), Refused> {
        memory::make_room(&mut self.rows, row.len())?;
        if self.places.len() == self.places.capacity() {
            let more = self.places.len().max(1 << 10);
            memory::probe((more * 2 * size_of::<(Key, u32)>()) as u64)?;
        }
        // The limit on memory is reached long before 2³² rows.
        self.places.insert(triangle, self.triangles.len() as u32);
        memory::push(&mut self.triangles, triangle)?;
        memory::push(&mut self.groups, group)?;
        self.rows.extend_from_slice(row);
        Ok(())
    }

    /// Whether rows have to be settled before some more classes are born, because many were killed or there is no room.
    pub(super) fn is_full(&self, more: usize) -> bool {
        self.killed.len() >= COLLECTED || self.classes.len() + more > 64 * self.width
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
        for Killed { class, added, .. } in &self.killed {
            if has(row, *class) {
                add(row, added);
            }
        }
    }

    /// The youngest class of a row that is up to date, and its column; `None` if the row is empty.
    pub(super) fn youngest(&self, row: &[u64]) -> Option<(u32, usize)> {
        let block = row.iter().rposition(|&word| word != 0)?;
        let class = top(block, row[block]);
        Some((class, self.classes[class as usize].column))
    }

    /// Kills a class: from now on, a row that has it among others is added to every annotation with it. The triangles
    /// with this class of the `wanted` group are returned when rows are settled.
    pub(super) fn kill(&mut self, class: u32, row: &[u64], wanted: Option<u32>) {
        self.classes[class as usize].is_alive = false;
        self.alive -= 1;
        self.killed.push(Killed { class, added: row.to_vec(), wanted });
    }

    /// Makes all rows up to date, forgets those that have become empty and, once they are many, the classes that are
    /// dead, and makes room for `more` classes. Returns, for each class killed since rows were last settled, the
    /// wanted triangles that had it when it was killed.
    ///
    /// # Errors
    /// There is no memory for the rows.
    pub(super) fn settle(&mut self, more: usize) -> Result<Vec<Vec<Key>>, Refused> {
        let (killed, width) = (std::mem::take(&mut self.killed), self.width);
        let mut members = vec![Vec::new(); killed.len()];
        if !killed.is_empty() {
            let mut effects = effects(&killed, width);
            effects.sort_unstable_by_key(|effect| effect.0);
            let dead = Selection::of(effects.iter().map(|effect| effect.0), width);
            let tables: Vec<Vec<u64>> =
                effects.chunks(TOGETHER).map(|effects| sums(effects, width)).collect();
            let settling =
                Settling { width, groups: &self.groups, wanted: wanted(&killed, &dead), dead, tables };
            let (level, found) = (self.level, Mutex::new(Vec::new()));
            pieces_mut(&mut self.rows, ROWS * width, &|piece, rows| {
                let in_piece = level.run(Settle { settling: &settling, first: piece * ROWS, rows });
                lock(&found).push(in_piece);
            });
            let (empty, with): (Vec<_>, Vec<_>) = into_inner(found).into_iter().unzip();
            let with = with.into_iter().flatten();
            with.for_each(|(number, place): (usize, usize)| members[number].push(self.triangles[place]));
            let mut empty: Vec<usize> = empty.into_iter().flatten().collect();
            empty.sort_unstable();
            empty.into_iter().rev().for_each(|place| self.forget(place));
        }
        let dead = self.classes.len() - self.alive;
        let is_full = self.classes.len() + more > 64 * width;
        if is_full || dead > self.classes.len() / 4 + 64 {
            self.renumber(more)?;
        }
        Ok(members)
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
        self.groups.swap_remove(place);
        self.rows.truncate(last * width);
    }

    /// Forgets the classes that are dead, whose bits are zero, and gives rows room for `more` classes and some others.
    fn renumber(&mut self, more: usize) -> Result<(), Refused> {
        let alive = Selection::of(self.living().map(|(number, _)| number), self.width);
        let (old, new) = (self.width, (self.alive + more + self.alive / 8).div_ceil(64).max(1));
        let (from, mut rows) = (&self.rows, memory::zeroed(self.triangles.len() * new)?);
        pieces_mut(&mut rows, ROWS * new, &|piece, rows| {
            let from = from[piece * ROWS * old..].chunks(old);
            rows.chunks_mut(new).zip(from).for_each(|(to, from)| alive.copy(from, to));
        });
        (self.rows, self.width) = (rows, new);
        self.classes.retain(|class| class.is_alive);
        Ok(())
    }
}

/// Adds a row, the first words of `other`, to another, modulo 2.
#[inline(always)]
pub(super) fn add(row: &mut [u64], other: &[u64]) {
    row.iter_mut().zip(other).for_each(|(word, other)| *word ^= other);
}

/// Whether two rows have an odd number of bits in common.
#[inline(always)]
fn is_odd(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).fold(0, |sum, (a, b)| sum ^ (a & b)).count_ones() % 2 == 1
}

/// For each killed class, all that it adds to a row that has it, before the others are added.
fn effects(killed: &[Killed], width: usize) -> Vec<(u32, Vec<u64>)> {
    let effect = |first: usize| {
        let class = killed[first].class;
        let mut row = vec![0; width];
        insert(&mut row, class);
        for Killed { class, added, .. } in &killed[first..] {
            if has(&row, *class) {
                add(&mut row, added);
            }
        }
        insert(&mut row, class);
        (class, row)
    };
    (0..killed.len()).map(effect).collect()
}

/// The classes of which triangles are wanted, by group: the number of each, and those of the killed classes whose bits
/// in a row that is out of date sum to the bit that it had when this one was killed.
fn wanted(killed: &[Killed], dead: &Selection) -> Vec<(u32, usize, Vec<u64>)> {
    if killed.iter().all(|killed| killed.wanted.is_none()) {
        return Vec::new();
    }
    let words = killed.len().div_ceil(64);
    let copied = |row: &[u64]| {
        let mut bits = vec![0; words];
        dead.copy(row, &mut bits);
        bits
    };
    let added: Vec<Vec<u64>> = killed.iter().map(|killed| copied(&killed.added)).collect();
    let place = |class| killed.iter().filter(|other| other.class < class).count();
    let places: Vec<usize> = killed.iter().map(|killed| place(killed.class)).collect();
    let functional = |number: usize| {
        let mut functional = vec![0; words];
        functional[places[number] / 64] = 1 << (places[number] % 64);
        for before in (0..number).rev() {
            if is_odd(&functional, &added[before]) {
                functional[places[before] / 64] ^= 1 << (places[before] % 64);
            }
        }
        functional
    };
    let numbered = killed.iter().enumerate();
    let mut wanted: Vec<_> = numbered
        .filter_map(|(number, killed)| killed.wanted.map(|group| (group, number, functional(number))))
        .collect();
    wanted.sort_unstable();
    wanted
}

/// All sums of what some classes add.
fn sums(effects: &[(u32, Vec<u64>)], width: usize) -> Vec<u64> {
    let mut sums = vec![0; width << effects.len()];
    for index in 1_usize..1 << effects.len() {
        let (first, rest) = (index.trailing_zeros() as usize, index & (index - 1));
        let (done, row) = sums.split_at_mut(index * width);
        let row = row.iter_mut().zip(&done[rest * width..]).zip(&effects[first].1);
        row.for_each(|((sum, rest), first)| *sum = rest ^ first);
    }
    sums
}

/// How rows are settled.
struct Settling<'a> {
    width: usize,
    groups: &'a [u32],
    wanted: Vec<(u32, usize, Vec<u64>)>,
    dead: Selection,
    tables: Vec<Vec<u64>>,
}

/// Makes rows up to date, the first of which is the one at `first`. Returns the places of those that have become empty,
/// and the wanted triangles as places, each with the number of the class.
struct Settle<'a> {
    settling: &'a Settling<'a>,
    first: usize,
    rows: &'a mut [u64],
}

impl Kernel<u32> for Settle<'_> {
    type Output = (Vec<usize>, Vec<(usize, usize)>);

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> Self::Output {
        let Settle { settling: Settling { width, groups, wanted, dead, tables }, first, rows } = self;
        let mut bits = vec![0; tables.len().div_ceil(64 / TOGETHER)];
        let (mut empty, mut members) = (Vec::new(), Vec::new());
        for (place, row) in (first..).zip(rows.chunks_mut(*width)) {
            bits.fill(0);
            dead.copy(row, &mut bits);
            if !wanted.is_empty() {
                let from = wanted.partition_point(|wanted| wanted.0 < groups[place]);
                let of_group = wanted[from..].iter().take_while(|wanted| wanted.0 == groups[place]);
                let with = of_group.filter(|wanted| is_odd(&bits, &wanted.2));
                members.extend(with.map(|wanted| (wanted.1, place)));
            }
            for (k, table) in tables.iter().enumerate() {
                let bits = bits[k * TOGETHER / 64] >> (k * TOGETHER % 64);
                let index = bits as usize & ((1 << TOGETHER) - 1);
                if index != 0 {
                    add(row, &table[index * width..]);
                }
            }
            if row.iter().fold(0, |any, word| any | word) == 0 {
                empty.push(place);
            }
        }
        (empty, members)
    }
}

/// Some bits of a row.
struct Selection(Vec<Selected>);

/// The selected bits of one word.
struct Selected {
    word: usize,
    mask: u64,
    /// Number of these bits.
    ones: usize,
    /// The bits that are moved by 1, 2, 4, … places, to move all together (Warren, Hacker's Delight, section 7–4).
    moves: [u64; 6],
}

impl Selection {
    /// The bits with these numbers in rows of `width` words.
    fn of(numbers: impl Iterator<Item = u32>, width: usize) -> Self {
        let mut masks = vec![0; width];
        numbers.for_each(|number| insert(&mut masks, number));
        let masks = masks.into_iter().enumerate().filter(|&(_, mask)| mask != 0);
        Selection(masks.map(|(word, mask)| Selected::of(word, mask)).collect())
    }

    /// Copies the bits of a row to the first bits of another, which are zero.
    #[inline(always)]
    fn copy(&self, from: &[u64], to: &mut [u64]) {
        let mut at = 0;
        for selected in &self.0 {
            let word = selected.of_word(from[selected.word]);
            if word != 0 {
                to[at / 64] |= word << (at % 64);
                if at % 64 + selected.ones > 64 {
                    to[at / 64 + 1] |= word >> (64 - at % 64);
                }
            }
            at += selected.ones;
        }
    }
}

impl Selected {
    fn of(word: usize, mask: u64) -> Self {
        let (mut left, mut moves) = (mask, [0; 6]);
        // Bit k of the parity is that of the number of zeros below bit k of the mask.
        let mut zeros = !mask << 1;
        for (k, moved) in moves.iter_mut().enumerate() {
            let mut parity = zeros;
            (0..6).for_each(|shift| parity ^= parity << (1 << shift));
            *moved = parity & left;
            left = (left ^ *moved) | (*moved >> (1 << k));
            zeros &= !parity;
        }
        Selected { word, mask, ones: mask.count_ones() as usize, moves }
    }

    /// The selected bits, moved together.
    #[inline(always)]
    fn of_word(&self, word: u64) -> u64 {
        let mut word = word & self.mask;
        if word != 0 && self.mask != u64::MAX {
            for (k, moved) in self.moves.iter().enumerate() {
                let moved = word & moved;
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
        for mask in [1, 1 << 63, u64::MAX, u64::MAX - 1].into_iter().chain((0..1000).map(|_| random())) {
            let word = mask.rotate_left(7) ^ 0x5555;
            let places = bits([mask].into_iter());
            let expected = (0..).zip(places).map(|(to, from)| (word >> from & 1) << to).sum::<u64>();
            assert_eq!(Selected::of(0, mask).of_word(word), expected, "{mask:x}");
        }
    }

    /// Copied bits may lie across two words.
    #[test]
    fn selected_bits_are_copied_in_order() {
        let numbers = (0..640).filter(|number| number % 3 != 1 && number / 64 != 4);
        let from: Vec<u64> = (1..=10).map(|word: u64| word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let mut to = vec![0; 7];
        Selection::of(numbers.clone(), 10).copy(&from, &mut to);
        let expected: Vec<u32> =
            (0..).zip(numbers).filter(|&(_, from_bit)| has(&from, from_bit)).map(|(to, _)| to).collect();
        assert_eq!(bits(to.into_iter()).collect::<Vec<u32>>(), expected);
    }
}
