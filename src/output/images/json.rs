//! A JSON object: the bars, and what they are of.

use std::io::{self, Write};

use serde::Serialize;

use super::value::Value;
use super::{Barcode, lines};

#[derive(Serialize)]
struct Head {
    shape: Vec<usize>,
    voxels: &'static str,
    construction: String,
    superlevel: bool,
    threshold: Option<f64>,
    max_dim: usize,
}

/// Writes the object, a line a bar.
///
/// # Errors
/// What `out` answers.
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
        // The first bar of all has no comma before it.
        let (first, others) = classes.split_at(usize::from(is_first && !classes.is_empty()));
        is_first &= classes.is_empty();
        for (separator, classes) in [("\n", first), (",\n", others)] {
            lines::write(barcode, classes, out, |bar, line| {
                line.push_str(separator);
                line.push_str(&open);
                push(Some(bar.birth), line);
                line.push_str(",\"death\":");
                push(bar.death, line);
                line.push('}');
            })?;
        }
    }
    out.write_all(b"\n]}\n")
}

/// Appends a value; JSON has no infinity.
fn push(value: Option<Value>, line: &mut String) {
    match value.filter(|value| value.double().is_finite()) {
        Some(value) => value.push(line),
        None => line.push_str("null"),
    }
}
