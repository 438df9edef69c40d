//! Converts an image to another image format.

use std::time::Instant;

use lacuna::cubical::read::ImageFormat;
use lacuna::cubical::write::ImageFile;
use lacuna::cubical::{AnyImage, Order};

use super::Arguments;
use crate::cli::error::CliError;
use crate::cli::image_file::{open_image, read_image};
use crate::cli::naming::OutputFormat;
use crate::cli::notes::{tell, timing_line};
use crate::cli::timing::timed;

/// Reads and writes.
pub(super) fn run(
    arguments: &Arguments,
    start: Instant,
    input: Option<ImageFormat>,
    format: ImageFile,
) -> Result<(), CliError> {
    let options = arguments.voxels.options(input, arguments.key.as_deref())?;
    let mut frame = arguments.open(start, format.content())?;
    let stream = open_image(&arguments.input, &options, &frame, None)?;
    let geometry = stream.geometry().cloned();
    let (image, read) = timed(|| read_image(stream, &frame.meter));
    let image = image?;
    let name = arguments.name();
    format.holds(image.shape(), image.voxel_type()).map_err(|why| CliError::about(&name, why))?;
    if let Err(inexact) = format.holds_values(&image) {
        // With `--round`, the nearest doubles are written.
        if !arguments.round {
            return Err(CliError::about(format!("{name}: --round takes the nearest double"), inexact));
        }
    }
    let image = if arguments.round { rounded(format, image)? } else { image };
    let write = frame.write(|_, out| format.write(&image, geometry.as_ref(), out))?;
    frame.commit_answer()?;
    arguments.say_written(frame.notes, format, "an image");
    if format == ImageFile::Raw {
        let axes: Vec<String> = image.shape().axes().iter().map(usize::to_string).collect();
        let order = if image.shape().order() == Order::F { " --order f" } else { "" };
        let axes = axes.join(",");
        frame.notes.note(format_args!("to read it: --shape {axes} --dtype {}{order}", image.voxel_type()));
    }
    if arguments.verbosity.verbose {
        tell(format_args!("{name}: {}", image.shape().described(image.voxel_type())));
        tell(timing_line("read", read.as_secs_f64()));
        tell(timing_line("write", write.as_secs_f64()));
        tell(timing_line("total", frame.seconds()));
    }
    Ok(())
}

/// The image, converted to doubles if some of its integers do not fit the format.
fn rounded(format: ImageFile, image: AnyImage) -> Result<AnyImage, CliError> {
    if format.holds_values(&image).is_ok() {
        return Ok(image);
    }
    let shape = image.shape();
    let voxels: Vec<f64> = (0..shape.count()).map(|place| image.value(place)).collect();
    let doubles = lacuna::cubical::Image::new(shape, voxels)
        .map_err(|why| CliError::about("the image in doubles", why))?;
    Ok(doubles.into())
}
