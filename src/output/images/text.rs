//! Text in the style of Ripser.

use std::io::{self, Write};

use super::{Barcode, lines};

/// Writes a line that describes the image and the filtration, and the bars.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Barcode { image, request, .. } = barcode;
    let construction = request.construction;
    let which = if request.superlevel { "superlevel" } else { "sublevel" };
    let what = image.shape().described(image.voxel_type());
    writeln!(out, "{what}, {construction}-construction, {which} sets")?;
    for (dim, classes) in barcode.classes.dimensions.iter().enumerate() {
        writeln!(out, "persistence intervals in dim {dim}:")?;
        lines::write(barcode, classes, out, |bar, line| {
            line.push_str(" [");
            bar.birth.push_general(line);
            match bar.death {
                Some(death) => {
                    line.push(',');
                    death.push_general(line);
                }
                None => line.push_str(", "),
            }
            line.push_str(")\n");
        })?;
    }
    Ok(())
}
