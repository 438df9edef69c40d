//! Meaning of the planes of a TIFF file, slices, channels or frames, according to the description of the first page.
//!
//! | description | of | planes, fastest first |
//! |---|---|---|
//! | lines `key=value`, the first `ImageJ=` | ImageJ, Fiji | channels, slices, frames |
//! | OME-XML | Bio-Formats, microscopes | as `DimensionOrder` says; `TiffData` says which page is which plane |
//! | JSON `{"shape": …}` | tifffile | as the array's axes, named by `axes` if at all |
//! | any other, or none | | pages are slices |
//!
//! An image has at most three axes, so planes along one axis can be read, whatever that axis is. If there are planes
//! along several axes, a channel or a frame has to be picked; along two, they may be read as an image of four axes.

use std::collections::BTreeSet;

use roxmltree::{Document, Node};
use serde::Deserialize;

use crate::cubical::read::error::ImageProblem;
use crate::cubical::read::options::{ImageOptions, pick};

/// Meaning of an axis of planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
enum Axis {
    Channel,
    Frame,
    Slice,
    #[strum(serialize = "plane along another axis")]
    Other,
}

impl Axis {
    /// The axis that OME and tifffile denote by this letter.
    fn of_letter(letter: char) -> Axis {
        match letter {
            'C' | 'S' => Axis::Channel,
            'T' => Axis::Frame,
            'Z' => Axis::Slice,
            _ => Axis::Other,
        }
    }
}

/// The planes of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Planes {
    /// The axes with their extents, the slowest first.
    axes: Vec<(Axis, usize)>,
    /// The page of each plane; `None` if planes are the pages in order.
    pages: Option<Vec<usize>>,
}

impl Planes {
    /// The planes of a file with this number and size of pages, and this description of the first page. There are as
    /// many planes as pages, or a single page whose data may be followed by those of others.
    pub(super) fn of(description: &str, pages: usize, size: [usize; 2]) -> Result<Planes, ImageProblem> {
        let text = description.trim_start_matches('\u{feff}').trim_start();
        let planes = if text.starts_with("ImageJ=") {
            imagej(text, pages)?
        } else if text.starts_with('<') && text.contains("<OME") {
            return ome(text, pages);
        } else {
            shaped(text, size)
        };
        let planes = planes.unwrap_or(Planes { axes: vec![(Axis::Slice, pages)], pages: None });
        match planes.count() {
            Some(count) if count == pages || pages == 1 => Ok(planes),
            count => {
                let expected =
                    format!("{} pages, the planes that the description of the first names", told(count));
                let problem = ImageProblem::whole(expected, pages);
                Err(problem.note("save the stack alone in a file"))
            }
        }
    }

    /// Number of planes, if it fits.
    pub(super) fn count(&self) -> Option<usize> {
        self.axes.iter().try_fold(1_usize, |count, (_, extent)| count.checked_mul(*extent))
    }

    /// Number of planes along an axis.
    fn extent(&self, kind: Axis) -> usize {
        let found = self.axes.iter().find(|(axis, extent)| *axis == kind && *extent > 1);
        found.map_or(1, |(_, extent)| *extent)
    }

    /// The number of frames, if one of them has to be picked.
    pub(super) fn frames(&self, options: &ImageOptions) -> Option<usize> {
        let of_frame = ImageOptions { frame: Some(0), ..options.clone() };
        let has_to_be_picked = self.picked(options).is_err() && self.picked(&of_frame).is_ok();
        has_to_be_picked.then(|| self.extent(Axis::Frame)).filter(|&frames| frames > 1)
    }

