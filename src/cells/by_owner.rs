//! The cubical complex of an image of any voxel type, with cells ordered by their owners.
//!
//! The *owner* of a cell is the voxel with which it enters: of its vertices the greatest (V), of the voxels it lies in
//! the least (T), by value, ties by coordinates, those along the first axis first. Cells are numbered in C order of the
//! user's axes, so that the complex is that of the array, whatever its order in memory. Cells come by owner, then
//! dimension, then number; the order of [`super::cubical_complex`] is coarser, by value where this one is by owner.
//! Cells of one owner have one value, so whatever order they are in, the pairs of cells with different owners have the
//! same owners.

use phat_formats::{BoundaryMatrix, Dimension, Index};

use super::ComplexError;
use super::boundary_matrix::sorted;
use super::cubical_grid::{self, Line, filter};
use crate::cubical::persistence::PersistenceRequest;
use crate::cubical::{AnyImage, Image, Key, Voxel};
use crate::memory;
use crate::progress::Progress;
use crate::with_image;

/// The filtered cubical complex of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageComplex<I> {
    /// The boundary matrix, with columns in filtration order.
    pub matrix: BoundaryMatrix<I>,
    /// The place in memory of each cell's owner.
    pub owners: Vec<I>,
    /// The number of each cell in C order of the user's axes.
    pub numbers: Vec<I>,
    /// The dimension of the complex, or the dimension at which it was cut; no cell is above it.
    pub max_dim: Dimension,
}

/// Bytes of memory per voxel while voxels are sorted: a key with its place, and the place alone.
const BYTES_OF_VOXEL: u64 = 24;

/// Builds the complex of an image whose classes are requested. Cells above the dimension `upper_dim` are left out, as
/// the maximal dimension of the request is that of classes.
///
/// # Errors
/// There are more cells or entries than the index type can number; an axis cannot be periodic; or there is not enough
/// memory.
pub fn image_complex<I: Index>(
    image: &AnyImage,
    request: &PersistenceRequest,
    upper_dim: Option<usize>,
    progress: &dyn Progress,
) -> Result<ImageComplex<I>, ComplexError> {
    request.periodic.check(image.shape())?;
    let axes = Line::of(image.shape(), request.periodic);
    // An image that is too large is refused before any sorting.
    let cells = cubical_grid::cells::<I>(request.construction, &axes)?;
    memory::probe(
        cubical_grid::bytes::<I>(cells, &axes).saturating_add(image.shape().count() as u64 * BYTES_OF_VOXEL),
    )?;
    progress.begin("order", None, 1);
    let order = places(image, request.superlevel);
    let mut ranks = vec![I::default(); order.len()];
    for (rank, &place) in order.iter().enumerate() {
        ranks[place as usize] = I::from_usize(rank);
    }
    let filtered = filter(request.construction, &axes, &ranks, order.len(), upper_dim, progress)?;
    let owners = filtered.levels(|rank| I::from_usize(image.shape().memory_place(order[rank] as usize)));
    Ok(ImageComplex { matrix: filtered.matrix, owners, numbers: filtered.order, max_dim: filtered.max_dim })
}

/// The complex of an image with cell numbers of sufficient width.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyImageComplex {
    /// Cells are numbered by 32 bits.
    Narrow(ImageComplex<u32>),
    /// Cells are numbered by 64 bits.
    Wide(ImageComplex<u64>),
}

impl AnyImageComplex {
    /// Like [`image_complex`], with the smallest width that numbers all cells and entries.
    ///
    /// # Errors
    /// There are more cells or entries than 64 bits can number; or there is not enough memory.
    pub fn new(
        image: &AnyImage,
        request: &PersistenceRequest,
        upper_dim: Option<usize>,
        progress: &dyn Progress,
    ) -> Result<Self, ComplexError> {
        match image_complex(image, request, upper_dim, progress) {
            Err(ComplexError::TooLarge { .. }) => {
                image_complex(image, request, upper_dim, progress).map(AnyImageComplex::Wide)
            }
            complex => complex.map(AnyImageComplex::Narrow),
        }
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        match self {
            AnyImageComplex::Narrow(complex) => complex.matrix.len(),
            AnyImageComplex::Wide(complex) => complex.matrix.len(),
        }
    }

    /// Number of ones of the boundary matrix.
    pub fn entries(&self) -> usize {
        match self {
            AnyImageComplex::Narrow(complex) => complex.matrix.entries(),
            AnyImageComplex::Wide(complex) => complex.matrix.entries(),
        }
    }
}

/// The places in C order of the voxels by value, ties by place.
pub(super) fn places(image: &AnyImage, superlevel: bool) -> Vec<u64> {
    fn keys<T: Voxel>(image: &Image<T>, superlevel: bool) -> Vec<(u64, u64)> {
        // Keys of all types have one width, so that sorting is compiled once. Next to a place a narrower key would save
        // nothing.
        let pair = |(place, voxel): (usize, &T)| {
            (voxel.ordered(superlevel).to_u64(), image.shape().c_place(place) as u64)
        };
        image.voxels().iter().enumerate().map(pair).collect()
    }
    sorted(with_image!(image, image => keys(image, superlevel)))
}

#[cfg(test)]
mod tests {
    use hashbrown::HashMap;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::cubical::plain_cells::{self as plain, PlainCells};
    use crate::cubical::{Construction, Order, Periodic, Shape};
    use crate::progress::sums::Sums;

    /// Owner's key, owner, dimension, number, and the facets' numbers of each cell, in filtration order.
    type Cell<K> = (K, usize, usize, usize, Vec<usize>);

