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

use crate::matrix::{BoundaryMatrix, ColumnError, Dimension, Index};
use crate::metric::square::Tolerance;
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
            return Err(MetricError::NotSquare { rows, columns });
        }
        let most = u32::MAX as usize;
        if rows > most {
            return Err(MetricError::TooManyPoints { most, found: rows });
        }
        let off_diagonal = matrix.iter().filter(|(_, (row, column))| row != column);
        let tolerance = Tolerance::of(off_diagonal.map(|(&distance, _)| distance));
        let mut edges = Vec::with_capacity(matrix.nnz());
        for (&distance, (row, column)) in matrix.iter() {
            let (row, column) = (row.index(), column.index());
            if let Some(distance) = edge(&matrix, tolerance, (row, column), distance)? {
                // Both numbers are below `most`.
                edges.push((row as u32, column as u32, distance));
            }
        }
        SparseDistances::new(rows, edges)
    }
}

/// The distance that an entry adds to the graph; none if it is on the diagonal, or if the other entry of its pair is
/// used.
fn edge<T: Value, I: SpIndex, Iptr: SpIndex>(
    matrix: &CsMatViewI<'_, T, I, Iptr>,
    tolerance: Tolerance,
    (row, column): (usize, usize),
    distance: T,
) -> Result<Option<T>, MetricError> {
    if row == column {
        return match tolerance.is_zero(distance) {
            true => Ok(None),
            false => Err(MetricError::Diagonal { i: row, found: distance.into() }),
        };
    }
    if !tolerance.is_distance(distance) {
        return Err(MetricError::BadDistance { i: row, j: column, found: distance.into() });
    }
    if row < column
        && let Some(&below) = matrix.get(column, row)
    {
        let (i, j) = (column, row);
        return match tolerance.agree(below, distance) {
            true => Ok(None),
            false if !tolerance.is_distance(below) => {
                Err(MetricError::BadDistance { i, j, found: below.into() })
            }
            false => Err(MetricError::Asymmetric { i, j, below: below.into(), above: distance.into() }),
        };
    }
    // A value that is negative by rounding only becomes zero.
    let zero = T::from_f64(0.0);
    Ok(Some(if distance < zero { zero } else { distance }))
}

/// The error of a sparse matrix that is not a boundary matrix.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundaryArrayError {
    /// The matrix is not square.
    #[error(
        "expected a square matrix, whose rows and columns are all cells in filtration order, found {rows} × {columns}"
    )]
    NotSquare {
        /// Number of rows given.
        rows: usize,
        /// Number of columns given.
        columns: usize,
    },
    /// An entry is not a coefficient of a boundary.
    #[error("row {row}, column {column}: expected an entry 0, 1 or -1, found {found}")]
    Entry {
        /// The row, 0-based.
        row: usize,
        /// The column, 0-based.
        column: usize,
        /// The entry.
        found: f64,
    },
    /// The numbers of dimensions and cells differ.
    #[error("expected a dimension for each of {cells} cells, found {found}")]
    Dimensions {
        /// Number of cells of the matrix.
        cells: usize,
        /// Number of dimensions given.
        found: usize,
    },
    /// The dimension of a cell is too great.
    #[error("cell {cell}: expected a dimension of at most {}, found a greater one", Dimension::MAX)]
    TooHigh {
        /// The cell, 0-based.
        cell: usize,
    },
    /// A column is not a boundary.
    #[error(transparent)]
    Column(#[from] ColumnError),
}

