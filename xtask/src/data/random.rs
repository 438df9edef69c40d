//! Random numbers that are the same on every platform, for ever.

use rand_core::Rng;
use rand_pcg::Pcg64;

/// The stream constant of PCG's reference implementation.
const STREAM: u128 = 0x0a02_bdbf_7bb3_c0a7_ac28_fa16_a64a_bf96;

/// PCG XSL RR 128/64 (O'Neill 2014), seeded by its state.
pub(super) struct Random(Pcg64);

impl Random {
    /// The generator of one input; inputs never share one.
    pub(super) fn new(seed: u64) -> Self {
        Random(Pcg64::new(u128::from(seed), STREAM))
    }

    /// Uniform in [0, 1): the upper 53 bits of a draw, times 2^−53, so that no rounding is involved.
    pub(super) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [low, high).
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }
}
