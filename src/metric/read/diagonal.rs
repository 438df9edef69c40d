//! The diagonal of a matrix: zeros, or the births of the points.
//!
//! With [`Diagonal::Births`] the entry (i, i) is the birth of point i, `inf` for never. In a sparse matrix or a list of
//! edges, a point without such an entry is born at 0. The entry of two points is the birth of their edge, hence at
//! least the births of both. An entry that is smaller only by rounding, up to 1e-4 of the greatest finite distance as
//! everywhere, is raised to them, with a note.

use super::Symmetrize;
use super::error::Problem;
use crate::metric::square::{self, SquareFault, Tolerance};
use crate::metric::{DistanceMatrix, Value};

/// Meaning of the diagonal of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Diagonal {
    /// Distances of points to themselves, which are 0.
    #[default]
    Zero,
    /// The births of the points of a weighted Vietoris–Rips filtration.
    Births,
}

/// How the entries of a matrix are interpreted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entries {
    pub(super) symmetrize: Option<Symmetrize>,
    pub(super) diagonal: Diagonal,
}

impl Entries {
    /// Whether the diagonal holds births.
    pub(super) fn has_births(self) -> bool {
        self.diagonal == Diagonal::Births
    }
}

/// Description of a birth, for messages.
pub(super) const BIRTH: &str = "a birth, a non-negative number or inf";

/// Whether a number is a valid birth.
pub(super) fn is_birth<T: Value>(number: T) -> bool {
    number.into() >= 0.0
}

/// Makes the matrix of the n×n numbers `at(row, column)`, with a note on corrections. `faulty` makes the error of a
/// fault, and `entry` that of an unexpected entry at a row and column.
pub(super) fn matrix<T: Value>(
    n: usize,
    at: impl Fn(usize, usize) -> T,
    entries: Entries,
    faulty: impl Fn(SquareFault) -> Problem,
    entry: impl Fn(usize, usize, &str) -> Problem,
) -> Result<(DistanceMatrix<T>, Option<String>), Problem> {
    if !entries.has_births() {
        let (lower, note) = square::lower_of(n, at, entries.symmetrize).map_err(faulty)?;
        return Ok((DistanceMatrix::from_lower(lower).map_err(super::metric_problem)?, note));
    }
    let zero = T::from_f64(0.0);
    let off_diagonal = |i, j| if i == j { zero } else { at(i, j) };
    let (mut lower, note) = square::lower_of(n, off_diagonal, entries.symmetrize).map_err(faulty)?;
    let births: Vec<T> = (0..n).map(|i| at(i, i)).collect();
    if let Some(i) = births.iter().position(|&birth| !is_birth(birth)) {
        return Err(entry(i, i, BIRTH));
    }
    let tolerance = Tolerance::of(lower.iter().copied());
    let pairs = (1..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let edges = pairs.zip(&mut lower).map(|((i, j), distance)| (i, j, distance));
    let raised =
        raise(&births, edges, tolerance).map_err(|early| entry(early.i, early.j, &early.expected))?;
    let matrix = DistanceMatrix::from_lower(lower).and_then(|matrix| matrix.with_births(births));
    Ok((matrix.map_err(super::metric_problem)?, joined(note, raised)))
}

/// An edge with a birth before that of one of its points.
pub(super) struct Early {
    pub(super) i: usize,
    pub(super) j: usize,
    pub(super) expected: String,
}

/// Raises edges that are born before a point only by rounding; returns a note on them.
pub(super) fn raise<'a, T: Value>(
    births: &[T],
    edges: impl Iterator<Item = (usize, usize, &'a mut T)>,
    tolerance: Tolerance,
) -> Result<Option<String>, Early> {
    let mut raised = 0;
    for (i, j, distance) in edges {
        let born = if births[i] > births[j] { i } else { j };
        if *distance >= births[born] {
            continue;
        }
        if !tolerance.agree(*distance, births[born]) {
            let expected = format!("at least the birth of point {born}, {}", births[born].into());
            return Err(Early { i, j, expected });
        }
        *distance = births[born];
        raised += 1;
    }
    let plural = if raised == 1 { "edge was" } else { "edges were" };
    let note = || format!("{raised} {plural} born before a point by rounding, and now with it");
    Ok((raised > 0).then(note))
}

/// Joins two notes into one.
pub(super) fn joined(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(format!("{first}; {second}")),
        (first, second) => first.or(second),
    }
}
