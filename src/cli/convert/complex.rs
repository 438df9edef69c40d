//! Converts an image to its boundary matrix.

use std::time::Instant;

use lacuna::cells::{AnyImageComplex, MatrixFile};
use lacuna::cubical::AnyImage;

use super::Arguments;
use crate::cli::error::CliError;
use crate::cli::frame::Frame;
use crate::cli::image_file::{open_image, read_image};
use crate::cli::naming::OutputFormat;
use crate::cli::notes::{counted, tell, timing_line};
use crate::cli::progress::Written;
use crate::cli::timing::timed;
use lacuna::cubical::read::ImageFormat;

/// Reads the image, builds the matrix and writes it.
pub(super) fn run(
    arguments: &Arguments,
    start: Instant,
    input: Option<ImageFormat>,
    format: MatrixFile,
) -> Result<(), CliError> {
    let options = arguments.voxels.options(input, arguments.key.as_deref())?;
    let mut frame = arguments.open(start, format.content())?;
    let (image, read) = timed(|| {
        let stream = open_image(&arguments.input, &options, &frame, None)?;
        read_image(stream, &frame.meter)
    });
    let done = convert(arguments, &image?, format, &mut frame)?;
    if arguments.verbosity.verbose {
        tell(format_args!("{}: {}", arguments.name(), done.what));
        tell(timing_line("read", read.as_secs_f64()));
        tell(timing_line("build", done.build));
        tell(timing_line("write", done.write));
        tell(timing_line("total", frame.seconds()));
    }
    Ok(())
}

/// The description of what was written, and the seconds of both steps.
struct Done {
    what: String,
    build: f64,
    write: f64,
}

/// Builds the matrix, writes it and commits the file.
fn convert(
    arguments: &Arguments,
    image: &AnyImage,
    format: MatrixFile,
    frame: &mut Frame,
) -> Result<Done, CliError> {
    let filtration = &arguments.filtration;
    let (construction, superlevel) = (filtration.construction(), filtration.superlevel);
    let upper_dim = arguments.dimension.of_cells();
    let (complex, build) =
        timed(|| AnyImageComplex::new(image, construction, superlevel, upper_dim, &frame.meter));
    let complex = complex.map_err(|source| CliError::about(arguments.name(), source))?;
    let (cells, entries) = (complex.cells(), complex.entries());
    let size = written(format, cells, entries);
    let write = frame
        .write(|meter, out| meter.writing(size, out, |out| complex.write(format, image, superlevel, out)))?;
    frame.commit_answer()?;
    arguments.say_written(frame.notes, format, "the boundary matrix of the image");
    let image = image.shape().described(image.voxel_type());
    let what = format!("{image}, {}, {}", counted(cells, "cell"), entries_of(entries));
    Ok(Done { what, build: build.as_secs_f64(), write: write.as_secs_f64() })
}

/// Length of the file, for the progress bar.
pub(super) fn written(format: MatrixFile, cells: usize, entries: usize) -> Written {
    let (cells, entries) = (cells as u64, entries as u64);
    match format {
        MatrixFile::PhatAscii => Written::Lines(cells),
        // In 64-bit words: the number of cells; for each cell its dimension and boundary size; the boundaries.
        MatrixFile::PhatBinary => Written::Bytes(8 * (1 + 2 * cells + entries)),
        // In 64-bit words: the header; for each cell its dimension, value and boundary offset; the boundaries.
        MatrixFile::Dipha => Written::Bytes(8 * (6 + 3 * cells + entries)),
        // In 64-bit words: for each cell its boundary offset and dimension; for each entry its row, and one byte.
        MatrixFile::Npz => Written::Bytes(8 * (2 * cells + entries) + entries),
        MatrixFile::MatrixMarket => Written::Lines(2 + entries),
    }
}

pub(super) fn entries_of(entries: usize) -> String {
    format!("{entries} entr{}", if entries == 1 { "y" } else { "ies" })
}
