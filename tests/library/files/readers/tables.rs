//! Tables as other programs write them, and ambiguous tables.

use super::{SQUARE, edges, load, matrix, points, refuse, refuse_named};
use lacuna::metric::read::{
    Columns, Decimal, DistanceFormat, DistanceOptions, Input, Loaded, Symmetrize, read_bytes, read_path,
};
use lacuna::metric::{DistanceMatrix, Distances, PointCloud, Value};
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables")
}

/// Numbers in a file of the folder.
fn numbers(name: &str) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(folder().join(name)).unwrap();
    text.lines().map(|line| line.split(' ').map(|x| x.parse().unwrap()).collect()).collect()
}

/// Expected content of every table: the distances and the points, row by row.
struct Held {
    distances: Vec<Vec<f64>>,
    points: Vec<Vec<f64>>,
}

impl Held {
    /// Pairs of found and expected values, for distances or for points, and what they are.
    fn pairs<T: Value>(&self, found: &Distances<T>) -> (&'static str, Vec<(f64, f64)>) {
        match found {
            Distances::Matrix(matrix) => {
                assert_eq!(matrix.len(), self.distances.len());
                let lower = self.distances.iter().enumerate().flat_map(|(i, row)| row[..i].to_vec());
                ("matrix", matrix.lower().iter().map(|&d| d.into()).zip(lower).collect())
            }
            Distances::Points(cloud) => {
                assert_eq!((cloud.len(), cloud.dimension()), (self.points.len(), self.points[0].len()));
                let found = (0..cloud.len()).flat_map(|i| cloud.point(i).to_vec()).map(Into::into);
                ("points", found.zip(self.points.concat()).collect())
            }
            Distances::Sparse(graph) => {
                assert_eq!(graph.edges().len(), graph.len() * (graph.len() - 1) / 2);
                let wanted = graph.edges().iter().map(|e| self.distances[e.i as usize][e.j as usize]);
                ("edges", graph.edges().iter().map(|e| e.distance.into()).zip(wanted).collect())
            }
        }
    }
}

/// Checks that a file has the expected content, up to a tolerance.
fn holds(loaded: &Loaded, held: &Held, what: &str, tolerance: f64) -> Result<(), String> {
    let (found, pairs) = match &loaded.input {
        Input::Single(distances) => held.pairs(distances),
        Input::Double(distances) => held.pairs(distances),
    };
    if found != what {
        return Err(format!("holds {found}, not {what}"));
    }
    let good = |&(a, b): &(f64, f64)| (a - b).abs() <= tolerance || a as f32 == b as f32;
    match pairs.iter().find(|pair| !good(pair)) {
        Some(pair) => Err(format!("{pair:?} differ")),
        None => Ok(()),
    }
}

#[test]
fn tables_of_other_programs() {
    let held = Held { distances: numbers("distances.txt"), points: numbers("points.txt") };
    let expected = fs::read_to_string(folder().join("expected.tsv")).unwrap();
    let mut wrong = Vec::new();
    for line in expected.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let (name, what, fragments) = (fields[0], fields[1], &fields[2..]);
        let path = folder().join(name);
        let said = |text: String| match fragments.iter().find(|fragment| !text.contains(**fragment)) {
            Some(fragment) => Err(format!("no {fragment:?} in: {text}")),
            None => Ok(()),
        };
        let result = match (read_path(&path, None), what) {
            (Err(error), "refuse") => said(error.to_string()),
            (Err(error), _) => Err(error.to_string()),
            (Ok(loaded), "refuse") => Err(format!("read as {}: {:?}", loaded.format, loaded.detection)),
            (Ok(loaded), "near") => {
                holds(&loaded, &held, "matrix", 1e-5).and_then(|()| said(loaded.notes.join("; ")))
            }
            (Ok(loaded), "near-points") => holds(&loaded, &held, "points", 1e-3),
            (Ok(loaded), what) => holds(&loaded, &held, what, 0.0),
        };
        wrong.extend(result.err().map(|problem| format!("{name}: {problem}")));
    }
    assert!(expected.lines().count() > 70);
    assert!(
        wrong.is_empty(),
        "{} of {} tables:\n{}",
        wrong.len(),
        expected.lines().count(),
        wrong.join("\n")
    );
}

