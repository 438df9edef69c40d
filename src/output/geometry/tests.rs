//! Reads files of the three formats back with independent readers that follow the format descriptions.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::cubical::persistence::{Limits, PersistenceRequest};
use crate::cubical::{AnyImage, Construction, Cubical, Image, Order, Shape};
use crate::diagram::BarSelection;
use crate::metric::read::{DistanceOptions, Input, read_path};
use crate::metric::{DistanceMatrix, PointCloud, SparseDistances};
use crate::rips::{RepresentativeKind, RepresentativesRequest, RipsOptions};

/// The content of a file.
#[derive(Debug, Default, PartialEq)]
struct Content {
    /// Number and coordinates of each point.
    points: Vec<(u64, [f64; 3])>,
    cells: Vec<Row>,
}

/// A cell: its bar, birth, death, corners as places of points, coefficient.
type Row = ((usize, usize), f64, f64, Vec<usize>, u16);

impl Content {
    /// The numbers of the corners of a cell.
    fn numbers(&self, row: &Row) -> Vec<u64> {
        row.3.iter().map(|&place| self.points[place].0).collect()
    }
}

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| panic!("{word:?} is no number"))
}

/// A reader of VTK files: lines of text, some of which announce binary data.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn line(&mut self) -> &'a str {
        let end = self.0.iter().position(|&byte| byte == b'\n').expect("a line");
        let line = std::str::from_utf8(&self.0[..end]).unwrap();
        self.0 = &self.0[end + 1..];
        line
    }

    /// The words of the next line after the expected first words.
    fn after(&mut self, expected: &str) -> Vec<&'a str> {
        let line = self.line();
        let rest =
            line.strip_prefix(expected).unwrap_or_else(|| panic!("{expected:?} expected, found {line:?}"));
        rest.split_whitespace().collect()
    }

    fn values<const N: usize, T>(&mut self, count: usize, read: fn([u8; N]) -> T) -> Vec<T> {
        let (values, rest) = self.0.split_at(count * N);
        self.0 = rest;
        assert_eq!(self.line(), "", "a block of values ends with a line");
        values.as_chunks().0.iter().map(|&bytes| read(bytes)).collect()
    }

    /// An array of a field, of 32-bit integers or doubles.
    fn array(&mut self, name: &str, cells: usize) -> Vec<f64> {
        let head = self.after(name);
        assert_eq!(head[..2], ["1", &cells.to_string()]);
        match head[2] {
            "int" => self.values(cells, i32::from_be_bytes).into_iter().map(f64::from).collect(),
            "vtktypeint64" => self.values(cells, i64::from_be_bytes).into_iter().map(|x| x as f64).collect(),
            "double" => self.values(cells, f64::from_be_bytes),
            other => panic!("{other}"),
        }
    }
}

fn read_vtk(file: &[u8]) -> Content {
    let mut file = Bytes(file);
    assert_eq!(file.line(), "# vtk DataFile Version 3.0");
    file.line();
    assert_eq!([file.line(), file.line()], ["BINARY", "DATASET UNSTRUCTURED_GRID"]);
    let points: usize = number(file.after("POINTS ")[0]);
    let coordinates = file.values(3 * points, f64::from_be_bytes);
    let counts: Vec<usize> = file.after("CELLS ").into_iter().map(number).collect();
    let mut words = file.values(counts[1], i32::from_be_bytes).into_iter().map(|word| word as usize);
    let cells = counts[0];
    let corners: Vec<Vec<usize>> = (0..cells)
        .map(|_| {
            let count = words.next().unwrap();
            words.by_ref().take(count).collect()
        })
        .collect();
    assert_eq!(words.next(), None);
    file.after(&format!("CELL_TYPES {cells}"));
    let types = file.values(cells, i32::from_be_bytes);
    let expected: Vec<i32> = corners.iter().map(|corners| [0, 0, 3, 5, 9][corners.len()]).collect();
    assert_eq!(types, expected);
    file.after(&format!("CELL_DATA {cells}"));
    assert_eq!(file.after("FIELD ")[1], "5");
    let names = ["dimension", "index", "coefficient", "birth", "death"];
    let [dim, index, coefficient, birth, death] = names.map(|name| file.array(name, cells));
    file.after(&format!("POINT_DATA {points}"));
    assert_eq!(file.after("FIELD ")[1], "1");
    let numbers = file.array("point", points);
    assert!(file.0.is_empty());
    let row = |(k, corners)| {
        let bar = (dim[k] as usize, index[k] as usize);
        (bar, birth[k], death[k], corners, coefficient[k] as u16)
    };
    let at = coordinates.as_chunks().0.iter();
    Content {
        points: numbers.iter().zip(at).map(|(&number, &at)| (number as u64, at)).collect(),
        cells: corners.into_iter().enumerate().map(row).collect(),
    }
}

