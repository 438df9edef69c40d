//! `dipha`: DIPHA's inputs, in the doubles of their files.

use phat_formats::dipha::{self, FileType, WeightedBoundaryMatrix};
use phat_formats::{Index, Source};

use super::{Cells, Content, Input, Problem, bytes};
use crate::cells::{Filtration, FiltrationError, cubical, rips};
use crate::metric::Distances;
use crate::metric::read::read_dipha;

/// The complex of a file.
pub(super) fn read(source: &(impl Source + ?Sized), upper_dim: Option<usize>) -> Result<Content, Problem> {
    let head = bytes(source, dipha::HEADER as u64)?;
    let file_type = dipha::file_type(&head)?;
    let input = match file_type {
        FileType::BoundaryMatrix if upper_dim.is_some() => Err(Problem::UpperDim),
        FileType::BoundaryMatrix => boundary_matrix(source),
        FileType::Image => image(&bytes(source, u64::MAX)?, upper_dim),
        FileType::DistanceMatrix | FileType::SparseDistanceMatrix => {
            let upper_dim = upper_dim.ok_or(Problem::NoUpperDim)?;
            distances(&read_dipha(&bytes(source, u64::MAX)?)?, upper_dim)
        }
        found @ FileType::Diagram => Err(Problem::FileType { found }),
    };
    let gives_boundaries = file_type == FileType::BoundaryMatrix;
    Ok(Content { input: input?, warning: None, gives_boundaries })
}

fn boundary_matrix(source: &(impl Source + ?Sized)) -> Result<Input, Problem> {
    if dipha::boundary_matrix_size(source)?.fits::<u32>() {
        Ok(Input::Narrow(whole(dipha::read_boundary_matrix(source)?)))
    } else {
        Ok(Input::Wide(whole(dipha::read_boundary_matrix(source)?)))
    }
}

fn whole<I: Index>(complex: WeightedBoundaryMatrix<I>) -> Cells<I> {
    cells(complex.into(), false)
}

fn image(file: &[u8], upper_dim: Option<usize>) -> Result<Input, Problem> {
    let image = dipha::Image::from_bytes(file)?;
    let values: Vec<f64> = image.values().collect();
    // Along an axis of one voxel no cell extends.
    let dim = image.shape().iter().filter(|&&extent| extent > 1).count();
    let cut = upper_dim.is_some_and(|upper_dim| upper_dim < dim);
    narrow_or_wide(
        || Ok(cells(cubical(image.shape(), &values, upper_dim)?, cut)),
        || Ok(cells(cubical(image.shape(), &values, upper_dim)?, cut)),
    )
}

fn distances(distances: &Distances<f64>, upper_dim: usize) -> Result<Input, Problem> {
    narrow_or_wide(
        || rips(distances, upper_dim, f64::INFINITY).map(cut_where_full),
        || rips(distances, upper_dim, f64::INFINITY).map(cut_where_full),
    )
}

/// Where there are simplices of the greatest dimension asked for there may be greater ones.
fn cut_where_full<I: Index>(filtration: Filtration<I>) -> Cells<I> {
    let cut = filtration.matrix.max_dim() == Some(filtration.max_dim);
    cells(filtration, cut)
}

fn cells<I>(filtration: Filtration<I>, cut: bool) -> Cells<I> {
    let Filtration { matrix, values, max_dim } = filtration;
    Cells { matrix, values: Some(values), max_dim, cut }
}

/// Numbered by 32 bits, or, when these are too few, by 64.
fn narrow_or_wide(
    narrow: impl FnOnce() -> Result<Cells<u32>, FiltrationError>,
    wide: impl FnOnce() -> Result<Cells<u64>, FiltrationError>,
) -> Result<Input, Problem> {
    match narrow() {
        Ok(cells) => Ok(Input::Narrow(cells)),
        Err(FiltrationError::TooLarge { .. }) => Ok(Input::Wide(wide()?)),
        Err(error) => Err(error.into()),
    }
}
