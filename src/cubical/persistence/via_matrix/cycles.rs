//! Cycles of selected classes, from the boundary matrix of all cells; which ones is in
//! [`representatives`](super::super::representatives).

use hashbrown::HashMap;

use super::super::classes::{Class, Classes};
use super::super::limits::Limits;
use super::super::representatives::{Representative, Representatives, Wanted, wanted};
use super::super::request::PersistenceRequest;
use super::ViaMatrixError;
use crate::cells::{Grid, ImageComplex, Line};
use crate::cubical::construction::Construction;
use crate::cubical::image::AnyImage;
use crate::diagram::BarSelection;
use crate::matrix::cycles::{ClassSelection, Cycle, CyclesError, cycles};
use crate::matrix::{BoundaryMatrix, MatrixIndex, Pairs};
use crate::memory;
use crate::progress::Progress;

/// The bars of an image whose cycles are requested, in a filtration that ends at the limits.
pub(super) struct CyclesRequest<'a> {
    pub(super) image: &'a AnyImage,
    pub(super) request: &'a PersistenceRequest,
    pub(super) limits: Limits<'a>,
    pub(super) bars: &'a BarSelection,
}

impl CyclesRequest<'_> {
    /// Computes the cycles. `pairs` and `classes` are those of the complex, without the limits.
    ///
    /// # Errors
    /// A selected bar does not exist, a persistence is invalid, or there is too little memory.
    pub(super) fn representatives<I: MatrixIndex>(
        &self,
        complex: &ImageComplex<I>,
        pairs: &Pairs<I>,
        classes: &Classes,
        progress: &dyn Progress,
    ) -> Result<Representatives, ViaMatrixError> {
        let CyclesRequest { image, request, limits, bars } = *self;
        let wanted = wanted(classes, image, request, limits, bars)?;
        // The cells with which the wanted classes are born, those of classes with the same voxels by cell.
        let mut births: HashMap<(usize, Class), Vec<usize>> =
            wanted.iter().map(|wanted| ((wanted.dim, wanted.class), Vec::new())).collect();
        let owner = |cell: I| complex.owners[cell.to_usize()].to_usize();
        let mut note = |birth: I, death: Option<I>| {
            let dim = usize::from(complex.matrix.dim(birth.to_usize()));
            let class = Class { birth: owner(birth), death: death.map(owner) };
            births.entry((dim, class)).and_modify(|cells| cells.push(birth.to_usize()));
        };
        pairs.pairs.iter().for_each(|&(birth, death)| note(birth, Some(death)));
        pairs.essential().into_iter().for_each(|birth| note(birth, None));
        births.values_mut().for_each(|cells| cells.sort_unstable());
        let birth = |wanted: &Wanted| births[&(wanted.dim, wanted.class)][wanted.before];

        let is_joined = |wanted: &&Wanted| wanted.dim == 0 && wanted.class.death.is_some();
        let mut survivors: HashMap<usize, usize> =
            wanted.iter().filter(is_joined).map(|wanted| (birth(wanted), 0)).collect();
        if !survivors.is_empty() {
            merge(&complex.matrix, |younger, older| {
                survivors.entry(younger).and_modify(|survivor| *survivor = older);
            })?;
        }
        let others = wanted.iter().map(birth).filter(|birth| !survivors.contains_key(birth)).collect();
        let found = cycles(&complex.matrix, pairs, &ClassSelection::Named(others), progress)?;
        let by_birth: HashMap<usize, Cycle<'_, I>> =
            found.iter().map(|cycle| (cycle.birth.to_usize(), cycle)).collect();
        let grid = Grid::new(request.construction, &Line::of(image.shape(), request.periodic));
        let representative = |wanted: &Wanted| {
            let birth = birth(wanted);
            let joined = survivors.get(&birth).map(|&survivor| [survivor, birth].map(I::from_usize));
            let cells = joined.as_ref().map_or_else(|| by_birth[&birth].cells, |ends| &ends[..]);
            let centre = |cell: &I| grid.doubled_centre(complex.numbers[cell.to_usize()].to_usize());
            let mut centres: Vec<[i32; 4]> = cells.iter().map(centre).collect();
            // By least corner, then by the axes along which the cell extends from there.
            centres.sort_unstable_by_key(|centre| (centre.map(|at| at >> 1), centre.map(|at| at & 1)));
            let voxels = voxels(image, request, complex, wanted.dim, cells);
            Representative::new(wanted, image, request, limits, centres.into_iter(), voxels)
        };
        let all = wanted.iter().map(representative).collect::<Result<_, _>>().map_err(CyclesError::from)?;
        Ok(Representatives::new(image.shape(), request, all))
    }
}

/// Calls `merged` for each component that merges into an older one, with the vertices with which the two are born.
fn merge<I: MatrixIndex>(
    matrix: &BoundaryMatrix<I>,
    mut merged: impl FnMut(usize, usize),
) -> Result<(), CyclesError> {
    let mut parents = Vec::new();
    memory::reserve(&mut parents, matrix.len())?;
    parents.extend((0..matrix.len()).map(I::from_usize));
    for edge in (0..matrix.len()).filter(|&cell| matrix.dim(cell) == 1) {
        let [a, b] = [0, 1].map(|end| root(&mut parents, matrix.column(edge)[end].to_usize()));
        if a != b {
            parents[a.max(b)] = I::from_usize(a.min(b));
            merged(a.max(b), a.min(b));
        }
    }
    Ok(())
}

/// The root of a vertex's tree, which is its oldest vertex, with path halving.
fn root<I: MatrixIndex>(parents: &mut [I], mut vertex: usize) -> usize {
    while parents[vertex].to_usize() != vertex {
        parents[vertex] = parents[parents[vertex].to_usize()];
        vertex = parents[vertex].to_usize();
    }
    vertex
}

/// The places in memory of the voxels of cells of one dimension, in C order: vertices (V), or owners (T).
fn voxels<I: MatrixIndex>(
    image: &AnyImage,
    request: &PersistenceRequest,
    complex: &ImageComplex<I>,
    dim: usize,
    cells: &[I],
) -> Vec<usize> {
    let mut faces = cells.to_vec();
    if request.construction == Construction::V {
        for _ in 0..dim {
            faces = faces.iter().flat_map(|face| complex.matrix.column(face.to_usize())).copied().collect();
            faces.sort_unstable();
            faces.dedup();
        }
    }
    let mut voxels: Vec<usize> =
        faces.iter().map(|face| complex.owners[face.to_usize()].to_usize()).collect();
    voxels.sort_unstable_by_key(|&place| image.shape().c_place(place));
    voxels.dedup();
    voxels
}
