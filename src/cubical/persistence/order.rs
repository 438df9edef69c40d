//! Sorting of the voxels of an image by value.
//!
//! The first voxel of each value is marked, so that positions in the order tell whether two voxels have equal values.
//!
//! A voxel's sort word holds its place in the low bits and as many bits of its key as fit above, so that single
//! integers are sorted instead of pairs. Splitters drawn from a sample distribute the words to buckets, and each bucket
//! is sorted.
//!
//! Keys that are too wide are *cut*: the word drops their low bits. Voxels with equal cut keys are then sorted by these
//! low bits, which always fit beside a place. A cut key that many voxels share, as when one voxel is far from all
//! others, has a bucket of its own. The words of that bucket are replaced by words of the low bits and distributed to
//! buckets a second time, in the same memory ([`deal_crowds`]).

use std::ops::Range;

use rayon::prelude::*;

use super::layout::GridLayout;
use super::words::{Spare, sort_even};
use crate::cubical::key::{Key, Keys};
use crate::progress::Progress;

/// Number of buckets.
const BUCKETS: usize = 1024;
/// Sampled words per bucket.
const SAMPLES: usize = 8;
/// Images of up to this many voxels are sorted as one bucket.
const FEW: usize = 1 << 14;
/// A cut key that equals more splitters than this gets a bucket of its own, which is distributed a second time.
const CROWD: usize = 16;
/// Up to this many voxels with equal cut keys are sorted by looking up their keys; more are rewritten to words of the
/// low bits.
const FEW_TIES: usize = 16;

/// Top-bit flag beside a place: this voxel is the first of its value. The bits below are the place.
pub(super) const FIRST: u32 = 1 << 31;

/// The conversion between voxels and sort words.
struct Words<'a, K: Key> {
    /// The bits of the voxels.
    voxels: &'a [K],
    keys: Keys,
    layout: &'a GridLayout,
    /// The least key.
    least: u64,
    /// Number of low key bits dropped so that key and place fit 64 bits.
    cut: u32,
    place_bits: u32,
}

impl<'a, K: Key> Words<'a, K> {
    /// The conversion for these voxels, and their greatest key.
    fn new(voxels: &'a [K], keys: Keys, layout: &'a GridLayout) -> (Self, u64) {
        let pair = |&voxel| (keys.key(voxel), keys.key(voxel));
        let pairs = voxels.par_iter().with_min_len(FEW).map(pair);
        let range = pairs.reduce_with(|a: (K, K), b: (K, K)| (a.0.min(b.0), a.1.max(b.1)));
        let (least, greatest) = range.map_or((0, 0), |(least, greatest)| (least.to_u64(), greatest.to_u64()));
        let place_bits = usize::BITS - layout.places().leading_zeros();
        let cut = (u64::BITS - (greatest - least).leading_zeros()).saturating_sub(u64::BITS - place_bits);
        (Words { voxels, keys, layout, least, cut, place_bits }, greatest)
    }

    #[inline(always)]
    fn key(&self, voxel: K) -> K {
        self.keys.key(voxel)
    }

    /// The word of a voxel at a place on the grid.
    #[inline(always)]
    fn word(&self, voxel: K, place: u32) -> u64 {
        ((self.key(voxel).to_u64() - self.least) >> self.cut) << self.place_bits | u64::from(place)
    }

    /// Mask of the bits of a word that hold the place.
    #[inline(always)]
    fn places(&self) -> u64 {
        (1 << self.place_bits) - 1
    }

    #[inline(always)]
    fn place(&self, word: u64) -> u32 {
        (word & self.places()) as u32
    }

    /// The key of the voxel at a place on the grid.
    fn key_at(&self, place: u32) -> K {
        self.key(self.voxels[self.layout.in_memory(place as usize)])
    }

    /// The word that holds the place and, in place of the cut key, the low bits that the cut key lacks.
    #[inline(always)]
    fn low(&self, word: u64) -> u64 {
        let place = self.place(word);
        let low = (self.key_at(place).to_u64() - self.least) & ((1 << self.cut) - 1);
        low << self.place_bits | u64::from(place)
    }

    /// Whether the voxels of two words have equal values. In a `whole` bucket equal key bits imply equal values.
    #[inline(always)]
    fn are_equal(&self, a: u64, b: u64, whole: bool) -> bool {
        a >> self.place_bits == b >> self.place_bits
            && (whole || self.key_at(self.place(a)) == self.key_at(self.place(b)))
    }

    fn sort(&self, words: &mut Vec<u64>, whole: bool, spare: &mut Spare) {
        sort_even(words, spare);
        if !whole {
            for ties in words.chunk_by_mut(|a, b| a >> self.place_bits == b >> self.place_bits) {
                self.sort_ties(ties);
            }
        }
    }

