//! The voxels of an image in order.
//!
//! The first voxel of each value is marked, so that whether two voxels are equal is known from their places in the order.
//!
//! A voxel's word is its place below as much of its key as there is room for, so that words are sorted, not pairs. Words are dealt
//! to buckets by splitters from a sample and each bucket is sorted. Where keys have been cut, voxels of one cut key are sorted once more by
//! what they are.

use std::ops::Range;

use rayon::prelude::*;

use super::layout::GridLayout;
use super::words::{Spare, sort_even};
use crate::cubical::key::{Key, Keys};
use crate::progress::Progress;

/// Buckets.
const BUCKETS: usize = 1024;
/// Words of the sample for a bucket.
const SAMPLES: usize = 8;
/// Voxels that are sorted at once.
const FEW: usize = 1 << 14;

/// Beside a place: its voxel is the first of its value. Places are below.
pub(super) const FIRST: u32 = 1 << 31;

/// What words are made of.
struct Words<'a, K: Key> {
    /// The bits of the voxels.
    voxels: &'a [K],
    keys: Keys,
    layout: &'a GridLayout,
    /// The least key.
    least: u64,
    /// Low bits that keys lack.
    cut: u32,
    place_bits: u32,
}

impl<K: Key> Words<'_, K> {
    #[inline(always)]
    fn key(&self, voxel: K) -> K {
        self.keys.key(voxel)
    }

    /// The word of a voxel at a place on the grid.
    #[inline(always)]
    fn word(&self, voxel: K, place: u32) -> u64 {
        ((self.key(voxel).to_u64() - self.least) >> self.cut) << self.place_bits | u64::from(place)
    }

    #[inline(always)]
    fn place(&self, word: u64) -> u32 {
        (word & ((1 << self.place_bits) - 1)) as u32
    }

    /// The key of the voxel at a place on the grid.
    fn key_at(&self, place: u32) -> K {
        self.key(self.voxels[self.layout.in_memory(place as usize)])
    }

    /// Whether the voxels of two words have one value.
    #[inline(always)]
    fn are_equal(&self, a: u64, b: u64) -> bool {
        a >> self.place_bits == b >> self.place_bits
            && (self.cut == 0 || self.key_at(self.place(a)) == self.key_at(self.place(b)))
    }

    fn sort(&self, words: &mut Vec<u64>, spare: &mut Spare) {
        sort_even(words, spare);
        if self.cut > 0 {
            for ties in words.chunk_by_mut(|a, b| a >> self.place_bits == b >> self.place_bits) {
                if ties.len() > 1 {
                    ties.sort_unstable_by_key(|&word| (self.key_at(self.place(word)), word));
                }
            }
        }
    }

    /// Writes the places of sorted words and marks the first of each value; the first of all is marked.
    fn write(&self, words: impl Iterator<Item = u64>, places: &mut [u32]) {
        let mut before = None;
        for (word, place) in words.zip(places) {
            let is_first = before.is_none_or(|before| !self.are_equal(before, word));
            *place = self.place(word) | if is_first { FIRST } else { 0 };
            before = Some(word);
        }
    }
}

