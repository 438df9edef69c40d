//! Times of stages.

use std::time::{Duration, Instant};

/// Result of `work` and the time that it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (work(), start.elapsed())
}
