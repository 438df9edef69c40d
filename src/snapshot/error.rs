//! Why a snapshot cannot be written, read or gone on from.

use std::io;
use std::path::{Path, PathBuf};

use super::fingerprint::Difference;
use super::header::{Kind, VERSION};

/// Why a snapshot or a directory of checkpoints is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The system refuses what is done with a file or a directory.
    #[error("{}: cannot {action}: {cause}", path.display())]
    System {
        /// The file or the directory.
        path: PathBuf,
        /// What was to be done.
        action: &'static str,
        /// The kind of the system's error.
        kind: io::ErrorKind,
        /// The system's words.
        cause: String,
    },
    /// A file that is no snapshot.
    #[error("{}: expected a snapshot of Lacuna, which begins with {expected:02x?}, found {found:02x?}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The bytes that snapshots begin with.
        expected: [u8; 8],
        /// The bytes that the file begins with.
        found: Vec<u8>,
    },
    /// A snapshot of a later version of the format.
    #[error("{}: byte 8: expected version {VERSION} of the format, found {found}; a newer lacuna wrote it", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version found.
        found: u32,
    },
    /// A number of a kind that there is none of.
    #[error("{}: byte 12: expected a kind of snapshot, found number {found}; a newer lacuna may have written it", path.display())]
    UnknownKind {
        /// The file.
        path: PathBuf,
        /// The number found.
        found: u32,
    },
    /// A snapshot of another kind.
    #[error("{}: expected a snapshot of the kind {expected}, found {found}", path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// The kind that is wanted.
        expected: Kind,
        /// The kind found.
        found: Kind,
    },
    /// A file of another length than its header says.
    #[error("{}: expected {expected} bytes, found {found}; the file is {}", path.display(), if found < expected { "cut" } else { "too long" })]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes that there should be.
        expected: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// A checksum that is not that of the bytes.
    #[error("{}: bytes {from} to {to}: expected the checksum {expected:x}, found {found:x}; the file is damaged", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// The first byte that is summed.
        from: u64,
        /// The last byte that is summed.
        to: u64,
        /// The checksum in the header.
        expected: u128,
        /// The checksum of the bytes.
        found: u128,
    },
    /// Bytes that do not mean what they should.
    #[error("{}: byte {byte}: {what}: expected {expected}, found {found}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Where it is.
        byte: u64,
        /// What is read there.
        what: &'static str,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// Another run has the directory.
    #[error("{}: another run keeps its checkpoint there; wait for its end, or name another directory", path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
    },
    /// A directory with snapshots that are no checkpoint.
    #[error("{}: expected an empty directory or a checkpoint, found snapshots without {}; name another directory", path.display(), super::directory::MANIFEST)]
    NoManifest {
        /// The directory.
        path: PathBuf,
    },
    /// The checkpoint of another run.
    #[error(
        "{}: expected the checkpoint of this run, found that of another: {}; name another directory, or remove this one to begin anew",
        path.display(), told(differences)
    )]
    OtherRun {
        /// The directory.
        path: PathBuf,
        /// What differs.
        differences: Vec<Difference>,
    },
}

fn told(differences: &[Difference]) -> String {
    differences.iter().map(Difference::to_string).collect::<Vec<_>>().join("; ")
}

impl SnapshotError {
    /// The system refused `action` on a path.
    pub(super) fn system(path: &Path, action: &'static str, error: &io::Error) -> Self {
        let (kind, cause) = (error.kind(), error.to_string());
        SnapshotError::System { path: path.to_path_buf(), action, kind, cause }
    }

    /// Whether the machine is to blame, a full disk or too little memory, and not a path or a file.
    pub fn is_of_machine(&self) -> bool {
        use io::ErrorKind::{OutOfMemory, QuotaExceeded, StorageFull};
        matches!(self, SnapshotError::System { kind: OutOfMemory | QuotaExceeded | StorageFull, .. })
    }
}
