//! `off`: the vertices of a mesh in Geomview's Object File Format, as text.
//!
//! ```text
//! OFF                      also COFF, NOFF, STOFF and so on, whose further numbers of a vertex are passed over
//! VERTICES FACES EDGES     in the first line, too; nOFF has the number of coordinates before
//! x y z                    a vertex a line
//! N i j k …                faces, by the number of vertices and their indices from 0; a color after them is ignored
//! ```
//!
//! Faces are left out where only points are wanted. Text after `#` is a comment. The homogeneous coordinates of `4OFF`
//! and the binary form are rejected.

use super::polygons::Polygons;
use super::vertices::{count, lines_without_comments, note_on_faces, push_point, too_few};
use crate::input::text::{plain, quote, words};
use crate::input::{Place, Problem};
use crate::metric::PointCloud;

/// Whether a file begins with the keyword of this format.
pub(super) fn is_off(bytes: &[u8]) -> bool {
    let first = words(&bytes[..bytes.len().min(16)]).next().unwrap_or_default();
    let is_followed = bytes.get(first.len()).is_some_and(u8::is_ascii_whitespace);
    is_followed && bytes.starts_with(first) && letters(first).is_some()
}

/// The letters before `OFF`, which say what follows the coordinates of a vertex; `None` if the word is no keyword.
fn letters(word: &[u8]) -> Option<&[u8]> {
    let letters = word.strip_suffix(b"OFF")?;
    let rest = letters.strip_prefix(b"ST").unwrap_or(letters);
    let rest = rest.strip_prefix(b"C").unwrap_or(rest);
    let rest = rest.strip_prefix(b"N").unwrap_or(rest);
    let rest = rest.strip_prefix(b"4").unwrap_or(rest);
    let rest = rest.strip_prefix(b"n").unwrap_or(rest);
    rest.is_empty().then_some(letters)
}

