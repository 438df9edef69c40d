//! The bins of heights, in several directions at a time.

/// Number of directions that are computed together: a vector of doubles at every level of instructions.
pub(super) const LANES: usize = 8;

/// Number of vertices or cells whose bins are found before they are counted. In one loop with [`tally`] they would be
/// found lane by lane.
pub(super) const AT_ONCE: usize = 64;

/// Greatest number of bins, so that a bin is a `u32` and exact as a double.
pub(super) const MOST_BINS: usize = 1 << 30;

/// 2^52: from here on doubles are integers.
const NO_FRACTIONS: f64 = (1_u64 << 52) as f64;

/// Map from heights to bins: the bin of height h is the least k with h ≤ t_k. It is exact at −R, 0 and R. A single
/// sample is at R.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// (bins − 1) / 2R, so rounded that heights up to −R have a position of at most 0; 0 for a radius of 0.
    factor: f64,
    /// The position of height 0, (bins − 1) / 2. Added last, so that it is exact.
    middle: f64,
    /// The position of the last bin.
    last: f64,
    /// Heights above this are in no bin: the radius, if it is given. Otherwise heights exceed it only by rounding.
    limit: f64,
}

impl Scale {
    /// The map of this number of bins and this radius.
    pub(super) fn new(bins: usize, radius: f64, is_given: bool) -> Self {
        let last = (bins - 1) as f64;
        let (middle, limit) = (last / 2.0, if is_given { radius } else { f64::INFINITY });
        let factor = if radius > 0.0 { last / (2.0 * radius) } else { 0.0 };
        let factor = if radius > 0.0 && factor * radius < middle { factor.next_up() } else { factor };
        Scale { factor, middle, last, limit }
    }

    /// The bin of a height, up to the number of bins.
    #[inline(always)]
    pub(super) fn bin(self, height: f64) -> u32 {
        // Comparisons, as `f64::max` and `min` would take steps for NaN, which is no height.
        let position = height * self.factor + self.middle;
        let above = if position > 0.0 { position } else { 0.0 };
        let within = if above < self.last { above } else { self.last };
        let position = if height > self.limit { self.last + 1.0 } else { within };
        // Rounded up by arithmetic, so that the loop over directions is vectorized: a sum has no room for fractions,
        // and the integer nearest to the position is in its low bits.
        let sum = position + NO_FRACTIONS;
        sum.to_bits() as u32 + u32::from(sum - NO_FRACTIONS < position)
    }

    /// The bin of a height in each direction.
    #[inline(always)]
    pub(super) fn bins(self, heights: [f64; LANES]) -> [u32; LANES] {
        // Loops with indices, as adapters may not be inlined into functions with vector instructions.
        let mut bins = [0; LANES];
        for lane in 0..LANES {
            bins[lane] = self.bin(heights[lane]);
        }
        bins
    }
}

/// Up to [`LANES`] directions, which are computed together.
#[derive(Debug)]
pub(super) struct Batch {
    /// Indices of the directions.
    pub(super) directions: Vec<usize>,
    /// The components of the directions along each axis; 0 in lanes without a direction.
    pub(super) along: Vec<[f64; LANES]>,
}

/// Divides some of the directions into batches.
pub(super) fn batches(vectors: &[f64], dimension: usize, chosen: &[usize]) -> Vec<Batch> {
    let batch = |directions: &[usize]| {
        let lane = |axis: usize, lane: usize| {
            directions.get(lane).map_or(0.0, |direction| vectors[direction * dimension + axis])
        };
        let along = (0..dimension).map(|axis| std::array::from_fn(|k| lane(axis, k))).collect();
        Batch { directions: directions.to_vec(), along }
    };
    chosen.chunks(LANES).map(batch).collect()
}

/// Adds a weight to one bin of each lane's histogram; histograms lie one after the other, each of `stride` entries.
#[inline(always)]
pub(super) fn tally(histograms: &mut [f64], stride: usize, bins: [u32; LANES], weight: f64) {
    for (lane, bin) in bins.into_iter().enumerate() {
        histograms[lane * stride + bin as usize] += weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_ends_at_its_sample() {
        let scale = Scale::new(5, 2.0, false);
        let found = [-3.0, -2.0, -1.999, -1.0, 0.0, 1e-9, 1.0, 1.5, 2.0, 2.1].map(|height| scale.bin(height));
        assert_eq!(found, [0, 0, 1, 1, 2, 3, 3, 4, 4, 4]);
        let given = Scale::new(5, 2.0, true);
        assert_eq!([2.0, 2.1, 1e300, -1e300].map(|height| given.bin(height)), [4, 5, 5, 0]);
        assert_eq!((Scale::new(5, 0.0, false).bin(0.0), Scale::new(1, 1.0, false).bin(0.5)), (2, 0));
        for bins in 2..300 {
            for radius in [1e-300, 0.1, 0.7, 1.0, 3.0, 181.726_440_891_483_98, 1e300] {
                let found = [true, false].map(|is_given| {
                    let scale = Scale::new(bins, radius, is_given);
                    [-radius, 0.0, radius].map(|height| scale.bin(height) as usize)
                });
                assert_eq!(found, [[0, bins / 2, bins - 1]; 2], "{bins} {radius}");
            }
        }
    }
}
