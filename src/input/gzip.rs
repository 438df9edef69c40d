//! Files compressed with gzip, unpacked in memory.

use super::{Place, Problem, codecs};
use std::borrow::Cow;
use std::io::{self, Read};

use crate::memory::budget;

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
    let all = codecs::gzip(bytes).map_err(GrowthFault::Io).and_then(|mut stream| read_growing(&mut stream));
    all.map(Cow::Owned).map_err(|fault| match fault {
        GrowthFault::Memory(size) => out_of_memory(size),
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
    /// There is no memory for this number of bytes.
    Memory(usize),
}

/// All that `stream` gives. Memory grows with what has been read, whatever a header promised; memory that is
/// refused is an error.
pub(super) fn read_growing(stream: &mut impl Read) -> Result<Vec<u8>, GrowthFault> {
    let mut all = Vec::new();
    loop {
        budget::asking(|| all.try_reserve(STEP)).map_err(|_| GrowthFault::Memory(all.len() + STEP))?;
        // Within the room that was reserved.
        let read = stream.take(STEP as u64).read_to_end(&mut all).map_err(GrowthFault::Io)?;
        if read == 0 {
            all.shrink_to_fit();
            return Ok(all);
        }
    }
}

/// The error that there is no memory for what is unpacked.
pub(super) fn out_of_memory(size: usize) -> Problem<Place> {
    let found = format!("that {size} bytes are more than there is memory for");
    Problem::new(Place::Whole, "memory for what the file holds unpacked", found)
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
