//! Gradient codes on the CPU, a row at a time with vectorised comparisons.

use super::table::{
    CUBES, EDGES, FACES, FIRST_CUBE, FIRST_FACE, NO_VOXEL, Owned, PAIRS, Table, edges_of_face, face_of_cube,
};
use crate::cubical::persistence::grid::Grid;
use crate::progress::Progress;
use crate::simd::{Kernel, Level, Simd};

/// Computes the code of each place's lower star; [`NO_VOXEL`] on the rim. Progress counts voxels.
pub(crate) fn codes(grid: &Grid, progress: &dyn Progress) -> Vec<u16> {
    let rows = grid.layout.extents[1];
    // Zeroed memory is mapped by the threads that fill it.
    let mut codes = vec![0; grid.places()];
    let (table, level) = (Table::of(grid.layout.axes), Level::detect());
    grid.layout.each_line(&mut codes, &|line| line.fill(NO_VOXEL), &|line, codes| {
        let mut owned = vec![0; codes.len()];
        let at = [line % rows, line / rows];
        match grid.layout.axes {
            // A single voxel owns nothing else.
            0 => {}
            1 => level.run(Line::<1> { grid, at, owned: &mut owned }),
            2 => level.run(Line::<2> { grid, at, owned: &mut owned }),
            _ => level.run(Line::<3> { grid, at, owned: &mut owned }),
        }
        codes.iter_mut().zip(&owned).for_each(|(code, &owned)| *code = table.code(owned));
        progress.advance(codes.len() as u64);
    });
    codes
}

/// The owned cells of the voxels of a row, given by the number of the row and that of its plane.
struct Line<'a, const AXES: usize> {
    grid: &'a Grid<'a>,
    at: [usize; 2],
    owned: &'a mut [Owned],
}

/// The compiler vectorises the comparisons for each level by itself.
impl<const AXES: usize> Kernel<u32> for Line<'_, AXES> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) {
        let Line { grid, at: [row, plane], owned } = self;
        let (layout, last) = (&grid.layout, owned.len() - 1);
        let keys = Keys { keys: grid.keys(), strides: layout.strides, place: layout.row(plane, row) };
        // The first and the last voxel of a row are done again where they are neighbours.
        let is_circle = layout.is_periodic[0];
        keys.owned::<AXES>(&ties(grid, [usize::from(is_circle), row, plane]), owned);
        for x in [0, last].into_iter().filter(|_| is_circle) {
            let keys = Keys { place: keys.place + x, ..keys };
            keys.owned::<AXES>(&ties(grid, [x, row, plane]), &mut owned[x..=x]);
        }
    }
}

/// Computes the code of the lower star of one place of a grid whose keys are not held.
#[cold]
pub(crate) fn code(grid: &Grid, place: usize) -> u16 {
    let Some((at, around)) = grid.around(place) else { return NO_VOXEL };
    let (mut owned, ties) = ([0], ties(grid, at));
    let keys = |place| Keys { keys: &around, strides: [1, 3, 9], place };
    match grid.layout.axes {
        1 => keys(1).owned::<1>(&ties, &mut owned),
        2 => keys(1 + 3).owned::<2>(&ties, &mut owned),
        _ => keys(1 + 3 + 9).owned::<3>(&ties, &mut owned),
    }
    Table::of(grid.layout.axes).code(owned[0])
}

/// For each axis, whether the neighbours before and after a voxel, given by its column, row and plane, are earlier
/// where keys are equal.
#[inline(always)]
fn ties(grid: &Grid, at: [usize; 3]) -> [[bool; 2]; 3] {
    std::array::from_fn(|axis| {
        // Across the end of a periodic axis, the neighbour before is at a greater place, and the one after at a lesser.
        let is_lesser = match (grid.layout.is_periodic[axis], grid.layout.along(axis, at[axis])) {
            (true, (at, extent)) => [at > 0, at + 1 == extent],
            (false, _) => [true, false],
        };
        is_lesser.map(|is| is != grid.construction.is_reversed())
    })
}

/// The keys of a grid, and the place of a voxel.
#[derive(Clone, Copy)]
struct Keys<'a> {
    keys: &'a [i32],
    strides: [usize; 3],
    place: usize,
}

impl Keys<'_> {
    /// Computes the owned cells of the voxels from the place on.
    #[inline(always)]
    fn owned<const AXES: usize>(self, ties: &[[bool; 2]; 3], owned: &mut [Owned]) {
        let Keys { keys, strides, place } = self;
        let columns = owned.len();
        let own = &keys[place..place + columns];
        // The keys of the row shifted by an offset of −1, 0 or 1 along each axis.
        let at = |offset: [isize; 3]| {
            let shift: isize = (0..AXES).map(|axis| offset[axis] * strides[axis].cast_signed()).sum();
            let start = place.checked_add_signed(shift).expect("voxels lie inside a rim");
            &keys[start..start + columns]
        };
        let sign = |bit: usize| if bit == 0 { -1 } else { 1 };
        let (mut edges, mut faces, mut cubes) = ([own; EDGES], [own; FACES], [own; CUBES]);
        for (edge, keys) in edges.iter_mut().enumerate().take(2 * AXES) {
            let mut offset = [0; 3];
            offset[edge / 2] = sign(edge % 2);
            *keys = at(offset);
        }
        let (of_faces, of_cubes) = ([0, 0, 4, FACES][AXES], if AXES == 3 { 8 } else { 0 });
        for (face, keys) in faces.iter_mut().enumerate().take(of_faces) {
            let (a, b) = PAIRS[face / 4];
            let mut offset = [0; 3];
            offset[a] = sign(face % 2);
            offset[b] = sign(face / 2 % 2);
            *keys = at(offset);
        }
        for (cube, keys) in cubes.iter_mut().enumerate().take(of_cubes) {
            *keys = at([sign(cube & 1), sign(cube >> 1 & 1), sign(cube >> 2)]);
        }
        let around = Around { own, edges, faces, cubes, ties: *ties };
        let (blocks, rest) = owned.as_chunks_mut::<LANES>();
        for (number, block) in blocks.iter_mut().enumerate() {
            *block = around.owned::<AXES, LANES>(number * LANES);
        }
        for (x, owned) in (columns - rest.len()..).zip(rest) {
            [*owned] = around.owned::<AXES, 1>(x);
        }
    }
}

