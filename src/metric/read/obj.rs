//! `obj`: the vertices of a mesh in Wavefront's text.
//!
//! A line `v x y z` is a vertex; a weight or color after it is ignored. All other statements, such as normals `vn` and
//! faces `f`, are skipped.

use super::vertices::{lines_without_comments, note_on_faces, push_point};
use crate::input::text::{plain, quote, words};
use crate::input::{Place, Problem};
use crate::metric::PointCloud;

/// Statements that mark a file of another extension as this format.
const STATEMENTS: [&[u8]; 13] =
    [b"v", b"vn", b"vt", b"vp", b"f", b"l", b"p", b"o", b"g", b"s", b"mtllib", b"usemtl", b"usemap"];

/// Number of lines that are examined to recognise the format.
const SAMPLE: usize = 64;

/// Whether a text begins with statements of this format alone, including vertices.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let text = plain(&bytes[..bytes.len().min(1 << 14)]);
    let statement = |(_, line)| words(line).next().unwrap_or_default();
    let (mut vertices, mut others) = (0, 0);
    for word in lines_without_comments(&text).take(SAMPLE).map(statement) {
        match word {
            b"v" => vertices += 1,
            word if STATEMENTS.contains(&word) => others += 1,
            _ => return false,
        }
    }
    vertices > 0 && others > 0
}

/// Reads the vertices of a mesh; a note says what is left out.
pub(super) fn read(bytes: &[u8], notes: &mut Vec<String>) -> Result<PointCloud<f32>, Problem> {
    let text = plain(bytes);
    let (mut coordinates, mut faces) = (Vec::new(), 0);
    let mut goes_on = false;
    for (line, row) in lines_without_comments(&text) {
        let mut words = words(row);
        let is_begun = std::mem::replace(&mut goes_on, row.trim_ascii_end().ends_with(b"\\"));
        match words.next().unwrap_or_default() {
            // A continuation of a statement other than a vertex; those are short.
            _ if is_begun => {}
            b"v" => push_point(words, (line, 2), 3, &mut coordinates)?,
            b"f" => faces += 1,
            word if word[0].is_ascii_alphabetic() => {}
            word => {
                let expected = "a statement of OBJ, such as v x y z";
                return Err(Problem::new(Place::Line(line), expected, quote(word)));
            }
        }
    }
    if coordinates.is_empty() {
        return Err(Problem::new(Place::Whole, "at least one vertex, v x y z", "none"));
    }
    note_on_faces(faces, notes);
    PointCloud::new(3, coordinates)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(bytes: &[u8]) -> Result<(PointCloud<f32>, Vec<String>), Problem> {
        let mut notes = Vec::new();
        read(bytes, &mut notes).map(|read| (read, notes))
    }

    #[test]
    fn vertices_are_points() {
        let text = "# cube\nmtllib a.mtl\no cube\nv 0 .5 1\nv 1 0 -2 1.0 0.5 0.5 0.5\nvn 0 0 1\nvt 0 0\nf 1//1 2//1 \\\n 1//1\n";
        let (points, notes) = noted(text.as_bytes()).unwrap();
        assert_eq!(
            (points.len(), points.point(0), points.point(1)),
            (2, &[0.0, 0.5, 1.0][..], &[1.0, 0.0, -2.0][..])
        );
        assert_eq!(notes, ["1 face is left out"]);
        let (points, notes) = noted(b"v 1 2 3\r\nv 4 5 6\r\n").unwrap();
        assert_eq!((points.len(), notes.len()), (2, 0));
    }

    #[test]
    fn broken_files_are_refused() {
        for (text, fragment) in [
            ("", "at least one vertex"),
            ("vn 0 0 1\n", "at least one vertex"),
            ("v 0 0\n", "line 1, entry 4: expected a finite coordinate, found the end of the line"),
            ("v 0 0 0\nv 0 1e 0\n", "line 2, entry 3: expected a finite coordinate, found \"1e\""),
            ("v 0 0 0\n1 2 3\n", "line 2: expected a statement of OBJ"),
        ] {
            let error = noted(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(fragment), "{text:?}: {error}");
        }
    }

    #[test]
    fn the_first_statements_tell() {
        assert!(looks_like(b"# made by hand\no x\nv 0 0 0\n"));
        for bytes in [&b""[..], b"v 0 0 0\nv 1 1 1\n", b"f 1 2 3\n", b"v 1 2 3\nw 1 2 3\n", b"1 2 3\n"] {
            assert!(!looks_like(bytes), "{bytes:?}");
        }
    }
}
