//! The differential campaign: fast implementations against plain ones on random tiny inputs, with all options combined.
//!
//! | file | subject | held against |
//! |---|---|---|
//! | [`rips`] | barcodes of clouds, matrices and graphs | `rips::plain`; what must not change the bars, or changes them in a known way |
//! | [`reduce`] | every reduction of a boundary matrix | the standard algorithm on rows of bits |
//! | [`cubical`] | barcodes of images | `persistence::plain`, the boundary matrix, the Euler characteristic |
//! | [`ecc`] | Euler characteristic curves, whole and streamed | `ecc::plain` |
//! | [`thin`] | every rule of thinning | `thinning::plain`; Betti numbers; the other order in memory |
//! | [`compare`] | matching of bars | a matching by augmenting paths |
//! | [`distances`] | distances of diagrams | all matchings, one after the other |
//! | [`vectors`] | diagrams as vectors | their definition at each value of the grid |
//! | [`convert`] | complexes of images and distances, reduced | barcodes of the images and distances |
//! | [`files`] | readers and writers | what was written |
//! | [`memory`] | the program within limits of memory | its answer without a limit, or an error of memory |
//!
//! A case is determined by its subject and seed. A failing case is minimised, and reported with the command that runs
//! it again. There is no list of permitted failures.

mod compare;
mod complexes;
mod convert;

mod cubical;
mod distances;
mod driver;
mod ecc;
mod files;

mod images;
mod memory;
mod panics;
mod pools;
mod reduce;
mod rips;
mod spaces;
mod subject;
mod thin;
mod vectors;

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use clap::builder::PossibleValuesParser;

use driver::Campaign;
use pools::Pools;
use subject::{AnySubject, Minimal, Of};

/// Every subject.
const SUBJECTS: [&dyn AnySubject; 11] = [
    &Of(rips::RipsBars),
    &Of(reduce::Reductions),
    &Of(cubical::ImageBars),
    &Of(ecc::Curves),
    &Of(thin::Skeletons),
    &Of(compare::Matchings),
    &Of(distances::Distances),
    &Of(vectors::DiagramVectors),
    &Of(convert::Complexes),
    &Of(files::Files),
    &Of(memory::Limits),
];

/// Options of a campaign.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How long to run, in seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The seed of the first case of each subject; later cases have the seeds that follow. By default the clock tells.
    #[arg(long)]
    seed: Option<u64>,
    /// The subjects, separated by commas; all by default.
    #[arg(long, value_delimiter = ',', value_parser = names())]
    only: Vec<String>,
    /// Cases that run at a time; one a core by default.
    #[arg(long)]
    threads: Option<usize>,
    /// Run the case of this seed alone, of each subject in `--only`.
    #[arg(long, requires = "only")]
    case: Option<u64>,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(SUBJECTS.map(AnySubject::name))
}

/// Runs a campaign, or one case; fails if a case does.
pub(crate) fn run(options: &Options) -> ExitCode {
    let is_wanted = |subject: &&dyn AnySubject| {
        options.only.is_empty() || options.only.iter().any(|name| name == subject.name())
    };
    let subjects: Vec<&'static dyn AnySubject> = SUBJECTS.into_iter().filter(is_wanted).collect();
    panics::silence();
    let failed = match options.case {
        Some(seed) => subjects.into_iter().filter(|subject| !passes(*subject, seed)).count(),
        None => {
            let cores = || std::thread::available_parallelism().map_or(1, usize::from);
            let threads = options.threads.unwrap_or_else(cores).max(1);
            Campaign::new(subjects, options.seed.unwrap_or_else(clock)).run(options.seconds, threads)
        }
    };
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A seed that no other campaign is likely to begin with.
fn clock() -> u64 {
    // The number fits for some centuries, and leaves room for the cases of each second.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() * 1_000_000)
}

/// Runs the case of a seed and reports the result.
fn passes(subject: &'static dyn AnySubject, seed: u64) -> bool {
    let alone = move || {
        let pools = Pools::new(panics::WORKER);
        println!("{} {seed}: {}", subject.name(), subject.describe(seed));
        match subject.minimise(seed, &pools) {
            None => {
                println!("passed");
                true
            }
            Some(Minimal { case, failure }) => {
                println!("FAILED: {failure}\nsmallest: {case}");
                false
            }
        }
    };
    // Panics are attributed by the names of threads.
    let thread = std::thread::Builder::new().name(panics::WORKER.to_owned()).spawn(alone);
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subject_draws_the_same_case_of_a_seed_and_crosses_options() {
        let pools = Pools::new(panics::WORKER);
        for subject in SUBJECTS {
            let mut crossings = std::collections::HashSet::new();
            for seed in 0..40 {
                assert_eq!(subject.describe(seed), subject.describe(seed));
                crossings.insert(subject.run(seed, &pools).options);
            }
            assert!(crossings.len() > 4, "{}: {} crossings", subject.name(), crossings.len());
        }
    }

    #[test]
    fn subjects_have_names_of_their_own() {
        let mut names = SUBJECTS.map(AnySubject::name);
        names.sort_unstable();
        assert!(names.windows(2).all(|two| two[0] != two[1]));
    }
}
