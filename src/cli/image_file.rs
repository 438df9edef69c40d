//! Reads image files and reports their detected format.

use std::path::Path;

use lacuna::cubical::AnyImage;
use lacuna::cubical::read::{self, Detection, ImageOptions, Stream};
use lacuna::internals::name_of;
use lacuna::progress::Progress;

use super::error::CliError;
use super::frame::Frame;
use super::interruption::while_reading;
use super::progress::Meter;

/// Opens the image in `file` and reports its detected format, before the run's progress bar can appear. A format in
/// `others`, those of earlier images of the batch, is not reported again.
pub(crate) fn open_image(
    file: &Path,
    options: &ImageOptions,
    frame: &Frame,
    others: Option<&mut Vec<Detection>>,
) -> Result<Stream, CliError> {
    frame.meter.stage("reading");
    let stream = while_reading(|| read::open(file, options))??;
    let Some(detection) = stream.detection() else { return Ok(stream) };
    let and_others = if others.is_some() { ", and others like it" } else { "" };
    if !others.as_ref().is_some_and(|others| others.contains(&detection)) {
        let name = name_of(file);
        frame.meter.aside(|| frame.notes.note(format_args!("{name}: {detection}{and_others}")));
        if let Some(others) = others {
            others.push(detection);
        }
    }
    Ok(stream)
}

/// Reads the image of a stream, with its progress shown by `meter`.
pub(crate) fn read_image(stream: Stream, meter: &Meter) -> Result<AnyImage, CliError> {
    meter.begin("reading", None, stream.shape().count() as u64);
    Ok(while_reading(|| stream.image_watched(&|voxels| meter.advance(voxels)))??)
}
