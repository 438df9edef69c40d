//! How long a stage takes.

use std::time::{Duration, Instant};

/// What `work` gives, and how long it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (work(), start.elapsed())
}
