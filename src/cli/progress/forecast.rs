//! How long a run will still take, as far as that can be said honestly.
//!
//! **A stage.** Of two guesses that one is taken which has moved less lately.
//! - By the last stage of the same name, since the units of one dimension are as uneven as those of the next: when as many parts of that
//!   stage's units were done, so many parts of its time had passed, and so it is taken to be here.
//! - By the stage itself: t = c·x^b, of x units done after t seconds. b is 1 where all units cost the same, above 1 where later ones cost
//!   more. It is what it was since half of these units were done; above 1, where small differences in it make large ones of time, it is
//!   believed only as far as the stage is done.
//!
//! **A run.** A computation tells which stages lie ahead and how their costs compare ([`Expected`]). What stages took that are over, or
//! almost over, compared with what they should have, says what the next will take. A stage of unknown cost is guessed to last as many times as
//! long as the one before it as the last stage of its name did. Where guesses and assumptions are much more than what is known,
//! nothing is said.
//!
//! **Trust.** What would have been said before is compared with what would be said now: as long as the end of the run moves, it is unknown.

use std::collections::HashMap;

use lacuna::progress::{Cost, Expected};

/// Seconds after which something can be said of a stage.
const LEAST_SECONDS: f64 = 0.3;
/// How much of a stage must be done for it.
const LEAST_PART: f64 = 0.005;
/// The powers that are believed.
const POWERS: std::ops::RangeInclusive<f64> = 0.3..=8.0;
/// The part of the run so far before which it does not matter any more what was thought.
const LATELY: f64 = 0.75;
/// By which factor the seconds left may differ from what would be left by what was thought lately.
const STEADY: f64 = 1.7;
/// By which part of the run so far they may differ besides.
const SLACK: f64 = 0.03;
/// How much more the guess by the last stage of the same name may move than that by a power, as a logarithm.
const PREFERENCE: f64 = 0.1;
/// How many times as long as what is known guesses may be.
const GUESSED: f64 = 3.0;
/// Looks at a stage from which it is known how uneven its units are.
const LEAST_LOOKS: usize = 5;
/// Points in time that are kept.
const MOST_KEPT: usize = 600;

/// What is expected of a run, and what came.
#[derive(Debug, Default)]
pub(super) struct Forecast {
    /// Stages that have not begun.
    ahead: Vec<Expected>,
    /// Stages that are over, of those that were expected.
    over: Vec<Over>,
    stage: Option<Stage>,
    /// Of the last stage of each name, the parts of its units and of its time, side by side.
    profiles: HashMap<String, Vec<(f64, f64)>>,
    /// Moments, and how many seconds the whole run was then thought to take, if anything was.
    thought: Track<Option<f64>>,
    /// Whether stages were told that lie ahead: else nothing is known of them.
    is_told: bool,
}

#[derive(Debug)]
struct Over {
    expected: Expected,
    seconds: f64,
}

/// The stage under way.
#[derive(Debug)]
struct Stage {
    name: String,
    expected: Option<Expected>,
    total: u64,
    begun: f64,
    /// Moments since it began, and the units done then.
    done: Track<u64>,
}

impl Forecast {
    /// These stages lie ahead.
    pub(super) fn expect(&mut self, stages: &[Expected]) {
        self.is_told = true;
        self.ahead = stages.to_vec();
    }

    /// A stage begins, `now` seconds after the run.
    pub(super) fn begin(&mut self, now: f64, stage: &str, dim: Option<usize>, total: u64) {
        if let Some(stage) = self.stage.take() {
            let seconds = now - stage.begun;
            if let Some(profile) = stage.profile(seconds) {
                self.profiles.insert(stage.name, profile);
            }
            self.over.extend(stage.expected.map(|expected| Over { expected, seconds }));
        }
        let is_it = |expected: &Expected| expected.stage == stage && expected.dim == dim;
        let expected = self.ahead.iter().position(is_it).and_then(|at| self.ahead.drain(..=at).next_back());
        self.stage =
            Some(Stage { name: stage.to_owned(), expected, total, begun: now, done: Track::default() });
    }

    /// So many units of the stage are done.
    pub(super) fn look(&mut self, now: f64, done: u64) {
        if let Some(stage) = &mut self.stage {
            stage.done.push(now - stage.begun, done);
        }
        let thought = self.guess(now).map(|left| now + left);
        self.thought.push(now, thought);
    }

