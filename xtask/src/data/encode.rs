//! Encodes distances in each input format.

use std::fmt::Write as _;
use std::io;

use lacuna::metric::read::DistanceFormat;
use lacuna::metric::{DistanceMatrix, Distances, PointCloud, SparseDistances};

use super::arrays;
use super::catalogue::{Dress, Input};
use super::images::gzip;

/// Encodes the file of an input.
///
/// # Errors
/// The format does not support this form of distances.
pub(super) fn encode(input: &Input) -> io::Result<Vec<u8>> {
    let bytes = bare(&input.space, input.format)?;
    match input.dress {
        Dress::Bare => Ok(bytes),
        Dress::Gzip => gzip(&bytes),
        Dress::Numbered => Ok(numbered(&String::from_utf8(bytes).map_err(io::Error::other)?).into_bytes()),
    }
}

/// Adds a header and an index to a table, as `pandas.DataFrame(d).to_csv()` does: rows and columns are numbered from
/// 0.
fn numbered(text: &str) -> String {
    let columns = text.lines().next().map_or(0, |line| line.split(',').count());
    let header: String = (0..columns).map(|column| format!(",{column}")).collect();
    let row = |(row, line): (usize, &str)| format!("{row},{line}\n");
    header + "\n" + &text.lines().enumerate().map(row).collect::<String>()
}

/// Encodes distances in a format.
fn bare(space: &Distances<f64>, format: DistanceFormat) -> io::Result<Vec<u8>> {
    match (space, format) {
        (Distances::Points(cloud), DistanceFormat::PointCloud) => Ok(point_cloud(cloud).into_bytes()),
        (Distances::Points(cloud), DistanceFormat::Off) => Ok(off(cloud).into_bytes()),
        (Distances::Points(cloud), DistanceFormat::Obj) => Ok(prefixed(cloud, "v ").into_bytes()),
        (Distances::Points(cloud), DistanceFormat::Ply) => Ok(ply(cloud).into_bytes()),
        (Distances::Points(cloud), DistanceFormat::Xyz) => Ok(xyz(cloud).into_bytes()),
        (Distances::Sparse(graph), DistanceFormat::Sparse) => Ok(sparse(graph).into_bytes()),
        (Distances::Matrix(matrix), DistanceFormat::LowerDistance) => Ok(rows(matrix, |i| 0..i).into_bytes()),
        (Distances::Matrix(matrix), DistanceFormat::UpperDistance) => {
            Ok(rows(matrix, |i| i + 1..matrix.len()).into_bytes())
        }
        (Distances::Matrix(matrix), DistanceFormat::Distance) => {
            Ok(rows(matrix, |_| 0..matrix.len()).into_bytes())
        }
        (Distances::Matrix(matrix), DistanceFormat::Dipha) => Ok(dipha(matrix)),
        (Distances::Matrix(matrix), DistanceFormat::Binary) => Ok(binary(matrix)),
        (Distances::Sparse(graph), DistanceFormat::MatrixMarket) => Ok(matrix_market(graph).into_bytes()),
        (Distances::Matrix(matrix), DistanceFormat::Npy) => npy(matrix),
        (Distances::Matrix(matrix), DistanceFormat::Npz) => arrays::npz(&[("distances", npy(matrix)?)]),
        _ => Err(io::Error::other(format!("{format} does not hold a space of this shape"))),
    }
}

fn point_cloud(cloud: &PointCloud<f64>) -> String {
    prefixed(cloud, "")
}

/// One line per point, with its coordinates after `prefix`.
fn prefixed(cloud: &PointCloud<f64>, prefix: &str) -> String {
    let coordinates = |i| line(cloud.point(i).iter().copied(), " ");
    (0..cloud.len()).map(|i| prefix.to_owned() + &coordinates(i)).collect()
}

/// A mesh of vertices, without faces and edges.
fn off(cloud: &PointCloud<f64>) -> String {
    format!("OFF\n{} 0 0\n{}", cloud.len(), point_cloud(cloud))
}

/// A scan as text: vertices with the properties x, y, z.
fn ply(cloud: &PointCloud<f64>) -> String {
    let properties = "property float x\nproperty float y\nproperty float z\n";
    let head = format!("ply\nformat ascii 1.0\nelement vertex {}\n{properties}end_header\n", cloud.len());
    head + &point_cloud(cloud)
}

/// A molecule of carbon atoms: their number, a comment, and a line per atom.
fn xyz(cloud: &PointCloud<f64>) -> String {
    format!("{}\nwritten by xtask\n{}", cloud.len(), prefixed(cloud, "C "))
}

fn sparse(graph: &SparseDistances<f64>) -> String {
    graph.edges().iter().fold(String::new(), |mut text, edge| {
        let _ = writeln!(text, "{} {} {}", edge.i, edge.j, edge.distance);
        text
    })
}

/// One line per point, with its distances to the points of `columns(i)`; points without any have no line.
fn rows(matrix: &DistanceMatrix<f64>, columns: impl Fn(usize) -> std::ops::Range<usize>) -> String {
    let row = |i| columns(i).map(move |j| matrix.get(i, j));
    (0..matrix.len()).filter(|&i| !columns(i).is_empty()).map(|i| line(row(i), ",")).collect()
}

fn line(numbers: impl Iterator<Item = f64>, separator: &str) -> String {
    let words: Vec<String> = numbers.map(|x| x.to_string()).collect();
    words.join(separator) + "\n"
}

/// DIPHA's distance matrix: magic number, file type 7, n as little-endian i64, then the full matrix as f64.
fn dipha(matrix: &DistanceMatrix<f64>) -> Vec<u8> {
    let header = [8_067_171_840, 7, matrix.len() as i64];
    header.iter().flat_map(|x| x.to_le_bytes()).chain(full(matrix).flat_map(f64::to_le_bytes)).collect()
}

/// The lower triangle as little-endian f32.
fn binary(matrix: &DistanceMatrix<f64>) -> Vec<u8> {
    matrix.lower().iter().flat_map(|&d| (d as f32).to_le_bytes()).collect()
}

/// The full matrix as a two-dimensional f64 array.
fn npy(matrix: &DistanceMatrix<f64>) -> io::Result<Vec<u8>> {
    arrays::npy(&[matrix.len(); 2], npyz::Order::C, full(matrix).collect())
}

/// A symmetric coordinate matrix of Matrix Market: numbers of rows, columns and entries; then one line per entry
/// below the diagonal, with indices from 1.
fn matrix_market(graph: &SparseDistances<f64>) -> String {
    let (n, edges) = (graph.len(), graph.edges());
    let head = format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {}\n", edges.len());
    edges.iter().fold(head, |mut text, edge| {
        let (row, column) = (edge.i.max(edge.j) + 1, edge.i.min(edge.j) + 1);
        let _ = writeln!(text, "{row} {column} {}", edge.distance);
        text
    })
}

fn full(matrix: &DistanceMatrix<f64>) -> impl Iterator<Item = f64> + '_ {
    let n = matrix.len();
    (0..n).flat_map(move |i| (0..n).map(move |j| matrix.get(i, j)))
}
