//! Voxels that lie in their file one after the other.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use half::f16;

use super::bytes::{Bytes, Tail};
use super::error::{Fault, ImageProblem};
use super::stream::{Stop, Stream};
use crate::cubical::image::Voxel;
use crate::cubical::shape::Shape;
use crate::cubical::voxel::VoxelType;
use crate::with_voxels;

/// Layout of the voxels in their file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FileLayout {
    pub(super) shape: Shape,
    /// The type of the numbers in the file.
    pub(super) numbers: VoxelType,
    pub(super) big_endian: bool,
    /// Offset of the first number.
    pub(super) start: u64,
    /// The bytes that may follow the last number.
    pub(super) tail: Tail,
    pub(super) meaning: Meaning,
}

/// Relation of the numbers in the file to the values of voxels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meaning {
    /// Numbers are the values.
    Values,
    /// Numbers of `u8` are truth values, 0 or 1.
    Truths,
    /// Numbers of `u16` are the bits of 16-bit floats.
    Halves,
    /// The value is a linear function of the number.
    Scaled(Scaling),
}

/// The linear function `slope` · number + `inter`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scaling {
    pub(super) slope: f64,
    pub(super) inter: f64,
}

impl Meaning {
    /// The type of the voxels that numbers of a type become.
    pub(super) fn voxels(self, numbers: VoxelType) -> VoxelType {
        match self {
            Meaning::Values | Meaning::Truths => numbers,
            Meaning::Scaled(_) if numbers != VoxelType::F32 => VoxelType::F64,
            Meaning::Halves | Meaning::Scaled(_) => VoxelType::F32,
        }
    }
}

impl FileLayout {
    /// The layout of little-endian numbers with nothing after them.
    pub(super) fn new(shape: Shape, numbers: VoxelType, start: u64) -> Self {
        let (big_endian, tail, meaning) = (false, Tail::Nothing, Meaning::Values);
        FileLayout { shape, numbers, big_endian, start, tail, meaning }
    }

    /// A stream of the voxels of a file from which nothing has been read.
    pub(super) fn open(self, mut bytes: Bytes) -> Result<Stream, Fault> {
        let end = self.check_length(&bytes)?;
        bytes.skip_to(self.start)?;
        let swap = self.big_endian != cfg!(target_endian = "big");
        // What follows the last voxel is only checked if voxels are read in order.
        let is_last = self.tail != Tail::Blanks || bytes.length() == Some(end);
        let file = bytes.file().filter(|_| is_last && self.meaning == Meaning::Values).cloned();
        let placed = file.map(|file| Placed { file, start: self.start, end, swap });
        let voxels = self.meaning.voxels(self.numbers);
        let is_measured = bytes.length().is_some();
        let mut numbers = Numbers { layout: self, bytes, end, swap, buffer: Vec::new() };
        let source = Box::new(move |voxels: &mut [u8], _: Stop<'_>| numbers.fill(voxels));
        Ok(Stream { is_measured, placed, ..Stream::new(self.shape, voxels, source) })
    }

    /// The offset at which the last voxel ends, after checking that a file of known length ends there too.
    fn check_length(&self, bytes: &Bytes) -> Result<u64, ImageProblem> {
        let size = self.numbers.bytes() as u64;
        let end =
            (self.shape.count() as u64).checked_mul(size).and_then(|length| length.checked_add(self.start));
        let start = if self.start == 0 { String::new() } else { format!(" from byte {} on", self.start) };
        let voxels = format!("{} voxels of type {}{start}", self.shape, self.numbers);
        match (end, self.tail, bytes.length()) {
            (Some(_), Tail::Anything { whole }, Some(found)) if found != whole => {
                Err(ImageProblem::whole(format!("{whole} bytes, of which {voxels} are read"), found))
            }
            (None, ..) => Err(ImageProblem::whole("fewer than 2^64 bytes", voxels)),
            (Some(end), Tail::Nothing | Tail::Blanks, Some(found))
                if found < end || found > end && self.tail == Tail::Nothing =>
            {
                Err(ImageProblem::whole(format!("{end} bytes, {voxels}"), found))
            }
            (Some(end), ..) => Ok(end),
        }
    }
}

/// Reads the numbers of a file in order and makes voxels of them.
struct Numbers {
    layout: FileLayout,
    bytes: Bytes,
    /// Offset at which the last number ends.
    end: u64,
    swap: bool,
    /// Numbers that are not the values of voxels.
    buffer: Vec<u8>,
}

impl Numbers {
    fn fill(&mut self, voxels: &mut [u8]) -> Result<(), Fault> {
        let start = self.bytes.at();
        let FileLayout { numbers, meaning, .. } = self.layout;
        match meaning {
            Meaning::Values | Meaning::Truths => self.read(voxels)?,
            _ => self.read_to_buffer(voxels.len() / meaning.voxels(numbers).bytes())?,
        }
        match meaning {
            Meaning::Truths if voxels.iter().fold(0, |any, voxel| any | voxel) > 1 => {
                let first = voxels.iter().position(|&voxel| voxel > 1).unwrap_or(0);
                let (place, found) = (start + first as u64, voxels[first].to_string());
                return Err(ImageProblem::at(place, "0 or 1 as a truth value", found).into());
            }
            Meaning::Values | Meaning::Truths => {}
            Meaning::Halves => widen_halves(&self.buffer, voxels),
            Meaning::Scaled(scaling) if numbers == VoxelType::F32 => {
                scaling.apply::<f32, f32>(&self.buffer, voxels)?;
            }
            Meaning::Scaled(scaling) => {
                with_voxels!(numbers, S => scaling.apply::<S, f64>(&self.buffer, voxels))?;
            }
        }
        if self.bytes.at() == self.end { self.bytes.end(self.layout.tail) } else { Ok(()) }
    }

