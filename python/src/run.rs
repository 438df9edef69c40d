//! Runs work on kept threads, without the interpreter's lock, until it is done, interrupted or out of its limits.
//!
//! The calling thread passes the work to the pool and waits. Twenty times a second it takes the interpreter's lock
//! briefly to run pending signal handlers, to look at the time and the memory if they are limited, and to report
//! progress if the caller wants that. An exception of any of these ends the work: the library checks a flag every few
//! milliseconds. If the work takes less time than waking another thread, the calling thread does it ([`at_once`]).
//!
//! A run with a checkpoint saves its state when it ends early, and goes on from that state when it is begun again
//! ([`Run::kept`]).

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lacuna::backend::{Backend, Choice};
use lacuna::internals::side_by_side;
use lacuna::memory::{self, Bytes};
use lacuna::progress::{Progress, Resumable, Silent};
use lacuna::snapshot::{CheckpointDirectory, Fingerprint, SnapshotError};
use pyo3::exceptions::{PyMemoryError, PyTimeoutError};
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::choices;
use crate::error::Failure;
use crate::threads;

/// Interval between checks for signals.
const PERIOD: Duration = Duration::from_millis(50);

/// How a call runs: what computes, what is told meanwhile, and when it ends.
#[pyclass(module = "lacuna_tda._lacuna", frozen)]
pub(crate) struct Run {
    pub(crate) threads: Option<usize>,
    pub(crate) backend: Backend,
    /// Called with the stage, its dimension, the completed units of work and their total.
    progress: Option<Py<PyAny>>,
    begin: Instant,
    /// The seconds that the run may take.
    time_limit: Option<f64>,
    /// The bytes that the process may have meanwhile.
    memory: Option<u64>,
    checkpoint: Option<Kept>,
    /// The checkpoint of a run whose work is done, until its answer is safe.
    done: Mutex<Option<CheckpointDirectory>>,
    /// Descriptions of saves to the checkpoint that failed.
    notes: Arc<Mutex<Vec<String>>>,
}

/// The path of a checkpoint, the seconds between two savings, and the options by which it is known.
type Checkpoint = (PathBuf, f64, Vec<(String, String)>);

/// Where a run keeps its state, how often, and the options by which it is known.
struct Kept {
    path: PathBuf,
    every: Duration,
    facts: Vec<(String, String)>,
}

#[pymethods]
impl Run {
    /// A run that begins now. A checkpoint is a directory, the seconds between two savings, and the names and values
    /// of the options that the answer depends on.
    #[new]
    #[pyo3(signature = (threads, backend, progress=None, time_limit=None, memory=None, checkpoint=None))]
    fn new(
        threads: Option<usize>,
        backend: &str,
        progress: Option<Py<PyAny>>,
        time_limit: Option<f64>,
        memory: Option<u64>,
        checkpoint: Option<Checkpoint>,
    ) -> Result<Self, Failure> {
        let kept = |(path, every, facts): Checkpoint| {
            let every = Duration::try_from_secs_f64(every);
            let every = every.map_err(|error| Failure::Value(format!("checkpoint_every: {error}")))?;
            Ok::<_, Failure>(Kept { path, every, facts })
        };
        Ok(Run {
            threads,
            backend: choices::backend(backend)?,
            progress,
            begin: Instant::now(),
            time_limit,
            memory,
            checkpoint: checkpoint.map(kept).transpose()?,
            done: Mutex::default(),
            notes: Arc::default(),
        })
    }

    /// Descriptions of saves to the checkpoint that failed.
    #[getter]
    fn notes(&self) -> Vec<String> {
        locked(&self.notes).clone()
    }
}

impl Run {
    /// Whether the run has no limits and no checkpoint, so that a thread that checks nothing meanwhile may do it.
    pub(crate) fn is_plain(&self) -> bool {
        self.time_limit.is_none() && self.memory.is_none() && self.checkpoint.is_none()
    }

    /// Runs `work` on an input with a checkpoint, if the run has one: goes on from the state that it holds, which is
    /// removed at the end of the run ([`Run::end`]). `content` describes the content of the input.
    ///
    /// # Errors
    /// The errors of `work` and of `content`; the checkpoint is of another run.
    pub(crate) fn kept<I, T>(
        &self,
        command: &str,
        input: I,
        content: impl FnOnce(&I) -> Result<String, Failure>,
        progress: &dyn Progress,
        work: impl FnOnce(I, &dyn Progress) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some(Kept { path, every, facts }) = &self.checkpoint else { return work(input, progress) };
        let notes = Arc::clone(&self.notes);
        let warn = move |error: &SnapshotError| {
            locked(&notes).push(format!("{error}; the run goes on, and the state saved before stays"));
        };
        let directory = CheckpointDirectory::open(path, *every, Box::new(warn)).map_err(of_directory)?;
        let run = facts.iter().fold(Fingerprint::new(command), |run, (name, value)| run.with(name, value));
        directory.begin(&run.with("input", content(&input)?)).map_err(of_directory)?;
        let done = work(input, &Resumable { progress, checkpoint: &directory })?;
        *locked(&self.done) = Some(directory);
        Ok(done)
    }

    /// Ends the use of the checkpoint. If the answer is not returned, the state stays, from which it can be found
    /// again.
    fn end(&self, is_returned: bool) {
        let directory = locked(&self.done).take();
        if let Some(directory) = directory.filter(|_| is_returned)
            && let Err(error) = directory.finish()
        {
            locked(&self.notes).push(error.to_string());
        }
    }