/// Converts a sparse matrix to a boundary matrix over Z/2. Rows and columns are the cells in filtration order, facets
/// before cofacets, and entries are 1 or −1; stored zeros are ignored. A matrix compressed by columns is moved
/// without a copy.
///
/// `dims` are the dimensions of the cells. Without them they are derived: a cell with a zero column is a vertex, and
/// any other has one dimension more than the cells of its boundary.
///
/// # Errors
/// [`BoundaryArrayError`]: the matrix is not square; an entry is neither 0, 1 nor −1; the numbers of dimensions and
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
        return Err(BoundaryArrayError::NotSquare { rows, columns });
    }
    if let Some(found) = dims.as_ref().map(Vec::len).filter(|&found| found != columns) {
        return Err(BoundaryArrayError::Dimensions { cells: columns, found });
    }
    let coefficients = matrix.iter().map(|(&found, place)| (found.into(), place));
    if let Some((found, (row, column))) = coefficients.into_iter().find(|(found, _)| !is_coefficient(*found))
    {
        return Err(BoundaryArrayError::Entry { row: row.index(), column: column.index(), found });
    }
    let (starts, rows, entries) = if matrix.is_csc() { matrix } else { matrix.to_csc() }.into_raw_storage();
    let (starts, rows) = without_zeros(starts, rows, &entries);
    let dims = match dims {
        Some(dims) => dims,
        None => derived_dims(&starts, &rows)?,
    };
    Ok(BoundaryMatrix::from_parts(dims, starts, rows)?)
}

/// Whether a number is a coefficient of a boundary.
fn is_coefficient(entry: f64) -> bool {
    [0.0, 1.0, -1.0].contains(&entry)
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

/// Derives the dimensions of cells from their boundaries.
fn derived_dims<I: Index>(starts: &[I], rows: &[I]) -> Result<Vec<Dimension>, BoundaryArrayError> {
    let mut dims: Vec<Dimension> = Vec::with_capacity(starts.len().saturating_sub(1));
    for (cell, column) in starts.windows(2).enumerate() {
        let facets = &rows[column[0].to_usize()..column[1].to_usize()];
        let dim = match facets.first().map(|facet| facet.to_usize()) {
            Some(facet) if facet < cell => {
                dims[facet].checked_add(1).ok_or(BoundaryArrayError::TooHigh { cell })?
            }
            // Facets that are not before their cell are refused when the matrix is built.
            _ => 0,
        };
        dims.push(dim);
    }
    Ok(dims)
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
        assert_eq!(distances(0, &[]), Err(MetricError::Empty));
        assert_eq!(distances(2, &[(1, 1, 1.0)]), Err(MetricError::Diagonal { i: 1, found: 1.0 }));
        assert_eq!(distances(2, &[(0, 1, -1.0)]), Err(MetricError::BadDistance { i: 0, j: 1, found: -1.0 }));
        assert!(matches!(distances(2, &[(0, 1, f64::NAN)]), Err(MetricError::BadDistance { .. })));
        assert_eq!(
            distances(2, &[(0, 1, 1.0), (1, 0, 2.0)]),
            Err(MetricError::Asymmetric { i: 1, j: 0, below: 2.0, above: 1.0 })
        );
        let oblong: CsMat<f64> = CsMat::zero((2, 3));
        let error = SparseDistances::try_from(oblong.view()).unwrap_err();
        assert_eq!(error, MetricError::NotSquare { rows: 2, columns: 3 });
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
        let refused = |matrix, dims| boundary_matrix::<i8, u32>(matrix, dims).unwrap_err();
        assert_eq!(
            refused(CsMatI::zero((2, 3)), None),
            BoundaryArrayError::NotSquare { rows: 2, columns: 3 }
        );
        assert_eq!(
            refused(cells(3, &[(0, 2, 2)]), None),
            BoundaryArrayError::Entry { row: 0, column: 2, found: 2.0 }
        );
        assert_eq!(
            refused(cells(3, &EDGE), Some(vec![0])),
            BoundaryArrayError::Dimensions { cells: 3, found: 1 }
        );
        assert_eq!(refused(cells(3, &[(2, 1, 1)]), None), ColumnError::Forward { column: 1, row: 2 }.into());
        assert!(matches!(
            refused(cells(3, &EDGE), Some(vec![0, 1, 1])),
            BoundaryArrayError::Column(ColumnError::Dimension { column: 2, row: 1, .. })
        ));
        // Each cell is the boundary of the next one.
        let chain: Vec<(usize, usize, i8)> = (0..256).map(|cell| (cell, cell + 1, 1)).collect();
        assert_eq!(refused(cells(257, &chain), None), BoundaryArrayError::TooHigh { cell: 256 });
    }
}
