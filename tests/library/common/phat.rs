//! A minimal reader of PHAT's binary boundary matrices, for files that are known to be valid.

use std::fs;
use std::path::Path;

use lacuna::matrix::{BoundaryMatrix, Dimension, Index};

/// Reads a file of little-endian i64: the number of columns, then dimension, count and rows of each column.
pub(crate) fn read<I: Index>(path: &Path) -> BoundaryMatrix<I> {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut words = bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")));
    let mut next = || words.next().expect("a whole file") as usize;
    let mut matrix = BoundaryMatrix::new();
    for _ in 0..next() {
        let (dim, count) = (next() as Dimension, next());
        let mut rows: Vec<usize> = (0..count).map(|_| next()).collect();
        rows.sort_unstable();
        matrix.push(dim, &rows).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    matrix
}
