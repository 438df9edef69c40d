//! The threads of a computation.

use crate::memory::budget::settle;

/// The error of threads that the system cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot start {threads} threads: {reason}")]
#[non_exhaustive]
pub struct ThreadsError {
    /// Number of threads requested.
    pub threads: usize,
    /// The system's message.
    pub reason: String,
}

/// Runs on a pool of `threads` threads of its own, or on the current pool if `threads` is `None`.
pub(crate) fn on_threads<T: Send, E: From<ThreadsError> + Send>(
    threads: Option<usize>,
    run: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    let Some(threads) = threads else { return run() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).exit_handler(|_| settle()).build();
    pool.map_err(|error| ThreadsError { threads, reason: error.to_string() })?.install(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_runs_on_as_many_threads_as_asked_for() {
        let count = |threads| on_threads(threads, || Ok::<_, ThreadsError>(rayon::current_num_threads()));
        assert_eq!(count(Some(3)), Ok(3));
        assert_eq!(count(None), Ok(rayon::current_num_threads()));
    }
}
