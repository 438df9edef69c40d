//! How all work is done: on threads that are kept, without the interpreter's lock, until it is done or interrupted.
//!
//! The calling thread hands the work to the pool and waits. Twenty times a second it takes the interpreter's lock for as long as it takes to run
//! the handlers of signals that have arrived, and to tell the caller how far the work is, if they want to know. What either of them raises ends
//! the work: the library sees a flag that it looks at every few milliseconds. Where a thread would have to be woken up for less work than that
//! takes, the calling thread does it ([`at_once`]).

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

/// The time from one look at signals to the next.
const PERIOD: Duration = Duration::from_millis(50);

/// How far a run is, and whether it is to end.
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
    /// Runs the handlers of signals, and tells `progress` how far the run is.
    fn look(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        if let Some(progress) = progress {
            let Stage { name, dim, total } = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
            progress.call1(py, (name, dim, self.done.load(Ordering::Relaxed).min(total), total))?;
        }
        Ok(())
    }
}

/// Does `work` on so many threads, by default one a core. `progress`, if it is given, is called with the stage, its dimension, the units of
/// work that are done and all of them.
///
/// # Errors
/// Those of `work`; what a handler of signals or `progress` raises.
pub(crate) fn on_threads<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let pool = threads::pool(threads)?;
    on_pool(py, &pool, progress, work)
}

/// Like [`on_threads`], on those of a pool.
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

/// Does work that takes a millisecond or so, which is not told and not interrupted, on one thread: this one, if it works alone, else one that
/// serves no other.
///
/// # Errors
/// Those of `work`.
pub(crate) fn at_once<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    if !threads::works_alone() {
        let servant = threads::servant()?;
        return on_pool(py, &servant, None, work);
    }
    // What a panic leaves behind is dropped here.
    let outcome = py.detach(|| catch_unwind(AssertUnwindSafe(|| work(&()))));
    Ok(outcome.unwrap_or_else(|panic| Err(Failure::of_panic(&*panic)))?)
}

/// Does `work` on a pool, and looks at `watch` meanwhile; returns what comes of it, and what was raised.
fn watched<T: Send>(
    pool: &ThreadPool,
    watch: &Watch,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
) -> (Result<T, Failure>, Option<PyErr>) {
    pool.in_place_scope(|scope| {
        let (sender, outcomes) = mpsc::sync_channel(1);
        scope.spawn(move |_| {
            // What a panic leaves behind is dropped here.
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
