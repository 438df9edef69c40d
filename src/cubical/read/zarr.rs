//! `zarr`: arrays of Zarr, versions 2 and 3, in a directory, and the images of OME-Zarr, of which the finest is read.
//!
//! The axes are those of the array, the last of which varies fastest. If axes are named, by OME-Zarr or by the array, a
//! frame can be picked along `t` and a channel along `c`. In a group without images of OME-Zarr, the option `key` names
//! the array, by its path in the group; in one with images it names another than the finest.
//!
//! Voxels are numbers of the ten types, truth values, or 16-bit floats. Chunks may be uncompressed or compressed with
//! gzip, zlib, Zstandard or Blosc; transposed; followed by a checksum; and gathered in shards, in which the checksum of
//! the index is not verified. A chunk that is missing has the fill value.
//!
//! Voxels are decoded a row of chunks at a time.
//!
//! Sources: the specifications of Zarr, <https://zarr-specs.readthedocs.io>, and of OME-Zarr,
//! <https://ngff.openmicroscopy.org>.

mod block;
mod blosc;
mod codec;
mod metadata;
mod store;

use std::path::Path;

use super::error::{Fault, ImageProblem, Place, resize};
use super::layout::{Meaning, widen_halves};
use super::options::{ImageOptions, pick};
use super::stream::{Stop, Stream, in_pieces, stopped};
use crate::cubical::shape::Order;
use crate::parallel;
use block::Block;
use metadata::{Array, Chunk};

/// Names of the axis along which frames are.
const FRAMES: [&str; 2] = ["t", "time"];

/// Names of the axis along which channels are.
const CHANNELS: [&str; 2] = ["c", "channel"];

pub(super) fn open(path: &Path, options: &ImageOptions) -> Result<Stream, Fault> {
    let array = store::array(path, options.key.as_deref())?;
    let mut rows = Rows::new(array, options)?;
    let shape =
        options.shape_at(Place::Whole, &rows.axes(), Order::C).map_err(|problem| rows.with_note(problem))?;
    let voxels = rows.array.meaning.voxels(rows.array.numbers);
    let source = in_pieces(move |voxels, stop| rows.next(voxels, stop));
    Ok(Stream { is_measured: false, ..Stream::new(shape, voxels, source) })
}

/// The part of an array that is read, a row of chunks at a time.
struct Rows {
    array: Array,
    /// The voxels that are read.
    all: Block,
    /// Whether the axis is left out, as one of its places is picked.
    is_picked: Vec<bool>,
    /// The slowest axis of more than one voxel that is read.
    slowest: usize,
    /// Number of voxels along it that have been read.
    done: usize,
    /// Numbers that are not voxels.
    numbers: Vec<u8>,
}

impl Rows {
    fn new(array: Array, options: &ImageOptions) -> Result<Rows, Fault> {
        let count = array.extents.len();
        let mut all = Block { start: vec![0; count], extents: array.extents.clone() };
        let mut is_picked = vec![false; count];
        for (what, names, wanted) in
            [("frame", FRAMES, options.frame), ("channel", CHANNELS, options.channel)]
        {
            let axis = array.axis(names);
            let place = pick(what, wanted, axis.map_or(1, |axis| array.extents[axis]))?;
            if let (Some(axis), Some(place)) = (axis, place) {
                (all.start[axis], all.extents[axis], is_picked[axis]) = (place, 1, true);
            }
        }
        let slowest = all.extents.iter().position(|&extent| extent > 1).unwrap_or(0);
        Ok(Rows { array, all, is_picked, slowest, done: 0, numbers: Vec::new() })
    }

    /// The extents of the image along its axes.
    fn axes(&self) -> Vec<u64> {
        let kept = self.all.extents.iter().zip(&self.is_picked).filter(|(_, is_picked)| !**is_picked);
        kept.map(|(&extent, _)| extent as u64).collect()
    }

    /// Adds the options that pick a part of the array to a problem of its shape.
    fn with_note(&self, problem: ImageProblem) -> ImageProblem {
        let long = |names| self.array.axis(names).filter(|&axis| self.all.extents[axis] > 1);
        problem.note(match (long(FRAMES), long(CHANNELS)) {
            (Some(_), None) => "--frame N takes one place along the axis t, counted from 0",
            (None, Some(_)) => "--channel N takes one place along the axis c, counted from 0",
            (Some(_), Some(_)) => {
                "--frame N and --channel N take one place along the axes t and c, counted from 0"
            }
            (None, None) => "in Python, numpy.save(\"x.npy\", zarr.open(FILE)[0]) makes an array of a part",
        })
    }

    /// Replaces `voxels` by those of the next row of chunks.
    fn next(&mut self, voxels: &mut Vec<u8>, stop: Stop<'_>) -> Result<(), Fault> {
        let (array, axis) = (&self.array, self.slowest);
        let mut block = self.all.clone();
        block.start[axis] += self.done;
        let within = array.chunk[axis] - block.start[axis] % array.chunk[axis];
        block.extents[axis] = within.min(self.all.extents[axis] - self.done);
        self.done += block.extents[axis];
        let size = array.numbers.bytes();
        let bytes = block.bytes(size)?;
        let mut numbers = std::mem::take(&mut self.numbers);
        let row = if array.meaning == Meaning::Halves { &mut numbers } else { &mut *voxels };
        resize(row, bytes)?;
        let (count, step) = (block.chunks(&array.chunk), rayon::current_num_threads().max(1));
        // Only some chunks are held at a time, beside the row that is made of them.
        for first in (0..count).step_by(step) {
            if stop() {
                return Err(stopped());
            }
            let some: Vec<_> =
                (first..count.min(first + step)).map(|k| block.chunk(k, &array.chunk)).collect();
            let decoded = parallel::map(some.len(), &|k| array.read(&some[k]));
            for (chunk, decoded) in some.iter().zip(decoded) {
                let of_chunk = Block::of_chunk(chunk, &array.chunk);
                match decoded? {
                    Chunk::Numbers(numbers) => block.copy_from(row, &of_chunk, &numbers, size),
                    Chunk::Missing(value) => block.fill(row, &of_chunk, value),
                }
            }
        }
        if array.meaning == Meaning::Truths && voxels.iter().any(|&voxel| voxel > 1) {
            return Err(Fault::of("0 or 1 as a truth value", "another number"));
        }
        if array.meaning == Meaning::Halves {
            resize(voxels, 2 * bytes)?;
            widen_halves(&numbers, voxels);
        }
        self.numbers = numbers;
        Ok(())
    }
}
