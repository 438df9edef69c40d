//! Estimates of the remaining time of a run, withheld where they are not reliable.
//!
//! **A stage.** Two estimates are computed, and the one that has moved less recently is used.
//! - By profile: the last stage of the same name is taken as a model, since the units of one dimension are as uneven as
//!   those of the next. The fraction of units done implies the fraction of time that had then passed in the model.
//! - By power law: t = c·x^b for x units done after t seconds. b is 1 where all units cost the same, and above 1 where
//!   later ones cost more. It is fitted to the second half of the units done so far. An exponent above 1, where small
//!   differences in b make large ones in time, is drawn towards 1 while little of the stage is done.
//!
//! **A run.** A computation announces the stages that lie ahead and their relative costs ([`Expected`]). Dividing the
//! time of completed or almost completed stages by their cost gives the speed for the next ones. A stage of unknown
//! cost is estimated by its ratio to the stage before it, as in the last stage of the same name. No estimate is given
//! where guesses far outweigh what is known.
//!
//! **Trust.** An estimate is given only if recent estimates of the end of the run agree with it.

use hashbrown::HashMap;
use lacuna::progress::{Cost, Expected};

/// Seconds of a stage before its estimates are used.
const LEAST_SECONDS: f64 = 0.3;
/// Fraction of a stage that must be done before its estimates are used.
const LEAST_PART: f64 = 0.005;
/// Range to which the exponent b is clamped.
const POWERS: std::ops::RangeInclusive<f64> = 0.3..=8.0;
/// Estimates made before this fraction of the elapsed time are ignored.
const LATELY: f64 = 0.75;
/// Largest factor between the remaining time now and by recent estimates.
const STEADY: f64 = 1.7;
/// Additional tolerance for that comparison, as a fraction of the elapsed time.
const SLACK: f64 = 0.03;
/// Handicap, as a logarithm, by which the profile estimate may move more than the power law and still be preferred.
const PREFERENCE: f64 = 0.1;
/// Largest ratio of guessed time to known time for an estimate to be given.
const GUESSED: f64 = 3.0;
/// Number of observations from which the profile of a stage is known.
const LEAST_LOOKS: usize = 5;
/// Maximal number of points in a track.
const MOST_KEPT: usize = 600;

/// The expected stages of a run, and what has been observed.
#[derive(Debug, Default)]
pub(super) struct Forecast {
    /// Stages that have not begun.
    ahead: Vec<Expected>,
    /// Completed stages, of those that were expected, with their seconds.
    over: Vec<(Expected, f64)>,
    stage: Option<Stage>,
    /// Profile of the last stage of each name: pairs of a fraction of its units and the fraction of its time.
    profiles: HashMap<String, Vec<(f64, f64)>>,
    /// Past estimates of the total time of the run, with the moments at which they were made.
    thought: Track<Option<f64>>,
    /// Whether the stages ahead were announced; otherwise nothing is known of them.
    is_told: bool,
}

/// The current stage.
#[derive(Debug)]
struct Stage {
    name: String,
    expected: Option<Expected>,
    total: u64,
    begun: f64,
    /// Units done, by seconds since the stage began.
    done: Track<u64>,
}

impl Forecast {
    /// Announces the stages that lie ahead.
    pub(super) fn expect(&mut self, stages: &[Expected]) {
        self.is_told = true;
        self.ahead = stages.to_vec();
    }

    /// Begins a stage, `now` seconds after the start of the run.
    pub(super) fn begin(&mut self, now: f64, stage: &str, dim: Option<usize>, total: u64) {
        if let Some(stage) = self.stage.take() {
            let seconds = now - stage.begun;
            if let Some(profile) = stage.profile(seconds) {
                self.profiles.insert(stage.name, profile);
            }
            self.over.extend(stage.expected.map(|expected| (expected, seconds)));
        }
        let is_it = |expected: &Expected| expected.stage == stage && expected.dim == dim;
        let expected = self.ahead.iter().position(is_it).and_then(|at| self.ahead.drain(..=at).next_back());
        self.stage =
            Some(Stage { name: stage.to_owned(), expected, total, begun: now, done: Track::default() });
    }

    /// Records that `done` units of the stage are complete.
    pub(super) fn look(&mut self, now: f64, done: u64) {
        if let Some(stage) = &mut self.stage {
            stage.done.push(now - stage.begun, done);
        }
        let thought = self.guess(now).map(|left| now + left);
        self.thought.push(now, thought);
    }

