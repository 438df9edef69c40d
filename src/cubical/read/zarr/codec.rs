//! Compression of chunks.

use std::io::{self, Read};

use flate2::read::{MultiGzDecoder, ZlibDecoder};

use super::blosc;
use crate::cubical::read::error::{Fault, room};
use crate::input::source;

/// A step from the bytes in a file to those of the voxels of a chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Codec {
    Gzip,
    Zlib,
    Zstd,
    Blosc,
    /// A checksum after the bytes, CRC-32C.
    Checksum,
}

/// Error of the bytes of a chunk: what was expected and what was found, or a fault of the system.
#[derive(Debug)]
pub(super) enum Broken {
    Content(String, String),
    Fault(Fault),
}

impl Broken {
    pub(super) fn of(expected: impl Into<String>, found: impl Into<String>) -> Broken {
        Broken::Content(expected.into(), found.into())
    }
}

impl Codec {
    /// The bytes without this step, of which there are to be `expected`.
    pub(super) fn decode(self, bytes: Vec<u8>, expected: usize) -> Result<Vec<u8>, Broken> {
        match self {
            Codec::Gzip => unpacked(MultiGzDecoder::new(&bytes[..]), expected, "gzip"),
            Codec::Zlib => zlib(&bytes, expected),
            Codec::Zstd => zstd(&bytes, expected),
            Codec::Blosc => blosc::decompress(&bytes, expected),
            Codec::Checksum => checked(bytes),
        }
    }
}

/// A buffer of zeros.
pub(super) fn buffer(length: usize) -> Result<Vec<u8>, Broken> {
    let mut buffer = Vec::new();
    room(&buffer, length).map_err(Broken::Fault)?;
    buffer.resize(length, 0);
    Ok(buffer)
}

pub(super) fn zlib(bytes: &[u8], expected: usize) -> Result<Vec<u8>, Broken> {
    unpacked(ZlibDecoder::new(bytes), expected, "zlib")
}

pub(super) fn zstd(bytes: &[u8], expected: usize) -> Result<Vec<u8>, Broken> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(bytes);
    let decoder =
        decoder.map_err(|error| Broken::of("bytes compressed with Zstandard", error.to_string()))?;
    unpacked(decoder, expected, "Zstandard")
}

/// Reads `expected` bytes and checks that there are no more. Memory grows with the bytes that there are.
fn unpacked(decoder: impl Read, expected: usize, name: &str) -> Result<Vec<u8>, Broken> {
    let bytes =
        source::all_of(&mut decoder.take(expected as u64 + 1), 0).map_err(|error| match error.kind() {
            io::ErrorKind::OutOfMemory => Broken::Fault(error.into()),
            _ => Broken::of(format!("bytes compressed with {name}"), error.to_string()),
        })?;
    check_length(bytes.len(), expected)?;
    Ok(bytes)
}

pub(super) fn check_length(found: usize, expected: usize) -> Result<(), Broken> {
    if found == expected {
        return Ok(());
    }
    let found = if found < expected { found.to_string() } else { "more".to_owned() };
    Err(Broken::of(format!("{expected} bytes"), found))
}

/// The bytes before a checksum, after comparing it.
fn checked(mut bytes: Vec<u8>) -> Result<Vec<u8>, Broken> {
    let Some((front, &stored)) = bytes.split_last_chunk::<4>() else {
        return Err(Broken::of("a checksum of 4 bytes", bytes.len().to_string()));
    };
    let (stored, found) = (u32::from_le_bytes(stored), crc32c(front));
    if stored != found {
        return Err(Broken::of(format!("bytes of the checksum {stored:08x}"), format!("{found:08x}")));
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
