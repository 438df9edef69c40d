//! `npz`: the members that `scipy.sparse.save_npz` writes for a matrix in compressed columns, and `dims` with the
//! dimension of each cell, which `scipy.sparse.load_npz` ignores.

use std::io::{self, Write};

use npyz::WriterBuilder;
use phat_formats::{BoundaryMatrix, Index};
use rawzip::ZipArchiveWriter;

use crate::output::npz::{add, integers, io_error};

pub(super) fn write<I: Index>(matrix: &BoundaryMatrix<I>, out: &mut dyn Write) -> io::Result<()> {
    let cells = matrix.len() as u64;
    let mut archive = ZipArchiveWriter::new(out);
    add(&mut archive, "indices", &|member| {
        let mut array = integers(&[matrix.entries() as u64], member)?;
        array.extend(matrix.rows().iter().map(|row| row.to_usize() as i64))?;
        array.finish()
    })?;
    add(&mut archive, "indptr", &|member| {
        let mut array = integers(&[cells + 1], member)?;
        array.extend(matrix.offsets().iter().map(|offset| offset.to_usize() as i64))?;
        array.finish()
    })?;
    add(&mut archive, "format", &format_of_compressed_columns)?;
    add(&mut archive, "shape", &|member| {
        let mut array = integers(&[2], member)?;
        array.extend([cells as i64; 2])?;
        array.finish()
    })?;
    add(&mut archive, "data", &|member| {
        let mut array = npyz::WriteOptions::new()
            .default_dtype()
            .shape(&[matrix.entries() as u64])
            .writer(member)
            .begin_nd()?;
        array.extend(std::iter::repeat_n(1_i8, matrix.entries()))?;
        array.finish()
    })?;
    add(&mut archive, "dims", &|member| {
        let mut array = integers(&[cells], member)?;
        array.extend(matrix.dims().iter().map(|&dim| i64::from(dim)))?;
        array.finish()
    })?;
    archive.finish().map_err(io_error).map(drop)
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
