//! Sorting of critical cells, and of the voxels of an image by value.
//!
//! Voxels are sorted only if their keys are too wide to be compared beside a place in one word.
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

use super::cell::{Cell, Shift};
use super::layout::GridLayout;
use super::narrowing::Outline;
use super::words::{Spare, sort_even};
use crate::cubical::image::Voxel;
use crate::cubical::key::{Coding, Key};
use crate::cubical::order::VoxelOrder;
use crate::parallel;
use crate::progress::Progress;

/// Number of buckets.
const BUCKETS: usize = 1024;
/// Sampled words per bucket.
const SAMPLES: usize = 8;
/// Images of up to this many voxels are sorted as one bucket.
const FEW: usize = 1 << 14;
/// Number of voxels whose range of keys a thread finds at a time.
const PART: usize = 1 << 16;
/// A cut key that equals more splitters than this gets a bucket of its own, which is distributed a second time.
const CROWD: usize = 16;

/// Top-bit flag beside a place: this voxel is the first of its value. The bits below are the place.
pub(super) const FIRST: u32 = 1 << 31;

/// The voxels of an image, as far as their width matters; all else is compiled once.
pub(super) trait Voxels: Sync {
    /// Number of voxels.
    fn count(&self) -> usize;
    /// The key of the voxel at a place in memory.
    fn key(&self, place: usize) -> u64;
    /// Writes the keys on the grid of voxels from a place in memory on.
    fn keys(&self, from: usize, shift: Shift, keys: &mut [i32]);
    /// The least and the greatest key of a part of the voxels.
    fn range(&self, part: Range<usize>) -> (u64, u64);
    /// The bits and the keys of a part of the voxels.
    fn outline(&self, part: Range<usize>) -> Outline;
    /// Replaces the cut keys of some words by the low bits that these lack.
    fn lower(&self, some: &mut [u64], words: &Words<'_>);
    /// Distributes the words of a part of the voxels to buckets.
    fn deal(&self, part: Range<usize>, words: &Words<'_>, splitters: &Splitters) -> Dealt;
}

/// Voxels given by their bits.
pub(super) struct Keyed<'a, K> {
    voxels: &'a [K],
    order: VoxelOrder,
}

impl<'a, K: Key> Keyed<'a, K> {
    pub(super) fn new<T: Voxel<Key = K>>(voxels: &'a [T], superlevel: bool) -> Self {
        Keyed { voxels: T::bits(voxels), order: VoxelOrder::new(T::TYPE, superlevel) }
    }
}

impl<K: Key> Voxels for Keyed<'_, K> {
    fn count(&self) -> usize {
        self.voxels.len()
    }

    fn key(&self, place: usize) -> u64 {
        self.order.key(self.voxels[place]).to_u64()
    }

    fn keys(&self, from: usize, shift: Shift, keys: &mut [i32]) {
        let keys = keys.iter_mut().zip(&self.voxels[from..]);
        // As in VoxelOrder::fill, no loop has a branch.
        match self.order.coding {
            _ if let Some(narrowing) = shift.narrowing => {
                keys.for_each(|(to, &voxel)| *to = shift.key(narrowing.key(self.order.key(voxel).to_u64())));
            }
            Coding::Float => {
                let order = self.order.as_floats();
                keys.for_each(|(to, &voxel)| *to = shift.key(order.key(voxel).to_u64()));
            }
            Coding::Unsigned | Coding::Signed => {
                keys.for_each(|(to, &voxel)| *to = shift.key(self.order.key(voxel).to_u64()));
            }
        }
    }

    fn range(&self, part: Range<usize>) -> (u64, u64) {
        let order = self.order;
        let keys = self.voxels[part].iter().map(|&voxel| order.key(voxel));
        let (least, greatest) =
            keys.fold((K::MAX, K::default()), |(least, greatest), key| (least.min(key), greatest.max(key)));
        (least.to_u64(), greatest.to_u64())
    }

    fn outline(&self, part: Range<usize>) -> Outline {
        Outline::of(&self.voxels[part], self.order)
    }

    fn lower(&self, some: &mut [u64], words: &Words<'_>) {
        for word in some {
            let place = words.place(*word);
            let low = (self.key(words.in_memory(place)) - words.least) & ((1 << words.cut) - 1);
            *word = low << words.place_bits | u64::from(place);
        }
    }

