//! Tests the table on every set of cells that a voxel can own.

use super::*;

/// Mate of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EdgeMate {
    /// The edge is not in the lower star.
    Absent,
    /// Matched with the voxel.
    Voxel,
    /// Unmatched: the edge is critical.
    Critical,
    /// Matched with this face.
    Face(usize),
}

fn edge_mate(star: Star, edge: usize) -> EdgeMate {
    match star.edge_bits(edge) {
        0 => EdgeMate::Absent,
        WITH_VOXEL => EdgeMate::Voxel,
        CRITICAL => EdgeMate::Critical,
        _ => EdgeMate::Face(star.face_of(edge)),
    }
}

/// Every set of cells that a voxel can own, that is, every subcomplex of the octahedron's surface.
fn every_owned() -> impl Iterator<Item = Owned> {
    (0..1_u32 << FACES).flat_map(|faces| {
        let covered = (0..FACES).filter(|face| faces >> face & 1 == 1).fold(0_u32, |covered, face| {
            let (a, b) = edges_of_face(face);
            covered | 1 << a | 1 << b
        });
        let closed = (0..CUBES)
            .filter(|&cube| (0..3).all(|axis| faces >> face_of_cube(cube, axis) & 1 == 1))
            .fold(0_u32, |closed, cube| closed | 1 << cube);
        let edges = (0..1_u32 << EDGES).filter(move |edges| edges & covered == covered);
        edges.flat_map(move |edges| {
            let cubes = (0..1_u32 << CUBES).filter(move |cubes| cubes & !closed == 0);
            cubes.map(move |cubes| edges | faces << FIRST_FACE | cubes << FIRST_CUBE)
        })
    })
}

#[test]
fn every_star_has_a_code_of_its_own() {
    let (table, of_plane) = (Table::of(3), Table::of(2));
    let mut is_seen = vec![false; usize::from(NO_VOXEL)];
    for owned in every_owned() {
        let code = table.code(owned);
        assert!(!std::mem::replace(&mut is_seen[usize::from(code)], true), "{owned:#x}");
        assert_eq!((table.star(code), table.critical(code)), Star::of(owned), "{owned:#x}");
        assert_eq!(of_plane.code(owned), code, "{owned:#x}");
        if owned & !PLANE == 0 {
            assert_eq!((of_plane.star(code), of_plane.critical(code)), Star::of(owned), "{owned:#x}");
        }
    }
    assert_eq!(is_seen.iter().filter(|seen| **seen).count(), 15_935);
}

#[test]
fn every_cell_is_critical_or_has_one_mate_that_has_it() {
    for owned in every_owned() {
        let (star, critical) = Star::of(owned);
        let has = |cell: u32| owned >> cell & 1 == 1;
        let is_critical = |cell: u32| critical >> cell & 1 == 1;
        assert_eq!(star.edge_of_voxel().is_none(), owned == 0, "{owned:#x}");
        assert_eq!(critical & VOXEL != 0, owned == 0, "{owned:#x}");
        for edge in 0..EDGES {
            let expected = match edge_mate(star, edge) {
                EdgeMate::Absent => (false, false),
                EdgeMate::Critical => (true, true),
                EdgeMate::Voxel => (star.edge_of_voxel() == Some(edge), false),
                EdgeMate::Face(face) => {
                    let (a, b) = edges_of_face(face);
                    let is_mutual = star.face_mate(face) == FaceMate::Edge && (a == edge || b == edge);
                    (is_mutual && has(FIRST_FACE + face as u32), false)
                }
            };
            assert_eq!((has(edge as u32), is_critical(edge as u32)), expected, "{owned:#x}, edge {edge}");
        }
        for face in 0..FACES {
            let at = FIRST_FACE + face as u32;
            let with_edges = (0..EDGES).filter(|&edge| edge_mate(star, edge) == EdgeMate::Face(face)).count();
            match star.face_mate(face) {
                FaceMate::None => {
                    assert_eq!((has(at), with_edges), (is_critical(at), 0), "{owned:#x}, face {face}")
                }
                FaceMate::Edge => assert_eq!((has(at), with_edges), (true, 1), "{owned:#x}, face {face}"),
                FaceMate::Cube(sign) => {
                    let axis = omitted_axis(face);
                    let cube = (0..CUBES).find(|&c| face_of_cube(c, axis) == face && c >> axis & 1 == sign);
                    let cube = cube.expect("two cubes lie at a face");
                    assert_eq!((has(at), with_edges), (true, 0), "{owned:#x}, face {face}");
                    assert!(has(FIRST_CUBE + cube as u32) && star.axis_of_cube(cube) == Some(axis));
                }
            }
        }
        for cube in 0..CUBES {
            let at = FIRST_CUBE + cube as u32;
            let mated = star.axis_of_cube(cube).map(|axis| star.face_mate(face_of_cube(cube, axis)));
            assert_eq!(has(at) && !is_critical(at), mated.is_some(), "{owned:#x}, cube {cube}");
            assert!(mated.is_none_or(|mate| matches!(mate, FaceMate::Cube(_))), "{owned:#x}, cube {cube}");
        }
    }
}

