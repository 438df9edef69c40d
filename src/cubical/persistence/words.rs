//! Distribution sort of nearly uniform 64-bit words.

/// Buffers reused between sorts.
#[derive(Default)]
pub(super) struct Spare {
    words: Vec<u64>,
    ends: Vec<u32>,
}

/// Fewest words for which the distribution pays.
const FEW: usize = 64;
/// Average number of words per bin.
const OF_BIN: usize = 4;
/// Greatest number of words in a bin: with more, the words are not uniform, and a comparison sort is used.
const MOST: u32 = 24;

/// Sorts distinct words.
///
/// Each word is put in one of many bins by linear interpolation in the range, which brings it within a bin of its final
/// place; insertion sort does the rest.
pub(super) fn sort_even(words: &mut Vec<u64>, spare: &mut Spare) {
    let bins = words.len() / OF_BIN;
    let (least, greatest) = words.iter().fold((u64::MAX, 0), |(a, b), &word| (a.min(word), b.max(word)));
    if words.len() < FEW || u32::try_from(words.len()).is_err() {
        words.sort_unstable();
        return;
    }
    // Distinct words span at least as many numbers as there are bins, so the scale is below 2^64.
    let scale = ((bins as u128) << 64) / (u128::from(greatest - least) + 1);
    let bin = |word: u64| ((u128::from(word - least) * scale) >> 64) as usize;
    let Spare { words: dealt, ends } = spare;
    ends.clear();
    ends.resize(bins, 0);
    words.iter().for_each(|&word| ends[bin(word)] += 1);
    if ends.iter().any(|&count| count > MOST) {
        words.sort_unstable();
        return;
    }
    let mut start = 0;
    for end in ends.iter_mut() {
        start += std::mem::replace(end, start);
    }
    dealt.clear();
    dealt.resize(words.len(), 0);
    for &word in &*words {
        let end = &mut ends[bin(word)];
        dealt[*end as usize] = word;
        *end += 1;
    }
    for i in 1..dealt.len() {
        let word = dealt[i];
        let mut at = i;
        while at > 0 && dealt[at - 1] > word {
            dealt[at] = dealt[at - 1];
            at -= 1;
        }
        dealt[at] = word;
    }
    std::mem::swap(words, dealt);
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    #[test]
    fn words_in_any_distribution() {
        let mut rng = Pcg64Mcg::seed_from_u64(6);
        let mut spare = Spare::default();
        for count in [0, 1, 2, FEW - 1, FEW, FEW + 1, 5000] {
            let even = (0..count).map(|_| rng.random()).collect();
            let narrow = (0..count as u64).map(|i| i * 7919 % count as u64).collect();
            // All but a few words fall in one bin.
            let crowded = (0..count as u64).rev().map(|i| if i % 100 == 99 { i << 50 } else { i }).collect();
            let ends = (0..count as u64).map(|i| if i % 2 == 0 { i } else { u64::MAX - i }).collect();
            let cases: [Vec<u64>; 4] = [even, narrow, crowded, ends];
            for mut words in cases {
                let mut expected = words.clone();
                expected.sort_unstable();
                sort_even(&mut words, &mut spare);
                assert_eq!(words, expected);
            }
        }
    }
}