    /// Recent number of units per second in the current stage.
    pub(super) fn rate(&self) -> Option<f64> {
        let stage = self.stage.as_ref().filter(|stage| stage.is_counted())?;
        let (seconds, done) = stage.done.last()?;
        let (earlier, before) = stage.done.at(seconds / 2.0).unwrap_or((0.0, 0));
        (seconds > earlier).then(|| (done - before) as f64 / (seconds - earlier))
    }

    /// Remaining seconds of the run; `None` if unknown.
    pub(super) fn left(&self, now: f64) -> Option<f64> {
        let left = self.guess(now)?;
        // Remaining time by recent estimates. The slack tolerates small differences near the end.
        let mut lately = self.thought.since(now * LATELY).flatten().map(|end| end - now);
        lately.all(|other| left.max(other) <= STEADY * left.min(other) + SLACK * now).then_some(left)
    }

    /// Remaining seconds, whether or not the estimate is reliable.
    fn guess(&self, now: f64) -> Option<f64> {
        let stage = self.stage.as_ref().filter(|_| self.is_told)?;
        let elapsed = now - stage.begun;
        let known = |expected: &Expected| match expected.cost {
            Cost::Known(cost) => Some(cost),
            Cost::Assumed(_) | Cost::Unknown => None,
        };
        let mut over: Vec<(f64, f64)> =
            self.over.iter().filter_map(|(of, seconds)| known(of).map(|cost| (cost, *seconds))).collect();
        let left = match (stage.left(self.profiles.get(&stage.name)), stage.expected.as_ref().and_then(known))
        {
            (Some(left), cost) => {
                over.extend(cost.map(|cost| (cost, elapsed + left)));
                left
            }
            // A stage that is not counted, or has hardly begun, is estimated by its cost.
            (None, Some(cost)) => (speed(&over)? * cost - elapsed).max(0.0),
            (None, None) => return None,
        };
        let mut before = elapsed + left;
        let (mut sure, mut guessed) = (left, 0.0);
        for expected in &self.ahead {
            match expected.cost {
                Cost::Known(cost) => {
                    before = speed(&over)? * cost;
                    sure += before;
                }
                Cost::Assumed(cost) => guessed += speed(&over)? * cost,
                Cost::Unknown => match self.ratio(expected.stage)? {
                    (ratio, true) => sure += ratio * before,
                    (ratio, false) => guessed += ratio * before,
                },
            }
        }
        (guessed <= GUESSED * sure).then_some(sure + guessed)
    }

    /// Ratio of the last stage of this name to the stage before it, and whether both were long enough for the ratio to
    /// be meaningful.
    fn ratio(&self, stage: &str) -> Option<(f64, bool)> {
        let last = self.over.iter().rposition(|(of, _)| of.stage == stage).filter(|&at| at > 0)?;
        let [before, own] = [last - 1, last].map(|at| self.over[at].1);
        Some((own / before.max(1e-3), before.min(own) > LEAST_SECONDS))
    }
}

