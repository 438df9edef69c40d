//! The ranks of keys.
//!
//! The rank of a key is its place among the distinct keys. If such ranks would make neither entries nor matrices
//! narrower, it is the key itself, counted from the least one: then nothing needs sorting.
//!
//! A key of single precision is an integer of 31 bits, and the distances of an input cover a small part of these. If
//! there are about as many distances as possible keys between the least and the greatest, places are found without
//! sorting: a bitmap marks the keys that occur, and a rank is the number of bits below. Otherwise, which includes
//! nearly all inputs of double precision, the keys are sorted ([`buckets`](super::buckets)). A small number of keys is
//! ranked by a method of its own ([`small_input`](super::small_input)).

use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::buckets::ranks_by_buckets;
use super::small_input::{SMALL, ranks_of_small_input};
use crate::memory;
use crate::metric::value::DistanceKey;
use crate::parallel::{joined, pieces_mut, ranges};
use crate::progress::Progress;
use crate::rips::RipsError;
use crate::rips::complex::ABSENT;
use crate::simd::{Kernel, Level, Simd};

/// Number of keys that a thread takes at a time.
pub(super) const CHUNK: usize = 1 << 14;

/// The distance of each rank, ascending from 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Values {
    /// A list of distinct distances.
    Listed(Vec<f64>),
    /// After 0, all distances with consecutive keys, whether or not they occur.
    Keys {
        /// The key of rank 1.
        least: u32,
        /// The number of ranks.
        ranks: usize,
    },
}

impl Values {
    /// The number of ranks.
    pub fn count(&self) -> usize {
        match self {
            Values::Listed(values) => values.len(),
            Values::Keys { ranks, .. } => *ranks,
        }
    }

    /// The greatest rank whose distance is at most this value, which is not negative.
    pub fn last_rank(&self, value: f64) -> u32 {
        // Ranks are numbers of 32 bits, and the distance of rank 0 is 0.
        let (mut rank, mut above) = (0, self.count() as u32);
        while above - rank > 1 {
            let middle = rank + (above - rank) / 2;
            *if self.distance(middle) <= value { &mut rank } else { &mut above } = middle;
        }
        rank
    }

    /// The distance of a rank.
    #[inline]
    pub fn distance(&self, rank: u32) -> f64 {
        match self {
            Values::Listed(values) => values[rank as usize],
            Values::Keys { .. } if rank == 0 => 0.0,
            Values::Keys { least, .. } => (least + rank - 1).distance(),
        }
    }
}

/// The number of bits of an entry as a function of the number of ranks; an error if no entry is wide enough.
pub(in crate::rips) type EntryWidth<'a> = &'a dyn Fn(usize) -> Result<u32, RipsError>;

/// The rank of each key up to `limit`, `ABSENT` for the others, and the distances of the ranks. If `width` is given,
/// keys may serve as ranks. The call reports no work to `progress`, which may end it.
///
/// # Errors
/// [`RipsError::Refused`] and [`RipsError::TooManyDistances`].
pub(super) fn ranks_of_keys<K: DistanceKey>(
    keys: Vec<K>,
    limit: K,
    width: Option<EntryWidth<'_>>,
    progress: &dyn Progress,
) -> Result<(Values, Vec<u32>), RipsError> {
    if keys.len() <= SMALL {
        return Ok(ranks_of_small_input(&keys, limit)?);
    }
    let extent = Extent::of(&keys, limit);
    progress.advance(0);
    let rank_by = |keys: Vec<K>, rank: &(dyn Fn(K) -> u32 + Sync)| {
        K::replaced(keys, |key| match key {
            _ if key > limit => ABSENT,
            _ if key == K::default() => 0,
            _ => rank(key),
        })
    };
    if extent.count == 0 {
        return Ok((Values::Listed(vec![0.0]), rank_by(keys, &|_| 0)?));
    }
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

/// Greatest number of keys sampled to find out whether more keys are distinct than there are 16-bit ranks, and number
/// of bits of the hash by which distinct keys are counted.
const SAMPLE: usize = 1 << 20;
const BITS: u32 = 20;

/// The least key, if keys counted from it may serve as ranks: keys have 32 bits, more of them are distinct than there
/// are 16-bit ranks, and entries are no wider than with ranks among the distinct keys. The number of distinct keys is
/// assumed to be half of its upper bound.
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
    // Different bits come from different keys, so at least this many keys are distinct.
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

/// Greatest number of words of [`Present`] per key: reading a word takes a fraction of the time to sort a key.
const MOST_WORDS: u64 = 4;

/// The number and the range of the keys to rank, not counting 0.
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

    /// Like [`Extent::of`], on the current thread.
    pub(super) fn within(keys: &[K], limit: K) -> Self {
        Level::detect().run(Within { keys, limit })
    }

    /// Number of words of [`Present`] for this range.
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
        // The count fits 32 bits: a thread passes a chunk, and otherwise keys are few.
        for &key in keys {
            let is_kept = key <= limit && key != K::default();
            count += u32::from(is_kept);
            least = least.min(if is_kept { key } else { limit });
            greatest = greatest.max(if is_kept { key } else { K::default() });
        }
        Extent { count: count as usize, least, greatest }
    }
}

/// Number of keys in a word of [`Present`].
const KEYS: u64 = 32;

/// A bitmap of the keys that occur. The lower half of a word has one bit for each of 32 keys, the upper half the rank
/// of the first of these that occurs.
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
        // The number of words is at most a small multiple of that of the keys, which are in memory, so it fits `usize`.
        let mut words: Vec<AtomicU64> = memory::zeroed(extent.words() as usize)?;
        ranges(keys.len(), CHUNK, &|range| {
            progress.advance(0);
            for &key in &keys[range] {
                if extent.contains(key) {
                    let place = key.into() - least;
                    let (word, bit) = (&words[(place / KEYS) as usize], 1 << (place % KEYS));
                    if word.load(Ordering::Relaxed) & bit == 0 {
                        word.fetch_or(bit, Ordering::Relaxed);
                    }
                }
            }
        });
        // Rank 0 belongs to the distance 0.
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
        pieces_mut(&mut parts, 1, &|chunk, part| {
            let (words, part) = &mut part[0];
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
