//! `tiff`: gray images of TIFF and BigTIFF.
//!
//! A file of one page has the axes row and column; a stack of pages, which have one size and one type, has the axes
//! page, row and column. Samples are `u8` to `u64`, `i8` to `i64`, `f32` or `f64`, in strips or tiles, uncompressed or
//! compressed with LZW, Deflate or PackBits, with or without predictor. Samples of 1, 2 and 4 bits are spread over 0 to
//! 255, as in PNG; 16-bit floats become `f32`. Colour, palettes, several samples per pixel and images in which 0 is
//! white are errors, since the user has to decide which value a pixel stands for. Reduced copies of an image, as in
//! pyramids, and transparency masks are skipped.
//!
//! [`planes`] says what the pages of a stack are. A stack of which only the first page is listed, as in large files of
//! ImageJ and tifffile, can be read if its data are contiguous.

mod followed;
mod page;
mod planes;
mod stack;
mod tags;

use ::tiff::decoder::Decoder;

use super::bytes::Bytes;
use super::error::{Fault, ImageProblem, Place};
use super::options::ImageOptions;
use super::stream::Stream;
use crate::cubical::geometry::Geometry;
use crate::cubical::shape::Order;
use followed::{followed, following};
use page::{Page, Pages, Samples, fault, is_reduced, limits, page};
use planes::Planes;
use stack::stacked;
use tags::{description, refuse_metamorph, resolution};

pub(super) fn open(bytes: Bytes, options: &ImageOptions) -> Result<Stream, Fault> {
    let on_disk = bytes.file().cloned();
    let (file, length) = bytes.into_seekable()?;
    let mut decoder = Decoder::new(file).map_err(|error| fault(0, error))?.with_limits(limits(length));
    let (first, pages) = pages_of(&mut decoder, length)?;
    refuse_metamorph(&mut decoder)?;
    let description = description(&mut decoder, length)?;
    let size = [first.rows, first.columns].map(|extent| extent as usize);
    let planes = Planes::of(&description, pages.len(), size)?;
    let geometry = resolution(&mut decoder).map(Geometry::Tiff);
    let start = match planes.count() {
        Some(count) if count == pages.len() => None,
        count => Some(following(&mut decoder, first, count, length)?),
    };
    let (mut axes, picked) = planes.picked(options)?;
    axes.extend([u64::from(first.rows), first.columns.into()]);
    let shape = options.shape_at(Place::Whole, &axes, Order::C)?;
    let stream = match (first.samples, start) {
        (Samples::Plain(voxels), Some(start)) => {
            followed(decoder, start, picked, (voxels, first.count()), on_disk, shape)
        }
        (samples, _) => {
            let pages = picked.into_iter().map(|plane| pages[plane]).collect();
            stacked(decoder, pages, samples, shape)
        }
    };
    Ok(Stream { geometry, ..stream })
}

/// The number of frames, if the image has too many axes unless one frame is picked.
pub(super) fn frames(bytes: Bytes, options: &ImageOptions) -> Option<usize> {
    let (file, length) = bytes.into_seekable().ok()?;
    let mut decoder = Decoder::new(file).ok()?.with_limits(limits(length));
    let (first, pages) = pages_of(&mut decoder, length).ok()?;
    let description = description(&mut decoder, length).ok()?;
    let size = [first.rows, first.columns].map(|extent| extent as usize);
    Planes::of(&description, pages.len(), size).ok()?.frames(options)
}

/// The properties shared by all pages of the stack, and the numbers of the pages. The decoder is left at the first.
fn pages_of(decoder: &mut Pages, length: u64) -> Result<(Page, Vec<usize>), Fault> {
    let first = page(decoder, 0, length)?;
    let mut pages = vec![0];
    for number in 1.. {
        if !decoder.more_images() {
            break;
        }
        decoder.next_image().map_err(|error| fault(number, error))?;
        if is_reduced(decoder, number)? {
            continue;
        }
        let found = page(decoder, number, length)?;
        if found != first {
            let expected = format!("{}, as on page 0", first.described());
            return Err(ImageProblem::page(number, expected, found.described()).into());
        }
        pages.push(number);
    }
    decoder.seek_to_image(0).map_err(|error| fault(0, error))?;
    Ok((first, pages))
}
