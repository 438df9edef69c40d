//! Comma-separated values: `dim,birth,death`, and the birth and death simplices if these are requested.

use std::io::{self, Write};

use crate::diagram::Diagram;
use crate::rips::Representatives;

/// Writes a header line and one line per bar.
///
/// # Errors
/// Errors of `out`.
pub fn write(diagram: &Diagram, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["dim", "birth", "death"])?;
    for (dim, bar) in diagram.iter() {
        csv.serialize((dim, bar.birth, bar.death))?;
    }
    csv.flush()
}

/// Like [`write()`], with two more columns: the vertices of the birth simplex and of the death simplex, separated by
/// blanks. They are empty if there is no such simplex, or if the bar has no representative. `representatives` must
/// belong to the diagram.
///
/// # Errors
/// Errors of `out`.
pub fn write_with_simplices(
    diagram: &Diagram,
    representatives: &Representatives,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["dim", "birth", "death", "birth_simplex", "death_simplex"])?;
    let mut simplices = representatives.iter().peekable();
    let (mut birth, mut death) = (String::new(), String::new());
    for dim in 0..diagram.len() {
        for (index, bar) in diagram.bars(dim).iter().enumerate() {
            let found = simplices.next_if(|found| (found.dim, found.index) == (dim, index));
            list(found.map_or(&[], |found| &found.birth), &mut birth);
            list(found.and_then(|found| found.death.as_deref()).unwrap_or_default(), &mut death);
            csv.serialize((dim, bar.birth, bar.death, &birth, &death))?;
        }
    }
    csv.flush()
}

/// Replaces `text` by the vertices, separated by blanks.
fn list(vertices: &[u32], text: &mut String) {
    text.clear();
    let mut digits = itoa::Buffer::new();
    for (k, &vertex) in vertices.iter().enumerate() {
        text.push_str(if k == 0 { "" } else { " " });
        text.push_str(digits.format(vertex));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::Bar;

    #[test]
    fn numbers_are_shortest_and_infinity_is_inf() {
        let bar = |birth, death| Bar { birth, death };
        let diagram = Diagram::new(vec![
            vec![bar(0.0, f64::INFINITY)],
            vec![bar(0.1, 1.0 / 3.0), bar(f64::from(0.1f32), 1e300)],
        ]);
        let mut text = Vec::new();
        write(&diagram, &mut text).unwrap();
        let expected = "dim,birth,death\n0,0.0,inf\n1,0.1,0.3333333333333333\n1,0.10000000149011612,1e300\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
