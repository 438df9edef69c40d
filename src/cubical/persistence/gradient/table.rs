//! A precomputed matching for each possible lower star.
//!
//! The cells around a voxel form the surface of an octahedron: the edges of the complex to its six neighbours are the
//! vertices, its twelve faces the edges, and its eight cubes the triangles. The *link* of its lower star is the
//! subcomplex of the cells that it owns. The matching is:
//!
//! 1. The voxel is matched with a link vertex; it is critical if there is none.
//! 2. A spanning forest of the link matches every other link vertex with the link edge towards its root. The root of
//!    each tree other than that of step 1 is critical.
//! 3. Link edges outside the forest are matched with triangles, each with the only unmatched triangle left at it. If
//!    all eight triangles are present, the last is critical first. Link edges that remain are critical.
//!
//! The matching is optimal. A forest does not separate the sphere, so a path across edges outside it leads from each
//! triangle to an absent one, or to the critical one if all are present; so step 3 reaches every triangle. So the
//! number of critical cells is the total reduced Betti number of the link; no matching of the star has fewer.

use std::sync::LazyLock;

use crate::cuda::constants::gradient;

/// Number of edges at a voxel. An edge has number 2 · axis + sign; axis 0 is fastest in memory, sign 0 the lesser
/// place.
pub(crate) const EDGES: usize = 6;
/// Number of faces at a voxel. A face has number 4 · pair ([`PAIRS`]) + 2 · sign of the greater axis + sign of the
/// lesser.
pub(crate) const FACES: usize = 12;
/// Number of cubes at a voxel. A cube's number has the signs of axes 0, 1, 2 as bits 0, 1, 2.
pub(crate) const CUBES: usize = 8;

/// The axes of each pair. Pair p omits axis 2 − p.
pub(crate) const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// The two edges of a face at its voxel, that of the lesser axis first.
pub(crate) const fn edges_of_face(face: usize) -> (usize, usize) {
    let (a, b) = PAIRS[face / 4];
    (2 * a + face % 2, 2 * b + face / 2 % 2)
}

/// The face of a cube at its voxel that does not span the axis `omitted`.
pub(crate) const fn face_of_cube(cube: usize, omitted: usize) -> usize {
    let pair = 2 - omitted;
    let (a, b) = PAIRS[pair];
    4 * pair + 2 * (cube >> b & 1) + (cube >> a & 1)
}

/// The two cubes of a face at its voxel, on the lesser and on the greater side of the axis that it does not span.
const fn cubes_of_face(face: usize) -> [usize; 2] {
    let (a, b) = PAIRS[face / 4];
    let near = (face % 2) << a | (face / 2 % 2) << b;
    [near, near | 1 << omitted_axis(face)]
}

/// The axis that a face does not span.
pub(crate) const fn omitted_axis(face: usize) -> usize {
    2 - face / 4
}

/// The set of cells that a voxel owns: edges in bits 0 to 5, faces in 6 to 17, cubes in 18 to 25. It is closed: with a
/// cell, its faces at the voxel are owned too.
pub(crate) type Owned = u32;

/// The first bit of the faces in [`Owned`], shared with the kernel.
pub(crate) const FIRST_FACE: u32 = gradient::FIRST_FACE;
/// The first bit of the cubes in [`Owned`], shared with the kernel.
pub(crate) const FIRST_CUBE: u32 = gradient::FIRST_CUBE;

/// The cells of the plane: edges along axes 0 and 1, and the faces between them.
const PLANE: Owned = 0xf | 0xf << FIRST_FACE;

/// The matching of a lower star, in 61 bits.
///
/// | bits | cell | meaning |
/// |---|---|---|
/// | 0–2 | the voxel | the edge it is matched with; 7: critical |
/// | 3 + 3e | edge e | 0: absent; 1: with the voxel; 2: critical; 4 + i: with a face, see [`Star::face_of`] |
/// | 21 + 2f | face f | 0: absent or critical; 1: with an edge; 2 + s: with the cube at sign s of the omitted axis |
/// | 45 + 2c | cube c | the axis that the face it is matched with omits; 3: absent or critical |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Star(u64);

/// Mate of a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaceMate {
    /// No mate: the face is critical or not in the lower star.
    None,
    /// Matched with an edge.
    Edge,
    /// Matched with the cube on this side of the omitted axis.
    Cube(usize),
}

const WITH_VOXEL: u64 = 1;
const CRITICAL: u64 = 2;
const WITH_FACE: u64 = 4;
const NO_FACE_OF_CUBE: u64 = 3;
const NO_EDGE_OF_VOXEL: u64 = 7;

