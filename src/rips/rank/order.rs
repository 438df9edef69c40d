//! The ranks of keys.
//!
//! A rank is the place of a key among the distinct keys, or, where that would make no entry and no matrix narrower, the
//! key itself, counted from the least one on: then nothing is to be done.
//!
//! A key of single precision is an integer of 31 bits, and the distances of an input cover a small part of those. So
//! where there are about as many distances as keys between the least and the greatest, places are found without
//! sorting: a bit a key says which keys occur, and a rank is the number of bits below. Elsewhere, and so nearly always
//! in double precision, the keys are sorted ([`buckets`](super::buckets)). Few keys take neither way
//! ([`few`](super::few)).

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::buckets::ranks_by_buckets;
use super::few::{FEW, ranks_of_few};
use crate::memory::{self, Refused};
use crate::metric::value::DistanceKey;
use crate::parallel::{each, joined, lock};
use crate::progress::Progress;
use crate::rips::RipsError;
use crate::rips::complex::ABSENT;
use crate::simd::{Kernel, Level, Simd};

/// Keys that a thread takes at a time.
pub(super) const CHUNK: usize = 1 << 14;

/// The distance of each rank, ascending from 0.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::rips) enum Values {
    /// The distances, each different from the others.
    Listed(Vec<f64>),
    /// After 0, distances whose keys are consecutive; they need not all occur.
    Keys {
        /// The key of rank 1.
        least: u32,
        /// The number of ranks.
        ranks: usize,
    },
}

impl Values {
    /// The number of ranks.
    pub(in crate::rips) fn len(&self) -> usize {
        match self {
            Values::Listed(values) => values.len(),
            Values::Keys { ranks, .. } => *ranks,
        }
    }

    /// The distances as a list.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(in crate::rips) fn listed(self) -> Result<Vec<f64>, Refused> {
        let ranks = match self {
            Values::Listed(values) => return Ok(values),
            // Ranks are numbers of 32 bits.
            Values::Keys { ranks, .. } => 0..ranks as u32,
        };
        let mut values = Vec::new();
        memory::reserve(&mut values, ranks.len())?;
        values.extend(ranks.map(|rank| self.distance(rank)));
        Ok(values)
    }

    /// The distance of a rank.
    #[inline]
    pub(in crate::rips) fn distance(&self, rank: u32) -> f64 {
        match self {
            Values::Listed(values) => values[rank as usize],
            Values::Keys { .. } if rank == 0 => 0.0,
            Values::Keys { least, .. } => (least + rank - 1).distance(),
        }
    }
}

/// Bits of an entry, by the number of ranks there are; an error where no entry is so wide.
pub(in crate::rips) type EntryWidth<'a> = &'a dyn Fn(usize) -> Result<u32, RipsError>;

/// A rank for each key up to `limit`, `ABSENT` for the others, and the distances of the ranks. With the widths of
/// entries, keys may serve as ranks. The progress is told of no work, but may end it.
///
/// # Errors
/// [`RipsError::Refused`] and [`RipsError::TooManyDistances`].
pub(super) fn ranks_of_keys<K: DistanceKey>(
    keys: Vec<K>,
    limit: K,
    width: Option<EntryWidth<'_>>,
    progress: &dyn Progress,
) -> Result<(Values, Vec<u32>), RipsError> {
    if keys.len() <= FEW {
        return Ok(ranks_of_few(&keys, limit)?);
    }
    let extent = Extent::of(&keys, limit);
    progress.advance(0);
    if extent.count == 0 {
        let ranks = K::replaced(keys, |key| if key > limit { ABSENT } else { 0 })?;
        return Ok((Values::Listed(vec![0.0]), ranks));
    }
    let rank_by = |keys: Vec<K>, rank: &(dyn Fn(K) -> u32 + Sync)| {
        K::replaced(keys, |key| match key {
            _ if key > limit => ABSENT,
            _ if key == K::default() => 0,
            _ => rank(key),
        })
    };
    if let Some(least) = width.and_then(|width| keys_serve(&keys, &extent, width)) {
        let ranks = (extent.greatest.into() - extent.least.into()) as usize + 2;
        let ranked = K::replaced(keys, |key| match key {
            _ if key > limit => ABSENT,
            _ if key == K::default() => 0,
            // Keys of single precision have 32 bits.
            _ => key.into() as u32 - least + 1,
        })?;
        return Ok((Values::Keys { least, ranks }, ranked));
    }
    if extent.words() <= (extent.count as u64).saturating_mul(MOST_WORDS) {
        let present = Present::of(&keys, &extent, progress)?;
        let values = present.values::<K>(&extent)?;
        progress.advance(0);
        Ok((Values::Listed(values), rank_by(keys, &|key| present.rank(key.into()))?))
    } else {
        ranks_by_buckets(&keys, limit, &extent, progress)
    }
}

