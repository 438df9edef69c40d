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

/// The voxels of some pages, decoded strip by strip, or row of tiles by row of tiles.
struct Stack<T> {
    decoder: Pages,
    pages: Vec<usize>,
    /// Which of these comes next.
    next: usize,
    /// The next strip or row of tiles of the page that the decoder is at, and how many it has.
    piece: u32,
    pieces: u32,
    /// What makes voxels of bytes, unless they are voxels.
    unpack: Option<Unpack<T>>,
    bytes: Vec<u8>,
    /// The voxels of the last tile.
    tile: Vec<T>,
    /// The voxels of the last strip or row of tiles.
    voxels: Vec<T>,
    /// How many of these have been given.
    at: usize,
}

impl<T: Plain> Stack<T> {
    fn new(decoder: Pages, pages: Vec<usize>, unpack: Option<Unpack<T>>) -> Self {
        let (bytes, tile, voxels) = (Vec::new(), Vec::new(), Vec::new());
        Stack { decoder, pages, next: 0, piece: 0, pieces: 0, unpack, bytes, tile, voxels, at: 0 }
    }

    /// The page that the decoder is at.
    fn page(&self) -> usize {
        self.pages.get(self.next.saturating_sub(1)).copied().unwrap_or(0)
    }

    /// Decodes the next strip or row of tiles.
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
            (self.piece, self.pieces) = (0, rows.div_ceil(together.max(1)));
        }
        self.at = 0;
        let mut voxels = std::mem::take(&mut self.voxels);
        let decoded = self.decode_piece(&mut voxels);
        self.voxels = voxels;
        decoded?;
        self.piece += 1;
        Ok(())
    }

    /// Decodes the strip or the row of tiles that is next.
    fn decode_piece(&mut self, voxels: &mut Vec<T>) -> Result<(), Fault> {
        let page = self.page();
        let (columns, _) = self.decoder.dimensions().map_err(|error| fault(page, error))?;
        let across = match self.decoder.get_chunk_type() {
            ChunkType::Tile => columns.div_ceil(self.decoder.chunk_dimensions().0.max(1)),
            ChunkType::Strip => 1,
        };
        let first = self.piece * across;
        let (_, rows) = self.decoder.chunk_data_dimensions(first);
        let (columns, rows) = (columns as usize, rows as usize);
        room(voxels, columns * rows)?;
        voxels.resize(columns * rows, T::ZERO);
        if across == 1 {
            return self.decode(first, columns, voxels);
        }
        let (mut tile, mut left) = (std::mem::take(&mut self.tile), 0);
        for k in 0..across {
            let wide = self.decoder.chunk_data_dimensions(first + k).0 as usize;
            room(&tile, wide * rows)?;
            tile.resize(wide * rows, T::ZERO);
            self.decode(first + k, wide, &mut tile)?;
            for (row, part) in voxels.chunks_exact_mut(columns).zip(tile.chunks_exact(wide)) {
                row[left..][..wide].copy_from_slice(part);
            }
            left += wide;
        }
        self.tile = tile;
        Ok(())
    }

    /// Decodes a strip or a tile of so many columns.
    fn decode(&mut self, chunk: u32, columns: usize, voxels: &mut [T]) -> Result<(), Fault> {
        let page = self.page();
        let bytes = match self.unpack {
            None => voxels.as_mut_bytes(),
            Some(_) => {
                let layout = self.decoder.image_chunk_buffer_layout(chunk);
                let size = layout.map_err(|error| fault(page, error))?.len;
                room(&self.bytes, size)?;
                self.bytes.resize(size, 0);
                &mut self.bytes[..]
            }
        };
        self.decoder.read_chunk_bytes(chunk, bytes).map_err(|error| fault(page, error))?;
        if let Some(unpack) = self.unpack {
            unpack(&self.bytes, columns, voxels);
        }
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
