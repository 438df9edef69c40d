//! Comma-separated values: `dim,birth,death`.

use std::io::{self, Write};

use super::{Barcode, Value, lines};

/// Writes a header line and a line a bar.
///
/// # Errors
/// What `out` answers.
pub fn write<T: Value>(barcode: &Barcode<'_, T>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"dim,birth,death\n")?;
    let end = if barcode.request.superlevel { "-inf" } else { "inf" };
    for (dim, classes) in barcode.classes.dimensions.iter().enumerate() {
        let dim = format!("{dim},");
        lines::write(classes, out, |class, line| {
            line.push_str(&dim);
            barcode.voxel(class.birth).push(line);
            line.push(',');
            match class.death {
                Some(place) => barcode.voxel(place).push(line),
                None => line.push_str(end),
            }
            line.push('\n');
        })?;
    }
    Ok(())
}
