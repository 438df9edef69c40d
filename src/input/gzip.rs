//! Files compressed with gzip, unpacked in memory.

use super::{Place, Problem, codecs};
use std::borrow::Cow;
use std::io::{self, Read};

use crate::memory::{Refused, budget, room};

/// What every file compressed with gzip begins with.
pub(crate) const MAGIC: &[u8] = b"\x1f\x8b";

/// Bytes that are unpacked at once.
const STEP: usize = 1 << 20;

/// The content of a file: unpacked when it is compressed with gzip, as it is otherwise.
///
/// # Errors
/// What is compressed is damaged, or there is no memory for what it holds.
pub(crate) fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Problem<Place>> {
    if !bytes.starts_with(MAGIC) {
        return Ok(Cow::Borrowed(bytes));
    }
    codecs::require("a file compressed with gzip")?;
    let all =
        codecs::gzip(bytes).map_err(GrowthFault::Io).and_then(|mut stream| read_growing(&mut stream, 0));
    all.map(Cow::Owned).map_err(|fault| match fault {
        GrowthFault::Memory(refused) => Problem::of_memory(Place::Whole, refused),
        GrowthFault::Io(error) => match codecs::end_of_members(bytes) {
            Some(end) => {
                let found = format!("{} bytes that gzip does not know", bytes.len() - end);
                Problem::new(Place::Byte(end), "the end of the gzip file", found)
            }
            None => Problem::new(Place::Whole, "a sound gzip file", error.to_string()),
        },
    })
}

/// The first bytes, `most` or fewer, of what the beginning of a compressed file holds; none where it is damaged.
pub fn beginning(packed: &[u8], most: u64) -> Vec<u8> {
    let mut head = Vec::new();
    if let Ok(stream) = codecs::gzip(packed) {
        // The file is cut, so the stream ends with an error after what can be known.
        let _ = stream.take(most).read_to_end(&mut head);
    }
    head
}

/// Why a stream cannot be read into memory.
pub(super) enum GrowthFault {
    /// The stream fails.
    Io(io::Error),
    /// There is no memory for it.
    Memory(Refused),
}

/// All that `stream` gives, which are about so many bytes, if that is known. Memory grows with what has been read, whatever a header
/// promised; memory that is refused is an error, by the system or by the limit of this process, which holds where the allocator does not count, too.
pub(super) fn read_growing(stream: &mut impl Read, expected: usize) -> Result<Vec<u8>, GrowthFault> {
    let mut all = Vec::new();
    grow(&mut all, expected).map_err(GrowthFault::Memory)?;
    loop {
        if all.len() == all.capacity() {
            // That may have been all: no room is made before there is more.
            let mut more = Vec::new();
            if stream.take(64).read_to_end(&mut more).map_err(GrowthFault::Io)? == 0 {
                return Ok(all);
            }
            let as_much = all.len().max(STEP);
            let doubled = grow(&mut all, as_much);
            doubled.or_else(|_| grow(&mut all, STEP)).map_err(GrowthFault::Memory)?;
            all.append(&mut more);
        }
        // Within the room that there is.
        let room = (all.capacity() - all.len()) as u64;
        let read = stream.take(room).read_to_end(&mut all).map_err(GrowthFault::Io)?;
        if (read as u64) < room {
            all.shrink_to_fit();
            return Ok(all);
        }
    }
}

/// Makes room for so many bytes more.
fn grow(all: &mut Vec<u8>, more: usize) -> Result<(), Refused> {
    // A short input asks the allocator alone: to find out how much memory there is takes longer than to read it.
    let is_there = all.len().saturating_add(more) <= STEP || room().is_none_or(|room| more as u64 <= room);
    if is_there && budget::asking(|| all.try_reserve_exact(more)).is_ok() {
        return Ok(());
    }
    Err(Refused::new(all.len().saturating_add(more) as u64))
}

#[cfg(all(test, feature = "codecs"))]
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
