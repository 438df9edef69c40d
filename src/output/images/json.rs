//! A JSON object: the bars, the parameters of the run, and cycles.

use std::io::{self, Write};

use serde::Serialize;

use super::{Barcode, lines};
use crate::cubical::Value;
use crate::cubical::persistence::Class;
use crate::cubical::persistence::representatives::Representative;

#[derive(Serialize)]
struct Head {
    shape: Vec<usize>,
    voxels: &'static str,
    construction: String,
    superlevel: bool,
    threshold: Option<Value>,
    max_dim: usize,
}

/// Writes the object with one line per bar and one per cycle.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    let head = Head {
        shape: barcode.image.shape().axes(),
        voxels: barcode.image.voxel_type(),
        construction: barcode.request.construction.to_string(),
        superlevel: barcode.request.superlevel,
        threshold: barcode.threshold,
        max_dim: barcode.classes.dimensions.len().saturating_sub(1),
    };
    let head = serde_json::to_string(&head)?;
    let open = head.strip_suffix('}').unwrap_or(&head);
    write!(out, "{open},\"bars\":[")?;
    let mut is_first = true;
    for (dim, classes) in barcode.classes.dimensions.iter().enumerate() {
        let open = format!("{{\"dim\":{dim},\"birth\":");
        // There is no comma before the very first bar.
        let (first, others) = classes.split_at(usize::from(is_first && !classes.is_empty()));
        is_first &= classes.is_empty();
        for (separator, classes) in [("\n", first), (",\n", others)] {
            lines::write(barcode, classes, out, |bar, line| {
                line.push_str(separator);
                line.push_str(&open);
                push(bar.birth, line);
                line.push_str(",\"death\":");
                match bar.death {
                    Some(death) => push(death, line),
                    None => line.push_str("null"),
                }
                line.push('}');
            })?;
        }
    }
    out.write_all(b"\n]")?;
    if let Some(representatives) = barcode.representatives {
        out.write_all(b",\"representatives\":[")?;
        for (k, found) in representatives.iter().enumerate() {
            out.write_all(if k == 0 { b"\n" } else { b",\n" })?;
            serde_json::to_writer(&mut *out, &Cycle::new(barcode, &found))?;
        }
        out.write_all(b"\n]")?;
    }
    out.write_all(b"}\n")
}

/// A bar and a cycle that represents it.
#[derive(Serialize)]
struct Cycle<'a> {
    dim: usize,
    index: usize,
    birth: Value,
    death: Option<Value>,
    birth_voxel: Vec<usize>,
    death_voxel: Option<Vec<usize>>,
    cycle: Vec<&'a [i32]>,
    voxels: Vec<Vec<usize>>,
}

impl<'a> Cycle<'a> {
    fn new(barcode: &Barcode<'_>, found: &Representative<'a>) -> Self {
        let (image, shape) = (barcode.image, barcode.image.shape());
        let Class { birth, death } = found.class;
        Cycle {
            dim: found.dim,
            index: found.index,
            birth: image.exact(birth),
            death: death.map(|death| image.exact(death)),
            birth_voxel: shape.coordinates(birth),
            death_voxel: death.map(|death| shape.coordinates(death)),
            cycle: found.cells.iter().collect(),
            voxels: found.voxels.iter().map(|&place| shape.coordinates(place)).collect(),
        }
    }
}

/// Appends a value. JSON has no infinity, so infinite values become strings.
fn push(value: Value, line: &mut String) {
    let quote = if value.is_finite() { "" } else { "\"" };
    line.push_str(quote);
    value.push(line);
    line.push_str(quote);
}
