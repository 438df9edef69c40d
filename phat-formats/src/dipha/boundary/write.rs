//! Writing weighted boundary matrices.

use super::{Flavour, WeightedBoundaryMatrix};
use crate::block::Block;
use crate::dipha::FileType;
use crate::{BoundaryMatrix, Index};
use std::io::{self, Write};

/// Writes a weighted boundary matrix, file type 0, with the cells in the order of the matrix.
///
/// # Errors
/// `out` cannot be written; the numbers of values and cells differ; or a cell has a greater dimension than the
/// complex.
pub fn write_boundary_matrix<I: Index>(
    out: &mut impl Write,
    complex: &WeightedBoundaryMatrix<I>,
    flavour: Flavour,
) -> io::Result<()> {
    let WeightedBoundaryMatrix { matrix, values, max_dim } = complex;
    if values.len() != matrix.len() {
        return Err(invalid(format!("expected {} values, found {}", matrix.len(), values.len())));
    }
    if let Some(dim) = matrix.max_dim().filter(|dim| dim > max_dim) {
        return Err(invalid(format!("expected cells of dimension {max_dim} at most, found {dim}")));
    }
    let mut block = Block::dipha(out, FileType::BoundaryMatrix)?;
    block.word(flavour.code().to_le_bytes())?;
    block.integer(matrix.len() as u64)?;
    block.integer(u64::from(*max_dim))?;
    matrix.dims().iter().try_for_each(|&dim| block.integer(u64::from(dim)))?;
    values.iter().try_for_each(|value| block.word(value.to_le_bytes()))?;
    match flavour {
        Flavour::Boundary => write_lists(&mut block, matrix, |column| matrix.column(column).iter().copied())?,
        Flavour::Coboundary => {
            let mirrored = matrix.anti_transpose();
            let mirror = |i: usize| matrix.len() - 1 - i;
            write_lists(&mut block, matrix, |column| {
                let cofaces = mirrored.column(mirror(column)).iter().rev();
                cofaces.map(move |coface| I::from_usize(mirror(coface.to_usize())))
            })?;
        }
    }
    block.finish()
}

fn invalid(wrong: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, wrong)
}

/// Writes the offsets of the cells' entries, the number of entries, and the entries.
fn write_lists<W: Write, I: Index, L: ExactSizeIterator<Item = I>>(
    block: &mut Block<W>,
    matrix: &BoundaryMatrix<I>,
    list: impl Fn(usize) -> L,
) -> io::Result<()> {
    let mut start = 0;
    for column in 0..matrix.len() {
        block.integer(start)?;
        start += list(column).len() as u64;
    }
    block.integer(start)?;
    for column in 0..matrix.len() {
        list(column).try_for_each(|entry| block.integer(entry.to_usize() as u64))?;
    }
    Ok(())
}
