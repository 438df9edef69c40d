//! `perseus`: the number of axes, their extents and the values, x fastest, one number per line.

use std::io::{self, Write};

use super::axes::values_in_fortran_order;
use crate::cubical::image::AnyImage;

/// Writes the voxels as doubles, which the caller ensures are exact, with the fewest digits that read back as the same.
pub(super) fn write(image: &AnyImage, out: &mut dyn Write) -> io::Result<()> {
    let axes = image.shape().axes();
    writeln!(out, "{}", axes.len())?;
    axes.iter().try_for_each(|extent| writeln!(out, "{extent}"))?;
    let mut digits = zmij::Buffer::new();
    values_in_fortran_order(image).try_for_each(|value| match value {
        value if value.fract() == 0.0 && value.abs() < 1e15 => writeln!(out, "{value}"),
        value if value.is_finite() => writeln!(out, "{}", digits.format_finite(value)),
        value => writeln!(out, "{value}"),
    })
}
