//! Ranks of few keys, as an input of some hundred points has them: on one thread, without a search for each key.
//!
//! Keys and their positions are distributed to about as many buckets as there are keys, by their upper bits. Unless
//! some bucket has many keys, every key is then near its final place, and one insertion sort finishes. A scan of the
//! sorted keys writes each rank to the position of its key.

use super::order::{Extent, Values};
use crate::memory::{self, Refused};
use crate::metric::value::DistanceKey;
use crate::rips::complex::ABSENT;

/// Greatest number of keys for this method, which is the number that a thread takes at a time when there are more.
pub(super) const SMALL: usize = super::order::CHUNK;

/// Greatest number of keys in a bucket for which insertion sort is used.
const CROWDED: u32 = 24;

/// The rank of each key up to `limit`, `ABSENT` for the others, and the distances of the ranks.
///
/// # Errors
/// There is not enough memory for the ranks.
///
/// # Panics
/// There are more than [`SMALL`] keys.
pub(super) fn ranks_of_small_input<K: DistanceKey>(
    keys: &[K],
    limit: K,
) -> Result<(Values, Vec<u32>), Refused> {
    assert!(keys.len() <= SMALL, "{} keys", keys.len());
    let extent = Extent::within(keys, limit);
    let mut ranks = memory::zeroed(keys.len())?;
    let mut values = memory::with_room(extent.count + 1)?;
    values.push(0.0);
    if extent.count == 0 {
        ranks.iter_mut().zip(keys).for_each(|(rank, &key)| *rank = if key > limit { ABSENT } else { 0 });
        return Ok((Values::Listed(values), ranks));
    }
    let (least, greatest) = (extent.least.into(), extent.greatest.into());
    let span = greatest - least;
    let shift = (u64::BITS - span.leading_zeros()).saturating_sub(extent.count.ilog2() + 1);
    // Keys without a place among the distinct ones, 0 and those above the limit, go to one more bucket at the end: a
    // test for them in each step would be a branch that cannot be predicted.
    let others = (span >> shift) as usize + 1;
    let bucket = |key: K| {
        let above = key.into().wrapping_sub(least);
        if above <= span { (above >> shift) as usize } else { others }
    };
    // Counting sort: first `ends[bucket + 1]` counts the keys of a bucket, prefix sums then make `ends[bucket]` its
    // start, and placing the keys moves that to its end.
    let mut ends = memory::zeroed::<u32>(others + 2)?;
    for &key in keys {
        ends[bucket(key) + 1] += 1;
    }
    let most = ends[1..=others].iter().copied().max().unwrap_or(0);
    let mut before = 0;
    for end in &mut ends {
        before += *end;
        *end = before;
    }
    let mut sorted = memory::filled((K::default(), 0), keys.len())?;
    // Positions are below 2^32.
    for (place, &key) in (0_u32..).zip(keys) {
        let end = &mut ends[bucket(key)];
        sorted[*end as usize] = (key, place);
        *end += 1;
    }
    let (sorted, without_place) = sorted.split_at_mut(extent.count);
    if most > CROWDED {
        let mut begin = 0;
        for &end in &ends[..others] {
            sorted[begin..end as usize].sort_unstable_by_key(|&(key, _)| key);
            begin = end as usize;
        }
    } else {
        insertion_sort(sorted);
    }
    let mut last = K::default();
    for &mut (key, place) in sorted {
        if key != last {
            values.push(key.distance());
            last = key;
        }
        // A rank is at most the number of keys, so it fits 32 bits.
        ranks[place as usize] = values.len() as u32 - 1;
    }
    for &mut (key, place) in without_place {
        ranks[place as usize] = if key > limit { ABSENT } else { 0 };
    }
    Ok((Values::Listed(values), ranks))
}

/// Sorts keys each of which is near its final place.
fn insertion_sort<K: DistanceKey>(keys: &mut [(K, u32)]) {
    for k in 1..keys.len() {
        let inserted = keys[k];
        let mut hole = k;
        while hole > 0 && keys[hole - 1].0 > inserted.0 {
            keys[hole] = keys[hole - 1];
            hole -= 1;
        }
        keys[hole] = inserted;
    }
}