fn read_ply(file: &[u8]) -> Content {
    let text = std::str::from_utf8(file).unwrap();
    let mut lines = text.lines();
    assert_eq!([lines.next(), lines.next()], [Some("ply"), Some("format ascii 1.0")]);
    let mut elements: Vec<(&str, usize, Vec<&str>)> = Vec::new();
    for line in lines.by_ref().take_while(|&line| line != "end_header") {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "comment" => (),
            "element" => elements.push((words[1], number(words[2]), Vec::new())),
            "property" => elements.last_mut().unwrap().2.push(words.last().unwrap()),
            other => panic!("{other}"),
        }
    }
    let mut content = Content::default();
    for (name, count, properties) in elements {
        for line in lines.by_ref().take(count) {
            let mut words = line.split_whitespace();
            let mut values: BTreeMap<&str, f64> = BTreeMap::new();
            let mut corners = Vec::new();
            for property in &properties {
                let value = number(words.next().unwrap());
                match *property {
                    "vertex1" | "vertex2" => corners.push(value as usize),
                    "vertex_indices" => {
                        corners.extend(words.by_ref().take(value as usize).map(number::<usize>))
                    }
                    _ => assert_eq!(values.insert(property, value), None),
                }
            }
            assert_eq!(words.next(), None);
            assert_eq!(name == "edge", corners.len() == 2);
            if name == "vertex" {
                content.points.push((values["point"] as u64, [values["x"], values["y"], values["z"]]));
            } else {
                let bar = (values["dimension"] as usize, values["index"] as usize);
                let coefficient = values["coefficient"] as u16;
                content.cells.push((bar, values["birth"], values["death"], corners, coefficient));
            }
        }
    }
    assert_eq!(lines.next(), None);
    content
}

fn read_obj(file: &[u8]) -> Content {
    let text = std::str::from_utf8(file).unwrap();
    let mut content = Content::default();
    let (mut at, mut bar, mut birth, mut death, mut coefficient) = (0, (0, 0), 0.0, 0.0, 0);
    for line in text.lines().skip(1) {
        let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        match words[..] {
            ["#", "bar", _, "birth", b, "death", d] => (birth, death) = (number(b), number(d)),
            ["#", "coefficient", c] => coefficient = number(c),
            ["#", of] => at = number(of),
            ["v", x, y, z] => content.points.push((at, [x, y, z].map(number))),
            ["o", name] => {
                let (dim, index) = name.strip_prefix("bar_").unwrap().split_once('_').unwrap();
                (bar, coefficient) = ((number(dim), number(index)), 1);
            }
            ["l" | "f", ref corners @ ..] => {
                assert_eq!(words[0] == "l", corners.len() == 2);
                // Points are numbered from 1.
                let corners = corners.iter().map(|word| number::<usize>(word) - 1).collect();
                content.cells.push((bar, birth, death, corners, coefficient));
            }
            _ => panic!("{line}"),
        }
    }
    content
}

