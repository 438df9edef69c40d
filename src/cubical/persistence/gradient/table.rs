//! A matching for each lower star there is, made once.
//!
//! Around a voxel lie the vertices, edges and triangles of an octahedron: the six neighbours that share an edge of the complex with
//! it, the twelve faces and the eight cubes. The *link* of its lower star is the subcomplex of those that it owns. On it:
//!
//! 1. the voxel is matched with a link vertex, or critical if there is none;
//! 2. a spanning forest of the vertices and edges matches every other link vertex with the edge towards its root; the root of
//!    a tree other than that of 1 is critical;
//! 3. edges outside the forest are matched with triangles, one that no other such triangle has after the other. Left over are
//!    triangles only if all eight are there: the last then is critical. Edges left over are critical.
//!
//! The matching is perfect: a forest does not separate the sphere, so from each triangle there is a way across edges outside it to
//! one that is not there, and 3 comes to every triangle (unless all are there, when it comes from the critical one). So the critical
//! cells are as many as the reduced homology of the link has dimensions, and no matching of the star has fewer.

use std::sync::LazyLock;

use crate::cuda::constants::gradient;

/// Cells around a voxel by what they span. Axes are 0 (fastest in memory) to 2, signs 0 (towards lesser places) and 1.
/// Edges: 2 · axis + sign.
pub const EDGES: usize = 6;
/// Faces: 4 · pair + 2 · (sign of the pair's greater axis) + sign of the lesser; pairs are [`PAIRS`].
pub const FACES: usize = 12;
/// Cubes: the signs of axes 0, 1, 2 as bits 0, 1, 2.
pub const CUBES: usize = 8;

/// The axes of each kind of face. Pair p omits axis 2 − p.
pub const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// The two edges of a face at its voxel, that of the lesser axis first.
pub const fn edges_of_face(face: usize) -> (usize, usize) {
    let (a, b) = PAIRS[face / 4];
    (2 * a + face % 2, 2 * b + face / 2 % 2)
}

/// The face of a cube at its voxel that omits an axis.
pub const fn face_of_cube(cube: usize, omitted: usize) -> usize {
    let pair = 2 - omitted;
    let (a, b) = PAIRS[pair];
    4 * pair + 2 * (cube >> b & 1) + (cube >> a & 1)
}

/// The axis that a face does not span.
pub const fn omitted_axis(face: usize) -> usize {
    2 - face / 4
}

/// Which cells a voxel owns: edges in bits 0 to 5, faces in 6 to 17, cubes in 18 to 25. Of a cell it owns all that lie in it.
pub type Owned = u32;

/// The first bit of the faces of [`Owned`], which are those of the kernel too.
pub const FIRST_FACE: u32 = gradient::FIRST_FACE;
/// The first bit of the cubes of [`Owned`].
pub const FIRST_CUBE: u32 = gradient::FIRST_CUBE;

/// The edges along the axes 0 and 1, and the faces between them.
const PLANE: Owned = 0xf | 0xf << FIRST_FACE;

/// What a lower star's matching says, in 61 bits.
///
/// | bits | of | say |
/// |---|---|---|
/// | 0–2 | the voxel | the edge it is matched with; 7: none, critical |
/// | 3 + 3e | edge e | 0: absent; 1: matched with the voxel; 2: critical; 4 + i: with the face towards another axis and sign, see [`Star::face_of`] |
/// | 21 + 2f | face f | 0: absent or critical; 1: matched with an edge; 2 + s: with the cube at sign s of the omitted axis |
/// | 45 + 2c | cube c | the axis that the face it is matched with omits; 3: absent or critical |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Star(u64);

/// What an edge is matched with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeMate {
    /// It is not there.
    Absent,
    /// The voxel.
    Voxel,
    /// Nothing.
    Critical,
    /// A face.
    Face(usize),
}

/// What a face is matched with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaceMate {
    /// Nothing, or it is not there.
    None,
    /// An edge.
    Edge,
    /// The cube at this sign of the omitted axis.
    Cube(usize),
}

const ABSENT: u64 = 0;
const WITH_VOXEL: u64 = 1;
const CRITICAL: u64 = 2;
const WITH_FACE: u64 = 4;
const NO_FACE_OF_CUBE: u64 = 3;

