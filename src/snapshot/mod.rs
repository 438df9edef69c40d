//! Snapshots: the state of a run, in files from which another run can resume.
//!
//! **Layout.** A file `.lac` is a header of 48 bytes and a payload. The payload is a sequence of *records* of any types
//! that serde supports. The first record is always the kind of the snapshot and its [facts](Snapshot::facts), in words,
//! so that any snapshot describes itself even to a reader that does not know its kind. [`Writer`] and [`Reader`] process
//! a payload, and a [`Checkpoint`] stores the parts of a run's state, each as a snapshot: in a [`CheckpointDirectory`],
//! if the user named one.
//!
//! # The header
//!
//! | bytes | hold |
//! |---|---|
//! | 0–7 | the magic number `89 4c 41 43 0d 0a 1a 0a`: `LAC` and bytes that transfers as text damage |
//! | 8–15 | the version of the format, 1 |
//! | 16–23 | the length of the payload in bytes |
//! | 24–39 | XXH3 of 128 bits of the payload |
//! | 40–47 | XXH3 of 64 bits of bytes 0–39 |
//! | 48– | the payload |
//!
//! All numbers are little-endian.
//!
//! # Validation
//!
//! Nothing is trusted. The magic number, the version, the checksum of the header, the length and the checksum of the
//! payload are checked before anything is decoded, so a file that is foreign, of another version, truncated, too long or
//! damaged is reported as such. A length is believed only as far as bytes are present, so memory is bounded by the size
//! of the file. Checksums detect accidents, not malice: stages validate what they take from a snapshot as far as needed
//! not to panic.
//!
//! # In a program
//!
//! ```
//! use std::time::Duration;
//!
//! use lacuna::metric::PointCloud;
//! use lacuna::progress::Resumable;
//! use lacuna::rips::Rips;
//! use lacuna::snapshot::{CheckpointDirectory, Fingerprint};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("kept");
//! let corners = PointCloud::new(2, vec![0.0f32, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
//! // What cannot be saved is reported, and the run goes on.
//! let warn = Box::new(|error: &_| eprintln!("warning: {error}"));
//! let directory = CheckpointDirectory::open(&path, Duration::from_secs(60), warn)?;
//! // Everything the answer depends on: another run on this directory is refused.
//! let goes_on = directory.begin(&Fingerprint::new("corners").with("points", 4).with("threshold", 2))?;
//! assert!(!goes_on);
//! let run = Resumable { progress: &(), checkpoint: &directory };
//! let outcome = Rips::new(corners).threshold(2.0).solve(&run)?;
//! assert_eq!(outcome.diagram.bars(1).len(), 1);
//! // The answer is safe: the state is no longer needed.
//! directory.finish()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
mod directory;
mod error;
pub(crate) mod file;
mod fingerprint;
mod record;
#[cfg(test)]
mod tests;

pub use checkpoint::{Checkpoint, Fill, Part};
pub use directory::CheckpointDirectory;
pub use error::SnapshotError;
pub use file::{HEADER_LENGTH, MAGIC, Snapshot, VERSION, read, write};
pub use fingerprint::{Fingerprint, checksum};
pub use record::{Reader, Writer};

/// Kind of the snapshot that identifies the run of a checkpoint.
pub const RUN: &str = "run";

/// Description of a snapshot's content, by name: `("columns", "1203")`.
pub type Facts = Vec<(String, String)>;

/// Makes facts from names and values.
pub fn facts<'a>(pairs: impl IntoIterator<Item = (&'a str, String)>) -> Facts {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
