//! Checks that square matrices are distance matrices, for all formats that hold one.

use super::births::{self, BIRTH, is_birth};
use super::read::{Context, Symmetrize};
use super::{DistanceMatrix, Value};
use crate::input::Problem;

/// Numbers that differ by less than this fraction of the greatest finite distance differ by rounding only: real files
/// are printed with few digits, and computed by sums in different orders.
pub(crate) const ROUNDING: f64 = 1e-4;

/// Side of the tiles of the symmetry check, which reads both triangles along cache lines.
const TILE: usize = 32;

/// A violation of the properties of a distance matrix. Rows and columns are 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Entry `(i, i)` is not zero.
    Diagonal(usize),
    /// Entry `(i, j)` is NaN or negative.
    Value(usize, usize),
    /// Entries `(i, j)` and `(j, i)`, i > j, differ.
    Asymmetric(usize, usize),
}

/// The expected diagonal of a distance matrix, for messages.
pub(crate) const DIAGONAL: &str = "0 on the diagonal";
/// The expected entries of a distance matrix, for messages.
pub(crate) const DISTANCE: &str = "a non-negative distance or inf";
/// The advice for a matrix whose triangles differ.
pub(crate) const ASYMMETRIC: &str = "the matrix is not symmetric, by more than 1e-4 of its greatest distance; \
    --symmetrize lower, upper, mean, max or min says which of the two counts";

/// The greatest deviation that counts as rounding: a distance, 0 or more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerance(f64);

impl Tolerance {
    /// No rounding.
    const NONE: Tolerance = Tolerance(0.0);

    /// The tolerance of a matrix with these entries.
    pub(crate) fn of<T: Value>(entries: impl Iterator<Item = T>) -> Self {
        let finite = entries.map(|d| d.into().abs()).filter(|d| d.is_finite());
        Tolerance(ROUNDING * finite.fold(0.0, f64::max))
    }

    /// Whether two entries are equal as distances.
    pub(crate) fn agree<T: Value>(self, a: T, b: T) -> bool {
        let (a, b): (f64, f64) = (a.into(), b.into());
        a == b || (a - b).abs() < self.0
    }

    /// Whether an entry is a valid distance.
    pub(crate) fn is_distance<T: Value>(self, d: T) -> bool {
        let d: f64 = d.into();
        d >= 0.0 || d > -self.0
    }

    /// Whether an entry is zero.
    pub(crate) fn is_zero<T: Value>(self, d: T) -> bool {
        self.agree(d, T::from_f64(0.0))
    }
}

/// Deviations that were attributed to rounding, or resolved by `--symmetrize`.
#[derive(Debug, Default)]
pub(crate) struct Rounding {
    /// Number of pairs of points with two distances, and their greatest difference.
    pairs: (usize, f64),
    /// Number of non-zero entries of the diagonal, and their greatest magnitude.
    diagonal: (usize, f64),
    /// Number of negative distances, and their greatest magnitude.
    negative: (usize, f64),
}

impl Rounding {
    fn count(kind: &mut (usize, f64), size: f64) {
        *kind = (kind.0 + 1, kind.1.max(size));
    }

    /// Records an entry of the diagonal, which is taken as 0.
    pub(crate) fn on_diagonal<T: Value>(&mut self, entry: T) {
        if entry.into() != 0.0 {
            Rounding::count(&mut self.diagonal, entry.into().abs());
        }
    }

    /// Chooses the distance of a pair from its two entries.
    pub(crate) fn choose<T: Value>(&mut self, below: T, above: T, symmetrize: Option<Symmetrize>) -> T {
        let (b, a): (f64, f64) = (below.into(), above.into());
        if b != a {
            Rounding::count(&mut self.pairs, (b - a).abs());
        }
        let chosen = match symmetrize.unwrap_or(Symmetrize::Lower) {
            Symmetrize::Lower => below,
            Symmetrize::Upper => above,
            // The halves are added, because the sum of both may overflow.
            Symmetrize::Mean => T::from_f64(b / 2.0 + a / 2.0),
            Symmetrize::Max if a > b => above,
            Symmetrize::Min if a < b => above,
            Symmetrize::Max | Symmetrize::Min => below,
        };
        if chosen.into() < 0.0 {
            Rounding::count(&mut self.negative, -chosen.into());
            return T::from_f64(0.0);
        }
        chosen
    }

