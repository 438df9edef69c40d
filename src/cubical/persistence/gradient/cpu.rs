//! Gradient codes on the CPU, a row at a time with vectorised comparisons.

use super::table::{
    FACES, FIRST_CUBE, FIRST_FACE, NO_VOXEL, Owned, PAIRS, Table, edges_of_face, face_of_cube,
};
use crate::cubical::persistence::grid::Grid;
use crate::parallel;
use crate::progress::Progress;

/// Number of places of a task.
const PART: usize = 1 << 12;

/// Computes the code of each place's lower star; [`NO_VOXEL`] on the rim. Progress counts places.
pub(crate) fn codes(grid: &Grid, progress: &dyn Progress) -> Vec<u16> {
    let [planes, rows, columns] = grid.layout.extents;
    let mut codes = vec![NO_VOXEL; grid.ranks().len()];
    let table = Table::of(grid.layout.axes);
    let line = grid.layout.strides[1].max(columns);
    // A task has a whole number of lines of places, enough to be worth it.
    let lines = (PART / line).max(1);
    let first = grid.row(0, 0);
    let per_plane = grid.layout.strides[2] / line;
    let (skipped_planes, skipped_rows) =
        (first / grid.layout.strides[2], first % grid.layout.strides[2] / line);
    // Lines that lie entirely in the rim keep `NO_VOXEL`.
    let codes_of_line = |owned: &mut [Owned], number: usize, codes: &mut [u16]| {
        let (plane, row) = (number / per_plane, number % per_plane);
        let (Some(plane), Some(row)) = (plane.checked_sub(skipped_planes), row.checked_sub(skipped_rows))
        else {
            return;
        };
        if plane >= planes || row >= rows {
            return;
        }
        let place = grid.row(plane, row);
        match grid.layout.axes {
            // A single voxel owns nothing else.
            0 => owned.fill(0),
            1 => line_of::<1>(grid, place, owned),
            2 => line_of::<2>(grid, place, owned),
            _ => line_of::<3>(grid, place, owned),
        }
        let start = place - number * line;
        for (code, &owned) in codes[start..start + columns].iter_mut().zip(&*owned) {
            *code = table.code(owned);
        }
    };
    parallel::pieces_mut(&mut codes, lines * line, &|part, codes| {
        let mut owned = vec![0; columns];
        for (number, codes) in (part * lines..).zip(codes.chunks_mut(line)) {
            codes_of_line(&mut owned, number, codes);
        }
        progress.advance(codes.len() as u64);
    });
    codes
}

