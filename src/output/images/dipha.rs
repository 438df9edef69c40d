//! DIPHA's persistence diagram.
//!
//! An essential class has dimension −d − 1 and dies at the last value of the filtration. Points are in DIPHA's order,
//! by (stored dimension, birth, death). DIPHA supports sublevel sets only: for superlevel sets the diagram is that of
//! the negated image, like the complex that `lacuna convert --superlevel` writes. DIPHA's own images use the
//! V-construction.

use std::io::{self, Write};

use phat_formats::dipha::{DiagramPoint, write_diagram};

use super::{Bar, Barcode};
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
    let exact = |value: Option<Value>| value.map_or(Ok(0.0), Value::exact_double).map(drop);
    if barcode.len() > 0 {
        exact(barcode.last())?;
    }
    barcode.iter().try_for_each(|(_, bar)| exact(Some(bar.birth)).and_then(|()| exact(bar.death)))
}

fn points(barcode: &Barcode<'_>) -> Result<Vec<DiagramPoint>, Inexact> {
    // Adding zero turns −0 into 0.
    let double = |x: f64| if barcode.request.superlevel { 0.0 - x } else { x + 0.0 };
    let value = |value: Value| value.exact_double().map(double);
    check(barcode)?;
    let last = barcode.last().map_or(0.0, |last| double(last.double()));
    let point = |(dim, bar): (usize, Bar)| {
        let death = bar.death.map_or(Ok(last), value)?;
        Ok(DiagramPoint { dim: dim as u32, birth: value(bar.birth)?, death, essential: bar.death.is_none() })
    };
    let mut points = barcode.iter().map(point).collect::<Result<Vec<_>, Inexact>>()?;
    points.sort_unstable_by(|a, b| {
        let dim = |point: &DiagramPoint| {
            let dim = i64::from(point.dim);
            if point.essential { !dim } else { dim }
        };
        let births = a.birth.total_cmp(&b.birth);
        dim(a).cmp(&dim(b)).then(births).then_with(|| a.death.total_cmp(&b.death))
    });
    Ok(points)
}
