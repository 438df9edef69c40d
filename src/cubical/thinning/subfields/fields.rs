//! The eight subfields of an image, each a bit image.

use crate::cubical::shape::Shape;
use crate::cubical::thinning::bits::{BitImage, WORD};
use crate::cubical::thinning::simple::MIDDLE;
use crate::parallel;

/// Number of words of a subfield in a unit.
pub(super) const SPAN: usize = 16;

pub(super) type Span = [u64; SPAN];

/// Memory layout, the same for all subfields.
#[derive(Debug, Clone, Copy)]
pub(super) struct SubfieldLayout {
    /// Number of planes, without the surrounding layer.
    pub(super) planes: usize,
    /// Number of words along x, without the surrounding layer.
    pub(super) strips: usize,
    /// Number of units along y.
    pub(super) units: usize,
}

impl SubfieldLayout {
    pub(super) fn of(shape: Shape) -> SubfieldLayout {
        let [planes, rows, columns] = shape.extents().map(|extent| extent.div_ceil(2));
        SubfieldLayout { planes, strips: columns.div_ceil(WORD), units: rows.div_ceil(SPAN) }
    }

    /// Number of words of a strip: all of y, with a word of background on either side.
    fn strip(self) -> usize {
        self.units * SPAN + 2
    }

    pub(super) fn plane(self) -> usize {
        (self.strips + 2) * self.strip()
    }

    fn words(self) -> usize {
        (self.planes + 2) * self.plane()
    }

    /// Number of units of a plane; they are numbered strip by strip.
    pub(super) fn units_of_plane(self) -> usize {
        self.strips * self.units
    }

    /// Index of the first word of a unit within its plane.
    pub(super) fn first(self, unit: usize) -> usize {
        (unit / self.units + 1) * self.strip() + 1 + unit % self.units * SPAN
    }
}

/// A subfield, given by the parity of each coordinate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parity {
    pub(super) z: usize,
    pub(super) y: usize,
    pub(super) x: usize,
}

impl Parity {
    pub(super) fn of(subfield: usize) -> Parity {
        Parity { z: subfield >> 2 & 1, y: subfield >> 1 & 1, x: subfield & 1 }
    }
}

/// The eight subfields of an image.
pub(super) struct Subfields {
    pub(super) layout: SubfieldLayout,
    pub(super) fields: [Vec<u64>; 8],
}

impl Subfields {
    pub(super) fn of(image: &BitImage) -> Subfields {
        let layout = SubfieldLayout::of(image.shape());
        let [planes, rows, _] = image.shape().extents();
        let fields = std::array::from_fn(|subfield| {
            let parity = Parity::of(subfield);
            let mut field = vec![0; layout.words()];
            let inside = &mut field[layout.plane()..];
            parallel::pieces_mut(inside, layout.plane(), &|plane, field| {
                let z = 2 * plane + parity.z;
                if z >= planes {
                    return;
                }
                for (row, y) in (parity.y..rows).step_by(2).enumerate() {
                    let words = &image.words()[(z * rows + y) * image.width()..][..image.width()];
                    for (strip, pair) in words.chunks(2).enumerate() {
                        let [low, high] = [pair[0], pair.get(1).copied().unwrap_or(0)];
                        let [low, high] = [low, high].map(|word| every_second(word >> parity.x));
                        field[(strip + 1) * layout.strip() + 1 + row] = low | high << 32;
                    }
                }
            });
            field
        });
        Subfields { layout, fields }
    }

    pub(super) fn write_to(&self, image: &mut BitImage) {
        let (layout, width) = (self.layout, image.width());
        let [_, rows, _] = image.shape().extents();
        parallel::pieces_mut(image.words_mut(), rows * width, &|z, plane| {
            let first = (z / 2 + 1) * layout.plane();
            for (y, row) in plane.chunks_exact_mut(width).enumerate() {
                for (k, word) in row.iter_mut().enumerate() {
                    let place = first + (k / 2 + 1) * layout.strip() + 1 + y / 2;
                    let [even, odd] = [0, 1].map(|x| self.fields[4 * (z & 1) + 2 * (y & 1) + x][place]);
                    let half = 32 * (k & 1);
                    *word = spread(even >> half) | spread(odd >> half) << 1;
                }
            }
        });
    }

    /// The neighbourhoods of a unit's words. `middle` is the unit itself, which is not read here.
    #[inline(always)]
    pub(super) fn around(&self, parity: Parity, plane: usize, unit: usize, middle: Span) -> [Span; 27] {
        let (layout, mut around) = (self.layout, [[0; SPAN]; 27]);
        let here = (plane + 1) * layout.plane() + layout.first(unit);
        // The previous neighbour has the other parity: for an even coordinate it is one place before, else at the same.
        let place = |step: usize, parity: usize, stride: usize| match (step, parity) {
            (0, 0) => 0,
            (2, 1) => 2 * stride,
            _ => stride,
        };
        for step in 0..9 {
            let (dz, dy) = (step / 3, step % 3);
            let base = here - layout.plane() - 1;
            let first = base + place(dz, parity.z, layout.plane()) + place(dy, parity.y, 1);
            let other = 4 * (parity.z ^ (dz & 1) ^ 1) + 2 * (parity.y ^ (dy & 1) ^ 1);
            let sideways = &self.fields[other + (parity.x ^ 1)];
            let near = span(sideways, first);
            if parity.x == 0 {
                let far = span(sideways, first - layout.strip());
                for k in 0..SPAN {
                    around[3 * step][k] = near[k] << 1 | far[k] >> 63;
                }
                around[3 * step + 2] = near;
            } else {
                let far = span(sideways, first + layout.strip());
                around[3 * step] = near;
                for k in 0..SPAN {
                    around[3 * step + 2][k] = near[k] >> 1 | far[k] << 63;
                }
            }
            let same = 3 * step + 1;
            around[same] = if same == MIDDLE { middle } else { span(&self.fields[other + parity.x], first) };
        }
        around
    }
}

/// The words of a unit, in a field or in a plane of it.
#[inline(always)]
pub(super) fn span(words: &[u64], first: usize) -> Span {
    *words[first..].first_chunk().expect("a layer is around every unit")
}

/// Packs the bits at even places together.
fn every_second(word: u64) -> u64 {
    let word = word & 0x5555_5555_5555_5555;
    let word = (word | word >> 1) & 0x3333_3333_3333_3333;
    let word = (word | word >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    let word = (word | word >> 4) & 0x00ff_00ff_00ff_00ff;
    let word = (word | word >> 8) & 0x0000_ffff_0000_ffff;
    (word | word >> 16) & 0xffff_ffff
}

/// Spreads the lower 32 bits to even places.
fn spread(word: u64) -> u64 {
    let word = word & 0xffff_ffff;
    let word = (word | word << 16) & 0x0000_ffff_0000_ffff;
    let word = (word | word << 8) & 0x00ff_00ff_00ff_00ff;
    let word = (word | word << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let word = (word | word << 2) & 0x3333_3333_3333_3333;
    (word | word << 1) & 0x5555_5555_5555_5555
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_part_and_meet() {
        for word in [0, 1, !0, 0x0123_4567_89ab_cdef, 1 << 63, 0xdead_beef_0bad_f00d] {
            assert_eq!(spread(every_second(word)) | spread(every_second(word >> 1)) << 1, word);
        }
    }
}
