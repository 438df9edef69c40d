//! Chunks of Blosc 1: blocks of bytes that are shuffled and compressed, mostly with LZ4 or Zstandard.
//!
//! A chunk has a header of 16 bytes, the offsets of its blocks, and the blocks. A block is one stream, or one for each
//! byte of the elements; a stream begins with its compressed length, and is not compressed if that is its own length.
//!
//! Source: `README_CHUNK_FORMAT.rst` of c-blosc, <https://github.com/Blosc/c-blosc>.

use super::codec;
use crate::cubical::read::error::{Fault, resize};

/// Length of the header.
const HEADER: usize = 16;

/// Greatest size of an element, and least number of elements of a block, that is several streams.
const SPLIT: (usize, usize) = (16, 128);

/// Bits of the flags.
const SHUFFLED: u8 = 1;
const STORED: u8 = 2;
const BITS_SHUFFLED: u8 = 4;
const NOT_SPLIT: u8 = 16;

/// Decompresses a chunk that is to have `expected` bytes.
pub(super) fn decompress(chunk: &[u8], expected: usize) -> Result<Vec<u8>, Fault> {
    let word = |at: usize| Some(u32::from_le_bytes(*chunk.get(at..)?.first_chunk()?) as usize);
    let header = (chunk.first_chunk::<HEADER>(), word(4), word(8));
    let (Some(&[version, _, flags, size, ..]), Some(length), Some(block)) = header else {
        return Err(Fault::of("a header of Blosc", "fewer bytes"));
    };
    if version > 2 || flags & SHUFFLED != 0 && flags & BITS_SHUFFLED != 0 {
        return Err(Fault::of("a chunk of Blosc 1", format!("one of version {version}, as of Blosc 2")));
    }
    if length != expected {
        return Err(Fault::of(format!("{expected} bytes in a chunk of Blosc"), length));
    }
    if flags & STORED != 0 {
        let bytes = chunk[HEADER..].get(..length).map(<[u8]>::to_vec);
        return bytes.ok_or_else(|| Fault::of(format!("{length} bytes"), "fewer"));
    }
    let size = usize::from(size.max(1));
    if length > 0 && block == 0 {
        return Err(Fault::of("blocks of at least a byte", "none"));
    }
    // The header may promise anything: memory is taken for what the chunk can hold.
    let offsets = length.div_ceil(block.max(1)).saturating_mul(4);
    if HEADER.saturating_add(offsets) > chunk.len() || length / most(flags >> 5) > chunk.len() {
        let expected = format!("a chunk of Blosc that can hold {length} bytes");
        return Err(Fault::of(expected, format!("one of {} bytes", chunk.len())));
    }
    let mut all = Vec::new();
    resize(&mut all, length)?;
    let mut unshuffled = Vec::new();
    for (k, bytes) in all.chunks_mut(block.max(1)).enumerate() {
        let is_whole = bytes.len() == block;
        let is_split = flags & NOT_SPLIT == 0 && size <= SPLIT.0 && block / size >= SPLIT.1 && is_whole;
        let streams = if is_split { size } else { 1 };
        let mut at = word(HEADER + 4 * k).ok_or_else(|| Fault::of("the offset of a block", "no bytes"))?;
        if bytes.len() % streams != 0 {
            return Err(Fault::of("blocks of whole elements", format!("one of {} bytes", bytes.len())));
        }
        let each = bytes.len() / streams;
        for stream in bytes.chunks_mut(each) {
            let packed = word(at).and_then(|length| chunk[at + 4..].get(..length));
            let packed = packed.ok_or_else(|| Fault::of("the bytes of a stream", "fewer"))?;
            at += 4 + packed.len();
            if packed.len() == each {
                stream.copy_from_slice(packed);
            } else {
                unpack(flags >> 5, packed, stream)?;
            }
        }
        let unshuffle = match (flags & SHUFFLED != 0, flags & BITS_SHUFFLED != 0) {
            (true, _) if size > 1 => unshuffle_bytes,
            // Bits are shuffled among eight elements.
            (_, true) if (bytes.len() / size).is_multiple_of(8) => unshuffle_bits,
            _ => continue,
        };
        unshuffled.resize(bytes.len(), 0);
        unshuffle(bytes, &mut unshuffled, size);
        bytes.copy_from_slice(&unshuffled);
    }
    Ok(all)
}

/// How many bytes the compressor of this number makes at most of one.
fn most(compressor: u8) -> usize {
    match compressor {
        1 => 255,
        3 => 1032,
        // Zstandard: a block of 4 bytes repeats a byte 128 Ki times.
        _ => 1 << 15,
    }
}

/// Decompresses a stream with the compressor of this number.
fn unpack(compressor: u8, packed: &[u8], stream: &mut [u8]) -> Result<(), Fault> {
    let found = match compressor {
        1 => {
            let count = lz4_flex::block::decompress_into(packed, stream);
            let count = count.map_err(|error| Fault::of("bytes compressed with LZ4", error))?;
            return codec::check_length(count, stream.len());
        }
        3 => codec::zlib(packed, stream.len())?,
        4 => codec::zstd(packed, stream.len())?,
        other => {
            let name = match other {
                0 => "blosclz",
                2 => "snappy",
                _ => &format!("compressor {other}"),
            };
            return Err(Fault::of("Blosc with lz4, lz4hc, zlib or zstd", name));
        }
    };
    stream.copy_from_slice(&found);
    Ok(())
}

/// Puts the bytes of each element, of `size` bytes, beside each other: first are the first bytes of all elements, then
/// the second. Bytes after the last whole element stay where they are.
fn unshuffle_bytes(shuffled: &[u8], bytes: &mut [u8], size: usize) {
    let count = shuffled.len() / size;
    for (k, element) in bytes.chunks_exact_mut(size).enumerate() {
        element.iter_mut().enumerate().for_each(|(byte, to)| *to = shuffled[byte * count + k]);
    }
    bytes[count * size..].copy_from_slice(&shuffled[count * size..]);
}

/// Like [`unshuffle_bytes`], for bits: first are the lowest bits of the first bytes of all elements.
fn unshuffle_bits(shuffled: &[u8], bytes: &mut [u8], size: usize) {
    let count = shuffled.len() / size;
    bytes.fill(0);
    for (row, bits) in shuffled[..count * size].chunks_exact((count / 8).max(1)).enumerate() {
        let (byte, bit) = (row / 8, row % 8);
        for (k, &eight) in bits.iter().enumerate() {
            (0..8).for_each(|j| bytes[(8 * k + j) * size + byte] |= (eight >> j & 1) << bit);
        }
    }
    bytes[count * size..].copy_from_slice(&shuffled[count * size..]);
}
