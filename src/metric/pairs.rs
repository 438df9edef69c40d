//! Graphs from lists of entries: sparse matrices and edge lists, for all formats that hold one.
//!
//! Pairs without an entry are never connected, and a stored 0 is a distance. A pair may be given by one entry or by
//! both, (i, j) and (j, i), which must agree up to rounding; then the one below the diagonal is used, unless an option
//! chooses otherwise. Diagonal entries must be 0, or are births if so requested; then a point without such an entry is
//! born at 0.

use std::cmp::Reverse;

use super::births::{self, BIRTH, is_birth};
use super::read::{Context, nothing_to_symmetrize};
use super::square::{ASYMMETRIC, DIAGONAL, DISTANCE, Rounding, Tolerance};
use super::{SparseDistances, Value};
use crate::input::Problem;

/// An entry of a list. Rows and columns are points, 0-based.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry<T> {
    pub(crate) row: u32,
    pub(crate) column: u32,
    pub(crate) value: T,
}

impl<T> Entry<T> {
    /// The pair of points, the greater one first.
    pub(crate) fn pair(&self) -> (u32, u32) {
        (self.row.max(self.column), self.row.min(self.column))
    }

    /// Whether the entry joins a point to itself.
    pub(crate) fn is_diagonal(&self) -> bool {
        self.row == self.column
    }
}

/// Multiplicity of the pairs of different points in a list of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listed {
    /// Every pair occurs once.
    Once,
    /// Some or all pairs occur in both directions, with the same distance up to rounding.
    BothWays,
    /// Some pair occurs twice in one direction, or with two distances.
    Again,
}

/// Determines how often the pairs of different points occur.
pub(crate) fn listed<T: Value>(entries: &[Entry<T>]) -> Listed {
    let mut sorted: Vec<Entry<T>> = entries.iter().copied().filter(|entry| !entry.is_diagonal()).collect();
    let tolerance = Tolerance::of(sorted.iter().map(|entry| entry.value));
    sorted.sort_unstable_by_key(|entry| (entry.pair(), entry.row));
    let mut listed = Listed::Once;
    for of_pair in sorted.chunk_by(|a, b| a.pair() == b.pair()) {
        match of_pair {
            [_] => {}
            [a, b] if a.row != b.row && tolerance.agree(a.value, b.value) => listed = Listed::BothWays,
            _ => return Listed::Again,
        }
    }
    listed
}

/// Makes the graph of `n` points with these entries, and adds notes for the user. `problem` makes the error of an
/// entry, given by its place in the list, that is not what is expected.
pub(crate) fn graph<T: Value>(
    n: usize,
    entries: &[Entry<T>],
    context: &mut Context,
    problem: &dyn Fn(usize, &str) -> Problem,
) -> Result<SparseDistances<T>, Problem> {
    let options = &context.options;
    let has_births = options.has_births();
    let distances = entries.iter().filter(|entry| !entry.is_diagonal()).map(|entry| entry.value);
    let tolerance = Tolerance::of(distances);
    let mut rounding = Rounding::default();
    for (k, entry) in entries.iter().enumerate() {
        let expected = match (entry.is_diagonal(), has_births) {
            (false, _) if !tolerance.is_distance(entry.value) => DISTANCE,
            (true, true) if !is_birth(entry.value) => BIRTH,
            (true, false) if !tolerance.is_zero(entry.value) => DIAGONAL,
            (true, false) => {
                rounding.on_diagonal(entry.value);
                continue;
            }
            _ => continue,
        };
        return Err(problem(k, expected));
    }
    let mut listed: Vec<Entry<T>> =
        entries.iter().copied().filter(|entry| has_births || !entry.is_diagonal()).collect();
    // Sorted by pair; within a pair the entry below the diagonal comes first.
    listed.sort_unstable_by_key(|entry| (entry.pair(), Reverse(entry.row)));
    if options.symmetrize.is_some() && listed.windows(2).all(|two| two[0].pair() != two[1].pair()) {
        return Err(nothing_to_symmetrize("one distance for each pair"));
    }
    let mut births = vec![T::from_f64(0.0); if has_births { n } else { 0 }];
    let mut edges = Vec::with_capacity(listed.len());
    for of_pair in listed.chunk_by(|a, b| a.pair() == b.pair()) {
        let (below, above) = match *of_pair {
            [only] => (only, only),
            [below, above] if below.row != above.row => (below, above),
            _ => return Err(given_again(entries, of_pair[0].pair(), problem)),
        };
        if below.is_diagonal() {
            births[below.row as usize] = below.value;
            continue;
        }
        if options.symmetrize.is_none() && !tolerance.agree(below.value, above.value) {
            return Err(two_distances(entries, below.pair(), problem));
        }
        let (i, j) = below.pair();
        edges.push((i, j, rounding.choose(below.value, above.value, options.symmetrize)));
    }
    drop(listed);
    rounding.note(options.symmetrize, &mut context.notes);
    if !has_births {
        return SparseDistances::new(n, edges);
    }
    let pairs = edges.iter_mut().map(|(i, j, distance)| (*i as usize, *j as usize, distance));
    let place = |i, j| places_of(entries, (i as u32, j as u32)).next().unwrap_or_default();
    let early = |i: usize, j: usize, expected: &str| problem(place(i, j), expected);
    births::raise(&births, pairs, tolerance, early, &mut context.notes)?;
    SparseDistances::new(n, edges)?.with_births(births)
}

