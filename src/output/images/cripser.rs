//! CubicalRipser's columns, nine or, of four axes, eleven: dim, birth, death, then the voxels at which the class is
//! born and dies.
//!
//! Comparison with the output of its program (Kaji, Sudo, Ahara 2020; cripser 0.0.37) and of its Python module:
//!
//! | | Lacuna | CubicalRipser |
//! |---|---|---|
//! | header | none | none |
//! | V-construction, T-construction | `--construction v`, `t` | `cubicalripser`, `tcubicalripser`; `cripser.computePH`, `tcripser.computePH` |
//! | x y z | the voxel's first, second and third coordinate, as the array is indexed; 0 along missing axes; for more than three axes, those of more than one voxel; of four such axes a fourth, w | the same |
//! | the voxels | for a finite bar, image\[x₁,y₁,z₁\] is its birth and image\[x₂,y₂,z₂\] its death: the *owners* of the two cells | the same, in both constructions |
//! | death of an essential class | 1.7976931348623157e+308, the greatest double | the same; `compute_ph` makes it infinity |
//! | death voxel of an essential class | −1 along each axis | the same |
//! | superlevel sets | births and deaths as they are; an essential class dies at minus the greatest double | not supported: negate the image |
//! | order | by dimension and birth | unspecified |
//! | numbers | the fewest digits that read back as the same double; integers as integers | rounded by the program; doubles in Python |
//!
//! The voxels are the same where values are distinct. Of several equal voxels, it is a matter of convention which one
//! owns a cell: here the coordinates decide, those along the first axis first. The bars do not depend on the
//! convention.

use std::io::{self, Write};

use super::Barcode;
use crate::cubical::Value;

/// Writes one line per bar.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    let end = if barcode.request.superlevel { f64::MIN } else { f64::MAX };
    let (shape, table) = (barcode.image.shape(), barcode.table());
    for (dim, classes) in barcode.classes.dimensions.iter().enumerate() {
        table.write_lines(dim, out, &|index, row, line| {
            line.push_str(itoa::Buffer::new().format(dim));
            let death = if row.is_essential { Value::Double(end) } else { row.death };
            for value in [row.birth, death] {
                line.push(',');
                value.push(line);
            }
            for place in [Some(classes[index].birth), classes[index].death] {
                let Some(place) = place else {
                    (0..shape.dim().max(3)).for_each(|_| line.push_str(",-1"));
                    continue;
                };
                for coordinate in shape.coordinates_of_three(place) {
                    line.push(',');
                    line.push_str(itoa::Buffer::new().format(coordinate));
                }
            }
            line.push('\n');
        })?;
    }
    Ok(())
}