    fn by_definition<T: Voxel>(image: &Image<T>, request: &PersistenceRequest) -> Vec<Cell<T::Key>> {
        let (in_c, dim) = (image.shape().in_order(Order::C), image.shape().dim());
        let mut complex = PlainCells::new(in_c.four_extents(), dim, request.construction);
        complex.is_periodic = request.periodic.in_memory(in_c);
        let cells: Vec<plain::Cell> = complex.all().collect();
        let numbers: HashMap<plain::Cell, usize> = cells.iter().copied().zip(0..).collect();
        let entry = |place: usize| {
            (image.voxels()[image.shape().memory_place(place)].ordered(request.superlevel), place)
        };
        let cell = |(number, &cell): (usize, &plain::Cell)| {
            let voxels = complex.voxels(cell).into_iter().map(entry);
            let (key, owner) = match request.construction {
                Construction::V => voxels.max(),
                Construction::T => voxels.min(),
            }
            .unwrap();
            let facets = complex.facets(cell).map(|facet| numbers[&facet]).collect();
            (key, owner, plain::dim(&cell), number, facets)
        };
        let mut all: Vec<_> = cells.iter().enumerate().map(cell).collect();
        all.sort();
        all
    }

    fn check<T: Voxel>(image: &Image<T>) {
        let any = T::any(Image::new(image.shape(), image.voxels().to_vec()).unwrap());
        let filtrations =
            [Construction::T, Construction::V].into_iter().flat_map(|c| [(c, false), (c, true)]);
        for ((construction, superlevel), periodic) in
            filtrations.flat_map(|filtration| Periodic::all(image.shape()).map(move |all| (filtration, all)))
        {
            let request =
                PersistenceRequest { construction, superlevel, periodic, ..PersistenceRequest::default() };
            let all = by_definition(image, &request);
            for upper_dim in [None, Some(0), Some(1), Some(2)] {
                let max_dim = upper_dim.unwrap_or(3).min(image.shape().dim());
                let cells: Vec<_> = all.iter().filter(|cell| cell.2 <= max_dim).collect();
                let sums = Sums::default();
                let complex = super::image_complex::<u32>(&any, &request, upper_dim, &sums).unwrap();
                let place = |number: usize| cells.iter().position(|cell| cell.3 == number).unwrap() as u32;
                assert_eq!((complex.matrix.len(), complex.max_dim), (cells.len(), max_dim as u8));
                for (column, cell) in cells.iter().enumerate() {
                    let mut rows: Vec<u32> = cell.4.iter().map(|&facet| place(facet)).collect();
                    rows.sort_unstable();
                    assert_eq!(complex.matrix.column(column), rows);
                    assert_eq!(usize::from(complex.matrix.dim(column)), cell.2);
                    assert_eq!(complex.owners[column] as usize, image.shape().memory_place(cell.1));
                }
                assert_eq!(complex.matrix.check(), Ok(()));
                let stages: Vec<_> = sums.stages().iter().map(|told| told.stage).collect();
                assert_eq!(stages, ["order", "cells", "order of cells", "boundaries"]);
            }
        }
    }

    #[test]
    fn cells_are_as_defined_and_in_the_order_of_their_owners() {
        let mut rng = Pcg64Mcg::seed_from_u64(7);
        for round in 0..60 {
            let axes = 1 + round % 3;
            let most = [9, 4, 3][axes - 1];
            let shape: Vec<usize> = (0..axes).map(|_| rng.random_range(1..=most)).collect();
            let shape = Shape::new(&shape, if round % 2 == 0 { Order::C } else { Order::F }).unwrap();
            let levels = rng.random_range(1..8);
            let voxels: Vec<i8> = (0..shape.count()).map(|_| rng.random_range(-levels..levels)).collect();
            check(&Image::new(shape, voxels.iter().map(|&v| f64::from(v) / 4.0).collect()).unwrap());
            check(&Image::new(shape, voxels).unwrap());
        }
    }

    /// Some lines of cells are longer than a part, and some parts consist of many lines.
    #[test]
    fn what_is_reported_adds_up_to_the_totals() {
        let mut rng = Pcg64Mcg::seed_from_u64(9);
        for axes in [&[5000][..], &[3, 3000], &[3000, 3], &[14, 15, 16]] {
            let shape = Shape::new(axes, Order::C).unwrap();
            let voxels: Vec<u8> = (0..shape.count()).map(|_| rng.random_range(0..9)).collect();
            let voxels: AnyImage = Image::new(shape, voxels).unwrap().into();
            for (construction, upper_dim) in [(Construction::T, None), (Construction::V, Some(1))] {
                let sums = Sums::default();
                let request = PersistenceRequest { construction, ..PersistenceRequest::default() };
                let complex = super::image_complex::<u32>(&voxels, &request, upper_dim, &sums).unwrap();
                assert_eq!(complex.matrix.check(), Ok(()));
                let stages: Vec<_> = sums.stages().iter().map(|told| (told.stage, told.total > 1)).collect();
                let counted =
                    [("order", false), ("cells", true), ("order of cells", true), ("boundaries", true)];
                assert_eq!(stages, counted, "{construction} of {axes:?}");
            }
        }
    }

    #[test]
    fn an_image_with_more_cells_than_are_numbered() {
        let shape = Shape::new(&[1 << 16, 1 << 14], Order::C).unwrap();
        let blank = Image::new(shape, vec![0_u8; shape.count()]).unwrap().into();
        let error =
            super::image_complex::<u32>(&blank, &PersistenceRequest::default(), None, &()).unwrap_err();
        let cells = ((1_usize << 17) + 1) * ((1 << 15) + 1);
        let expected = "expected at most 2147483647 cells, which 32-bit indices number, found";
        assert_eq!(error.to_string(), format!("{expected} {cells}"));
    }
}
