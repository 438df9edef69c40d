//! `--geometry`: cycles for viewers. The content of the files is tested with their writers; here, the options are.

use std::fs;

use lacuna::metric::read::{DistanceOptions, read_path};
use lacuna::output::geometry::{CloudCoordinates, Geometry, GeometryFormat};
use lacuna::rips::{BarSelection, RepresentativeKind, RepresentativesRequest, RipsOptions};
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::{SQUARE, Scratch, data, json_of, read, rips, rips_of, stdout_of};

/// The corners of a square and one point far away.
const POINTS: &str = "0 0\n1 0\n1 1\n0 1\n9 9\n";

/// Options for [`POINTS`] on standard input.
fn drawn(file: &str, options: &[&str]) -> assert_cmd::Command {
    rips_of(POINTS, &[&["--format", "point-cloud", "-q", "--geometry", file][..], options].concat())
}

#[test]
fn the_file_is_that_of_the_library_in_every_format() {
    let scratch = Scratch::new();
    let torus = data("torus.pts");
    let input = read_path(&torus, DistanceOptions::default()).unwrap().input;
    let coordinates = CloudCoordinates::of(&input, &[]).unwrap();
    let request = RepresentativesRequest::of([RepresentativeKind::Cycles]);
    let representatives = Some(request.bars(BarSelection::Longest(2)).tighten(true));
    let options = RipsOptions { threshold: Some(2.0), representatives, ..RipsOptions::default() };
    let outcome = options.solve(input, &()).unwrap();
    let geometry = Geometry::of_cloud(outcome.representatives().unwrap(), &coordinates).unwrap();
    let alone = stdout_of(rips(["--threshold", "2"]).arg(&torus));
    for (name, format) in [
        ("loops.vtk", GeometryFormat::Vtk),
        ("loops.ply", GeometryFormat::Ply),
        ("LOOPS.OBJ", GeometryFormat::Obj),
    ] {
        let options = ["--threshold", "2", "--longest", "2", "--tighten", "--geometry", &scratch.name(name)];
        // The output of the bars is unchanged.
        rips(options).arg(&torus).assert().success().stdout(alone.clone());
        let mut expected = Vec::new();
        format.write(&geometry, &mut expected).unwrap();
        assert!(fs::read(scratch.path(name)).unwrap() == expected, "{name}");
    }
    assert_eq!(scratch.names().len(), 3);
}

#[test]
fn points_and_edges_of_a_square() {
    let scratch = Scratch::new();
    let file = scratch.name("square.obj");
    drawn(&file, &[]).assert().success();
    let square = "\
# Lacuna, cycles of bars: 1; points with their numbers
# 0
v 0.0 0.0 0.0
# 1
v 1.0 0.0 0.0
# 2
v 1.0 1.0 0.0
# 3
v 0.0 1.0 0.0
o bar_1_0
# bar 1:0, birth 1.0, death 1.4142135381698608
";
    let found = read(&scratch.path("square.obj"));
    let edges: Vec<&str> = found.strip_prefix(square).unwrap_or_else(|| panic!("{found}")).lines().collect();
    assert!(edges.iter().all(|edge| ["l 1 2", "l 2 3", "l 3 4", "l 1 4"].contains(edge)), "{edges:?}");
    assert_eq!(edges.len(), 4);
    // With the axes swapped.
    drawn(&file, &["--geometry-axes", "1,0"]).assert().success();
    assert!(read(&scratch.path("square.obj")).contains("# 1\nv 0.0 1.0 0.0\n"));
}

#[test]
fn landmarks_are_drawn_where_they_are_in_the_input() {
    let scratch = Scratch::new();
    let circle = data("circle.pts");
    let options = ["--landmarks", "20", "--longest", "1", "-q", "--geometry", &scratch.name("circle.obj")];
    rips(options).arg(&circle).assert().success();
    let (points, file) = (read(&circle), read(&scratch.path("circle.obj")));
    let numbers = |line: &str| line.split_whitespace().map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>();
    let lines: Vec<&str> = file.lines().collect();
    let drawn: Vec<(usize, Vec<f64>)> = lines
        .windows(2)
        .filter_map(|pair| {
            Some((pair[0].strip_prefix("# ")?.parse().ok()?, numbers(pair[1].strip_prefix("v ")?)))
        })
        .collect();
    assert!((6..=20).contains(&drawn.len()), "{file}");
    assert!(drawn.iter().any(|(number, _)| *number >= 20));
    for (number, at) in drawn {
        let expected = numbers(points.lines().nth(number).unwrap());
        let is_near = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-6;
        assert!(
            at[2] == 0.0 && at.iter().zip(&expected).all(is_near),
            "point {number}: {at:?}, {expected:?}"
        );
    }
}

