//! `npz`, `matrix-market`: boundary matrices in formats for sparse matrices.
//!
//! Rows and columns are the cells in filtration order, facets before cofacets, so the matrix is square and strictly
//! upper triangular. Entries are 1 or −1, which both are one over Z/2; stored zeros are ignored. Such files do not
//! give the dimension of a cell, so it is derived from the columns:
//!
//! | the column of a cell | its dimension |
//! |---|---|
//! | zero | 0: a vertex |
//! | not zero | one more than that of its rows, which is the same for all |
//!
//! A cell without boundary that is not a vertex, such as a circle glued to a point, has a zero column too and is
//! taken for a vertex; cells that it bounds then get a wrong dimension or are refused. An archive may give the
//! dimensions itself, in an array `dims` with a whole number for each cell; DIPHA's and PHAT's formats always do.

use phat_formats::{BoundaryMatrix, Dimension, Index};

use super::complex::{AnyComplex, Content, LoadedComplex};
use crate::input::matrix_market::{self, Dense, Matrix};
use crate::input::npy::Array;
use crate::input::npz::Archive;
use crate::input::triplets::{Triplet, Triplets};
use crate::input::{Place, Problem};

/// Name of the optional array of an archive that gives the dimension of each cell.
const DIMS: &str = "dims";

/// Number of cells that are accepted without entries. Beyond it, at least one cell in [`NAMED`] must have an entry,
/// since a few words in a file can promise any number of cells.
const MOST_UNNAMED: usize = 1 << 24;
const NAMED: usize = 64;

/// Reads the matrix of an archive.
pub(super) fn read_npz(bytes: &[u8]) -> Result<Content, Problem> {
    let archive = Archive::open(bytes)?;
    if !archive.is_sparse() {
        let names: Vec<&str> = archive.names().take(8).collect();
        let found = format!("an archive of the arrays {}", names.join(", "));
        let note = "scipy.sparse.save_npz(\"matrix.npz\", scipy.sparse.csc_matrix(M)) writes one";
        return Err(Problem::whole("a sparse matrix of SciPy", found).note(note));
    }
    let dims = match archive.contains(DIMS) {
        true => Some(dims(&archive)?),
        false => None,
    };
    content(&archive.sparse()?, dims)
}

/// Reads the matrix of a text.
pub(super) fn read_matrix_market(text: &[u8]) -> Result<Content, Problem> {
    match matrix_market::read(text)? {
        Matrix::Sparse(matrix) => content(&matrix, None),
        Matrix::Dense(matrix) => content(&entries_of(&matrix), None),
    }
}

fn entries_of(dense: &Dense) -> Triplets {
    let &Dense { rows, columns, ref values } = dense;
    let entries = values.iter().enumerate().filter(|(_, value)| **value != 0.0);
    let entries = entries.map(|(at, &value)| Triplet { row: at % rows, column: at / rows, value }).collect();
    Triplets { rows, columns, entries, ..Triplets::default() }
}

/// Reads the dimensions in an archive.
fn dims(archive: &Archive<'_>) -> Result<Vec<Dimension>, Problem> {
    let file = archive.read(DIMS)?;
    let given = Array::parse(&file).and_then(|array| array.integers())?;
    let dim = |(cell, &dim): (usize, &i64)| {
        Dimension::try_from(dim).map_err(|_| {
            let expected = format!("dimensions from 0 to {} in {DIMS:?}", Dimension::MAX);
            Problem::whole(expected, format!("{dim} for cell {cell}"))
        })
    };
    given.iter().enumerate().map(dim).collect()
}

fn content(matrix: &Triplets, dims: Option<Vec<Dimension>>) -> Result<Content, Problem> {
    let wrong = |expected: &str, found: String| Problem::whole(expected, found);
    let cells = matrix.columns;
    if matrix.rows != cells {
        let expected = "a square matrix, whose rows and columns are all cells in filtration order";
        return Err(wrong(expected, format!("{} × {cells}", matrix.rows)));
    }
    if matrix.symmetric {
        return Err(wrong("a general matrix, for boundaries go one way", "a symmetric one".into()));
    }
    if cells.saturating_sub(MOST_UNNAMED) > NAMED.saturating_mul(matrix.entries.len()) {
        let found = format!("{cells} cells with {} entries", matrix.entries.len());
        return Err(wrong("a matrix with entries for its cells", found));
    }
    if let Some(dims) = dims.as_ref().filter(|dims| dims.len() != cells) {
        let expected = format!("as many dimensions in {DIMS:?} as cells, {cells}");
        return Err(wrong(&expected, dims.len().to_string()));
    }
    let input = if cells.max(matrix.entries.len()) <= u32::MOST {
        AnyComplex::Narrow(complex(matrix, dims)?)
    } else {
        AnyComplex::Wide(complex(matrix, dims)?)
    };
    Ok(Content { input, warning: None, gives_boundaries: true })
}

/// Builds the complex with given or derived dimensions.
fn complex<I: Index>(matrix: &Triplets, dims: Option<Vec<Dimension>>) -> Result<LoadedComplex<I>, Problem> {
    let mut starts = vec![0; matrix.columns + 1];
    for (at, &Triplet { row, column, value }) in matrix.entries.iter().enumerate() {
        if ![0.0, 1.0, -1.0].contains(&value) {
            let found = format!("{value} in row {row}, column {column}, counted from 0");
            return Err(Problem::new(matrix.place(at), "entries 0, 1 or -1", found));
        }
        starts[column + 1] += usize::from(value != 0.0);
    }
    for column in 0..matrix.columns {
        starts[column + 1] += starts[column];
    }
    let mut next = starts.clone();
    let mut rows = vec![I::default(); starts[matrix.columns]];
    for &Triplet { row, column, .. } in matrix.entries.iter().filter(|entry| entry.value != 0.0) {
        rows[next[column]] = I::from_usize(row);
        next[column] += 1;
    }
    for column in starts.windows(2) {
        rows[column[0]..column[1]].sort_unstable();
    }
    let starts: Vec<I> = starts.into_iter().map(I::from_usize).collect();
    let dims = match dims {
        Some(dims) => dims,
        None => derived_dims(&starts, &rows)?,
    };
    Ok(LoadedComplex::of(BoundaryMatrix::from_parts(dims, starts, rows)?))
}

/// Derives the dimensions of cells from their boundaries.
pub(crate) fn derived_dims<I: Index>(starts: &[I], rows: &[I]) -> Result<Vec<Dimension>, Problem> {
    let mut dims: Vec<Dimension> = Vec::with_capacity(starts.len().saturating_sub(1));
    for (cell, column) in starts.windows(2).enumerate() {
        let facets = &rows[column[0].to_usize()..column[1].to_usize()];
        let dim = match facets.first().map(|facet| facet.to_usize()) {
            Some(facet) if facet < cell => dims[facet].checked_add(1).ok_or_else(|| {
                let expected = format!("a dimension of at most {}", Dimension::MAX);
                Problem::new(Place::Named(format!("cell {cell}")), expected, "a greater one")
            })?,
            // Facets that are not before their cell are refused when the matrix is built.
            _ => 0,
        };
        dims.push(dim);
    }
    Ok(dims)
}
