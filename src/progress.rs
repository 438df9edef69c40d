//! Progress of a run: what the stages report to a program that shows it, and how such a program ends a run early.
//!
//! # Interruption
//!
//! A run ends early when [`Progress::is_interrupted`] says so. It is asked where stages report, and in loops that may go on for long without
//! that, once a piece of work: every few milliseconds, by every thread that works. Its answer should cost no more than the load of an atomic.
//!
//! Within the stages an interruption unwinds the stack, as a panic does, but without the message of one: so no loop and no table has to know
//! what half of an answer is, and memory is freed on the way. The entries of the library ([`interruptible`]) make an [`Interrupted`] of it, a
//! variant of their errors. To return it through the stages instead would make a `Result` of every loop that looks for it, of the closures of parallel
//! loops and of what is generic over these. Where a program is built with `panic = "abort"`, nothing unwinds, and an interruption ends it.

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::memory::Refused;
use crate::memory::budget::{self, Computation};
use crate::snapshot::Checkpoint;

/// A run that was ended early: because its [`Progress`] wanted that, or because it has passed the limit of memory. In a program that is built with
/// `panic = "abort"` there is no such error: the program ends instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Interrupted {
    /// The limit of memory that was passed. `None`: the [`Progress`] wanted the end.
    pub memory: Option<Refused>,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.memory {
            None => f.write_str("interrupted"),
            Some(refused) => refused.fmt(f),
        }
    }
}

impl Error for Interrupted {}

/// A stage that lies ahead.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// What it is called when it begins.
    pub stage: &'static str,
    /// Its dimension, if there is one for each.
    pub dim: Option<usize>,
    /// How long it should take.
    pub cost: Cost,
}

/// How long a stage should take compared with others of its run, in a unit that is theirs alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cost {
    /// So long, by how much there is to do.
    Known(f64),
    /// So long as a rule, and at times much longer.
    Assumed(f64),
    /// What only the stage itself finds out.
    Unknown,
}

/// Receives the progress of a run. All methods may be called from any thread; `()` ignores everything.
pub trait Progress: Sync {
    /// These stages lie ahead, in this order, and no others that take long. Told when it is known; what was told before of stages that have
    /// not begun is no longer so.
    fn expect(&self, stages: &[Expected]) {
        let _ = stages;
    }

    /// A stage begins, of dimension `dim` if there is one for each; `total` units of work lie ahead. A stage whose work is not counted has
    /// a total of 1.
    fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
        let _ = (stage, dim, total);
    }

    /// Adds a number of units of the current stage that have been done.
    fn advance(&self, units: u64) {
        let _ = units;
    }

    /// Whether the run is to end early, with [`Interrupted`]. An answer of true must stay true. It ends by unwinding to the entry that began it: a program
    /// that is built with `panic = "abort"` must not answer true, since it would end there.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// Whether a run that ends early is to answer with the dimensions that are done, if any are, and say so, instead of ending with
    /// [`Interrupted`]. Those that can do so say it of themselves.
    fn takes_what_is_done(&self) -> bool {
        false
    }

    /// Where the run keeps its state, so that another goes on with it. A run that ends early saves what it has. See
    /// [`Resumable`](crate::snapshot::Resumable), which is a progress and a checkpoint.
    fn checkpoint(&self) -> &dyn Checkpoint {
        &()
    }
}

impl Progress for () {}

/// Ends the run by unwinding if its `progress` wants that, or if it has passed the limit of memory.
#[inline]
pub(crate) fn check(progress: &dyn Progress) {
    let memory = budget::over_limit();
    if memory.is_some() || progress.is_interrupted() {
        resume_unwind(Box::new(Interrupted { memory }));
    }
}

/// A progress that ends the run when it is told of something and wants that.
struct Interruptible<'a> {
    progress: &'a dyn Progress,
    /// Errors of memory are told with its stage.
    computation: Computation,
}

impl Progress for Interruptible<'_> {
    fn expect(&self, stages: &[Expected]) {
        self.progress.expect(stages);
    }

    fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
        check(self.progress);
        self.computation.begin_stage(stage, dim);
        self.progress.begin(stage, dim, total);
    }

    fn advance(&self, units: u64) {
        self.progress.advance(units);
        check(self.progress);
    }

    fn is_interrupted(&self) -> bool {
        self.progress.is_interrupted()
    }

    fn takes_what_is_done(&self) -> bool {
        self.progress.takes_what_is_done()
    }

    fn checkpoint(&self) -> &dyn Checkpoint {
        self.progress.checkpoint()
    }
}

