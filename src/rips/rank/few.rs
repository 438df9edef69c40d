//! The ranks of few keys, as an input of some hundred points has them: without look-ups, and with nothing shared out to threads.
//!
//! Keys are put into buckets by their upper bits, about as many as there are keys, each with the place that it came from, and sorted within. So
//! the distinct keys come in their order, and a rank is written where its key was.

use super::order::{Extent, Values};
use crate::memory::{self, Refused};
use crate::metric::value::DistanceKey;
use crate::rips::complex::ABSENT;

/// Keys that are few: as many as a thread takes at a time where there are more.
pub(super) const FEW: usize = super::order::CHUNK;

/// A rank for each key up to `limit`, `ABSENT` for the others, and the distances of the ranks.
///
/// # Errors
/// There is no memory for them.
///
/// # Panics
/// The keys are more than [`FEW`].
pub(super) fn ranks_of_few<K: DistanceKey>(keys: &[K], limit: K) -> Result<(Values, Vec<u32>), Refused> {
    assert!(keys.len() <= FEW, "{} keys", keys.len());
    let extent = Extent::within(keys, limit);
    let mut ranks = memory::zeroed(keys.len())?;
    let mut values = Vec::new();
    memory::reserve(&mut values, extent.count + 1)?;
    values.push(0.0);
    if extent.count == 0 {
        ranks.iter_mut().zip(keys).for_each(|(rank, &key)| *rank = if key > limit { ABSENT } else { 0 });
        return Ok((Values::Listed(values), ranks));
    }
    let (least, greatest) = (extent.least.into(), extent.greatest.into());
    let span = u64::BITS - (greatest - least).leading_zeros();
    let shift = span.saturating_sub(extent.count.ilog2() + 1);
    let bucket = |key: K| ((key.into() - least) >> shift) as usize;
    // How many keys each bucket has, in the element after its own; then where its keys begin, in its own; and at last where they end.
    let mut ends = memory::zeroed::<u32>(((greatest - least) >> shift) as usize + 2)?;
    for (rank, &key) in ranks.iter_mut().zip(keys) {
        if extent.contains(key) {
            ends[bucket(key) + 1] += 1;
        } else {
            *rank = if key > limit { ABSENT } else { 0 };
        }
    }
    let mut before = 0;
    for end in &mut ends {
        before += *end;
        *end = before;
    }
    let mut sorted = Vec::new();
    memory::reserve(&mut sorted, extent.count)?;
    sorted.resize(extent.count, (K::default(), 0));
    // There are fewer places than 2^32.
    for (place, &key) in (0_u32..).zip(keys) {
        if extent.contains(key) {
            let end = &mut ends[bucket(key)];
            sorted[*end as usize] = (key, place);
            *end += 1;
        }
    }
    let mut begin = 0;
    for &end in &ends[..ends.len() - 1] {
        let end = end as usize;
        if end - begin > 1 {
            sorted[begin..end].sort_unstable();
        }
        begin = end;
    }
    let mut last = K::default();
    for &(key, place) in &sorted {
        if key != last {
            values.push(key.distance());
            last = key;
        }
        // Ranks are fewer than keys.
        ranks[place as usize] = values.len() as u32 - 1;
    }
    Ok((Values::Listed(values), ranks))
}