    /// Sorts words with equal cut keys by the low bits of their keys.
    fn sort_ties(&self, ties: &mut [u64]) {
        if ties.len() <= FEW_TIES {
            ties.sort_unstable_by_key(|&word| (self.key_at(self.place(word)), word));
            return;
        }
        let places = self.places();
        let cut_key = ties[0] & !places;
        ties.iter_mut().for_each(|word| *word = self.low(*word));
        ties.sort_unstable();
        ties.iter_mut().for_each(|word| *word = cut_key | *word & places);
    }

    /// Writes the places of sorted words and sets [`FIRST`] on the first of each value, including the very first.
    fn write(&self, words: impl Iterator<Item = u64>, whole: bool, places: &mut [u32]) {
        let mut before = None;
        for (word, place) in words.zip(places) {
            let is_first = before.is_none_or(|before| !self.are_equal(before, word, whole));
            *place = self.place(word) | if is_first { FIRST } else { 0 };
            before = Some(word);
        }
    }
}

/// The places of the voxels on the grid, ascending by key, ties by place; in the opposite order if `reversed`. They
/// begin at the second element, since ranks begin at 1; the first element is 0. `voxels` are given by their bits.
///
/// Each voxel is two units of work: one to distribute it to a bucket, one to sort it.
pub(super) fn order<K: Key>(
    voxels: &[K],
    keys: Keys,
    layout: &GridLayout,
    reversed: bool,
    progress: &dyn Progress,
) -> Vec<u32> {
    let (words, greatest) = Words::new(voxels, keys, layout);
    let words = &words;
    let dealt = deal(words, greatest, progress);
    let (mut order, lengths) = sort_buckets(words, dealt, reversed, progress);
    unmark_equals_of_buckets(words, &mut order, &lengths);
    order
}

/// Sorts each bucket. Returns the places of all words, bucket after bucket from the second element on, and the length
/// of each bucket.
fn sort_buckets<K: Key>(
    words: &Words<'_, K>,
    Buckets { parts: dealt, whole }: Buckets,
    reversed: bool,
    progress: &dyn Progress,
) -> (Vec<u32>, Vec<usize>) {
    let buckets = whole.len();
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
            words.sort(sorted, whole[bucket], spare);
            if reversed {
                words.write(sorted.iter().rev().copied(), whole[bucket], part);
            } else {
                words.write(sorted.iter().copied(), whole[bucket], part);
            }
            progress.advance(part.len() as u64);
        },
    );
    (order, lengths)
}

/// Clears [`FIRST`] on the first place of a bucket whose value also ends the bucket before.
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

/// The words of all voxels. Each part of the image has its own words, grouped by bucket.
struct Buckets {
    parts: Vec<Dealt>,
    /// For each bucket, whether equal key bits imply equal voxels, because no key was cut or because the words hold low
    /// bits.
    whole: Vec<bool>,
}

/// Distributes the words of all voxels to buckets, in parallel over parts of the image.
fn deal<K: Key>(words: &Words<'_, K>, greatest: u64, progress: &dyn Progress) -> Buckets {
    let count = words.voxels.len();
    let word = |place: usize| words.word(words.voxels[place], words.layout.on_grid(place));
    if count <= FEW {
        progress.advance(count as u64);
        let part = Dealt { words: (0..count).map(word).collect(), ends: vec![count] };
        return Buckets { parts: vec![part], whole: vec![words.cut == 0] };
    }
    let mut sample: Vec<u64> = spread(BUCKETS * SAMPLES, count).map(word).collect();
    sample.sort_unstable();
    let (splitters, crowds) = words.splitters(&sample);
    let greatest = (greatest - words.least) >> words.cut << words.place_bits | words.places();
    let splitters = Splitters::new(splitters, greatest);
    let part = count.div_ceil(4 * rayon::current_num_threads());
    let starts: Vec<usize> = (0..count).step_by(part).collect();
    let deal = |start: usize| {
        let range = start..count.min(start + part);
        let voxels = words.layout.places_from(start).zip(&words.voxels[range.clone()]);
        let dealt =
            Dealt::new(voxels.map(|(place, &voxel)| words.word(voxel, place)), range.len(), &splitters);
        progress.advance(range.len() as u64);
        dealt
    };
    let parts = starts.into_par_iter().with_max_len(1).map(deal).collect();
    let mut buckets = Buckets { parts, whole: vec![words.cut == 0; BUCKETS] };
    deal_crowds(words, crowds, &mut buckets);
    buckets
}

/// Sampled places below `count`: multiples of the golden ratio, which are evenly distributed and share no period with
/// the rows and planes of an image.
fn spread(number: usize, count: usize) -> impl Iterator<Item = usize> {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    (0..number as u64).map(move |i| ((u128::from(i.wrapping_mul(GOLDEN)) * count as u128) >> 64) as usize)
}

