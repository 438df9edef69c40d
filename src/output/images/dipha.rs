//! DIPHA's persistence diagram.
//!
//! An essential class has dimension −d − 1 and dies at the last value of the filtration. Points are in DIPHA's order,
//! by (stored dimension, birth, death). DIPHA supports sublevel sets only: for superlevel sets the diagram is that of
//! the negated image, like the complex that `lacuna convert --superlevel` writes. DIPHA's own images use the
//! V-construction.

use std::io::{self, Write};

use phat_formats::dipha::{DiagramPoint, write_diagram};

use super::Barcode;
use crate::cubical::Value;
use crate::cubical::value::Inexact;

/// Writes the diagram.
///
/// # Errors
/// Errors of `out`; an error of which [`Inexact`] is the source, if a bar has a value that is not exact as a double.
pub fn write(barcode: &Barcode<'_>, mut out: &mut dyn Write) -> io::Result<()> {
    let points = points(barcode).map_err(io::Error::other)?;
    write_diagram(&mut out, points.into_iter())
}

/// Checks that all values of the diagram are exact as doubles.
pub(super) fn check(barcode: &Barcode<'_>) -> Result<(), Inexact> {
    if !barcode.table().is_empty() {
        barcode.last().map_or(Ok(0.0), Value::exact_double)?;
    }
    barcode.check_doubles()
}

fn points(barcode: &Barcode<'_>) -> Result<Vec<DiagramPoint>, Inexact> {
    check(barcode)?;
    // Adding zero turns −0 into 0.
    let double = |x: f64| if barcode.request.superlevel { 0.0 - x } else { x + 0.0 };
    let last = barcode.last().map_or(0.0, Value::double);
    let point = |row: super::Row| {
        let point = row.point(last);
        DiagramPoint { birth: double(point.birth), death: double(point.death), ..point }
    };
    let mut points: Vec<DiagramPoint> = barcode.table().iter().map(point).collect();
    points.sort_unstable_by(DiagramPoint::order);
    Ok(points)
}
