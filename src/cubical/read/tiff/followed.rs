//! TIFF stacks of contiguous uncompressed planes, of which only the first has a page entry.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

use ::tiff::TiffError;
use ::tiff::decoder::ChunkType;
use ::tiff::tags::{ByteOrder, CompressionMethod, Tag};

use super::page::{Page, Pages, Samples, fault};
use super::planes::told;
use crate::cubical::read::error::{Fault, ImageProblem, resize};
use crate::cubical::read::layout::{self, Placed};
use crate::cubical::read::stream::{Stream, in_pieces};
use crate::cubical::shape::Shape;
use crate::cubical::voxel::VoxelType;

/// Remedy named in errors when the planes are not found.
const RESAVE: &str = "save it again with ImageJ or tifffile, or read it as a raw file";

/// Returns the offset of the first page's data, after checking that `count` planes follow there.
pub(super) fn following(
    decoder: &mut Pages,
    page: Page,
    count: Option<usize>,
    length: u64,
) -> Result<u64, Fault> {
    let expected = format!("{} pages, the planes that the description names", told(count));
    let problem = |found: &str| Fault::from(ImageProblem::whole(expected.as_str(), found).note(RESAVE));
    let failed = |error| fault(0, error);
    let compression = decoder.find_tag_unsigned(Tag::Compression).map_err(failed)?;
    if compression.is_some_and(|compression: u16| compression != CompressionMethod::None.to_u16())
        || decoder.get_chunk_type() == ChunkType::Tile
        || !matches!(page.samples, Samples::Plain(_))
    {
        return Err(problem("1"));
    }
    let mut numbers = |tag| decoder.find_tag_unsigned_vec::<u64>(tag).map_err(failed);
    let starts = numbers(Tag::StripOffsets)?.unwrap_or_default();
    let sizes = numbers(Tag::StripByteCounts)?.unwrap_or_default();
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

/// A stream of the picked planes, which are contiguous from `start` on. `planes` are the type and the number of the
/// voxels of a plane.
pub(super) fn followed(
    mut decoder: Pages,
    start: u64,
    picked: Vec<usize>,
    planes: (VoxelType, u64),
    on_disk: Option<Arc<File>>,
    shape: Shape,
) -> Stream {
    let (voxels, count) = planes;
    let swap = matches!(decoder.byte_order(), ByteOrder::BigEndian) != cfg!(target_endian = "big");
    // All planes lie within the file, as `following` has checked.
    let bytes = count * voxels.bytes() as u64;
    let begin = move |plane: usize| start + plane as u64 * bytes;
    let first = picked.first().copied().unwrap_or(0);
    let is_one = picked.iter().enumerate().all(|(k, &plane)| plane == first + k);
    let (start, end) = (begin(first), begin(first + picked.len()));
    let placed = on_disk.filter(|_| is_one).map(|file| Placed { file, start, end, swap });
    let mut planes = picked.into_iter();
    // There are as many planes as the shape has.
    let source = in_pieces(move |piece, _| {
        let plane = planes.next().unwrap_or(0);
        let size = usize::try_from(bytes).unwrap_or(usize::MAX);
        resize(piece, size)?;
        let file = decoder.inner();
        let read = file.seek(SeekFrom::Start(begin(plane))).and_then(|_| file.read_exact(piece));
        read.map_err(|error| fault(plane, TiffError::IoError(error)))?;
        if swap {
            layout::swap(piece, voxels.bytes());
        }
        Ok(())
    });
    Stream { placed, ..Stream::new(shape, voxels, source) }
}
