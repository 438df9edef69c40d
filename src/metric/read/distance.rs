//! `distance`: a square matrix as text.
//!
//! One row per line, n rows of n numbers. The diagonal is zero, or births if so requested. Both triangles are read and
//! must agree up to rounding. The lower one is used, as in Ripser, which reads nothing else, unless an option chooses
//! otherwise. `inf` means "never connected".

use super::diagonal::{self, Entries};
use super::error::{Place, Problem};
use super::text::{self, Table, entries as counted};
use crate::input::text::quote;
use crate::metric::DistanceMatrix;
use crate::metric::square::{self, SquareFault};

/// Makes the matrix from the table of `text`, with a note on corrections.
pub(super) fn read(
    text: &[u8],
    table: Table,
    entries: Entries,
) -> Result<(DistanceMatrix<f32>, Option<String>), Problem> {
    table.check_any(text)?;
    check_square(text, &table)?;
    let n = table.rows();
    let faulty = |fault| fault_problem(text, n, fault);
    let entry = |i, j, expected: &str| text::value_problem(text, i * n + j, expected);
    diagonal::matrix(n, |i, j| table.values[i * n + j], entries, faulty, entry)
}

/// Rejects a table that is not n rows of n numbers.
fn check_square(text: &[u8], table: &Table) -> Result<(), Problem> {
    let triangle = table.rows() > 1
        && (table.row_lens().eq(1..=table.rows()) || table.row_lens().eq((1..=table.rows()).rev()));
    let width = table.check_width(text).map_err(|problem| match triangle {
        true if table.row_len(0) == 1 => {
            problem.note("rows that grow by one are a lower triangle: --format lower-distance")
        }
        true => problem.note("rows that shrink by one are an upper triangle: --format upper-distance"),
        false => problem,
    })?;
    if width == table.rows() {
        return Ok(());
    }
    let expected = format!("a square matrix, {width} rows of {}", counted(width));
    let problem = Problem::new(Place::Whole, expected, format!("{} rows", table.rows()));
    Err(match table.rows().abs_diff(width) {
        1 => problem
            .note("--skip-rows 1 leaves out a line of labels at the top, --columns 2- a column of them"),
        _ => problem,
    })
}

fn fault_problem(text: &[u8], n: usize, fault: SquareFault) -> Problem {
    match fault {
        SquareFault::Diagonal(i) => text::value_problem(text, i * n + i, square::DIAGONAL),
        SquareFault::Value(i, j) => text::value_problem(text, i * n + j, square::DISTANCE),
        SquareFault::Asymmetric(i, j) => {
            let (place, token) = text::locate(text, j * n + i);
            let expected = format!("the same distance as {place}{}", quote(token));
            text::value_problem(text, i * n + j, expected).note(square::ASYMMETRIC)
        }
    }
}