/// The four faces at each edge, ascending.
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
    /// The edge that the voxel is matched with; `None` if the voxel is critical.
    #[inline(always)]
    pub(crate) fn edge_of_voxel(self) -> Option<usize> {
        let edge = (self.0 & NO_EDGE_OF_VOXEL) as usize;
        (edge != NO_EDGE_OF_VOXEL as usize).then_some(edge)
    }

    #[inline(always)]
    fn edge_bits(self, edge: usize) -> u64 {
        self.0 >> (3 + 3 * edge) & 7
    }

    /// Whether an edge is matched with a face.
    #[inline(always)]
    pub(crate) fn goes_to_face(self, edge: usize) -> bool {
        self.edge_bits(edge) >= WITH_FACE
    }

    /// The face that an edge is matched with; meaningful only if [`Star::goes_to_face`].
    #[inline(always)]
    pub(crate) fn face_of(self, edge: usize) -> usize {
        usize::from(FACES_AT[edge][(self.edge_bits(edge) & 3) as usize])
    }

    /// For a face between axes 0 and 1 matched with an edge, the axis that this edge does not span; else `None`.
    #[inline(always)]
    pub(crate) fn axis_of_face(self, face: usize) -> Option<usize> {
        let (a, b) = edges_of_face(face);
        let is_with = |edge: usize| self.goes_to_face(edge) && self.face_of(edge) == face;
        // The edge along axis 0 does not span axis 1.
        if is_with(a) { Some(1) } else { is_with(b).then_some(0) }
    }

    /// The mate of a face.
    pub(crate) fn face_mate(self, face: usize) -> FaceMate {
        match self.0 >> (21 + 2 * face) & 3 {
            0 => FaceMate::None,
            1 => FaceMate::Edge,
            up => FaceMate::Cube(up as usize - 2),
        }
    }

    /// The axis that the face matched with a cube omits; `None` if the cube is critical or absent.
    #[inline(always)]
    pub(crate) fn axis_of_cube(self, cube: usize) -> Option<usize> {
        let axis = self.0 >> (45 + 2 * cube) & 3;
        (axis != NO_FACE_OF_CUBE).then_some(axis as usize)
    }

    /// Computes the matching of a lower star, and its critical cells as in [`Owned`].
    fn of(owned: Owned) -> (Star, Owned) {
        if owned == 0 {
            return (Matching::new(owned).star(), VOXEL);
        }
        let mut matching = Matching::new(owned);
        matching.span_forest();
        matching.collapse_cubes();
        (matching.star(), matching.critical)
    }
}

/// A matching under construction, by the three steps of the [module](self).
struct Matching {
    owned: Owned,
    /// The bits of the [`Star`].
    bits: u64,
    critical: Owned,
    is_in_forest: [bool; FACES],
}

impl Matching {
    /// The empty matching.
    fn new(owned: Owned) -> Self {
        let no_cubes = (0..CUBES).fold(0, |bits, cube| bits | NO_FACE_OF_CUBE << (45 + 2 * cube));
        Matching { owned, bits: NO_EDGE_OF_VOXEL | no_cubes, critical: 0, is_in_forest: [false; FACES] }
    }

    fn star(&self) -> Star {
        Star(self.bits)
    }

    fn has_edge(&self, edge: usize) -> bool {
        self.owned >> edge & 1 == 1
    }

    fn has_face(&self, face: usize) -> bool {
        self.owned >> (FIRST_FACE as usize + face) & 1 == 1
    }

    fn has_cube(&self, cube: usize) -> bool {
        self.owned >> (FIRST_CUBE as usize + cube) & 1 == 1
    }

    /// Steps 1 and 2: matches the voxel and the edges, along a spanning forest of the link.
    fn span_forest(&mut self) {
        let mut is_reached = [false; EDGES];
        for root in 0..EDGES {
            if !self.has_edge(root) || is_reached[root] {
                continue;
            }
            is_reached[root] = true;
            if self.bits & NO_EDGE_OF_VOXEL == NO_EDGE_OF_VOXEL {
                self.bits = self.bits & !NO_EDGE_OF_VOXEL | root as u64 | WITH_VOXEL << (3 + 3 * root);
            } else {
                self.bits |= CRITICAL << (3 + 3 * root);
                self.critical |= 1 << root;
            }
            self.grow(root, &mut is_reached);
        }
    }

    /// Grows the tree of a root breadth-first, so that paths to the root are short.
    fn grow(&mut self, root: usize, is_reached: &mut [bool; EDGES]) {
        let mut queue = vec![root];
        let mut next = 0;
        while next < queue.len() {
            let from = queue[next];
            next += 1;
            // The face in the positive directions of axes 0 and 1 is last: it is to be a planar maximum's critical one.
            for face in (0..FACES).filter(|&face| face != 3).chain([3]) {
                let (a, b) = edges_of_face(face);
                let to = if a == from { b } else { a };
                if self.has_face(face) && (a == from || b == from) && !is_reached[to] {
                    is_reached[to] = true;
                    self.is_in_forest[face] = true;
                    let place = FACES_AT[to].iter().position(|&at| usize::from(at) == face);
                    let place = place.expect("it is at both its edges") as u64;
                    self.bits |= (WITH_FACE | place) << (3 + 3 * to);
                    self.bits |= 1 << (21 + 2 * face);
                    queue.push(to);
                }
            }
        }
    }