/// Checks that a file without a format is rejected as ambiguous, and that each option selects its reading.
fn two_readings(text: &[u8], readings: &[(&str, Input)]) {
    let options: Vec<&str> = readings.iter().map(|reading| reading.0).collect();
    refuse(text, None, &[&["numbers that can be read in one way only"], &options[..]].concat());
    for (said, want) in readings {
        let loaded =
            read_bytes("x", text, options_of(said)).unwrap_or_else(|error| panic!("{said}: {error}"));
        assert_eq!(loaded.input, *want, "{said}");
    }
}

/// Parses options as on a command line, such as `--skip-rows 1 --columns 2-`.
fn options_of(said: &str) -> DistanceOptions {
    let mut options = DistanceOptions::default();
    let words: Vec<&str> = said.split(' ').collect();
    for pair in words.chunks(2) {
        match pair[0] {
            "--format" => options.format = Some(pair[1].parse().unwrap()),
            "--skip-rows" => options.skip_rows = Some(pair[1].parse().unwrap()),
            "--columns" => options.columns = Some(pair[1].parse().unwrap()),
            other => panic!("{other}"),
        }
    }
    options
}

#[test]
fn readings_that_an_option_decides() {
    two_readings(
        b"1\n2\n3\n4\n5\n6\n",
        &[
            ("--format point-cloud", points(1, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
            ("--format condensed", matrix(&[1.0, 2.0, 4.0, 3.0, 5.0, 6.0])),
            ("--format lower-distance", matrix(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
        ],
    );
    two_readings(
        b"0 1\n0.5 1.5\n2.5 3.5\n",
        &[
            ("--skip-rows 1", points(2, &[0.5, 1.5, 2.5, 3.5])),
            ("--skip-rows 0", points(2, &[0.0, 1.0, 0.5, 1.5, 2.5, 3.5])),
        ],
    );
    two_readings(
        b"1 7 5\n2 3 4\n3 8 9\n",
        &[
            ("--columns 2-", points(2, &[7.0, 5.0, 3.0, 4.0, 8.0, 9.0])),
            ("--columns 1-", points(3, &[1.0, 7.0, 5.0, 2.0, 3.0, 4.0, 3.0, 8.0, 9.0])),
        ],
    );
    two_readings(
        b"9 9 9\n0 1 2\n1 0 3\n2 3 0\n",
        &[
            ("--skip-rows 1", matrix(&[1.0, 2.0, 3.0])),
            (
                "--skip-rows 0 --format point-cloud",
                points(3, &[9.0, 9.0, 9.0, 0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0]),
            ),
        ],
    );
}

#[test]
fn labels_of_a_matrix_are_left_out() {
    for text in
        ["0 1 2\n0 1 2\n1 0 3\n2 3 0\n", "1 0 1 2\n2 1 0 3\n3 2 3 0\n", "0 1 2\n0 0 1 2\n1 1 0 3\n2 2 3 0\n"]
    {
        for format in [None, Some(DistanceFormat::Distance)] {
            let loaded = load("x", text.as_bytes(), format);
            assert_eq!(loaded.input, matrix(&[1.0, 2.0, 3.0]), "{text:?}");
            assert!(loaded.notes[0].contains("is left out: numbers of the"), "{:?}", loaded.notes);
        }
    }
    // A distance matrix of points on a line is not a table with a header.
    let line = load("x", b"0 1 2\n1 0 1\n2 1 0\n", None);
    assert_eq!((line.input, line.notes), (matrix(&[1.0, 2.0, 1.0]), vec![]));
    // Corners of a cube are not a matrix below a header.
    refuse(b"1 1 1\n0 1 1\n1 0 1\n1 1 0\n", None, &["--skip-rows 0 --format point-cloud"]);
    let grid = load("x.pts", b"0 1\n0 0\n1 0\n", None);
    assert_eq!(grid.input, points(2, &[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]));
}

#[test]
fn headers_tell_edges_from_points() {
    assert_eq!(load("x", b"x,y,z\n0,1,2\n", None).input, points(3, &[0.0, 1.0, 2.0]));
    assert_eq!(load("x", b"i,j,d\n0,1,2\n", None).input, edges(2, &[(1, 0, 2.0)]));
    assert_eq!(load("x", b"node1,node2,d\n0,5,2\n", None).input, edges(6, &[(5, 0, 2.0)]));
    refuse(b"a,c,d\n0,1,2.5\n", None, &["(a, c, d)", "--format edges", "--format point-cloud"]);
}

/// Edge lists with pairs in both directions or repeated, as other programs write them; each may also be points.
#[test]
fn edges_given_again_may_be_points() {
    two_readings(
        b"0 1 1\n1 0 1\n1 2 2\n2 1 2\n0 2 3\n2 0 3\n",
        &[
            ("--format edges", edges(3, &[(1, 0, 1.0), (2, 1, 2.0), (2, 0, 3.0)])),
            (
                "--format point-cloud",
                points(
                    3,
                    &[
                        0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 2.0, 0.0, 2.0, 3.0, 2.0, 0.0,
                        3.0,
                    ],
                ),
            ),
        ],
    );
    for text in [
        &b"0 1 1.5\n1 0 1.5\n5 2 1\n"[..],
        b"0 1 1\n1 0 1\n1 2 2\n2 1 2\n0 2 3\n",
        b"0 1 1\n1 0 2\n1 2 2\n0 2 3\n",
        b"0 1 1\n0 1 1\n1 2 2\n0 2 3\n",
        b"1 2 1\n2 3 2\n3 4 1\n1 4 2\n",
        b"1 2 1\n2 1 1\n2 3 2\n3 2 2\n",
        b"0 0 0\n0 1 1\n0 2 3\n1 0 1\n1 1 0\n1 2 2\n2 0 3\n2 1 2\n2 2 0\n",
    ] {
        refuse(text, None, &["edges", "or points in dimension 3", "--format edges", "--format point-cloud"]);
    }
    refuse(b"source,target,d\n0,1,1\n1,0,2\n", None, &["line 3", "line 2: 1", "--symmetrize"]);
    // Corners of cubes, unit vectors, a surface over a grid, and points whose integers are not ids.
    for text in [
        &b"0 1 1\n1 0 1\n1 1 0\n0 0 0\n"[..],
        b"0 1 1\n1 0 1\n",
        b"1 0 0\n0 1 0\n",
        b"0 0 3\n0 1 1\n0 2 2\n1 0 5\n1 1 4\n1 2 2\n",
        b"0 7 1\n7 0 1\n3 9 2\n9 3 2\n",
        b"0 7 1.5\n7 0 2.5\n3 9 2\n",
    ] {
        assert_eq!(load("x", text, None).format, DistanceFormat::PointCloud, "{}", text.escape_ascii());
    }
}

#[test]
fn commas_that_may_group_thousands() {
    let text = b"\"1,234\",\"5,678\"\n\"1,500\",\"2,500\"\n\"900\",\"1,100\"\n";
    refuse(text, None, &["line 1", "1,234 is 1.234", "1,234 is 1234", "--decimal comma"]);
    let options = DistanceOptions { decimal: Some(Decimal::Comma), ..DistanceOptions::default() };
    let want = points(2, &[1.234, 5.678, 1.5, 2.5, 900.0, 1.1]);
    assert_eq!(read_bytes("x", text, options).unwrap().input, want);
}

#[test]
fn lines_of_old_macintoshs() {
    assert_eq!(load("x.pts", b"0 0\r3 4\r", None).input, points(2, &[0.0, 0.0, 3.0, 4.0]));
    refuse_named("x.pts", b"0 0\r3 4\rx 1\r", None, &["line 3, entry 1"]);
    refuse_named("x.pts", b"0 0\r\n3 4\r\nx 1\r\n", None, &["line 3, entry 1"]);
    assert_eq!(load("x.sparse", b"0 1 2\r1 2 3\r", None).input, edges(3, &[(1, 0, 2.0), (2, 1, 3.0)]));
    assert_eq!(load("x", b"1\r2 3\r", None).input, matrix(&[1.0, 2.0, 3.0]));
}

#[test]
fn lines_and_columns_that_are_asked_for() {
    let text = b"5 x 0 0\n6 y 3 4\n";
    let columns: Columns = "3-4".parse().unwrap();
    let options = DistanceOptions { columns: Some(columns.clone()), ..DistanceOptions::default() };
    assert_eq!(read_bytes("x", text, options).unwrap().input, points(2, &[0.0, 0.0, 3.0, 4.0]));
    let options =
        DistanceOptions { columns: Some(columns), skip_rows: Some(1), ..DistanceOptions::default() };
    assert_eq!(read_bytes("x", text, options).unwrap().input, points(2, &[3.0, 4.0]));
    let array = super::npy("<f4", false, "(1, 2)", &[0; 8]);
    let options = DistanceOptions { skip_rows: Some(1), ..DistanceOptions::default() };
    let error = read_bytes("x", &array, options).unwrap_err().to_string();
    assert!(error.contains("a table of text, which --skip-rows is for"), "{error}");
    let options = DistanceOptions { key: Some("a".into()), ..DistanceOptions::default() };
    assert!(
        read_bytes("x", SQUARE, options).unwrap_err().to_string().contains("an .npz archive, which --key")
    );
}

#[test]
fn the_distance_that_counts() {
    let text = b"0 1 2\n3 0 3\n2 3 0\n";
    refuse(text, None, &["line 2, entry 1", "not symmetric", "--symmetrize lower, upper, mean, max or min"]);
    for (which, value) in Symmetrize::ALL.into_iter().zip([3.0, 1.0, 2.0, 3.0, 1.0]) {
        let options = DistanceOptions { symmetrize: Some(which), ..DistanceOptions::default() };
        let loaded = read_bytes("x", text, options).unwrap();
        assert_eq!(loaded.input, matrix(&[value, 2.0, 3.0]));
        assert!(loaded.notes[0].starts_with("1 pair of points has two distances that differ, by up to 2:"));
    }
    let options = || DistanceOptions { symmetrize: Some(Symmetrize::Max), ..DistanceOptions::default() };
    for one_sided in [&b"1\n2 3\n"[..], b"0 0\n3 4\n", b"0 1 0.5\n"] {
        let error = read_bytes("x", one_sided, options()).unwrap_err().to_string();
        assert!(error.contains("two distances for each pair, which --symmetrize is for"), "{error}");
    }
    let both = b"0 1 2\n1 2 5\n1 0 4\n";
    for (which, value) in Symmetrize::ALL.into_iter().zip([4.0, 2.0, 3.0, 4.0, 2.0]) {
        let options = DistanceOptions {
            symmetrize: Some(which),
            format: Some(DistanceFormat::Sparse),
            ..DistanceOptions::default()
        };
        let loaded = read_bytes("x", both, options).unwrap();
        assert_eq!(loaded.input, edges(3, &[(1, 0, value), (2, 1, 5.0)]));
    }
    let rounded = load("x", b"-1e-16 1\n1.00001 0\n", None);
    assert_eq!(rounded.input, matrix(&[1.00001]));
    assert_eq!(rounded.format, DistanceFormat::Distance);
}

/// Archives and Matrix Market files are read in double precision.
#[test]
fn archives_and_keys() {
    let key = |key: &str| DistanceOptions { key: Some(key.into()), ..DistanceOptions::default() };
    let path = folder().join("two.npz");
    let Input::Double(Distances::Matrix(matrix)) = read_path(&path, key("D")).unwrap().input else {
        panic!()
    };
    assert_eq!(matrix.len(), 5);
    let Input::Double(Distances::Points(cloud)) = read_path(&path, key("X")).unwrap().input else { panic!() };
    assert_eq!(cloud.dimension(), 3);
    let error = read_path(&path, key("Y")).unwrap_err().to_string();
    assert!(error.contains("\"Y\"") && error.contains("--key takes one of D, X"), "{error}");
    let path = folder().join("pdist.npy");
    let condensed = read_path(&path, DistanceFormat::UpperDistance).unwrap().input;
    assert_eq!(condensed, Input::Double(matrix.into()));
    let Input::Double(Distances::Points(line)) = read_path(&path, DistanceFormat::PointCloud).unwrap().input
    else {
        panic!("points")
    };
    assert_eq!((line.len(), line.dimension()), (10, 1));
    let market = b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n";
    let Input::Double(Distances::Sparse(graph)) = load("x", market, None).input else { panic!("edges") };
    assert_eq!((graph.len(), graph.edges().len()), (3, 2));
    let array = b"%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n";
    let want = DistanceMatrix::from_lower(vec![1.0f64]).unwrap();
    assert_eq!(load("x", array, None).input, Input::Double(want.into()));
    let cloud = PointCloud::new(2, vec![0.0f64, 1.0, 1.0, 0.0]).unwrap();
    assert_eq!(load("x", array, Some(DistanceFormat::PointCloud)).input, Input::Double(cloud.into()));
    refuse(
        b"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 3 5\n",
        None,
        &["a square sparse matrix", "2 × 3"],
    );
}

#[test]
fn files_of_other_programs_are_named() {
    for (bytes, fragments) in [
        (&b"\x89HDF\r\n\x1a\n"[..], &["an HDF5 file", "numpy.save"][..]),
        (b"PK\x03\x04 [Content_Types].xml", &["an Excel or Office file", "CSV"]),
        (b"\x89PNG\r\n\x1a\n", &["a PNG image", "lacuna cubical"]),
    ] {
        refuse(bytes, None, fragments);
    }
}
