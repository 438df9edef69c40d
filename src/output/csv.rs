//! Comma-separated values: `dim,birth,death`.

use std::io::{self, Write};

use crate::diagram::Diagram;

/// Writes a header line and a line a bar.
///
/// # Errors
/// What `out` answers.
pub fn write(diagram: &Diagram, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["dim", "birth", "death"])?;
    for (dim, bar) in diagram.iter() {
        csv.serialize((dim, bar.birth, bar.death))?;
    }
    csv.flush()
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
