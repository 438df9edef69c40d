//! `ply`: the vertices of a mesh or a scan in Stanford's Polygon File Format, text or binary.
//!
//! ```text
//! ply
//! format ascii 1.0                        or binary_little_endian, binary_big_endian
//! comment …
//! element vertex COUNT
//! property float x                        a number of each vertex; y and z likewise, z may be missing
//! element face COUNT
//! property list uchar int vertex_indices  a count and as many numbers
//! end_header
//! …                                       the elements, in the order of the header
//! ```
//!
//! Coordinates of type double or 32-bit integer are read in double precision, others in single precision. Lists
//! `vertex_indices` or `vertex_index` of the element face, and numbers `vertex1` and `vertex2` of the element edge, are
//! faces and edges where a mesh is wanted. Other properties and elements are skipped.

use super::Input;
use super::polygons::Polygons;
use super::text::is_number;
use crate::input::npy::{Scalar, word_of};
use crate::input::text::quote;
use crate::input::{Place, Problem};
use crate::metric::PointCloud;
use npyz::TypeChar;

/// Magic word of the format, followed by a line end.
const MAGIC: &[u8] = b"ply";

/// Whether a file begins with the magic word.
pub(super) fn is_ply(bytes: &[u8]) -> bool {
    bytes.strip_prefix(MAGIC).is_some_and(|rest| rest.starts_with(b"\n") || rest.starts_with(b"\r\n"))
}

/// Reads the vertices, and the faces and edges if there is a place for them; notes say what is left out.
pub(super) fn read(
    bytes: &[u8],
    mut polygons: Option<&mut Polygons>,
    notes: &mut Vec<String>,
) -> Result<Input, Problem> {
    let header = Header::parse(bytes)?;
    let Some(place) = header.elements.iter().position(|element| element.name == "vertex") else {
        return Err(Problem::whole("an element vertex in the header", "none"));
    };
    let vertex = &header.elements[place];
    let axes = vertex.axes()?;
    let mut data = Data { bytes, at: header.end, encoding: header.encoding };
    let vertices = vertex.count as usize;
    for element in &header.elements[..place] {
        data.polygons(element, vertices, polygons.as_deref_mut())?;
    }
    let mut values = Vec::new();
    let mut point = [0.0; 3];
    // A vertex is complete with its last coordinate.
    let mut left = axes.len();
    data.element(vertex, |property, value| {
        if let Some(axis) = axes.iter().position(|&axis| axis == property) {
            point[axis] = value;
            left -= 1;
            if left == 0 {
                left = axes.len();
                values.extend_from_slice(&point[..axes.len()]);
            }
        }
    })?;
    let takes = |element: &Element| polygons.is_some() && element.corners().is_some();
    let others = header.elements.iter().filter(|element| element.name != "vertex" && element.count > 0);
    let others = others.filter(|element| !takes(element));
    notes.extend(others.map(|element| format!("{} of element {} left out", element.count, element.name)));
    if polygons.is_some() {
        for element in &header.elements[place + 1..] {
            data.polygons(element, vertices, polygons.as_deref_mut())?;
        }
    }
    if axes.iter().any(|&axis| vertex.properties[axis].kind.is_wide()) {
        return Ok(Input::Double(PointCloud::new(axes.len(), values)?.into()));
    }
    let singles = values.iter().map(|&value| value as f32).collect();
    Ok(Input::Single(PointCloud::new(axes.len(), singles)?.into()))
}

/// Encoding of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// The type that a word of the header names.
fn scalar_of(word: &str) -> Option<Scalar> {
    let (kind, size) = match word {
        "char" | "int8" => (TypeChar::Int, 1),
        "uchar" | "uint8" => (TypeChar::Uint, 1),
        "short" | "int16" => (TypeChar::Int, 2),
        "ushort" | "uint16" => (TypeChar::Uint, 2),
        "int" | "int32" => (TypeChar::Int, 4),
        "uint" | "uint32" => (TypeChar::Uint, 4),
        "float" | "float32" => (TypeChar::Float, 4),
        "double" | "float64" => (TypeChar::Float, 8),
        _ => return None,
    };
    Some(Scalar { kind, size })
}

