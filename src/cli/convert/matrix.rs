//! Converts a boundary matrix to another format.

use std::time::Instant;

use lacuna::cells::MatrixFile;
use lacuna::matrix::read::{MatrixFormat, MatrixReadOptions, read_path};

use super::Arguments;
use super::complex::{entries_of, written};
use crate::cli::error::CliError;
use crate::cli::naming::OutputFormat;
use crate::cli::notes::{counted, tell, timing_line};
use crate::cli::timing::timed;

/// Reads and writes.
pub(super) fn run(
    arguments: &Arguments,
    start: Instant,
    input: Option<MatrixFormat>,
    format: MatrixFile,
) -> Result<(), CliError> {
    let mut frame = arguments.open(start, format.content())?;
    frame.meter.stage("reading");
    let options = MatrixReadOptions { format: input, upper_dim: arguments.dimension.of_cells() };
    let (loaded, read) = timed(|| read_path(&arguments.input, &options));
    let loaded = loaded?;
    let (name, notes) = (arguments.name(), frame.notes);
    frame.meter.aside(|| {
        if let Some(why) = &loaded.detection {
            notes.note(format_args!("{name}: {} ({why})", loaded.format));
        }
        if let Some(warning) = &loaded.warning {
            notes.warn(format_args!("{name}: {warning}"));
        }
    });
    let complex = loaded.input;
    complex.check_dimensions(format).map_err(|why| CliError::about(&name, why))?;
    let (cells, entries) = (complex.cells(), complex.entries());
    if complex.loses_values(format) {
        notes.note(format_args!(
            "{name}: the values of the cells are left out, which {format} cannot hold; dipha can"
        ));
    } else if format == MatrixFile::Dipha && !complex.has_values() {
        notes.note(format_args!(
            "{name}: cells without values get their indices in the filtration, 0 to {}",
            cells.saturating_sub(1)
        ));
    }
    let size = written(format, cells, entries);
    let write = frame.write(|meter, out| meter.writing(size, out, |out| complex.write(format, out)))?;
    frame.commit_answer()?;
    arguments.say_written(notes, format, "a boundary matrix");
    if arguments.verbosity.verbose {
        tell(format_args!("{name}: {}, {}", counted(cells, "cell"), entries_of(entries)));
        tell(timing_line("read", read.as_secs_f64()));
        tell(timing_line("write", write.as_secs_f64()));
        tell(timing_line("total", frame.seconds()));
    }
    Ok(())
}
