//! Voxels that lie in their file one after the other.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use half::f16;
use zerocopy::IntoBytes as _;

use super::bytes::Bytes;
use super::error::{Context, Fault, ImagePlace, ImageProblem};
use super::stream::{AnyStream, Anywhere, Source, Stream};
use super::voxel::{Plain, VoxelType, with_type};
use crate::cubical::image::Voxel;
use crate::cubical::shape::Shape;

/// How the voxels lie in their file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FileLayout {
    pub(super) shape: Shape,
    pub(super) voxels: VoxelType,
    pub(super) big_endian: bool,
    /// Where the first is.
    pub(super) start: u64,
    /// Where the file ends, if it holds more than these voxels.
    pub(super) whole: Option<u64>,
    /// Whether blanks may follow the last.
    pub(super) blanks: bool,
    pub(super) meaning: Meaning,
}

/// What the numbers in the file stand for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meaning {
    /// Themselves.
    Values,
    /// Truth values, 0 or 1, of `u8`.
    Truths,
    /// Floats of 16 bits, of `u16`.
    Halves,
    /// Values that are scaled.
    Scaled(Scaling),
}

/// Voxels that stand for the value `slope` · voxel + `inter`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scaling {
    pub(super) slope: f64,
    pub(super) inter: f64,
}

impl FileLayout {
    /// The layout of little-endian numbers and nothing after them.
    pub(super) fn new(shape: Shape, voxels: VoxelType, start: u64) -> Self {
        FileLayout {
            shape,
            voxels,
            big_endian: false,
            start,
            whole: None,
            blanks: false,
            meaning: Meaning::Values,
        }
    }

    /// A stream of the voxels of a file that nothing has been read of.
    pub(super) fn open(self, mut bytes: Bytes, context: &Context) -> Result<AnyStream, Fault> {
        let end = self.check_length(&bytes)?;
        bytes.skip_to(self.start)?;
        let swap = self.big_endian != cfg!(target_endian = "big") && self.voxels.bytes() > 1;
        // Whatever follows is looked at after the last voxel, which comes in order.
        let is_last = !self.blanks || bytes.length() == Some(end);
        let file = bytes.file().filter(|_| is_last).cloned();
        let placed = file.map(|file| Placed { file, start: self.start, end, swap });
        let tail = match self.whole {
            Some(_) => Tail::Voxels,
            None if self.blanks => Tail::Blanks,
            None => Tail::Nothing,
        };
        let words = Words { bytes, end, swap, tail };
        Ok(match self.meaning {
            Meaning::Truths => {
                AnyStream::from(Stream::new(self.shape, Box::new(Truths { words }), context.clone()))
            }
            Meaning::Halves => {
                let source = Box::new(Halves { words, buffer: Vec::new() });
                AnyStream::from(Stream::new(self.shape, source, context.clone()))
            }
            Meaning::Values => with_type!(self.voxels, T => {
                let stream = Stream::<T>::new(self.shape, Box::new(words), context.clone());
                AnyStream::from(match placed {
                    Some(placed) => stream.placed(Box::new(placed)),
                    None => stream,
                })
            }),
            Meaning::Scaled(scaling) => {
                with_type!(self.voxels, T => Scaled::<T>::open(words, scaling, self, context))
            }
        })
    }

    /// Where the last voxel ends, and where that is known the file does.
    fn check_length(&self, bytes: &Bytes) -> Result<u64, ImageProblem> {
        let size = self.voxels.bytes() as u64;
        let end =
            (self.shape.count() as u64).checked_mul(size).and_then(|length| length.checked_add(self.start));
        let expected = || {
            let start = if self.start == 0 { String::new() } else { format!(" from byte {} on", self.start) };
            format!("{} voxels of type {}{start}", self.shape, self.voxels)
        };
        let length = bytes.length();
        if let (Some(_), Some(whole), Some(found)) = (end, self.whole, length) {
            if found != whole {
                let expected = format!("{whole} bytes, of which {} are read", expected());
                return Err(ImageProblem::new(ImagePlace::Whole, expected, found.to_string()));
            }
            return Ok(end.unwrap_or(whole));
        }
        match (end, length) {
            (None, _) => Err(ImageProblem::new(ImagePlace::Whole, "fewer than 2^64 bytes", expected())),
            (Some(end), Some(found)) if found < end || found > end && !self.blanks => Err(ImageProblem::new(
                ImagePlace::Whole,
                format!("{end} bytes, {}", expected()),
                found.to_string(),
            )),
            (Some(end), _) => Ok(end),
        }
    }
}

/// Numbers as they are in memory, or with their bytes in the other order.
struct Words {
    bytes: Bytes,
    /// Where the last one ends.
    end: u64,
    swap: bool,
    /// What may follow them.
    tail: Tail,
}

/// What may follow the last number that is read of a file.
#[derive(Debug, Clone, Copy)]
enum Tail {
    Nothing,
    Blanks,
    /// Voxels of other frames or channels.
    Voxels,
}

