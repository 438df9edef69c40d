//! Conversions from `sprs` matrices to distances and boundary matrices, and from boundary matrices back.
//!
//! ```
//! use lacuna::interop::sprs::boundary_matrix;
//! use lacuna::matrix::{Plan, ReductionRequest, reduce};
//! use sprs::CsMatI;
//!
//! // A triangle without its inside: vertices 0 to 2, edges 3 to 5. Column j is the boundary of cell j.
//! let (starts, rows) = (vec![0, 0, 0, 0, 2, 4, 6], vec![0, 1, 0, 2, 1, 2]);
//! let matrix: CsMatI<i8, u32> = CsMatI::new_csc((6, 6), starts, rows, vec![1, -1, 1, -1, 1, -1]);
//! let matrix = boundary_matrix(matrix, None)?;
//! let (plan, _reasons) = Plan::choose(&matrix, &ReductionRequest::default());
//! assert_eq!(reduce(&matrix, &plan).pairs, [(1, 3), (2, 4)]);
//! # Ok::<(), lacuna::interop::sprs::BoundaryArrayError>(())
//! ```

use ::sprs::{CsMatI, CsMatViewI, SpIndex};

use super::not_square;
use crate::input::{Place, Problem};
use crate::matrix::read::derived_dims;
use crate::matrix::{BoundaryMatrix, Dimension, Index};
use crate::metric::pairs::{self, Entry};
use crate::metric::read::Context;
use crate::metric::{MetricError, SparseDistances, Value};

/// Stored entries are edges, including stored zeros; pairs of points without an entry are never connected.
///
/// A pair may be given by one entry, of either triangle, or by both, (i, j) and (j, i), which must agree up to 1e-4
/// of the greatest finite entry; the one below the diagonal is used. Entries of the diagonal must be 0.
///
/// ```
/// use lacuna::metric::SparseDistances;
/// use sprs::TriMat;
///
/// let mut entries = TriMat::new((3, 3));
/// entries.add_triplet(0, 1, 0.5);
/// entries.add_triplet(2, 1, 1.5);
/// let matrix: sprs::CsMat<f64> = entries.to_csr();
/// let distances = SparseDistances::try_from(matrix.view())?;
/// assert_eq!((distances.len(), distances.edges().len()), (3, 2));
/// # Ok::<(), lacuna::metric::MetricError>(())
/// ```
impl<T: Value, I: SpIndex, Iptr: SpIndex> TryFrom<CsMatViewI<'_, T, I, Iptr>> for SparseDistances<T> {
    type Error = MetricError;

    fn try_from(matrix: CsMatViewI<'_, T, I, Iptr>) -> Result<Self, MetricError> {
        let (rows, columns) = matrix.shape();
        if rows != columns {
            return Err(not_square(rows, columns));
        }
        if rows > u32::MAX as usize {
            return Err(MetricError::too_many(rows));
        }
        let entry = |(&value, (row, column)): (&T, (I, I))| Entry {
            row: row.index() as u32,
            column: column.index() as u32,
            value,
        };
        let entries: Vec<Entry<T>> = matrix.iter().map(entry).collect();
        let problem = |k: usize, expected: &str| {
            let Entry { row, column, value } = entries[k];
            MetricError::of_entry(row as usize, column as usize, expected, value)
        };
        pairs::graph(rows, &entries, &mut Context::default(), &problem).map_err(MetricError::without_note)
    }
}

/// The error of a sparse matrix that is not a boundary matrix. Its place names a row and column, a column or a cell.
pub type BoundaryArrayError = Problem;

