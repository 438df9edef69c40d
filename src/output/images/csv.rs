//! Comma-separated values: `dim,birth,death`.

use std::io::{self, Write};

use super::{Barcode, lines};

/// Writes a header line and one line per bar.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"dim,birth,death\n")?;
    let end = if barcode.request.superlevel { "-inf" } else { "inf" };
    for (dim, classes) in barcode.classes.dimensions.iter().enumerate() {
        let dim = format!("{dim},");
        lines::write(barcode, classes, out, |bar, line| {
            line.push_str(&dim);
            bar.birth.push(line);
            line.push(',');
            match bar.death {
                Some(death) => death.push(line),
                None => line.push_str(end),
            }
            line.push('\n');
        })?;
    }
    Ok(())
}
