//! `distance`: a square matrix as text.
//!
//! One row per line, n rows of n numbers. The diagonal is zero, or births if so requested. Both triangles are read and
//! must agree up to rounding. The lower one is used, as in Ripser, which reads nothing else, unless an option chooses
//! otherwise. `inf` means "never connected".

use super::Context;
use super::text::{self, Table};
use crate::input::Problem;
use crate::metric::DistanceMatrix;
use crate::metric::matrix::counted;
use crate::metric::square;

/// Makes the matrix from the table of `text`, and adds notes on corrections.
pub(super) fn read(text: &[u8], table: Table, context: &mut Context) -> Result<DistanceMatrix<f32>, Problem> {
    check_square(text, &table)?;
    let n = table.rows();
    let problem = |i: usize, j: usize, expected: &str| text::value_problem(text, i * n + j, expected);
    square::matrix(n, &|i, j| table.values[i * n + j], context, &problem)
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
    let problem = Problem::whole(expected, format!("{} rows", table.rows()));
    Err(match table.rows().abs_diff(width) {
        1 => problem
            .note("--skip-rows 1 leaves out a line of labels at the top, --columns 2- a column of them"),
        _ => problem,
    })
}
