//! DIPHA's persistence diagram.
//!
//! An essential class has dimension −d − 1 and dies at the last value of the filtration. Points come in DIPHA's order, by (dimension as it is
//! written, birth, death). DIPHA knows sublevel sets only: of superlevel sets the diagram is that of the negated image, as is the complex that
//! `lacuna convert --superlevel` writes. DIPHA's own images are of the V-construction.

use std::io::{self, Write};

use phat_formats::dipha::{DiagramPoint, write_diagram};

use super::{Bar, Barcode};

/// Writes the diagram.
///
/// # Errors
/// What `out` answers.
pub fn write(barcode: &Barcode<'_>, mut out: &mut dyn Write) -> io::Result<()> {
    let points = points(barcode);
    write_diagram(&mut out, points.into_iter())
}

fn points(barcode: &Barcode<'_>) -> Vec<DiagramPoint> {
    // Adding zero makes −0 a 0.
    let value = |x: f64| if barcode.request.superlevel { 0.0 - x } else { x + 0.0 };
    let last = value(barcode.last().unwrap_or(0.0));
    let point = |(dim, bar): (usize, Bar)| DiagramPoint {
        dim: dim as u32,
        birth: value(bar.birth.double()),
        death: bar.death.map_or(last, |death| value(death.double())),
        essential: bar.death.is_none(),
    };
    let mut points: Vec<_> = barcode.iter().map(point).collect();
    points.sort_unstable_by(|a, b| {
        let dim = |point: &DiagramPoint| {
            let dim = i64::from(point.dim);
            if point.essential { !dim } else { dim }
        };
        let births = a.birth.total_cmp(&b.birth);
        dim(a).cmp(&dim(b)).then(births).then_with(|| a.death.total_cmp(&b.death))
    });
    points
}
