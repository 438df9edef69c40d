//! Converts an image to another image format.

use lacuna::cubical::read::ImageFormat;
use lacuna::cubical::write::ImageFile;
use lacuna::cubical::{AnyImage, Order};

use super::{Arguments, Converted};
use crate::cli::error::CliError;
use crate::cli::frame::Frame;
use crate::cli::image_file::{open_image, read_image};

/// Reads the image and checks that the format holds it.
pub(super) fn convert(
    arguments: &Arguments,
    input: Option<ImageFormat>,
    format: ImageFile,
    frame: &mut Frame<'_>,
) -> Result<Converted, CliError> {
    let options = arguments.voxels.options(input, arguments.key.as_deref())?;
    let stream = open_image(&arguments.input, &options, frame)?;
    let geometry = stream.geometry().cloned();
    let image = read_image(stream, frame)?;
    let name = &frame.name;
    format.holds(image.shape(), image.voxel_type()).map_err(|why| CliError::about(name, why))?;
    let image = match format.holds_values(&image) {
        Ok(()) => image,
        // The nearest doubles are written.
        Err(_) if arguments.round => in_doubles(&image)?,
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

/// The image in doubles.
fn in_doubles(image: &AnyImage) -> Result<AnyImage, CliError> {
    let shape = image.shape();
    let voxels: Vec<f64> = (0..shape.count()).map(|place| image.value(place)).collect();
    let doubles = lacuna::cubical::Image::new(shape, voxels)
        .map_err(|why| CliError::about("the image in doubles", why))?;
    Ok(doubles.into())
}