/// A number or list of numbers that every element of a kind has.
#[derive(Debug)]
struct Property {
    name: String,
    kind: Scalar,
    /// For a list, the type of its length.
    count: Option<Scalar>,
}

/// A kind of elements with their properties.
#[derive(Debug)]
struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

impl Element {
    /// Indices of the properties x, y and, if present, z.
    fn axes(&self) -> Result<Vec<usize>, Problem> {
        let of_name = |name| self.properties.iter().position(|p| p.name == name && p.count.is_none());
        match ["x", "y", "z"].map(of_name) {
            [Some(x), Some(y), z] => Ok([x, y].into_iter().chain(z).collect()),
            _ => {
                let names: Vec<&str> = self.properties.iter().map(|property| &*property.name).collect();
                Err(Problem::whole("properties x and y of the element vertex", format!("{names:?}")))
            }
        }
    }

    /// Indices of the properties that name the vertices of a face or an edge.
    fn corners(&self) -> Option<Vec<usize>> {
        let of_name = |name: &str, is_list: bool| {
            self.properties.iter().position(|p| p.name == name && p.count.is_some() == is_list)
        };
        match self.name.as_str() {
            "face" => {
                of_name("vertex_indices", true).or(of_name("vertex_index", true)).map(|list| vec![list])
            }
            "edge" => Some(vec![of_name("vertex1", false)?, of_name("vertex2", false)?]),
            _ => None,
        }
    }
}

/// The header of a file.
#[derive(Debug)]
struct Header {
    encoding: Encoding,
    elements: Vec<Element>,
    /// Offset of the first element in bytes.
    end: usize,
}

impl Header {
    fn parse(bytes: &[u8]) -> Result<Header, Problem> {
        let (mut encoding, mut elements, mut end) = (None, Vec::<Element>::new(), 0);
        for number in 1.. {
            let length = memchr::memchr(b'\n', &bytes[end..]).ok_or_else(|| {
                Problem::line(number, "a header that ends with a line end_header", "the end of the file")
            })?;
            let line = &bytes[end..end + length];
            end += length + 1;
            let text = String::from_utf8_lossy(line);
            let words: Vec<&str> = text.split_ascii_whitespace().collect();
            let problem = |expected: &str| Problem::line(number, expected, quote(line.trim_ascii()));
            match words[..] {
                ["ply"] if number == 1 => {}
                _ if number == 1 => return Err(problem("ply")),
                ["format", name, "1.0"] => {
                    encoding = Some(match name {
                        "ascii" => Encoding::Text,
                        "binary_little_endian" => Encoding::LittleEndian,
                        "binary_big_endian" => Encoding::BigEndian,
                        _ => return Err(problem("ascii, binary_little_endian or binary_big_endian")),
                    });
                }
                ["comment" | "obj_info", ..] | [] => {}
                ["element", name, count] => {
                    let count = count.parse().map_err(|_| problem("a number of elements"))?;
                    elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
                }
                ["property", ref property @ ..] => {
                    let property = Property::parse(property)
                        .ok_or_else(|| problem("a type and a name of a property"))?;
                    let element =
                        elements.last_mut().ok_or_else(|| problem("an element before its properties"))?;
                    element.properties.push(property);
                }
                ["end_header"] => break,
                _ => return Err(problem("format, element, property, comment or end_header")),
            }
        }
        let missing = || Problem::whole("a line format NAME 1.0 in the header", "none");
        Ok(Header { encoding: encoding.ok_or_else(missing)?, elements, end })
    }
}

