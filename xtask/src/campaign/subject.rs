//! Subjects of a campaign: their cases are drawn from a seed, checked, and minimised when they fail.

use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use super::panics::caught;
use super::pools::Pools;
use lacuna::generate::Random;

/// A part of the library, with a reference for comparison.
pub(super) trait Subject {
    /// An input with all options.
    type Case: Clone + Debug;
    /// Name for `--only`.
    const NAME: &'static str;
    /// Combined options, for the closing table.
    const CROSSED: &'static str;
    /// Share of the time, relative to other subjects.
    const SHARE: u32 = 4;

    /// Draws a case.
    fn draw(random: &mut Random) -> Self::Case;

    /// Description of the options of a case, without the input; different texts count as different combinations.
    fn options(case: &Self::Case) -> String;

    /// Checks that the fast result agrees with the reference.
    ///
    /// # Errors
    /// The first line names the disagreement, the others show both results.
    fn check(case: &Self::Case, pools: &Pools) -> Result<(), String>;

    /// Simpler cases, the simplest first.
    fn smaller(case: &Self::Case) -> Vec<Self::Case>;
}

/// Result of a case.
pub(super) struct Outcome {
    /// Hash of the combined options.
    pub(super) options: u64,
    /// Description of the failure, if the case failed.
    pub(super) failure: Option<String>,
}

/// A failing case after minimisation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Minimal {
    /// The case in Rust's notation.
    pub(super) case: String,
    /// Description of the failure.
    pub(super) failure: String,
}

/// A [`Subject`] with its type of cases erased.
pub(super) trait AnySubject: Sync {
    fn name(&self) -> &'static str;
    fn crossed(&self) -> &'static str;
    fn share(&self) -> u32;
    /// Runs the case of a seed.
    fn run(&self, seed: u64, pools: &Pools) -> Outcome;
    /// Minimises the failing case of a seed; `None` if it does not fail.
    fn minimise(&self, seed: u64, pools: &Pools) -> Option<Minimal>;
    /// Description of the case of a seed.
    fn describe(&self, seed: u64) -> String;
}

/// Time limit for minimising a case.
const PATIENCE: Duration = Duration::from_secs(10);

/// Turns a [`Subject`] into an [`AnySubject`].
pub(super) struct Of<S>(pub(super) S);

impl<S: Subject + Sync> AnySubject for Of<S> {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn crossed(&self) -> &'static str {
        S::CROSSED
    }

    fn share(&self) -> u32 {
        S::SHARE
    }

    fn run(&self, seed: u64, pools: &Pools) -> Outcome {
        let mut options = 0;
        let checked = caught(|| {
            let case = S::draw(&mut Random::new(seed));
            options = hash(&S::options(&case));
            S::check(&case, pools)
        });
        Outcome { options, failure: checked.err() }
    }

    fn minimise(&self, seed: u64, pools: &Pools) -> Option<Minimal> {
        let mut case = S::draw(&mut Random::new(seed));
        let fails = |case: &S::Case| caught(|| S::check(case, pools)).err();
        let mut failure = fails(&case)?;
        let end = Instant::now() + PATIENCE;
        'smaller: while Instant::now() < end {
            for candidate in S::smaller(&case) {
                // A candidate with a different kind of failure is not a smaller version of this case.
                if let Some(found) = fails(&candidate).filter(|found| kind(found) == kind(&failure)) {
                    (case, failure) = (candidate, found);
                    continue 'smaller;
                }
            }
            break;
        }
        Some(Minimal { case: format!("{case:?}"), failure })
    }

    fn describe(&self, seed: u64) -> String {
        format!("{:?}", S::draw(&mut Random::new(seed)))
    }
}

fn hash(options: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    options.hash(&mut hasher);
    hasher.finish()
}

/// Kind of a failure: its first line without digits.
pub(super) fn kind(failure: &str) -> String {
    let first = failure.lines().next().unwrap_or_default();
    first.chars().filter(|c| !c.is_ascii_digit()).take(160).collect()
}

/// Fails unless two values are equal; `what` names them.
pub(super) fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}\n  expected {expected:?}\n  found    {found:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Claims that no number of a list is greater than 6.
    struct NoneAbove6;

    impl Subject for NoneAbove6 {
        type Case = Vec<usize>;
        const NAME: &'static str = "none-above-6";
        const CROSSED: &'static str = "lengths";

        fn draw(random: &mut Random) -> Vec<usize> {
            (0..random.below(20)).map(|_| random.below(10)).collect()
        }

        fn options(case: &Vec<usize>) -> String {
            case.len().to_string()
        }

        fn check(case: &Vec<usize>, _: &Pools) -> Result<(), String> {
            assert!(!case.contains(&9), "found 9");
            same("the greatest number", &case.iter().any(|&number| number > 6), &false)
        }

        fn smaller(case: &Vec<usize>) -> Vec<Vec<usize>> {
            let without = |at: usize| [&case[..at], &case[at + 1..]].concat();
            (0..case.len()).map(without).collect()
        }
    }

    #[test]
    fn a_fault_is_found_and_made_small() {
        let pools = Pools::new("test");
        let subject: &dyn AnySubject = &Of(NoneAbove6);
        let failing: Vec<u64> =
            (0..200).filter(|&seed| subject.run(seed, &pools).failure.is_some()).collect();
        assert!(failing.len() > 20 && failing.len() < 200);
        for seed in failing {
            let Minimal { case, failure } = subject.minimise(seed, &pools).unwrap();
            let expected = if failure.starts_with("panic at") { &["[9]"][..] } else { &["[7]", "[8]"] };
            assert!(expected.contains(&case.as_str()), "{case} {failure}");
            assert_eq!(subject.describe(seed), subject.describe(seed));
        }
    }

    #[test]
    fn failures_that_differ_in_numbers_are_of_one_kind() {
        assert_eq!(kind("bars 3 and 4\n  more"), kind("bars 12 and 0\n  others"));
        assert_ne!(kind("bars 3"), kind("rows 3"));
    }
}