    fn deal(&self, part: Range<usize>, words: &Words<'_>, splitters: &Splitters) -> Dealt {
        let (order, voxels) = (self.order, &self.voxels[part.clone()]);
        let voxels = words.layout.places_from(part.start).zip(voxels);
        let word = |(place, &voxel): (usize, &K)| words.word(order.key(voxel).to_u64(), place as u32);
        Dealt::new(voxels.map(word), part.len(), splitters)
    }
}

/// The least and the greatest key of the voxels of an image.
pub(super) fn range(voxels: &dyn Voxels) -> (u64, u64) {
    let join = |all: &mut (u64, u64), found: (u64, u64)| *all = (all.0.min(found.0), all.1.max(found.1));
    parallel::joined(voxels.count(), PART, (u64::MAX, 0), &|part| voxels.range(part), &join)
}

/// The conversion between voxels and sort words.
pub(super) struct Words<'a> {
    voxels: &'a dyn Voxels,
    layout: &'a GridLayout,
    /// The least and the greatest key.
    least: u64,
    greatest: u64,
    /// Number of low key bits dropped so that key and place fit 64 bits.
    cut: u32,
    place_bits: u32,
}

impl<'a> Words<'a> {
    fn new(voxels: &'a dyn Voxels, layout: &'a GridLayout, (least, greatest): (u64, u64)) -> Self {
        let place_bits = usize::BITS - layout.places().leading_zeros();
        let cut = (u64::BITS - (greatest - least).leading_zeros()).saturating_sub(u64::BITS - place_bits);
        Words { voxels, layout, least, greatest, cut, place_bits }
    }

