//! Decompression of gzip files in memory.

use super::{Place, Problem};
use flate2::read::MultiGzDecoder;
use std::borrow::Cow;
use std::io::{self, Read};

use crate::memory::{Refused, budget, room};

/// Magic bytes of gzip.
pub(crate) const MAGIC: &[u8] = b"\x1f\x8b";

/// Number of bytes decompressed at a time.
const STEP: usize = 1 << 20;

/// The content of a file, decompressed if it begins as gzip does.
///
/// # Errors
/// The compressed data is damaged, or memory for its content is refused.
pub(crate) fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Problem> {
    if !bytes.starts_with(MAGIC) {
        return Ok(Cow::Borrowed(bytes));
    }
    read_growing(&mut MultiGzDecoder::new(bytes), 0).map(Cow::Owned).map_err(|fault| match fault {
        GrowthFault::Memory(refused) => Problem::of_memory(Place::Whole, refused),
        GrowthFault::Io(error) => match end_of_members(bytes) {
            Some(end) => {
                let found = format!("{} bytes that gzip does not know", bytes.len() - end);
                Problem::new(Place::Byte(end), "the end of the gzip file", found)
            }
            None => Problem::new(Place::Whole, "a sound gzip file", error.to_string()),
        },
    })
}

/// Decompresses at most `most` bytes from the beginning of a compressed file; empty if it is damaged.
pub fn beginning(packed: &[u8], most: u64) -> Vec<u8> {
    let mut head = Vec::new();
    // The file is truncated, so the stream ends with an error after the available bytes.
    let _ = MultiGzDecoder::new(packed).take(most).read_to_end(&mut head);
    head
}

/// Offset of the end of the valid gzip members at the beginning of `packed`, if anything else follows them.
fn end_of_members(packed: &[u8]) -> Option<usize> {
    let mut rest = packed;
    while rest.starts_with(MAGIC) {
        let mut member = flate2::bufread::GzDecoder::new(rest);
        io::copy(&mut member, &mut io::sink()).ok()?;
        rest = member.into_inner();
    }
    (!rest.is_empty()).then(|| packed.len() - rest.len())
}

/// Why a stream cannot be read into memory.
pub(super) enum GrowthFault {
    /// The stream fails.
    Io(io::Error),
    /// Memory for it is refused.
    Memory(Refused),
}

/// Reads all of `stream`, expected to hold about `expected` bytes; 0 if unknown. Memory grows with what has been read,
/// whatever a header promised. Memory can be refused by the system, or by the limit of this process, which is checked
/// even where the allocator does not count.
pub(super) fn read_growing(mut stream: &mut dyn Read, expected: usize) -> Result<Vec<u8>, GrowthFault> {
    let mut all = Vec::new();
    grow(&mut all, expected).map_err(GrowthFault::Memory)?;
    loop {
        if all.len() == all.capacity() {
            // The stream may be at its end: check that before memory is enlarged.
            let mut more = Vec::new();
            if (&mut stream).take(64).read_to_end(&mut more).map_err(GrowthFault::Io)? == 0 {
                return Ok(all);
            }
            let as_much = all.len().max(STEP);
            let doubled = grow(&mut all, as_much);
            doubled.or_else(|_| grow(&mut all, STEP)).map_err(GrowthFault::Memory)?;
            all.append(&mut more);
        }
        // Read within the capacity.
        let room = (all.capacity() - all.len()) as u64;
        let read = (&mut stream).take(room).read_to_end(&mut all).map_err(GrowthFault::Io)?;
        if (read as u64) < room {
            all.shrink_to_fit();
            return Ok(all);
        }
    }
}

/// Reserves room for `more` bytes.
fn grow(all: &mut Vec<u8>, more: usize) -> Result<(), Refused> {
    // For a short input only the allocator is asked: to query the free memory takes longer than reading it.
    let is_there = all.len().saturating_add(more) <= STEP || room().is_none_or(|room| more as u64 <= room);
    if is_there && budget::asking(|| all.try_reserve_exact(more)).is_ok() {
        return Ok(());
    }
    Err(Refused::of_bytes(all.len().saturating_add(more) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn files_are_unpacked_or_found_damaged() {
        assert!(matches!(unpacked(b"1 2 3"), Ok(Cow::Borrowed(b"1 2 3"))));
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        let content = vec![b'x'; 3 * STEP + 7];
        packed.write_all(&content).unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(unpacked(&packed).unwrap(), content);
        let cut = unpacked(&packed[..packed.len() / 2]).unwrap_err();
        assert!(cut.to_string().starts_with("expected a sound gzip file, found "), "{cut}");
        let tailed = unpacked(&[&packed[..], b"tail"].concat()).unwrap_err();
        let end = packed.len();
        assert_eq!(
            tailed.to_string(),
            format!("byte {end}: expected the end of the gzip file, found 4 bytes that gzip does not know")
        );
        assert_eq!(beginning(&packed, 9), b"xxxxxxxxx");
        assert_eq!(beginning(&packed[..5], 9), b"");
        let two = [&packed[..], &packed[..]].concat();
        assert_eq!(unpacked(&two).unwrap().len(), 2 * content.len());
    }
}
