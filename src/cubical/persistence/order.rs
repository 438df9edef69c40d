//! The voxels of an image in order.
//!
//! The first voxel of each value is marked, so that whether two voxels are equal is known from their places in the order.
//!
//! A voxel's word is its place below as much of its key as there is room for, so that words are sorted, not pairs. Words are dealt
//! to buckets by splitters from a sample and each bucket is sorted. Where keys have been cut, voxels of one cut key are sorted once more by
//! what they are.

use std::ops::Range;

use rayon::prelude::*;

use super::super::{Key, Voxel};

/// Buckets.
const BUCKETS: usize = 1024;
/// Words of the sample for a bucket.
const SAMPLES: usize = 8;
/// Voxels that are sorted at once.
const FEW: usize = 1 << 14;

/// Beside a place: its voxel is the first of its value. Places are below.
pub const FIRST: u32 = 1 << 31;

/// The places of voxels, ascending by key, or descending for superlevel sets; ties by place.
pub fn order<T: Voxel>(voxels: &[T], superlevel: bool) -> Vec<u32> {
    let key = |voxel: T| if superlevel { voxel.key().reversed() } else { voxel.key() };
    let range = voxels.par_iter().with_min_len(FEW).map(|&voxel| (key(voxel), key(voxel)));
    let Some((least, greatest)) = range.reduce_with(|a, b| (a.0.min(b.0), a.1.max(b.1))) else {
        return Vec::new();
    };
    let (least, greatest) = (least.to_u64(), greatest.to_u64());
    let place_bits = usize::BITS - voxels.len().leading_zeros();
    let cut = (u64::BITS - (greatest - least).leading_zeros()).saturating_sub(u64::BITS - place_bits);
    let word = |place: usize| ((key(voxels[place]).to_u64() - least) >> cut) << place_bits | place as u64;
    let place = |word: u64| (word & ((1 << place_bits) - 1)) as usize;
    let sort = |words: &mut [u64]| {
        words.sort_unstable();
        if cut > 0 {
            for ties in words.chunk_by_mut(|a, b| a >> place_bits == b >> place_bits) {
                if ties.len() > 1 {
                    ties.sort_unstable_by_key(|&word| (key(voxels[place(word)]), word));
                }
            }
        }
    };
    // Whether a word's voxel differs from that of the word before.
    let differs = |before: u64, word: u64| {
        before >> place_bits != word >> place_bits
            || cut > 0 && key(voxels[place(before)]) != key(voxels[place(word)])
    };
    let mark = |words: &[u64]| {
        let mut before = None;
        let mut marked = Vec::with_capacity(words.len());
        for &word in words {
            let is_first = before.is_none_or(|before| differs(before, word));
            marked.push(place(word) as u32 | if is_first { FIRST } else { 0 });
            before = Some(word);
        }
        marked
    };
    if voxels.len() <= FEW {
        let mut words: Vec<u64> = (0..voxels.len()).map(word).collect();
        sort(&mut words);
        return mark(&words);
    }

    let mut sample: Vec<u64> =
        (0..BUCKETS * SAMPLES).map(|i| word(i * voxels.len() / (BUCKETS * SAMPLES))).collect();
    sample.sort_unstable();
    // Voxels of one cut key stay in one bucket.
    let whole = if cut > 0 { !0 << place_bits } else { !0 };
    let splitters = sample.chunks(SAMPLES).skip(1).map(|chunk| chunk[0] & whole).collect();
    let splitters =
        Splitters::new(splitters, (greatest - least) >> cut << place_bits | ((1 << place_bits) - 1));
    let part = voxels.len().div_ceil(4 * rayon::current_num_threads());
    let deal = |start: usize| Dealt::new(start..voxels.len().min(start + part), &splitters, word);
    let starts: Vec<usize> = (0..voxels.len()).step_by(part).collect();
    let dealt: Vec<Dealt> = starts.into_par_iter().with_max_len(1).map(deal).collect();
    let sorted = (0..BUCKETS).into_par_iter().map(|bucket| {
        let mut words = Vec::with_capacity(dealt.iter().map(|dealt| dealt.bucket(bucket).len()).sum());
        dealt.iter().for_each(|dealt| words.extend(dealt.bucket(bucket)));
        sort(&mut words);
        mark(&words)
    });
    let sorted: Vec<Vec<u32>> = sorted.collect();
    drop(dealt);
    let mut order = sorted.concat();
    // The first of a bucket may have an equal in the bucket before.
    let mut start = 0;
    for length in sorted.iter().map(Vec::len) {
        if start > 0 && length > 0 {
            let voxel = |at: usize| key(voxels[(order[at] & !FIRST) as usize]);
            if voxel(start - 1) == voxel(start) {
                order[start] &= !FIRST;
            }
        }
        start += length;
    }
    order
}

