//! Ranks of keys that have to be sorted, as nearly all in double precision. The working set of each step fits in a
//! cache.
//!
//! The range from the least distance to the greatest is divided into intervals of equal length, *buckets*, of a few
//! thousand keys each if distances are spread evenly.
//!
//! 1. The positions of the keys of each chunk are grouped by bucket.
//! 2. The keys of each bucket, from all chunks, are sorted with their positions; the rank of each among the distinct
//!    keys of its bucket is written to its position.
//! 3. The number of distinct keys in earlier buckets is added to each rank.
//!
//! So no key is searched among the sorted ones, which would take longer than sorting. If one distance is far greater
//! than the others, most keys may be in one bucket: all threads sort a large bucket together.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::order::{Extent, Values};
use crate::memory::{self, Refused};
use crate::metric::value::DistanceKey;
use crate::parallel::{map, pieces_mut};
use crate::progress::Progress;
use crate::rips::RipsError;
use crate::rips::complex::ABSENT;

/// Number of keys in a chunk.
const CHUNK: usize = 1 << 17;

/// Approximate number of keys per bucket, and greatest number of buckets.
const KEYS: usize = 1 << 11;
const MOST_BUCKETS: usize = 1 << 12;

/// Fewest keys of a bucket for which all threads sort it together.
const CROWDED: usize = 1 << 16;

/// The rank of each key up to `limit`, `ABSENT` for the others, and the distances of the ranks. The call reports no
/// work to `progress`, which may end it.
///
/// # Errors
/// [`RipsError::Refused`] and [`RipsError::TooManyDistances`].
pub(super) fn ranks_by_buckets<K: DistanceKey>(
    keys: &[K],
    limit: K,
    extent: &Extent<K>,
    progress: &dyn Progress,
) -> Result<(Values, Vec<u32>), RipsError> {
    let buckets = Buckets::of(extent);
    let chunks = map(keys.len().div_ceil(CHUNK), &|chunk| {
        progress.advance(0);
        let first = chunk * CHUNK;
        Chunk::of(&keys[first..keys.len().min(first + CHUNK)], extent, &buckets)
    });
    let chunks = chunks.into_iter().collect::<Result<Vec<_>, Refused>>()?;
    let mut ranks: Vec<AtomicU32> = memory::zeroed(keys.len())?;
    // Rank 0 belongs to the distance 0. Each bucket has room for as many distances as it has keys; the gaps are closed
    // at the end.
    let mut values = memory::zeroed(extent.count + 1)?;
    let mut rest = &mut values[1..];
    let mut rooms: Vec<Room<'_>> = (0..buckets.count)
        .map(|bucket| {
            let keys = chunks.iter().map(|chunk| chunk.bucket(bucket).len()).sum();
            let (values, after) = std::mem::take(&mut rest).split_at_mut(keys);
            rest = after;
            Room { values, distinct: Ok(0) }
        })
        .collect();
    pieces_mut(&mut rooms, 1, &|bucket, room| {
        progress.advance(0);
        room[0].distinct = rank_bucket(keys, &chunks, bucket, &ranks, room[0].values);
    });
    drop(chunks);
    let rooms = rooms.into_iter().map(|room| Ok((room.values.len(), room.distinct?)));
    let rooms = rooms.collect::<Result<Vec<_>, Refused>>()?;
    let (mut firsts, mut next, mut room) = (Vec::with_capacity(buckets.count), 1, 1);
    for (keys, distinct) in rooms {
        if next + distinct > ABSENT as usize {
            return Err(RipsError::TooManyDistances);
        }
        // `next` is below `ABSENT`, as just checked.
        firsts.push(next as u32);
        if room != next {
            values.copy_within(room..room + distinct, next);
        }
        (next, room) = (next + distinct, room + keys);
    }
    progress.advance(0);
    pieces_mut(&mut ranks, CHUNK, &|chunk, ranks: &mut [AtomicU32]| {
        for (rank, &key) in ranks.iter_mut().zip(&keys[chunk * CHUNK..]) {
            let rank = rank.get_mut();
            *rank = match key {
                _ if key > limit => ABSENT,
                _ if key == K::default() => 0,
                _ => *rank + firsts[buckets.of_key(key)],
            };
        }
    });
    Ok((Values::Listed(cut(values, next)?), ranks.into_iter().map(AtomicU32::into_inner).collect()))
}