    /// Adds a note for the user if there were deviations.
    pub(crate) fn note(&self, symmetrize: Option<Symmetrize>, notes: &mut Vec<String>) {
        let mut parts = Vec::new();
        if let (pairs @ 1.., difference) = self.pairs {
            let which = match symmetrize.unwrap_or(Symmetrize::Lower) {
                Symmetrize::Lower => "the one below the diagonal",
                Symmetrize::Upper => "the one above the diagonal",
                Symmetrize::Mean => "their mean",
                Symmetrize::Max => "the greater",
                Symmetrize::Min => "the smaller",
            };
            let plural = if pairs == 1 { "pair of points has" } else { "pairs of points have" };
            parts.push(format!(
                "{pairs} {plural} two distances that differ, by up to {}: {which} counts",
                short(difference)
            ));
        }
        if let (entries @ 1.., size) = self.diagonal {
            parts.push(format!(
                "not 0 on the diagonal, by up to {}, {}, taken as 0",
                short(size),
                times(entries)
            ));
        }
        if let (entries @ 1.., size) = self.negative {
            parts.push(format!("below 0, by up to {}, {}, taken as 0", short(size), times(entries)));
        }
        if !parts.is_empty() {
            notes.push(parts.join("; "));
        }
    }
}

/// Formats a size with three digits.
fn short(size: f64) -> String {
    let rounded: f64 = format!("{size:.2e}").parse().unwrap_or(size);
    if (1e-5..1e6).contains(&rounded) { rounded.to_string() } else { format!("{rounded:e}") }
}

fn times(count: usize) -> String {
    if count == 1 { "once".into() } else { format!("{count} times") }
}