    /// Step 3: matches faces outside the forest with cubes. Remaining faces, and the last of all eight cubes, are
    /// critical.
    fn collapse_cubes(&mut self) {
        let mut is_matched = [false; CUBES];
        if (0..CUBES).all(|cube| self.has_cube(cube)) {
            is_matched[CUBES - 1] = true;
            self.critical |= 1 << (FIRST_CUBE as usize + CUBES - 1);
        }
        let mut is_open: [bool; FACES] =
            std::array::from_fn(|face| self.has_face(face) && !self.is_in_forest[face]);
        while let Some((face, cube)) = self.collapse(&is_open, &is_matched) {
            let omitted = omitted_axis(face);
            is_open[face] = false;
            is_matched[cube] = true;
            self.bits |= (2 + (cube as u64 >> omitted & 1)) << (21 + 2 * face);
            self.bits = self.bits & !(3 << (45 + 2 * cube)) | (omitted as u64) << (45 + 2 * cube);
        }
        for face in (0..FACES).filter(|&face| is_open[face]) {
            self.critical |= 1 << (FIRST_FACE as usize + face);
        }
    }

    /// Returns an open face with exactly one unmatched cube, and that cube.
    fn collapse(&self, is_open: &[bool; FACES], is_matched: &[bool; CUBES]) -> Option<(usize, usize)> {
        let is_left = |cube: usize| self.has_cube(cube) && !is_matched[cube];
        (0..FACES).filter(|&face| is_open[face]).find_map(|face| {
            let [near, far] = cubes_of_face(face);
            match (is_left(near), is_left(far)) {
                (true, false) => Some((face, near)),
                (false, true) => Some((face, far)),
                _ => None,
            }
        })
    }
}

/// Flag of the voxel itself in masks of critical cells.
pub(crate) const VOXEL: u32 = 1 << 31;

/// All lower stars, numbered by their codes.
pub(crate) struct Table {
    /// For each set of owned faces: the first code of stars with these faces, the mask of cubes that may also be owned,
    /// and the mask of edges that need not be owned.
    first: Vec<(u32, u8, u8)>,
    /// For each mask and byte of bits: the bits within the mask, packed together.
    packed: Vec<u8>,
    stars: Vec<Star>,
    critical: Vec<u32>,
}

/// The code of a place that is not a voxel: it owns nothing, and nothing is critical.
pub(crate) const NO_VOXEL: u16 = u16::MAX;

static OF_PLANE: LazyLock<Table> = LazyLock::new(|| Table::new(true));
static OF_SPACE: LazyLock<Table> = LazyLock::new(|| Table::new(false));

impl Table {
    /// The table for grids of this many axes. Codes are the same in all; that for the plane lacks matchings in space.
    pub(crate) fn of(axes: usize) -> &'static Table {
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
    pub(crate) fn code(&self, owned: Owned) -> u16 {
        let (first, closed, free) = self.first[(owned >> FIRST_FACE & 0xfff) as usize];
        let cubes = self.packed[usize::from(closed) << 8 | (owned >> FIRST_CUBE & 0xff) as usize];
        let edges = self.packed[usize::from(free) << 8 | (owned & 0x3f) as usize];
        (first + (u32::from(edges) << closed.count_ones()) + u32::from(cubes)) as u16
    }

    /// The tables that [`Table::code`] uses, for the kernel: for each set of owned faces the first code (16 bits), the
    /// mask of possible cubes (8) and the mask of edges that need not be owned (8); and for each mask and byte the bits
    /// within the mask, packed together.
    pub(crate) fn numbering(&self) -> (Vec<u32>, &[u8]) {
        let entry =
            |&(first, closed, free): &(u32, u8, u8)| first | u32::from(closed) << 16 | u32::from(free) << 24;
        (self.first.iter().map(entry).collect(), &self.packed)
    }

    /// The matching of the lower star with this code.
    #[inline(always)]
    pub(crate) fn star(&self, code: u16) -> Star {
        self.stars[usize::from(code)]
    }

    /// The critical cells of the lower star with this code, as in [`Owned`], with [`VOXEL`] if the voxel is critical.
    #[inline(always)]
    pub(crate) fn critical(&self, code: u16) -> u32 {
        self.critical[usize::from(code)]
    }
}

#[cfg(test)]
mod tests;