/// Converts a sparse matrix to a boundary matrix over Z/2. Rows and columns are the cells in filtration order, facets
/// before cofacets, and entries are 1 or −1; stored zeros are ignored. A matrix compressed by columns is moved
/// without a copy.
///
/// `dims` are the dimensions of the cells. Without them they are derived: a cell with a zero column is a vertex, and
/// any other has one dimension more than the cells of its boundary.
///
/// # Errors
/// The matrix is not square; an entry is neither 0, 1 nor −1; the numbers of dimensions and
/// cells differ; or a column is not a boundary.
pub fn boundary_matrix<N, I>(
    matrix: CsMatI<N, I>,
    dims: Option<Vec<Dimension>>,
) -> Result<BoundaryMatrix<I>, BoundaryArrayError>
where
    N: Copy + Default + Into<f64>,
    I: Index + SpIndex,
{
    let (rows, columns) = matrix.shape();
    if rows != columns {
        let expected = "a square matrix, whose rows and columns are all cells in filtration order";
        return Err(Problem::whole(expected, format!("{rows} × {columns}")));
    }
    if let Some(found) = dims.as_ref().map(Vec::len).filter(|&found| found != columns) {
        return Err(Problem::whole(format!("a dimension for each of {columns} cells"), found));
    }
    let coefficients = matrix.iter().map(|(&found, place)| (found.into(), place));
    if let Some((found, (row, column))) =
        coefficients.into_iter().find(|(found, _)| ![0.0, 1.0, -1.0].contains(found))
    {
        let place = Place::Named(format!("row {}, column {}", row.index(), column.index()));
        return Err(Problem::new(place, "an entry 0, 1 or -1", found));
    }
    let (starts, rows, entries) = if matrix.is_csc() { matrix } else { matrix.to_csc() }.into_raw_storage();
    let (starts, rows) = without_zeros(starts, rows, &entries);
    let dims = match dims {
        Some(dims) => dims,
        None => derived_dims(&starts, &rows)?,
    };
    Ok(BoundaryMatrix::from_parts(dims, starts, rows)?)
}

/// Removes stored zeros; returns the column starts and the rows.
fn without_zeros<N, I>(starts: Vec<I>, rows: Vec<I>, entries: &[N]) -> (Vec<I>, Vec<I>)
where
    N: Copy + Into<f64>,
    I: Index,
{
    let is_zero = |entry: &N| (*entry).into() == 0.0;
    if !entries.iter().any(is_zero) {
        return (starts, rows);
    }
    let (mut left, mut ends) = (Vec::with_capacity(rows.len()), vec![I::default()]);
    for column in starts.windows(2) {
        let range = column[0].to_usize()..column[1].to_usize();
        let ones = range.filter(|&place| !is_zero(&entries[place]));
        left.extend(ones.map(|place| rows[place]));
        ends.push(I::from_usize(left.len()));
    }
    (ends, left)
}

