//! Binary images, one bit per voxel.
//!
//! A row of voxels is a row of words of 64 voxels, the first voxel in the lowest bit. Unused bits of a row's last word
//! are background.
//!
//! Bits are in C order of the user's axes, whatever the order in memory of the original image. So rows, columns and the
//! order of subfields depend only on the axes, and so does the skeleton.

use crate::cubical::image::Image;
use crate::cubical::shape::{Order, Shape};
use crate::parallel;
use crate::simd::word_of;

/// Voxels per word.
pub(super) const WORD: usize = 64;

/// Bytes of the bits of an image.
pub(super) fn bytes(shape: Shape) -> u64 {
    let [planes, rows, columns] = shape.extents().map(|extent| extent as u64);
    // A row of one voxel takes a whole word, so the count may exceed 64 bits.
    planes.saturating_mul(rows).saturating_mul(8 * columns.div_ceil(WORD as u64))
}

/// A binary image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitImage {
    /// The shape of the image, in C order.
    shape: Shape,
    /// Number of words of a row.
    width: usize,
    words: Vec<u64>,
}

impl BitImage {
    /// An image without foreground. The order in memory of `shape` is ignored.
    pub fn new(shape: Shape) -> BitImage {
        BitImage::background(shape.in_order(Order::C))
    }

    /// An image without foreground, in the order of the shape.
    fn background(shape: Shape) -> BitImage {
        let [planes, rows, columns] = shape.extents();
        let width = columns.div_ceil(WORD);
        BitImage { shape, width, words: vec![0; planes * rows * width] }
    }

    /// Binarises an image; `foreground` selects the voxels.
    pub fn of<T: Copy + Sync>(image: &Image<T>, foreground: impl Fn(T) -> bool + Sync) -> BitImage {
        let mut bits = BitImage::background(image.shape());
        let columns = image.shape().extents()[2];
        let width = bits.width;
        let rows = (1 << 16) / columns + 1;
        parallel::pieces_mut(&mut bits.words, rows * width, &|piece, words| {
            let voxels = image.voxels()[piece * rows * columns..].chunks_exact(columns);
            for (row, voxels) in words.chunks_exact_mut(width).zip(voxels) {
                for (word, voxels) in row.iter_mut().zip(voxels.chunks(WORD)) {
                    *word = packed(voxels, &foreground);
                }
            }
        });
        if image.shape().order() == Order::C { bits } else { bits.transposed() }
    }

    /// Converts to an image in this order in memory: foreground voxels have the value `foreground`, others 0.
    pub fn to_image(&self, foreground: u8, order: Order) -> Image<u8> {
        if order == self.shape.order() {
            self.unpacked(foreground)
        } else {
            self.transposed().unpacked(foreground)
        }
    }

    fn unpacked(&self, foreground: u8) -> Image<u8> {
        let columns = self.shape.extents()[2];
        let mut voxels = vec![0; self.shape.count()];
        let rows = (1 << 16) / columns + 1;
        parallel::pieces_mut(&mut voxels, rows * columns, &|piece, voxels| {
            let words = self.words[piece * rows * self.width..].chunks_exact(self.width);
            for (voxels, row) in voxels.chunks_exact_mut(columns).zip(words) {
                for (voxels, &word) in voxels.chunks_mut(WORD).zip(row) {
                    for (bit, voxel) in voxels.iter_mut().enumerate() {
                        *voxel = foreground * (word >> bit & 1) as u8;
                    }
                }
            }
        });
        Image::new(self.shape, voxels).expect("a voxel was made for each place")
    }

    /// The same image in the other order: the slowest axis becomes the fastest.
    fn transposed(&self) -> BitImage {
        let [planes, rows, columns] = self.shape.extents();
        let order = if self.shape.order() == Order::C { Order::F } else { Order::C };
        let shape = self.shape.in_order(order);
        if shape.dim() == 1 {
            return BitImage { shape, ..self.clone() };
        }
        // In the plane the slowest axis is that of the rows.
        let (slow, middle) = if shape.dim() == 3 { (planes, rows) } else { (rows, 1) };
        let mut other = BitImage::background(shape);
        let (width, row) = (other.width, middle * other.width);
        let word = |s: usize, m: usize, k: usize| {
            if s < slow { self.words[(s * middle + m) * self.width + k] } else { 0 }
        };
        let bands = (1 << 13) / (WORD * row) + 1;
        parallel::pieces_mut(&mut other.words, bands * WORD * row, &|piece, words| {
            // A column of words becomes a band of rows.
            for (k, band) in (piece * bands..).zip(words.chunks_mut(WORD * row)) {
                for (m, w) in (0..middle).flat_map(|m| (0..width).map(move |w| (m, w))) {
                    let block = transposed_words(std::array::from_fn(|s| word(w * WORD + s, m, k)));
                    let column = band[m * width + w..].iter_mut().step_by(row);
                    column.zip(block).for_each(|(to, word)| *to = word);
                }
            }
        });
        debug_assert_eq!(other.words.len(), columns * row);
        other
    }

    /// The shape, in C order.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Number of foreground voxels.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the voxel at a place, in C order, is foreground.
    pub fn get(&self, place: usize) -> bool {
        let columns = self.shape.extents()[2];
        let (row, column) = (place / columns, place % columns);
        self.words[row * self.width + column / WORD] >> (column % WORD) & 1 == 1
    }

