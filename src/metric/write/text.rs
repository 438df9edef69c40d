//! Texts: rows of numbers, separated by blanks.

use std::io::{self, Write};

use super::push;
use crate::metric::Value;

/// Writes rows of numbers.
pub(super) fn write_rows<T: Value, R: Iterator<Item = T>>(
    rows: impl Iterator<Item = R>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = String::new();
    for row in rows {
        line.clear();
        for (place, number) in row.enumerate() {
            line.push_str(if place == 0 { "" } else { " " });
            push(&mut line, number);
        }
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// Writes lines of two points and their distance.
pub(super) fn write_edges<T: Value>(
    edges: impl Iterator<Item = (usize, usize, T)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = String::new();
    for (i, j, distance) in edges {
        line.clear();
        push(&mut line, distance);
        writeln!(out, "{i} {j} {line}")?;
    }
    Ok(())
}