impl<K: Key> Words<'_, K> {
    /// Splitters from a sorted sample of words, and, ascending, the buckets that hold exactly one cut key of many
    /// voxels.
    ///
    /// Voxels with equal cut keys stay in one bucket, so a frequent cut key occurs as several equal splitters. The last
    /// of these is raised to the next cut key, which ends the bucket.
    fn splitters(&self, sample: &[u64]) -> (Vec<u64>, Vec<usize>) {
        let whole = if self.cut > 0 { !self.places() } else { !0 };
        let mut splitters: Vec<u64> = sample.chunks(SAMPLES).skip(1).map(|chunk| chunk[0] & whole).collect();
        let (mut crowds, mut end) = (Vec::new(), 0);
        if self.cut == 0 {
            return (splitters, crowds);
        }
        for same in splitters.chunk_by_mut(|a, b| a == b) {
            end += same.len();
            if same.len() > CROWD
                && let Some(last) = same.last_mut()
            {
                *last = last.saturating_add(self.places() + 1);
                crowds.push(end - 1);
            }
        }
        (splitters, crowds)
    }
}

/// Redistributes each large bucket that holds one cut key, by the low bits of the keys, to as many buckets as its share
/// of the voxels warrants.
fn deal_crowds<K: Key>(words: &Words<'_, K>, crowds: Vec<usize>, buckets: &mut Buckets) {
    let Buckets { parts, whole } = buckets;
    // The last bucket is split first, so that the indices of earlier buckets stay valid.
    for bucket in crowds.into_iter().rev() {
        parts.par_iter_mut().with_max_len(1).for_each(|part| {
            let range = part.range(bucket);
            part.words[range].iter_mut().for_each(|word| *word = words.low(*word));
        });
        let count: usize = parts.iter().map(|part| part.bucket(bucket).len()).sum();
        let number = (BUCKETS * count / words.voxels.len()).max(1);
        let sampled = |part: &Dealt| -> Vec<u64> {
            let crowd = part.bucket(bucket);
            spread(number * SAMPLES * crowd.len() / count, crowd.len()).map(|place| crowd[place]).collect()
        };
        let mut sample: Vec<u64> = parts.iter().flat_map(sampled).collect();
        sample.sort_unstable();
        let splitters: Vec<u64> = sample.chunks(SAMPLES).skip(1).map(|chunk| chunk[0]).collect();
        let dealt_to = splitters.len() + 1;
        let greatest = parts.par_iter().filter_map(|part| part.bucket(bucket).iter().max().copied()).max();
        let splitters = Splitters::new(splitters, greatest.unwrap_or(0));
        parts.par_iter_mut().with_max_len(1).for_each(|part| part.deal_again(bucket, &splitters));
        whole.splice(bucket..=bucket, std::iter::repeat_n(true, dealt_to));
    }
}

/// The words of one part of the image, grouped by bucket.
struct Dealt {
    words: Vec<u64>,
    /// The end of each bucket in `words`.
    ends: Vec<usize>,
}

impl Dealt {
    /// Distributes the `count` words of an iterator to buckets.
    fn new(all: impl Iterator<Item = u64> + Clone, count: usize, splitters: &Splitters) -> Self {
        let mut ends = vec![0; splitters.buckets()];
        let bucket = |word: u64| {
            let bucket = splitters.bucket(word);
            ends[bucket] += 1;
            bucket as u16
        };
        let mut buckets = Vec::with_capacity(count);
        buckets.extend(all.clone().map(bucket));
        let mut start = 0;
        for end in &mut ends {
            // Until the words are written, `ends` holds the start of each bucket.
            start += std::mem::replace(end, start);
        }
        let mut words = vec![0; count];
        for (word, bucket) in all.zip(buckets) {
            let end = &mut ends[usize::from(bucket)];
            words[*end] = word;
            *end += 1;
        }
        Dealt { words, ends }
    }

    /// Distributes the words of one bucket, in place, to new buckets that replace it.
    fn deal_again(&mut self, bucket: usize, splitters: &Splitters) {
        let range = self.range(bucket);
        let words = &mut self.words[range.clone()];
        let dealt = Dealt::new(words.iter().copied(), words.len(), splitters);
        words.copy_from_slice(&dealt.words);
        self.ends.splice(bucket..=bucket, dealt.ends.into_iter().map(|end| range.start + end));
    }

    fn range(&self, bucket: usize) -> Range<usize> {
        let start = if bucket == 0 { 0 } else { self.ends[bucket - 1] };
        start..self.ends[bucket]
    }