/// Makes the distance matrix of the n×n numbers `at(row, column)`, and adds notes for the user.
///
/// The diagonal holds zeros, or births if so requested. Of two entries that differ by rounding only, the one below the
/// diagonal is used, as in Ripser, which reads no other; [`DistanceOptions::symmetrize`] combines any two that differ.
/// `problem` makes the error of the entry in a row and a column that is not what is expected.
pub(crate) fn matrix<T: Value>(
    n: usize,
    at: &impl Fn(usize, usize) -> T,
    context: &mut Context,
    problem: &dyn Fn(usize, usize, &str) -> Problem,
) -> Result<DistanceMatrix<T>, Problem> {
    let has_births = context.options.has_births();
    let zero = T::from_f64(0.0);
    let distance = |i: usize, j: usize| if has_births && i == j { zero } else { at(i, j) };
    let mut lower = lower_of(n, &distance, context.options.symmetrize, &mut context.notes).map_err(
        |fault| match fault {
            Fault::Diagonal(i) => problem(i, i, DIAGONAL),
            Fault::Value(i, j) => problem(i, j, DISTANCE),
            Fault::Asymmetric(i, j) => {
                let Problem { place, found, .. } = problem(j, i, "");
                problem(i, j, &format!("the same distance as {place}{found}")).note(ASYMMETRIC)
            }
        },
    )?;
    if !has_births {
        return DistanceMatrix::from_lower(lower);
    }
    let births: Vec<T> = (0..n).map(|i| at(i, i)).collect();
    if let Some(i) = births.iter().position(|&birth| !is_birth(birth)) {
        return Err(problem(i, i, BIRTH));
    }
    let tolerance = Tolerance::of(lower.iter().copied());
    let pairs = (1..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let edges = pairs.zip(&mut lower).map(|((i, j), distance)| (i, j, distance));
    births::raise(&births, edges, tolerance, problem, &mut context.notes)?;
    DistanceMatrix::from_lower(lower)?.with_births(births)
}

/// Returns the entries below the diagonal of the n×n matrix `at(row, column)`, and adds a note for the user.
fn lower_of<T: Value>(
    n: usize,
    at: &impl Fn(usize, usize) -> T,
    symmetrize: Option<Symmetrize>,
    notes: &mut Vec<String>,
) -> Result<Vec<T>, Fault> {
    let mut lower = Vec::with_capacity(n * (n - n.min(1)) / 2);
    if fault(n, at, Tolerance::NONE, false).is_none() {
        (0..n).for_each(|i| lower.extend((0..i).map(|j| at(i, j))));
        return Ok(lower);
    }
    if let Some(fault) = fault(n, at, tolerance_of(n, at), symmetrize.is_some()) {
        return Err(fault);
    }
    let mut rounding = Rounding::default();
    for i in 0..n {
        lower.extend((0..i).map(|j| rounding.choose(at(i, j), at(j, i), symmetrize)));
        rounding.on_diagonal(at(i, i));
    }
    rounding.note(symmetrize, notes);
    Ok(lower)
}

fn tolerance_of<T: Value>(n: usize, at: &impl Fn(usize, usize) -> T) -> Tolerance {
    Tolerance::of((0..n).flat_map(|i| (0..n).filter(move |&j| j != i).map(move |j| at(i, j))))
}

/// Whether an n×n table is clearly a matrix of distances: its diagonal is zero, or it is zero up to rounding and all
/// other properties hold.
pub(crate) fn has_zero_diagonal<T: Value>(n: usize, at: &impl Fn(usize, usize) -> T) -> bool {
    (0..n).all(|i| at(i, i).into() == 0.0) || n >= 2 && is_matrix(n, at)
}

/// Whether an n×n table has all properties of a distance matrix, up to rounding.
pub(crate) fn is_matrix<T: Value>(n: usize, at: &impl Fn(usize, usize) -> T) -> bool {
    fault(n, at, tolerance_of(n, at), false).is_none()
}

/// Remedy for a matrix of points that looks like distances.
pub(crate) const SAY_WHICH: &str = "if the rows are points, say so with --format point-cloud";

/// Remedy for a matrix whose diagonal is 1 and which has no greater value.
const SIMILARITIES: &str = "similarities such as correlations become distances when they are taken from 1; \
    if the rows are points, say so with --format point-cloud";

/// For an n×n table without a zero diagonal that may still be intended as distances: the place on the diagonal that is
/// not zero, and the remedy.
pub(crate) fn off_zero<T: Value>(n: usize, at: &impl Fn(usize, usize) -> T) -> Option<(usize, &'static str)> {
    let remedy = if looks_like_similarities(n, at) {
        SIMILARITIES
    } else if looks_like_a_matrix(n, at) {
        SAY_WHICH
    } else {
        return None;
    };
    Some(((0..n).find(|&i| at(i, i).into() != 0.0).unwrap_or(0), remedy))
}

/// Whether an n×n table, n ≥ 3, looks like correlations: 1 on the diagonal, magnitudes of at most 1 elsewhere, and
/// symmetric, all up to rounding.
fn looks_like_similarities<T: Value>(n: usize, at: &impl Fn(usize, usize) -> T) -> bool {
    let near = Tolerance(ROUNDING);
    let good = |i: usize, j: usize| at(i, j).into().abs() < 1.0 + ROUNDING && near.agree(at(i, j), at(j, i));
    n >= 3
        && (0..n).all(|i| near.agree(at(i, i), T::from_f64(1.0)))
        && (0..n).all(|i| (0..i).all(|j| good(i, j) && good(j, i)))
}

/// Whether an n×n matrix without a zero diagonal may still be intended as distances: at least three points, valid
/// distances off the diagonal, and symmetric.
fn looks_like_a_matrix<T: Value>(n: usize, at: &impl Fn(usize, usize) -> T) -> bool {
    n >= 3 && is_matrix(n, &|i, j| if i == j { T::from_f64(0.0) } else { at(i, j) })
}

/// Finds a violation, the first one tile by tile. The two entries of a pair may differ if `decided`.
fn fault<T: Value>(
    n: usize,
    at: &impl Fn(usize, usize) -> T,
    tolerance: Tolerance,
    decided: bool,
) -> Option<Fault> {
    let fault_at = |i: usize, j: usize| {
        let (below, above) = (at(i, j), at(j, i));
        if i == j && !below.into().is_nan() && !tolerance.is_zero(below) {
            Some(Fault::Diagonal(i))
        } else if !tolerance.is_distance(below) {
            Some(Fault::Value(i, j))
        } else if !tolerance.is_distance(above) {
            Some(Fault::Value(j, i))
        } else if !decided && !tolerance.agree(below, above) {
            Some(Fault::Asymmetric(i, j))
        } else {
            None
        }
    };
    for rows in (0..n).step_by(TILE) {
        for columns in (0..=rows).step_by(TILE) {
            for i in rows..n.min(rows + TILE) {
                let fault = (columns..(columns + TILE).min(i + 1)).find_map(|j| fault_at(i, j));
                if fault.is_some() {
                    return fault;
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted<T: Value>(
        n: usize,
        at: impl Fn(usize, usize) -> T,
        symmetrize: Option<Symmetrize>,
    ) -> Result<(Vec<T>, Vec<String>), Fault> {
        let mut notes = Vec::new();
        lower_of(n, &at, symmetrize, &mut notes).map(|lower| (lower, notes))
    }

    fn lower<T: Value>(n: usize, at: impl Fn(usize, usize) -> T) -> Result<Vec<T>, Fault> {
        noted(n, at, None).map(|(lower, _)| lower)
    }

    #[test]
    fn every_entry_is_checked_in_every_tile() {
        for n in [1, 2, 31, 32, 33, 65] {
            let good = |i: usize, j: usize| if i == j { 0.0 } else { (i + j) as f32 };
            assert_eq!(lower(n, good).unwrap().len(), n * (n - 1) / 2);
            for i in 0..n {
                for j in 0..n {
                    let spoilt = |r: usize, c: usize| if (r, c) == (i, j) { 0.25 } else { good(r, c) };
                    let want =
                        if i == j { Fault::Diagonal(i) } else { Fault::Asymmetric(i.max(j), i.min(j)) };
                    assert_eq!(lower(n, spoilt), Err(want), "{n} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn nan_and_negative_are_faults_infinity_is_not() {
        let with = |x: f64| move |i: usize, j: usize| if i == j { 0.0 } else { x };
        assert_eq!(lower(3, with(f64::NAN)), Err(Fault::Value(1, 0)));
        assert_eq!(lower(3, with(-1.0)), Err(Fault::Value(1, 0)));
        assert_eq!(lower(3, with(f64::INFINITY)), Ok(vec![f64::INFINITY; 3]));
        let one_way = |i: usize, j: usize| if i > j { f64::INFINITY } else { 0.0 };
        assert_eq!(lower(2, one_way), Err(Fault::Asymmetric(1, 0)));
        let nan_on_the_diagonal = |i: usize, j: usize| if i == j { f64::NAN } else { 1.0 };
        assert_eq!(lower(2, nan_on_the_diagonal), Err(Fault::Value(0, 0)));
    }

    /// Three points whose greatest distance is 8, so that less than 8e-4 is rounding.
    #[test]
    fn rounding_is_measured_by_the_greatest_distance() {
        let with = |below: f64, above: f64, diagonal: f64| {
            move |i: usize, j: usize| match (i, j) {
                _ if i == j => diagonal,
                (1, 0) => below,
                (0, 1) => above,
                _ => 8.0,
            }
        };
        assert_eq!(noted(3, with(1.0, 1.0, 0.0), None), Ok((vec![1.0, 8.0, 8.0], vec![])));
        let (values, notes) = noted(3, with(1.0, 1.0007, -1e-16), None).unwrap();
        assert_eq!(values, [1.0, 8.0, 8.0]);
        let note = &notes[0];
        assert!(note.contains("1 pair of points has two distances that differ, by up to 0.0007:"), "{note}");
        assert!(note.contains("not 0 on the diagonal, by up to 1e-16, 3 times"), "{note}");
        assert_eq!(lower(3, with(-1e-17, 0.0, 0.0)), Ok(vec![0.0, 8.0, 8.0]));
        assert_eq!(lower(3, with(1.0, 1.0009, 0.0)), Err(Fault::Asymmetric(1, 0)));
        assert_eq!(lower(3, with(1.0, 1.0, 8.1e-4)), Err(Fault::Diagonal(0)));
        assert_eq!(lower(3, with(-1e-3, -1e-3, 0.0)), Err(Fault::Value(1, 0)));
        for (which, value) in Symmetrize::ALL.into_iter().zip([1.0, 3.0, 2.0, 3.0, 1.0]) {
            let (values, notes) = noted(3, with(1.0, 3.0, 0.0), Some(which)).unwrap();
            assert_eq!(values, [value, 8.0, 8.0], "{which:?}");
            assert!(notes[0].contains("differ, by up to 2:"));
        }
    }

    #[test]
    fn diagonals_that_tell_a_matrix() {
        let with = |diagonal: f64| move |i: usize, j: usize| if i == j { diagonal } else { 1.0 };
        assert!(has_zero_diagonal(3, &with(0.0)) && has_zero_diagonal(3, &with(2e-16)));
        assert!(has_zero_diagonal(3, &with(-2e-16)) && !has_zero_diagonal(3, &with(0.1)));
        let asymmetric = |i: usize, j: usize| if i == j { 1e-9 } else { i as f64 };
        assert!(!has_zero_diagonal(3, &asymmetric));
        assert!(has_zero_diagonal(1, &with(0.0)) && !has_zero_diagonal(1, &with(1.0)));
    }
}