    /// The planes that remain if a channel and a frame are picked: their numbers along the remaining axes, and the
    /// pages in their order.
    pub(super) fn picked(&self, options: &ImageOptions) -> Result<(Vec<u64>, Vec<usize>), ImageProblem> {
        let channel = pick("channel", options.channel, self.extent(Axis::Channel))?;
        let frame = pick("frame", options.frame, self.extent(Axis::Frame))?;
        let range = |&(axis, extent): &(Axis, usize)| match axis {
            Axis::Channel if extent > 1 => channel.map_or(0..extent, |channel| channel..channel + 1),
            Axis::Frame if extent > 1 => frame.map_or(0..extent, |frame| frame..frame + 1),
            _ => 0..extent,
        };
        let axes = self.axes.iter().map(|axis| range(axis).len() as u64).filter(|&extent| extent > 1);
        let axes: Vec<u64> = axes.collect();
        if axes.len() > if options.four_axes { 2 } else { 1 } {
            return Err(self.too_many());
        }
        let mut planes = vec![0];
        for axis in &self.axes {
            let along = |plane: usize| range(axis).map(move |k| plane * axis.1 + k);
            planes = planes.into_iter().flat_map(along).collect();
        }
        let pages = match &self.pages {
            Some(pages) => planes.into_iter().map(|plane| pages[plane]).collect(),
            None => planes,
        };
        Ok((axes, pages))
    }

    /// The error that planes remain along several axes.
    fn too_many(&self) -> ImageProblem {
        let long = || self.axes.iter().filter(|(_, extent)| *extent > 1);
        let found: Vec<String> = long().map(|(axis, extent)| format!("{extent} {axis}s")).collect();
        let problem = ImageProblem::whole("planes along one axis", found.join(" of "));
        let has = |kind: Axis| long().any(|(axis, _)| *axis == kind);
        problem.note(match (has(Axis::Channel), has(Axis::Frame)) {
            (true, true) => "--channel N and --frame N take one of each, counted from 0",
            (true, false) => "--channel N takes one channel, counted from 0",
            (false, true) => "--frame N takes one frame, counted from 0",
            (false, false) => "save a part of it with three axes",
        })
    }
}

/// A number of planes, for messages.
pub(super) fn told(count: Option<usize>) -> String {
    count.map_or_else(|| "more than 2^64".to_owned(), |count| count.to_string())
}

/// The planes described by ImageJ. Like ImageJ, ignores a description whose numbers of channels, slices and frames do
/// not match its number of images.
fn imagej(text: &str, pages: usize) -> Result<Option<Planes>, ImageProblem> {
    let number = |key: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        value.and_then(|value| value.trim().parse::<usize>().ok()).filter(|&number| number > 0)
    };
    let images = number("images").unwrap_or(1);
    if images > pages && pages > 1 {
        let expected = format!("{images} pages, the images of the stack that ImageJ describes");
        let problem = ImageProblem::whole(expected, pages);
        return Err(problem.note("save it again with ImageJ, or as a raw file"));
    }
    let axes = [(Axis::Frame, "frames"), (Axis::Slice, "slices"), (Axis::Channel, "channels")];
    let axes = axes.map(|(axis, key)| (axis, number(key).unwrap_or(1))).to_vec();
    let planes = Planes { axes, pages: None };
    let slices = || (pages == 1).then(|| Planes { axes: vec![(Axis::Slice, images)], pages: None });
    Ok(Some(planes).filter(|planes| planes.count() == Some(images)).or_else(slices))
}

/// Description of an array by tifffile.
#[derive(Deserialize)]
struct Shaped {
    shape: Vec<usize>,
    axes: Option<String>,
}

/// The planes described by tifffile, if the description is one of pages of this size.
fn shaped(text: &str, size: [usize; 2]) -> Option<Planes> {
    let Shaped { shape, axes } = serde_json::from_str(text).ok()?;
    let letters: Vec<char> = axes.unwrap_or_default().chars().collect();
    let leading = shape.strip_suffix(&size).or_else(|| shape.strip_suffix(&[size[0], size[1], 1]))?;
    if leading.is_empty() || leading.contains(&0) {
        return None;
    }
    let is_named = letters.len() == shape.len();
    let kind = |k: usize| if is_named { Axis::of_letter(letters[k]) } else { Axis::Other };
    let axis = |(k, &extent): (usize, &usize)| (kind(k), extent);
    Some(Planes { axes: leading.iter().enumerate().map(axis).collect(), pages: None })
}

