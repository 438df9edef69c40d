//! Layer 1: a concurrent map from pivots to column ids, from which nothing is removed.
//!
//! Open addressing with a fixed number of slots: there are never more pivots than columns, whose number is known. A
//! slot is claimed once and for all; its key is written before its state says so, and its value may be replaced
//! afterwards. All slots are atomics: there is no lock, and a thread waits only for the few instructions in which
//! another writes a key.
//!
//! **Capacity.** A table made for p pivots has more than p slots and never holds more than p pivots, so some slot is
//! always empty and every search ends. In dimension 0 the pivots are the p edges of the spanning forest, each inserted
//! once. In reduction p is the number of columns, and at any time the values of the table belong to different columns.
//! A column is inserted, or takes over the pivot of another, only by the worker that is reducing it. It then stays in
//! the table until another column takes its pivot over; that column's value replaces it before a worker continues with
//! it. So there are at most as many pivots as columns.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::memory::{self, Refused};
use crate::rips::word::Word;

/// State of a slot that no pivot has claimed.
const EMPTY: u64 = 0;
/// State of a slot whose key is being written.
const BUSY: u64 = 1;
/// The state of a slot with a value is the value plus this.
const FIRST: u64 = 2;

/// A map from pivots to values.
#[derive(Debug)]
pub struct Pivots<W> {
    states: Vec<AtomicU64>,
    /// Keys of `W::LIMBS` limbs, one key for each slot.
    keys: Vec<AtomicU64>,
    word: PhantomData<W>,
}

/// The slot and value of a pivot that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The index of the slot.
    pub slot: usize,
    /// The value of the pivot.
    pub value: u64,
}

impl<W: Word> Pivots<W> {
    /// A map with room for `pivots` pivots, which then fill two thirds of it.
    ///
    /// # Errors
    /// There is not enough memory for the slots.
    pub fn with_capacity(pivots: usize) -> Result<Self, Refused> {
        let slots = pivots.saturating_add(pivots / 2).saturating_add(4);
        let (states, keys) = (memory::zeroed(slots)?, memory::zeroed(slots.saturating_mul(W::LIMBS))?);
        Ok(Pivots { states, keys, word: PhantomData })
    }

    /// The slot and value of a pivot, if it is in the map.
    #[inline]
    pub fn get(&self, key: W) -> Option<Found> {
        let home = self.home(key);
        let mut slot = home;
        loop {
            match self.state(slot) {
                EMPTY => return None,
                state if self.holds(slot, key) => return Some(Found { slot, value: state - FIRST }),
                _ => slot = self.next(slot, home),
            }
        }
    }

    /// Inserts a pivot with a value, unless the map contains it.
    ///
    /// # Errors
    /// The slot and value of the pivot, if the map contains it.
    ///
    /// # Panics
    /// All slots are taken by other pivots: more were inserted than the map was made for.
    pub fn insert(&self, key: W, value: u64) -> Result<(), Found> {
        let home = self.home(key);
        let mut slot = home;
        loop {
            match self.state(slot) {
                EMPTY => {
                    if self.states[slot]
                        .compare_exchange(EMPTY, BUSY, Ordering::Acquire, Ordering::Relaxed)
                        .is_ok()
                    {
                        for k in 0..W::LIMBS {
                            self.keys[slot * W::LIMBS + k].store(key.limb(k), Ordering::Relaxed);
                        }
                        self.states[slot].store(value + FIRST, Ordering::Release);
                        return Ok(());
                    }
                    // Another thread claimed the slot, maybe for this key: check it again.
                }
                state if self.holds(slot, key) => return Err(Found { slot, value: state - FIRST }),
                _ => slot = self.next(slot, home),
            }
        }
    }

