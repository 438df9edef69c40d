//! Compression of chunks.

use std::io::{self, Read};

use flate2::read::{MultiGzDecoder, ZlibDecoder};

use super::blosc;
use crate::cubical::read::error::Fault;
use crate::input::source;

/// A step from the bytes in a file to those of the voxels of a chunk, called as in either version.
#[derive(Debug, Clone, Copy, PartialEq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Codec {
    Gzip,
    #[strum(serialize = "zlib", serialize = "numcodecs.zlib")]
    Zlib,
    Zstd,
    Blosc,
    /// A checksum after the bytes, CRC-32C.
    #[strum(serialize = "crc32c")]
    Checksum,
}

impl Codec {
    /// The bytes without this step, of which there are to be `expected`.
    pub(super) fn decode(self, bytes: Vec<u8>, expected: usize) -> Result<Vec<u8>, Fault> {
        match self {
            Codec::Gzip => unpacked(MultiGzDecoder::new(&bytes[..]), expected, "gzip"),
            Codec::Zlib => zlib(&bytes, expected),
            Codec::Zstd => zstd(&bytes, expected),
            Codec::Blosc => blosc::decompress(&bytes, expected),
            Codec::Checksum => checked(bytes),
        }
    }
}

pub(super) fn zlib(bytes: &[u8], expected: usize) -> Result<Vec<u8>, Fault> {
    unpacked(ZlibDecoder::new(bytes), expected, "zlib")
}

pub(super) fn zstd(bytes: &[u8], expected: usize) -> Result<Vec<u8>, Fault> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(bytes);
    let decoder = decoder.map_err(|error| Fault::of("bytes compressed with Zstandard", error))?;
    unpacked(decoder, expected, "Zstandard")
}

/// Reads `expected` bytes and checks that there are no more. Memory grows with the bytes that there are.
fn unpacked(decoder: impl Read, expected: usize, name: &str) -> Result<Vec<u8>, Fault> {
    let bytes =
        source::all_of(&mut decoder.take(expected as u64 + 1), 0).map_err(|error| match error.kind() {
            io::ErrorKind::OutOfMemory => Fault::from(error),
            _ => Fault::of(format!("bytes compressed with {name}"), error),
        })?;
    check_length(bytes.len(), expected)?;
    Ok(bytes)
}

pub(super) fn check_length(found: usize, expected: usize) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    let found = if found < expected { found.to_string() } else { "more".to_owned() };
    Err(Fault::of(format!("{expected} bytes"), found))
}

/// The bytes before a checksum, after comparing it.
fn checked(mut bytes: Vec<u8>) -> Result<Vec<u8>, Fault> {
    let Some((front, &stored)) = bytes.split_last_chunk::<4>() else {
        return Err(Fault::of("a checksum of 4 bytes", bytes.len()));
    };
    let (stored, found) = (u32::from_le_bytes(stored), crc32c(front));
    if stored != found {
        return Err(Fault::of(format!("bytes of the checksum {stored:08x}"), format!("{found:08x}")));
    }
    bytes.truncate(bytes.len() - 4);
    Ok(bytes)
}

/// The cyclic redundancy check with Castagnoli's polynomial (RFC 3720, appendix B.4).
fn crc32c(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let (mut sum, mut bit) = (byte as u32, 0);
            while bit < 8 {
                sum = if sum & 1 == 1 { sum >> 1 ^ 0x82f6_3b78 } else { sum >> 1 };
                bit += 1;
            }
            table[byte] = sum;
            byte += 1;
        }
        table
    };
    !bytes.iter().fold(u32::MAX, |sum, &byte| sum >> 8 ^ TABLE[usize::from(sum as u8 ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[255; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(
            checked([&b"123456789"[..], &0xe306_9283_u32.to_le_bytes()].concat()).unwrap(),
            b"123456789"
        );
        assert!(checked(b"123456789abcd".to_vec()).is_err());
        assert!(checked(b"12".to_vec()).is_err());
    }
}
