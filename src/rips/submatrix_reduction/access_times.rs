//! Timing of accesses to the pair store.
//!
//! An access takes about as long as reading the clock. So the clock is read before and after one access in [`EVERY`],
//! the time of reading it is subtracted, and the rest is extrapolated to all accesses.

use std::time::Instant;

/// One access in this many is timed.
const EVERY: u64 = 64;
/// Number of clock readings used to measure the time of one.
const READINGS: usize = 1 << 10;

/// Accesses of one kind, with their times if they are timed.
#[derive(Default)]
pub(super) struct AccessTimes {
    accesses: u64,
    /// Number of timed accesses.
    timed: u64,
    /// Nanoseconds of the timed accesses, clock readings included.
    nanoseconds: u64,
}

impl AccessTimes {
    /// Counts an access at its start. Returns the time if this access is timed.
    #[inline]
    pub(super) fn begin(&mut self) -> Option<Instant> {
        let is_timed = self.accesses.is_multiple_of(EVERY);
        self.accesses += 1;
        is_timed.then(Instant::now)
    }

    /// Adds the time of an access at its end.
    #[inline]
    pub(super) fn end(&mut self, began: Option<Instant>) {
        if let Some(began) = began {
            self.timed += 1;
            // Half a millennium in nanoseconds fits 64 bits.
            self.nanoseconds += began.elapsed().as_nanos() as u64;
        }
    }

    /// Estimated seconds of all accesses, if reading the clock takes `clock` nanoseconds.
    pub(super) fn seconds(&self, clock: f64) -> f64 {
        if self.timed == 0 {
            return 0.0;
        }
        let each = (self.nanoseconds as f64 / self.timed as f64 - clock).max(0.0);
        1e-9 * each * self.accesses as f64
    }
}

/// Nanoseconds between two consecutive readings of the clock: the median of many.
pub(super) fn clock_nanoseconds() -> f64 {
    let mut readings: Vec<u128> = (0..READINGS).map(|_| Instant::now().elapsed().as_nanos()).collect();
    readings.sort_unstable();
    readings[READINGS / 2] as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_accesses_stand_for_all() {
        let mut times = AccessTimes::default();
        assert_eq!(times.seconds(10.0), 0.0);
        let began: Vec<_> = (0..2 * EVERY + 1).map(|_| times.begin()).collect();
        let timed: Vec<usize> = (0..began.len()).filter(|&access| began[access].is_some()).collect();
        assert_eq!(timed, [0, EVERY as usize, 2 * EVERY as usize]);
        began.into_iter().for_each(|began| times.end(began));
        times.nanoseconds = 330;
        assert_eq!((times.accesses, times.timed), (129, 3));
        assert!((times.seconds(10.0) - 129.0 * 100e-9).abs() < 1e-15);
        assert_eq!(times.seconds(1e9), 0.0);
    }

    #[test]
    fn reading_the_clock_takes_less_than_a_millisecond() {
        assert!((0.0..1e6).contains(&clock_nanoseconds()));
    }
}
