//! Voxels that lie in their file one after the other.

use zerocopy::IntoBytes as _;

use super::bytes::Bytes;
use super::error::{Context, Fault, Place, Problem};
use super::stream::{AnyStream, Source, Stream};
use super::voxel::{Plain, VoxelType, with_type};
use crate::cubical::Shape;

/// How the voxels lie in their file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layout {
    pub(super) shape: Shape,
    pub(super) voxels: VoxelType,
    pub(super) big_endian: bool,
    /// Where the first is.
    pub(super) start: u64,
    /// Whether they are truth values, 0 or 1.
    pub(super) truth: bool,
}

impl Layout {
    /// Of little-endian numbers.
    pub(super) fn new(shape: Shape, voxels: VoxelType, start: u64) -> Self {
        Layout { shape, voxels, big_endian: false, start, truth: false }
    }

    /// A stream of the voxels of a file that nothing has been read of.
    pub(super) fn open(self, mut bytes: Bytes, context: &Context) -> Result<AnyStream, Fault> {
        let end = self.check_length(&bytes)?;
        bytes.skip_to(self.start)?;
        let swap = self.big_endian != cfg!(target_endian = "big") && self.voxels.bytes() > 1;
        let words = Words { bytes, end, swap };
        if self.truth {
            return Ok(u8::any(Stream::new(self.shape, Box::new(Truths { words }), context.clone())));
        }
        Ok(with_type!(self.voxels, T => T::any(Stream::new(self.shape, Box::new(words), context.clone()))))
    }

    /// Where the last voxel ends, and where that is known the file does.
    fn check_length(&self, bytes: &Bytes) -> Result<u64, Problem> {
        let size = self.voxels.bytes() as u64;
        let end =
            (self.shape.count() as u64).checked_mul(size).and_then(|length| length.checked_add(self.start));
        let expected = || {
            let start = if self.start == 0 { String::new() } else { format!(" from byte {} on", self.start) };
            format!("{} voxels of {size} bytes{start}", self.shape)
        };
        let found = bytes.length();
        match end {
            Some(end) if found.is_none_or(|found| found == end) => Ok(end),
            Some(end) => {
                let found = found.map_or_else(String::new, |found| found.to_string());
                Err(Problem::new(Place::Whole, format!("{end} bytes, {}", expected()), found))
            }
            None => Err(Problem::new(Place::Whole, "fewer than 2^64 bytes", expected())),
        }
    }
}

/// Numbers as they are in memory, or with their bytes in the other order.
struct Words {
    bytes: Bytes,
    /// Where the last one ends.
    end: u64,
    swap: bool,
}

impl<T: Plain> Source<T> for Words {
    fn fill(&mut self, voxels: &mut [T]) -> Result<(), Fault> {
        let wanted = voxels.as_mut_bytes();
        if self.bytes.read(wanted)? < wanted.len() {
            let at = self.bytes.at();
            let expected = format!("{} more bytes of voxels", self.end - at);
            return Err(Problem::new(Place::Byte(at), expected, "the end of the file").into());
        }
        if self.swap {
            voxels.iter_mut().for_each(|voxel| *voxel = voxel.swapped());
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        self.bytes.end()
    }

    fn is_measured(&self) -> bool {
        self.bytes.length().is_some()
    }
}

/// Bytes that are 0 or 1.
struct Truths {
    words: Words,
}

impl Source<u8> for Truths {
    fn fill(&mut self, voxels: &mut [u8]) -> Result<(), Fault> {
        let start = self.words.bytes.at();
        self.words.fill(voxels)?;
        if voxels.iter().fold(0, |any, voxel| any | voxel) > 1 {
            let first = voxels.iter().position(|&voxel| voxel > 1).unwrap_or(0);
            let place = Place::Byte(start + first as u64);
            return Err(Problem::new(place, "0 or 1 as a truth value", voxels[first].to_string()).into());
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        Source::<u8>::finish(&mut self.words)
    }

    fn is_measured(&self) -> bool {
        Source::<u8>::is_measured(&self.words)
    }
}
