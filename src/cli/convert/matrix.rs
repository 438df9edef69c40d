//! Converts a boundary matrix to another format, and an image to its boundary matrix.

use std::io;

use lacuna::cells::AnyImageComplex;
use lacuna::cubical::read::ImageFormat;
use lacuna::matrix::read::{AnyComplex, MatrixFormat, MatrixReadOptions, read_path};

use super::{Arguments, Converted};
use crate::cli::error::{CliError, Result};
use crate::cli::frame::Frame;
use crate::cli::image_file::{open_image, read_image};
use crate::cli::notes::counted;
use crate::cli::progress::Written;

/// Reads the matrix and checks that the format holds it.
pub(super) fn convert(
    arguments: &Arguments,
    input: Option<MatrixFormat>,
    format: MatrixFormat,
    frame: &mut Frame<'_>,
) -> Result<Converted> {
    let options = MatrixReadOptions { format: input, upper_dim: arguments.dimension.of_cells() };
    let loaded = frame.read(|_| read_path(&arguments.input, &options))??;
    let name = frame.name.clone();
    frame.detected(loaded.detection.as_ref().map(|why| format!("{} ({why})", loaded.format)));
    if let Some(warning) = &loaded.warning {
        frame.warn(format_args!("{name}: {warning}"));
    }
    let complex = loaded.input;
    complex.check_dimensions(format).map_err(|why| CliError::about(&name, why))?;
    let (cells, entries) = (complex.cells(), complex.entries());
    if complex.loses_values(format) {
        frame.note(format_args!(
            "{name}: the values of the cells are left out, which {format} cannot hold; dipha can"
        ));
    } else if format == MatrixFormat::Dipha && !complex.has_values() {
        frame.note(format_args!(
            "{name}: cells without values get their indices in the filtration, 0 to {}",
            cells.saturating_sub(1)
        ));
    }
    Ok(Converted {
        format: format.to_string(),
        kind: "a boundary matrix",
        size: format!("{}, {}", counted(cells, "cell"), counted(entries, "entry")),
        length: Some(length(format, cells, entries)),
        hint: None,
        write: Box::new(move |out| complex.write(format, out)),
    })
}

/// Reads the image and builds the matrix.
pub(super) fn of_image(
    arguments: &Arguments,
    input: Option<ImageFormat>,
    format: MatrixFormat,
    frame: &mut Frame<'_>,
) -> Result<Converted> {
    let options = arguments.voxels.options(input, arguments.key.as_deref())?;
    let stream = open_image(&arguments.input, &options, frame)?;
    let image = read_image(stream, frame)?;
    let upper_dim = arguments.dimension.of_cells();
    let request = arguments.filtration.request();
    let build = || AnyImageComplex::new(&image, &request, upper_dim, &frame.meter);
    let complex = frame.record.timed("build", build);
    let complex = complex.map_err(|source| CliError::about(&frame.name, source))?;
    let (cells, entries) = (complex.cells(), complex.entries());
    let described = image.shape().described(image.voxel_type());
    Ok(Converted {
        format: format.to_string(),
        kind: "the boundary matrix of the image",
        size: format!("{described}, {}, {}", counted(cells, "cell"), counted(entries, "entry")),
        length: Some(length(format, cells, entries)),
        hint: None,
        write: Box::new(move |out| {
            let complex = AnyComplex::of_image(complex, &image, request.superlevel, format);
            complex.map_err(io::Error::other)?.write(format, out)
        }),
    })
}

/// Length of the file, for the progress bar.
fn length(format: MatrixFormat, cells: usize, entries: usize) -> Written {
    let (cells, entries) = (cells as u64, entries as u64);
    match format {
        MatrixFormat::PhatAscii => Written::Lines(cells),
        // In 64-bit words: the number of cells; for each cell its dimension and boundary size; the boundaries.
        MatrixFormat::PhatBinary => Written::Bytes(8 * (1 + 2 * cells + entries)),
        // In 64-bit words: the header; for each cell its dimension, value and boundary offset; the boundaries.
        MatrixFormat::Dipha => Written::Bytes(8 * (6 + 3 * cells + entries)),
        // In 64-bit words: for each cell its boundary offset and dimension; for each entry its row, and one byte.
        MatrixFormat::Npz => Written::Bytes(8 * (2 * cells + entries) + entries),
        MatrixFormat::MatrixMarket => Written::Lines(2 + entries),
    }
}