/// The four faces at an edge, in the order of their numbers: edge e, place i.
const FACES_AT: [[u8; 4]; EDGES] = {
    let mut faces = [[0; 4]; EDGES];
    let mut edge = 0;
    while edge < EDGES {
        let (mut face, mut i) = (0, 0);
        while face < FACES {
            let (a, b) = edges_of_face(face);
            if a == edge || b == edge {
                faces[edge][i] = face as u8;
                i += 1;
            }
            face += 1;
        }
        edge += 1;
    }
    faces
};

impl Star {
    /// The edge that the voxel is matched with; none if it is critical.
    #[inline(always)]
    pub fn edge_of_voxel(self) -> Option<usize> {
        let edge = (self.0 & 7) as usize;
        (edge != 7).then_some(edge)
    }

    #[inline(always)]
    fn edge_bits(self, edge: usize) -> u64 {
        self.0 >> (3 + 3 * edge) & 7
    }

    /// Whether an edge is matched with a face.
    #[inline(always)]
    pub fn goes_to_face(self, edge: usize) -> bool {
        self.edge_bits(edge) >= WITH_FACE
    }

    /// The face that an edge is matched with, if it is with one.
    #[inline(always)]
    pub fn face_of(self, edge: usize) -> usize {
        usize::from(FACES_AT[edge][(self.edge_bits(edge) & 3) as usize])
    }

    /// The axis of a face between the axes 0 and 1 that the edge it is matched with omits; none if it is with none.
    #[inline(always)]
    pub fn axis_of_face(self, face: usize) -> Option<usize> {
        let (a, b) = edges_of_face(face);
        let is_with = |edge: usize| self.goes_to_face(edge) && self.face_of(edge) == face;
        // That along axis 0 omits axis 1.
        if is_with(a) { Some(1) } else { is_with(b).then_some(0) }
    }

    /// What an edge is matched with.
    pub fn edge_mate(self, edge: usize) -> EdgeMate {
        match self.edge_bits(edge) {
            ABSENT => EdgeMate::Absent,
            WITH_VOXEL => EdgeMate::Voxel,
            CRITICAL => EdgeMate::Critical,
            _ => EdgeMate::Face(self.face_of(edge)),
        }
    }

    /// What a face is matched with.
    pub fn face_mate(self, face: usize) -> FaceMate {
        match self.0 >> (21 + 2 * face) & 3 {
            0 => FaceMate::None,
            1 => FaceMate::Edge,
            up => FaceMate::Cube(up as usize - 2),
        }
    }

    /// The axis that the face a cube is matched with omits.
    #[inline(always)]
    pub fn axis_of_cube(self, cube: usize) -> Option<usize> {
        let axis = self.0 >> (45 + 2 * cube) & 3;
        (axis != NO_FACE_OF_CUBE).then_some(axis as usize)
    }

