//! Classes by a boundary matrix, which is reduced like any other.
//!
//! | cells of the matrix | use |
//! |---|---|
//! | the critical ones ([`crate::cells::morse_complex`]) | images of four axes |
//! | all ([`crate::cells::image_complex`]) | cycles of images of four axes and with periodic axes; checks |
//!
//! In an image of four axes, lower stars have too many cells for the tables of the gradient. With all cells, memory and
//! time grow with their number, some 2^d per voxel; but only the order of voxels is shared with the other methods, so
//! that this one checks them on images that are too large for the plain oracle.

mod cycles;

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::classes::{Class, Classes};
use super::limits::Limits;
use super::representatives::Representatives;
use super::request::PersistenceRequest;
use crate::backend::{Backend, BackendError, Decision};
use crate::cells::{AnyImageComplex, ComplexError, ImageComplex, morse_complex};
use crate::cubical::image::{AnyImage, Voxel as _};
use crate::cubical::key::Key as _;
use crate::cubical::shape::Shape;
use crate::diagram::{BarSelection, SelectionError};
use crate::matrix::cycles::CyclesError;
use crate::matrix::leftmost_ones::{ScanError, Scanner};
use crate::matrix::{Figures, MatrixError, MatrixIndex, Pairs, Plan, Reason, ReductionRequest, reduce_with};
use crate::progress::{Interrupted, Progress, interruptible};
use crate::with_image;
use cycles::CyclesRequest;

/// The cells that the matrix has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MatrixCells<'a> {
    /// The critical cells of a discrete gradient.
    Critical,
    /// All cells of the image.
    All,
    /// All cells of the image, from which also [representatives](super::representatives) of these bars are computed.
    AllForCycles(&'a BarSelection),
}

/// The classes, and how they were computed.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The classes of each dimension.
    pub classes: Classes,
    /// Number of columns of the matrix.
    pub cells: usize,
    /// Number of nonzero entries of the matrix.
    pub entries: usize,
    /// The width, in bits, of the integers that number cells.
    pub index_bits: usize,
    /// The choices made for the reduction, with their reasons.
    pub reasons: Vec<Reason>,
    /// Device that scanned the matrix, with the reason.
    pub decision: Decision,
    /// Time to build the matrix from the image.
    pub building: Duration,
    /// Statistics of the reduction.
    pub figures: Figures,
    /// Representative cycles of the bars, if requested.
    pub representatives: Option<Representatives>,
    /// Time in which the representatives were computed.
    pub cycles_took: Duration,
}

