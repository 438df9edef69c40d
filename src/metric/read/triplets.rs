//! Distances as the entries of a sparse matrix: `npz` archives of SciPy and Matrix Market's `coordinate` files.
//!
//! Pairs without an entry are never connected, and a stored 0 is a distance. A pair may be given by one entry or by
//! both, (i, j) and (j, i), which must agree up to rounding; then the one below the diagonal is used, unless an option
//! chooses otherwise. Diagonal entries must be 0, or are births if so requested.

use super::Input;
use super::diagonal::{self, BIRTH, Entries};
use super::error::{Place, Problem};
use crate::input::triplets::Triplets;
use crate::metric::square::{ASYMMETRIC, DIAGONAL, DISTANCE, Rounding, Tolerance};
use crate::metric::{Distances, SparseDistances};
use std::cmp::Reverse;

/// Maximal number of points, so that a short file cannot ask for gigabytes.
const POINTS: usize = 1 << 24;

/// Reads the distances of a matrix, with notes on corrections.
pub(super) fn read(matrix: &Triplets, asked: Entries) -> Result<(Input, Vec<String>), Problem> {
    let symmetrize = asked.symmetrize;
    let Triplets { rows, columns, entries, .. } = matrix;
    let shape = |expected: &str| Problem::new(Place::Whole, expected, format!("{rows} × {columns}"));
    if rows != columns {
        return Err(shape("a square sparse matrix, a row and a column for each point"));
    }
    if !(1..=POINTS).contains(rows) {
        return Err(shape("a sparse matrix of 1 to 16777216 points"));
    }
    let tolerance = Tolerance::of(entries.iter().filter(|e| e.row != e.column).map(|e| e.value));
    let mut rounding = Rounding::default();
    let mut pairs = Vec::with_capacity(entries.len());
    let mut births: Vec<Option<f64>> = if asked.has_births() { vec![None; *rows] } else { Vec::new() };
    for (k, entry) in entries.iter().enumerate() {
        let problem = |expected| {
            let found = format!("{} in row {}, column {} from 0", entry.value, entry.row, entry.column);
            Problem::new(matrix.place(k), expected, found)
        };
        if entry.row == entry.column && asked.has_births() {
            if !diagonal::is_birth(entry.value) {
                return Err(problem(BIRTH));
            }
            if births[entry.row].replace(entry.value).is_some() {
                return Err(problem("every entry once"));
            }
        } else if entry.row == entry.column {
            if !tolerance.is_zero(entry.value) {
                return Err(problem(DIAGONAL));
            }
            rounding.on_diagonal(entry.value);
        } else if !tolerance.is_distance(entry.value) {
            return Err(problem(DISTANCE));
        } else {
            pairs.push(k);
        }
    }
    // Sorted by pair; within a pair the entry below the diagonal comes first.
    let key = |&k: &usize| {
        let entry = &entries[k];
        (entry.row.max(entry.column), entry.row.min(entry.column), Reverse(entry.row))
    };
    pairs.sort_by_key(key);
    let mut edges = Vec::with_capacity(pairs.len());
    for of_pair in pairs.chunk_by(|a, b| (key(a).0, key(a).1) == (key(b).0, key(b).1)) {
        let (i, j, _) = key(&of_pair[0]);
        let first = entries[of_pair[0]];
        let second = of_pair.get(1).map_or(first, |&k| entries[k]);
        let problem = |k: usize, expected: String| {
            let entry = &entries[k];
            let found = format!("{} in row {}, column {} from 0", entry.value, entry.row, entry.column);
            Problem::new(matrix.place(k), expected, found)
        };
        if of_pair.len() > 2 || of_pair.len() == 2 && first.row == second.row {
            let twice = if of_pair.len() == 2 || entries[of_pair[1]].row == first.row { 1 } else { 2 };
            return Err(problem(of_pair[twice], "every entry once".into()));
        }
        if symmetrize.is_none() && !tolerance.agree(first.value, second.value) {
            let expected = format!("the same distance as in row {j}, column {i}: {}", second.value);
            return Err(problem(of_pair[0], expected).note(ASYMMETRIC));
        }
        edges.push((i as u32, j as u32, rounding.choose(first.value, second.value, symmetrize)));
    }
    let births: Vec<f64> = births.into_iter().map(Option::unwrap_or_default).collect();
    let mut note = rounding.note(symmetrize);
    if asked.has_births() {
        let points = edges.iter_mut().map(|(i, j, d): &mut (u32, u32, f64)| (*i as usize, *j as usize, d));
        let raised = diagonal::raise(&births, points, tolerance).map_err(|early| {
            let is_it = |&k: &usize| (key(&k).0, key(&k).1) == (early.i, early.j);
            let k = pairs.iter().copied().find(is_it).unwrap_or_default();
            let entry = &entries[k];
            let found = format!("{} in row {}, column {} from 0", entry.value, entry.row, entry.column);
            Problem::new(matrix.place(k), early.expected, found)
        })?;
        note = diagonal::joined(note, raised);
    }
    let mut graph = SparseDistances::new(*rows, edges).map_err(super::metric_problem)?;
    if asked.has_births() {
        graph = graph.with_births(births).map_err(super::metric_problem)?;
    }
    Ok((Input::Double(Distances::Sparse(graph)), note.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::triplets::Triplet;
    use crate::metric::read::{Diagonal, Symmetrize};

    fn matrix(n: usize, entries: &[(usize, usize, f64)]) -> Triplets {
        let entries = entries.iter().map(|&(row, column, value)| Triplet { row, column, value }).collect();
        Triplets { rows: n, columns: n, entries, ..Triplets::default() }
    }

    fn entries(symmetrize: Option<Symmetrize>) -> Entries {
        Entries { symmetrize, ..Entries::default() }
    }

    fn edges(matrix: &Triplets, symmetrize: Option<Symmetrize>) -> Result<Vec<(u32, u32, f64)>, String> {
        match read(matrix, entries(symmetrize)) {
            Ok((Input::Double(Distances::Sparse(graph)), _)) => {
                Ok(graph.edges().iter().map(|e| (e.i, e.j, e.distance)).collect())
            }
            Ok(other) => panic!("{other:?}"),
            Err(problem) => Err(problem.to_string()),
        }
    }

    #[test]
    fn one_triangle_or_both() {
        let want = Ok(vec![(1, 0, 1.0), (2, 1, 5.0)]);
        for entries in [
            &[(0, 1, 1.0), (2, 1, 5.0)][..],
            &[(1, 0, 1.0), (2, 1, 5.0), (0, 1, 1.0), (1, 2, 5.0001), (2, 2, 0.0)],
            &[(0, 1, 1.0), (1, 2, 5.0001), (2, 1, 5.0), (1, 1, -1e-16)],
        ] {
            assert_eq!(edges(&matrix(3, entries), None), want);
        }
        let (_, notes) =
            read(&matrix(3, &[(0, 1, 1.00001), (1, 0, 1.0), (2, 2, 1e-9)]), entries(None)).unwrap();
        assert!(notes[0].contains("1 pair of points has") && notes[0].contains("diagonal, by up to 1e-9"));
    }

    #[test]
    fn what_is_no_metric() {
        for (entries, fragment) in [
            (&[(0, 1, 1.0), (1, 0, 2.0)][..], "row 0, column 1: 1, found 2 in row 1, column 0"),
            (&[(0, 1, 1.0), (0, 1, 1.0)], "every entry once"),
            (&[(0, 1, 1.0), (1, 0, 1.0), (0, 1, 1.0)], "every entry once"),
            (&[(1, 1, 1.0)], "0 on the diagonal"),
            (&[(0, 1, -1.0)], "non-negative"),
            (&[(0, 1, f64::NAN)], "non-negative"),
        ] {
            let error = edges(&matrix(3, entries), None).unwrap_err();
            assert!(error.contains(fragment), "{error}");
        }
        let two = matrix(3, &[(0, 1, 1.0), (1, 0, 2.0)]);
        for (which, value) in Symmetrize::ALL.into_iter().zip([2.0, 1.0, 1.5, 2.0, 1.0]) {
            assert_eq!(edges(&two, Some(which)), Ok(vec![(1, 0, value)]));
        }
        assert!(edges(&matrix(0, &[]), None).is_err() && edges(&matrix(1 << 25, &[]), None).is_err());
    }

    #[test]
    fn births_on_the_diagonal() {
        let asked = Entries { diagonal: Diagonal::Births, ..Entries::default() };
        let found = |entries: &[(usize, usize, f64)]| match read(&matrix(4, entries), asked) {
            Ok((Input::Double(Distances::Sparse(graph)), notes)) => {
                let lengths = graph.edges().iter().map(|edge| edge.distance).collect::<Vec<_>>();
                Ok((graph.births().map(<[f64]>::to_vec), lengths, notes.concat()))
            }
            Ok(other) => panic!("{other:?}"),
            Err(problem) => Err(problem.to_string()),
        };
        let (births, lengths, notes) = found(&[(0, 1, 2.0), (1, 1, 1.5), (3, 3, f64::INFINITY)]).unwrap();
        assert_eq!((births, lengths), (Some(vec![0.0, 1.5, 0.0, f64::INFINITY]), vec![2.0]));
        assert!(notes.is_empty());
        let (_, lengths, notes) = found(&[(0, 1, 2.0), (1, 0, 2.0), (1, 1, 2.0001)]).unwrap();
        assert_eq!((lengths, notes.contains("1 edge was born before")), (vec![2.0001], true));
        for (entries, fragment) in [
            (&[(0, 1, 2.0), (1, 1, 2.5)][..], "at least the birth of point 1, 2.5"),
            (&[(0, 0, -1.0)], "a birth"),
            (&[(0, 0, f64::NAN)], "a birth"),
            (&[(2, 2, 1.0), (2, 2, 1.0)], "every entry once"),
        ] {
            let error = found(entries).unwrap_err();
            assert!(error.contains(fragment), "{error}");
        }
    }
}
