//! The cells of a cubical complex as a list, which the plain versions of persistence, of curves and of boundary
//! matrices have in common.

use super::construction::Construction;

/// A cell by its coordinates: 2k on an axis is a point, 2k + 1 an interval.
pub(crate) type Cell = [usize; 4];

/// The dimension of a cell.
pub(crate) fn dim(cell: &Cell) -> usize {
    cell.iter().filter(|&&coordinate| coordinate % 2 == 1).count()
}

/// The cells of an image. Voxels have even coordinates where they are vertices and odd ones where they are top cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainCells {
    extents: [usize; 4],
    axes: usize,
    construction: Construction,
    /// Whether each axis closes up: after 2n coordinates of cells, for n voxels, comes the first again.
    pub(crate) is_periodic: [bool; 4],
}

impl PlainCells {
    /// The cells of an image with these extents in C order, the last `axes` of which are the user's; no axis closes up.
    pub(crate) fn new(extents: [usize; 4], axes: usize, construction: Construction) -> Self {
        PlainCells { extents, axes, construction, is_periodic: [false; 4] }
    }

    /// The number of cells along an axis.
    fn along(&self, axis: usize) -> usize {
        match self.construction {
            _ if self.is_periodic[axis] => 2 * self.extents[axis],
            Construction::V => 2 * self.extents[axis] - 1,
            Construction::T if axis + self.axes >= 4 => 2 * self.extents[axis] + 1,
            Construction::T => 1,
        }
    }

    /// All cells.
    pub(crate) fn all(self) -> impl Iterator<Item = Cell> {
        let along: Cell = std::array::from_fn(|axis| self.along(axis));
        (0..along.iter().product()).map(move |number| {
            let (mut rest, mut cell) = (number, [0; 4]);
            for axis in (0..4).rev() {
                (cell[axis], rest) = (rest % along[axis], rest / along[axis]);
            }
            cell
        })
    }

    /// The places of the voxels that are the vertices of a cell, or that contain it, ascending.
    pub(crate) fn voxels(&self, cell: Cell) -> Vec<usize> {
        let along = |axis: usize| -> Vec<usize> {
            let (half, extent) = (cell[axis] / 2, self.extents[axis]);
            let (is_odd, is_periodic) = (cell[axis] % 2 == 1, self.is_periodic[axis]);
            let mut along = match self.construction {
                Construction::V if is_odd => vec![half, (half + 1) % extent],
                Construction::T if !is_odd && (half > 0 || is_periodic) => {
                    vec![(half + extent - 1) % extent, half]
                }
                _ => vec![half],
            };
            along.retain(|&voxel| voxel < extent);
            along.sort_unstable();
            along
        };
        (0..4).fold(vec![0], |places, axis| {
            let along = along(axis);
            let further = |place: usize| along.iter().map(move |voxel| place * self.extents[axis] + voxel);
            places.into_iter().flat_map(further).collect()
        })
    }

    /// The facets of a cell.
    pub(crate) fn facets(self, cell: Cell) -> impl Iterator<Item = Cell> {
        let moved = move |axis: usize, coordinate: usize| {
            let mut facet = cell;
            facet[axis] = coordinate % self.along(axis);
            facet
        };
        let odd = (0..4).filter(move |&axis| cell[axis] % 2 == 1);
        odd.flat_map(move |axis| [moved(axis, cell[axis] - 1), moved(axis, cell[axis] + 1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_those_of_products_of_intervals() {
        for (extents, axes) in [
            ([1, 1, 1, 4], 1),
            ([1, 1, 3, 1], 2),
            ([1, 1, 2, 5], 2),
            ([1, 3, 1, 2], 3),
            ([1, 2, 3, 4], 3),
            ([2, 3, 2, 4], 4),
        ] {
            for construction in [Construction::V, Construction::T] {
                // Cells of each dimension of an axis: n points and the intervals between them, or n intervals and
                // their ends.
                let mut counts = vec![1];
                for &n in &extents[4 - axes..] {
                    let [points, intervals] = match construction {
                        Construction::V => [n, n - 1],
                        Construction::T => [n + 1, n],
                    };
                    let of_dim = |d: usize| {
                        let count = |d: Option<usize>| d.and_then(|d| counts.get(d)).copied().unwrap_or(0);
                        points * count(Some(d)) + intervals * count(d.checked_sub(1))
                    };
                    counts = (0..=counts.len()).map(of_dim).collect();
                }
                let mut found = vec![0; axes + 1];
                let cells = PlainCells::new(extents, axes, construction);
                for cell in cells.all() {
                    found[dim(&cell)] += 1;
                    let facets: Vec<Cell> = cells.facets(cell).collect();
                    assert_eq!(facets.len(), 2 * dim(&cell));
                    for facet in facets {
                        let steps: Vec<usize> = (0..4).map(|axis| facet[axis].abs_diff(cell[axis])).collect();
                        assert_eq!((dim(&facet) + 1, steps.iter().sum()), (dim(&cell), 1));
                    }
                    // The voxels of a cell of V are its vertices; those of T contain it.
                    let around = cells.voxels(cell);
                    let most =
                        1 << if construction == Construction::V { dim(&cell) } else { axes - dim(&cell) };
                    assert!((1..=most).contains(&around.len()) && around.is_sorted());
                    if construction == Construction::V {
                        assert_eq!(around.len(), most);
                    }
                }
                assert_eq!(found, counts, "{extents:?} {construction:?}");
            }
        }
        let cells = PlainCells::new([1, 2, 2, 2], 3, Construction::T);
        assert_eq!((cells.voxels([0, 2, 2, 2]), cells.voxels([0, 0, 4, 2])), ((0..8).collect(), vec![2, 3]));
    }
}
