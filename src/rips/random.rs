//! Pseudo-random numbers of tests, by a linear congruential generator.

/// The next number, of 31 bits.
pub(super) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// The next number from 0 to below 1.
pub(super) fn fraction(state: &mut u64) -> f64 {
    random(state) as f64 / (1u64 << 31) as f64
}