/// Number of voxels that are compared at a time.
const LANES: usize = 16;

/// The keys of the voxels of a row, and of their neighbours by the edges, faces and cubes between.
struct Around<'a> {
    own: &'a [i32],
    edges: [&'a [i32]; EDGES],
    faces: [&'a [i32]; FACES],
    cubes: [&'a [i32]; CUBES],
    /// For each axis, whether the neighbours before and after are earlier where keys are equal. For a neighbour along
    /// several axes the greatest decides.
    ties: [[bool; 2]; 3],
}

impl Around<'_> {
    /// The owned cells of `N` voxels from one on.
    #[inline(always)]
    fn owned<const AXES: usize, const N: usize>(&self, x: usize) -> [Owned; N] {
        let load = |keys: &[i32]| -> [i32; N] { keys[x..x + N].try_into().expect("as long as a range of N") };
        // What the keys of later and of earlier neighbours are compared with. No voxel has the greatest key of all.
        let own = load(self.own);
        let limits = [own, own.map(|key| key + 1)];
        let limit = |axis: usize, side: usize| &limits[usize::from(self.ties[axis][side])];
        // All ones if the other voxel is earlier.
        let earlier = |keys: &[i32], limits: &[i32; N]| -> [Owned; N] {
            let keys = load(keys);
            std::array::from_fn(|lane| if keys[lane] < limits[lane] { Owned::MAX } else { 0 })
        };
        let both = |a: [Owned; N], b: [Owned; N]| std::array::from_fn(|lane| a[lane] & b[lane]);
        let mut sum = [0; N];
        let mut add = |has: &[Owned; N], bit: usize| {
            sum.iter_mut().zip(has).for_each(|(sum, has)| *sum |= has & 1 << bit);
        };
        let (mut by_edge, mut by_face) = ([[0; N]; EDGES], [[0; N]; FACES]);
        for (edge, by_edge) in by_edge.iter_mut().enumerate().take(2 * AXES) {
            *by_edge = earlier(self.edges[edge], limit(edge / 2, edge % 2));
            add(by_edge, edge);
        }
        for face in 0..[0, 0, 4, FACES][AXES] {
            let (a, b) = edges_of_face(face);
            let of_corner = earlier(self.faces[face], limit(PAIRS[face / 4].1, face / 2 % 2));
            by_face[face] = both(both(by_edge[a], by_edge[b]), of_corner);
            add(&by_face[face], FIRST_FACE as usize + face);
        }
        for cube in 0..if AXES == 3 { CUBES } else { 0 } {
            let around = |axis| by_face[face_of_cube(cube, axis)];
            let of_corner = earlier(self.cubes[cube], limit(2, cube / 4));
            let has = both(both(around(0), around(1)), both(around(2), of_corner));
            add(&has, FIRST_CUBE as usize + cube);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::cubical::persistence::PersistenceRequest;
    use crate::cubical::{Construction, Image, Order, Periodic, Shape};

    /// The cells that a voxel owns, determined cell by cell.
    fn owned(grid: &Grid, place: usize) -> Owned {
        let is_earlier = |edges: &[usize]| {
            let other = edges.iter().fold(place, |place, &edge| grid.neighbour(place, edge));
            edges.iter().all(|edge| edge / 2 < grid.layout.axes) && grid.is_earlier(other, place)
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
            let shape = Shape::new(axes, Order::C).unwrap();
            let filtrations = [(Construction::T, false), (Construction::V, true)];
            for ((construction, superlevel), periodic) in filtrations
                .iter()
                .flat_map(|&filtration| Periodic::all(shape).map(move |all| (filtration, all)))
            {
                let voxels = (0..shape.count()).map(|_| rng.random_range(0..9_i8)).collect();
                let image = Image::<i8>::new(shape, voxels).unwrap().into();
                let request = PersistenceRequest { construction, superlevel, max_dim: None, periodic };
                let grid = Grid::new(&image, None, &request, true, &()).unwrap();
                let codes = codes(&grid, &());
                let mut is_voxel = vec![false; codes.len()];
                for place in (0..shape.count()).map(|place| grid.layout.on_grid(place)) {
                    is_voxel[place] = true;
                    let expected = Table::of(axes.len()).code(owned(&grid, place));
                    assert_eq!(codes[place], expected, "{request:?} of {shape} at {place}");
                }
                assert!(codes.iter().zip(is_voxel).all(|(&code, is_voxel)| (code == NO_VOXEL) != is_voxel));
            }
        }
    }
}
