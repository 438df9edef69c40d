//! Reads image files and reports their detected format.

use std::path::Path;

use lacuna::cubical::AnyImage;
use lacuna::cubical::read::{self, ImageOptions, Stream};
use lacuna::progress::Progress;

use super::error::Result;
use super::frame::Frame;

/// Opens the image in `file` and reports its detected format, before the run's progress bar can appear.
pub(crate) fn open_image(file: &Path, options: &ImageOptions, frame: &mut Frame<'_>) -> Result<Stream> {
    let stream = frame.read(|_| read::open(file, options))??;
    frame.detected(stream.detection());
    Ok(stream)
}

/// Reads the image of a stream.
pub(crate) fn read_image(stream: Stream, frame: &mut Frame<'_>) -> Result<AnyImage> {
    if stream.stays_in_file() {
        let size = lacuna::memory::Bytes(stream.bytes());
        frame.note(format_args!(
            "memory has no room for the {size} of the image, which are read from the file as needed"
        ));
    }
    let read = frame.read(|meter| {
        meter.begin("reading", None, stream.shape().count() as u64);
        stream.image_watched(&|voxels| meter.advance(voxels))
    });
    Ok(read??)
}