/// The planes described by OME-XML.
fn ome(text: &str, pages: usize) -> Result<Planes, ImageProblem> {
    let document = Document::parse(text).map_err(|error| ImageProblem::whole("sound OME-XML", error))?;
    let named = |name: &'static str| {
        document.descendants().filter(move |node: &Node| node.is_element() && node.tag_name().name() == name)
    };
    if let Some(file) = named("BinaryOnly").find_map(|node| node.attribute("MetadataFile")) {
        return Err(apart("OME-XML that describes the planes", format!("one that lies in {file}")));
    }
    let images: Vec<Node> = named("Pixels").collect();
    let [pixels] = images[..] else {
        let problem = ImageProblem::whole("one image in OME-XML", images.len());
        return Err(problem.note("save one of them alone"));
    };
    let files: BTreeSet<&str> = named("UUID").filter_map(|node| node.attribute("FileName")).collect();
    if files.len() > 1 {
        let found = format!("{} files, such as {}", files.len(), files.iter().next().unwrap_or(&""));
        return Err(apart("all planes of an OME image in this file", found));
    }
    let order = pixels.attribute("DimensionOrder").unwrap_or("XYCZT");
    let Some(letters) = order.strip_prefix("XY").filter(|letters| is_order(letters)) else {
        let expected = "a DimensionOrder of XY and then C, Z and T in OME-XML";
        return Err(ImageProblem::whole(expected, format!("{order:?}")));
    };
    let letters: Vec<char> = letters.chars().collect();
    let size = |letter| number(pixels, &format!("Size{letter}"), 1);
    let extents = letters.iter().map(size).collect::<Result<Vec<_>, _>>()?;
    let axes = letters.iter().zip(&extents).rev().map(|(&letter, &extent)| (Axis::of_letter(letter), extent));
    let planes = Planes { axes: axes.collect(), pages: None };
    let count = planes.count();
    if count != Some(pages) {
        let expected = format!("{} pages, the planes that OME-XML names", told(count));
        let note = "save the image in one file, without other images in it";
        return Err(ImageProblem::whole(expected, pages).note(note));
    }
    listed(pixels, &letters, &extents, planes, pages)
}

/// The number in an attribute of an element of OME-XML, or a default if there is none.
fn number(node: Node<'_, '_>, name: &str, otherwise: usize) -> Result<usize, ImageProblem> {
    let Some(text) = node.attribute(name) else { return Ok(otherwise) };
    let read = text.trim().parse();
    read.map_err(|_| ImageProblem::whole(format!("a number as {name} in OME-XML"), format!("{text:?}")))
}

/// The planes with the pages that `TiffData` assigns to them. Without `TiffData`, planes are the pages in order.
fn listed(
    pixels: Node<'_, '_>,
    letters: &[char],
    extents: &[usize],
    planes: Planes,
    pages: usize,
) -> Result<Planes, ImageProblem> {
    let mut page_of = vec![None; pages];
    let mut is_listed = false;
    for data in pixels.children().filter(|node| node.tag_name().name() == "TiffData") {
        is_listed = true;
        let page = number(data, "IFD", 0)?;
        let (mut first, mut stride) = (0_usize, 1);
        for (letter, extent) in letters.iter().zip(extents) {
            first = first.saturating_add(number(data, &format!("First{letter}"), 0)?.saturating_mul(stride));
            stride *= extent;
        }
        let all = if data.has_attribute("IFD") { 1 } else { pages };
        let listed = number(data, "PlaneCount", all)?;
        for (k, of_plane) in page_of.iter_mut().skip(first).take(listed).enumerate() {
            *of_plane = Some(page.saturating_add(k)).filter(|&page| page < pages);
        }
    }
    let listed: Option<Vec<usize>> = page_of.into_iter().collect();
    match listed {
        Some(listed) => Ok(Planes { pages: Some(listed), ..planes }),
        None if !is_listed => Ok(planes),
        None => Err(apart("a page for each plane in OME-XML", "planes without one")),
    }
}

/// The problem that parts of an OME image are in other files.
fn apart(expected: &str, found: impl std::fmt::Display) -> ImageProblem {
    ImageProblem::whole(expected, found).note("save the image in one file")
}

