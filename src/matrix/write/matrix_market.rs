//! `matrix-market`: the entries of the matrix as `coordinate pattern`, column by column.

use std::io::{self, Write};

use phat_formats::{BoundaryMatrix, Index};

pub(super) fn write<I: Index>(matrix: &BoundaryMatrix<I>, out: &mut dyn Write) -> io::Result<()> {
    let cells = matrix.len();
    writeln!(out, "%%MatrixMarket matrix coordinate pattern general")?;
    writeln!(out, "{cells} {cells} {}", matrix.entries())?;
    for column in 0..cells {
        for row in matrix.column(column) {
            writeln!(out, "{} {}", row.to_usize() + 1, column + 1)?;
        }
    }
    Ok(())
}
