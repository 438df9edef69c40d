//! Errors of the machine.

use std::io;
use std::path::PathBuf;

use super::failure::Failure;

/// Faults of the machine.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MachineError {
    #[error("cannot write {target}")]
    Write { target: String, source: io::Error },
    #[error(
        "cannot start {threads} threads; --threads asks for fewer, and the system's limits of processes and memory \
         (ulimit -u, ulimit -v) may allow more"
    )]
    Threads { threads: usize, source: rayon::ThreadPoolBuildError },
    #[error("--spill {}: cannot keep memory there", directory.display())]
    Spill { directory: PathBuf, source: io::Error },
    #[error("--time-limit: cannot start a thread that waits")]
    Clock { source: io::Error },
    #[error(transparent)]
    Failure(Failure),
}