/// Keys that are looked at, at most, to see whether they are too many for ranks of 16 bits, and bits of the hash by
/// which they are counted.
const SAMPLE: usize = 1 << 20;
const BITS: u32 = 20;

/// The least key, if the keys, counted from it on, serve as ranks: they have 32 bits, there are more different ones
/// than ranks of 16 bits, and entries are as wide as with ranks among the distinct keys. Of these there are assumed to
/// be half as many as there can be.
fn keys_serve<K: DistanceKey>(keys: &[K], extent: &Extent<K>, width: EntryWidth<'_>) -> Option<u32> {
    let narrow = usize::from(u16::MAX);
    if size_of::<K>() != size_of::<u32>() || extent.count <= narrow {
        return None;
    }
    let span = (extent.greatest.into() - extent.least.into()) as usize + 2;
    let distinct = extent.count.min(span) / 2;
    if width(span) != width(distinct) {
        return None;
    }
    // Different bits are set for different keys only, so that at least as many keys are different.
    let (mut seen, mut different) = (vec![0u64; 1 << (BITS - 6)], 0);
    for &key in keys.iter().step_by(keys.len().div_ceil(SAMPLE)).filter(|&&key| extent.contains(key)) {
        let bit = key.into().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - BITS);
        let (word, bit) = (&mut seen[bit as usize / 64], 1 << (bit % 64));
        different += usize::from(*word & bit == 0);
        *word |= bit;
        if different > narrow {
            return Some(extent.least.into() as u32);
        }
    }
    None
}

/// Words of [`Present`] a key that there may be: reading a word takes a fraction of what sorting a key does.
const MOST_WORDS: u64 = 4;

/// The keys to be ranked that are not 0: how many, and between which.
pub(super) struct Extent<K> {
    pub(super) count: usize,
    pub(super) least: K,
    pub(super) greatest: K,
}

impl<K: DistanceKey> Extent<K> {
    fn of(keys: &[K], limit: K) -> Self {
        let none = Extent { count: 0, least: limit, greatest: K::default() };
        joined(keys.len(), CHUNK, none, &|range| Extent::within(&keys[range], limit), &|all, found| {
            all.count += found.count;
            all.least = all.least.min(found.least);
            all.greatest = all.greatest.max(found.greatest);
        })
    }

    /// Like [`Extent::of`], on this thread.
    pub(super) fn within(keys: &[K], limit: K) -> Self {
        Level::detect().run(Within { keys, limit })
    }

    /// Words of [`Present`] that it takes.
    fn words(&self) -> u64 {
        (self.greatest.into() - self.least.into()) / KEYS + 1
    }

    pub(super) fn contains(&self, key: K) -> bool {
        self.least <= key && key <= self.greatest
    }
}

/// The search for the extent of keys up to a limit.
struct Within<'a, K> {
    keys: &'a [K],
    limit: K,
}