/// The places in the list of the entries of a pair.
fn places_of<T>(entries: &[Entry<T>], pair: (u32, u32)) -> impl Iterator<Item = usize> {
    entries.iter().enumerate().filter(move |(_, entry)| entry.pair() == pair).map(|(k, _)| k)
}

/// The error for a pair with two different distances.
fn two_distances<T: Value>(
    entries: &[Entry<T>],
    pair: (u32, u32),
    problem: &dyn Fn(usize, &str) -> Problem,
) -> Problem {
    let places: Vec<usize> = places_of(entries, pair).collect();
    let Problem { place, found, .. } = problem(places[0], "");
    problem(places[1], &format!("the same distance as {place}{found}")).note(ASYMMETRIC)
}

/// The error for a pair given twice in one direction.
fn given_again<T: Value>(
    entries: &[Entry<T>],
    pair: (u32, u32),
    problem: &dyn Fn(usize, &str) -> Problem,
) -> Problem {
    let places: Vec<usize> = places_of(entries, pair).collect();
    let earlier =
        |k: usize| places[..k].iter().find(|&&other| entries[other].row == entries[places[k]].row).copied();
    let (first, second) =
        (0..places.len()).find_map(|k| Some((earlier(k)?, places[k]))).unwrap_or((places[0], places[0]));
    let place = problem(first, "").place.to_string();
    let first = place.strip_suffix(": ").unwrap_or("an earlier entry");
    let expected = format!("every pair of points once in a direction ({first} has this one)");
    Problem { found: format!("points {} and {} again", pair.0, pair.1), ..problem(second, &expected) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::MetricError;
    use crate::metric::read::{Diagonal, DistanceOptions};

    /// Edges, births and notes, or the message of the error.
    type Found = Result<(Vec<(u32, u32, f64)>, Option<Vec<f64>>, String), String>;

    fn read(n: usize, entries: &[(u32, u32, f64)], options: &DistanceOptions) -> Found {
        let entry = |&(row, column, value): &(u32, u32, f64)| Entry { row, column, value };
        let entries: Vec<Entry<f64>> = entries.iter().map(entry).collect();
        let problem = |k: usize, expected: &str| {
            let Entry { row, column, value } = entries[k];
            MetricError::of_entry(row as usize, column as usize, expected, value)
        };
        let mut context = Context::new(options.clone());
        let graph = graph(n, &entries, &mut context, &problem).map_err(|problem| problem.to_string())?;
        let edges = graph.edges().iter().map(|e| (e.i, e.j, e.distance)).collect();
        Ok((edges, graph.births().map(<[f64]>::to_vec), context.notes.concat()))
    }

    #[test]
    fn one_triangle_or_both() {
        let want = Ok(vec![(1, 0, 1.0), (2, 1, 5.0)]);
        for entries in [
            &[(0, 1, 1.0), (2, 1, 5.0)][..],
            &[(1, 0, 1.0), (2, 1, 5.0), (0, 1, 1.0), (1, 2, 5.0001), (2, 2, 0.0)],
            &[(0, 1, 1.0), (1, 2, 5.0001), (2, 1, 5.0), (1, 1, -1e-16)],
        ] {
            let read = read(3, entries, &DistanceOptions::default());
            assert_eq!(read.map(|(edges, ..)| edges), want);
        }
        let rounded = [(0, 1, 1.00001), (1, 0, 1.0), (2, 2, 1e-9)];
        let (_, _, notes) = read(3, &rounded, &DistanceOptions::default()).unwrap();
        assert!(notes.contains("1 pair of points has") && notes.contains("diagonal, by up to 1e-9"));
    }

    #[test]
    fn births_on_the_diagonal() {
        let options = DistanceOptions { diagonal: Diagonal::Births, ..DistanceOptions::default() };
        let found = |entries: &[(u32, u32, f64)]| read(4, entries, &options);
        let (edges, births, notes) = found(&[(0, 1, 2.0), (1, 1, 1.5), (3, 3, f64::INFINITY)]).unwrap();
        assert_eq!((births, edges), (Some(vec![0.0, 1.5, 0.0, f64::INFINITY]), vec![(1, 0, 2.0)]));
        assert!(notes.is_empty());
        let (edges, _, notes) = found(&[(0, 1, 2.0), (1, 0, 2.0), (1, 1, 2.0001)]).unwrap();
        assert_eq!((edges, notes.contains("1 edge was born before")), (vec![(1, 0, 2.0001)], true));
        for (entries, fragment) in [
            (&[(0, 1, 2.0), (1, 1, 2.5)][..], "at least the birth of point 1, 2.5"),
            (&[(0, 0, -1.0)], "a birth"),
            (&[(0, 0, f64::NAN)], "a birth"),
            (&[(2, 2, 1.0), (2, 2, 1.0)], "every pair of points once"),
        ] {
            let error = found(entries).unwrap_err();
            assert!(error.contains(fragment), "{error}");
        }
    }
}