/// The words of some voxels, bucket by bucket.
struct Dealt {
    words: Vec<u64>,
    /// Where each bucket ends.
    ends: Vec<usize>,
}

impl Dealt {
    fn new(places: Range<usize>, splitters: &Splitters, word: impl Fn(usize) -> u64) -> Self {
        let mut ends = vec![0; BUCKETS];
        let bucket = |place: usize| {
            let bucket = splitters.bucket(word(place));
            ends[bucket] += 1;
            bucket as u16
        };
        let buckets: Vec<u16> = places.clone().map(bucket).collect();
        let mut start = 0;
        for end in &mut ends {
            // For now where the bucket starts.
            start += std::mem::replace(end, start);
        }
        let mut words = vec![0; buckets.len()];
        for (place, bucket) in places.zip(buckets) {
            let end = &mut ends[usize::from(bucket)];
            words[*end] = word(place);
            *end += 1;
        }
        Dealt { words, ends }
    }

    fn bucket(&self, bucket: usize) -> &[u64] {
        let start = if bucket == 0 { 0 } else { self.ends[bucket - 1] };
        &self.words[start..self.ends[bucket]]
    }
}

/// What divides words into buckets.
struct Splitters {
    splitters: Vec<u64>,
    /// By the leading bits of a word, the buckets that it can be in: the first and the last.
    ranges: Vec<(u16, u16)>,
    shift: u32,
}

/// Leading bits that are looked at first.
const LEADING: u32 = 13;

impl Splitters {
    /// Ascending splitters of words up to `greatest`.
    fn new(splitters: Vec<u64>, greatest: u64) -> Self {
        let shift = (u64::BITS - greatest.leading_zeros()).saturating_sub(LEADING);
        let up_to = |word: u64| splitters.partition_point(|&splitter| splitter <= word) as u16;
        let range = |leading: u64| {
            let first = leading << shift;
            (up_to(first), up_to(first | ((1 << shift) - 1)))
        };
        let ranges = (0..1 << LEADING).map(range).collect();
        Splitters { splitters, ranges, shift }
    }

    #[inline(always)]
    fn bucket(&self, word: u64) -> usize {
        let (first, last) = self.ranges[(word >> self.shift) as usize];
        let (first, last) = (usize::from(first), usize::from(last));
        if first == last {
            first
        } else {
            first + self.splitters[first..last].partition_point(|&splitter| splitter <= word)
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    fn is_sorted<T: Voxel>(voxels: &[T]) {
        for superlevel in [false, true] {
            let mut expected: Vec<u32> = (0..voxels.len() as u32).collect();
            expected.sort_by_key(|&place| {
                let key = voxels[place as usize].key();
                (if superlevel { key.reversed() } else { key }, place)
            });
            let mut before = None;
            for place in &mut expected {
                let key = voxels[*place as usize].key();
                *place |= if before == Some(key) { 0 } else { FIRST };
                before = Some(key);
            }
            assert!(order(voxels, superlevel) == expected, "{} of {}", voxels.len(), T::NAME);
        }
    }

    #[test]
    fn any_voxels_few_and_many() {
        let mut rng = Pcg64Mcg::seed_from_u64(5);
        for count in [0, 1, 2, 3, 1000, FEW, FEW + 1, 100_003] {
            is_sorted(&(0..count).map(|_| rng.random_range(0..3_u8)).collect::<Vec<_>>());
            is_sorted(&(0..count).map(|_| rng.random_range(-9..9_i16)).collect::<Vec<_>>());
            is_sorted(&(0..count).map(|_| rng.random::<u64>()).collect::<Vec<_>>());
            // Keys that differ in bits that are cut.
            let near = |rng: &mut Pcg64Mcg| {
                if rng.random_range(0..9) == 0 { rng.random() } else { rng.random_range(0..50) }
            };
            is_sorted(&(0..count).map(|_| near(&mut rng)).collect::<Vec<u64>>());
            is_sorted(&(0..count).map(|_| rng.random::<f64>() - 0.5).collect::<Vec<_>>());
            is_sorted(&vec![1.5_f32; count]);
        }
    }
}
