//! Sets of numbers as bits.

use super::cochain::{bits, insert};
use crate::memory::{self, Refused};

/// A set of numbers as bits, up to the greatest that was ever in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Whether no number is in the set.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// The numbers, ascending.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        bits(self.0.iter().copied())
    }

    /// The least number.
    pub(super) fn first(&self) -> Option<u32> {
        self.iter().next()
    }

    /// Whether a number is in the set.
    pub(super) fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// The numbers as bits, perhaps without the last ones, which are zero.
    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }

    /// Inserts a number.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn insert(&mut self, number: u32) -> Result<(), Refused> {
        self.make_room(number as usize / 64 + 1)?;
        insert(&mut self.0, number);
        Ok(())
    }

    /// Adds another set, modulo 2.
    ///
    /// # Errors
    /// There is no memory for the sum.
    pub(super) fn add(&mut self, other: &Bits) -> Result<(), Refused> {
        let used = other.0.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        self.make_room(used)?;
        self.0.iter_mut().zip(&other.0[..used]).for_each(|(word, other)| *word ^= other);
        Ok(())
    }

    fn make_room(&mut self, words: usize) -> Result<(), Refused> {
        if words > self.0.len() {
            let more = words - self.0.len();
            memory::reserve(&mut self.0, more)?;
            self.0.resize(words, 0);
        }
        Ok(())
    }
}
