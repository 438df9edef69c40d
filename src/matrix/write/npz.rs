//! `npz`: the members that `scipy.sparse.save_npz` writes for a matrix in compressed columns, and `dims` with the
//! dimension of each cell, which `scipy.sparse.load_npz` ignores.

use std::io::{self, Write};

use phat_formats::{BoundaryMatrix, Index};

use crate::output::npz::Archive;

pub(super) fn write<I: Index>(matrix: &BoundaryMatrix<I>, out: &mut dyn Write) -> io::Result<()> {
    let (cells, entries) = (matrix.len(), matrix.entries());
    let mut archive = Archive::new(out);
    archive.numbers("indices", &[entries], matrix.rows().iter().map(|row| row.to_usize() as i64))?;
    let offsets = matrix.offsets().iter().map(|offset| offset.to_usize() as i64);
    archive.numbers("indptr", &[cells + 1], offsets)?;
    archive.add("format", &mut format_of_compressed_columns)?;
    archive.numbers("shape", &[2], [cells as i64; 2])?;
    archive.numbers("data", &[entries], std::iter::repeat_n(1_i8, entries))?;
    archive.numbers("dims", &[cells], matrix.dims().iter().map(|&dim| i64::from(dim)))?;
    archive.finish()
}

/// Writes a single string of three bytes, as NumPy stores `numpy.array(b"csc")`.
fn format_of_compressed_columns(out: &mut dyn Write) -> io::Result<()> {
    const HEADER: &str = "{'descr': '|S3', 'fortran_order': False, 'shape': (), }";
    // Magic number, version and length take ten bytes; the data begins at a multiple of 64.
    let padded = format!("{HEADER:<117}\n");
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(padded.len() as u16).to_le_bytes())?;
    out.write_all(padded.as_bytes())?;
    out.write_all(b"csc")
}
