//! A JSON object: the bars and the statistics of the run.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::Barcode;
use crate::rips::{Chain, Representative};

#[derive(Serialize)]
struct Bar {
    dim: usize,
    birth: f64,
    /// serde_json writes infinity as `null`.
    death: f64,
}

/// The representative of a bar.
#[derive(Serialize)]
struct Simplices<'a> {
    dim: usize,
    index: usize,
    birth: f64,
    death: f64,
    birth_simplex: &'a [u32],
    death_simplex: Option<&'a [u32]>,
    birth_edge: Option<[u32; 2]>,
    death_edge: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cocycle: Option<Rows<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<Rows<'a>>,
}

/// A chain as rows: the vertices of each simplex, then its coefficient.
struct Rows<'a>(&'a Chain);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = |(simplex, coefficient): (&[u32], u16)| [simplex, &[u32::from(coefficient)]].concat();
        serializer.collect_seq(self.0.iter().map(row))
    }
}

impl<'a> From<&'a Representative> for Simplices<'a> {
    fn from(found: &'a Representative) -> Self {
        let Representative { bar, dim, index, birth, death, birth_edge, death_edge, cocycle, cycle } = found;
        let crate::Bar { birth: born, death: dies } = *bar;
        Simplices {
            dim: *dim,
            index: *index,
            birth: born,
            death: dies,
            birth_simplex: birth,
            death_simplex: death.as_deref(),
            birth_edge: *birth_edge,
            death_edge: *death_edge,
            cocycle: cocycle.as_deref().map(Rows),
            cycle: cycle.as_deref().map(Rows),
        }
    }
}

/// Writes the object with one line per bar and one per representative.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Barcode { diagram, summary, modulus, landmarks, representatives, unfinished } = barcode;
    let threshold = serde_json::to_string(&summary.threshold)?;
    let max_dim = diagram.len().saturating_sub(1);
    write!(out, "{{\"points\":{},\"modulus\":{modulus},\"threshold\":{threshold},", summary.points)?;
    write!(out, "\"max_dim\":{max_dim},")?;
    if !unfinished.is_empty() {
        write!(out, "\"unfinished\":{},", serde_json::to_string(unfinished)?)?;
    }
    if let Some(landmarks) = landmarks {
        let points = serde_json::to_string(&landmarks.points)?;
        let radius = serde_json::to_string(&landmarks.covering_radius)?;
        write!(out, "\"landmarks\":{points},\"covering_radius\":{radius},")?;
    }
    write!(out, "\"bars\":[")?;
    let bars = diagram.iter().map(|(dim, bar)| Bar { dim, birth: bar.birth, death: bar.death });
    write_lines(bars, out)?;
    if let Some(representatives) = representatives {
        write!(out, ",\"representatives\":[")?;
        write_lines(representatives.iter().map(Simplices::from), out)?;
    }
    out.write_all(b"}\n")
}

/// Writes the elements of an array, one per line, and the end of the array.
fn write_lines(elements: impl Iterator<Item = impl Serialize>, out: &mut dyn Write) -> io::Result<()> {
    for (k, element) in elements.enumerate() {
        out.write_all(if k == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &element)?;
    }
    out.write_all(b"\n]")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::diagram::Diagram;
    use crate::rips::Summary;

    #[test]
    fn the_object_parses_and_infinity_is_null() {
        let bar = |birth, death| crate::Bar { birth, death };
        let diagram = Diagram::new(vec![vec![bar(0.0, 0.1), bar(0.0, f64::INFINITY)], vec![]]);
        let summary = Summary {
            points: 3,
            precision: crate::metric::Precision::Single,
            ambient_dimension: None,
            edge_list: true,
            value_range: None,
            edges: 1,
            threshold: f64::INFINITY,
            enclosing_radius: false,
        };
        let mut text = Vec::new();
        let barcode = Barcode {
            diagram: &diagram,
            summary: &summary,
            modulus: 3,
            landmarks: None,
            representatives: None,
            unfinished: &[],
        };
        write(&barcode, &mut text).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let bars = json!([{"dim": 0, "birth": 0.0, "death": 0.1}, {"dim": 0, "birth": 0.0, "death": null}]);
        let expected = json!({"points": 3, "modulus": 3, "threshold": null, "max_dim": 1, "bars": bars});
        assert_eq!(value, expected);
        // A run that was ended early.
        let barcode = Barcode { unfinished: &[2, 3], ..barcode };
        text.clear();
        write(&barcode, &mut text).unwrap();
        let mut expected = expected;
        expected["unfinished"] = json!([2, 3]);
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&text).unwrap(), expected);
    }
}
