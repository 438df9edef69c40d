//! Runs cases on several workers until the time is up, watches them, and reports the results.
//!
//! A worker takes the subject that has received the smallest part of its share of time. Workers are never waited for: a
//! case that takes too long fails, and another worker replaces the one that runs it.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::panics::WORKER;
use super::pools::Pools;
use super::subject::{AnySubject, Minimal, kind};

/// Longest duration of a case; beyond it, the case hangs or is too large.
pub(super) const LONGEST: Duration = Duration::from_secs(30);
/// Interval between two checks of the workers.
const TICK: Duration = Duration::from_millis(100);
/// Interval between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(5);

/// A campaign on several subjects.
pub(super) struct Campaign {
    subjects: Vec<&'static dyn AnySubject>,
    /// Seed of the first case of each subject.
    first: u64,
    /// Longest duration of a case.
    longest: Duration,
}

/// State shared by the workers and the thread that watches them.
struct Shared {
    subjects: Vec<&'static dyn AnySubject>,
    /// Seed of the next case of each subject.
    next: Vec<AtomicU64>,
    tallies: Mutex<Vec<Tally>>,
    longest: Duration,
    is_over: AtomicBool,
}

/// Results of the cases of a subject.
#[derive(Debug, Default, Clone)]
struct Tally {
    cases: u64,
    failures: u64,
    time: Duration,
    options: HashSet<u64>,
    /// First seed and number of failures, by kind of failure.
    kinds: BTreeMap<String, (u64, u64)>,
}

/// The current case of a worker: subject, seed, start.
type Slot = Arc<Mutex<Option<(usize, u64, Instant)>>>;

/// Panics of workers are caught, so the shared state is consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|broken| broken.into_inner())
}

impl Campaign {
    pub(super) fn new(subjects: Vec<&'static dyn AnySubject>, first: u64) -> Self {
        Campaign { subjects, first, longest: LONGEST }
    }

    /// Runs for some seconds; returns the number of failed cases.
    pub(super) fn run(self, seconds: u64, workers: usize) -> usize {
        let Campaign { subjects, first, longest } = self;
        println!("campaign of {seconds} s on {workers} threads, seeds from {first}");
        let shared = Arc::new(Shared {
            next: subjects.iter().map(|_| AtomicU64::new(first)).collect(),
            tallies: Mutex::new(vec![Tally::default(); subjects.len()]),
            is_over: AtomicBool::new(false),
            longest,
            subjects,
        });
        let start = Instant::now();
        let mut slots: Vec<Slot> = (0..workers).map(|number| shared.start(number)).collect();
        let mut told = start;
        while start.elapsed() < Duration::from_secs(seconds) {
            std::thread::sleep(TICK);
            for number in 0..slots.len() {
                if shared.hangs(&slots[number]) {
                    slots[number] = shared.start(slots.len() + number);
                }
            }
            if told.elapsed() >= PROGRESS {
                told = Instant::now();
                shared.progress(start.elapsed());
            }
        }
        shared.is_over.store(true, Ordering::Relaxed);
        // Running cases may finish, and are minimised if they fail.
        while slots.iter().any(|slot| lock(slot).is_some()) {
            std::thread::sleep(TICK / 10);
            slots.retain(|slot| !shared.hangs(slot));
        }
        shared.table(start.elapsed())
    }
}

impl Shared {
    /// Starts a worker.
    fn start(self: &Arc<Self>, number: usize) -> Slot {
        let slot = Slot::default();
        let (shared, own) = (Arc::clone(self), Arc::clone(&slot));
        let name = format!("{WORKER} {number}");
        let work = {
            let name = name.clone();
            move || shared.work(&own, &Pools::new(&name))
        };
        if let Err(error) = std::thread::Builder::new().name(name).spawn(work) {
            println!("a thread did not start: {error}");
        }
        slot
    }

    /// The loop of a worker.
    fn work(&self, slot: &Slot, pools: &Pools) {
        let mut times = vec![Duration::ZERO; self.subjects.len()];
        while !self.is_over.load(Ordering::Relaxed) {
            let subject = (0..times.len()).min_by_key(|&k| times[k]).unwrap_or(0);
            let seed = self.next[subject].fetch_add(1, Ordering::Relaxed);
            let start = Instant::now();
            *lock(slot) = Some((subject, seed, start));
            let outcome = self.subjects[subject].run(seed, pools);
            let took = start.elapsed();
            times[subject] += took / self.subjects[subject].share();
            // A worker that was abandoned while it ran does not count.
            if lock(slot).is_none() {
                return;
            }
            let mut tallies = lock(&self.tallies);
            let tally = &mut tallies[subject];
            tally.cases += 1;
            tally.time += took;
            tally.options.insert(outcome.options);
            if let Some(failure) = outcome.failure {
                let is_new = tally.fail(&failure, seed);
                drop(tallies);
                if is_new {
                    *lock(slot) = Some((subject, seed, Instant::now()));
                    let minimal = self.subjects[subject].minimise(seed, pools);
                    // Minimising may hang even if the case did not.
                    if lock(slot).is_none() {
                        return;
                    }
                    self.tell(subject, seed, &failure, minimal);
                }
            }
            *lock(slot) = None;
        }
    }