impl<K: DistanceKey> Kernel<u32> for Within<'_, K> {
    type Output = Extent<K>;

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> Extent<K> {
        let Within { keys, limit } = self;
        let (mut count, mut least, mut greatest) = (0_u32, limit, K::default());
        // Fewer than 2^32: a thread takes a piece, or keys are few.
        for &key in keys {
            let is_kept = key <= limit && key != K::default();
            count += u32::from(is_kept);
            least = least.min(if is_kept { key } else { limit });
            greatest = greatest.max(if is_kept { key } else { K::default() });
        }
        Extent { count: count as usize, least, greatest }
    }
}

/// Keys of a word of [`Present`].
const KEYS: u64 = 32;

/// Which keys occur: 32 keys a word, a bit each in its lower half. The upper half holds the rank of the first key that
/// occurs in it.
struct Present {
    least: u64,
    words: Vec<AtomicU64>,
}

impl Present {
    fn of<K: DistanceKey>(
        keys: &[K],
        extent: &Extent<K>,
        progress: &dyn Progress,
    ) -> Result<Self, RipsError> {
        let least = extent.least.into();
        // There are few words for each key, and keys are in memory.
        let mut words: Vec<AtomicU64> = memory::zeroed(extent.words() as usize)?;
        each(keys.len().div_ceil(CHUNK), &|chunk| {
            progress.advance(0);
            let first = chunk * CHUNK;
            for &key in &keys[first..keys.len().min(first + CHUNK)] {
                if extent.contains(key) {
                    let place = key.into() - least;
                    let (word, bit) = (&words[(place / KEYS) as usize], 1 << (place % KEYS));
                    if word.load(Ordering::Relaxed) & bit == 0 {
                        word.fetch_or(bit, Ordering::Relaxed);
                    }
                }
            }
        });
        // Rank 0 is that of the distance 0.
        let mut next = 1u64;
        for word in &mut words {
            let word = word.get_mut();
            let occurring = u64::from(word.count_ones());
            *word |= next << KEYS;
            next += occurring;
            if next > u64::from(ABSENT) {
                return Err(RipsError::TooManyDistances);
            }
        }
        Ok(Present { least, words })
    }

    /// The rank of a key that occurs.
    #[inline]
    fn rank(&self, key: u64) -> u32 {
        let place = key - self.least;
        let word = self.words[(place / KEYS) as usize].load(Ordering::Relaxed);
        let below = word & ((1 << (place % KEYS)) - 1);
        (word >> KEYS) as u32 + below.count_ones()
    }

    /// The distances of the keys that occur, ascending from 0.
    fn values<K: DistanceKey>(&self, extent: &Extent<K>) -> Result<Vec<f64>, RipsError> {
        let mut values = memory::zeroed(self.rank(extent.greatest.into()) as usize + 1)?;
        let mut parts = Vec::with_capacity(self.words.len() / CHUNK + 1);
        let (mut rest, mut from) = (&mut values[1..], 1);
        for words in self.words.chunks(CHUNK) {
            let last = words[words.len() - 1].load(Ordering::Relaxed);
            let to = (last >> KEYS) as usize + (last as u32).count_ones() as usize;
            let (part, after) = rest.split_at_mut(to - from);
            parts.push((words, part));
            (rest, from) = (after, to);
        }
        let (count, parts) = (parts.len(), Mutex::new(parts.into_iter().enumerate()));
        each(count, &|_| {
            let next = lock(&parts).next();
            let Some((chunk, (words, part))) = next else { return };
            let mut out = part.iter_mut();
            let first = self.least + (chunk * CHUNK) as u64 * KEYS;
            for (word, at) in words.iter().zip((first..).step_by(KEYS as usize)) {
                let mut present = word.load(Ordering::Relaxed) as u32;
                while present != 0 {
                    let key = K::of_bits(at + u64::from(present.trailing_zeros()));
                    if let Some(out) = out.next() {
                        *out = key.distance();
                    }
                    present &= present - 1;
                }
            }
        });
        Ok(values)
    }
}
