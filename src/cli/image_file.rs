//! The image of a file: what it was detected to be, and its voxels.

use std::path::Path;

use lacuna::cubical::AnyImage;
use lacuna::cubical::read::{self, AnyStream, Detection, ImageOptions};
use lacuna::internals::name_of;
use lacuna::progress::Progress;

use super::error::CliError;
use super::frame::Frame;
use super::interruption::while_reading;
use super::progress::Meter;

/// Opens the image in `file`, and says what it was detected to be while the run's meter may be seen. Of a batch, whose images are many and
/// mostly alike, the first of a kind stands for all: `others` are what images before were detected to be.
pub(crate) fn open_image(
    file: &Path,
    options: &ImageOptions,
    frame: &Frame,
    others: Option<&mut Vec<Detection>>,
) -> Result<AnyStream, CliError> {
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

/// The image of a stream; `meter` shows how much of it has been read.
pub(crate) fn read_image(stream: AnyStream, meter: &Meter) -> Result<AnyImage, CliError> {
    meter.begin("reading", None, stream.shape().count() as u64);
    Ok(while_reading(|| stream.image_watched(&|voxels| meter.advance(voxels)))??)
}