#[test]
fn representatives_go_beside_the_bars_only_if_they_are_named() {
    let scratch = Scratch::new();
    let file = scratch.name("square.ply");
    let representatives = |options: &[&str]| {
        let options = [options, &["--output", "json"]].concat();
        let object = json_of(drawn(&file, &options));
        object.get("representatives").and_then(Value::as_array).map(Vec::len)
    };
    assert_eq!(representatives(&["--longest", "1"]), None);
    assert_eq!(representatives(&["--longest", "1", "--representatives", "cycles"]), Some(1));
    assert_eq!(representatives(&["--only", "1:0,0:2", "--representatives", "simplices"]), Some(2));
}

#[test]
fn where_nothing_is_drawn_that_is_said() {
    let scratch = Scratch::new();
    let options = ["--format", "point-cloud", "--max-dim", "0", "--geometry", &scratch.name("none.ply")];
    rips_of(POINTS, &options).assert().success().stderr(contains("standard input: no cycle to draw"));
    assert!(read(&scratch.path("none.ply")).contains("element vertex 0\n"));
}

#[test]
fn what_cannot_be_drawn_is_refused_and_leaves_nothing() {
    let scratch = Scratch::new();
    let file = scratch.name("drawn.vtk");
    let refused = |options: &[&str], message: &str| {
        drawn(&file, options).assert().code(2).stdout(is_empty()).stderr(contains(message));
    };
    refused(
        &["--max-dim", "3"],
        "expected bars of dimension 2 or less, whose cycles can be drawn, found --max-dim 3",
    );
    refused(&["--max-dim", "4", "--only", "1:0,3:1"], "can be drawn, found bar 3:1");
    refused(&["--geometry-axes", "0"], "--geometry-axes: expected two or three different axes, found [0]");
    refused(&["--geometry-axes", "0,1,0"], "different axes, found [0, 1, 0]");
    refused(
        &["--geometry-axes", "0,2"],
        "geometry: expected axes below 2, the number of coordinates, found 2",
    );
    refused(&["--ratio", "2"], "--ratio: expected 1 with --representatives and --geometry");
    refused(&["--only", "1:4"], "bar 1:4: ");
    let name = |name: &str, message: &str| {
        drawn(name, &[]).assert().code(2).stdout(is_empty()).stderr(contains(message));
    };
    name("-", "expected the path of a file, found -");
    name("drawn", "--geometry: expected a file named *.vtk, *.ply or *.obj, found drawn");
    name("drawn.stl", "--geometry: expected a file named *.vtk, *.ply or *.obj, found drawn.stl");
    let matrix = rips_of(SQUARE, &["--geometry", &file]).assert().code(2).stdout(is_empty());
    matrix.stderr(contains(
        "standard input: geometry: expected points, which have coordinates, found a matrix",
    ));
    let four = rips_of("1 2 3 4\n5 6 7 8\n", &["--format", "point-cloud", "--geometry", &file]).assert();
    four.code(2).stderr(contains("expected points with 2 or 3 coordinates, or a choice of so many, found 4"));
    assert_eq!(scratch.names(), [""; 0]);
    rips_of(POINTS, &["--geometry-axes", "0,1"]).assert().code(2).stderr(contains("--geometry <FILE>"));
}

#[test]
fn it_is_a_file_of_its_own_of_one_input() {
    let scratch = Scratch::new();
    let points = scratch.file("points.ply", POINTS).to_str().unwrap().to_owned();
    let options = ["--format", "point-cloud", "--geometry"];
    let other = scratch.name("other.ply");
    let run = |last: &[&str]| rips([&options[..], last].concat()).assert().code(2).stdout(is_empty());
    run(&[&points, &points]).stderr(contains("expected an output that is not the input"));
    run(&[&other, "--stats", &other, &points])
        .stderr(contains("for the geometry and the statistics, found the same"));
    run(&[&other, "--output", "text", "-o", &other, &points])
        .stderr(contains("for the geometry and the answer, found the same"));
    let folder = scratch.name("bars");
    run(&[&other, "-o", &folder, &points, &points]).stderr(contains("expected one input"));
    assert_eq!(read(&scratch.path("points.ply")), POINTS);
    assert!(!scratch.path("other.ply").exists());
}