/// Does `work`, which tells the progress that it is given how far it is. An interruption becomes an error here, and nowhere else. The entries
/// of the library do so themselves; this is for those who call its stages one by one.
///
/// # Errors
/// Those of `work`, and [`Interrupted`].
pub fn interruptible<T, E: From<Interrupted>>(
    progress: &dyn Progress,
    work: impl FnOnce(&dyn Progress) -> Result<T, E>,
) -> Result<T, E> {
    // What is unwound is dropped, and nobody sees it in the state that it was left in.
    let interruptible = Interruptible { progress, computation: Computation::begin() };
    match catch_unwind(AssertUnwindSafe(|| work(&interruptible))) {
        Ok(outcome) => outcome,
        Err(payload) => match payload.downcast::<Interrupted>() {
            Ok(interrupted) => Err((*interrupted).into()),
            Err(panic) => resume_unwind(panic),
        },
    }
}

/// Does `work`; if it is interrupted, `save` is called before the interruption goes on.
pub(crate) fn saving<T>(work: impl FnOnce() -> T, save: impl FnOnce()) -> T {
    // What `work` was unwound from is seen by `save`, which knows what it may find.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done,
        Err(payload) => {
            if payload.is::<Interrupted>() {
                save();
            }
            resume_unwind(payload)
        }
    }
}

/// Does `work`; none if it was interrupted and what is done is to be the answer.
pub(crate) fn if_finished<T>(progress: &dyn Progress, work: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => Some(done),
        Err(payload) if payload.is::<Interrupted>() && progress.takes_what_is_done() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// Adds up what is reported of each stage.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct Sums(std::sync::Mutex<Vec<Reported>>);

/// What was reported of a stage.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reported {
    pub(crate) stage: &'static str,
    pub(crate) dim: Option<usize>,
    pub(crate) total: u64,
    pub(crate) done: u64,
}

#[cfg(test)]
impl Sums {
    /// The stage that began last.
    pub(crate) fn last(&self) -> Option<Reported> {
        self.0.lock().unwrap().last().copied()
    }

    /// All stages in the order in which they began. What was reported of each adds up to its total.
    pub(crate) fn stages(self) -> Vec<Reported> {
        let stages = self.0.into_inner().unwrap();
        for reported in &stages {
            let &Reported { total, done, .. } = reported;
            assert!(done == total || total == 1 && done == 0, "{reported:?}");
        }
        stages
    }
}

#[cfg(test)]
impl Progress for Sums {
    fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
        self.0.lock().unwrap().push(Reported { stage, dim, total, done: 0 });
    }

    fn advance(&self, units: u64) {
        self.0.lock().unwrap().last_mut().unwrap().done += units;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Wants to be interrupted once so many units are done.
    struct Until(u64, AtomicU64);

    impl Progress for Until {
        fn advance(&self, units: u64) {
            self.1.fetch_add(units, Ordering::Relaxed);
        }

        fn is_interrupted(&self) -> bool {
            self.1.load(Ordering::Relaxed) >= self.0
        }
    }

    #[derive(Debug, PartialEq)]
    enum Failure {
        Interrupted,
        Own,
    }

    impl From<Interrupted> for Failure {
        fn from(_: Interrupted) -> Self {
            Failure::Interrupted
        }
    }

    #[test]
    fn work_on_many_threads_is_interrupted_at_once() {
        let progress = Until(100, AtomicU64::new(0));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let found: Result<(), Failure> = interruptible(&progress, |progress| {
            pool.install(|| crate::parallel::each(1 << 30, &|_| progress.advance(1)));
            Ok(())
        });
        assert_eq!(found, Err(Failure::Interrupted));
        // Each thread stops at its next look, or before.
        assert!(progress.1.load(Ordering::Relaxed) < 100 + 4 * 4);
    }

    #[test]
    fn what_is_not_interrupted_ends_as_it_does() {
        assert_eq!(interruptible(&(), |_| Ok::<_, Failure>(5)), Ok(5));
        assert_eq!(interruptible(&(), |_| Err::<(), _>(Failure::Own)), Err(Failure::Own));
        let panic = || interruptible(&(), |_| -> Result<(), Failure> { panic!("of the work") });
        assert!(catch_unwind(panic).is_err_and(|payload| payload.is::<&str>()));
    }
}
