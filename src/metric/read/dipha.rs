//! `dipha`: DIPHA distance matrices, file types 7 (dense) and 8 (sparse).
//!
//! The doubles are rounded to `f32`, as Ripser does, unless double precision is requested; overflow is an error. A
//! dense matrix must be symmetric, and its diagonal zero or births, as in the `distance` format. In a sparse matrix, an
//! entry may be given in one direction or in both; then both must agree, and the row of the greater point is used. A
//! diagonal entry must be 0, or is a birth if so requested.

use super::diagonal::{self, BIRTH, Entries};
use super::error::{Place, Problem};
use crate::metric::square::{self, DIAGONAL, DISTANCE, SquareFault, Tolerance};
use crate::metric::{DistanceMatrix, Distances, SparseDistances, Value};
use phat_formats::dipha::{self, FileType, SparseEntry};

const AT_LEAST_ONE: &str = "at least one point";
const SINGLE: &str = "a distance that fits single precision (below 3.4028236e38)";

/// Reads the distances of a file, with notes on corrections.
pub(super) fn read<T: Value>(
    bytes: &[u8],
    entries: Entries,
) -> Result<(Distances<T>, Option<String>), Problem> {
    if bytes.is_empty() {
        return Err(Problem::new(Place::Whole, AT_LEAST_ONE, "an empty file"));
    }
    match dipha::file_type(bytes)? {
        FileType::DistanceMatrix => read_dense(bytes, entries).map(|(matrix, note)| (matrix.into(), note)),
        FileType::SparseDistanceMatrix => {
            read_sparse(bytes, entries).map(|(graph, note)| (graph.into(), note))
        }
        other => {
            let [dense, sparse] = [FileType::DistanceMatrix, FileType::SparseDistanceMatrix];
            let expected = format!("DIPHA file type {dense} or {sparse}");
            let problem = Problem::new(Place::Byte(8), expected, other.to_string());
            Err(match other {
                FileType::BoundaryMatrix => problem.note("lacuna reduce reads boundary matrices"),
                FileType::Image => problem.note("lacuna cubical reads images"),
                FileType::Diagram => problem.note("lacuna plot, compare and convert read diagrams"),
                FileType::DistanceMatrix | FileType::SparseDistanceMatrix => problem,
            })
        }
    }
}

fn read_dense<T: Value>(
    bytes: &[u8],
    entries: Entries,
) -> Result<(DistanceMatrix<T>, Option<String>), Problem> {
    let matrix = dipha::DistanceMatrix::from_bytes(bytes)?;
    if matrix.is_empty() {
        return Err(Problem::new(Place::Byte(dipha::HEADER), AT_LEAST_ONE, "0"));
    }
    let at = |i, j| rounded(matrix.get(i, j));
    let faulty = |fault| dense_problem(&matrix, fault);
    let entry = |i, j, expected: &str| {
        Problem::new(Place::Byte(matrix.offset_of(i, j)), expected, matrix.get(i, j).to_string())
    };
    diagonal::matrix(matrix.len(), at, entries, faulty, entry)
}

/// Rounds to the nearest number of this precision; NaN for a finite number that overflows.
fn rounded<T: Value>(distance: f64) -> T {
    let rounded = T::from_f64(distance);
    if rounded.into().is_finite() || !distance.is_finite() { rounded } else { T::from_f64(f64::NAN) }
}

fn dense_problem(matrix: &dipha::DistanceMatrix<'_>, fault: SquareFault) -> Problem {
    let problem = |i, j, expected: &str| {
        Problem::new(Place::Byte(matrix.offset_of(i, j)), expected, matrix.get(i, j).to_string())
    };
    match fault {
        SquareFault::Diagonal(i) => problem(i, i, DIAGONAL),
        SquareFault::Value(i, j) => problem(i, j, expected_of(matrix.get(i, j))),
        SquareFault::Asymmetric(i, j) => {
            let expected =
                format!("the same distance as byte {}: {}", matrix.offset_of(j, i), matrix.get(j, i));
            problem(i, j, &expected).note(square::ASYMMETRIC)
        }
    }
}

/// Expected value where a number is not a distance of single precision.
fn expected_of(found: f64) -> &'static str {
    if found.is_finite() && found > 0.0 { SINGLE } else { DISTANCE }
}

/// An entry of a sparse matrix with its rounded distance.
struct Neighbour<T> {
    entry: SparseEntry,
    distance: T,
}