    /// An exception if the run has used up its time or its memory.
    fn check_limits(&self, stage: Stage) -> PyResult<()> {
        if let Some(seconds) = self.time_limit.filter(|&limit| self.begin.elapsed().as_secs_f64() >= limit) {
            let kept = self.checkpoint.as_ref().map(|kept| {
                format!("; what is done is kept in {}, where the same call goes on", kept.path.display())
            });
            let kept = kept.unwrap_or_default();
            return Err(PyTimeoutError::new_err(format!(
                "{stage}: stopped after {seconds} s, as time_limit says{kept}"
            )));
        }
        if let Some(limit) = self.memory
            && let Some(found) = memory::resident().filter(|&found| found > limit)
        {
            let (found, limit) = (Bytes(found), Bytes(limit));
            return Err(PyMemoryError::new_err(format!(
                "{stage}: the process has {found} of memory, more than the limit of {limit} allows"
            )));
        }
        Ok(())
    }
}

/// The failure of a checkpoint before the run begins: what the system refuses is an error of a file.
fn of_directory(error: SnapshotError) -> Failure {
    match error {
        SnapshotError::System { kind, .. } => Failure::File(kind, error.to_string()),
        error => error.into(),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The progress of a run, and whether it is to end.
struct Watch<'a> {
    run: Option<&'a Run>,
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

/// The stage before the first that a run reports.
const START: Stage = Stage { name: "start", dim: None, total: 1 };

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dim {
            None => write!(f, "stage {}", self.name),
            Some(dim) => write!(f, "stage {} of dimension {dim}", self.name),
        }
    }
}

impl Progress for Watch<'_> {
    fn begin(&self, name: &'static str, dim: Option<usize>, total: u64) {
        *locked(&self.stage) = Stage { name, dim, total };
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }
}

impl Watch<'_> {
    /// Runs pending signal handlers, looks at the limits, and reports progress.
    fn look(&self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        let Some(run) = self.run else { return Ok(()) };
        let stage @ Stage { name, dim, total } = *locked(&self.stage);
        run.check_limits(stage)?;
        if let Some(progress) = &run.progress {
            progress.call1(py, (name, dim, self.done.load(Ordering::Relaxed).min(total), total))?;
        }
        Ok(())
    }
}

/// Runs `work` on `threads` threads, by default one per core, within the limits of `run`, whose progress is reported.
///
/// # Errors
/// The errors of `work`; exceptions of signal handlers, of limits and of the function that takes the progress.
pub(crate) fn on_threads<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    run: Option<&Run>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    // Calls on one thread each would wait for each other in a pool that they share.
    let pool = if threads == Some(1) { threads::servant()? } else { threads::pool(threads)? };
    on_pool(py, &pool, run, work)
}

/// Like [`on_threads`], on the threads of a given pool.
fn on_pool<T: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    run: Option<&Run>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let stage = Mutex::new(START);
    let watch = Watch { run, is_interrupted: AtomicBool::new(false), stage, done: AtomicU64::new(0) };
    let _limit = run.and_then(|run| run.memory).map(memory::limit_while);
    run.map_or(Ok(()), |run| run.check_limits(START))?;
    let (outcome, raised) = py.detach(|| {
        let (outcome, raised) = watched(pool, &watch, work);
        if let Some(run) = run {
            run.end(raised.is_none() && outcome.is_ok());
        }
        (outcome, raised)
    });
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

/// Like [`at_once`] if `is_little` and `run` has no limits, and otherwise like [`on_threads`].
///
/// # Errors
/// Those of [`on_threads`].
pub(crate) fn on_threads_unless<T: Send>(
    is_little: bool,
    py: Python<'_>,
    threads: Option<usize>,
    run: Option<&Run>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let is_plain = run.is_none_or(Run::is_plain);
    if is_little && is_plain { at_once(py, work) } else { on_threads(py, threads, run, work) }
}

/// Solves several inputs, and counts those that are done. If they are small and many, they are solved side by side, each
/// on one thread; else one after the other, each on all threads. An input that fails does not stop the others.
///
/// # Errors
/// The run is interrupted.
pub(crate) fn each<I: Send, T: Send>(
    inputs: Vec<I>,
    are_small: bool,
    run: &Run,
    progress: &dyn Progress,
    solve: &(dyn Fn(I, &dyn Progress) -> Result<T, Failure> + Sync),
) -> Result<Vec<Result<T, Failure>>, Failure> {
    progress.begin("inputs", None, inputs.len() as u64);
    let solve = |input| {
        if progress.is_interrupted() {
            return Err(Failure::Interrupted);
        }
        let found = solve(input, &Silent(progress));
        progress.advance(1);
        found
    };
    let is_for_devices = run.backend.request().choice == Choice::Cuda;
    let outcomes = if are_small && !is_for_devices && inputs.len() >= rayon::current_num_threads() {
        side_by_side(inputs, &solve)
    } else {
        inputs.into_iter().map(solve).collect()
    };
    // All inputs that were not begun have failed by then.
    if progress.is_interrupted() { Err(Failure::Interrupted) } else { Ok(outcomes) }
}

/// Runs `work` on a pool and checks `watch` meanwhile; returns its outcome, and the exception that was raised, if
/// any.
fn watched<T: Send>(
    pool: &ThreadPool,
    watch: &Watch<'_>,
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
                    if let Err(error) = Python::attach(|py| watch.look(py)) {
                        watch.is_interrupted.store(true, Ordering::Relaxed);
                        raised = Some(error);
                    }
                }
            }
        }
    })
}
