//! Runs work on kept threads, without the interpreter's lock, until it is done or interrupted.
//!
//! The calling thread passes the work to the pool and waits. Twenty times a second it takes the interpreter's lock
//! briefly to run pending signal handlers, and to report progress if the caller wants that. An exception of either
//! ends the work: the library checks a flag every few milliseconds. If the work takes less time than waking another
//! thread, the calling thread does it ([`at_once`]).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lacuna::progress::Progress;
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::error::Failure;
use crate::threads;

/// Interval between checks for signals.
const PERIOD: Duration = Duration::from_millis(50);

/// The progress of a run, and whether it is to end.
struct Watch {
    is_interrupted: AtomicBool,
    stage: Mutex<Stage>,
    done: AtomicU64,
}

#[derive(Clone, Copy)]
struct Stage {
    name: &'static str,
    dim: Option<usize>,
    total: u64,
}

impl Progress for Watch {
    fn begin(&self, name: &'static str, dim: Option<usize>, total: u64) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = Stage { name, dim, total };
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }
}

impl Watch {
    /// Runs pending signal handlers, and reports to `progress`.
    fn look(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        if let Some(progress) = progress {
            let Stage { name, dim, total } = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
            progress.call1(py, (name, dim, self.done.load(Ordering::Relaxed).min(total), total))?;
        }
        Ok(())
    }
}

/// Runs `work` on `threads` threads, by default one per core. `progress`, if given, is called with the stage, its
/// dimension, the completed units of work and their total.
///
/// # Errors
/// The errors of `work`; exceptions of signal handlers and of `progress`.
pub(crate) fn on_threads<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let pool = threads::pool(threads)?;
    on_pool(py, &pool, progress, work)
}

/// Like [`on_threads`], on the threads of a given pool.
fn on_pool<T: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let stage = Mutex::new(Stage { name: "start", dim: None, total: 1 });
    let watch = Watch { is_interrupted: AtomicBool::new(false), stage, done: AtomicU64::new(0) };
    let (outcome, raised) = py.detach(|| watched(pool, &watch, progress, work));
    raised.map_or_else(|| Ok(outcome?), Err)
}

/// Runs work of about a millisecond, without progress or interruption, on one thread: the calling thread if it is the
/// one that works alone, otherwise a thread that serves no other caller.
///
/// # Errors
/// The errors of `work`.
pub(crate) fn at_once<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    if !threads::works_alone() {
        let servant = threads::servant()?;
        return on_pool(py, &servant, None, work);
    }
    // Values left by a panic are dropped here.
    let outcome = py.detach(|| catch_unwind(AssertUnwindSafe(|| work(&()))));
    Ok(outcome.unwrap_or_else(|panic| Err(Failure::of_panic(&*panic)))?)
}

/// Like [`at_once`] if `is_little`, and otherwise like [`on_threads`].
///
/// # Errors
/// Those of [`on_threads`].
pub(crate) fn on_threads_unless<T: Send>(
    is_little: bool,
    py: Python<'_>,
    threads: Option<usize>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    if is_little { at_once(py, work) } else { on_threads(py, threads, progress, work) }
}

/// Runs `work` on a pool and checks `watch` meanwhile; returns its outcome, and the exception that was raised, if
/// any.
fn watched<T: Send>(
    pool: &ThreadPool,
    watch: &Watch,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
) -> (Result<T, Failure>, Option<PyErr>) {
    pool.in_place_scope(|scope| {
        let (sender, outcomes) = mpsc::sync_channel(1);
        scope.spawn(move |_| {
            // Values left by a panic are dropped here.
            let outcome = catch_unwind(AssertUnwindSafe(|| work(watch)));
            // The receiver waits for it.
            let _ = sender.send(outcome.unwrap_or_else(|panic| Err(Failure::of_panic(&*panic))));
        });
        let mut raised = None;
        loop {
            match outcomes.recv_timeout(PERIOD) {
                Ok(outcome) => return (outcome, raised),
                Err(RecvTimeoutError::Disconnected) => return (Err(Failure::Interrupted), raised),
                Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = Python::attach(|py| watch.look(py, progress)) {
                        watch.is_interrupted.store(true, Ordering::Relaxed);
                        raised = Some(error);
                    }
                }
            }
        }
    })
}