/// Reads the vertices of a mesh, and its faces if there is a place for them; otherwise a note says that they are left
/// out.
pub(super) fn read(
    bytes: &[u8],
    polygons: Option<&mut Polygons>,
    notes: &mut Vec<String>,
) -> Result<PointCloud<f32>, Problem> {
    let text = plain(bytes);
    let mut lines = lines_without_comments(&text);
    let (line, first) = lines.next().ok_or_else(|| Problem::whole("a line OFF", "no line"))?;
    let mut head: Vec<&[u8]> = words(first).collect();
    let keyword = head.remove(0);
    let problem = |line, expected: &str, found: &[u8]| Problem::line(line, expected, quote(found));
    let letters = letters(keyword)
        .ok_or_else(|| problem(line, "OFF, before the numbers of vertices, faces and edges", keyword))?;
    if letters.contains(&b'4') {
        return Err(problem(line, "vertices without homogeneous coordinates", keyword));
    }
    if head.first().is_some_and(|word| word.eq_ignore_ascii_case(b"BINARY")) {
        return Err(problem(line, "OFF as text", b"OFF BINARY").note("MeshLab and meshio write it as text"));
    }
    let (mut line, mut dimension) = (line, 3);
    let needed = if letters.contains(&b'n') { 3 } else { 2 };
    // The counts may stand in the first line, or in one or two lines after it.
    while head.len() < needed {
        let (next, more) = lines
            .next()
            .ok_or_else(|| Problem::whole("the numbers of vertices and faces", "the end of the file"))?;
        line = next;
        head.extend(words(more));
    }
    let whole = |word: &[u8]| {
        count(word).ok_or_else(|| problem(line, "a number of vertices, faces or coordinates", word))
    };
    if letters.contains(&b'n') {
        dimension = whole(head.remove(0))?;
    }
    if dimension == 0 {
        return Err(problem(line, "vertices with coordinates", b"0"));
    }
    let (vertices, faces) = (whole(head[0])?, whole(head[1])?);
    let mut coordinates = Vec::new();
    for found in 0..vertices {
        let (line, row) = lines.next().ok_or_else(|| too_few(vertices, "vertices", found))?;
        push_point(words(row), (line, 1), dimension, &mut coordinates)?;
    }
    match polygons {
        None => note_on_faces(faces, notes),
        Some(polygons) => {
            for found in 0..faces {
                let (line, row) = lines.next().ok_or_else(|| too_few(faces, "faces", found))?;
                let mut words = words(row);
                let expected = "a number of vertices and as many indices";
                let mut next = || words.next().and_then(count).ok_or_else(|| problem(line, expected, row));
                let corners =
                    (0..next()?).map(|_| Ok(next()? as u64)).collect::<Result<Vec<_>, Problem>>()?;
                polygons.push(&corners, vertices, &|| Place::Line(line))?;
            }
        }
    }
    PointCloud::new(dimension, coordinates)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(text: &str) -> (usize, Vec<f32>, Vec<String>) {
        let (points, notes) = noted(text.as_bytes()).unwrap();
        (points.dimension(), (0..points.len()).flat_map(|i| points.point(i).to_vec()).collect(), notes)
    }

    fn error(text: &str) -> String {
        noted(text.as_bytes()).unwrap_err().to_string()
    }

    fn noted(bytes: &[u8]) -> Result<(PointCloud<f32>, Vec<String>), Problem> {
        let mut notes = Vec::new();
        read(bytes, None, &mut notes).map(|read| (read, notes))
    }

    #[test]
    fn vertices_are_points() {
        let two = vec![0.0, 0.5, 1.0, 1.0, 0.0, -2.0];
        let left_out = vec!["1 face is left out".to_owned()];
        for text in [
            "OFF\n2 1 0\n0 .5 1\n1 0 -2\n3 0 1 0\n",
            "OFF 2 1 0\n0 .5 1\n1 0 -2\n3 0 1 0\n",
            "OFF # a comment\r\n\r\n# another\r\n2 1\r\n0 .5 1 # here\r\n1 0 -2\r\n3 0 1 0\r\n",
            "COFF\n2 1 0\n0 .5 1 255 0 0 255\n1 0 -2 0 0 0 255\n3 0 1 0\n",
            "STCNOFF\n2 1 0\n0 .5 1 9 9 9 9 9 9 9 9\n1 0 -2 9 9 9 9 9 9 9 9\n3 0 1 0\n",
        ] {
            assert_eq!(points(text), (3, two.clone(), left_out.clone()), "{text}");
        }
        assert_eq!(points("nOFF\n2\n2 0 0\n1 2\n3 4\n"), (2, vec![1.0, 2.0, 3.0, 4.0], Vec::new()));
        assert_eq!(points("nOFF 1 1 0 0\n7\n"), (1, vec![7.0], Vec::new()));
    }

    #[test]
    fn broken_files_are_refused() {
        for (text, fragment) in [
            ("", "expected a line OFF"),
            ("2 1 0\n", "line 1: expected OFF"),
            ("OFF\n", "expected the numbers of vertices and faces"),
            ("OFF\n2 -1 0\n", "line 2: expected a number of vertices, faces or coordinates, found \"-1\""),
            ("OFF\n2 0 0\n0 0 0\n", "expected 2 lines of vertices, found 1 before the file ends"),
            ("OFF\n1 0 0\n0 0\n", "line 3, entry 3: expected a finite coordinate, found the end of the line"),
            ("OFF\n1 0 0\n0 x 0\n", "line 3, entry 2: expected a finite coordinate, found \"x\""),
            ("OFF\n1 0 0\n0 inf 0\n", "found \"inf\""),
            ("OFF\n0 0 0\n", "at least one point"),
            ("nOFF\n0\n1 0 0\n", "vertices with coordinates"),
            ("4OFF\n1 0 0\n0 0 0 1\n", "homogeneous"),
            ("OFF BINARY\n", "OFF as text"),
        ] {
            assert!(error(text).contains(fragment), "{text:?}: {}", error(text));
        }
        // Memory is not reserved by a promised count alone.
        assert!(error("OFF\n18446744073709551615 0 0\n0 0 0\n").contains("found 1 before the file ends"));
    }

    #[test]
    fn faces_are_polygons() {
        let faces = |text: &str| {
            let mut polygons = Polygons::default();
            let read = read(text.as_bytes(), Some(&mut polygons), &mut Vec::new());
            read.map(|_| polygons.iter().map(<[u32]>::to_vec).collect::<Vec<_>>())
                .map_err(|error| error.to_string())
        };
        let vertices = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
        let mesh = |faces: &str| format!("OFF\n4 {} 0\n{vertices}{faces}", faces.lines().count());
        let expected = vec![vec![0, 1, 2, 3], vec![2, 0], vec![3]];
        assert_eq!(faces(&mesh("4 0 1 2 3 255 0 0\n2 2 0\n1 3\n")), Ok(expected));
        for (text, error) in [
            (mesh("3 0 1\n"), "line 7: expected a number of vertices and as many indices, found \"3 0 1\""),
            (mesh("3 0 1 x\n"), "line 7: expected a number of vertices and as many indices"),
            (mesh("3 0 1 4\n"), "line 7: expected a vertex among the 4 of the mesh, found index 4, from 0"),
            (
                mesh("3 0 1 1\n"),
                "line 7: expected a face or edge of different vertices, found [0, 1, 1], from 0",
            ),
            (mesh("0\n"), "line 7: expected a face or edge of different vertices"),
            (
                format!("OFF\n4 2 0\n{vertices}3 0 1 2\n"),
                "expected 2 lines of faces, found 1 before the file ends",
            ),
        ] {
            let found = faces(&text).unwrap_err();
            assert!(found.contains(error), "{text:?}: {found}");
        }
    }

    #[test]
    fn the_first_word_tells() {
        for bytes in [&b"OFF\n"[..], b"OFF 1 0 0\n", b"CNOFF\r\n", b"nOFF\n"] {
            assert!(is_off(bytes), "{bytes:?}");
        }
        for bytes in [&b"OFF,ON\n1,2\n"[..], b"OFFER 1\n", b"off\n", b" OFF\n", b"OFF", b"", b"1 2\n"] {
            assert!(!is_off(bytes), "{bytes:?}");
        }
    }
}
