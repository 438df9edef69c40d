//! `dipha`: inputs of DIPHA, with the doubles of their files.

use phat_formats::dipha::{self, FileType, WeightedBoundaryMatrix};
use phat_formats::{Index, Source};

use super::complex::{AnyComplex, Content, LoadedComplex, bytes};
use super::upper_dim_of_cells;
use crate::cells::{ComplexError, cubical_complex_watched, rips_complex};
use crate::input::{Place, Problem};
use crate::metric::Distances;
use crate::metric::read::read_dipha;
use crate::progress::Progress;

/// Reads the complex of a file. The cells of an image are reported to `progress`, which may unwind.
pub(super) fn read(
    source: &dyn Source,
    upper_dim: Option<usize>,
    progress: &dyn Progress,
) -> Result<Content, Problem> {
    let head = bytes(source, dipha::HEADER as u64)?;
    let file_type = dipha::file_type(&head)?;
    let input = match file_type {
        FileType::BoundaryMatrix if upper_dim.is_some() => Err(upper_dim_of_cells()),
        FileType::BoundaryMatrix => boundary_matrix(source),
        FileType::Image => image(&bytes(source, u64::MAX)?, upper_dim, progress),
        FileType::DistanceMatrix | FileType::SparseDistanceMatrix => {
            let upper_dim = upper_dim.ok_or_else(no_upper_dim)?;
            distances(&read_dipha(&bytes(source, u64::MAX)?)?, upper_dim)
        }
        FileType::Diagram => {
            Err(Problem::new(Place::Byte(8), "DIPHA file type 0, 1, 7 or 8", FileType::Diagram))
        }
    };
    let gives_boundaries = file_type == FileType::BoundaryMatrix;
    Ok(Content { input: input?, warning: None, gives_boundaries })
}

/// The problem of distances without a highest dimension.
fn no_upper_dim() -> Problem {
    let expected = "a highest dimension (--max-dim) with distances";
    Problem::whole(expected, "none").note("all their cells are 2^points")
}

fn boundary_matrix(source: &dyn Source) -> Result<AnyComplex, Problem> {
    if dipha::boundary_matrix_size(source)?.fits::<u32>() {
        Ok(AnyComplex::Narrow(cells(dipha::read_boundary_matrix(source)?, false)))
    } else {
        Ok(AnyComplex::Wide(cells(dipha::read_boundary_matrix(source)?, false)))
    }
}

fn image(file: &[u8], upper_dim: Option<usize>, progress: &dyn Progress) -> Result<AnyComplex, Problem> {
    let dipha::Image { shape, values } = dipha::Image::from_bytes(file)?;
    // No cell extends along an axis of one voxel.
    let dim = shape.iter().filter(|&&extent| extent > 1).count();
    let cut = upper_dim.is_some_and(|upper_dim| upper_dim < dim);
    narrow_or_wide(
        || Ok(cells(cubical_complex_watched(&shape, &values, upper_dim, progress)?, cut)),
        || Ok(cells(cubical_complex_watched(&shape, &values, upper_dim, progress)?, cut)),
    )
}

fn distances(distances: &Distances<f64>, upper_dim: usize) -> Result<AnyComplex, Problem> {
    narrow_or_wide(
        || rips_complex(distances, upper_dim, f64::INFINITY).map(cut_where_full),
        || rips_complex(distances, upper_dim, f64::INFINITY).map(cut_where_full),
    )
}

/// If there are simplices of the maximal dimension, there may be higher ones that were left out.
fn cut_where_full<I: Index>(complex: WeightedBoundaryMatrix<I>) -> LoadedComplex<I> {
    let cut = complex.matrix.max_dim() == Some(complex.max_dim);
    cells(complex, cut)
}

fn cells<I>(complex: WeightedBoundaryMatrix<I>, cut: bool) -> LoadedComplex<I> {
    let WeightedBoundaryMatrix { matrix, values, max_dim } = complex;
    LoadedComplex { matrix, values: Some(values), max_dim, cut }
}

/// Builds a complex with 32-bit indices, or with 64-bit indices if these are too few.
fn narrow_or_wide(
    narrow: impl FnOnce() -> Result<LoadedComplex<u32>, ComplexError>,
    wide: impl FnOnce() -> Result<LoadedComplex<u64>, ComplexError>,
) -> Result<AnyComplex, Problem> {
    match narrow() {
        Ok(cells) => Ok(AnyComplex::Narrow(cells)),
        Err(ComplexError::TooLarge(_)) => Ok(AnyComplex::Wide(wide()?)),
        Err(error) => Err(error.into()),
    }
}
