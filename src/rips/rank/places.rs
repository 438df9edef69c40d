//! Distances as keys, sorted, and the ranks of their places.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;
use zerocopy::FromZeros;

use crate::memory::{self, Refused};
use crate::metric::Value;
use crate::parallel::{SharedRange, into_inner, lock};
use crate::rips::RipsError;
use crate::rips::complex::ABSENT;

/// Distances to be ranked, one a place, as keys: numbers that are ordered as the distances are. Ranking is compiled once for all
/// precisions and shapes.
pub(super) trait Keys: Sync {
    /// The number of places.
    fn len(&self) -> usize;

    /// Replaces what is in `keys` by the keys at some places, [`NO_KEY`] where there is no edge.
    fn keys(&self, places: Range<usize>, keys: &mut Vec<u64>);

    /// Whether keys have at most 32 bits.
    fn are_narrow(&self) -> bool;

    /// The distance with this key.
    fn value(&self, key: u64) -> f64;
}

/// The key where there is no edge. Keys of distances are the bits of finite numbers, and less.
const NO_KEY: u64 = u64::MAX;

/// The entries below the diagonal of a matrix, up to a threshold.
pub(super) struct Lower<'a, T> {
    pub(super) distances: &'a [T],
    pub(super) threshold: T,
}

impl<T: Value> Keys for Lower<'_, T> {
    fn len(&self) -> usize {
        self.distances.len()
    }

    fn keys(&self, places: Range<usize>, keys: &mut Vec<u64>) {
        let key = |&d: &T| if d <= self.threshold && d < T::INFINITY { d.order_bits() } else { NO_KEY };
        keys.clear();
        keys.extend(self.distances[places].iter().map(key));
    }

    fn are_narrow(&self) -> bool {
        T::NARROW
    }

    fn value(&self, key: u64) -> f64 {
        T::from_order_bits(key).into()
    }
}

/// The edges of a list, all of them.
pub(super) struct List<'a, T> {
    pub(super) edges: &'a [(u32, u32, T)],
}

impl<T: Value> Keys for List<'_, T> {
    fn len(&self) -> usize {
        self.edges.len()
    }

    fn keys(&self, places: Range<usize>, keys: &mut Vec<u64>) {
        keys.clear();
        keys.extend(self.edges[places].iter().map(|&(_, _, d)| d.order_bits()));
    }

    fn are_narrow(&self) -> bool {
        T::NARROW
    }

    fn value(&self, key: u64) -> f64 {
        T::from_order_bits(key).into()
    }
}

/// The distinct distances, ascending from 0, and for each place the rank of its distance, or `ABSENT`.
pub(super) fn rank_places(distances: &dyn Keys) -> Result<(Vec<f64>, Vec<u32>), RipsError> {
    if distances.are_narrow() && u32::try_from(distances.len()).is_ok() {
        // Key and place side by side in one word sort twice as fast as a pair.
        let mut words = gather(distances, |key, place| (key << 32) | place)?;
        words.par_sort_unstable();
        let pairs = words.iter().map(|&word| (word >> 32, (word & u64::from(u32::MAX)) as usize));
        assign(distances, pairs)
    } else {
        let mut pairs = gather(distances, |key, place| [key, place])?;
        pairs.par_sort_unstable();
        assign(distances, pairs.iter().map(|&[key, place]| (key, place as usize)))
    }
}

/// Places that a thread takes at a time.
pub(super) const CHUNK: usize = 1 << 14;

/// What `word` makes of the keys and the places of all edges, in the order of the places.
pub(super) fn gather<W: FromZeros + Send>(
    distances: &dyn Keys,
    word: fn(u64, u64) -> W,
) -> Result<Vec<W>, Refused> {
    let counts = edges_of_chunks(distances);
    let mut all = memory::zeroed(counts.iter().sum())?;
    let mut rest = all.as_mut_slice();
    let mut parts = Vec::with_capacity(counts.len());
    for (chunk, &count) in counts.iter().enumerate() {
        let (part, after) = rest.split_at_mut(count);
        parts.push((chunk * CHUNK, part));
        rest = after;
    }
    let (chunks, parts) = (SharedRange::new(parts.len(), 1), Mutex::new(parts.into_iter()));
    chunks.share(&|| {
        let mut keys = Vec::new();
        loop {
            let next = lock(&parts).next();
            let Some((first, part)) = next else { return };
            distances.keys(first..distances.len().min(first + CHUNK), &mut keys);
            let found = (first as u64..).zip(&keys).filter(|&(_, &key)| key != NO_KEY);
            for (out, (place, &key)) in part.iter_mut().zip(found) {
                *out = word(key, place);
            }
        }
    });
    Ok(all)
}

/// The number of edges in each chunk of places.
fn edges_of_chunks(distances: &dyn Keys) -> Vec<usize> {
    let chunks = SharedRange::new(distances.len().div_ceil(CHUNK), 1);
    let counts = Mutex::new(vec![0; distances.len().div_ceil(CHUNK)]);
    chunks.share(&|| {
        let mut keys = Vec::new();
        while let Some(taken) = chunks.take() {
            for chunk in taken {
                let first = chunk * CHUNK;
                distances.keys(first..distances.len().min(first + CHUNK), &mut keys);
                let count = keys.iter().filter(|&&key| key != NO_KEY).count();
                lock(&counts)[chunk] = count;
            }
        }
    });
    into_inner(counts)
}

/// Ranks from (key, place), sorted.
fn assign(
    distances: &dyn Keys,
    pairs: impl Iterator<Item = (u64, usize)>,
) -> Result<(Vec<f64>, Vec<u32>), RipsError> {
    let (mut values, mut ranks) = (vec![0.0], memory::filled(ABSENT, distances.len())?);
    // The key of the distance 0.
    let (mut last, mut rank) = (0, 0);
    for (key, place) in pairs {
        if key != last {
            last = key;
            rank += 1;
            if rank == ABSENT {
                return Err(RipsError::TooManyDistances);
            }
            memory::push(&mut values, distances.value(key))?;
        }
        ranks[place] = rank;
    }
    Ok((values, ranks))
}