    /// Sets the voxel at a place, in C order, to foreground or background.
    pub fn set(&mut self, place: usize, foreground: bool) {
        let columns = self.shape.extents()[2];
        let (row, column) = (place / columns, place % columns);
        let word = &mut self.words[row * self.width + column / WORD];
        *word = *word & !(1 << (column % WORD)) | u64::from(foreground) << (column % WORD);
    }

    /// The places, in C order, of the foreground voxels, ascending.
    ///
    /// For a skeleton, this is its embedding into the image: the k-th voxel of the skeleton is at the k-th place.
    pub fn places(&self) -> Vec<usize> {
        let columns = self.shape.extents()[2];
        let mut places = Vec::with_capacity(self.count());
        for (index, &word) in self.words.iter().enumerate() {
            let first = index / self.width * columns + index % self.width * WORD;
            let mut rest = word;
            while rest != 0 {
                places.push(first + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
        places
    }

    /// Exchanges foreground and background.
    #[must_use]
    pub fn inverted(mut self) -> BitImage {
        // The bits of a row's last word that are voxels.
        let last = !0 >> ((WORD - self.shape.extents()[2] % WORD) % WORD);
        for row in self.words.chunks_exact_mut(self.width) {
            row.iter_mut().for_each(|word| *word = !*word);
            if let Some(word) = row.last_mut() {
                *word &= last;
            }
        }
        self
    }

    /// Number of words of a row.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The words of all rows, plane by plane.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words of all rows, plane by plane. Bits past the end of a row must stay background.
    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}

/// Transposes a square of 64 × 64 bits, one word per row, by exchanging halves across the diagonal, then quarters, and
/// so on (Warren 2012, "Hacker's Delight", 7-3).
fn transposed_words(mut words: [u64; WORD]) -> [u64; WORD] {
    let (mut half, mut low) = (WORD / 2, u64::MAX >> (WORD / 2));
    while half > 0 {
        for k in (0..WORD).filter(|k| k & half == 0) {
            let exchanged = (words[k] >> half ^ words[k + half]) & low;
            words[k] ^= exchanged << half;
            words[k + half] ^= exchanged;
        }
        half /= 2;
        low ^= low << half;
    }
    words
}

/// Packs up to 64 voxels into a word.
#[inline(always)]
fn packed<T: Copy>(voxels: &[T], foreground: &impl Fn(T) -> bool) -> u64 {
    let mut bytes = [0_u8; WORD];
    for (byte, &voxel) in bytes.iter_mut().zip(voxels) {
        *byte = u8::from(foreground(voxel));
    }
    word_of(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_in_memory_makes_no_difference() {
        for axes in [
            &[7][..],
            &[5, 1],
            &[1, 70],
            &[65, 130],
            &[64, 64],
            &[2, 3],
            &[1, 66, 3],
            &[3, 1, 66],
            &[66, 3, 1],
            &[2, 3, 70],
            &[70, 65, 2],
            &[67, 2, 129],
        ] {
            let black =
                |at: &[usize]| (at.iter().fold(7, |hash, at| hash * 31 + at) * 2_654_435_761) >> 7 & 1 == 1;
            let [c, f] = [Order::C, Order::F].map(|order| {
                let shape = Shape::new(axes, order).unwrap();
                let voxel = |place: usize| u8::from(black(&shape.coordinates(place)));
                Image::new(shape, (0..shape.count()).map(voxel).collect()).unwrap()
            });
            let bits = BitImage::of(&c, |voxel| voxel == 1);
            assert_eq!(BitImage::of(&f, |voxel| voxel == 1), bits, "{axes:?}");
            assert_eq!(bits.shape(), c.shape());
            assert_eq!([bits.to_image(1, Order::C), bits.to_image(1, Order::F)], [c, f]);
        }
    }

    #[test]
    fn voxels_come_back() {
        for axes in [vec![1], vec![63], vec![64], vec![65], vec![3, 130], vec![2, 3, 70], vec![5, 4, 1]] {
            let shape = Shape::new(&axes, Order::C).unwrap();
            let voxels: Vec<u8> = (0..shape.count()).map(|place| (place * place % 7 % 2) as u8).collect();
            let image = Image::new(shape, voxels.clone()).unwrap();
            let bits = BitImage::of(&image, |voxel| voxel != 0);
            assert_eq!(bits.to_image(1, Order::C), image);
            assert_eq!(
                bits.to_image(255, Order::C).voxels().iter().filter(|&&voxel| voxel == 255).count(),
                bits.count()
            );
            let places: Vec<usize> = (0..shape.count()).filter(|&place| voxels[place] != 0).collect();
            assert_eq!(bits.places(), places);
            let mut again = BitImage::new(shape);
            places.iter().for_each(|&place| again.set(place, true));
            assert_eq!(again, bits);
            assert!((0..shape.count()).all(|place| bits.get(place) == (voxels[place] != 0)));
            places.iter().for_each(|&place| again.set(place, false));
            assert_eq!(again, BitImage::new(shape));
            let inverted = bits.clone().inverted();
            assert_eq!(inverted.count(), shape.count() - bits.count());
            assert_eq!(inverted.inverted(), bits);
        }
    }
}