/// Computes the owned cells of the voxels of a row, whose first voxel is at `place`.
fn line_of<const AXES: usize>(grid: &Grid, place: usize, owned: &mut [Owned]) {
    let columns = owned.len();
    let strides = grid.layout.strides;
    let ranks = grid.ranks();
    let own = &ranks[place..place + columns];
    // The ranks of the row shifted by an offset of −1, 0 or 1 along each axis.
    let at = |offset: [isize; 3]| {
        let shift: isize = (0..AXES).map(|axis| offset[axis] * strides[axis].cast_signed()).sum();
        let start = place.checked_add_signed(shift).expect("voxels lie inside a rim");
        &ranks[start..start + columns]
    };
    let sign = |bit: usize| if bit == 0 { -1 } else { 1 };
    let mut edges: [&[u32]; 6] = [own; 6];
    let mut faces: [&[u32]; 12] = [own; 12];
    let mut cubes: [&[u32]; 8] = [own; 8];
    for (edge, ranks) in edges.iter_mut().enumerate().take(2 * AXES) {
        let mut offset = [0; 3];
        offset[edge / 2] = sign(edge % 2);
        *ranks = at(offset);
    }
    let (of_faces, of_cubes) = ([0, 0, 4, FACES][AXES], if AXES == 3 { 8 } else { 0 });
    for (face, ranks) in faces.iter_mut().enumerate().take(of_faces) {
        let (a, b) = PAIRS[face / 4];
        let mut offset = [0; 3];
        offset[a] = sign(face % 2);
        offset[b] = sign(face / 2 % 2);
        *ranks = at(offset);
    }
    for (cube, ranks) in cubes.iter_mut().enumerate().take(of_cubes) {
        *ranks = at([sign(cube & 1), sign(cube >> 1 & 1), sign(cube >> 2)]);
    }
    // All ones if the other voxel is earlier. Ranks are below 2^31, so signed comparisons suffice.
    let earlier = |other: u32, own: u32| {
        if other.cast_signed() < own.cast_signed() { Owned::MAX } else { 0 }
    };
    for (x, owned) in owned.iter_mut().enumerate() {
        let own = own[x];
        let mut by_edge = [0; 6];
        let mut by_face = [0; 12];
        let mut sum = 0;
        for edge in 0..2 * AXES {
            by_edge[edge] = earlier(edges[edge][x], own);
            sum |= by_edge[edge] & 1 << edge;
        }
        for face in 0..of_faces {
            let (a, b) = edges_of_face(face);
            by_face[face] = by_edge[a] & by_edge[b] & earlier(faces[face][x], own);
            sum |= by_face[face] & 1 << (FIRST_FACE as usize + face);
        }
        for cube in 0..of_cubes {
            let around = |axis| by_face[face_of_cube(cube, axis)];
            let has = around(0) & around(1) & around(2) & earlier(cubes[cube][x], own);
            sum |= has & 1 << (FIRST_CUBE as usize + cube);
        }
        *owned = sum;
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::cubical::persistence::PersistenceRequest;
    use crate::cubical::{Construction, Image, Order, Shape};

    /// The cells that a voxel owns, determined cell by cell.
    fn owned(grid: &Grid, place: usize) -> Owned {
        let is_earlier = |edges: &[usize]| {
            let other = edges.iter().fold(place, |place, &edge| grid.neighbour(place, edge));
            edges.iter().all(|edge| edge / 2 < grid.layout.axes) && grid.rank(other) < grid.rank(place)
        };
        // All voxels of a cell but its owner are reached along subsets of its edges.
        let owns = |edges: &[usize]| {
            (1..1_usize << edges.len()).all(|subset| {
                let some: Vec<usize> =
                    (0..edges.len()).filter(|i| subset >> i & 1 == 1).map(|i| edges[i]).collect();
                is_earlier(&some)
            })
        };
        let edges = (0..6)
            .filter(|&edge| edge / 2 < grid.layout.axes && owns(&[edge]))
            .fold(0, |bits, e| bits | 1 << e);
        let faces = (0..FACES).filter(|&face| {
            let (a, b) = edges_of_face(face);
            b / 2 < grid.layout.axes && owns(&[a, b])
        });
        let cubes = (0..8)
            .filter(|&cube| grid.layout.axes == 3 && owns(&[cube & 1, 2 | cube >> 1 & 1, 4 | cube >> 2]));
        let faces = faces.fold(0, |bits, face| bits | 1 << (FIRST_FACE as usize + face));
        cubes.fold(edges | faces, |bits, cube| bits | 1 << (FIRST_CUBE as usize + cube))
    }

    #[test]
    fn codes_are_those_of_the_cells_that_each_voxel_owns() {
        let mut rng = Pcg64Mcg::seed_from_u64(4);
        let shapes: [&[usize]; 9] =
            [&[1], &[2], &[33], &[2, 2], &[3, 17], &[40, 5], &[2, 2, 2], &[3, 4, 5], &[7, 2, 18]];
        for axes in shapes {
            for (construction, superlevel) in [(Construction::T, false), (Construction::V, true)] {
                let voxels = (0..axes.iter().product()).map(|_| rng.random_range(0..9_i8)).collect();
                let image = Image::<i8>::new(Shape::new(axes, Order::C).unwrap(), voxels).unwrap().into();
                let grid =
                    Grid::new(&image, &PersistenceRequest { construction, superlevel, max_dim: None }, &())
                        .unwrap();
                let codes = codes(&grid, &());
                let mut is_voxel = vec![false; codes.len()];
                for place in grid.in_order().iter().map(|&place| place as usize) {
                    is_voxel[place] = true;
                    assert_eq!(
                        codes[place],
                        Table::of(axes.len()).code(owned(&grid, place)),
                        "{axes:?} {place}"
                    );
                }
                assert!(codes.iter().zip(is_voxel).all(|(&code, is_voxel)| (code == NO_VOXEL) != is_voxel));
            }
        }
    }
}
