//! A matching of each lower star of an image of up to four axes.
//!
//! In the complex whose vertices are the voxels, 3⁴ cells contain a voxel, itself included. They are numbered in base
//! 3: the digit of an axis along which a cell does not extend is 1; the others say on which side of the voxel the cell
//! lies. So a facet differs from its cell in one digit, which is 1, and along an axis that the image lacks all digits
//! are 1.
//!
//! A *lower star* is the set of cells that the voxel owns; with a cell it contains the facets that contain the voxel.
//! Its cells are removed one by one (Robins, Wood, Sheppard 2011): a cell of which one facet is left is matched with
//! that facet, and both are removed. If there is no such cell, one of the least dimension is critical and is removed. A
//! facet matched with a cell is the last of its facets to be removed, so the matching has no closed paths.

/// Number of cells that contain a voxel.
pub(super) const CELLS: usize = 81;
/// The voxel itself.
pub(super) const VOXEL: usize = CELLS / 2;

/// A set of cells, as bits.
pub(super) type Set = u128;

/// The difference of the numbers of cells that differ by one in the digit of an axis.
pub(super) const POWERS: [usize; 4] = [1, 3, 9, 27];

/// The step from a voxel to a cell along an axis: one, or none, in either direction.
pub(super) const fn step(cell: usize, axis: usize) -> isize {
    (cell / POWERS[axis] % 3) as isize - 1
}

/// Number of axes along which a cell extends.
pub(super) const fn dim(cell: usize) -> usize {
    let (mut dim, mut axis) = (0, 0);
    while axis < 4 {
        dim += step(cell, axis).unsigned_abs();
        axis += 1;
    }
    dim
}

/// The facets, or else the cofacets, of each cell among those that contain the voxel.
const fn incident(are_facets: bool) -> [Set; CELLS] {
    let mut sets = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut axis = 0;
        while axis < 4 {
            let towards = step(cell, axis) * POWERS[axis] as isize;
            if are_facets && towards != 0 {
                sets[cell] |= 1 << (cell as isize - towards);
            }
            if !are_facets && towards == 0 {
                sets[cell] |= 1 << (cell - POWERS[axis]) | 1 << (cell + POWERS[axis]);
            }
            axis += 1;
        }
        cell += 1;
    }
    sets
}

const FACETS: [Set; CELLS] = incident(true);
const COFACETS: [Set; CELLS] = incident(false);

/// The cells of each dimension.
const OF_DIM: [Set; 5] = {
    let mut sets = [0; 5];
    let mut cell = 0;
    while cell < CELLS {
        sets[dim(cell)] |= 1 << cell;
        cell += 1;
    }
    sets
};

/// The cells that do not extend along each axis.
const ACROSS: [Set; 4] = {
    let mut sets = [0; 4];
    let mut at = 0;
    while at < 4 * CELLS {
        if step(at / 4, at % 4) == 0 {
            sets[at % 4] |= 1 << (at / 4);
        }
        at += 1;
    }
    sets
};

/// The lower star of a voxel in an image of so many axes. `is_earlier` says whether a cell's farthest voxel is earlier
/// than the voxel; it is asked only about cells whose facets are in the star.
pub(super) fn lower_star(axes: usize, is_earlier: impl Fn(usize) -> bool) -> Set {
    // The cells of fewer axes are those in the middle.
    let half = POWERS[..axes].iter().sum::<usize>();
    let all = ((1 << (2 * half + 1)) - 1) << (VOXEL - half);
    let mut star = 1 << VOXEL;
    for cells in &OF_DIM[1..=axes] {
        // With a cell, this set is to have all cells that result when digits become 1.
        let mut asked = star | cells & all;
        for axis in 0..axes {
            let across = asked & ACROSS[axis];
            asked &= across | across << POWERS[axis] | across >> POWERS[axis];
        }
        asked &= cells;
        while let Some(cell) = last(asked) {
            asked ^= 1 << cell;
            star |= Set::from(is_earlier(cell)) << cell;
        }
    }
    star
}