/// The place for the distances of a bucket, and the number of its distinct distances.
struct Room<'v> {
    values: &'v mut [f64],
    distinct: Result<usize, Refused>,
}

/// The first `len` values. If many others follow, they are copied so that the memory of all can be freed.
fn cut(mut values: Vec<f64>, len: usize) -> Result<Vec<f64>, Refused> {
    if len >= values.len() / 2 {
        values.truncate(len);
        return Ok(values);
    }
    let mut first = memory::with_room(len)?;
    first.extend_from_slice(&values[..len]);
    Ok(first)
}

/// A division of the range of distances into intervals of equal length.
struct Buckets {
    least: f64,
    /// Number of buckets per unit of distance.
    scale: f64,
    count: usize,
}

impl Buckets {
    fn of<K: DistanceKey>(extent: &Extent<K>) -> Self {
        let count = (extent.count / KEYS).clamp(1, MOST_BUCKETS);
        let (least, greatest) = (extent.least.distance(), extent.greatest.distance());
        Buckets { least, scale: count as f64 / (greatest - least), count }
    }

    /// The bucket of a key of the extent. It does not decrease with the key, since subtraction, multiplication and
    /// truncation are monotone. If all keys are nearly equal, the product may be NaN, which is converted to bucket 0.
    #[inline]
    fn of_key<K: DistanceKey>(&self, key: K) -> usize {
        let bucket = (key.distance() - self.least) * self.scale;
        (bucket as u32 as usize).min(self.count - 1)
    }
}

/// The positions in a chunk of the keys to rank, grouped by bucket.
struct Chunk {
    places: Vec<u32>,
    /// The start of each bucket, and the number of positions at the end.
    begins: Vec<u32>,
}

impl Chunk {
    fn of<K: DistanceKey>(keys: &[K], extent: &Extent<K>, buckets: &Buckets) -> Result<Self, Refused> {
        let kept = || (0..).zip(keys).filter(|&(_, &key)| extent.contains(key));
        // Counting sort: first `begins[bucket + 2]` counts the keys of a bucket, prefix sums then make `begins[bucket +
        // 1]` its start, and placing the keys moves that to its end, which is the start of the next bucket.
        let mut begins: Vec<u32> = memory::zeroed(buckets.count + 2)?;
        kept().for_each(|(_, &key)| begins[buckets.of_key(key) + 2] += 1);
        let mut before = 0;
        for begin in &mut begins {
            before += *begin;
            *begin = before;
        }
        let mut places = memory::zeroed(before as usize)?;
        for (place, &key) in kept() {
            let next = &mut begins[buckets.of_key(key) + 1];
            places[*next as usize] = place;
            *next += 1;
        }
        begins.pop();
        Ok(Chunk { places, begins })
    }

    /// The range of a bucket in `places`.
    fn bucket(&self, bucket: usize) -> Range<usize> {
        self.begins[bucket] as usize..self.begins[bucket + 1] as usize
    }
}

/// Writes the rank of each key of a bucket among its distinct keys, and the distances of these, ascending. Returns the
/// number of distinct keys.
fn rank_bucket<K: DistanceKey>(
    keys: &[K],
    chunks: &[Chunk],
    bucket: usize,
    ranks: &[AtomicU32],
    values: &mut [f64],
) -> Result<usize, Refused> {
    let mut placed: Vec<(K, usize)> = memory::with_room(values.len())?;
    for (number, chunk) in chunks.iter().enumerate() {
        let keys = &keys[number * CHUNK..];
        let places = chunk.places[chunk.bucket(bucket)].iter().map(|&place| place as usize);
        placed.extend(places.map(|place| (keys[place], number * CHUNK + place)));
    }
    if placed.len() >= CROWDED {
        placed.par_sort_unstable_by_key(|&(key, _)| key);
    } else {
        placed.sort_unstable_by_key(|&(key, _)| key);
    }
    let mut distinct = 0;
    for (value, equal) in values.iter_mut().zip(placed.chunk_by(|a, b| a.0 == b.0)) {
        *value = equal[0].0.distance();
        // A rank that does not fit is never used: the caller then fails with `TooManyDistances`.
        equal.iter().for_each(|&(_, place)| ranks[place].store(distinct as u32, Ordering::Relaxed));
        distinct += 1;
    }
    Ok(distinct)
}
