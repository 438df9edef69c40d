//! Reads files and standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::no_room;
use crate::memory::{Refused, budget, room};

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

/// Number of bytes by which memory grows at least.
pub(super) const STEP: usize = 1 << 20;

/// Reads all of `stream`, expected to hold about `expected` bytes; 0 if unknown. Memory grows with what has been read,
/// whatever a header promised. Memory can be refused by the system, or by the limit of this process, which is checked
/// even where the allocator does not count.
///
/// # Errors
/// Those of [`read_all`].
pub(crate) fn all_of(mut stream: &mut dyn Read, expected: usize) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    grow(&mut all, expected)?;
    loop {
        if all.len() == all.capacity() {
            // The stream may be at its end: check that before memory is enlarged.
            let mut more = Vec::new();
            if (&mut stream).take(64).read_to_end(&mut more)? == 0 {
                return Ok(all);
            }
            let as_much = all.len().max(STEP);
            let doubled = grow(&mut all, as_much);
            doubled.or_else(|_| grow(&mut all, STEP))?;
            all.append(&mut more);
        }
        // Read within the capacity.
        let room = (all.capacity() - all.len()) as u64;
        let read = (&mut stream).take(room).read_to_end(&mut all)?;
        if (read as u64) < room {
            all.shrink_to_fit();
            return Ok(all);
        }
    }
}

/// Reserves room for `more` bytes.
fn grow(all: &mut Vec<u8>, more: usize) -> io::Result<()> {
    // For a short input only the allocator is asked: to query the free memory takes longer than reading it.
    let is_there = all.len().saturating_add(more) <= STEP || room().is_none_or(|room| more as u64 <= room);
    if is_there && budget::asking(|| all.try_reserve_exact(more)).is_ok() {
        return Ok(());
    }
    Err(no_room(Refused::of_bytes(all.len().saturating_add(more) as u64)))
}