/// Whether each of the letters C, T and Z occurs once.
fn is_order(letters: &str) -> bool {
    let letters: BTreeSet<char> = letters.chars().collect();
    letters == BTreeSet::from(['C', 'T', 'Z'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [usize; 2] = [5, 4];

    fn picked(
        text: &str,
        pages: usize,
        channel: Option<usize>,
        frame: Option<usize>,
    ) -> Result<Vec<usize>, String> {
        let options = ImageOptions { channel, frame, ..ImageOptions::default() };
        let planes = Planes::of(text, pages, SIZE).and_then(|planes| planes.picked(&options));
        planes.map(|(_, pages)| pages).map_err(|problem| problem.to_string())
    }

    #[test]
    fn frames_are_counted_where_one_has_to_be_picked() {
        let frames = |text: &str, pages, channel| {
            let options = ImageOptions { channel, ..ImageOptions::default() };
            Planes::of(text, pages, SIZE).unwrap().frames(&options)
        };
        let all = "ImageJ=1\nimages=12\nchannels=2\nslices=2\nframes=3\nhyperstack=true\n";
        assert_eq!((frames(all, 12, Some(1)), frames(all, 12, None)), (Some(3), None));
        assert_eq!(frames("ImageJ=1\nimages=6\nslices=2\nframes=3\n", 6, None), Some(3));
        // These are the three axes of one image.
        assert_eq!(frames("ImageJ=1\nimages=3\nframes=3\n", 3, None), None);
        assert_eq!(frames("ImageJ=1\nimages=3\nslices=3\n", 3, None), None);
    }

    #[test]
    fn pages_alone_are_slices() {
        for text in [
            "",
            "a drawing",
            "{}",
            "{\"shape\": [5, 4]}",
            "{\"shape\": [7, 7, 7]}",
            "ImageJ=1\nimages=3\nslices=7",
        ] {
            assert_eq!(picked(text, 3, None, None), Ok(vec![0, 1, 2]), "{text}");
            assert_eq!(picked(text, 3, Some(0), Some(0)), Ok(vec![0, 1, 2]), "{text}");
        }
        let found = picked("", 3, Some(1), None);
        assert_eq!(found, Err("expected channel 0, the only one, found channel 1".to_owned()));
    }

    #[test]
    fn channels_are_fastest_in_imagej() {
        let text = "ImageJ=1.53\nimages=12\nchannels=2\nslices=3\nframes=2\nhyperstack=true\n";
        assert_eq!(picked(text, 12, Some(1), Some(0)), Ok(vec![1, 3, 5]));
        assert_eq!(picked(text, 12, Some(0), Some(1)), Ok(vec![6, 8, 10]));
        let message = "expected planes along one axis, found 2 frames of 3 slices of 2 channels; \
             --channel N and --frame N take one of each, counted from 0";
        for (channel, frame) in [(None, None), (Some(0), None), (None, Some(1))] {
            assert_eq!(picked(text, 12, channel, frame), Err(message.to_owned()));
        }
        let found = picked(text, 12, Some(2), Some(0));
        assert_eq!(found, Err("expected a channel from 0 to 1, found channel 2".to_owned()));
        let found = picked(text, 11, Some(1), Some(0)).unwrap_err();
        assert!(
            found.starts_with("expected 12 pages, the images of the stack that ImageJ describes, found 11"),
            "{found}"
        );
        let one = "ImageJ=1.53\nimages=32\nchannels=2\nslices=16\nhyperstack=true\n";
        let message = "expected planes along one axis, found 16 slices of 2 channels; --channel N takes one channel, counted from 0";
        assert_eq!(picked(one, 32, None, None), Err(message.to_owned()));
        // One page, which others follow.
        assert_eq!(picked(one, 1, Some(1), None).unwrap(), (0..16).map(|z| 2 * z + 1).collect::<Vec<_>>());
        assert_eq!(picked("ImageJ=1\nimages=3\n", 1, None, None), Ok(vec![0, 1, 2]));
    }

    #[test]
    fn arrays_of_tifffile() {
        let named = "{\"shape\": [2, 3, 5, 4], \"axes\": \"TZYX\"}";
        assert_eq!(picked(named, 6, None, Some(1)), Ok(vec![3, 4, 5]));
        assert!(picked(named, 6, None, None).unwrap_err().contains("--frame N takes one frame"));
        let unnamed = "{\"shape\": [2, 3, 5, 4]}";
        let whole = ImageOptions { four_axes: true, ..ImageOptions::default() };
        for text in [named, unnamed] {
            let planes = Planes::of(text, 6, SIZE).unwrap();
            assert_eq!(planes.picked(&whole), Ok((vec![2, 3], (0..6).collect())));
        }
        let of_channels = ImageOptions { channel: Some(1), ..whole.clone() };
        let text = "ImageJ=1.53\nimages=12\nchannels=2\nslices=3\nframes=2\nhyperstack=true\n";
        let planes = Planes::of(text, 12, SIZE).unwrap();
        assert_eq!(planes.picked(&of_channels), Ok((vec![2, 3], vec![1, 3, 5, 7, 9, 11])));
        assert!(planes.picked(&whole).is_err());
        assert!(picked(unnamed, 6, None, None).unwrap_err().contains("save a part of it with three axes"));
        for text in ["{\"shape\": [6, 5, 4]}", "{\"shape\": [1, 6, 1, 5, 4]}", "{\"shape\": [6, 5, 4, 1]}"] {
            assert_eq!(picked(text, 6, None, None), Ok((0..6).collect()));
            assert_eq!(picked(text, 1, None, None), Ok((0..6).collect()));
        }
        let message = "expected 6 pages, the planes that the description of the first names, found 12; \
             save the stack alone in a file";
        assert_eq!(picked("{\"shape\": [6, 5, 4]}", 12, None, None), Err(message.to_owned()));
    }

    fn xml(pixels: &str, inside: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?><OME xmlns=\"o\"><Image><Pixels {pixels}>{inside}</Pixels></Image></OME>"
        )
    }

    #[test]
    fn ome_says_which_page_is_which_plane() {
        let pixels = "DimensionOrder=\"XYZCT\" SizeX=\"4\" SizeY=\"5\" SizeZ=\"3\" SizeC=\"2\" SizeT=\"1\"";
        for inside in ["", "<TiffData/>", "<TiffData IFD=\"0\" PlaneCount=\"6\"/>"] {
            assert_eq!(picked(&xml(pixels, inside), 6, Some(1), None), Ok(vec![3, 4, 5]), "{inside}");
        }
        let turned: String = (0..6)
            .map(|k| format!("<TiffData IFD=\"{}\" FirstZ=\"{}\" FirstC=\"{}\"><UUID FileName=\"a.tif\">u</UUID></TiffData>", 5 - k, k % 3, k / 3))
            .collect();
        assert_eq!(picked(&xml(pixels, &turned), 6, Some(1), None), Ok(vec![2, 1, 0]));
        let message = |inside: &str, pages| picked(&xml(pixels, inside), pages, Some(1), None).unwrap_err();
        assert!(message("", 7).starts_with("expected 6 pages, the planes that OME-XML names, found 7"));
        assert!(message("<TiffData IFD=\"2\"/>", 6).starts_with("expected a page for each plane in OME-XML"));
        assert!(message("<TiffData IFD=\"x\"/>", 6).contains("a number as IFD in OME-XML, found \"x\""));
        let files = "<TiffData IFD=\"0\"><UUID FileName=\"a.tif\"/></TiffData><TiffData IFD=\"0\"><UUID FileName=\"b.tif\"/></TiffData>";
        assert!(message(files, 6).contains("found 2 files, such as a.tif; save the image in one file"));
        assert!(picked("<?xml?><OME", 6, None, None).unwrap_err().starts_with("expected sound OME-XML"));
        let order = xml("DimensionOrder=\"XYZZT\"", "");
        assert!(picked(&order, 1, None, None).unwrap_err().contains("found \"XYZZT\""));
        let two = "<OME><Image><Pixels/></Image><Image><Pixels/></Image></OME>";
        assert!(
            picked(two, 2, None, None).unwrap_err().starts_with("expected one image in OME-XML, found 2")
        );
        let apart = "<OME><BinaryOnly MetadataFile=\"x.companion.ome\"/></OME>";
        assert!(picked(apart, 2, None, None).unwrap_err().contains("lies in x.companion.ome"));
        let bomb = xml("SizeC=\"9999999999999\" SizeZ=\"9999999999999\"", "");
        assert!(picked(&bomb, 2, None, None).unwrap_err().contains("expected more than 2^64 pages"));
    }
}