    /// The matching of a lower star, and which of its cells are critical, as in [`Owned`].
    fn of(owned: Owned) -> (Star, Owned) {
        let edge = |edge: usize| owned >> edge & 1 == 1;
        let face = |face: usize| owned >> (FIRST_FACE as usize + face) & 1 == 1;
        let cube = |cube: usize| owned >> (FIRST_CUBE as usize + cube) & 1 == 1;
        let (mut critical, mut bits) = (0, 7_u64);
        for cube in 0..CUBES {
            bits |= NO_FACE_OF_CUBE << (45 + 2 * cube);
        }
        let mut is_in_forest = [false; FACES];
        let mut is_reached = [false; EDGES];
        // The face between the positive directions of axes 0 and 1 comes last: the critical face of a maximum in the plane.
        let faces = || (0..FACES).filter(|&f| f != 3).chain([3]);
        for root in (0..EDGES).filter(|&root| edge(root)) {
            if is_reached[root] {
                continue;
            }
            is_reached[root] = true;
            if bits & 7 == 7 {
                bits = bits & !7 | root as u64 | WITH_VOXEL << (3 + 3 * root);
            } else {
                bits |= CRITICAL << (3 + 3 * root);
                critical |= 1 << root;
            }
            // Breadth first: few steps to the root.
            let mut queue = vec![root];
            let mut next = 0;
            while next < queue.len() {
                let from = queue[next];
                next += 1;
                for f in faces().filter(|&f| face(f)) {
                    let (a, b) = edges_of_face(f);
                    let to = if a == from { b } else { a };
                    if (a == from || b == from) && !is_reached[to] {
                        is_reached[to] = true;
                        is_in_forest[f] = true;
                        let place = FACES_AT[to].iter().position(|&at| usize::from(at) == f);
                        bits |= (WITH_FACE | place.expect("it is at both its edges") as u64) << (3 + 3 * to);
                        bits |= 1 << (21 + 2 * f);
                        queue.push(to);
                    }
                }
            }
        }
        let mut is_matched = [false; CUBES];
        if (0..CUBES).all(cube) {
            is_matched[CUBES - 1] = true;
            critical |= 1 << (FIRST_CUBE as usize + CUBES - 1);
        }
        let mut is_open: [bool; FACES] = std::array::from_fn(|f| face(f) && !is_in_forest[f]);
        loop {
            let collapse = (0..FACES).filter(|&f| is_open[f]).find_map(|f| {
                let omitted = omitted_axis(f);
                let mut at =
                    (0..CUBES).filter(|&c| cube(c) && !is_matched[c] && face_of_cube(c, omitted) == f);
                at.next().filter(|_| at.next().is_none()).map(|c| (f, c))
            });
            let Some((f, c)) = collapse else { break };
            let omitted = omitted_axis(f);
            is_open[f] = false;
            is_matched[c] = true;
            bits |= (2 + (c as u64 >> omitted & 1)) << (21 + 2 * f);
            bits = bits & !(3 << (45 + 2 * c)) | (omitted as u64) << (45 + 2 * c);
        }
        for f in (0..FACES).filter(|&f| is_open[f]) {
            critical |= 1 << (FIRST_FACE as usize + f);
        }
        if owned == 0 {
            critical = VOXEL;
        }
        (Star(bits), critical)
    }
}

/// The bit of critical cells for the voxel itself.
pub const VOXEL: u32 = 1 << 31;

/// The lower stars, numbered.
pub struct Table {
    /// By the faces owned: the number of the first such star, which cubes there can be, and which edges need not be there.
    first: Vec<(u32, u8, u8)>,
    /// By a mask and bits: those of the bits that are in the mask, side by side.
    packed: Vec<u8>,
    stars: Vec<Star>,
    critical: Vec<u32>,
}

/// The code of a place that is no voxel: it owns nothing and nothing is critical.
pub const NO_VOXEL: u16 = u16::MAX;

static OF_PLANE: LazyLock<Table> = LazyLock::new(|| Table::new(true));
static OF_SPACE: LazyLock<Table> = LazyLock::new(|| Table::new(false));

