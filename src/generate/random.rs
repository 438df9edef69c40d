//! Random numbers that are the same on every platform and in every version.

use libm::{cos, log, sqrt};
use rand_core::Rng;
use rand_pcg::Pcg64;
use std::f64::consts::TAU;

/// The stream constant of PCG's reference implementation.
const STREAM: u128 = 0x0a02_bdbf_7bb3_c0a7_ac28_fa16_a64a_bf96;

/// PCG XSL RR 128/64 (O'Neill 2014), seeded by its state.
#[derive(Debug, Clone)]
pub struct Random(Pcg64);

impl Random {
    /// Creates the generator of one input; inputs never share a generator.
    pub fn new(seed: u64) -> Self {
        Random(Pcg64::new(u128::from(seed), STREAM))
    }

    /// A uniform number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        unit(self.bits())
    }

    /// A uniform number in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// A Gaussian number of mean 0 and variance 1.
    pub fn gaussian(&mut self) -> f64 {
        gaussian([self.bits(), self.bits()])
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number in 0..`end`, with a bias below `end` / 2^64; `end` must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// A uniform number in `low`..=`high`.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high.abs_diff(low) as usize + 1) as i64
    }

    /// True with probability 1 / `one_in`.
    pub fn once_in(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    /// A uniformly chosen element of `from`.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A random permutation of 0..n.
    pub fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).for_each(|last| order.swap(last, self.below(last + 1)));
        order
    }
}

/// The number in [0, 1) of random bits: the upper 53 of them, times 2^−53, which needs no rounding.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// The Gaussian number of random bits (Box and Muller 1958): √(−2 ln u) cos 2πv for uniform u in (0, 1] and v.
pub(super) fn gaussian(bits: [u64; 2]) -> f64 {
    let [u, v] = bits.map(unit);
    sqrt(-2.0 * log(1.0 - u)) * cos(TAU * v)
}
