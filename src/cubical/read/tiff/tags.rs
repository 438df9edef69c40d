//! Tags of the first page that apply to the whole stack.

use ::tiff::decoder::ifd::Value;
use ::tiff::tags::Tag;

use super::page::{MOST_OF_A_TAG, Pages, fault};
use crate::cubical::geometry::Resolution;
use crate::cubical::read::error::{Fault, ImageProblem};

/// MetaMorph's tag UIC2, which has one value per plane.
const METAMORPH: u16 = 33629;

/// The description of the decoder's current page; empty if there is none.
pub(super) fn description(decoder: &mut Pages, length: u64) -> Result<String, Fault> {
    let mut tags = decoder.image_ifd();
    let Some(entry) = tags.find_entry(Tag::ImageDescription) else { return Ok(String::new()) };
    // A tag cannot be longer than the file.
    let size = entry.count().min(length).min(MOST_OF_A_TAG);
    let mut text = vec![0; usize::try_from(size).unwrap_or(0)];
    let found = tags.find_tag_bytes(Tag::ImageDescription, &mut text, 0).map_err(|error| fault(0, error))?;
    text.truncate(found.unwrap_or(0));
    // ImageJ writes units in Latin-1; the parts that are parsed are ASCII.
    Ok(String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned())
}

/// Returns an error if a MetaMorph tag lists more planes than there are pages.
pub(super) fn refuse_metamorph(decoder: &mut Pages) -> Result<(), ImageProblem> {
    let planes = decoder.image_ifd().find_entry(Tag::Unknown(METAMORPH)).map_or(1, |entry| entry.count());
    if planes <= 1 {
        return Ok(());
    }
    let problem =
        ImageProblem::whole("a page for each plane", format!("a MetaMorph stack of {planes} planes"));
    Err(problem.note("save it as TIFF with ImageJ, or read the planes with --format raw"))
}

/// Pixels per unit of length, if the page states it.
pub(super) fn resolution(decoder: &mut Pages) -> Option<Resolution> {
    let mut ratio = |tag: Tag| match decoder.find_tag(tag) {
        Ok(Some(Value::Rational(pixels, units))) => Some([pixels, units]),
        _ => None,
    };
    let [x, y] = [ratio(Tag::XResolution)?, ratio(Tag::YResolution)?];
    let unit = decoder.find_tag_unsigned(Tag::ResolutionUnit).ok().flatten();
    Some(Resolution { x, y, unit: unit.unwrap_or(2) })
}