impl Table {
    /// The table for grids of so many axes. Codes are the same in all; that of the plane knows no stars of space.
    pub fn of(axes: usize) -> &'static Table {
        if axes < 3 { &OF_PLANE } else { &OF_SPACE }
    }

    fn new(is_planar: bool) -> Table {
        let mut first = Vec::new();
        let mut owned = Vec::new();
        for faces in 0..1_u32 << FACES {
            let mut covered = 0_u32;
            for face in (0..FACES).filter(|face| faces >> face & 1 == 1) {
                let (a, b) = edges_of_face(face);
                covered |= 1 << a | 1 << b;
            }
            let closed = (0..CUBES)
                .filter(|&cube| (0..3).all(|axis| faces >> face_of_cube(cube, axis) & 1 == 1))
                .fold(0_u32, |closed, cube| closed | 1 << cube);
            let free = !covered & 0x3f;
            first.push((owned.len() as u32, closed as u8, free as u8));
            for edges in (0..1 << EDGES).filter(|&edges: &u32| edges & !free == 0) {
                for cubes in (0..1 << CUBES).filter(|&cubes: &u32| cubes & !closed == 0) {
                    owned.push(edges | covered | faces << FIRST_FACE | cubes << FIRST_CUBE);
                }
            }
        }
        assert!(owned.len() < usize::from(NO_VOXEL), "a code has 16 bits");
        let star = |&owned: &Owned| {
            if is_planar && owned & !PLANE != 0 { (Star::of(0).0, 0) } else { Star::of(owned) }
        };
        let (mut stars, mut critical): (Vec<Star>, Vec<Owned>) = owned.iter().map(star).unzip();
        stars.resize(usize::from(NO_VOXEL) + 1, Star::of(0).0);
        critical.resize(usize::from(NO_VOXEL) + 1, 0);
        let pack = |mask: u32, bits: u32| {
            let places = (0..8).filter(|place| mask >> place & 1 == 1);
            places.enumerate().fold(0, |packed, (i, place)| packed | (bits >> place & 1) << i) as u8
        };
        let packed = (0..1 << 16).map(|at: u32| pack(at >> 8, at & 0xff)).collect();
        Table { first, packed, stars, critical }
    }

    /// The code of a lower star.
    #[inline(always)]
    pub fn code(&self, owned: Owned) -> u16 {
        let (first, closed, free) = self.first[(owned >> FIRST_FACE & 0xfff) as usize];
        let cubes = self.packed[usize::from(closed) << 8 | (owned >> FIRST_CUBE & 0xff) as usize];
        let edges = self.packed[usize::from(free) << 8 | (owned & 0x3f) as usize];
        (first + (u32::from(edges) << closed.count_ones()) + u32::from(cubes)) as u16
    }

    /// What [`Table::code`] looks at, for those who look elsewhere: by the faces owned the first code (16 bits), which cubes there can be (8),
    /// and which edges need not be there (8); and by a mask and bits, those of the bits that are in the mask, side by side.
    pub fn numbering(&self) -> (Vec<u32>, &[u8]) {
        let entry =
            |&(first, closed, free): &(u32, u8, u8)| first | u32::from(closed) << 16 | u32::from(free) << 24;
        (self.first.iter().map(entry).collect(), &self.packed)
    }

    /// The matching of the lower star with a code.
    #[inline(always)]
    pub fn star(&self, code: u16) -> Star {
        self.stars[usize::from(code)]
    }

    /// The critical cells of the lower star with a code, as in [`Owned`]; [`VOXEL`] if the voxel is.
    #[inline(always)]
    pub fn critical(&self, code: u16) -> u32 {
        self.critical[usize::from(code)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set of cells that a voxel can own: the subcomplexes of the octahedron.
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
                let expected = match star.edge_mate(edge) {
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
                let with_edges =
                    (0..EDGES).filter(|&edge| star.edge_mate(edge) == EdgeMate::Face(face)).count();
                match star.face_mate(face) {
                    FaceMate::None => {
                        assert_eq!((has(at), with_edges), (is_critical(at), 0), "{owned:#x}, face {face}")
                    }
                    FaceMate::Edge => assert_eq!((has(at), with_edges), (true, 1), "{owned:#x}, face {face}"),
                    FaceMate::Cube(sign) => {
                        let axis = omitted_axis(face);
                        let cube =
                            (0..CUBES).find(|&c| face_of_cube(c, axis) == face && c >> axis & 1 == sign);
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
                assert!(
                    mated.is_none_or(|mate| matches!(mate, FaceMate::Cube(_))),
                    "{owned:#x}, cube {cube}"
                );
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
                while let EdgeMate::Face(face) = star.edge_mate(edge) {
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
            let count = |cells: Owned, first: u32, end: u32| {
                (cells >> first & ((1 << (end - first)) - 1)).count_ones()
            };
            let mut trees: [usize; EDGES] = std::array::from_fn(|edge| edge);
            for face in (0..FACES).filter(|face| owned >> (FIRST_FACE as usize + face) & 1 == 1) {
                let (a, b) = edges_of_face(face);
                let (from, to) = (trees[a], trees[b]);
                trees.iter_mut().filter(|tree| **tree == from).for_each(|tree| *tree = to);
            }
            let roots =
                (0..EDGES).filter(|&edge| owned >> edge & 1 == 1 && trees[edge] == edge).count() as u32;
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
}