/// Reads a geometry back, which must give the same content in each format.
fn read_back(geometry: &Geometry) -> Content {
    let [vtk, mut ply, obj] = GeometryFormat::ALL.map(|format| {
        let mut file = Vec::new();
        format.write(geometry, &mut file).unwrap();
        match format {
            GeometryFormat::Vtk => read_vtk(&file),
            GeometryFormat::Ply => read_ply(&file),
            GeometryFormat::Obj => read_obj(&file),
        }
    });
    // Elements of one kind are adjacent.
    let place = |row: &Row| vtk.cells.iter().position(|other| other == row);
    ply.cells.sort_by_key(place);
    assert_eq!((&vtk, &vtk), (&ply, &obj));
    vtk
}

#[test]
fn cells_of_every_shape_come_back() {
    let mut ring = DrawnCycle::new(1, 3, -0.5, f64::INFINITY, CellShape::Edge);
    ring.push(&[40, 7], 1);
    ring.push(&[7, 5_000_000_000], 2);
    ring.push(&[40, 5_000_000_000], 1);
    let mut face = DrawnCycle::new(2, 0, 0.1, 1e300, CellShape::Triangle);
    face.push(&[9, 40, 7], 1);
    let mut box_side = DrawnCycle::new(2, 1, 3.0, f64::NEG_INFINITY, CellShape::Quadrilateral);
    box_side.push(&[7, 9, 41, 40], 65_520);
    let geometry = Geometry::new(vec![ring, face, box_side], |number| [number as f64 / 3.0, -1e-9, 0.0]);
    let found = read_back(&geometry);
    let point = |number: u64| (number, [number as f64 / 3.0, -1e-9, 0.0]);
    assert_eq!(found.points, [7, 9, 40, 41, 5_000_000_000].map(point));
    let infinity = f64::INFINITY;
    let expected = [
        ((1, 3), -0.5, infinity, vec![2, 0], 1),
        ((1, 3), -0.5, infinity, vec![0, 4], 2),
        ((1, 3), -0.5, infinity, vec![2, 4], 1),
        ((2, 0), 0.1, 1e300, vec![1, 2, 0], 1),
        ((2, 1), 3.0, -infinity, vec![0, 1, 3, 2], 65_520),
    ];
    assert_eq!(found.cells, expected);
}

#[test]
fn nothing_to_draw_is_a_file() {
    assert_eq!(read_back(&Geometry::new(Vec::new(), |_| [0.0; 3])), Content::default());
}

#[test]
#[should_panic(expected = "the corners of a cell")]
fn a_cell_has_the_corners_of_its_shape() {
    DrawnCycle::new(1, 0, 0.0, 1.0, CellShape::Edge).push(&[1, 2, 3], 1);
}

/// The long cycles of a cloud of data/ as drawn, and its points as parsed by this test.
fn drawn(file: &str, modulus: u32, threshold: Option<f64>) -> (Content, Vec<Vec<f64>>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let words = |line: &str| line.split_whitespace().map(|x| f64::from(number::<f32>(x))).collect();
    let points = text.lines().map(words).collect();
    let input = read_path(&path, DistanceOptions::default()).unwrap().input;
    let coordinates = CloudCoordinates::of(&input, &[]).unwrap();
    let long = RepresentativesRequest::of([RepresentativeKind::Cycles]).bars(BarSelection::Longest(3));
    let representatives = Some(long);
    let options = RipsOptions { max_dim: 2, modulus, threshold, representatives, ..RipsOptions::default() };
    let outcome = options.solve(input, &()).unwrap();
    let geometry = Geometry::of_cloud(outcome.representatives().unwrap(), &coordinates).unwrap();
    (read_back(&geometry), points)
}

/// Checks that the boundary of each cycle is zero over Z/`modulus`; returns the bars with their numbers of cells.
fn check_cycles(content: &Content, modulus: u32) -> Vec<((usize, usize), usize)> {
    let mut boundaries: BTreeMap<((usize, usize), Vec<u64>), u32> = BTreeMap::new();
    let mut cells: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for row in &content.cells {
        let corners = content.numbers(row);
        assert!(corners.is_sorted_by(|a, b| a < b), "a simplex is oriented by ascending vertices");
        *cells.entry(row.0).or_default() += 1;
        for k in 0..corners.len() {
            let mut facet = corners.clone();
            facet.remove(k);
            let term = u32::from(row.4) * if k % 2 == 0 { 1 } else { modulus - 1 };
            *boundaries.entry((row.0, facet)).or_default() += term;
        }
    }
    assert!(boundaries.values().all(|sum| sum.is_multiple_of(modulus)));
    cells.into_iter().collect()
}

