//! Boxes of voxels in an array, and copies between them.

use std::iter::zip;
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
            start: zip(chunk, extents).map(|(k, extent)| k * extent).collect(),
            extents: extents.to_vec(),
        }
    }

    /// Number of bytes of the voxels, of `size` bytes each.
    pub(super) fn bytes(&self, size: usize) -> Result<usize, Fault> {
        let bytes = self.extents.iter().try_fold(size, |bytes, &extent| bytes.checked_mul(extent));
        bytes.filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(|| {
            Fault::of("chunks of less than 2^63 bytes", format!("{:?} voxels of {size} bytes", self.extents))
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
        self.rows_of(other, 0, [0, 0], &mut |[to, of], count| {
            into[to * size..][..count * size].copy_from_slice(&from[of * size..][..count * size]);
        });
    }

    /// Fills this box with a value, where the other box is.
    pub(super) fn fill(&self, into: &mut [u8], other: &Block, value: &[u8]) {
        let size = value.len();
        self.rows_of(other, 0, [0, 0], &mut |[to, _], count| {
            let voxels = into[to * size..][..count * size].chunks_exact_mut(size);
            voxels.for_each(|voxel| voxel.copy_from_slice(value));
        });
    }

    /// Calls `visit` for each row of voxels along the last axis that is in both boxes: with its places in this box and
    /// in the other, and the number of its voxels. `places` are those of the row among the axes before `axis`.
    fn rows_of(
        &self,
        other: &Block,
        axis: usize,
        places: [usize; 2],
        visit: &mut dyn FnMut([usize; 2], usize),
    ) {
        let end = |block: &Block| block.start[axis] + block.extents[axis];
        let both = self.start[axis].max(other.start[axis])..end(self).min(end(other));
        let place = |block: &Block, before, at| before * block.extents[axis] + (at - block.start[axis]);
        let places = |at| [place(self, places[0], at), place(other, places[1], at)];
        if axis + 1 < self.start.len() {
            both.for_each(|at| self.rows_of(other, axis + 1, places(at), visit));
        } else if !both.is_empty() {
            visit(places(both.start), both.len());
        }
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
    let axes: Vec<_> = zip(extents.iter().copied(), stride).collect();
    let mut reordered = with_room(voxels.len())?;
    gather(voxels, &axes, size, &mut reordered);
    Ok(reordered)
}

/// Adds the voxels along axes of these extents and strides, of which the last varies fastest.
fn gather(voxels: &[u8], axes: &[(usize, usize)], size: usize, gathered: &mut Vec<u8>) {
    match axes {
        [] => gathered.extend_from_slice(&voxels[..size]),
        [(extent, stride), axes @ ..] => {
            (0..*extent).for_each(|k| gather(&voxels[k * stride..], axes, size, gathered));
        }
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
