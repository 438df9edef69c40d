//! Converts a boundary matrix to another format.

use lacuna::matrix::read::{MatrixFormat, MatrixReadOptions, read_path};
use lacuna::matrix::write::MatrixFile;

use super::complex::length;
use super::{Arguments, Converted};
use crate::cli::error::CliError;
use crate::cli::frame::Frame;
use crate::cli::notes::counted;

/// Reads the matrix and checks that the format holds it.
pub(super) fn convert(
    arguments: &Arguments,
    input: Option<MatrixFormat>,
    format: MatrixFile,
    frame: &mut Frame<'_>,
) -> Result<Converted, CliError> {
    let options = MatrixReadOptions { format: input, upper_dim: arguments.dimension.of_cells() };
    let loaded = frame.read(|_| read_path(&arguments.input, &options))??;
    let name = frame.name.clone();
    if let Some(why) = &loaded.detection {
        frame.detected(format_args!("{} ({why})", loaded.format));
    }
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
    } else if format == MatrixFile::Dipha && !complex.has_values() {
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