/// The places on the grid of voxels, given by their bits, from the second element on, ascending by key; ties by place. All
/// that is turned round if the order is to be `reversed`. The first element is 0, the place of no voxel.
///
/// A voxel is two units of work: it is dealt and sorted.
pub(super) fn order<K: Key>(
    voxels: &[K],
    keys: Keys,
    layout: &GridLayout,
    reversed: bool,
    progress: &dyn Progress,
) -> Vec<u32> {
    let mut words = Words {
        voxels,
        keys,
        layout,
        least: 0,
        cut: 0,
        place_bits: usize::BITS - layout.places().leading_zeros(),
    };
    let keys = voxels.par_iter().with_min_len(FEW).map(|&voxel| (words.key(voxel), words.key(voxel)));
    let range = keys.reduce_with(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let (least, greatest) = range.map_or((0, 0), |(least, greatest)| (least.to_u64(), greatest.to_u64()));
    words.least = least;
    words.cut = (u64::BITS - (greatest - least).leading_zeros()).saturating_sub(u64::BITS - words.place_bits);
    let words = &words;
    let dealt = deal(words, greatest, progress);
    let (mut order, lengths) = sort_buckets(words, dealt, reversed, progress);
    unmark_equals_of_buckets(words, &mut order, &lengths);
    order
}

/// The places of all words, bucket after bucket, from the second element on; and how many are of each bucket.
fn sort_buckets<K: Key>(
    words: &Words<'_, K>,
    dealt: Vec<Dealt>,
    reversed: bool,
    progress: &dyn Progress,
) -> (Vec<u32>, Vec<usize>) {
    let buckets = dealt.first().map_or(0, |dealt| dealt.ends.len());
    let mut order = vec![0; words.voxels.len() + 1];
    let mut parts = Vec::with_capacity(buckets);
    let mut rest = &mut order[1..];
    for i in 0..buckets {
        let bucket = if reversed { buckets - 1 - i } else { i };
        let part;
        (part, rest) = rest.split_at_mut(dealt.iter().map(|dealt| dealt.bucket(bucket).len()).sum());
        parts.push((bucket, part));
    }
    let lengths = parts.iter().map(|(_, part)| part.len()).collect();
    parts.into_par_iter().with_max_len(4).panic_fuse().for_each_init(
        Default::default,
        |(sorted, spare): &mut (Vec<u64>, Spare), (bucket, part)| {
            sorted.clear();
            dealt.iter().for_each(|dealt| sorted.extend(dealt.bucket(bucket)));
            words.sort(sorted, spare);
            if reversed {
                words.write(sorted.iter().rev().copied(), part);
            } else {
                words.write(sorted.iter().copied(), part);
            }
            progress.advance(part.len() as u64);
        },
    );
    (order, lengths)
}

/// Takes the mark off the first of a bucket that has an equal in the bucket before.
fn unmark_equals_of_buckets<K: Key>(words: &Words<'_, K>, order: &mut [u32], lengths: &[usize]) {
    let mut start = 1;
    for length in lengths {
        if start > 1
            && *length > 0
            && words.key_at(order[start - 1] & !FIRST) == words.key_at(order[start] & !FIRST)
        {
            order[start] &= !FIRST;
        }
        start += length;
    }
}

/// All words, by parts of the image, in buckets.
fn deal<K: Key>(words: &Words<'_, K>, greatest: u64, progress: &dyn Progress) -> Vec<Dealt> {
    let count = words.voxels.len();
    let word = |place: usize| words.word(words.voxels[place], words.layout.on_grid(place));
    if count <= FEW {
        progress.advance(count as u64);
        return vec![Dealt { words: (0..count).map(word).collect(), ends: vec![count] }];
    }
    let mut sample: Vec<u64> =
        (0..BUCKETS * SAMPLES).map(|i| word(i * count / (BUCKETS * SAMPLES))).collect();
    sample.sort_unstable();
    // Voxels of one cut key stay in one bucket.
    let places = (1 << words.place_bits) - 1;
    let whole = if words.cut > 0 { !places } else { !0 };
    let splitters = sample.chunks(SAMPLES).skip(1).map(|chunk| chunk[0] & whole).collect();
    let splitters =
        Splitters::new(splitters, (greatest - words.least) >> words.cut << words.place_bits | places);
    let part = count.div_ceil(4 * rayon::current_num_threads());
    let starts: Vec<usize> = (0..count).step_by(part).collect();
    let deal = |start: usize| {
        let range = start..count.min(start + part);
        let voxels = range.len() as u64;
        let dealt = Dealt::new(range, &splitters, words);
        progress.advance(voxels);
        dealt
    };
    starts.into_par_iter().with_max_len(1).map(deal).collect()
}

/// The words of some voxels, bucket by bucket.
struct Dealt {
    words: Vec<u64>,
    /// Where each bucket ends.
    ends: Vec<usize>,
}

impl Dealt {
    fn new<K: Key>(range: Range<usize>, splitters: &Splitters, all: &Words<'_, K>) -> Self {
        let word = |(place, &voxel): (u32, &K)| all.word(voxel, place);
        let voxels = || all.layout.places_from(range.start).zip(&all.voxels[range.clone()]).map(word);
        let mut ends = vec![0; BUCKETS];
        let bucket = |word: u64| {
            let bucket = splitters.bucket(word);
            ends[bucket] += 1;
            bucket as u16
        };
        let buckets: Vec<u16> = voxels().map(bucket).collect();
        let mut start = 0;
        for end in &mut ends {
            // Until the words are dealt, this is where the bucket starts.
            start += std::mem::replace(end, start);
        }
        let mut words = vec![0; buckets.len()];
        for (word, bucket) in voxels().zip(buckets) {
            let end = &mut ends[usize::from(bucket)];
            words[*end] = word;
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
    /// Ascending; one more, which no word reaches, is last.
    splitters: Vec<u64>,
    /// The first and the last bucket that a word can be in, by its leading bits.
    ranges: Vec<(u16, u16)>,
    shift: u32,
}

/// Leading bits that are looked at first: most words' bucket is known from them.
const LEADING: u32 = 16;

impl Splitters {
    /// Ascending splitters of words up to `greatest`.
    fn new(mut splitters: Vec<u64>, greatest: u64) -> Self {
        let shift = (u64::BITS - greatest.leading_zeros()).saturating_sub(LEADING);
        let mut up_to = 0;
        let mut range = |leading: u64| {
            let mut advance = |word: u64| {
                up_to += splitters[up_to..].iter().take_while(|&&splitter| splitter <= word).count();
                up_to as u16
            };
            let first = leading << shift;
            (advance(first), advance(first | ((1 << shift) - 1)))
        };
        let ranges = (0..=greatest >> shift).map(&mut range).collect();
        splitters.push(u64::MAX);
        Splitters { splitters, ranges, shift }
    }

    #[inline(always)]
    fn bucket(&self, word: u64) -> usize {
        let (first, last) = self.ranges[(word >> self.shift) as usize];
        let (first, last) = (usize::from(first), usize::from(last));
        if last - first <= 1 {
            // No branch, as it could not be predicted.
            first + usize::from(self.splitters[first] <= word)
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
    use crate::cubical::{Order, Shape, Voxel};

    fn is_sorted<T: Voxel>(voxels: &[T]) {
        let mut shapes = vec![vec![voxels.len()]];
        if voxels.len().is_multiple_of(4) {
            shapes.push(vec![voxels.len() / 4, 4]);
        }
        for axes in shapes {
            let layout = GridLayout::new(Shape::new(&axes, Order::C).unwrap()).unwrap();
            for (superlevel, reversed) in [(false, false), (true, false), (false, true), (true, true)] {
                let mut expected: Vec<usize> = (0..voxels.len()).collect();
                expected.sort_by_key(|&place| {
                    let key = voxels[place].key();
                    (if superlevel { key.reversed() } else { key }, place)
                });
                if reversed {
                    expected.reverse();
                }
                let mut before = None;
                let mark = |&place: &usize| {
                    let key = voxels[place].key();
                    let is_first = before.replace(key) != Some(key);
                    layout.on_grid(place) | if is_first { FIRST } else { 0 }
                };
                let expected: Vec<u32> = expected.iter().map(mark).collect();
                let found = order(
                    T::bits(voxels),
                    Keys::new::<T::Key>(T::CODING, superlevel),
                    &layout,
                    reversed,
                    &(),
                );
                assert!(found[0] == 0 && found[1..] == expected, "{axes:?} of {}", T::NAME);
            }
        }
    }

    #[test]
    fn any_voxels_few_and_many() {
        let mut rng = Pcg64Mcg::seed_from_u64(5);
        for count in [1, 2, 3, 1000, FEW, FEW + 1, 100_003] {
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