    fn read(&mut self, numbers: &mut [u8]) -> Result<(), Fault> {
        if self.bytes.read(numbers)? < numbers.len() {
            return Err(ends_early(self.bytes.at(), self.end).into());
        }
        if self.swap {
            swap(numbers, self.layout.numbers.bytes());
        }
        Ok(())
    }

    fn read_to_buffer(&mut self, count: usize) -> Result<(), Fault> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(count * self.layout.numbers.bytes(), 0);
        let read = self.read(&mut buffer);
        self.buffer = buffer;
        read
    }
}

impl Scaling {
    /// Makes voxels of type `T` of numbers of type `S`.
    fn apply<S: Voxel, T: Voxel>(self, numbers: &[u8], voxels: &mut [u8]) -> Result<(), ImageProblem> {
        let Scaling { slope, inter } = self;
        let numbers = || numbers.chunks_exact(size_of::<S>()).map(|number| value_of::<S>(number));
        for (voxel, number) in voxels.chunks_exact_mut(size_of::<T>()).zip(numbers()) {
            voxel.copy_from_slice(T::nearest(slope * number + inter).as_bytes());
        }
        // An infinite float stays infinite, but no finite number may become infinite.
        let overflows =
            |(voxel, number): &(&[u8], f64)| value_of::<T>(voxel).is_infinite() && number.is_finite();
        let Some((_, number)) = voxels.chunks_exact(size_of::<T>()).zip(numbers()).find(overflows) else {
            return Ok(());
        };
        let expected = "scaled values that fit the type of the voxels";
        Err(ImageProblem::whole(expected, format!("{slope} · {number} + {inter}")))
    }
}

/// The value of the voxel with these bytes, which are as many as its type has.
#[inline(always)]
fn value_of<T: Voxel>(bytes: &[u8]) -> f64 {
    T::read_from_bytes(bytes).unwrap_or_default().value()
}

/// Converts 16-bit floats to `f32`, both in the byte order of this machine.
pub(super) fn widen_halves(halves: &[u8], voxels: &mut [u8]) {
    let (halves, voxels) = (halves.as_chunks().0, voxels.as_chunks_mut().0);
    for (voxel, &half) in voxels.iter_mut().zip(halves) {
        *voxel = f16::from_ne_bytes(half).to_f32().to_ne_bytes();
    }
}

/// Reverses the bytes of each number of `size` bytes.
pub(in crate::cubical) fn swap(numbers: &mut [u8], size: usize) {
    match size {
        2 => numbers.as_chunks_mut::<2>().0.iter_mut().for_each(|number| number.reverse()),
        4 => numbers.as_chunks_mut::<4>().0.iter_mut().for_each(|number| number.reverse()),
        8 => numbers.as_chunks_mut::<8>().0.iter_mut().for_each(|number| number.reverse()),
        _ => {}
    }
}

fn ends_early(at: u64, end: u64) -> ImageProblem {
    ImageProblem::at(at, format!("{} more bytes of voxels", end - at), "the end of the file")
}

/// The voxels of a file that can be read at any place.
pub(super) struct Placed {
    pub(super) file: Arc<File>,
    /// Offset of the first voxel.
    pub(super) start: u64,
    /// Offset at which the last voxel ends.
    pub(super) end: u64,
    /// Whether the bytes of each voxel are in the other order than on this machine.
    pub(super) swap: bool,
}

impl Placed {
    /// Fills the bytes with voxels of `size` bytes, beginning with number `first`. Several threads may do so at a time.
    pub(super) fn fill(&self, first: usize, voxels: &mut [u8], size: usize) -> Result<(), Fault> {
        let mut at = self.start + (first * size) as u64;
        let mut wanted = &mut *voxels;
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
            swap(voxels, size);
        }
        Ok(())
    }
}

/// Reads from an offset, independently of other reads of the file.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

/// Reads from an offset, independently of other reads of the file.
#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}
