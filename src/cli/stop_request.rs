//! The request to end a run early, and the directory in which such a run saves its state.
#![cfg_attr(not(unix), expect(dead_code, reason = "signals are handled on Unix only"))]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::notes::{over_a_bar, tell};

/// A signal within this time of the first counts as the same one: `timeout` sends one to the program and one to its
/// group.
const APART: Duration = Duration::from_secs(1);

/// The origin of a request to end the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    /// A signal, from the user or the system.
    Signal,
    /// `--time-limit`, set by the user beforehand.
    TimeLimit,
}

/// The first request, if there is one.
static REQUESTED: OnceLock<Request> = OnceLock::new();

/// Directory of the run's checkpoint; if set, a signal asks for an orderly end.
static KEPT_IN: OnceLock<PathBuf> = OnceLock::new();

/// Whether signals are left to another process, whose end is that of this one.
static IS_LEFT_TO_OTHERS: AtomicBool = AtomicBool::new(false);

/// Time of the first signal that asked for an orderly end.
static FIRST: OnceLock<Instant> = OnceLock::new();

/// The first request to end the run early, if there is one.
pub(crate) fn requested() -> Option<Request> {
    REQUESTED.get().copied()
}

/// Asks the run to end. A later request does not replace the first.
pub(crate) fn request(origin: Request) {
    let _ = REQUESTED.set(origin);
}

/// Names the directory in which the run saves its state, so that a signal asks for an orderly end.
pub(crate) fn keep_in(directory: &Path) {
    KEPT_IN.get_or_init(|| directory.to_path_buf());
}

/// Directory of the run's checkpoint, if it has one.
pub(crate) fn kept_in() -> Option<&'static Path> {
    KEPT_IN.get().map(PathBuf::as_path)
}

/// Leaves signals to another process.
pub(crate) fn leave_to_others() {
    IS_LEFT_TO_OTHERS.store(true, Ordering::Relaxed);
}

/// Whether the run saves its state.
pub(crate) fn keeps_state() -> bool {
    kept_in().is_some()
}

/// Handles a signal, called by one thread at a time. True if the program continues to an orderly end.
pub(crate) fn take_signal() -> bool {
    if IS_LEFT_TO_OTHERS.load(Ordering::Relaxed) {
        return true;
    }
    if !keeps_state() {
        return false;
    }
    if let Some(first) = FIRST.get() {
        return first.elapsed() < APART;
    }
    FIRST.get_or_init(Instant::now);
    request(Request::Signal);
    let start = over_a_bar();
    tell(format_args!(
        "{start}interrupted: what is done is being kept; a signal a second from now or later ends the run at once"
    ));
    true
}
