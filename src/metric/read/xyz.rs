//! `xyz`: the atoms of a molecule as text, as chemists write them.
//!
//! ```text
//! ATOMS            their number
//! anything         a comment, which may be blank
//! name x y z       an atom a line; further columns are passed over
//! ```
//!
//! One molecule is read; files of several, such as trajectories, are rejected. A text called `.xyz` with coordinates
//! alone is a point cloud.

use super::text::is_number;
use super::vertices::{count, push_point, too_few};
use crate::input::Problem;
use crate::input::text::{lines, plain, quote, words};
use crate::metric::PointCloud;

/// Whether the first line of a text is a single whole number, and the third a name and three numbers.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let text = plain(&bytes[..bytes.len().min(1 << 12)]);
    let mut lines = lines(&text).map(|line| &text[line]);
    let is_count = lines.next().is_some_and(|line| count(line.trim_ascii()).is_some());
    let is_atom = |line: &[u8]| {
        let mut words = words(line);
        let is_name = words.next().is_some_and(|word| word[0].is_ascii_alphanumeric());
        is_name && words.by_ref().take(3).filter(|word| is_number(word)).count() == 3
    };
    is_count && lines.nth(1).is_some_and(is_atom)
}

/// Reads the atoms of a molecule as points.
pub(super) fn read(bytes: &[u8]) -> Result<PointCloud<f32>, Problem> {
    let text = plain(bytes);
    let mut lines = (1..).zip(lines(&text).map(|line| &text[line]));
    let first = lines.next().map_or(&[][..], |(_, line)| line.trim_ascii());
    let atoms = count(first).ok_or_else(|| Problem::line(1, "the number of atoms", quote(first)))?;
    let mut coordinates = Vec::new();
    let mut lines = lines.skip(1);
    for found in 0..atoms {
        let (line, row) = lines
            .next()
            .filter(|(_, row)| words(row).next().is_some())
            .ok_or_else(|| too_few(atoms, "vertices", found))?;
        push_point(words(row).skip(1), (line, 2), 3, &mut coordinates)?;
    }
    if let Some((line, row)) = lines.find(|(_, row)| words(row).next().is_some()) {
        let expected = format!("the end of the file after {atoms} atoms");
        return Err(Problem::line(line, expected, quote(row.trim_ascii()))
            .note("of several molecules, keep each in a file of its own"));
    }
    PointCloud::new(3, coordinates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_are_points() {
        for text in ["2\n\nO 0 .5 1\nH 1 0 -2\n", "2\r\nwater\r\n8 0 .5 1 0.1 0.2\r\n1 1 0 -2\r\n\r\n"] {
            assert!(looks_like(text.as_bytes()), "{text}");
            let points = read(text.as_bytes()).unwrap();
            assert_eq!((points.point(0), points.point(1)), (&[0.0, 0.5, 1.0][..], &[1.0, 0.0, -2.0][..]));
        }
        for text in ["", "1 2 3\n4 5 6\n7 8 9\n", "3\n4\n5\n", "2\n\nO 0 1\n"] {
            assert!(!looks_like(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn broken_files_are_refused() {
        for (text, fragment) in [
            ("", "line 1: expected the number of atoms"),
            ("O 0 0 0\n", "line 1: expected the number of atoms"),
            ("2\n\nO 0 0 0\n", "expected 2 lines of vertices, found 1 before the file ends"),
            ("1\n\nO 0 0\n", "line 3, entry 4: expected a finite coordinate, found the end of the line"),
            ("1\n\nO 0 nan 0\n", "line 3, entry 3: expected a finite coordinate, found \"nan\""),
            ("0\n\n", "at least one point"),
            ("1\n\nO 0 0 0\n1\n\nO 1 0 0\n", "line 4: expected the end of the file after 1 atoms"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(fragment), "{text:?}: {error}");
        }
    }
}
