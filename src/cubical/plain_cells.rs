//! The cells of a cubical complex as a list, which the plain versions of persistence, of curves and of boundary
//! matrices have in common.

use super::construction::Construction;

/// A cell by its coordinates: 2k on an axis is a point, 2k + 1 an interval.
pub(crate) type Cell = [usize; 3];

/// The dimension of a cell.
pub(crate) fn dim(cell: &Cell) -> usize {
    cell.iter().filter(|&&coordinate| coordinate % 2 == 1).count()
}

/// All cells. Voxels have even coordinates where they are vertices and odd ones where they are top cells.
pub(crate) fn cells(
    extents: [usize; 3],
    axes: usize,
    construction: Construction,
) -> impl Iterator<Item = Cell> {
    let [planes, rows, columns] = std::array::from_fn(|axis| match construction {
        Construction::V => 2 * extents[axis] - 1,
        Construction::T if axis + axes >= 3 => 2 * extents[axis] + 1,
        Construction::T => 1,
    });
    (0..planes * rows * columns).map(move |i| [i / columns / rows, i / columns % rows, i % columns])
}

/// The places of the voxels that are the vertices of a cell, or that contain it.
pub(crate) fn voxels(cell: Cell, extents: [usize; 3], construction: Construction) -> Vec<usize> {
    let along = |axis: usize| -> Vec<usize> {
        let (half, odd) = (cell[axis] / 2, cell[axis] % 2 == 1);
        match construction {
            Construction::V if odd => vec![half, half + 1],
            Construction::T if !odd && half > 0 => vec![half - 1, half],
            _ => vec![half],
        }
    };
    let mut places = Vec::new();
    for z in along(0) {
        for y in along(1) {
            for x in along(2).into_iter().filter(|&x| z < extents[0] && y < extents[1] && x < extents[2]) {
                places.push((z * extents[1] + y) * extents[2] + x);
            }
        }
    }
    places
}

/// The facets of a cell.
pub(crate) fn facets(cell: Cell) -> impl Iterator<Item = Cell> {
    let moved = move |axis: usize, coordinate: usize| {
        let mut facet = cell;
        facet[axis] = coordinate;
        facet
    };
    let odd = (0..3).filter(move |&axis| cell[axis] % 2 == 1);
    odd.flat_map(move |axis| [moved(axis, cell[axis] - 1), moved(axis, cell[axis] + 1)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_those_of_products_of_intervals() {
        for (extents, axes) in
            [([1, 1, 4], 1), ([1, 3, 1], 2), ([1, 2, 5], 2), ([3, 1, 2], 3), ([2, 3, 4], 3)]
        {
            for construction in [Construction::V, Construction::T] {
                // Cells of each dimension of an axis: n points and the intervals between them, or n intervals and
                // their ends.
                let mut counts = vec![1];
                for &n in &extents[3 - axes..] {
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
                for cell in cells(extents, axes, construction) {
                    found[dim(&cell)] += 1;
                    let facets: Vec<Cell> = facets(cell).collect();
                    assert_eq!(facets.len(), 2 * dim(&cell));
                    for facet in facets {
                        let steps: Vec<usize> = (0..3).map(|axis| facet[axis].abs_diff(cell[axis])).collect();
                        assert_eq!((dim(&facet) + 1, steps.iter().sum()), (dim(&cell), 1));
                    }
                    // The voxels of a cell of V are its vertices; those of T contain it.
                    let around = voxels(cell, extents, construction);
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
        let corner = voxels([2, 2, 2], [2, 2, 2], Construction::T);
        assert_eq!((corner, voxels([0, 4, 2], [2, 2, 2], Construction::T)), ((0..8).collect(), vec![2, 3]));
    }
}