    /// Replaces the value found in a slot. Returns false, without a change, if another thread replaced it in the
    /// meantime.
    pub fn replace(&self, found: Found, value: u64) -> bool {
        self.states[found.slot]
            .compare_exchange(found.value + FIRST, value + FIRST, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    /// All pivots and their values, in no particular order. Of a pivot that another thread changes meanwhile, the old
    /// or the new value is returned.
    pub fn iter(&self) -> impl Iterator<Item = (W, u64)> + '_ {
        self.states.iter().enumerate().filter_map(|(slot, state)| {
            let state = state.load(Ordering::Acquire);
            (state >= FIRST).then(|| (W::from_limbs(|k| self.key_limb(slot, k)), state - FIRST))
        })
    }

    /// The first slot in which a key is searched.
    #[inline(always)]
    fn home(&self, key: W) -> usize {
        // The high half of hash × slots is below the number of slots.
        ((u128::from(key.hash64()) * self.states.len() as u128) >> 64) as usize
    }

    /// The slot after `slot` in a search that began at `home`. A search that returned to `home` would never end.
    #[inline(always)]
    fn next(&self, slot: usize, home: usize) -> usize {
        let next = if slot + 1 == self.states.len() { 0 } else { slot + 1 };
        assert!(next != home, "a table of pivots is full: more pivots than columns");
        next
    }

    /// The state of a slot, once it is not `BUSY`.
    #[inline(always)]
    fn state(&self, slot: usize) -> u64 {
        loop {
            match self.states[slot].load(Ordering::Acquire) {
                BUSY => std::hint::spin_loop(),
                state => return state,
            }
        }
    }

    #[inline(always)]
    fn key_limb(&self, slot: usize, k: usize) -> u64 {
        self.keys[slot * W::LIMBS + k].load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn holds(&self, slot: usize, key: W) -> bool {
        (0..W::LIMBS).all(|k| self.key_limb(slot, k) == key.limb(k))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashbrown::HashMap;

    fn conforms<W: Word>() {
        let table = Pivots::<W>::with_capacity(500).unwrap();
        let mut map = HashMap::new();
        for x in 0..500u32 {
            let key = (W::from_u32(x.wrapping_mul(2_654_435_761) % 700) << 30) | W::from_u32(5);
            match map.entry(key) {
                hashbrown::hash_map::Entry::Vacant(v) => {
                    assert_eq!(table.get(key), None);
                    assert_eq!(table.insert(key, x.into()), Ok(()));
                    v.insert(u64::from(x));
                }
                hashbrown::hash_map::Entry::Occupied(mut o) => {
                    let found = table.insert(key, x.into()).unwrap_err();
                    assert_eq!((found.value, table.get(key)), (*o.get(), Some(found)));
                    assert!(table.replace(found, 9));
                    assert!(!table.replace(found, 10) || found.value == 9);
                    o.insert(9);
                }
            }
        }
        for (&key, &value) in &map {
            let now = table.get(key).map(|f| f.value);
            assert!(now == Some(value) || now == Some(10) && value == 9);
        }
        assert_eq!(table.iter().count(), map.len());
    }

    #[test]
    fn as_a_hash_map_does() {
        conforms::<u64>();
        conforms::<u128>();
        conforms::<ruint::aliases::U512>();
    }

    #[test]
    fn one_that_is_too_large_is_refused() {
        assert!(Pivots::<u64>::with_capacity(usize::MAX / 8).is_err());
        assert!(Pivots::<u128>::with_capacity(usize::MAX).is_err());
        assert_eq!(Pivots::<u128>::with_capacity(0).unwrap().get(7), None);
    }

    #[test]
    fn what_it_was_made_for_fits_and_leaves_room() {
        for pivots in [0, 1, 2, 3, 100] {
            let table = Pivots::<u64>::with_capacity(pivots).unwrap();
            (0..pivots as u64).for_each(|key| table.insert(key, key).unwrap());
            assert!((0..pivots as u64).all(|key| table.get(key).is_some_and(|found| found.value == key)));
            assert!((1000..1100).all(|key| table.get(key).is_none()));
            assert!(table.iter().count() < table.states.len());
        }
    }

    #[test]
    #[should_panic(expected = "a table of pivots is full")]
    fn too_many_pivots_end_the_search() {
        let table = Pivots::<u64>::with_capacity(2).unwrap();
        (0..20).for_each(|key| table.insert(key, 0).unwrap());
    }

    #[test]
    fn one_of_many_threads_inserts_a_key() {
        let table = Pivots::<u128>::with_capacity(1000).unwrap();
        let inserted = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..8u64 {
                let (table, inserted) = (&table, &inserted);
                scope.spawn(move || {
                    for x in 0..1000u32 {
                        match table.insert(u128::from(x) << 70, thread) {
                            Ok(()) => drop(inserted.fetch_add(1, Ordering::Relaxed)),
                            Err(found) => assert!(found.value < 8),
                        }
                    }
                });
            }
        });
        assert_eq!(inserted.load(Ordering::Relaxed), 1000);
        assert_eq!(table.iter().count(), 1000);
    }
}
