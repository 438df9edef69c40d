//! Reads files and standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::gzip::{GrowthFault, read_growing};
use super::no_room;

/// Name of the file at `path` in messages; `-` is standard input.
pub fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads the whole file at `path`, or standard input if it is `-`.
///
/// # Errors
/// The error of the system; a refusal of memory has the kind [`OutOfMemory`](io::ErrorKind::OutOfMemory).
pub fn read_all(path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        return all_of(&mut io::stdin().lock(), 0);
    }
    let mut file = File::open(path)?;
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    all_of(&mut file, length)
}

/// Reads all of a stream, expected to hold about `expected` bytes; 0 if unknown.
///
/// # Errors
/// Those of [`read_all`].
pub(crate) fn all_of(stream: &mut dyn Read, expected: usize) -> io::Result<Vec<u8>> {
    read_growing(stream, expected).map_err(|fault| match fault {
        GrowthFault::Io(error) => error,
        GrowthFault::Memory(refused) => no_room(refused),
    })
}