impl<T> Neighbour<T> {
    /// Sort key: the pair of points, then the row of the greater point first.
    fn key(&self) -> (usize, usize, bool) {
        let SparseEntry { row, column, .. } = self.entry;
        (row.max(column), row.min(column), row < column)
    }

    fn problem(&self, expected: impl Into<String>, found: impl Into<String>) -> Problem {
        Problem::new(Place::Byte(self.entry.offset), expected, found)
    }
}

fn read_sparse<T: Value>(
    bytes: &[u8],
    asked: Entries,
) -> Result<(SparseDistances<T>, Option<String>), Problem> {
    let matrix = dipha::SparseDistanceMatrix::from_bytes(bytes)?;
    let (mut entries, mut births) = (Vec::new(), Vec::new());
    for entry in matrix.entries() {
        let neighbour = check_entry(entry, asked)?;
        let list = if entry.row == entry.column { &mut births } else { &mut entries };
        list.push(neighbour);
    }
    if u32::try_from(matrix.len()).is_err() {
        return Err(Problem::new(
            Place::Byte(dipha::HEADER),
            "fewer than 2^32 points",
            matrix.len().to_string(),
        ));
    }
    entries.sort_by_key(Neighbour::key);
    check_pairs(&entries)?;
    entries.dedup_by_key(|n| (n.key().0, n.key().1));
    if !asked.has_births() {
        let triplets = entries.iter().map(|n| (n.key().0 as u32, n.key().1 as u32, n.distance));
        return Ok((SparseDistances::new(matrix.len(), triplets).map_err(super::metric_problem)?, None));
    }
    births.sort_by_key(Neighbour::key);
    check_pairs(&births)?;
    let mut born = vec![T::from_f64(0.0); matrix.len()];
    births.iter().for_each(|n| born[n.entry.row] = n.distance);
    let tolerance = Tolerance::of(entries.iter().map(|n| n.distance));
    let mut edges: Vec<(usize, usize, T)> =
        entries.iter().map(|n| (n.key().0, n.key().1, n.distance)).collect();
    let raised = diagonal::raise(&born, edges.iter_mut().map(|(i, j, d)| (*i, *j, d)), tolerance);
    let note = raised.map_err(|early| {
        let place = entries.partition_point(|n| (n.key().0, n.key().1) < (early.i, early.j));
        entries[place].problem(early.expected, entries[place].entry.distance.to_string())
    })?;
    let triplets = edges.into_iter().map(|(i, j, d)| (i as u32, j as u32, d));
    let graph = SparseDistances::new(matrix.len(), triplets).and_then(|graph| graph.with_births(born));
    Ok((graph.map_err(super::metric_problem)?, note))
}

fn check_entry<T: Value>(entry: SparseEntry, asked: Entries) -> Result<Neighbour<T>, Problem> {
    let distance: T = rounded(entry.distance);
    let value: f64 = distance.into();
    let neighbour = Neighbour { entry, distance };
    let found = entry.distance.to_string();
    if asked.has_births() && entry.row == entry.column {
        let is_birth = diagonal::is_birth(distance);
        return if is_birth { Ok(neighbour) } else { Err(neighbour.problem(BIRTH, found)) };
    }
    if value.is_nan() || value < 0.0 {
        return Err(neighbour.problem(expected_of(entry.distance), found));
    }
    if entry.row == entry.column && value != 0.0 {
        return Err(neighbour.problem(format!("0 from point {} to itself", entry.row), found));
    }
    Ok(neighbour)
}

/// Rejects sorted entries that give a pair twice in one direction, or in both directions with different distances.
fn check_pairs<T: Value>(entries: &[Neighbour<T>]) -> Result<(), Problem> {
    let tolerance = Tolerance::of(entries.iter().map(|entry| entry.distance));
    for pair in entries.windows(2) {
        let (first, second) = (&pair[0], &pair[1]);
        let (i, j, upper) = second.key();
        if first.key() == second.key() {
            let expected = format!("every pair of points once (byte {} has this one)", first.entry.offset);
            return Err(second.problem(expected, format!("points {i} and {j} again")));
        }
        if upper && first.key() == (i, j, false) && !tolerance.agree(first.distance, second.distance) {
            let expected =
                format!("the same distance as byte {}: {}", first.entry.offset, first.entry.distance);
            let problem = second.problem(expected, second.entry.distance.to_string());
            return Err(problem.note("the matrix is not symmetric"));
        }
    }
    Ok(())
}