/// An error of the computation by the boundary matrix.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ViaMatrixError {
    /// The boundary matrix cannot be built.
    #[error(transparent)]
    Complex(#[from] ComplexError),
    /// The scan for leftmost ones failed.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The reduction failed or was interrupted.
    #[error(transparent)]
    Reduce(#[from] MatrixError),
    /// The bars for representatives cannot be selected.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// The cycles cannot be computed.
    #[error(transparent)]
    Cycles(#[from] CyclesError),
}

impl From<BackendError> for ViaMatrixError {
    fn from(error: BackendError) -> Self {
        ViaMatrixError::Scan(error.into())
    }
}

impl From<Interrupted> for ViaMatrixError {
    fn from(error: Interrupted) -> Self {
        ViaMatrixError::Reduce(error.into())
    }
}

/// The classes of an image in a filtration that ends at the limits, by the matrix of these cells. `backend` selects the
/// device of the scan. Stages are reported to `progress`, which may interrupt the computation.
///
/// # Errors
/// The cells do not fit 64-bit indices, the requested GPU is missing or failed, or the run was interrupted. Also, if
/// cycles are requested: a selected bar does not exist, or a persistence is invalid.
pub fn persistence(
    image: &AnyImage,
    request: &PersistenceRequest,
    cells: MatrixCells<'_>,
    limits: Limits<'_>,
    backend: &Backend,
    progress: &dyn Progress,
) -> Result<Solution, ViaMatrixError> {
    let start = Instant::now();
    let ranks = match limits.mask {
        Some(mask) => {
            mask.check(image.shape()).map_err(ComplexError::from)?;
            Some(mask.ranks(image, request.superlevel).map_err(ComplexError::from)?)
        }
        None => None,
    };
    let superlevel = request.superlevel && ranks.is_none();
    let (voxels, filtration) =
        (ranks.as_ref().unwrap_or(image), PersistenceRequest { superlevel, ..*request });
    // Cells of this dimension kill the last requested classes.
    let upper_dim = Some(request.dimensions(image.shape()));
    let cycles = match cells {
        MatrixCells::AllForCycles(bars) => Some(CyclesRequest { image, request, limits, bars }),
        MatrixCells::Critical | MatrixCells::All => None,
    };
    let mut solution = interruptible(progress, |progress| {
        let complex = match cells {
            MatrixCells::Critical => morse_complex(voxels, &filtration, upper_dim, progress)?,
            MatrixCells::All | MatrixCells::AllForCycles(_) => {
                AnyImageComplex::new(voxels, &filtration, upper_dim, progress)?
            }
        };
        match complex {
            AnyImageComplex::Narrow(complex) => {
                solve(voxels, &filtration, cycles, backend, complex, start, progress)
            }
            AnyImageComplex::Wide(complex) => {
                solve(voxels, &filtration, cycles, backend, complex, start, progress)
            }
        }
    })?;
    solution.classes = solution.classes.cut(image, request, limits);
    Ok(solution)
}

fn solve<I: MatrixIndex>(
    image: &AnyImage,
    request: &PersistenceRequest,
    cycles: Option<CyclesRequest<'_>>,
    backend: &Backend,
    mut complex: ImageComplex<I>,
    start: Instant,
    progress: &dyn Progress,
) -> Result<Solution, ViaMatrixError> {
    let building = start.elapsed();
    if cycles.is_none() {
        complex.numbers = Vec::new();
    }
    let matrix = &complex.matrix;
    let scanner = Scanner::choose(backend, matrix)?;
    let (plan, reasons) = Plan::choose_with(matrix, &ReductionRequest::default(), &scanner)?;
    let mut pairs = reduce_with(matrix, &plan, &scanner, progress)?;
    let classes = classes(image.shape(), &*keys(image, request.superlevel), request, &complex, &pairs);
    let start = Instant::now();
    let cycles = cycles.map(|cycles| cycles.representatives(&complex, &pairs, &classes, progress));
    Ok(Solution {
        classes,
        cells: matrix.len(),
        entries: matrix.entries(),
        index_bits: 8 * size_of::<I>(),
        reasons,
        decision: scanner.decision(),
        building,
        figures: std::mem::take(&mut pairs.figures),
        representatives: cycles.transpose()?,
        cycles_took: start.elapsed(),
    })
}

/// The keys of voxels by their places in memory, in the order of the filtration.
fn keys(image: &AnyImage, superlevel: bool) -> Box<dyn Fn(usize) -> u64 + Sync + '_> {
    with_image!(image, image => Box::new(move |place| image.voxels()[place].ordered(superlevel).to_u64()))
}

/// The classes of pairs of cells, given by the voxels that own the cells. `key` gives the value of a voxel by its place
/// in memory.
fn classes<I: MatrixIndex>(
    shape: Shape,
    key: &(dyn Fn(usize) -> u64 + Sync),
    request: &PersistenceRequest,
    complex: &ImageComplex<I>,
    pairs: &Pairs<I>,
) -> Classes {
    let owner = |cell: I| complex.owners[cell.to_usize()].to_usize();
    let mut dimensions = vec![Vec::new(); request.dimensions(shape)];
    let mut add = |cell: I, class: Class| {
        if let Some(classes) = dimensions.get_mut(usize::from(complex.matrix.dim(cell.to_usize()))) {
            classes.push(class);
        }
    };
    for &(birth, death) in &pairs.pairs {
        let class = Class { birth: owner(birth), death: Some(owner(death)) };
        if key(owner(birth)) != key(owner(death)) {
            add(birth, class);
        }
    }
    for cell in pairs.essential() {
        add(cell, Class { birth: owner(cell), death: None });
    }
    dimensions.iter_mut().for_each(|classes| sort(classes, &|place| (key(place), shape.c_place(place))));
    Classes { dimensions }
}

/// Sorts classes by birth, then death, by the order of the voxels; essential classes come last.
fn sort(classes: &mut [Class], order: &(dyn Fn(usize) -> (u64, usize) + Sync)) {
    let death = |class: &Class| (class.death.is_none(), class.death.map(order));
    classes.par_sort_unstable_by_key(|class| (order(class.birth), death(class)));
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::plain;
    use super::*;
    use crate::cells::image_complex;
    use crate::cubical::{Construction, Image, Order, Periodic};

    #[test]
    fn the_classes_are_the_plain_ones() {
        let mut rng = Pcg64Mcg::seed_from_u64(8);
        for round in 0..120 {
            let axes = 1 + round % 4;
            let most = [12, 6, 4, 3][axes - 1];
            let shape: Vec<usize> = (0..axes).map(|_| rng.random_range(1..=most)).collect();
            let shape = Shape::new(&shape, if round % 8 < 4 { Order::C } else { Order::F }).unwrap();
            let levels = rng.random_range(1..9);
            let voxels = (0..shape.count()).map(|_| rng.random_range(-levels..levels)).collect();
            let image: Image<i16> = Image::new(shape, voxels).unwrap();
            let any = image.clone().into();
            for construction in [Construction::T, Construction::V] {
                for max_dim in [None, Some(0), Some(1), Some(5)] {
                    let request = PersistenceRequest {
                        construction,
                        superlevel: round % 16 > 7,
                        max_dim,
                        periodic: Periodic::all(shape).nth(round / 8 % 3).unwrap_or_default(),
                    };
                    let expected = plain::persistence(&image, &request);
                    for cells in [MatrixCells::All, MatrixCells::Critical] {
                        let found =
                            persistence(&any, &request, cells, Limits::default(), &Backend::default(), &())
                                .unwrap();
                        assert_eq!(found.classes, expected, "{image:?}, {request:?}, {cells:?}");
                        assert_eq!(found.index_bits, 32);
                    }
                }
            }
        }
    }

    /// Reduced upwards, the squares of such an image would take twelve times as many additions.
    #[test]
    fn squares_of_four_axes_are_cleared_from_above() {
        let mut rng = Pcg64Mcg::seed_from_u64(9);
        let shape = Shape::new(&[8; 4], Order::C).unwrap();
        let image = Image::<u16>::new(shape, (0..shape.count()).map(|_| rng.random()).collect()).unwrap();
        let request = PersistenceRequest::default();
        let found = persistence(
            &image.into(),
            &request,
            MatrixCells::All,
            Limits::default(),
            &Backend::default(),
            &(),
        )
        .unwrap();
        assert!(found.figures.additions < found.cells as u64 / 8, "{:?}", found.figures);
    }

    #[test]
    fn wide_indices_give_the_same() {
        let shape = Shape::new(&[9, 7, 5], Order::C).unwrap();
        let voxels = (0..shape.count()).map(|place| (place * place % 41) as u8).collect();
        let image: AnyImage = Image::<u8>::new(shape, voxels).unwrap().into();
        let request = PersistenceRequest::default();
        let complex = image_complex::<u64>(&image, &request, None, &()).unwrap();
        let wide = solve(&image, &request, None, &Backend::default(), complex, Instant::now(), &()).unwrap();
        let narrow =
            persistence(&image, &request, MatrixCells::All, Limits::default(), &Backend::default(), &())
                .unwrap();
        assert_eq!((wide.index_bits, wide.cells), (64, narrow.cells));
        assert_eq!(wide.classes, narrow.classes);
    }
}