    /// Whether a worker's case takes too long, which is recorded as a failure.
    fn hangs(&self, slot: &Slot) -> bool {
        let mut current = lock(slot);
        let Some((subject, seed, since)) = *current else { return false };
        if since.elapsed() <= self.longest {
            return false;
        }
        *current = None;
        drop(current);
        let failure = format!("the case takes longer than {} s", self.longest.as_secs());
        let mut tallies = lock(&self.tallies);
        tallies[subject].cases += 1;
        if tallies[subject].fail(&failure, seed) {
            drop(tallies);
            self.tell(subject, seed, &failure, None);
        }
        true
    }

    /// Reports a failure.
    fn tell(&self, subject: usize, seed: u64, failure: &str, minimal: Option<Minimal>) {
        let subject = self.subjects[subject];
        let name = subject.name();
        let Minimal { case, failure } =
            minimal.unwrap_or_else(|| Minimal { case: subject.describe(seed), failure: failure.to_owned() });
        println!(
            "\nFAILED {name}, seed {seed}: {failure}\n  smallest: {case}\n  again: cargo xtask campaign --only {name} --case {seed}\n"
        );
    }

    fn progress(&self, elapsed: Duration) {
        let tallies = lock(&self.tallies);
        let of = |(subject, tally): (&&dyn AnySubject, &Tally)| {
            let rate = tally.cases as f64 / tally.time.as_secs_f64().max(1e-9);
            format!("{} {} ({rate:.0}/s)", subject.name(), tally.cases)
        };
        let subjects: Vec<String> = self.subjects.iter().zip(tallies.iter()).map(of).collect();
        let (cases, failures) = sums(&tallies);
        println!("{:4} s  {cases} cases, {failures} failed: {}", elapsed.as_secs(), subjects.join(", "));
    }

    /// Prints the table of results; returns the number of failed cases.
    fn table(&self, elapsed: Duration) -> usize {
        let tallies = lock(&self.tallies);
        println!(
            "\n{:<10} {:>9} {:>10} {:>8} {:>9}  options crossed",
            "subject", "cases", "cases/s", "failed", "crossings"
        );
        for (subject, tally) in self.subjects.iter().zip(tallies.iter()) {
            let rate = tally.cases as f64 / tally.time.as_secs_f64().max(1e-9);
            let Tally { cases, failures, options, .. } = tally;
            let (name, crossings) = (subject.name(), options.len());
            println!(
                "{name:<10} {cases:>9} {rate:>10.0} {failures:>8} {crossings:>9}  {}",
                subject.crossed()
            );
        }
        for (subject, tally) in self.subjects.iter().zip(tallies.iter()) {
            for (kind, (seed, count)) in &tally.kinds {
                println!("{} times, {} from seed {seed} on: {kind}", count, subject.name());
            }
        }
        let (cases, failures) = sums(&tallies);
        let minutes = elapsed.as_secs_f64() / 60.0;
        println!("\n{:.0} cases a minute", cases as f64 / minutes.max(1e-9));
        println!("{} passed, {failures} failed", cases - failures);
        failures as usize
    }
}

impl Tally {
    /// Counts a failure; true if it is the first of its kind.
    fn fail(&mut self, failure: &str, seed: u64) -> bool {
        self.failures += 1;
        let (_, count) = self.kinds.entry(kind(failure)).or_insert((seed, 0));
        *count += 1;
        *count == 1
    }
}

/// Numbers of cases and failures of all subjects. A case that hangs counts as a case.
fn sums(tallies: &[Tally]) -> (u64, u64) {
    tallies.iter().fold((0, 0), |(cases, failures), tally| (cases + tally.cases, failures + tally.failures))
}

#[cfg(test)]
mod tests {
    use super::super::subject::{Of, Subject};
    use super::*;
    use lacuna::generate::Random;

    /// Every fifth case fails, and one of every hundred hangs.
    struct Faulty;

    impl Subject for Faulty {
        type Case = usize;
        const NAME: &'static str = "faulty";
        const CROSSED: &'static str = "nothing";

        fn draw(random: &mut Random) -> usize {
            random.below(100)
        }

        fn options(case: &usize) -> String {
            case.to_string()
        }

        fn check(&case: &usize, _: &Pools) -> Result<(), String> {
            std::thread::sleep(if case == 7 { Duration::from_secs(3600) } else { Duration::from_millis(1) });
            if case % 5 == 0 { Err("a fifth".to_owned()) } else { Ok(()) }
        }

        fn smaller(&case: &usize) -> Vec<usize> {
            if case >= 5 { vec![case - 5] } else { Vec::new() }
        }
    }

    #[test]
    fn failures_are_counted_and_a_case_that_hangs_is_one() {
        let longest = Duration::from_millis(300);
        let first = (0..1000).find(|&seed| Random::new(seed).below(100) == 7).expect("a case that hangs");
        let campaign = Campaign { longest, ..Campaign::new(vec![&Of(Faulty)], first) };
        let failed = campaign.run(3, 2);
        assert!(failed > 10, "{failed} failed");
    }

    #[test]
    fn kinds_of_failures_are_told_once() {
        let mut tally = Tally::default();
        assert!(tally.fail("3 of 4", 10));
        assert!(!tally.fail("1 of 2", 11));
        assert!(tally.fail("panic", 12));
        assert_eq!((tally.failures, tally.kinds.len(), tally.kinds[" of "]), (3, 2, (10, 2)));
    }
}
