//! TIFF stacks of contiguous uncompressed planes, of which only the first has a page entry.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

use ::tiff::TiffError;
use ::tiff::decoder::ChunkType;
use ::tiff::tags::{ByteOrder, CompressionMethod, Tag};
use zerocopy::IntoBytes as _;

use super::page::{Page, Pages, Samples, fault};
use crate::cubical::read::error::{Context, Fault, ImagePlace, ImageProblem};
use crate::cubical::read::layout::{Placed, swap};
use crate::cubical::read::stream::{Source, Stream};
use crate::cubical::read::voxel::Plain;
use crate::cubical::shape::Shape;

/// Remedy named in errors when the planes are not found.
const RESAVE: &str = "save it again with ImageJ or tifffile, or read it as a raw file";

/// Returns the offset of the first page's data, after checking that `count` planes follow there.
pub(super) fn following(
    decoder: &mut Pages,
    page: Page,
    count: Option<usize>,
    length: u64,
) -> Result<u64, Fault> {
    let expected = count.map_or("more than 2^64".to_owned(), |count| count.to_string());
    let expected = format!("{expected} pages, the planes that the description names");
    let problem = |found: &str| {
        Fault::from(ImageProblem::new(ImagePlace::Whole, expected.as_str(), found).note(RESAVE))
    };
    let failed = |error| fault(0, error);
    let compression = decoder.find_tag_unsigned(Tag::Compression).map_err(failed)?;
    if compression.is_some_and(|compression: u16| compression != CompressionMethod::None.to_u16())
        || decoder.get_chunk_type() == ChunkType::Tile
        || !matches!(page.samples, Samples::Plain(_))
    {
        return Err(problem("1"));
    }
    let starts = decoder.find_tag_unsigned_vec::<u64>(Tag::StripOffsets).map_err(failed)?.unwrap_or_default();
    let sizes =
        decoder.find_tag_unsigned_vec::<u64>(Tag::StripByteCounts).map_err(failed)?.unwrap_or_default();
    let together =
        starts.windows(2).zip(&sizes).all(|(pair, &size)| pair[0].checked_add(size) == Some(pair[1]));
    let Some(&start) = starts.first().filter(|_| together) else {
        return Err(problem("1, whose strips do not follow each other"));
    };
    let plane = page.count().checked_mul(page.samples.bits() / 8);
    let end = count.and_then(|count| plane?.checked_mul(count as u64)?.checked_add(start));
    // If the list of pages lies behind the first page's data, the data end there.
    let list = decoder.ifd_pointer().map(|pointer| pointer.0).filter(|&list| list >= start);
    let most = list.map_or(length, |list| list.min(length));
    if end.is_none_or(|end| end > most) {
        return Err(problem(&format!("1, and {} bytes from its data on", most.saturating_sub(start))));
    }
    Ok(start)
}

/// A stream of the picked planes, which are contiguous from `start` on.
pub(super) fn followed<T: Plain>(
    decoder: Pages,
    start: u64,
    picked: &[usize],
    page: Page,
    on_disk: Option<Arc<File>>,
    shape: Shape,
    context: &Context,
) -> Stream<T> {
    let order = decoder.byte_order();
    let is_big = matches!(order, ByteOrder::BigEndian);
    let swap = is_big != cfg!(target_endian = "big") && size_of::<T>() > 1;
    // All of it lies within the file, as `following` has checked.
    let bytes = page.count() * size_of::<T>() as u64;
    let begin = |plane: usize| start + plane as u64 * bytes;
    let first = picked.first().copied().unwrap_or(0);
    let end = begin(first + picked.len());
    let is_one = picked.iter().enumerate().all(|(k, &plane)| plane == first + k);
    let source = Followed {
        decoder,
        starts: picked.iter().map(|&plane| begin(plane)).collect(),
        voxels: page.count(),
        at: 0,
        swap,
    };
    let stream = Stream::<T>::new(shape, Box::new(source), context.clone());
    match on_disk.filter(|_| is_one) {
        Some(file) => stream.placed(Box::new(Placed { file, start: begin(first), end, swap })),
        None => stream,
    }
}

/// Reads uncompressed planes at given offsets.
struct Followed {
    decoder: Pages,
    /// Offset of each plane.
    starts: Vec<u64>,
    /// Number of voxels of a plane.
    voxels: u64,
    /// Number of voxels read so far.
    at: u64,
    swap: bool,
}

impl<T: Plain> Source<T> for Followed {
    fn fill(&mut self, mut voxels: &mut [T]) -> Result<(), Fault> {
        while !voxels.is_empty() {
            let (plane, first) = ((self.at / self.voxels) as usize, self.at % self.voxels);
            let left = usize::try_from(self.voxels - first).unwrap_or(usize::MAX);
            let (front, rest) = voxels.split_at_mut(left.min(voxels.len()));
            let place = self.starts[plane] + first * size_of::<T>() as u64;
            let file = self.decoder.inner();
            let read = file.seek(SeekFrom::Start(place)).and_then(|_| file.read_exact(front.as_mut_bytes()));
            read.map_err(|error| fault(plane, TiffError::IoError(error)))?;
            if self.swap {
                swap(front);
            }
            self.at += front.len() as u64;
            voxels = rest;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn is_measured(&self) -> bool {
        true
    }
}
