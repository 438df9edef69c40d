//! Progress of a run: what the stages report to a program that shows it, and how such a program ends a run early.
//!
//! # Interruption
//!
//! A run ends early when [`Progress::is_interrupted`] returns true. All threads poll it every few milliseconds, both
//! where stages report and in loops that may otherwise run long. It should cost no more than loading an atomic.
//!
//! Within the stages an interruption unwinds the stack like a panic, but without a panic message: so no loop or table
//! has to handle half an answer, and memory is freed on the way. The entry points of the library ([`interruptible`])
//! turn it into [`Interrupted`], a variant of their errors. Returning it through the stages instead would require a
//! `Result` from every loop that polls, from the closures of parallel loops and from everything generic over these. If
//! a program is built with `panic = "abort"`, nothing unwinds, and an interruption ends the program.

mod saving;

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

pub(crate) use self::saving::keeping;
use crate::memory::Refused;
use crate::memory::budget::{self, Computation};
use crate::snapshot::Checkpoint;

/// The error of a run that ended early, because its [`Progress`] asked for it or because it exceeded the memory limit.
/// A program that is built with `panic = "abort"` ends instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Interrupted {
    /// The memory limit that was exceeded; `None` if the [`Progress`] asked for the end.
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
    /// Name with which the stage will begin.
    pub stage: &'static str,
    /// Homology dimension, if the stage is run for each dimension.
    pub dim: Option<usize>,
    /// Expected cost.
    pub cost: Cost,
}

impl Expected {
    /// A stage that is not run for each dimension.
    pub const fn of(stage: &'static str, cost: Cost) -> Self {
        Expected { stage, dim: None, cost }
    }
}

/// Expected cost of a stage, relative to other stages of its run, in an arbitrary unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cost {
    /// Cost proportional to the units of work.
    Known(f64),
    /// Usual cost; at times the stage takes much longer.
    Assumed(f64),
    /// Known only once the stage runs.
    Unknown,
}

/// Receives the progress of a run. All methods may be called from any thread; the implementation for `()` ignores
/// everything.
pub trait Progress: Sync {
    /// The progress that handles all calls of methods that an implementation does not define. Without it, they are
    /// ignored.
    fn inner(&self) -> Option<&dyn Progress> {
        None
    }

    /// Announces all long stages that lie ahead, in order, as soon as they are known. It replaces earlier announcements
    /// of stages that have not begun.
    fn expect(&self, stages: &[Expected]) {
        self.inner().into_iter().for_each(|inner| inner.expect(stages));
    }

    /// Begins a stage, for dimension `dim` if it is run for each, with `total` units of work. A stage whose work is not
    /// counted has a total of 1.
    fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
        self.inner().into_iter().for_each(|inner| inner.begin(stage, dim, total));
    }

    /// Adds `units` completed units of the current stage.
    fn advance(&self, units: u64) {
        self.inner().into_iter().for_each(|inner| inner.advance(units));
    }

    /// Whether the run is to end early, with [`Interrupted`]. Once true, it must stay true. The run unwinds to its
    /// entry point, so in a program built with `panic = "abort"`, where it would end the program, it must not return
    /// true.
    fn is_interrupted(&self) -> bool {
        self.inner().is_some_and(|inner| inner.is_interrupted())
    }

    /// Whether a run that ends early returns the dimensions that are done, if any, marked as incomplete, instead of
    /// [`Interrupted`]. Computations that can do so say it in their documentation.
    fn takes_what_is_done(&self) -> bool {
        self.inner().is_some_and(|inner| inner.takes_what_is_done())
    }

    /// Storage for the state of the run, so that another run can resume it. A run that ends early saves its state. See
    /// [`Resumable`], which combines a progress and a checkpoint.
    fn checkpoint(&self) -> &dyn Checkpoint {
        self.inner().map_or(&(), |inner| inner.checkpoint())
    }
}

impl Progress for () {}

/// A progress that reports nothing, and only passes interruption on: that of one input among many, for instance.
pub struct Silent<'a>(pub &'a dyn Progress);

