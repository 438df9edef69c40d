//! Decompression of gzip files in memory.

use super::source::all_of;
use super::{Place, Problem};
use flate2::read::MultiGzDecoder;
use std::borrow::Cow;
use std::io::{self, Read};

/// Magic bytes of gzip.
pub(crate) const MAGIC: &[u8] = b"\x1f\x8b";

/// The content of a file, decompressed if it begins as gzip does.
///
/// # Errors
/// The compressed data is damaged, or memory for its content is refused.
pub(crate) fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Problem> {
    if !bytes.starts_with(MAGIC) {
        return Ok(Cow::Borrowed(bytes));
    }
    all_of(&mut MultiGzDecoder::new(bytes), 0).map(Cow::Owned).map_err(|error| {
        if error.kind() == io::ErrorKind::OutOfMemory {
            return error.into();
        }
        match end_of_members(bytes) {
            Some(end) => {
                let found = format!("{} bytes that gzip does not know", bytes.len() - end);
                Problem::new(Place::Byte(end), "the end of the gzip file", found)
            }
            None => Problem::whole("a sound gzip file", error),
        }
    })
}

/// Decompresses at most `most` bytes from the beginning of a compressed file; empty if it is damaged.
pub(crate) fn beginning(packed: &[u8], most: u64) -> Vec<u8> {
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

#[cfg(test)]
mod tests {
    use super::super::source::STEP;
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
