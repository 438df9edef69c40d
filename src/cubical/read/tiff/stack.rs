//! Pages that are decoded.

use ::tiff::decoder::ChunkType;
use half::f16;
use zerocopy::IntoBytes as _;

use super::page::{Pages, Samples, fault};
use crate::cubical::read::error::{Context, Fault, ImagePlace, ImageProblem, room};
use crate::cubical::read::png::spread;
use crate::cubical::read::stream::{AnyStream, Source, Stream};
use crate::cubical::read::voxel::{Plain, VoxelType, with_type};
use crate::cubical::shape::Shape;

/// The voxels of some pages, all of which hold the same samples.
pub(super) fn stacked(
    decoder: Pages,
    pages: Vec<usize>,
    samples: Samples,
    shape: Shape,
    context: &Context,
) -> AnyStream {
    match samples {
        Samples::Plain(voxels) => with_type!(voxels, T => {
            let stack = Stack::<T>::new(decoder, pages, None);
            AnyStream::from(Stream::new(shape, Box::new(stack), context.clone()))
        }),
        Samples::Bits(bits) => {
            let unpack: Unpack<u8> = match bits {
                1 => unpack_bits::<1>,
                2 => unpack_bits::<2>,
                _ => unpack_bits::<4>,
            };
            let stack = Stack::new(decoder, pages, Some(unpack));
            AnyStream::U8(Stream::new(shape, Box::new(stack), context.clone()))
        }
        Samples::Halves => {
            let stack = Stack::new(decoder, pages, Some(unpack_halves as Unpack<f32>));
            AnyStream::F32(Stream::new(shape, Box::new(stack), context.clone()))
        }
    }
}

/// Makes voxels of the bytes of rows of so many samples.
type Unpack<T> = fn(&[u8], usize, &mut [T]);

/// Samples of a few bits, the first in the highest bits of a byte; rows begin with a byte.
fn unpack_bits<const BITS: usize>(bytes: &[u8], columns: usize, voxels: &mut [u8]) {
    let rows = bytes.chunks(bytes_of_row(columns, BITS)).zip(voxels.chunks_mut(columns));
    for (bytes, voxels) in rows {
        for (k, voxel) in voxels.iter_mut().enumerate() {
            let (byte, shift) = (bytes[k * BITS / 8], 8 - BITS - k * BITS % 8);
            *voxel = spread(byte >> shift & (u8::MAX >> (8 - BITS)), BITS);
        }
    }
}

/// Floats of 16 bits, their bytes in the order of this machine.
fn unpack_halves(bytes: &[u8], _: usize, voxels: &mut [f32]) {
    let (halves, _) = bytes.as_chunks();
    halves.iter().zip(voxels).for_each(|(&half, voxel)| *voxel = f16::from_ne_bytes(half).to_f32());
}

fn bytes_of_row(columns: usize, bits: usize) -> usize {
    (columns * bits).div_ceil(8)
}

/// The voxels of some pages, decoded strip by strip, or page by page where there are tiles.
struct Stack<T> {
    decoder: Pages,
    pages: Vec<usize>,
    /// Which of these comes next.
    next: usize,
    /// The next strip of the page that the decoder is at, and how many it has.
    piece: u32,
    pieces: u32,
    /// What makes voxels of bytes, unless they are voxels.
    unpack: Option<Unpack<T>>,
    bytes: Vec<u8>,
    /// The voxels of the last strip or page.
    voxels: Vec<T>,
    /// How many of these have been given.
    at: usize,
}

impl<T: Plain> Stack<T> {
    fn new(decoder: Pages, pages: Vec<usize>, unpack: Option<Unpack<T>>) -> Self {
        let (bytes, voxels) = (Vec::new(), Vec::new());
        Stack { decoder, pages, next: 0, piece: 0, pieces: 0, unpack, bytes, voxels, at: 0 }
    }

    /// The page that the decoder is at.
    fn page(&self) -> usize {
        self.pages.get(self.next.saturating_sub(1)).copied().unwrap_or(0)
    }

    /// Decodes the next strip or page.
    fn advance(&mut self) -> Result<(), Fault> {
        while self.piece == self.pieces {
            let Some(&page) = self.pages.get(self.next) else {
                // The pages that were counted held as many voxels; the file has changed since.
                let expected = format!("{} pages of voxels", self.pages.len());
                return Err(ImageProblem::new(ImagePlace::Whole, expected, "fewer voxels on them").into());
            };
            self.next += 1;
            self.decoder.seek_to_image(page).map_err(|error| fault(page, error))?;
            let (_, rows) = self.decoder.dimensions().map_err(|error| fault(page, error))?;
            let (_, together) = self.decoder.chunk_dimensions();
            let tiles = self.decoder.get_chunk_type() == ChunkType::Tile;
            (self.piece, self.pieces) = (0, if tiles { 1 } else { rows.div_ceil(together.max(1)) });
        }
        let page = self.page();
        let tiles = self.decoder.get_chunk_type() == ChunkType::Tile;
        let (columns, rows) = match tiles {
            true => self.decoder.dimensions().map_err(|error| fault(page, error))?,
            false => self.decoder.chunk_data_dimensions(self.piece),
        };
        let (columns, rows) = (columns as usize, rows as usize);
        self.at = 0;
        room(&self.voxels, columns * rows)?;
        self.voxels.resize(columns * rows, T::ZERO);
        let bytes = match self.unpack {
            None => self.voxels.as_mut_bytes(),
            Some(_) => {
                let decoder = &mut self.decoder;
                let layout = if tiles {
                    decoder.image_buffer_layout()
                } else {
                    decoder.image_chunk_buffer_layout(self.piece)
                };
                let size = layout.map_err(|error| fault(page, error))?.len;
                room(&self.bytes, size)?;
                self.bytes.resize(size, 0);
                &mut self.bytes[..]
            }
        };
        let read = match tiles {
            true => self.decoder.read_image_bytes(bytes),
            false => self.decoder.read_chunk_bytes(self.piece, bytes),
        };
        read.map_err(|error| fault(page, error))?;
        if let Some(unpack) = self.unpack {
            unpack(&self.bytes, columns, &mut self.voxels);
        }
        self.piece += 1;
        Ok(())
    }
}

impl<T: Plain> Source<T> for Stack<T> {
    fn fill(&mut self, mut voxels: &mut [T]) -> Result<(), Fault> {
        while !voxels.is_empty() {
            if self.at == self.voxels.len() {
                self.advance()?;
            }
            let given = &self.voxels[self.at..];
            let (front, rest) = voxels.split_at_mut(given.len().min(voxels.len()));
            front.copy_from_slice(&given[..front.len()]);
            self.at += front.len();
            voxels = rest;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn is_measured(&self) -> bool {
        // Pages may share their data: memory grows with what has been decoded.
        self.pages.len() == 1
    }
}