impl Property {
    fn parse(words: &[&str]) -> Option<Property> {
        let (count, kind, name) = match *words {
            ["list", count, kind, name] => (Some(scalar_of(count)?), kind, name),
            [kind, name] => (None, kind, name),
            _ => return None,
        };
        Some(Property { name: name.to_owned(), kind: scalar_of(kind)?, count })
    }
}

/// Reader of the data after the header.
struct Data<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: Encoding,
}

impl Data<'_> {
    /// Reads all elements of a kind. `take` receives each number that is not in a list, with the index of its property.
    fn element(&mut self, element: &Element, mut take: impl FnMut(usize, f64)) -> Result<(), Problem> {
        for _ in 0..if element.properties.is_empty() { 0 } else { element.count } {
            self.one(element, |place, value| {
                if element.properties[place].count.is_none() {
                    take(place, value)
                }
            })?;
        }
        Ok(())
    }

    /// Reads all elements of a kind. If they are faces or edges and there is a place for them, they are added there.
    fn polygons(
        &mut self,
        element: &Element,
        vertices: usize,
        polygons: Option<&mut Polygons>,
    ) -> Result<(), Problem> {
        let (Some(polygons), Some(of)) = (polygons, element.corners()) else {
            return self.element(element, |_, _| ());
        };
        let mut corners = Vec::new();
        for _ in 0..element.count {
            // Of text, the line is that of the element and not the end of the one before.
            let is_text = self.encoding == Encoding::Text;
            let blank = |byte: &&u8| is_text && byte.is_ascii_whitespace();
            let at = self.at + self.bytes[self.at..].iter().take_while(blank).count();
            corners.clear();
            self.one(element, |place, value| {
                if of.contains(&place) {
                    corners.push(value)
                }
            })?;
            // What is no index is rejected as one that does not exist.
            let index =
                |&corner: &f64| if corner.fract() == 0.0 && corner >= 0.0 { corner as u64 } else { u64::MAX };
            polygons.push(&corners.iter().map(index).collect::<Vec<_>>(), vertices, &|| self.place(at))?;
        }
        Ok(())
    }

    /// Reads an element. `take` receives each number, also those in lists, with the index of its property.
    fn one(&mut self, element: &Element, mut take: impl FnMut(usize, f64)) -> Result<(), Problem> {
        for (place, property) in element.properties.iter().enumerate() {
            let Some(count) = property.count else {
                take(place, self.number(property.kind, element)?);
                continue;
            };
            let at = self.at;
            let entries = self.number(count, element)?;
            if entries < 0.0 || entries.fract() != 0.0 {
                return Err(Problem::new(self.place(at), "the length of a list", entries.to_string()));
            }
            // The loop ends with an error at the first missing number, so a huge count costs nothing.
            for _ in 0..entries as u64 {
                take(place, self.number(property.kind, element)?);
            }
        }
        Ok(())
    }

    /// Place of an offset, for messages.
    fn place(&self, at: usize) -> Place {
        match self.encoding {
            Encoding::Text => Place::Line(1 + memchr::memchr_iter(b'\n', &self.bytes[..at]).count()),
            Encoding::LittleEndian | Encoding::BigEndian => Place::Byte(at),
        }
    }

    /// Reads the next number, which must be finite.
    fn number(&mut self, kind: Scalar, element: &Element) -> Result<f64, Problem> {
        let rest = &self.bytes[self.at..];
        let missing = |at| {
            let expected = format!("{} of element {}", element.count, element.name);
            Problem::new(self.place(at), expected, "the end of the file")
        };
        if self.encoding != Encoding::Text {
            let number = rest.get(..kind.size).ok_or_else(|| missing(self.bytes.len()))?;
            let value = kind.number(word_of(number, self.encoding == Encoding::BigEndian));
            if !value.is_finite() {
                return Err(Problem::new(self.place(self.at), "a finite number", value));
            }
            self.at += number.len();
            return Ok(value);
        }
        let start = rest
            .iter()
            .position(|byte| !byte.is_ascii_whitespace())
            .ok_or_else(|| missing(self.bytes.len()))?;
        let word = rest[start..].split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let value = match is_number(word) {
            // Rounded directly from the decimal.
            true if !kind.is_wide() => fast_float2::parse::<f32, _>(word).ok().map(f64::from),
            true => fast_float2::parse::<f64, _>(word).ok(),
            false => None,
        };
        let at = self.at + start;
        let value = value.filter(|value| value.is_finite());
        let value = value.ok_or_else(|| Problem::new(self.place(at), "a finite number", quote(word)))?;
        self.at = at + word.len();
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Distances;

    const HEADER: &str = "element vertex 2\nproperty float x\nproperty list uchar short more\nproperty float y\nproperty uchar red\n\
        property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";

    fn file(format: &str, content: &[u8]) -> Vec<u8> {
        [format!("ply\nformat {format} 1.0\ncomment by hand\n{HEADER}").as_bytes(), content].concat()
    }

    fn coordinates(bytes: &[u8]) -> Result<Vec<Vec<f64>>, String> {
        fn of<T: crate::metric::Value>(distances: &Distances<T>) -> Vec<Vec<f64>> {
            let Distances::Points(points) = distances else { panic!("{distances:?}") };
            (0..points.len()).map(|i| points.point(i).iter().map(|&x| x.into()).collect()).collect()
        }
        match noted(bytes) {
            Ok((Input::Single(distances), _)) => Ok(of(&distances)),
            Ok((Input::Double(distances), _)) => Ok(of(&distances)),
            Err(problem) => Err(problem.to_string()),
        }
    }

    /// Makes the vertices (0, 0.5, 1) and (1, 0, −2) of [`HEADER`], and a face.
    fn binary(bytes_of: impl Fn(f32) -> [u8; 4], short: [u8; 2]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for ([x, y, z], list) in [([0.0, 0.5, 1.0], 2), ([1.0, 0.0, -2.0], 0)] {
            bytes.extend(bytes_of(x));
            bytes.push(list);
            (0..list).for_each(|_| bytes.extend(short));
            bytes.extend(bytes_of(y));
            bytes.push(255);
            bytes.extend(bytes_of(z));
        }
        bytes.extend([1, 0, 0, 0, 0]);
        bytes
    }

    fn noted(bytes: &[u8]) -> Result<(Input, Vec<String>), Problem> {
        let mut notes = Vec::new();
        read(bytes, None, &mut notes).map(|read| (read, notes))
    }

    #[test]
    fn faces_and_edges_are_polygons() {
        let polygons = |elements: &str, content: &str| {
            let vertex = "element vertex 4\nproperty float x\nproperty float y\n";
            let text =
                format!("ply\nformat ascii 1.0\n{vertex}{elements}end_header\n0 0\n1 0\n1 1\n0 1\n{content}");
            let (mut polygons, mut notes) = (Polygons::default(), Vec::new());
            let read = read(text.as_bytes(), Some(&mut polygons), &mut notes);
            read.map(|_| (polygons.iter().map(<[u32]>::to_vec).collect::<Vec<_>>(), notes))
                .map_err(|error| error.to_string())
        };
        let face = "element face 1\nproperty uchar red\nproperty list uchar int vertex_index\n";
        let edge = "element edge 1\nproperty int vertex1\nproperty int vertex2\n";
        let other = "element other 1\nproperty int vertex1\n";
        let expected = (vec![vec![3, 1, 0], vec![2, 1]], vec!["1 of element other left out".to_owned()]);
        assert_eq!(polygons(&format!("{face}{other}{edge}"), "9 3 3 1 0\n7\n2 1\n"), Ok(expected));
        for (content, error) in [
            ("9 3 3 1 4\n", "line 14: expected a vertex among the 4 of the mesh, found index 4, from 0"),
            ("9 2 3 -1\n", "expected a vertex among the 4 of the mesh"),
            ("9 0\n", "expected a face or edge of different vertices, found [], from 0"),
            ("9 3 1\n", "expected 1 of element face, found the end of the file"),
        ] {
            let found = polygons(face, content).unwrap_err();
            assert!(found.contains(error), "{content:?}: {found}");
        }
    }

    #[test]
    fn vertices_are_points_in_every_encoding() {
        let want = Ok(vec![vec![0.0, 0.5, 1.0], vec![1.0, 0.0, -2.0]]);
        let text = file("ascii", b"0 2 7 7 .5 255 1\n1 0 0 255\n-2\n1 0\n");
        assert_eq!(coordinates(&text), want);
        assert_eq!(noted(&text).unwrap().1, ["1 of element face left out"]);
        let text = String::from_utf8(text).unwrap().replace('\n', "\r\n");
        assert!(is_ply(text.as_bytes()));
        assert_eq!(coordinates(text.as_bytes()), want);
        let little = file("binary_little_endian", &binary(f32::to_le_bytes, [7, 0]));
        assert_eq!(coordinates(&little), want);
        assert_eq!(coordinates(&file("binary_big_endian", &binary(f32::to_be_bytes, [0, 7]))), want);
        let planar = b"ply\nformat ascii 1.0\nelement thing 1\nproperty list int double a\nelement vertex 1\nproperty double y\nproperty int x\n\
            end_header\n1 0.5\n0.1 3\n";
        assert_eq!(coordinates(planar), Ok(vec![vec![3.0, 0.1]]));
        assert!(matches!(noted(planar).unwrap().0, Input::Double(_)));
    }

    #[test]
    fn every_cut_of_a_file_is_refused() {
        let little = file("binary_little_endian", &binary(f32::to_le_bytes, [7, 0]));
        let vertices = little.len() - 5;
        for cut in 0..vertices {
            assert!(coordinates(&little[..cut]).is_err(), "{cut}");
        }
        let cut = coordinates(&little[..vertices - 1]).unwrap_err();
        assert_eq!(
            cut,
            format!("byte {}: expected 2 of element vertex, found the end of the file", vertices - 1)
        );
    }

    #[test]
    fn broken_files_are_refused() {
        let ascii = |content: &str| String::from_utf8(file("ascii", content.as_bytes())).unwrap();
        for (text, fragment) in [
            (String::new(), "line 1: expected a header that ends with a line end_header"),
            ("plyx\n".to_owned(), "line 1: expected ply"),
            ("ply\nend_header\n".to_owned(), "format NAME 1.0"),
            ("ply\nformat ascii 2.0\n".to_owned(), "line 2: expected format, element"),
            ("ply\nformat text 1.0\n".to_owned(), "expected ascii, binary_little_endian"),
            ("ply\nproperty float x\n".to_owned(), "expected an element before"),
            ("ply\nelement vertex -1\n".to_owned(), "expected a number of elements"),
            ("ply\nelement vertex 1\nproperty half x\n".to_owned(), "line 3: expected a type and a name"),
            ("ply\nformat ascii 1.0\nelement face 1\nend_header\n".to_owned(), "an element vertex"),
            (
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n".to_owned(),
                "properties x and y",
            ),
            (ascii("0 0 0 0 0\n"), "line 14: expected 2 of element vertex, found the end of the file"),
            (ascii("0 0 a 0 0\n"), "line 13: expected a finite number, found \"a\""),
            (ascii("0 0.5 0 0 0\n"), "line 13: expected the length of a list, found 0.5"),
            (ascii("0 0 nan 0 0\n"), "found \"nan\""),
        ] {
            let error = coordinates(text.as_bytes()).unwrap_err();
            assert!(error.contains(fragment), "{text:?}: {error}");
        }
        let many = HEADER.replace("vertex 2", "vertex 18446744073709551615");
        let many = format!("ply\nformat binary_little_endian 1.0\n{many}");
        assert!(coordinates(many.as_bytes()).unwrap_err().contains("found the end of the file"));
    }
}
