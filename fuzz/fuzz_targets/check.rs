//! What has to hold for any bytes: the readers give an answer or an error, and what they read can be written
//! again and reads back. The fuzz targets and the plain test of the corpus share it.
//!
//! The first byte of an input picks a format or a file name, the rest is the file.

use lacuna::metric::read::{Diagonal, DistanceFormat, DistanceOptions, Input, Loaded, read_bytes};
use lacuna::metric::{Distances, SparseDistances};
use std::fmt::Write;

/// Larger inputs are not written again: edge lists of few edges can have millions of points.
const MOST_POINTS: usize = 300;

/// A file in one of the text formats.
pub(crate) fn text_formats(input: &[u8]) -> Option<Loaded> {
    given(
        input,
        &[
            DistanceFormat::LowerDistance,
            DistanceFormat::UpperDistance,
            DistanceFormat::Distance,
            DistanceFormat::PointCloud,
            DistanceFormat::Sparse,
        ],
    )
}

/// A file in one of the binary formats, of a mesh or a molecule, or an array that is said to hold distances or points.
pub(crate) fn binary_formats(input: &[u8]) -> Option<Loaded> {
    given(
        input,
        &[
            DistanceFormat::Npy,
            DistanceFormat::Dipha,
            DistanceFormat::Binary,
            DistanceFormat::Distance,
            DistanceFormat::PointCloud,
            DistanceFormat::Npz,
            DistanceFormat::MatrixMarket,
            DistanceFormat::Off,
            DistanceFormat::Obj,
            DistanceFormat::Ply,
            DistanceFormat::Xyz,
        ],
    )
}

/// A file whose format is not given.
pub(crate) fn detect(input: &[u8]) -> Option<Loaded> {
    const NAMES: [&str; 9] =
        ["f", "f.lower", "f.upper", "f.sparse", "f.pts", "f.dist", "f.dipha", "f.bin", "f.npy.gz"];
    let (&choice, file) = input.split_first()?;
    let name = NAMES[usize::from(choice) % NAMES.len()];
    with_births(name, file, None);
    let loaded = read_bytes(name, file, None).ok()?;
    // Labels that only detection knows for such are data to a given format.
    if loaded.notes.is_empty() {
        let again = read_bytes("f", file, Some(loaded.format)).expect("the detected format reads the file");
        assert_eq!(again.input, loaded.input);
    }
    round_trip(&loaded.input);
    Some(loaded)
}

/// Reads the file in the format that its first byte picks.
fn given(input: &[u8], formats: &[DistanceFormat]) -> Option<Loaded> {
    let (&choice, file) = input.split_first()?;
    let format = Some(formats[usize::from(choice) % formats.len()]);
    with_births("f", file, format);
    let loaded = read_bytes("f", file, format).ok()?;
    round_trip(&loaded.input);
    Some(loaded)
}

/// Reads the file as one with births on its diagonal: no distance is below the births of its points.
fn with_births(name: &str, file: &[u8], format: Option<DistanceFormat>) {
    let options = DistanceOptions { format, diagonal: Diagonal::Births, ..DistanceOptions::default() };
    match read_bytes(name, file, options).map(|loaded| loaded.input) {
        Ok(Input::Single(distances)) => check_births(&distances),
        Ok(Input::Double(distances)) => check_births(&distances),
        Err(_) => {}
    }
}

fn check_births<T: lacuna::metric::Value>(distances: &Distances<T>) {
    let Some(births) = distances.births() else { return };
    assert_eq!(births.len(), distances.len());
    match distances {
        Distances::Matrix(matrix) => {
            let mut pairs = (1..matrix.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            let is_late = |point: usize, distance: T| births[point] > distance;
            assert!(!pairs.any(|(i, j)| is_late(i, matrix.get(i, j)) || is_late(j, matrix.get(i, j))));
        }
        Distances::Sparse(graph) => {
            let is_late = |point: u32, distance: T| births[point as usize] > distance;
            assert!(!graph.edges().iter().any(|e| is_late(e.i, e.distance) || is_late(e.j, e.distance)));
        }
        Distances::Points(_) => unreachable!("points have no diagonal"),
    }
}

/// Writes the distances as text, reads them, and compares.
fn round_trip(input: &Input) {
    match input {
        Input::Single(Distances::Sparse(graph)) => sparse_again(graph),
        Input::Double(Distances::Sparse(_)) => {}
        Input::Single(distances) if distances.len() <= MOST_POINTS => lower_again(lower(distances)),
        Input::Double(distances) if distances.len() <= MOST_POINTS => {
            lower_again(lower(distances).into_iter().map(|d| d as f32).collect());
        }
        _ => {}
    }
}

/// The entries below the diagonal.
fn lower<T: lacuna::metric::Value>(distances: &Distances<T>) -> Vec<T> {
    let n = distances.len();
    let pairs = (1..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    match distances {
        Distances::Matrix(matrix) => matrix.lower().to_vec(),
        Distances::Points(points) => pairs.map(|(i, j)| points.distance(i, j)).collect(),
        Distances::Sparse(_) => unreachable!("edge lists are not written as triangles"),
    }
}

fn lower_again(lower: Vec<f32>) {
    if lower.is_empty() {
        return;
    }
    let mut text = String::new();
    for distance in &lower {
        writeln!(text, "{distance}").expect("writing to a string");
    }
    let again =
        read_bytes("again", text.as_bytes(), Some(DistanceFormat::LowerDistance)).expect("what was written");
    let Input::Single(Distances::Matrix(matrix)) = again.input else { panic!("a matrix") };
    assert_eq!(matrix.lower(), lower);
}

/// Ids that only infinite edges have are lost, so the edges are compared, not the number of points.
fn sparse_again(graph: &SparseDistances<f32>) {
    if graph.edges().is_empty() {
        return;
    }
    let mut text = String::new();
    for edge in graph.edges() {
        writeln!(text, "{} {} {}", edge.i, edge.j, edge.distance).expect("writing to a string");
    }
    // DIPHA's ids may be greater than those of the text format.
    if let Ok(again) = read_bytes("again", text.as_bytes(), Some(DistanceFormat::Sparse)) {
        let Input::Single(Distances::Sparse(read)) = again.input else { panic!("edges") };
        assert_eq!(read.edges(), graph.edges());
    } else {
        assert!(graph.len() > 1 << 24);
    }
}