#[test]
fn cycles_of_the_torus_are_drawn_between_its_points() {
    let (content, points) = drawn("torus.pts", 2, Some(2.0));
    // The numbers of cells are those in tests/library/rips/representatives_pictures.rs.
    let cells: Vec<(usize, usize)> =
        check_cycles(&content, 2).into_iter().map(|((dim, _), cells)| (dim, cells)).collect();
    assert_eq!(cells, [(1, 30), (1, 19), (2, 352)]);
    for (number, at) in &content.points {
        assert_eq!(at[..], points[*number as usize]);
    }
}

#[test]
fn points_of_the_plane_lie_at_0_and_coefficients_are_those_of_the_field() {
    let (content, points) = drawn("figure_eight.pts", 3, None);
    let cycles = check_cycles(&content, 3);
    assert_eq!(cycles.len(), 3);
    assert!(content.cells.iter().any(|row| row.4 == 2));
    for (number, at) in &content.points {
        assert_eq!((&at[..2], at[2]), (&points[*number as usize][..], 0.0));
    }
}

#[test]
fn axes_are_chosen() {
    let cloud = PointCloud::new(4, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]).unwrap();
    let cloud = Input::Double(cloud.into());
    let of = |axes: &[usize]| CloudCoordinates::of(&cloud, axes).map_err(|error| error.to_string());
    assert_eq!(of(&[3, 0]), Ok(CloudCoordinates(vec![[4.0, 1.0, 0.0], [8.0, 5.0, 0.0]])));
    assert_eq!(of(&[2, 1, 3]), Ok(CloudCoordinates(vec![[3.0, 2.0, 4.0], [7.0, 6.0, 8.0]])));
    assert!(of(&[]).unwrap_err().ends_with("found 4"));
    assert!(of(&[1]).unwrap_err().ends_with("found 1"));
    assert!(of(&[0, 4]).unwrap_err().ends_with("below 4, the number of coordinates, found 4"));
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let refused = |input: Input| CloudCoordinates::of(&input, &[]).unwrap_err().to_string();
    let matrix = DistanceMatrix::from_lower(vec![1.0f32]).unwrap();
    assert!(refused(matrix.into()).ends_with("found a matrix of distances"));
    let edges = SparseDistances::new(2, [(0, 1, 1.0)]).unwrap();
    assert!(refused(Input::Double(edges.into())).ends_with("found a list of edges"));
    assert!(refused(PointCloud::new(1, vec![1.0f32]).unwrap().into()).ends_with("found 1"));

    // The cross-polytope of eight points in four dimensions is a hollow sphere of dimension 3.
    let vertices: Vec<f32> = (0..8)
        .flat_map(|k| (0..4).map(move |axis| if axis != k / 2 { 0.0 } else { [1.0, -1.0][k % 2] }))
        .collect();
    let sphere = Input::from(PointCloud::new(4, vertices).unwrap());
    let coordinates = CloudCoordinates::of(&sphere, &[0, 1, 2]).unwrap();
    let representatives = Some(RepresentativesRequest::of([RepresentativeKind::Cycles]));
    let options = RipsOptions { max_dim: 3, representatives, ..RipsOptions::default() };
    let outcome = options.solve(sphere, &()).unwrap();
    let drawn = Geometry::of_cloud(outcome.representatives().unwrap(), &coordinates);
    let error = drawn.unwrap_err().to_string();
    assert!(error.ends_with("which edges and triangles draw, found one of dimension 3"), "{error}");
}

