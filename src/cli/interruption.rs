//! Why a run is asked to end early: by a signal, where it keeps its state, or by a limit of time.
//!
//! Stages ask by their [`Progress`], save what they have, and unwind. A run that keeps no state ends by a signal at once, as always. An input may
//! never come: the limit of time ends its reading at once ([`while_reading`]); a signal does not, but another one does.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use lacuna::progress::Progress;

use super::deadline;
use super::error::EndedEarly;
use super::notes::{over_a_bar, tell};
use super::temporary;

/// Who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    /// The user or the system, by a signal.
    Signal,
    /// The user beforehand, by `--time-limit`.
    TimeLimit,
}

/// 0: nobody; else one more than the place of the request among all.
static REQUESTED: AtomicU8 = AtomicU8::new(0);
const ALL: [Request; 2] = [Request::Signal, Request::TimeLimit];

/// The directory where the run keeps its state, so that a signal asks for an end in order.
static KEPT_IN: OnceLock<PathBuf> = OnceLock::new();

/// Whether the run reads an input. Held by who ends it meanwhile.
static IS_READING: Mutex<bool> = Mutex::new(false);

/// When the first signal came that did.
static FIRST: OnceLock<Instant> = OnceLock::new();

/// A signal that comes sooner after the first is one with it: `timeout` sends one to the program and one to its group.
const APART: Duration = Duration::from_secs(1);

/// Who asked the run to end early, if anybody did: the first who did.
pub(crate) fn requested() -> Option<Request> {
    let number = REQUESTED.load(Ordering::Relaxed);
    ALL.into_iter().find(|&request| self::number(request) == number)
}

/// Whether anybody asked the run to end early.
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
    // Who asks later does not change why the run ends.
    let _ = REQUESTED.compare_exchange(0, number(request), Ordering::Relaxed, Ordering::Relaxed);
}

fn is_reading() -> MutexGuard<'static, bool> {
    // A single value is valid whoever panicked.
    IS_READING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The run reads an input as long as this lives.
struct Reading;

impl Drop for Reading {
    fn drop(&mut self) {
        *is_reading() = false;
    }
}

/// Reads an input, of which there is nothing yet to be kept: when the time is up meanwhile, the program ends at once. No other thread has work that
/// would be lost.
///
/// # Errors
/// The run was asked to end before.
pub(crate) fn while_reading<T>(read: impl FnOnce() -> T) -> Result<T, EndedEarly> {
    *is_reading() = true;
    let _reading = Reading;
    if is_requested() { Err(EndedEarly::now()) } else { Ok(read()) }
}

/// Has the first signal that would end the program, which keeps its state in this directory, ask for an end in order, and one that comes a
/// second later or more end it.
pub(crate) fn hear_signals(directory: &Path) {
    KEPT_IN.get_or_init(|| directory.to_path_buf());
    temporary::watch_signals();
}

/// The directory where the run keeps its state, if it does.
pub(crate) fn kept_in() -> Option<&'static Path> {
    KEPT_IN.get().map(PathBuf::as_path)
}

/// Whether the run keeps its state.
pub(crate) fn keeps_state() -> bool {
    kept_in().is_some()
}

/// A signal came; one thread at a time says so. Whether the program goes on, to an end in order.
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

/// Has the run asked to end when so much time has passed from now. Where no thread can be started to wait for that, it is the error.
pub(crate) fn limit(time: Duration) -> std::io::Result<()> {
    let wait = move || {
        thread::sleep(time);
        ask(Request::TimeLimit);
        // Held to the end, so that nothing is begun that would not be ended.
        let is_reading = is_reading();
        if *is_reading {
            let ended = EndedEarly::now();
            deadline::end_saying(ended.exit_code(), format_args!("{}{ended}", over_a_bar()));
        }
    };
    thread::Builder::new().name("time limit".into()).spawn(wait).map(drop)
}

/// The progress of a run that nobody looks at.
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

/// Whether what is done by now is to be the answer of a run that ends early.
pub(crate) fn takes_what_is_done() -> bool {
    requested() == Some(Request::TimeLimit)
}
