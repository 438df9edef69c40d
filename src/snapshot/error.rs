//! Errors of writing, reading and resuming snapshots.

use std::io;
use std::path::{Path, PathBuf};

use super::fingerprint::Difference;
use super::header::{Kind, VERSION};

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
    /// The file is not a snapshot.
    #[error("{}: expected a snapshot of Lacuna, which begins with {expected:02x?}, found {found:02x?}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Magic bytes of a snapshot.
        expected: [u8; 8],
        /// First bytes of the file.
        found: Vec<u8>,
    },
    /// The snapshot has a later version of the format.
    #[error("{}: byte 8: expected version {VERSION} of the format, found {found}; a newer lacuna wrote it", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version found.
        found: u32,
    },
    /// The number of the kind is unknown.
    #[error("{}: byte 12: expected a kind of snapshot, found number {found}; a newer lacuna may have written it", path.display())]
    UnknownKind {
        /// The file.
        path: PathBuf,
        /// The number found.
        found: u32,
    },
    /// The snapshot is of another kind.
    #[error("{}: expected a snapshot of the kind {expected}, found {found}", path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// The kind that is wanted.
        expected: Kind,
        /// The kind found.
        found: Kind,
    },
    /// The length of the file differs from that in its header.
    #[error("{}: expected {expected} bytes, found {found}; the file is {}", path.display(), if found < expected { "cut" } else { "too long" })]
    Length {
        /// The file.
        path: PathBuf,
        /// Expected length in bytes.
        expected: u64,
        /// Actual length in bytes.
        found: u64,
    },
    /// A checksum does not match.
    #[error("{}: bytes {from} to {to}: expected the checksum {expected:x}, found {found:x}; the file is damaged", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// First byte that is summed.
        from: u64,
        /// Last byte that is summed.
        to: u64,
        /// Checksum in the header.
        expected: u128,
        /// Checksum of the bytes.
        found: u128,
    },
    /// The content is not valid.
    #[error("{}: byte {byte}: {what}: expected {expected}, found {found}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Offset in bytes.
        byte: u64,
        /// Item that is read there.
        what: &'static str,
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
        path.display(), told(differences)
    )]
    OtherRun {
        /// The directory.
        path: PathBuf,
        /// Differences between the runs.
        differences: Vec<Difference>,
    },
}

fn told(differences: &[Difference]) -> String {
    differences.iter().map(Difference::to_string).collect::<Vec<_>>().join("; ")
}

impl SnapshotError {
    /// The error for an `action` on a path that the system refused.
    pub(super) fn system(path: &Path, action: &'static str, error: &io::Error) -> Self {
        let (kind, cause) = (error.kind(), error.to_string());
        SnapshotError::System { path: path.to_path_buf(), action, kind, cause }
    }
}
