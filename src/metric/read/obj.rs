//! `obj`: the vertices of a mesh in Wavefront's text.
//!
//! A line `v x y z` is a vertex; a weight or color after it is ignored. A line `f 1 2 3` is a face, and `l 1 2 3` are
//! edges from each vertex to the next; numbers after a slash are ignored, and −1 is the last vertex so far. Both are
//! skipped where only points are wanted, as are all other statements, such as normals `vn`.

use super::polygons::Polygons;
use super::vertices::{lines_without_comments, note_on_faces, push_point};
use crate::input::text::{plain, quote, words};
use crate::input::{Place, Problem};
use crate::memory;
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

/// Reads the vertices of a mesh, and its faces and edges if there is a place for them; otherwise a note says that faces
/// are left out.
pub(super) fn read(
    bytes: &[u8],
    polygons: Option<&mut Polygons>,
    notes: &mut Vec<String>,
) -> Result<PointCloud<f32>, Problem> {
    let text = plain(bytes);
    let (mut coordinates, mut faces) = (Vec::new(), 0);
    // Faces and edges, which may come before their vertices: line, whether it is a face, and where its corners end.
    let (mut listed, mut corners) = (Vec::<(usize, bool, usize)>::new(), Vec::new());
    let (mut goes_on, mut is_listed) = (false, false);
    for (line, row) in lines_without_comments(&text) {
        let refused = |refused| Problem::of_memory(Place::Line(line), refused);
        let own = row.trim_ascii_end();
        let is_begun = std::mem::replace(&mut goes_on, own.ends_with(b"\\"));
        if !is_begun {
            let word = words(own).next().filter(|&word| polygons.is_some() && (word == b"f" || word == b"l"));
            is_listed = word.is_some();
            if let Some(word) = word {
                memory::push(&mut listed, (line, word == b"f", corners.len())).map_err(refused)?;
            }
        }
        if let Some((line, _, end)) = listed.last_mut().filter(|_| is_listed) {
            let named = words(own.strip_suffix(b"\\").unwrap_or(own)).skip(usize::from(!is_begun));
            for word in named {
                let problem = || Problem::line(*line, "indices of vertices from 1", quote(word));
                let corner = index(word, coordinates.len() / 3).ok_or_else(problem)?;
                memory::push(&mut corners, corner).map_err(refused)?;
            }
            *end = corners.len();
        }
        let mut words = words(row);
        match words.next().unwrap_or_default() {
            // A continuation of a statement other than a vertex; those are short.
            _ if is_begun => {}
            b"v" => push_point(words, (line, 2), 3, &mut coordinates)?,
            b"f" => faces += 1,
            word if word[0].is_ascii_alphabetic() => {}
            word => {
                return Err(Problem::line(line, "a statement of OBJ, such as v x y z", quote(word)));
            }
        }
    }
    if coordinates.is_empty() {
        return Err(Problem::whole("at least one vertex, v x y z", "none"));
    }
    let vertices = coordinates.len() / 3;
    match polygons {
        None => note_on_faces(faces, notes),
        Some(polygons) => {
            let mut start = 0;
            for (line, is_face, end) in listed {
                let corners = &corners[std::mem::replace(&mut start, end)..end];
                let mut each = |polygon| polygons.push(polygon, vertices, &|| Place::Line(line));
                if is_face { each(corners) } else { corners.windows(2).try_for_each(each) }?;
            }
        }
    }
    PointCloud::new(3, coordinates)
}

/// The index, from 0, of the vertex that a word names, after `before` vertices.
fn index(word: &[u8], before: usize) -> Option<u64> {
    let vertex = word.split(|&byte| byte == b'/').next()?;
    let index: i64 = std::str::from_utf8(vertex).ok()?.parse().ok()?;
    let from_first = if index > 0 { index - 1 } else { (before as i64).checked_add(index)? };
    u64::try_from(from_first).ok().filter(|_| index != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(bytes: &[u8]) -> Result<(PointCloud<f32>, Vec<String>), Problem> {
        let mut notes = Vec::new();
        read(bytes, None, &mut notes).map(|read| (read, notes))
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
    fn faces_and_edges_are_polygons() {
        let polygons = |text: &str| {
            let mut polygons = Polygons::default();
            let read = read(text.as_bytes(), Some(&mut polygons), &mut Vec::new());
            read.map(|_| polygons.iter().map(<[u32]>::to_vec).collect::<Vec<_>>())
                .map_err(|error| error.to_string())
        };
        let text =
            "f 3/1/2 1 2//7\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 \\\n -3 # last\nl 1 2 3\nvn 0 0 1\nv 9 9 9\n";
        let expected = [&[2, 0, 1][..], &[2, 1, 0], &[0, 1], &[1, 2]].map(<[u32]>::to_vec).to_vec();
        assert_eq!(polygons(text), Ok(expected));
        for (text, error) in [
            ("v 0 0 0\nf 1 0 1\n", "line 2: expected indices of vertices from 1, found \"0\""),
            ("v 0 0 0\nf -2\n", "line 2: expected indices of vertices from 1, found \"-2\""),
            ("v 0 0 0\nf 1 a/1\n", "line 2: expected indices of vertices from 1, found \"a/1\""),
            ("v 0 0 0\nl 1 2\n", "line 2: expected a vertex among the 1 of the mesh, found index 1, from 0"),
            ("v 0 0 0\nf\n", "line 2: expected a face or edge of different vertices"),
        ] {
            let found = polygons(text).unwrap_err();
            assert!(found.contains(error), "{text:?}: {found}");
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
