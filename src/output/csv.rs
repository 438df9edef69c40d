//! Comma-separated values: `dim,birth,death`, and the birth and death simplices if these are requested.

use std::io::{self, Write};

use super::table::BarTable;
use crate::cubical::Value;
use crate::rips::Representatives;

/// How a value is written.
type Push = fn(Value, &mut String);

/// Writes a header line and one line per bar, with two more columns if there are representatives: the vertices of the
/// birth simplex and of the death simplex, separated by blanks. They are empty if there is no such simplex, or if the
/// bar has no representative. The sections of the table must be the dimensions of the representatives.
///
/// # Errors
/// Errors of `out`.
pub(crate) fn write(
    table: &BarTable<'_>,
    push: Push,
    representatives: Option<&Representatives>,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"dim,birth,death")?;
    out.write_all(if representatives.is_some() { b",birth_simplex,death_simplex\n" } else { b"\n" })?;
    for section in 0..table.sections().len() {
        let found = representatives.map(|found| found.of_dimension(section));
        table.write_lines(section, out, &|index, row, line| {
            line.push_str(itoa::Buffer::new().format(row.dim));
            for value in [row.birth, row.death] {
                line.push(',');
                push(value, line);
            }
            if let Some(found) = found {
                let one = found.binary_search_by_key(&index, |one| one.index).map(|place| &found[place]);
                push_list(one.map_or(&[], |one| &one.birth), line);
                push_list(one.ok().and_then(|one| one.death.as_deref()).unwrap_or_default(), line);
            }
            line.push('\n');
        })?;
    }
    Ok(())
}

/// Appends a comma and the vertices, separated by blanks.
fn push_list(vertices: &[u32], line: &mut String) {
    line.push(',');
    for (k, &vertex) in vertices.iter().enumerate() {
        line.push_str(if k == 0 { "" } else { " " });
        line.push_str(itoa::Buffer::new().format(vertex));
    }
}

/// Appends a value like [`Value::push`], but a positive exponent has no sign.
pub(crate) fn push_without_plus(value: Value, line: &mut String) {
    let start = line.len();
    value.push(line);
    if let Some(plus) = line[start..].find('+') {
        line.remove(start + plus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::{Bar, Diagram};

    #[test]
    fn numbers_are_shortest_and_infinity_is_inf() {
        let bar = |birth, death| Bar { birth, death };
        let diagram = Diagram::new(vec![
            vec![bar(0.0, f64::INFINITY)],
            vec![bar(0.1, 1.0 / 3.0), bar(f64::from(0.1f32), 1e300)],
        ]);
        let mut text = Vec::new();
        write(&BarTable::of_diagram(&diagram), push_without_plus, None, &mut text).unwrap();
        let expected = "dim,birth,death\n0,0.0,inf\n1,0.1,0.3333333333333333\n1,0.10000000149011612,1e300\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