    /// The word of a voxel with this key at a place on the grid.
    #[inline(always)]
    fn word(&self, key: u64, place: u32) -> u64 {
        ((key - self.least) >> self.cut) << self.place_bits | u64::from(place)
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

    fn in_memory(&self, place: u32) -> usize {
        self.layout.in_memory(place as usize)
    }

    /// Sorts the words of a bucket and writes their places, in the opposite order if `reversed`. In a `whole` bucket
    /// equal key bits imply equal values; else words with equal cut keys are sorted by the low bits of their keys.
    fn sort(&self, words: &mut Vec<u64>, whole: bool, reversed: bool, spare: &mut Spare, places: &mut [u32]) {
        sort_even(words, spare);
        if whole {
            return self.write(words, reversed, places);
        }
        let mut rest = places;
        for ties in words.chunk_by_mut(|a, b| a >> self.place_bits == b >> self.place_bits) {
            if ties.len() > 1 {
                self.voxels.lower(ties, self);
                ties.sort_unstable();
            }
            let places = if reversed {
                rest.split_off_mut(rest.len() - ties.len()..)
            } else {
                rest.split_off_mut(..ties.len())
            };
            self.write(ties, reversed, places.unwrap_or_default());
        }
    }

    /// Writes the places of sorted words and sets [`FIRST`] on the first of each value, including the very first.
    fn write(&self, words: &[u64], reversed: bool, places: &mut [u32]) {
        let mut before = None;
        let write = |(&word, place): (&u64, &mut u32)| {
            let is_first = before.replace(word >> self.place_bits) != Some(word >> self.place_bits);
            *place = self.place(word) | if is_first { FIRST } else { 0 };
        };
        if reversed {
            words.iter().rev().zip(places).for_each(write);
        } else {
            words.iter().zip(places).for_each(write);
        }
    }
}

/// The places of the voxels on the grid, ascending by key, ties by place; in the opposite order if `reversed`. The
/// first place of each value has the flag [`FIRST`]. `range` is that of the keys of all voxels.
///
/// Each voxel is two units of work: one to distribute it to a bucket, one to sort it.
pub(super) fn order(
    voxels: &dyn Voxels,
    layout: &GridLayout,
    range: (u64, u64),
    reversed: bool,
    progress: &dyn Progress,
) -> Vec<u32> {
    let words = &Words::new(voxels, layout, range);
    let dealt = deal(words, progress);
    let (mut order, lengths) = sort_buckets(words, dealt, reversed, progress);
    unmark_equals_of_buckets(words, &mut order, &lengths);
    order
}

/// Sorts each bucket. Returns the places of all words, bucket after bucket, and the length of each bucket.
fn sort_buckets(
    words: &Words<'_>,
    Buckets { parts: dealt, whole }: Buckets,
    reversed: bool,
    progress: &dyn Progress,
) -> (Vec<u32>, Vec<usize>) {
    let buckets = whole.len();
    let mut order = vec![0; words.voxels.count()];
    let mut parts = Vec::with_capacity(buckets);
    let mut rest = &mut order[..];
    for i in 0..buckets {
        let bucket = if reversed { buckets - 1 - i } else { i };
        let part;
        (part, rest) = rest.split_at_mut(dealt.iter().map(|dealt| dealt.bucket(bucket).len()).sum());
        parts.push((bucket, part));
    }
    let lengths = parts.iter().map(|(_, part)| part.len()).collect();
    each_bucket(&dealt, &mut parts, &|bucket, sorted, spare, part| {
        words.sort(sorted, whole[bucket], reversed, spare, part);
        progress.advance(part.len() as u64);
    });
    (order, lengths)
}

/// Sorts the words of a bucket, given its number, and writes them where they belong.
type SortBucket<'a, T> = dyn Fn(usize, &mut Vec<u64>, &mut Spare, &mut T) + Sync + 'a;

/// Calls `work` with the number of each bucket, its words, and what belongs to it. Buckets that a thread sorts one
/// after the other share their buffers.
fn each_bucket<T: Send>(dealt: &[Dealt], buckets: &mut [(usize, T)], work: &SortBucket<'_, T>) {
    parallel::pieces_mut(buckets, 4, &|_, buckets| {
        let (mut words, mut spare) = (Vec::new(), Spare::default());
        for (bucket, part) in buckets {
            words.clear();
            dealt.iter().for_each(|dealt| words.extend(dealt.bucket(*bucket)));
            work(*bucket, &mut words, &mut spare, part);
        }
    });
}

/// Sorts distinct cells.
pub(super) fn sort(cells: &mut [Cell]) {
    if cells.len() <= FEW {
        return cells.sort_unstable();
    }
    let sample = spread(BUCKETS * SAMPLES, cells.len()).map(|at| cells[at].word());
    let mut sample: Vec<u64> = sample.collect();
    sample.sort_unstable();
    let splitters = sample.chunks(SAMPLES).skip(1).map(|chunk| chunk[0]).collect();
    let part = cells.len().div_ceil(4 * rayon::current_num_threads());
    let parts: Vec<&[Cell]> = cells.chunks(part).collect();
    let greatest = |part: usize| parts[part].iter().max().map(|cell| cell.word());
    let greatest = parallel::map(parts.len(), &greatest).into_iter().flatten().max().unwrap_or(0);
    let splitters = Splitters::new(splitters, greatest);
    let deal =
        |part: usize| Dealt::new(parts[part].iter().map(|cell| cell.word()), parts[part].len(), &splitters);
    let dealt = parallel::map(parts.len(), &deal);
    let mut rest = cells;
    let mut slices = Vec::with_capacity(BUCKETS);
    for bucket in 0..splitters.buckets() {
        let length = dealt.iter().map(|dealt| dealt.bucket(bucket).len()).sum();
        slices.push((bucket, rest.split_off_mut(..length).unwrap_or_default()));
    }
    each_bucket(&dealt, &mut slices, &|_, words, spare, slice| {
        sort_even(words, spare);
        slice.iter_mut().zip(words).for_each(|(cell, word)| *cell = Cell::of_word(*word));
    });
}

/// Clears [`FIRST`] on the first place of a bucket whose value also ends the bucket before.
fn unmark_equals_of_buckets(words: &Words<'_>, order: &mut [u32], lengths: &[usize]) {
    let key = |place: u32| words.voxels.key(words.in_memory(place & !FIRST));
    let mut start = 0;
    for length in lengths {
        if start > 0 && *length > 0 && key(order[start - 1]) == key(order[start]) {
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
fn deal(words: &Words<'_>, progress: &dyn Progress) -> Buckets {
    let (voxels, count) = (words.voxels, words.voxels.count());
    if count <= FEW {
        progress.advance(count as u64);
        let places = (0..count).zip(words.layout.places_from(0));
        let all = places.map(|(place, on_grid)| words.word(voxels.key(place), on_grid as u32)).collect();
        let part = Dealt { words: all, ends: vec![count] };
        return Buckets { parts: vec![part], whole: vec![words.cut == 0] };
    }
    let word = |place: usize| words.word(voxels.key(place), words.layout.on_grid(place) as u32);
    let mut sample: Vec<u64> = spread(BUCKETS * SAMPLES, count).map(word).collect();
    sample.sort_unstable();
    let (splitters, crowds) = words.splitters(&sample);
    let greatest = (words.greatest - words.least) >> words.cut << words.place_bits | words.places();
    let splitters = Splitters::new(splitters, greatest);
    let part = count.div_ceil(4 * rayon::current_num_threads());
    let parts = parallel::map(count.div_ceil(part), &|number| {
        let part = number * part..count.min((number + 1) * part);
        let dealt = voxels.deal(part.clone(), words, &splitters);
        progress.advance(part.len() as u64);
        dealt
    });
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

impl Words<'_> {
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
fn deal_crowds(words: &Words<'_>, crowds: Vec<usize>, buckets: &mut Buckets) {
    let Buckets { parts, whole } = buckets;
    // The last bucket is split first, so that the indices of earlier buckets stay valid.
    for bucket in crowds.into_iter().rev() {
        parallel::each_of(parts.iter_mut(), &|part| {
            let range = part.range(bucket);
            words.voxels.lower(&mut part.words[range], words);
        });
        let count: usize = parts.iter().map(|part| part.bucket(bucket).len()).sum();
        let number = (BUCKETS * count / words.voxels.count()).max(1);
        let sampled = |part: &Dealt| -> Vec<u64> {
            let crowd = part.bucket(bucket);
            spread(number * SAMPLES * crowd.len() / count, crowd.len()).map(|place| crowd[place]).collect()
        };
        let mut sample: Vec<u64> = parts.iter().flat_map(sampled).collect();
        sample.sort_unstable();
        let splitters: Vec<u64> = sample.chunks(SAMPLES).skip(1).map(|chunk| chunk[0]).collect();
        let dealt_to = splitters.len() + 1;
        let greatest = parallel::map(parts.len(), &|part| parts[part].bucket(bucket).iter().max().copied());
        let splitters = Splitters::new(splitters, greatest.into_iter().flatten().max().unwrap_or(0));
        parallel::each_of(parts.iter_mut(), &|part| part.deal_again(bucket, &splitters));
        whole.splice(bucket..=bucket, std::iter::repeat_n(true, dealt_to));
    }
}

/// The words of one part of the image, grouped by bucket.
pub(super) struct Dealt {
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
pub(super) struct Splitters {
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
    use crate::cubical::{Order, Periodic, Shape};

    fn is_sorted<T: Voxel>(voxels: &[T]) {
        let mut shapes = vec![vec![voxels.len()]];
        if voxels.len().is_multiple_of(4) {
            shapes.push(vec![voxels.len() / 4, 4]);
        }
        for (axes, order) in shapes.iter().flat_map(|axes| [(axes, Order::C), (axes, Order::F)]) {
            let layout = GridLayout::new(Shape::new(axes, order).unwrap(), Periodic::default()).unwrap();
            for (superlevel, reversed) in [(false, false), (true, false), (false, true), (true, true)] {
                let mut expected: Vec<usize> = (0..voxels.len()).collect();
                expected.sort_by_key(|&place| (voxels[place].ordered(superlevel), layout.on_grid(place)));
                if reversed {
                    expected.reverse();
                }
                let mut before = None;
                let mark = |&place: &usize| {
                    let key = voxels[place].key();
                    let is_first = before.replace(key) != Some(key);
                    layout.on_grid(place) as u32 | if is_first { FIRST } else { 0 }
                };
                let expected: Vec<u32> = expected.iter().map(mark).collect();
                let found = {
                    let keyed = Keyed::new(voxels, superlevel);
                    super::order(&keyed, &layout, range(&keyed), reversed, &())
                };
                assert!(found == expected, "{axes:?} of {}", T::NAME);
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
        let layout = GridLayout::new(Shape::new(axes, Order::C).unwrap(), Periodic::default()).unwrap();
        let keyed = Keyed::new(voxels, false);
        let buckets = deal(&Words::new(&keyed, &layout, range(&keyed)), &());
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
