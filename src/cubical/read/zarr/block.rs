//! Boxes of voxels in an array, and copies between them.

use std::ops::Range;

use crate::cubical::read::error::{Fault, with_room};

/// A box of an array, whose voxels are in C order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    /// The first voxel along each axis.
    pub(super) start: Vec<usize>,
    /// Number of voxels along each axis.
    pub(super) extents: Vec<usize>,
}

impl Block {
    /// The box of the chunk with these numbers along the axes.
    pub(super) fn of_chunk(chunk: &[usize], extents: &[usize]) -> Block {
        Block {
            start: chunk.iter().zip(extents).map(|(k, extent)| k * extent).collect(),
            extents: extents.to_vec(),
        }
    }

    /// Number of bytes of the voxels, of `size` bytes each.
    pub(super) fn bytes(&self, size: usize) -> Result<usize, Fault> {
        let bytes = self.extents.iter().try_fold(size, |bytes, &extent| bytes.checked_mul(extent));
        bytes.filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(|| {
            let found = format!("{:?} voxels of {size} bytes", self.extents);
            Fault::of("chunks of less than 2^63 bytes", found)
        })
    }

    /// Number of chunks of these extents of which parts are in the box: at most the number of its voxels.
    pub(super) fn chunks(&self, extents: &[usize]) -> usize {
        (0..extents.len()).map(|axis| self.along(axis, extents[axis]).len()).product()
    }

    /// The numbers along the axes of chunk `k` of those [chunks](Block::chunks).
    pub(super) fn chunk(&self, mut k: usize, extents: &[usize]) -> Vec<usize> {
        let mut numbers = vec![0; extents.len()];
        for axis in (0..extents.len()).rev() {
            let along = self.along(axis, extents[axis]);
            numbers[axis] = along.start + k % along.len();
            k /= along.len();
        }
        numbers
    }

    /// The numbers of the chunks along an axis.
    fn along(&self, axis: usize, extent: usize) -> Range<usize> {
        self.start[axis] / extent..(self.start[axis] + self.extents[axis]).div_ceil(extent)
    }

    /// Copies voxels of `size` bytes from another box to this one, where both are.
    pub(super) fn copy_from(&self, into: &mut [u8], other: &Block, from: &[u8], size: usize) {
        self.rows_of(other, &mut |to, of, count| {
            into[to * size..][..count * size].copy_from_slice(&from[of * size..][..count * size]);
        });
    }

    /// Fills this box with a value, where the other box is.
    pub(super) fn fill(&self, into: &mut [u8], other: &Block, value: &[u8]) {
        let size = value.len();
        self.rows_of(other, &mut |to, _, count| {
            into[to * size..][..count * size]
                .chunks_exact_mut(size)
                .for_each(|voxel| voxel.copy_from_slice(value));
        });
    }

    /// Calls `visit` for each row of voxels along the last axis that is in both boxes: with its place in this box, its
    /// place in the other, and the number of its voxels.
    fn rows_of(&self, other: &Block, visit: &mut dyn FnMut(usize, usize, usize)) {
        let axes = self.start.len();
        let ends = |block: &Block, axis: usize| block.start[axis] + block.extents[axis];
        let first: Vec<usize> = (0..axes).map(|axis| self.start[axis].max(other.start[axis])).collect();
        let last: Vec<usize> = (0..axes).map(|axis| ends(self, axis).min(ends(other, axis))).collect();
        if first.iter().zip(&last).any(|(first, last)| first >= last) {
            return;
        }
        let mut at = first.clone();
        loop {
            visit(self.place(&at), other.place(&at), last[axes - 1] - first[axes - 1]);
            // The next row of voxels along the last axis.
            let Some(axis) = (0..axes - 1).rev().find(|&axis| at[axis] + 1 < last[axis]) else { return };
            at[axis] += 1;
            at[axis + 1..].copy_from_slice(&first[axis + 1..]);
        }
    }

    /// The place of a voxel among those of the box.
    fn place(&self, at: &[usize]) -> usize {
        let along = at.iter().zip(&self.start).zip(&self.extents);
        along.fold(0, |place, ((at, start), extent)| place * extent + (at - start))
    }
}

/// Reorders voxels of `size` bytes to C order of `extents`. In the given voxels, axis `order[0]` is the slowest, and
/// the last of `order` the fastest.
pub(super) fn transposed(
    voxels: &[u8],
    extents: &[usize],
    order: &[usize],
    size: usize,
) -> Result<Vec<u8>, Fault> {
    let mut stride = vec![0; extents.len()];
    let mut next = size;
    for &axis in order.iter().rev() {
        stride[axis] = next;
        next *= extents[axis];
    }
    let mut reordered = with_room(voxels.len())?;
    let (mut at, mut place) = (vec![0; extents.len()], 0);
    loop {
        reordered.extend_from_slice(&voxels[place..place + size]);
        let Some(axis) = (0..extents.len()).rev().find(|&axis| at[axis] + 1 < extents[axis]) else {
            return Ok(reordered);
        };
        for behind in axis + 1..extents.len() {
            place -= at[behind] * stride[behind];
            at[behind] = 0;
        }
        at[axis] += 1;
        place += stride[axis];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_made_of_chunks() {
        // An array of 3 × 5 × 4 in chunks of 2 × 2 × 3, of which a box is read.
        let extents = [3, 5, 4];
        let chunk = [2, 2, 3];
        let value = |at: &[usize]| (at[0] * 20 + at[1] * 4 + at[2]) as u8;
        for start in [[0, 0, 0], [1, 2, 1], [2, 0, 3]] {
            let block =
                Block { extents: (0..3).map(|k| extents[k] - start[k]).collect(), start: start.to_vec() };
            let mut voxels = vec![255; block.bytes(1).unwrap()];
            for k in 0..block.chunks(&chunk) {
                let number = block.chunk(k, &chunk);
                let of_chunk = Block::of_chunk(&number, &chunk);
                let mut decoded = Vec::new();
                for i in 0..2 {
                    for j in 0..2 {
                        for k in 0..3 {
                            let at = [of_chunk.start[0] + i, of_chunk.start[1] + j, of_chunk.start[2] + k];
                            decoded.push(value(&at));
                        }
                    }
                }
                block.copy_from(&mut voxels, &of_chunk, &decoded, 1);
            }
            let mut expected = Vec::new();
            for i in start[0]..3 {
                for j in start[1]..5 {
                    expected.extend((start[2]..4).map(|k| value(&[i, j, k])));
                }
            }
            assert_eq!(voxels, expected);
        }
    }

    #[test]
    fn axes_in_another_order() {
        // The voxels of 2 × 3 in Fortran order.
        assert_eq!(transposed(&[0, 3, 1, 4, 2, 5], &[2, 3], &[1, 0], 1).unwrap(), [0, 1, 2, 3, 4, 5]);
        let pairs = [0, 0, 3, 3, 1, 1, 4, 4, 2, 2, 5, 5];
        assert_eq!(transposed(&pairs, &[2, 3], &[1, 0], 2).unwrap(), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(transposed(&[0, 1, 2, 3], &[2, 2], &[0, 1], 1).unwrap(), [0, 1, 2, 3]);
    }
}