#[test]
fn no_way_comes_back() {
    fn from_face(star: Star, face: usize, steps: usize) {
        assert!(steps < FACES, "{star:?}");
        if let FaceMate::Cube(sign) = star.face_mate(face) {
            let axis = omitted_axis(face);
            let cube = (0..CUBES).find(|&c| face_of_cube(c, axis) == face && c >> axis & 1 == sign);
            let cube = cube.expect("two cubes lie at a face");
            for other in (0..3).filter(|&other| other != axis) {
                from_face(star, face_of_cube(cube, other), steps + 1);
            }
        }
    }
    for owned in every_owned() {
        let (star, _) = Star::of(owned);
        for mut edge in 0..EDGES {
            let mut steps = 0;
            while let EdgeMate::Face(face) = edge_mate(star, edge) {
                let (a, b) = edges_of_face(face);
                edge = if a == edge { b } else { a };
                steps += 1;
                assert!(steps < EDGES, "{owned:#x}");
            }
        }
        (0..FACES).for_each(|face| from_face(star, face, 0));
    }
}

#[test]
fn critical_cells_are_the_reduced_homology_of_the_link() {
    for owned in every_owned().filter(|&owned| owned != 0) {
        let (_, critical) = Star::of(owned);
        let count =
            |cells: Owned, first: u32, end: u32| (cells >> first & ((1 << (end - first)) - 1)).count_ones();
        let mut trees: [usize; EDGES] = std::array::from_fn(|edge| edge);
        for face in (0..FACES).filter(|face| owned >> (FIRST_FACE as usize + face) & 1 == 1) {
            let (a, b) = edges_of_face(face);
            let (from, to) = (trees[a], trees[b]);
            trees.iter_mut().filter(|tree| **tree == from).for_each(|tree| *tree = to);
        }
        let roots = (0..EDGES).filter(|&edge| owned >> edge & 1 == 1 && trees[edge] == edge).count() as u32;
        let (edges, faces, cubes) = (count(owned, 0, 6), count(owned, 6, 18), count(owned, 18, 26));
        let sphere = u32::from(cubes == 8);
        let loops = 1 + sphere + roots + faces - edges - cubes - 1;
        let expected = (roots - 1, loops, sphere);
        assert_eq!(
            (count(critical, 0, 6), count(critical, 6, 18), count(critical, 18, 26)),
            expected,
            "{owned:#x}"
        );
    }
}

#[test]
fn the_critical_top_cell_of_a_maximum_has_it_as_its_least_corner() {
    assert_eq!(Star::of((1 << 26) - 1).1, 1 << (FIRST_CUBE + 7));
    assert_eq!(Star::of(0xf | 0xf << FIRST_FACE).1, 1 << (FIRST_FACE + 3));
    assert_eq!(Star::of(0b11).1, 0b10);
}