/// All cycles of an image, as drawn.
fn drawn_of_image(image: &AnyImage, construction: Construction, superlevel: bool) -> Content {
    let cubical =
        Cubical::new(image, PersistenceRequest { construction, superlevel, ..PersistenceRequest::default() });
    let outcome = Cubical { representatives: Some(BarSelection::All), ..cubical }.solve(&()).unwrap();
    read_back(&Geometry::of_image(outcome.representatives.as_ref().unwrap(), image, superlevel).unwrap())
}

/// The coordinates of each cell's corners.
fn places(content: &Content) -> Vec<Vec<[f64; 3]>> {
    let at = |row: &Row| row.3.iter().map(|&place| content.points[place].1).collect();
    content.cells.iter().map(at).collect()
}

/// Checks that cells are edges and squares of side 1 with corners in cyclic order, and that the boundary of each
/// cycle is zero over Z/2.
fn check_unit_cells(content: &Content) {
    let mut boundaries: BTreeMap<((usize, usize), Vec<u64>), u32> = BTreeMap::new();
    for (row, at) in content.cells.iter().zip(places(content)) {
        let numbers = content.numbers(row);
        let sides = if at.len() == 2 { 1 } else { at.len() };
        for k in 0..sides {
            let next = (k + 1) % at.len();
            let apart: Vec<f64> = at[k].iter().zip(at[next]).map(|(a, b)| (a - b).abs()).collect();
            assert!(apart.iter().sum::<f64>() == 1.0 && apart.contains(&1.0), "{at:?}");
            let mut side = vec![numbers[k], numbers[next]];
            side.sort_unstable();
            if at.len() == 4 {
                *boundaries.entry((row.0, side)).or_default() += 1;
            } else {
                side.iter().for_each(|&end| *boundaries.entry((row.0, vec![end])).or_default() += 1);
            }
        }
        if at.len() == 4 {
            assert_ne!(at[0], at[2]);
        }
        assert_eq!((row.0.0, row.4), (sides.div_ceil(3), 1));
    }
    assert!(boundaries.values().all(|sum| sum.is_multiple_of(2)));
}

#[test]
fn the_loop_of_an_image_goes_through_its_pixels_or_between_them() {
    let image = AnyImage::from_slice(&[1_u8, 1, 1, 8, 0, 1, 9, 1, 8, 0, 1, 1, 1, 8, 0], &[3, 5]).unwrap();
    let through = drawn_of_image(&image, Construction::V, false);
    check_unit_cells(&through);
    let pixels = [0, 1, 2, 5, 7, 10, 11, 12]
        .map(|number: u64| (number, [(number / 5) as f64, (number % 5) as f64, 0.0]));
    assert_eq!(through.points, pixels);
    assert_eq!(through.cells.len(), 8);
    assert!(through.cells.iter().all(|cell| (cell.0, cell.1, cell.2) == ((1, 0), 1.0, 9.0)));

    let between = drawn_of_image(&image, Construction::T, false);
    check_unit_cells(&between);
    // The corners of pixels form four rows of six; the pixel inside the ring is in row 1, column 1.
    assert_eq!(
        between.points,
        [(7, [0.5, 0.5, 0.0]), (8, [0.5, 1.5, 0.0]), (13, [1.5, 0.5, 0.0]), (14, [1.5, 1.5, 0.0])]
    );
    assert_eq!(between.cells.len(), 4);
}

#[test]
fn the_cavity_of_an_image_has_a_shell_of_squares() {
    let mut voxels = [1_i16; 27];
    voxels[13] = 9;
    let image = AnyImage::from_slice(&voxels, &[3, 3, 3]).unwrap();
    for (construction, least, points, squares) in
        [(Construction::V, 0.0, 26, 24), (Construction::T, 0.5, 8, 6)]
    {
        let shell = drawn_of_image(&image, construction, false);
        check_unit_cells(&shell);
        assert_eq!((shell.points.len(), shell.cells.len()), (points, squares));
        assert!(shell.cells.iter().all(|cell| cell.0 == (2, 0) && cell.3.len() == 4 && cell.2 == 9.0));
        // Each square is on a side of a box around the voxel (1, 1, 1).
        let is_on_side = |cell: &Vec<[f64; 3]>| {
            (0..3).any(|axis| [least, 2.0 - least].iter().any(|&side| cell.iter().all(|at| at[axis] == side)))
        };
        assert!(places(&shell).iter().all(is_on_side));
    }
}

