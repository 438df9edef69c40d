//! The cells of a small image by the definition of the two constructions.

use lacuna::cubical::{Construction, Periodic};

use super::chains::{Filtration, NamedCell};

/// An image of doubles with the last axis fastest, and its construction as a complex.
#[derive(Debug, Clone)]
pub(crate) struct Cubes {
    pub(crate) axes: Vec<usize>,
    pub(crate) values: Vec<f64>,
    pub(crate) construction: Construction,
    /// The axes that close up.
    pub(crate) periodic: Periodic,
}

impl Cubes {
    /// The complex. The name of a cell is its doubled centre coordinates plus 1.
    pub(crate) fn filtration(&self) -> Filtration {
        let long = self.axes.iter().filter(|&&extent| extent > 1).count();
        let mut dimensions = vec![Vec::new(); long + 1];
        for centre in self.centres() {
            let along = self.along(&centre);
            let facets = along.iter().flat_map(|&axis| {
                [-1, 1].map(|by| {
                    let mut facet = centre.clone();
                    facet[axis] += by;
                    if self.is_periodic(axis) {
                        let first = -i32::from(self.construction == Construction::T);
                        facet[axis] = (facet[axis] - first).rem_euclid(2 * self.axes[axis] as i32) + first;
                    }
                    name(&facet)
                })
            });
            let cell =
                NamedCell { name: name(&centre), value: self.value(&centre), facets: facets.collect() };
            dimensions[along.len()].push(cell);
        }
        for cells in &mut dimensions {
            cells.sort_by(|a: &NamedCell, b| a.value.total_cmp(&b.value));
        }
        // There are no cells above the last dimension.
        dimensions.push(Vec::new());
        Filtration::of_cells(dimensions)
    }

    /// The doubled centre coordinates of all cells.
    fn centres(&self) -> Vec<Vec<i32>> {
        let mut centres = vec![Vec::new()];
        for (axis, &extent) in self.axes.iter().enumerate() {
            let last = 2 * extent as i32 - 2;
            let range = match self.construction {
                Construction::T if self.is_periodic(axis) => -1..=last,
                Construction::V if self.is_periodic(axis) => 0..=last + 1,
                Construction::T if extent > 1 => -1..=last + 1,
                _ => 0..=last,
            };
            let longer = |centre: &Vec<i32>| {
                let centre = centre.clone();
                range.clone().map(move |at| [&centre[..], &[at]].concat())
            };
            centres = centres.iter().flat_map(longer).collect();
        }
        centres
    }

    fn is_periodic(&self, axis: usize) -> bool {
        self.periodic.axes().any(|periodic| periodic == axis)
    }

    /// The axes along which a cell extends.
    fn along(&self, centre: &[i32]) -> Vec<usize> {
        let odd = i32::from(self.construction == Construction::V);
        let extends = |&axis: &usize| self.axes[axis] > 1 && centre[axis].rem_euclid(2) == odd;
        (0..self.axes.len()).filter(extends).collect()
    }

    /// The places of the voxels that are vertices of a cell (V) or contain it (T).
    pub(crate) fn voxels(&self, centre: &[i32]) -> Vec<usize> {
        let mut places = vec![0];
        for (axis, (&at, &extent)) in centre.iter().zip(&self.axes).enumerate() {
            let mut near =
                if at % 2 == 0 { vec![at / 2] } else { vec![(at - 1).div_euclid(2), (at + 1) / 2] };
            if self.is_periodic(axis) {
                near.iter_mut().for_each(|at| *at = at.rem_euclid(extent as i32));
            }
            let inside: Vec<usize> =
                near.into_iter().filter(|at| (0..extent as i32).contains(at)).map(|at| at as usize).collect();
            places =
                places.iter().flat_map(|place| inside.iter().map(move |at| place * extent + at)).collect();
        }
        places
    }

    /// The place of a voxel.
    pub(crate) fn place(&self, voxel: &[usize]) -> usize {
        voxel.iter().zip(&self.axes).fold(0, |place, (at, extent)| place * extent + at)
    }

    /// The owner of a cell: the first voxel that contains it (T), or its last vertex (V).
    pub(crate) fn owner(&self, centre: &[i32]) -> usize {
        let key = |a: &usize, b: &usize| self.values[*a].total_cmp(&self.values[*b]).then(a.cmp(b));
        let voxels = self.voxels(centre).into_iter();
        let owner = match self.construction {
            Construction::T => voxels.min_by(key),
            Construction::V => voxels.max_by(key),
        };
        owner.expect("a cell has a voxel")
    }

    fn value(&self, centre: &[i32]) -> f64 {
        self.values[self.owner(centre)]
    }
}

/// The name of a cell.
pub(crate) fn name(centre: &[i32]) -> Vec<u32> {
    centre.iter().map(|&at| u32::try_from(at + 1).expect("coordinates begin at -1")).collect()
}