    fn bucket(&self, bucket: usize) -> &[u64] {
        &self.words[self.range(bucket)]
    }
}

/// Splitters that divide the words into buckets, with a table indexed by the leading bits of a word.
struct Splitters {
    /// The splitters, ascending, followed by `u64::MAX` as a sentinel.
    splitters: Vec<u64>,
    /// For each value of the leading bits, the first and the last bucket of words that begin so.
    ranges: Vec<(u16, u16)>,
    shift: u32,
}

/// Number of leading bits that index the table; for most words they determine the bucket.
const LEADING: u32 = 16;

impl Splitters {
    /// Builds the table for ascending splitters of words up to `greatest`.
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

    fn buckets(&self) -> usize {
        self.splitters.len()
    }

    #[inline(always)]
    fn bucket(&self, word: u64) -> usize {
        let (first, last) = self.ranges[(word >> self.shift) as usize];
        let (first, last) = (usize::from(first), usize::from(last));
        if last - first <= 1 {
            // Branch-free, since the branch would be unpredictable.
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
        for (axes, order) in shapes.iter().flat_map(|axes| [(axes, Order::C), (axes, Order::F)]) {
            let layout = GridLayout::new(Shape::new(axes, order).unwrap()).unwrap();
            for (superlevel, reversed) in [(false, false), (true, false), (false, true), (true, true)] {
                let mut expected: Vec<usize> = (0..voxels.len()).collect();
                expected.sort_by_key(|&place| {
                    let key = voxels[place].key();
                    (if superlevel { key.reversed() } else { key }, layout.on_grid(place))
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
                let found = super::order(
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
            // Keys that differ in the bits that are cut.
            let near = |rng: &mut Pcg64Mcg| {
                if rng.random_range(0..9) == 0 { rng.random() } else { rng.random_range(0..50) }
            };
            is_sorted(&(0..count).map(|_| near(&mut rng)).collect::<Vec<u64>>());
            is_sorted(&(0..count).map(|_| rng.random::<f64>() - 0.5).collect::<Vec<_>>());
            is_sorted(&vec![1.5_f32; count]);
            crowded(count).into_iter().for_each(|voxels| is_sorted(&voxels));
        }
    }

    /// Images whose voxels mostly share cut keys: one outlier, two clusters, and many clusters.
    fn crowded(count: usize) -> [Vec<i64>; 3] {
        let mut rng = Pcg64Mcg::seed_from_u64(6);
        let mut far: Vec<i64> = (0..count).map(|_| rng.random_range(0..4096)).collect();
        far[count / 2] = i64::MIN;
        let two =
            (0..count).map(|_| rng.random_range(0..9) - [0, i64::MAX / 2][rng.random_range(0..2)]).collect();
        let many = (0..count).map(|_| (rng.random_range(0..100) << 56) + rng.random_range(0..400)).collect();
        [far, two, many]
    }

    /// Asserts that no bucket holds many times the voxels of an average one.
    fn are_even<T: Voxel>(voxels: &[T], axes: &[usize]) {
        let layout = GridLayout::new(Shape::new(axes, Order::C).unwrap()).unwrap();
        let (words, greatest) = Words::new(T::bits(voxels), Keys::new::<T::Key>(T::CODING, false), &layout);
        let buckets = deal(&words, greatest, &());
        let length = |bucket| buckets.parts.iter().map(|part| part.bucket(bucket).len()).sum::<usize>();
        let lengths: Vec<usize> = (0..buckets.whole.len()).map(length).collect();
        assert_eq!(lengths.iter().sum::<usize>(), voxels.len());
        let most = lengths.into_iter().max().unwrap();
        assert!(most < (2 * CROWD + 2) * voxels.len() / BUCKETS, "{most} of {} {}", voxels.len(), T::NAME);
    }

    #[test]
    fn no_bucket_holds_what_one_thread_would_be_long_about() {
        let side = 64_usize;
        let solid = [side; 3];
        crowded(side.pow(3)).into_iter().for_each(|voxels| are_even(&voxels, &solid));
        let mut rng = Pcg64Mcg::seed_from_u64(7);
        // Doubles near each other and one outlier.
        let mut near: Vec<f64> = (0..side.pow(3)).map(|_| 1.0 + 1e-9 * rng.random::<f64>()).collect();
        near[5] = -1e9;
        are_even(&near, &solid);
        // Noise in a border of zeros, which includes the first voxel of each row.
        let of_noise =
            |place: usize| [place / 4096, place / 64 % 64, place % 64].iter().all(|at| (1..63).contains(at));
        let bordered = |place| if of_noise(place) { rng.random_range(1..60_000) } else { 0 };
        are_even(&(0..side.pow(3)).map(bordered).collect::<Vec<u16>>(), &solid);
    }
}
