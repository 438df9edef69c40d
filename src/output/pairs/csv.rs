//! Comma-separated values: `dim,birth,death`.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::Solution;
use crate::matrix::Index;

/// Writes a header line and one line per class.
///
/// # Errors
/// Errors of `out`.
pub fn write<I: Index>(solution: &Solution<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    match solution.diagram() {
        Some(diagram) => crate::output::csv::write(&diagram, out),
        None => write_cells(solution, out),
    }
}

fn write_cells<I: Index>(solution: &Solution<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["dim", "birth", "death"])?;
    for class in solution.classes() {
        csv.serialize((class.dim, class.birth, Death(class.death)))?;
    }
    csv.flush()
}

/// The cell with which a class dies; `inf` for none.
struct Death(Option<usize>);

impl Serialize for Death {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(cell) => serializer.serialize_u64(cell as u64),
            None => serializer.serialize_str("inf"),
        }
    }
}
