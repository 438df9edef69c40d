//! Requests to end a run early: a signal, if the run keeps its state, or a time limit.
//!
//! Stages check for a request through their [`Progress`], save their state, and unwind. A signal ends a run without
//! saved state at once, as usual. Since an input may never arrive, the time limit ends the program at once while it
//! reads ([`while_reading`]). A signal does not, but a second one does.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use lacuna::progress::Progress;

use super::deadline;
use super::error::{CliError, ended};
use super::notes::{over_a_bar, tell};
use super::temporary;

/// The origin of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    /// A signal, from the user or the system.
    Signal,
    /// `--time-limit`, set by the user beforehand.
    TimeLimit,
}

/// 0 without a request, else 1 + the index of the request in [`ALL`].
static REQUESTED: AtomicU8 = AtomicU8::new(0);
const ALL: [Request; 2] = [Request::Signal, Request::TimeLimit];

/// Directory of the run's checkpoint; if set, a signal asks for an orderly end.
static KEPT_IN: OnceLock<PathBuf> = OnceLock::new();

/// Whether the run is reading an input. The thread that ends the program while it reads holds the lock.
static IS_READING: Mutex<bool> = Mutex::new(false);

/// Time of the first signal that asked for an orderly end.
static FIRST: OnceLock<Instant> = OnceLock::new();

/// A signal within this time of the first counts as the same one: `timeout` sends one to the program and one to its
/// group.
const APART: Duration = Duration::from_secs(1);

/// The first request to end the run early, if there is one.
pub(crate) fn requested() -> Option<Request> {
    let number = REQUESTED.load(Ordering::Relaxed);
    ALL.into_iter().find(|&request| self::number(request) == number)
}

/// Whether the run was asked to end early.
pub(crate) fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed) != 0
}

fn number(request: Request) -> u8 {
    match request {
        Request::Signal => 1,
        Request::TimeLimit => 2,
    }
}

fn ask(request: Request) {
    // A later request does not replace the first.
    let _ = REQUESTED.compare_exchange(0, number(request), Ordering::Relaxed, Ordering::Relaxed);
}

fn is_reading() -> MutexGuard<'static, bool> {
    // A single value is valid even if a thread panicked.
    IS_READING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Guard: the run counts as reading an input while this lives.
struct Reading;

impl Drop for Reading {
    fn drop(&mut self) {
        *is_reading() = false;
    }
}

/// Reads an input. If the time is up meanwhile, the program ends at once: nothing has been computed yet, and no other
/// thread has work that would be lost.
///
/// # Errors
/// The run was asked to end before.
pub(crate) fn while_reading<T>(read: impl FnOnce() -> T) -> Result<T, CliError> {
    *is_reading() = true;
    let _reading = Reading;
    if is_requested() { Err(ended()) } else { Ok(read()) }
}

/// Handles the signals that would end the program, which saves its state in `directory`. The first asks for an orderly
/// end; one that comes a second or more later ends it.
pub(crate) fn hear_signals(directory: &Path) {
    KEPT_IN.get_or_init(|| directory.to_path_buf());
    temporary::watch_signals();
}

/// Directory of the run's checkpoint, if it has one.
pub(crate) fn kept_in() -> Option<&'static Path> {
    KEPT_IN.get().map(PathBuf::as_path)
}

/// Whether the run saves its state.
pub(crate) fn keeps_state() -> bool {
    kept_in().is_some()
}

/// Handles a signal, called by one thread at a time. True if the program continues to an orderly end.
pub(super) fn take_signal() -> bool {
    if !keeps_state() {
        return false;
    }
    if let Some(first) = FIRST.get() {
        return first.elapsed() < APART;
    }
    FIRST.get_or_init(Instant::now);
    ask(Request::Signal);
    let start = over_a_bar();
    tell(format_args!(
        "{start}interrupted: what is done is being kept; a signal a second from now or later ends the run at once"
    ));
    true
}

/// Requests the end of the run after `time`, counted from now. The error is that no timer thread could be started.
pub(crate) fn limit(time: Duration) -> std::io::Result<()> {
    let wait = move || {
        thread::sleep(time);
        ask(Request::TimeLimit);
        // Held to the end, so that reading cannot finish meanwhile and work begin that would be lost.
        let is_reading = is_reading();
        if *is_reading {
            let ended = ended();
            deadline::end_saying(ended.exit_code(), format_args!("{}{ended}", over_a_bar()));
        }
    };
    thread::Builder::new().name("time limit".into()).spawn(wait).map(drop)
}

/// A [`Progress`] that shows nothing and only passes on requests to end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unseen;

impl Progress for Unseen {
    fn is_interrupted(&self) -> bool {
        is_requested()
    }

    fn takes_what_is_done(&self) -> bool {
        takes_what_is_done()
    }
}

/// Whether the partial result becomes the answer of a run that ends early.
pub(crate) fn takes_what_is_done() -> bool {
    requested() == Some(Request::TimeLimit)
}
