//! Voxels of decoded pages.

use ::tiff::decoder::ChunkType;

use super::page::{Pages, Samples, fault};
use crate::cubical::read::error::{Fault, resize};
use crate::cubical::read::layout::widen_halves;
use crate::cubical::read::png::spread;
use crate::cubical::read::stream::{Stream, in_pieces};
use crate::cubical::shape::Shape;

/// A stream of the voxels of some pages, all of which have the same samples.
pub(super) fn stacked(decoder: Pages, pages: Vec<usize>, samples: Samples, shape: Shape) -> Stream {
    // Pages may share their data, so memory is to grow with the voxels that have been decoded.
    let is_measured = pages.len() == 1;
    let mut stack = Stack { decoder, pages, next: 0, piece: 0, pieces: 0, samples, packed: Vec::new() };
    let source = in_pieces(move |voxels, _| stack.next_piece(voxels));
    Stream { is_measured, ..Stream::new(shape, samples.voxels(), source) }
}

/// Unpacks rows of samples of a few bits, the first in the highest bits of a byte; each row begins with a byte.
fn unpack_bits<const BITS: usize>(bytes: &[u8], columns: usize, voxels: &mut [u8]) {
    let rows = bytes.chunks((columns * BITS).div_ceil(8)).zip(voxels.chunks_mut(columns));
    for (bytes, voxels) in rows {
        for (k, voxel) in voxels.iter_mut().enumerate() {
            let (byte, shift) = (bytes[k * BITS / 8], 8 - BITS - k * BITS % 8);
            *voxel = spread(byte >> shift & (u8::MAX >> (8 - BITS)), BITS);
        }
    }
}

/// Pages that are decoded strip by strip, or row of tiles by row of tiles.
struct Stack {
    decoder: Pages,
    pages: Vec<usize>,
    /// Index of the next of these pages.
    next: usize,
    /// The next strip or row of tiles of the decoder's current page.
    piece: u32,
    /// Number of strips or rows of tiles of that page.
    pieces: u32,
    samples: Samples,
    /// Samples that are not voxels yet.
    packed: Vec<u8>,
}

impl Stack {
    /// The page that the decoder is at.
    fn page(&self) -> usize {
        self.pages.get(self.next.saturating_sub(1)).copied().unwrap_or(0)
    }

    /// Decodes the next strip or row of tiles.
    fn next_piece(&mut self, voxels: &mut Vec<u8>) -> Result<(), Fault> {
        while self.piece == self.pieces {
            let Some(&page) = self.pages.get(self.next) else {
                // There were enough voxels when the pages were counted; the file has changed since.
                let expected = format!("{} pages of voxels", self.pages.len());
                return Err(Fault::of(expected, "fewer voxels on them"));
            };
            self.next += 1;
            self.decoder.seek_to_image(page).map_err(|error| fault(page, error))?;
            let (_, rows) = self.decoder.dimensions().map_err(|error| fault(page, error))?;
            let (_, together) = self.decoder.chunk_dimensions();
            (self.piece, self.pieces) = (0, rows.div_ceil(together.max(1)));
        }
        self.decode_piece(voxels)?;
        self.piece += 1;
        Ok(())
    }

    fn decode_piece(&mut self, voxels: &mut Vec<u8>) -> Result<(), Fault> {
        let page = self.page();
        let (columns, _) = self.decoder.dimensions().map_err(|error| fault(page, error))?;
        let across = match self.decoder.get_chunk_type() {
            ChunkType::Tile => columns.div_ceil(self.decoder.chunk_dimensions().0.max(1)),
            ChunkType::Strip => 1,
        };
        let first = self.piece * across;
        let (_, rows) = self.decoder.chunk_data_dimensions(first);
        let (columns, rows, size) = (columns as usize, rows as usize, self.samples.voxels().bytes());
        resize(voxels, columns * rows * size)?;
        if across == 1 {
            return self.decode(first, columns, voxels);
        }
        let (mut tile, mut left) = (Vec::new(), 0);
        for k in 0..across {
            let wide = self.decoder.chunk_data_dimensions(first + k).0 as usize;
            resize(&mut tile, wide * rows * size)?;
            self.decode(first + k, wide, &mut tile)?;
            for (row, part) in voxels.chunks_exact_mut(columns * size).zip(tile.chunks_exact(wide * size)) {
                row[left..][..wide * size].copy_from_slice(part);
            }
            left += wide * size;
        }
        Ok(())
    }

    /// Decodes a strip or a tile of this many columns.
    fn decode(&mut self, chunk: u32, columns: usize, voxels: &mut [u8]) -> Result<(), Fault> {
        let page = self.page();
        let failed = |error| fault(page, error);
        if matches!(self.samples, Samples::Plain(_)) {
            return self.decoder.read_chunk_bytes(chunk, voxels).map_err(failed);
        }
        let size = self.decoder.image_chunk_buffer_layout(chunk).map_err(failed)?.len;
        resize(&mut self.packed, size)?;
        self.decoder.read_chunk_bytes(chunk, &mut self.packed).map_err(failed)?;
        match self.samples {
            Samples::Bits(1) => unpack_bits::<1>(&self.packed, columns, voxels),
            Samples::Bits(2) => unpack_bits::<2>(&self.packed, columns, voxels),
            Samples::Bits(_) => unpack_bits::<4>(&self.packed, columns, voxels),
            Samples::Plain(_) | Samples::Halves => widen_halves(&self.packed, voxels),
        }
        Ok(())
    }
}