impl<T: Plain> Source<T> for Words {
    fn fill(&mut self, voxels: &mut [T]) -> Result<(), Fault> {
        let wanted = voxels.as_mut_bytes();
        if self.bytes.read(wanted)? < wanted.len() {
            return Err(ends_early(self.bytes.at(), self.end).into());
        }
        if self.swap {
            swap(voxels);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        match self.tail {
            Tail::Nothing => self.bytes.end(),
            Tail::Blanks => self.bytes.end_after_blanks(),
            Tail::Voxels => Ok(()),
        }
    }

    fn is_measured(&self) -> bool {
        self.bytes.length().is_some()
    }
}

/// Turns the bytes of each number round.
pub(super) fn swap<T: Plain>(voxels: &mut [T]) {
    voxels.iter_mut().for_each(|voxel| *voxel = voxel.swapped());
}

fn ends_early(at: u64, end: u64) -> ImageProblem {
    let expected = format!("{} more bytes of voxels", end - at);
    ImageProblem::new(ImagePlace::Byte(at), expected, "the end of the file")
}

/// The numbers of a file that can be read at any place.
pub(super) struct Placed {
    pub(super) file: Arc<File>,
    /// Where the first one begins.
    pub(super) start: u64,
    /// Where the last one ends.
    pub(super) end: u64,
    pub(super) swap: bool,
}

impl<T: Plain> Anywhere<T> for Placed {
    fn fill(&self, first: usize, voxels: &mut [T]) -> Result<(), Fault> {
        let mut at = self.start + (first * size_of::<T>()) as u64;
        let mut wanted = voxels.as_mut_bytes();
        while !wanted.is_empty() {
            match read_at(&self.file, wanted, at) {
                Ok(0) => return Err(ends_early(at, self.end).into()),
                Ok(count) => {
                    at += count as u64;
                    wanted = &mut wanted[count..];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        if self.swap {
            swap(voxels);
        }
        Ok(())
    }
}

/// Reads from a place on, whatever others read of the file at the same time.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

/// Reads from a place on, whatever others read of the file at the same time.
#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
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
            let place = ImagePlace::Byte(start + first as u64);
            return Err(ImageProblem::new(place, "0 or 1 as a truth value", voxels[first].to_string()).into());
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

/// Floats of 16 bits, which become those of 32.
struct Halves {
    words: Words,
    buffer: Vec<u16>,
}

impl Source<f32> for Halves {
    fn fill(&mut self, voxels: &mut [f32]) -> Result<(), Fault> {
        self.buffer.resize(voxels.len(), 0);
        self.words.fill(&mut self.buffer)?;
        voxels.iter_mut().zip(&self.buffer).for_each(|(voxel, &half)| *voxel = f16::from_bits(half).to_f32());
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        Source::<u16>::finish(&mut self.words)
    }

    fn is_measured(&self) -> bool {
        Source::<u16>::is_measured(&self.words)
    }
}

/// Numbers that stand for others.
struct Scaled<S> {
    words: Words,
    scaling: Scaling,
    buffer: Vec<S>,
}

impl<S: Plain> Scaled<S> {
    fn open(words: Words, scaling: Scaling, layout: FileLayout, context: &Context) -> AnyStream {
        let (shape, context) = (layout.shape, context.clone());
        let source = Box::new(Scaled { words, scaling, buffer: Vec::<S>::new() });
        match layout.voxels {
            VoxelType::F32 => AnyStream::F32(Stream::new(shape, source, context)),
            _ => AnyStream::F64(Stream::new(shape, source, context)),
        }
    }

    /// Fills the slice with values, rounded from doubles.
    fn scale<T: Voxel>(&mut self, voxels: &mut [T], rounded: impl Fn(f64) -> T) -> Result<(), Fault> {
        self.buffer.resize(voxels.len(), S::ZERO);
        self.words.fill(&mut self.buffer)?;
        let Scaling { slope, inter } = self.scaling;
        for (voxel, stored) in voxels.iter_mut().zip(&self.buffer) {
            *voxel = rounded(slope * stored.value() + inter);
        }
        // A float that is infinite stays so; what is finite must not become infinite.
        let overflows = |(voxel, stored): (&T, &S)| voxel.value().is_infinite() && stored.value().is_finite();
        if let Some(stored) = voxels.iter().zip(&self.buffer).position(overflows).map(|k| self.buffer[k]) {
            let expected = "scaled values that fit the type of the voxels";
            let found = format!("{slope} · {} + {inter}", stored.value());
            return Err(ImageProblem::new(ImagePlace::Whole, expected, found).into());
        }
        Ok(())
    }
}

macro_rules! scaled {
    ($t:ident) => {
        impl<S: Plain> Source<$t> for Scaled<S> {
            fn fill(&mut self, voxels: &mut [$t]) -> Result<(), Fault> {
                self.scale(voxels, |value| value as $t)
            }

            fn finish(&mut self) -> Result<(), Fault> {
                Source::<S>::finish(&mut self.words)
            }

            fn is_measured(&self) -> bool {
                Source::<S>::is_measured(&self.words)
            }
        }
    };
}

scaled!(f32);
scaled!(f64);
