//! Ripser's text: the output of Ripser 1.2.1 for the same input, byte for byte.
//!
//! | input | header lines |
//! |---|---|
//! | matrix | `value range: […]`, `distance matrix with N points, using threshold at enclosing radius R` |
//! | matrix, threshold given | `value range: […]`, `sparse distance matrix with N points and E/M entries` |
//! | list of edges | `sparse distance matrix with N points and E/M entries` |
//! | point cloud | `point cloud with N points in dimension D`, then as for a matrix |
//! | point cloud, finite threshold given | `point cloud with N points in dimension D` |
//!
//! Where Ripser is wrong, the text is what a correct Ripser would print: one point has the range `[0,0]` and one
//! essential bar (Ripser crashes); infinite distances are no entries and kill no bar (Ripser counts them under an
//! infinite threshold, and prints bars dying at `inf`); the entries of a list of edges are those up to the threshold
//! (Ripser counts, and keeps, longer ones).
//!
//! Double-precision distances, which Ripser does not have, are written with the same six digits; but a bar whose
//! birth and death would look equal is written with all necessary digits: ` [1,1.000000001)`.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Barcode;
use super::number::{General, Shortest};
use super::table::{BarTable, Row};
use crate::cubical::Value;
use crate::metric::Precision;
use crate::rips::Summary;

/// Writes the headers and the bars.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_header(barcode.summary, out)?;
    let digits = match barcode.summary.precision {
        Precision::Single => Digits::Six,
        Precision::Double => Digits::Distinct,
    };
    write_bars(&BarTable::of_diagram(barcode.diagram), digits, out)
}

/// Number of digits of doubles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Digits {
    /// Six significant digits.
    Six,
    /// Six, or all that are needed for a bar whose birth and death would look equal.
    Distinct,
    /// The fewest that read back as the same double.
    All,
}

fn write_header(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let points = summary.points;
    if let Some(dimension) = summary.ambient_dimension {
        writeln!(out, "point cloud with {points} points in dimension {dimension}")?;
        if !summary.enclosing_radius && summary.threshold.is_finite() {
            return Ok(());
        }
    }
    if !summary.edge_list {
        // Without any finite distance the range is empty, which Ripser writes as infinity to minus infinity.
        let empty = if points == 1 { (0.0, 0.0) } else { (f64::INFINITY, f64::NEG_INFINITY) };
        let (least, greatest) = summary.value_range.unwrap_or(empty);
        writeln!(out, "value range: [{},{}]", General(least), General(greatest))?;
    }
    if summary.enclosing_radius {
        let radius = General(summary.threshold);
        writeln!(out, "distance matrix with {points} points, using threshold at enclosing radius {radius}")
    } else {
        let pairs = points as u128 * (points as u128).saturating_sub(1) / 2;
        let edges = summary.edges;
        writeln!(out, "sparse distance matrix with {points} points and {edges}/{pairs} entries")
    }
}

/// Writes a heading per section and a line per bar.
pub(crate) fn write_bars(table: &BarTable<'_>, digits: Digits, out: &mut dyn Write) -> io::Result<()> {
    for (section, (dim, _)) in table.sections().iter().enumerate() {
        writeln!(out, "persistence intervals in dim {dim}:")?;
        table.write_lines(section, out, &|_, row, line| push(row, digits, line))?;
    }
    Ok(())
}

/// Appends the line of a bar.
fn push(row: &Row, digits: Digits, line: &mut String) {
    let start = line.len();
    line.push_str(" [");
    let ends = [Some(row.birth), (!row.is_essential).then_some(row.death)];
    for (k, end) in ends.into_iter().enumerate() {
        line.push_str(if k == 0 { "" } else { "," });
        match end {
            // Writing to a string does not fail.
            Some(Value::Double(end)) if digits != Digits::All => drop(General(end).write(line)),
            Some(end) => end.push(line),
            None => line.push(' '),
        }
    }
    if digits == Digits::Distinct && reads_as_empty(row, &line[start..]) {
        line.truncate(start);
        // Writing to a string does not fail.
        let _ = write!(line, " [{},{}", Shortest(row.birth.double()), Shortest(row.death.double()));
    }
    line.push_str(")\n");
}

/// Whether birth and death are equal in the line of a bar. Numbers with the same text differ by less than a unit of the
/// sixth digit, which is quickly found out.
fn reads_as_empty(row: &Row, line: &str) -> bool {
    let (birth, death) = (row.birth.double(), row.death.double());
    death - birth < 1e-5 * death && line[2..].split_once(',').is_some_and(|(birth, death)| birth == death)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::{Bar, Diagram};

    fn header(summary: Summary) -> String {
        let mut text = Vec::new();
        write_header(&summary, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn matrix() -> Summary {
        Summary {
            points: 4,
            precision: Precision::Single,
            ambient_dimension: None,
            edge_list: false,
            value_range: Some((0.25, 1_234_567.0)),
            edges: 5,
            threshold: 2.0,
            enclosing_radius: true,
        }
    }

    #[test]
    fn the_range_of_no_distances() {
        let none = Summary { value_range: None, ..matrix() };
        assert!(header(none.clone()).starts_with("value range: [inf,-inf]\n"));
        assert!(header(Summary { points: 1, ..none }).starts_with("value range: [0,0]\n"));
    }

    #[test]
    fn bars_of_doubles_are_told_apart_from_nothing() {
        let bars = [
            (1.0, 1.000000001),
            (0.0, 1e-300),
            (1e39, 2e39),
            (1e-50, 1.0000001e-50),
            (999999.6, 999999.7),
            (123456789.0, 123456790.0),
            (1.0, 1.1),
            (2.0, f64::INFINITY),
        ];
        let bars: Vec<Bar> = bars.iter().map(|&(birth, death)| Bar { birth, death }).collect();
        let mut text = Vec::new();
        let diagram = Diagram::new(vec![bars.clone()]);
        write_bars(&BarTable::of_diagram(&diagram), Digits::Distinct, &mut text).unwrap();
        let expected = "persistence intervals in dim 0:\n [1,1.000000001)\n [0,1e-300)\n [1e+39,2e+39)\n \
                        [1e-50,1.0000001e-50)\n [999999.6,999999.7)\n [123456789,123456790)\n [1,1.1)\n [2, )\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        // Single precision is written as Ripser does.
        let mut text = Vec::new();
        let diagram = Diagram::new(vec![bars[..1].to_vec()]);
        write_bars(&BarTable::of_diagram(&diagram), Digits::Six, &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "persistence intervals in dim 0:\n [1,1)\n");
    }
}
