//! Writing text and binary files.

use crate::block::Block;
use crate::{BoundaryMatrix, Index};
use std::io::{self, Write};

/// Writes a text file with one line per column. A matrix without columns becomes a comment, since readers refuse
/// empty files.
///
/// # Errors
/// `out` cannot be written.
pub fn write_ascii<I: Index>(out: &mut impl Write, matrix: &BoundaryMatrix<I>) -> io::Result<()> {
    if matrix.is_empty() {
        return out.write_all(b"# no columns\n");
    }
    let mut block = Block::new(out);
    for column in 0..matrix.len() {
        let rows = matrix.column(column);
        // Numbers are followed by a blank, and the last one of a line by its end.
        let after = |written: usize| if written == rows.len() { b'\n' } else { b' ' };
        block.decimal(u64::from(matrix.dim(column)), after(0))?;
        for (k, row) in rows.iter().enumerate() {
            block.decimal(row.to_usize() as u64, after(k + 1))?;
        }
    }
    block.finish()
}

/// Writes a binary file.
///
/// # Errors
/// `out` cannot be written.
pub fn write_binary<I: Index>(out: &mut impl Write, matrix: &BoundaryMatrix<I>) -> io::Result<()> {
    let mut block = Block::new(out);
    block.integer(matrix.len() as u64)?;
    for column in 0..matrix.len() {
        let rows = matrix.column(column);
        block.integer(u64::from(matrix.dim(column)))?;
        block.integer(rows.len() as u64)?;
        for row in rows {
            block.integer(row.to_usize() as u64)?;
        }
    }
    block.finish()
}
