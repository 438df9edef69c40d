//! Converts an image to another image format.

use lacuna::cubical::Order;
use lacuna::cubical::read::ImageFormat;
use lacuna::cubical::write::ImageFile;

use super::{Arguments, Converted};
use crate::cli::error::{CliError, Result};
use crate::cli::frame::Frame;
use crate::cli::image_file::{open_image, read_image};

/// Reads the image and checks that the format holds it.
pub(super) fn convert(
    arguments: &Arguments,
    input: Option<ImageFormat>,
    format: ImageFile,
    frame: &mut Frame<'_>,
) -> Result<Converted> {
    let options = arguments.voxels.options(input, arguments.key.as_deref())?;
    let stream = open_image(&arguments.input, &options, frame)?;
    let geometry = stream.geometry().cloned();
    let image = read_image(stream, frame)?;
    let name = &frame.name;
    format.holds(image.shape(), image.voxel_type()).map_err(|why| CliError::about(name, why))?;
    let image = match format.holds_values(&image) {
        Ok(()) => image,
        // The nearest doubles are written.
        Err(_) if arguments.round => image.in_doubles(),
        Err(inexact) => {
            return Err(CliError::about(format!("{name}: --round takes the nearest double"), inexact));
        }
    };
    let (shape, voxels) = (image.shape(), image.voxel_type());
    let hint = (format == ImageFile::Raw).then(|| {
        let axes: Vec<String> = shape.axes().iter().map(usize::to_string).collect();
        let order = if shape.order() == Order::F { " --order f" } else { "" };
        format!("to read it: --shape {} --dtype {voxels}{order}", axes.join(","))
    });
    Ok(Converted {
        format: format.to_string(),
        kind: "an image",
        size: shape.described(voxels),
        length: None,
        hint,
        write: Box::new(move |out| format.write(&image, geometry.as_ref(), out)),
    })
}