impl Progress for Silent<'_> {
    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted()
    }
}

/// Unwinds if `progress` asks for the end of the run, or if the memory limit is exceeded.
#[inline]
pub(crate) fn check(progress: &dyn Progress) {
    let memory = budget::over_limit();
    if memory.is_some() || progress.is_interrupted() {
        resume_unwind(Box::new(Interrupted { memory }));
    }
}

/// A progress that also checks for interruption on each report.
struct Interruptible<'a> {
    progress: &'a dyn Progress,
    /// Provides the stage for errors of memory.
    computation: Computation,
}

impl Progress for Interruptible<'_> {
    fn inner(&self) -> Option<&dyn Progress> {
        Some(self.progress)
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
}

/// Runs `work` with a progress that can interrupt it. This is the only place where an interruption becomes an error.
/// The entry points of the library call it themselves; it is meant for callers of individual stages.
///
/// # Errors
/// Those of `work`, and [`Interrupted`].
pub fn interruptible<T, E: From<Interrupted>>(
    progress: &dyn Progress,
    work: impl FnOnce(&dyn Progress) -> Result<T, E>,
) -> Result<T, E> {
    // Unwound values are dropped, so their state is never observed.
    let interruptible = Interruptible { progress, computation: Computation::begin() };
    match catch_unwind(AssertUnwindSafe(|| work(&interruptible))) {
        Ok(outcome) => outcome,
        Err(payload) => match payload.downcast::<Interrupted>() {
            Ok(interrupted) => Err((*interrupted).into()),
            Err(panic) => resume_unwind(panic),
        },
    }
}

/// Runs `work`; if it is interrupted, calls `save` before unwinding further.
pub(crate) fn saving<T>(work: impl FnOnce() -> T, save: impl FnOnce()) -> T {
    // `save` may observe the state that `work` left, and is prepared for it.
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

/// Runs `work`; `None` if it was interrupted and the partial result is the answer.
pub(crate) fn if_finished<T>(progress: &dyn Progress, work: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => Some(done),
        Err(payload) if payload.is::<Interrupted>() && progress.takes_what_is_done() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// A progress combined with a checkpoint, for a run that can be resumed.
#[derive(Clone, Copy)]
pub struct Resumable<'a> {
    /// Receives the progress.
    pub progress: &'a dyn Progress,
    /// Stores the state.
    pub checkpoint: &'a dyn Checkpoint,
}

impl fmt::Debug for Resumable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resumable")
    }
}

impl Progress for Resumable<'_> {
    fn inner(&self) -> Option<&dyn Progress> {
        Some(self.progress)
    }

    fn checkpoint(&self) -> &dyn Checkpoint {
        self.checkpoint
    }
}

#[cfg(test)]
pub(crate) mod sums {
    use super::Progress;

    /// A progress that sums the reports of each stage, for tests.
    #[derive(Debug, Default)]
    pub(crate) struct Sums(std::sync::Mutex<Vec<Reported>>);

    /// Sum of the reports of a stage.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) struct Reported {
        pub(crate) stage: &'static str,
        pub(crate) dim: Option<usize>,
        pub(crate) total: u64,
        pub(crate) done: u64,
    }

    impl Sums {
        /// The stage that began last.
        pub(crate) fn last(&self) -> Option<Reported> {
            self.0.lock().unwrap().last().copied()
        }

        /// All stages in the order in which they began. Checks that the reports of each add up to its total.
        pub(crate) fn stages(self) -> Vec<Reported> {
            let stages = self.0.into_inner().unwrap();
            for reported in &stages {
                let &Reported { total, done, .. } = reported;
                assert!(done == total || total == 1 && done == 0, "{reported:?}");
            }
            stages
        }
    }

    impl Progress for Sums {
        fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
            self.0.lock().unwrap().push(Reported { stage, dim, total, done: 0 });
        }

        fn advance(&self, units: u64) {
            self.0.lock().unwrap().last_mut().unwrap().done += units;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Asks for an interruption once this many units are done.
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
        // Each thread stops at its next check at the latest.
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