    /// Units of the stage that are done in a second, lately.
    pub(super) fn rate(&self) -> Option<f64> {
        let stage = self.stage.as_ref().filter(|stage| stage.is_counted())?;
        let (seconds, done) = stage.done.last()?;
        let (earlier, before) = stage.done.at(seconds / 2.0).unwrap_or((0.0, 0));
        (seconds > earlier).then(|| (done - before) as f64 / (seconds - earlier))
    }

    /// Seconds that the run will still take; none if that is unknown.
    pub(super) fn left(&self, now: f64) -> Option<f64> {
        let left = self.guess(now)?;
        // What would be left by what was thought then. Near the end, small differences do no harm.
        let mut lately = self.thought.since(now * LATELY).flatten().map(|end| end - now);
        lately.all(|other| left.max(other) <= STEADY * left.min(other) + SLACK * now).then_some(left)
    }

    /// What would be said if it were trusted.
    fn guess(&self, now: f64) -> Option<f64> {
        let stage = self.stage.as_ref().filter(|_| self.is_told)?;
        let elapsed = now - stage.begun;
        let known = |expected: &Expected| match expected.cost {
            Cost::Known(cost) => Some(cost),
            Cost::Assumed(_) | Cost::Unknown => None,
        };
        let mut over: Vec<(f64, f64)> =
            self.over.iter().filter_map(|of| known(&of.expected).map(|cost| (cost, of.seconds))).collect();
        let left = match (stage.left(self.profiles.get(&stage.name)), stage.expected.as_ref().and_then(known))
        {
            (Some(left), cost) => {
                over.extend(cost.map(|cost| (cost, elapsed + left)));
                left
            }
            // What is not counted, or has hardly begun, takes what it should.
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

    /// How many times as long as the stage before it the last stage of this name took, and whether both took long enough to tell.
    fn ratio(&self, stage: &str) -> Option<(f64, bool)> {
        let last = self.over.iter().rposition(|of| of.expected.stage == stage).filter(|&at| at > 0)?;
        let [before, own] = [last - 1, last].map(|at| self.over[at].seconds);
        Some((own / before.max(1e-3), before.min(own) > LEAST_SECONDS))
    }
}

/// Seconds for each unit of cost; of short stages not much can be learnt.
fn speed(over: &[(f64, f64)]) -> Option<f64> {
    let (cost, seconds) = over.iter().fold((0.0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
    (cost > 0.0 && seconds > LEAST_SECONDS).then(|| seconds / cost)
}

impl Stage {
    /// Whether its units are told.
    fn is_counted(&self) -> bool {
        self.total > 1
    }

    /// The parts of its units and of its time, now that it is over after so many seconds; none if it was too short to tell.
    fn profile(&self, seconds: f64) -> Option<Vec<(f64, f64)>> {
        let of = |&(at, done): &(f64, u64)| (done as f64 / self.total as f64, at / seconds);
        let is_told = self.is_counted() && self.done.0.len() >= LEAST_LOOKS;
        is_told.then(|| self.done.0.iter().map(of).chain([(1.0, 1.0)]).collect())
    }

    /// Seconds that it will still take, if it has the profile of the last stage of its name.
    fn left(&self, profile: Option<&Vec<(f64, f64)>>) -> Option<f64> {
        let (seconds, done) = self.done.last()?;
        let (done, total) = (done as f64, self.total as f64);
        // What goes on when all units are done has no measure.
        let is_under_way = done >= LEAST_PART * total && done < total;
        if !self.is_counted() || seconds < LEAST_SECONDS || !is_under_way {
            return None;
        }
        let at = |ways: &dyn Fn((f64, f64)) -> Option<f64>| -> Option<(f64, f64)> {
            // What moved less since a while ago is the better guess.
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

    /// The seconds of the whole stage, by a power of the units that were done at a moment.
    fn by_power(&self, (seconds, done): (f64, f64)) -> Option<f64> {
        let part = done / self.total as f64;
        let (earlier, before) = self.done.find(|&(_, before)| 2.0 * before as f64 >= done)?;
        let power = (seconds / earlier).ln() / (done / before as f64).ln();
        let power = if power.is_finite() { power.clamp(*POWERS.start(), *POWERS.end()) } else { 1.0 };
        let power = if power > 1.0 { 1.0 + (power - 1.0) * part.sqrt() } else { power };
        (part > 0.0).then(|| seconds * (1.0 / part).powf(power))
    }

    /// The seconds of the whole stage, by those of the last of its name.
    fn by_profile(&self, profile: &[(f64, f64)], (seconds, done): (f64, f64)) -> Option<f64> {
        let part = part_of_time(profile, done / self.total as f64);
        (part > LEAST_PART).then(|| seconds / part)
    }
}

/// The part of the time by the part of the units, along straight lines from one look to the next.
fn part_of_time(profile: &[(f64, f64)], units: f64) -> f64 {
    let next = profile.partition_point(|&(before, _)| before < units);
    let (x, t) = profile.get(next).copied().unwrap_or((1.0, 1.0));
    let (before, earlier) = next.checked_sub(1).map_or((0.0, 0.0), |last| profile[last]);
    if x > before { earlier + (t - earlier) * (units - before) / (x - before) } else { t }
}

/// Moments in their order, and what was so at each: all of the last ones, fewer of the first.
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

    /// The first moment for which something holds that holds from then on.
    fn find(&self, holds: impl Fn(&(f64, T)) -> bool) -> Option<(f64, T)> {
        self.0.get(self.0.partition_point(|moment| !holds(moment))).copied()
    }

    /// The first moment not before this one.
    fn at(&self, moment: f64) -> Option<(f64, T)> {
        self.find(|&(at, _)| at >= moment)
    }

    /// What was so from a moment on.
    fn since(&self, moment: f64) -> impl Iterator<Item = T> {
        self.0[self.0.partition_point(|&(at, _)| at < moment)..].iter().map(|&(_, what)| what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn expected(stage: &'static str, cost: Cost) -> Expected {
        Expected { stage, dim: None, cost }
    }

    /// A stage, its seconds, and the part of its units that is done by the part of its time.
    type Simulated<'a> = (&'a str, f64, &'a dyn Fn(f64) -> f64);

    /// Looks every tenth of a second at stages that take so many seconds, of which `done` tells the part done at a part of the time; tells the
    /// worst factor between what was said and what was so past a fifth of the run, and how often something was said.
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
            forecast.expect(&[expected("a", Cost::Unknown)]);
            let (worst, said) = worst(&mut forecast, &[("a", 30.0, &|part: f64| part.powf(1.0 / power))]);
            assert!(worst < 1.6 && said > 0.9, "power {power}: {worst} {said}");
        }
    }

    /// The first third of the units takes two thirds of the time, in each dimension.
    #[test]
    fn the_next_dimension_is_as_uneven_as_the_last() {
        let mut forecast = Forecast::default();
        let stages = [Cost::Known(1.0), Cost::Known(20.0)].map(|cost| expected("a", cost));
        forecast.expect(&stages);
        let uneven = |part: f64| if part < 2.0 / 3.0 { part / 2.0 } else { 2.0 * part - 1.0 };
        let (worst, said) = worst(&mut forecast, &[("a", 2.0, &uneven), ("a", 40.0, &uneven)]);
        assert!(worst < 1.1 && said > 0.9, "{worst} {said}");
    }

    #[test]
    fn stages_ahead_are_measured_by_those_before() {
        let mut forecast = Forecast::default();
        forecast.expect(&[
            expected("a", Cost::Known(2.0)),
            expected("b", Cost::Known(6.0)),
            expected("c", Cost::Known(1.0)),
        ]);
        let even = |part: f64| part;
        let (worst, said) = worst(&mut forecast, &[("a", 4.0, &even), ("b", 12.0, &even), ("c", 2.0, &even)]);
        assert!(worst < 1.1 && said > 0.95, "{worst} {said}");
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        // Nothing was told of what lies ahead.
        let even = |part: f64| part;
        assert_eq!(worst(&mut Forecast::default(), &[("a", 10.0, &even)]), (1.0, 0.0));
        // All that matters is unknown until it begins.
        let mut forecast = Forecast::default();
        forecast.expect(&[
            expected("a", Cost::Known(1.0)),
            expected("b", Cost::Unknown),
            expected("b", Cost::Unknown),
            expected("b", Cost::Unknown),
        ]);
        forecast.begin(0.0, "a", None, 100);
        for tick in 1..50_u8 {
            forecast.look(f64::from(tick) / 10.0, tick.into());
        }
        assert_eq!(forecast.left(5.0), None);
        assert_eq!(forecast.rate().map(f64::round), Some(10.0));
        // Units of which the last few cost almost all.
        let mut forecast = Forecast::default();
        forecast.expect(&[expected("a", Cost::Unknown)]);
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
