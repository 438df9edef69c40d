//! Errors of writing, reading and resuming snapshots.

use std::io;
use std::path::{Path, PathBuf};

/// Error of a snapshot or a checkpoint directory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The system refused an operation on a file or directory.
    #[error("{}: cannot {action}: {cause}", path.display())]
    System {
        /// The file or the directory.
        path: PathBuf,
        /// Operation that was refused.
        action: &'static str,
        /// Kind of the system's error.
        kind: io::ErrorKind,
        /// Message of the system.
        cause: String,
    },
    /// The file is not a snapshot, or not one of this version, or damaged, or its content is not valid.
    #[error("{}: {place}: expected {expected}, found {found}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Byte or item at which the error was found.
        place: String,
        /// Expected content.
        expected: String,
        /// Content that was found.
        found: String,
    },
    /// Another run holds the lock of the directory.
    #[error("{}: another run keeps its checkpoint there; wait for its end, or name another directory", path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
    },
    /// The directory has snapshots, but is not a checkpoint.
    #[error("{}: expected an empty directory or a checkpoint, found snapshots without {}; name another directory", path.display(), super::directory::MANIFEST)]
    NoManifest {
        /// The directory.
        path: PathBuf,
    },
    /// The checkpoint is of another run.
    #[error(
        "{}: expected the checkpoint of this run, found that of another: {}; name another directory, or remove this one to begin anew",
        path.display(), differences.join("; ")
    )]
    OtherRun {
        /// The directory.
        path: PathBuf,
        /// Differences between the runs.
        differences: Vec<String>,
    },
}

impl SnapshotError {
    /// The error for an `action` on a path that the system refused.
    pub(super) fn system(path: &Path, action: &'static str, error: &io::Error) -> Self {
        let (kind, cause) = (error.kind(), error.to_string());
        SnapshotError::System { path: path.to_path_buf(), action, kind, cause }
    }

    /// The error for content that is not as expected.
    pub(super) fn content(path: &Path, place: String, expected: String, found: String) -> Self {
        SnapshotError::Content { path: path.to_path_buf(), place, expected, found }
    }
}