/// Seconds per unit of cost; `None` if too little time has been measured.
fn speed(over: &[(f64, f64)]) -> Option<f64> {
    let (cost, seconds) = over.iter().fold((0.0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
    (cost > 0.0 && seconds > LEAST_SECONDS).then(|| seconds / cost)
}

impl Stage {
    /// Whether the units of the stage are counted.
    fn is_counted(&self) -> bool {
        self.total > 1
    }

    /// Profile of the stage, which took `seconds` in all; `None` if it was too short.
    fn profile(&self, seconds: f64) -> Option<Vec<(f64, f64)>> {
        let of = |&(at, done): &(f64, u64)| (done as f64 / self.total as f64, at / seconds);
        let is_told = self.is_counted() && self.done.0.len() >= LEAST_LOOKS;
        is_told.then(|| self.done.0.iter().map(of).chain([(1.0, 1.0)]).collect())
    }

    /// Remaining seconds of the stage; `profile` is that of the last stage of the same name.
    fn left(&self, profile: Option<&Vec<(f64, f64)>>) -> Option<f64> {
        let (seconds, done) = self.done.last()?;
        let (done, total) = (done as f64, self.total as f64);
        // Work that continues after all units are done cannot be measured.
        let is_under_way = done >= LEAST_PART * total && done < total;
        if !self.is_counted() || seconds < LEAST_SECONDS || !is_under_way {
            return None;
        }
        let at = |ways: &dyn Fn((f64, f64)) -> Option<f64>| -> Option<(f64, f64)> {
            // The estimate that moved less since an earlier moment is the better one.
            let (earlier, before) = self.done.at(seconds * LATELY)?;
            let (now, then) = (ways((seconds, done))?, ways((earlier, before as f64))?);
            Some(((now / then).ln().abs(), now))
        };
        let by_power = at(&|moment| self.by_power(moment));
        let by_profile = profile.and_then(|profile| at(&|moment| self.by_profile(profile, moment)));
        let by_profile = by_profile.map(|(moved, whole)| (moved - PREFERENCE, whole));
        let best = by_power.into_iter().chain(by_profile).min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((best.1 - seconds).max(0.0))
    }

    /// Total seconds of the stage by the power law, from the units done at a moment.
    fn by_power(&self, (seconds, done): (f64, f64)) -> Option<f64> {
        let part = done / self.total as f64;
        let (earlier, before) = self.done.find(|&(_, before)| 2.0 * before as f64 >= done)?;
        let power = (seconds / earlier).ln() / (done / before as f64).ln();
        let power = if power.is_finite() { power.clamp(*POWERS.start(), *POWERS.end()) } else { 1.0 };
        let power = if power > 1.0 { 1.0 + (power - 1.0) * part.sqrt() } else { power };
        (part > 0.0).then(|| seconds * (1.0 / part).powf(power))
    }

    /// Total seconds of the stage by the profile of the last one of its name.
    fn by_profile(&self, profile: &[(f64, f64)], (seconds, done): (f64, f64)) -> Option<f64> {
        let part = part_of_time(profile, done / self.total as f64);
        (part > LEAST_PART).then(|| seconds / part)
    }
}

/// Fraction of time for a fraction of units, by linear interpolation of the profile.
fn part_of_time(profile: &[(f64, f64)], units: f64) -> f64 {
    let next = profile.partition_point(|&(before, _)| before < units);
    let (x, t) = profile.get(next).copied().unwrap_or((1.0, 1.0));
    let (before, earlier) = next.checked_sub(1).map_or((0.0, 0.0), |last| profile[last]);
    if x > before { earlier + (t - earlier) * (units - before) / (x - before) } else { t }
}

/// Values at moments in ascending order: all recent ones, and a thinned selection of older ones.
#[derive(Debug)]
struct Track<T>(Vec<(f64, T)>);

impl<T> Default for Track<T> {
    fn default() -> Self {
        Track(Vec::new())
    }
}

impl<T: Copy> Track<T> {
    fn push(&mut self, now: f64, what: T) {
        if self.0.len() == MOST_KEPT {
            let mut number = 0;
            self.0.retain(|_| {
                number += 1;
                number % 2 == 0
            });
        }
        self.0.push((now, what));
    }

    fn last(&self) -> Option<(f64, T)> {
        self.0.last().copied()
    }

    /// The first moment for which `holds` is true, given that it stays true afterwards.
    fn find(&self, holds: impl Fn(&(f64, T)) -> bool) -> Option<(f64, T)> {
        self.0.get(self.0.partition_point(|moment| !holds(moment))).copied()
    }

    /// The first entry at or after this moment.
    fn at(&self, moment: f64) -> Option<(f64, T)> {
        self.find(|&(at, _)| at >= moment)
    }

    /// The values from this moment on.
    fn since(&self, moment: f64) -> impl Iterator<Item = T> {
        self.0[self.0.partition_point(|&(at, _)| at < moment)..].iter().map(|&(_, what)| what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stage's name and seconds, and the fraction of its units done as a function of the fraction of its time.
    type Simulated<'a> = (&'a str, f64, &'a dyn Fn(f64) -> f64);

    /// Simulates the stages, observed every tenth of a second. Returns the worst factor between estimate and truth
    /// after the first fifth of the run, and the fraction of observations that gave an estimate.
    fn worst(forecast: &mut Forecast, stages: &[Simulated<'_>]) -> (f64, f64) {
        let all: f64 = stages.iter().map(|stage| stage.1).sum();
        let (mut begun, mut worst, mut said, mut looks) = (0.0, 1.0_f64, 0.0, 0.0);
        for &(stage, seconds, done) in stages {
            forecast.begin(begun, stage, None, 1 << 20);
            for tick in 1..(10.0 * seconds) as usize {
                let within = tick as f64 / 10.0;
                let now = begun + within;
                forecast.look(now, (done(within / seconds) * f64::from(1 << 20)) as u64);
                if now < 0.2 * all || now > 0.98 * all {
                    continue;
                }
                looks += 1.0;
                if let Some(left) = forecast.left(now) {
                    said += 1.0;
                    worst = worst.max(left / (all - now)).max((all - now) / left);
                }
            }
            begun += seconds;
        }
        (worst, said / looks)
    }

    #[test]
    fn units_that_cost_ever_more_or_ever_less() {
        for power in [0.5, 1.0, 2.0, 4.0] {
            let mut forecast = Forecast::default();
            forecast.expect(&[Expected::of("a", Cost::Unknown)]);
            let (worst, said) = worst(&mut forecast, &[("a", 30.0, &|part: f64| part.powf(1.0 / power))]);
            assert!(worst < 1.6 && said > 0.9, "power {power}: {worst} {said}");
        }
    }

    /// In each dimension, the first third of the units takes two thirds of the time.
    #[test]
    fn the_next_dimension_is_as_uneven_as_the_last() {
        let mut forecast = Forecast::default();
        let stages = [Cost::Known(1.0), Cost::Known(20.0)].map(|cost| Expected::of("a", cost));
        forecast.expect(&stages);
        let uneven = |part: f64| if part < 2.0 / 3.0 { part / 2.0 } else { 2.0 * part - 1.0 };
        let (worst, said) = worst(&mut forecast, &[("a", 2.0, &uneven), ("a", 40.0, &uneven)]);
        assert!(worst < 1.1 && said > 0.9, "{worst} {said}");
    }

    #[test]
    fn stages_ahead_are_measured_by_those_before() {
        let mut forecast = Forecast::default();
        forecast.expect(&[
            Expected::of("a", Cost::Known(2.0)),
            Expected::of("b", Cost::Known(6.0)),
            Expected::of("c", Cost::Known(1.0)),
        ]);
        let even = |part: f64| part;
        let (worst, said) = worst(&mut forecast, &[("a", 4.0, &even), ("b", 12.0, &even), ("c", 2.0, &even)]);
        assert!(worst < 1.1 && said > 0.95, "{worst} {said}");
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        // No stages were announced.
        let even = |part: f64| part;
        assert_eq!(worst(&mut Forecast::default(), &[("a", 10.0, &even)]), (1.0, 0.0));
        // The dominant stage is of unknown cost until it begins.
        let mut forecast = Forecast::default();
        forecast.expect(&[
            Expected::of("a", Cost::Known(1.0)),
            Expected::of("b", Cost::Unknown),
            Expected::of("b", Cost::Unknown),
            Expected::of("b", Cost::Unknown),
        ]);
        forecast.begin(0.0, "a", None, 100);
        for tick in 1..50_u8 {
            forecast.look(f64::from(tick) / 10.0, tick.into());
        }
        assert_eq!(forecast.left(5.0), None);
        assert_eq!(forecast.rate().map(f64::round), Some(10.0));
        // Almost all of the cost is in the last few units.
        let mut forecast = Forecast::default();
        forecast.expect(&[Expected::of("a", Cost::Unknown)]);
        let late = |part: f64| if part < 0.1 { 9.9 * part } else { 0.99 + (part - 0.1) / 90.0 };
        let (_, said) = worst(&mut forecast, &[("a", 100.0, &late)]);
        assert!(said < 0.9, "{said}");
    }

    #[test]
    fn tracks_forget_evenly() {
        let mut track = Track::default();
        (0..10 * MOST_KEPT).for_each(|k| track.push(k as f64, k));
        assert!(track.0.len() <= MOST_KEPT && track.0.len() >= MOST_KEPT / 2);
        assert_eq!(track.last(), Some(((10 * MOST_KEPT - 1) as f64, 10 * MOST_KEPT - 1)));
        let (at, _) = track.at(100.0).unwrap();
        assert!((100.0..4000.0).contains(&at), "{at}");
        assert!(track.0.is_sorted_by(|a, b| a.0 < b.0));
    }
}
