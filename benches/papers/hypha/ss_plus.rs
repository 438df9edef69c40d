//! Figure 8: SS+ compared with SS.

use std::time::Duration;

use lacuna::matrix::reduction::{Additions, ReductionProblem, spectral_sequence, ss_plus};
use lacuna::matrix::{BoundaryMatrix, Representation};

use super::subject::{FoundPairs, Subject, solve};
use super::{inputs, row};
use crate::Failure;
use crate::rows::{Row, Unit};

/// The initial fraction of high_genus that is reduced with vectors and without clearing: the whole matrix would take
/// minutes.
const PART: usize = 8;

/// A bar of the figure, with the paper's seconds of SS+ and SS.
struct Bar {
    what: String,
    clears: bool,
    paper: Option<[f64; 2]>,
    columns: Representation,
}

/// On high_genus with and without clearing, with bit trees and vectors; on the others with clearing and bit trees.
pub fn figure_8(subject: &Subject<'_>) -> Result<Vec<Row>, Failure> {
    let whole = (&subject.matrix, &subject.pairs);
    let name = |clearing: &str, columns: &str| format!("{clearing}, {columns}");
    let tree = |clears: bool, clearing, paper| Bar {
        what: name(clearing, "bit tree"),
        clears,
        paper,
        columns: Representation::BitTree,
    };
    if subject.set.paper != "high_genus_extended" {
        return bar(subject, whole, &tree(true, "clearing", None));
    }
    let vectors = |clears: bool, clearing, paper| Bar {
        what: name(clearing, "vector"),
        clears,
        paper,
        columns: Representation::Vector,
    };
    let mut rows = bar(subject, whole, &tree(true, "clearing", Some([13.69, 15.20])))?;
    rows.extend(bar(subject, whole, &vectors(true, "clearing", Some([46.15, 65.81])))?);
    rows.extend(bar(subject, whole, &tree(false, "no clearing", Some([131.58, 167.04])))?);
    let part = inputs::first(&subject.matrix, subject.matrix.len() / PART)?;
    // Columns that die later are missing, and the others have the same pairs as in the whole matrix.
    let pairs = subject.pairs.iter().copied().filter(|pair| (pair.1 as usize) < part.len()).collect();
    let mut last = bar(subject, (&part, &pairs), &vectors(false, "no clearing", None))?;
    for row in &mut last {
        row.input = format!("{}; its first {} columns", row.input, part.len());
        row.remark = String::from("of the whole: SS+ 506.91 s, SS 738.19 s, saved 31.3 % in the paper");
    }
    rows.extend(last);
    Ok(rows)
}

/// The rows of a bar, from alternating runs.
fn bar(
    subject: &Subject<'_>,
    (matrix, pairs): (&BoundaryMatrix<u32>, &FoundPairs),
    bar: &Bar,
) -> Result<Vec<Row>, Failure> {
    let once =
        |what: &str, algorithm: fn(&ReductionProblem<'_, u32>) -> Additions| -> Result<Duration, Failure> {
            let solved = solve(matrix, bar.clears, subject.threads, bar.columns, algorithm);
            if solved.pairs == *pairs {
                Ok(solved.took)
            } else {
                Err(format!("{}, {what}: wrong pairs", bar.what).into())
            }
        };
    let mut plain = Vec::new();
    let plus = subject.median(|| {
        plain.push(once("SS", spectral_sequence)?);
        once("SS+", ss_plus)
    })?;
    plain.sort_unstable();
    let (plus, plain) = (plus.as_secs_f64(), plain[plain.len() / 2].as_secs_f64());
    let of = |name: &str| format!("{name}, {}", bar.what);
    let saved = |[plus, plain]: [f64; 2]| 1.0 - plus / plain;
    Ok(vec![
        row(subject, of("SS+"), Unit::Seconds, bar.paper.map(|paper| paper[0]), plus),
        row(subject, of("SS"), Unit::Seconds, bar.paper.map(|paper| paper[1]), plain),
        row(subject, of("saved"), Unit::Fraction, bar.paper.map(saved), saved([plus, plain])),
    ])
}