/// Matches a lower star. Tells cells in the order in which they are removed: a cell with the cofacet that it is matched
/// with, or a critical cell alone.
pub(super) fn match_cells(star: Set, mut tell: impl FnMut(usize, Option<usize>)) {
    let mut left = star;
    // Cells of which a facet was removed.
    let mut next = OF_DIM[1] & star;
    let mut dim = 0;
    while left != 0 {
        let (cell, mate) = match last(next) {
            Some(cofacet) => {
                next &= !(1 << cofacet);
                let facets = FACETS[cofacet] & left;
                if facets.count_ones() != 1 {
                    continue;
                }
                (facets.trailing_zeros() as usize, Some(cofacet))
            }
            None => {
                while OF_DIM[dim] & left == 0 {
                    dim += 1;
                }
                ((OF_DIM[dim] & left).trailing_zeros() as usize, None)
            }
        };
        tell(cell, mate);
        let mut more = COFACETS[cell];
        left &= !(1 << cell);
        if let Some(cofacet) = mate {
            left &= !(1 << cofacet);
            more |= COFACETS[cofacet];
        }
        next = (next | more) & left;
    }
}

fn last(set: Set) -> Option<usize> {
    set.checked_ilog2().map(|cell| cell as usize)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    /// The voxel, and others with this probability.
    fn random(share: f64, rng: &mut Pcg64Mcg) -> Set {
        (0..CELLS).fold(1 << VOXEL, |set, cell| set | Set::from(rng.random_bool(share)) << cell)
    }

    fn critical(star: Set) -> Vec<usize> {
        let mut critical = Vec::new();
        match_cells(star, |cell, mate| critical.extend(mate.is_none().then_some(cell)));
        critical
    }

    #[test]
    fn a_minimum_a_maximum_and_a_voxel_that_is_neither() {
        assert_eq!(critical(1 << VOXEL), [VOXEL]);
        for axes in 0..=4 {
            let all = lower_star(axes, |_| true);
            assert_eq!(all.count_ones(), 3_u32.pow(axes as u32));
            assert_eq!(critical(all).iter().map(|&cell| dim(cell)).collect::<Vec<_>>(), [axes]);
        }
        assert!(critical(1 << VOXEL | 1 << (VOXEL + 1)).is_empty());
    }

    #[test]
    fn facets_differ_in_one_digit() {
        for cell in 0..CELLS {
            assert_eq!(FACETS[cell].count_ones() as usize, dim(cell));
            assert_eq!(COFACETS[cell].count_ones() as usize, 2 * (4 - dim(cell)));
            for facet in (0..CELLS).filter(|facet| FACETS[cell] >> facet & 1 == 1) {
                assert_eq!(COFACETS[facet] >> cell & 1, 1);
                assert!(POWERS.contains(&cell.abs_diff(facet)) && dim(facet) + 1 == dim(cell));
            }
        }
    }

    #[test]
    fn a_star_has_the_cells_whose_voxels_are_all_earlier() {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        for _ in 0..200 {
            let earlier = random(0.8, &mut rng);
            let star = lower_star(4, |cell| earlier >> cell & 1 == 1);
            for (cell, facets) in FACETS.iter().enumerate() {
                let is_owned = earlier >> cell & 1 == 1 && facets & !star == 0;
                assert_eq!(star >> cell & 1 == 1, is_owned, "{cell} of {earlier:x}");
            }
        }
    }

    /// In a matching without closed paths, a facet is matched once the other facets of its mate are removed.
    #[test]
    fn each_cell_is_removed_once_and_after_its_facets() {
        let mut rng = Pcg64Mcg::seed_from_u64(2);
        for round in 0..400 {
            let earlier = random(f64::from(round % 10) / 9.0, &mut rng);
            let axes = 1 + round as usize % 4;
            let star = lower_star(axes, |cell| earlier >> cell & 1 == 1);
            assert!((axes..4).all(|axis| star & !ACROSS[axis] == 0));
            let mut left = star;
            match_cells(star, |cell, mate| {
                assert_eq!(left >> cell & 1, 1);
                assert_eq!(FACETS[cell] & left, 0, "facets of {cell} are left");
                if let Some(mate) = mate {
                    assert_eq!(left >> mate & 1, 1);
                    assert_eq!(FACETS[mate] & left, 1 << cell);
                    left &= !(1 << mate);
                }
                left &= !(1 << cell);
            });
            assert_eq!(left, 0);
        }
    }
}