/// The image is in either order in memory, and has an axis of one voxel between others, which is not drawn.
#[test]
fn cycles_of_images_lie_where_their_values_do() {
    let axes = [4, 1, 5, 6];
    // The values look random; 131 is prime.
    let value_of = |number: u64| (number * number * (number + 5) % 131) as f64;
    let value = |at: &[usize]| value_of((at[0] * 30 + at[2] * 6 + at[3]) as u64);
    for order in [Order::C, Order::F] {
        let shape = Shape::new(&axes, order).unwrap();
        let voxels = (0..shape.count()).map(|place| value(&shape.coordinates(place))).collect();
        let image: AnyImage = Image::new(shape, voxels).unwrap().into();
        for (construction, superlevel) in
            [(Construction::V, false), (Construction::T, false), (Construction::V, true)]
        {
            let content = drawn_of_image(&image, construction, superlevel);
            check_unit_cells(&content);
            assert!(
                content.cells.iter().any(|cell| cell.0.0 == 1)
                    && content.cells.iter().any(|cell| cell.0.0 == 2)
            );
            let (extents, half) =
                if construction == Construction::V { ([4, 5, 6], 0.0) } else { ([5, 6, 7], 0.5) };
            for &(number, at) in &content.points {
                let [i, j, k] = at.map(|x| (x + half) as u64);
                assert_eq!(number, (i * extents[1] + j) * extents[2] + k, "{at:?}");
                assert!(i < extents[0] && j < extents[1] && k < extents[2]);
            }
            // The last vertex of a cycle is the voxel with which its class is born.
            let mut births: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
            for row in content.cells.iter().filter(|_| construction == Construction::V) {
                for number in content.numbers(row) {
                    let found = value_of(number);
                    let last = births.entry(row.0).or_insert((row.1, found));
                    last.1 = if superlevel { last.1.min(found) } else { last.1.max(found) };
                }
            }
            assert!(births.values().all(|(birth, last)| birth == last), "{births:?}");
        }
    }
}

#[test]
fn bars_of_images_keep_their_ends_or_are_refused() {
    let ring = |around: u64, inside: u64| {
        let mut pixels = [around; 9];
        pixels[4] = inside;
        AnyImage::from_slice(&pixels, &[3, 3]).unwrap()
    };
    let solve = |image: &AnyImage, superlevel: bool, threshold: u64| {
        let request = PersistenceRequest { superlevel, ..PersistenceRequest::default() };
        let (threshold, representatives) = (Some(threshold.into()), Some(BarSelection::All));
        let cubical =
            Cubical { limits: Limits::up_to(threshold), representatives, ..Cubical::new(image, request) };
        let outcome = cubical.solve(&()).unwrap();
        let geometry = Geometry::of_image(outcome.representatives.as_ref().unwrap(), image, superlevel);
        geometry.map(|geometry| {
            geometry.cycles().iter().map(|cycle| (cycle.birth, cycle.death)).collect::<Vec<_>>()
        })
    };
    assert_eq!(solve(&ring(1, 9), false, 5).unwrap(), [(1.0, f64::INFINITY)]);
    assert_eq!(solve(&ring(9, 1), true, 5).unwrap(), [(9.0, f64::NEG_INFINITY)]);
    assert!(
        solve(&ring(1, u64::MAX), false, u64::MAX).unwrap_err().to_string().contains(&u64::MAX.to_string())
    );
    // The bar of dimension 0 is not drawn.
    let line = AnyImage::from_slice(&[1_u8, 5, 2], &[3]).unwrap();
    assert_eq!(drawn_of_image(&line, Construction::T, false), Content::default());
}