/// Converts a boundary matrix to an `sprs` matrix, compressed by columns, whose entries are all 1, and the dimensions
/// of its cells. Rows and column starts are moved without a copy.
///
/// ```
/// use lacuna::interop::sprs::{boundary_matrix, csc};
/// use lacuna::matrix::BoundaryMatrix;
///
/// let mut edge = BoundaryMatrix::<u32>::new();
/// edge.push(0, &[])?;
/// edge.push(0, &[])?;
/// edge.push(1, &[0, 1])?;
/// let (matrix, dims) = csc(edge.clone());
/// assert_eq!((matrix.shape(), matrix.get(1, 2)), ((3, 3), Some(&1)));
/// assert_eq!(boundary_matrix(matrix, Some(dims))?, edge);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn csc<I: Index + SpIndex>(matrix: BoundaryMatrix<I>) -> (CsMatI<i8, I>, Vec<Dimension>) {
    let (dims, starts, rows) = matrix.into_parts();
    let ones = vec![1; rows.len()];
    (CsMatI::new_csc((dims.len(), dims.len()), starts, rows, ones), dims)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sprs::{CsMat, TriMat, TriMatI};

    fn distances(n: usize, entries: &[(usize, usize, f64)]) -> Result<Vec<(u32, u32, f64)>, MetricError> {
        let mut matrix = TriMat::new((n, n));
        entries.iter().for_each(|&(row, column, distance)| matrix.add_triplet(row, column, distance));
        let (by_rows, by_columns): (CsMat<f64>, CsMat<f64>) = (matrix.to_csr(), matrix.to_csc());
        let found = SparseDistances::try_from(by_rows.view());
        assert_eq!(found.is_ok(), SparseDistances::try_from(by_columns.view()).is_ok());
        Ok(found?.edges().iter().map(|edge| (edge.i, edge.j, edge.distance)).collect())
    }

    #[test]
    fn distances_of_one_triangle_or_both() {
        let expected = Ok(vec![(1, 0, 1.0), (2, 1, 0.0)]);
        assert_eq!(distances(3, &[(0, 1, 1.0), (1, 2, 0.0)]), expected);
        assert_eq!(distances(3, &[(1, 0, 1.0), (1, 2, 0.0), (2, 2, 0.0)]), expected);
        assert_eq!(distances(3, &[(1, 0, 1.0), (0, 1, 1.00001), (2, 1, -1e-12)]), expected);
    }

    #[test]
    fn entries_that_are_no_distances() {
        assert_eq!(distances(0, &[]), Err(MetricError::empty()));
        for (entries, message) in [
            (&[(1, 1, 1.0)][..], "row 1, column 1: expected 0 on the diagonal, found 1"),
            (&[(0, 1, -1.0)], "row 0, column 1: expected a non-negative distance or inf, found -1"),
            (&[(0, 1, f64::NAN)], "row 0, column 1: expected a non-negative distance or inf, found NaN"),
            (&[(0, 1, 1.0), (1, 0, 2.0)], "expected the same distance as row "),
        ] {
            let error = distances(2, entries).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        let oblong: CsMat<f64> = CsMat::zero((2, 3));
        let error = SparseDistances::try_from(oblong.view()).unwrap_err();
        assert_eq!(error, not_square(2, 3));
    }

    /// A matrix with the given entries (row, column, entry).
    fn cells(n: usize, entries: &[(usize, usize, i8)]) -> CsMatI<i8, u32> {
        let mut matrix = TriMatI::<i8, u32>::new((n, n));
        entries.iter().for_each(|&(row, column, entry)| matrix.add_triplet(row, column, entry));
        matrix.to_csc()
    }

    const EDGE: [(usize, usize, i8); 2] = [(0, 2, 1), (1, 2, -1)];

    #[test]
    fn boundaries_with_dimensions_given_or_derived() {
        let edge = boundary_matrix(cells(3, &EDGE), None).unwrap();
        assert_eq!((edge.dims(), edge.column(2)), (&[0, 0, 1][..], &[0, 1][..]));
        assert_eq!(boundary_matrix(cells(3, &EDGE), Some(vec![0, 0, 1])).unwrap(), edge);
        assert_eq!(boundary_matrix(cells(3, &EDGE).to_csr(), None).unwrap(), edge);
        let stored_zero = [&EDGE[..], &[(0, 1, 0)]].concat();
        assert_eq!(boundary_matrix(cells(3, &stored_zero), None).unwrap(), edge);
        assert!(boundary_matrix(cells(0, &[]), None).unwrap().is_empty());
        let (matrix, dims) = csc(edge.clone());
        assert_eq!(matrix.nnz(), 2);
        assert_eq!(boundary_matrix(matrix, Some(dims)).unwrap(), edge);
    }

    #[test]
    fn matrices_that_are_no_boundaries() {
        let refused = |matrix, dims| boundary_matrix::<i8, u32>(matrix, dims).unwrap_err().to_string();
        assert!(refused(CsMatI::zero((2, 3)), None).ends_with("in filtration order, found 2 × 3"));
        assert_eq!(
            refused(cells(3, &[(0, 2, 2)]), None),
            "row 0, column 2: expected an entry 0, 1 or -1, found 2"
        );
        assert_eq!(
            refused(cells(3, &EDGE), Some(vec![0])),
            "expected a dimension for each of 3 cells, found 1"
        );
        assert_eq!(
            refused(cells(3, &[(2, 1, 1)]), None),
            "column 1: expected rows below 1, found 2; \
             columns and rows are the cells in filtration order, facets before cofacets"
        );
        assert!(refused(cells(3, &EDGE), Some(vec![0, 1, 1])).starts_with("column 2: "));
        // Each cell is the boundary of the next one.
        let chain: Vec<(usize, usize, i8)> = (0..256).map(|cell| (cell, cell + 1, 1)).collect();
        assert!(refused(cells(257, &chain), None).starts_with("cell 256: expected a dimension of at most"));
    }
}
