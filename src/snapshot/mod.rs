//! Snapshots: what a run knows, in files that another run goes on from.
//!
//! **Plan.** A file `.lac` is a header of 48 bytes and a payload. The payload is a row of *records* (anything that serde knows, small)
//! and *tables* (numbers of one width, as they lie in memory, large), each with its length before it. The first record is always the
//! [facts](Snapshot::facts), in words, so that any snapshot says what it holds to one who does not know its kind. `header` has the
//! header, `codec` alone knows how a record becomes bytes, [`Writer`] and [`Reader`] go through a payload, and a [`Checkpoint`] is
//! where a run keeps its pieces, each a snapshot: in a [`CheckpointDirectory`], if the user named one.
//!
//! # The header
//!
//! | bytes | hold |
//! |---|---|
//! | 0–7 | the magic number `89 4c 41 43 0d 0a 1a 0a`: `LAC` and bytes that transfers as text damage |
//! | 8–11 | the version of the format, 1 |
//! | 12–15 | the [kind](Kind) |
//! | 16–23 | the length of the payload in bytes |
//! | 24–39 | XXH3 of 128 bits of the payload |
//! | 40–47 | XXH3 of 64 bits of bytes 0–39 |
//! | 48– | the payload |
//!
//! All numbers are little-endian. A record is its length in bytes, 64 bits, the bytes, and zeros up to a multiple of 8; a table is the number
//! of its items, 64 bits, the items, and zeros likewise. So tables lie at multiples of 8 and are read where they lie.
//!
//! # What is believed
//!
//! Nothing. The magic number, the version, the checksum of the header, its length and the checksum of the payload are looked at in this
//! order before anything is decoded, so a file that is foreign, newer, cut, too long or damaged is told as what it is. A length is
//! believed when that many bytes are there: memory follows the size of the file. Checksums find accidents, not malice: what a stage takes from
//! a snapshot it checks as far as it must so as not to panic.
//!
//! # In a program
//!
//! ```
//! use std::time::Duration;
//!
//! use lacuna::metric::PointCloud;
//! use lacuna::rips::Rips;
//! use lacuna::snapshot::{CheckpointDirectory, Fingerprint, Resumable};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("kept");
//! let corners = PointCloud::new(2, vec![0.0f32, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
//! // What cannot be kept is told, and the run goes on.
//! let warn = Box::new(|error: &_| eprintln!("warning: {error}"));
//! let directory = CheckpointDirectory::open(&path, Duration::from_secs(60), warn)?;
//! // Whatever the answer depends on: another run on this directory is refused.
//! let goes_on = directory.begin(&Fingerprint::new("corners").with("points", 4).with("threshold", 2))?;
//! assert!(!goes_on);
//! let run = Resumable { progress: &(), checkpoint: &directory };
//! let outcome = Rips::new(corners).threshold(2.0).solve(&run)?;
//! assert_eq!(outcome.diagram.bars(1).len(), 1);
//! // The answer is safe: nothing need be kept any more.
//! directory.finish()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
mod codec;
mod directory;
mod error;
pub(crate) mod file;
mod fingerprint;
mod header;
mod reader;
mod saving;
#[cfg(test)]
mod tests;
mod writer;

pub use checkpoint::{Checkpoint, Fill, Part, Resumable};
pub use directory::CheckpointDirectory;
pub use error::SnapshotError;
pub use file::{Snapshot, read, write};
pub use fingerprint::{Difference, Fingerprint, checksum};
pub use header::{HEADER_LENGTH, Kind, MAGIC, VERSION};
pub use reader::Reader;
pub(crate) use saving::Saving;
pub use writer::Writer;

/// What a snapshot says of itself, by name: `("columns", "1203")`.
pub type Facts = Vec<(String, String)>;

/// The facts of these names and values.
pub fn facts<'a>(pairs: impl IntoIterator<Item = (&'a str, String)>) -> Facts {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
