//! Pairs of boundary matrices and their cycles.

mod cycles;
mod reduction;

use lacuna::matrix::Algorithm;

/// The algorithms that run on several threads.
pub(crate) const PARALLEL: [Algorithm; 6] = [
    Algorithm::Sieve,
    Algorithm::Hypha,
    Algorithm::SsPlus,
    Algorithm::SpectralSequence,
    Algorithm::Chunk,
    Algorithm::LockFree,
];
