//! Incidence of edges and faces, in the complex of the grid or in the complex whose dual the grid is.
//!
//! In the dual case, edges of the image are faces of the grid and faces of the image are edges of the grid; incidence
//! and order are reversed. The gradient is the same: an edge of the image matched with a face is a face of the grid
//! matched with an edge. So the same reduction finds loops in both cases.

use std::sync::LazyLock;

use super::super::cell::{Cell, Packing};
use super::super::gradient::Gradient;
use super::super::gradient::table::{
    EDGES, FACES, FIRST_FACE, FaceMate, Owned, PAIRS, Star, Table, edges_of_face, omitted_axis,
};
use super::super::grid::{AFTER, BEFORE, Grid};
use super::super::look::Look;

/// Flag of a direction: the edge is matched with a face. Such an edge sorts after the critical edges of its star.
pub(in super::super) const MATCHED: usize = 8;

/// Boundaries of faces. Edges matched with a vertex are omitted: together with the edges that kill components they form
/// a forest, and the remaining edges determine a cycle.
///
/// An edge is a [`Cell`] whose direction is below [`MATCHED`] if it is critical.
pub(in super::super) trait Incidence: Sync {
    /// The number of critical edges that a place owns.
    fn critical_edges(&self, place: usize) -> u32;

    /// The index of a critical edge among those of its place.
    fn index(&self, edge: Cell) -> u32;

    /// The edges of a critical face.
    fn boundary(&self, face: Cell) -> [Option<Cell>; 4];

    /// The other edges of the face that an edge is matched with.
    fn rest_of_mate(&self, edge: Cell) -> [Option<Cell>; 4];

    /// Starts to load what [`rest_of_mate`](Self::rest_of_mate) looks up, if that pays. It is called when an edge
    /// enters a column, mostly many steps before it is replaced.
    fn prefetch(&self, _edge: Cell) {}

    /// The edge in a direction from its owner's place.
    fn cell(&self, place: usize, direction: usize) -> Cell;

    /// The place of the owner of an edge.
    fn place(&self, edge: Cell) -> usize;

    /// Encodes an edge in one word, independent of its owner.
    fn word(&self, edge: Cell) -> u64;

    /// The edge that a word encodes; `None` if it is matched with a vertex, or if the word encodes no edge of the grid.
    fn edge(&self, word: u64) -> Option<Cell>;
}

/// Incidence in the complex of the grid.
pub(in super::super) struct OfGrid<'a, L> {
    pub(in super::super) grid: &'a Grid<'a>,
    pub(in super::super) look: L,
}

impl<L: Look> OfGrid<'_, L> {
    /// The edge from a place to its neighbour in a direction; `None` if it is matched with its voxel.
    #[inline(always)]
    fn between(&self, place: usize, neighbour: usize, direction: usize) -> Option<Cell> {
        let keys = [place, neighbour].map(|place| self.look.key(place));
        if keys == [BEFORE; 2] {
            // Both places are in the rim, which is a single vertex.
            None
        } else if self.grid.are_in_order([neighbour, place], [keys[1], keys[0]]) {
            self.owned(place, self.look.star(place), direction)
        } else {
            self.owned(neighbour, self.look.star(neighbour), direction ^ 1)
        }
    }

    /// The edge that a voxel owns in a direction, given the matching of its star; `None` if the voxel is matched with
    /// it.
    #[inline(always)]
    fn owned(&self, place: usize, star: Star, edge: usize) -> Option<Cell> {
        if star.edge_of_voxel() == Some(edge) {
            return None;
        }
        let direction = if star.goes_to_face(edge) { edge | MATCHED } else { edge };
        Some(self.cell(place, direction))
    }

    /// Like [`Incidence::prefetch`], of an edge that is matched with a face.
    #[inline(never)]
    fn prefetch_mate(&self, edge: Cell) {
        let place = self.place(edge);
        let face = self.look.star(place).face_of(edge.direction() - MATCHED);
        self.corners(place, face).into_iter().for_each(|place| self.look.prefetch(place));
    }

    /// The corners of a face at a voxel: the ends of its two edges there, and the one opposite to the voxel.
    #[inline(always)]
    fn corners(&self, place: usize, face: usize) -> [usize; 3] {
        let (a, b) = edges_of_face(face);
        let to_a = self.look.neighbour(place, a);
        [to_a, self.look.neighbour(place, b), self.look.neighbour(to_a, b)]
    }

    /// The edges of a face that a voxel owns, given the matching of the voxel's star, without the edge `but` at the
    /// voxel.
    #[inline(always)]
    fn edges(&self, place: usize, star: Star, face: usize, but: Option<usize>) -> [Option<Cell>; 4] {
        let (a, b) = edges_of_face(face);
        let [to_a, to_b, corner] = self.corners(place, face);
        let near = |edge| if but == Some(edge) { None } else { self.owned(place, star, edge) };
        // The far edges go from the end of one near edge in the direction of the other.
        [near(a), near(b), self.between(to_a, corner, b), self.between(to_b, corner, a)]
    }
}

impl<L: Look> Incidence for OfGrid<'_, L> {
    #[inline(always)]
    fn critical_edges(&self, place: usize) -> u32 {
        // Most places have none, and machines without an instruction for it count slowly.
        let critical = self.look.critical(place) & ((1 << EDGES) - 1);
        if critical == 0 { 0 } else { critical.count_ones() }
    }

    #[inline(always)]
    fn index(&self, edge: Cell) -> u32 {
        (self.look.critical(self.place(edge)) & ((1 << edge.direction()) - 1)).count_ones()
    }

    #[inline(always)]
    fn boundary(&self, face: Cell) -> [Option<Cell>; 4] {
        let place = self.place(face);
        self.edges(place, self.look.star(place), face.direction(), None)
    }

    #[inline(always)]
    fn rest_of_mate(&self, edge: Cell) -> [Option<Cell>; 4] {
        let (place, near) = (self.place(edge), edge.direction() - MATCHED);
        let star = self.look.star(place);
        self.edges(place, star, star.face_of(near), Some(near))
    }

    #[inline(always)]
    fn prefetch(&self, edge: Cell) {
        if self.look.prefetches() && edge.direction() >= MATCHED {
            self.prefetch_mate(edge);
        }
    }

    #[inline(always)]
    fn cell(&self, place: usize, direction: usize) -> Cell {
        self.grid.packing.cell(self.look.key(place), direction, place)
    }

    #[inline(always)]
    fn place(&self, edge: Cell) -> usize {
        self.grid.place(edge)
    }

    /// The word is the place of the edge's lesser end, and its axis.
    #[inline(always)]
    fn word(&self, edge: Cell) -> u64 {
        let (place, direction) = (self.place(edge), edge.direction() % MATCHED);
        let lesser = if direction.is_multiple_of(2) { self.look.neighbour(place, direction) } else { place };
        (lesser as u64) << 2 | (direction / 2) as u64
    }

    fn edge(&self, word: u64) -> Option<Cell> {
        let (place, axis) = ((word >> 2) as usize, (word & 3) as usize);
        // There is no fourth axis.
        let edge = 2 * axis + 1;
        let is_voxel = |place: usize| {
            place < self.grid.places()
                && self.grid.layout.home(place) == place
                && self.look.key(place) != AFTER
        };
        if axis > 2 || !is_voxel(place) {
            return None;
        }
        let end = self.look.neighbour(place, edge);
        if is_voxel(end) { self.between(place, end, edge) } else { None }
    }
}

/// Incidence in the complex whose dual is a grid of three axes.
///
/// The direction of a critical edge is its index among the critical faces of its star, counted from the last, so that
/// the order is the reverse of the grid's. The direction of a matched edge is [`MATCHED`] plus the direction of the
/// grid edge that it is matched with.
pub(in super::super) struct OfDual<'a> {
    grid: &'a Grid<'a>,
    gradient: &'a Gradient,
    /// The packing of the grid's order reversed.
    packing: Packing,
    /// The table [`DIRECTIONS`].
    directions: &'static [u64],
}

/// The directions of the faces of each star, [`BITS`] bits each, by code; [`FOREST`] for faces matched with a cube.
static DIRECTIONS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let table = Table::of(3);
    (0..=u16::MAX).map(|code| directions(table.star(code), table.critical(code))).collect()
});

/// Bits per direction.
const BITS: usize = 4;
/// Replaces the direction of an edge that is matched with a vertex.
const FOREST: u64 = (1 << BITS) - 1;

/// The directions of the faces of a star, [`BITS`] bits per face.
fn directions(star: Star, critical: Owned) -> u64 {
    let critical = critical >> FIRST_FACE & ((1 << FACES) - 1);
    let direction = |face: usize| match star.face_mate(face) {
        FaceMate::Cube(_) => FOREST,
        FaceMate::Edge => {
            let (a, b) = edges_of_face(face);
            let is_with = |edge: usize| star.goes_to_face(edge) && star.face_of(edge) == face;
            (MATCHED + if is_with(a) { a } else { b }) as u64
        }
        FaceMate::None => u64::from((critical >> face >> 1).count_ones()),
    };
    (0..FACES).fold(0, |all, face| all | direction(face) << (BITS * face))
}

impl<'a> OfDual<'a> {
    /// The complex whose dual is a grid with this gradient.
    pub(in super::super) fn new(grid: &'a Grid<'a>, gradient: &'a Gradient) -> Self {
        OfDual { grid, gradient, packing: grid.packing.reversed(), directions: &DIRECTIONS }
    }

    /// The edge that corresponds to a face of the grid; `None` if the face is matched with a cube.
    pub(in super::super) fn edge_of(&self, face: Cell) -> Option<Cell> {
        let (place, direction) = (self.grid.place(face), face.direction());
        self.face(corner_of_face(self.grid, place, direction), 2 - omitted_axis(direction))
    }

    /// Mask of the critical faces of the grid that a place owns.
    #[inline(always)]
    fn critical_faces(&self, place: usize) -> u32 {
        self.gradient.critical(self.grid, place) >> FIRST_FACE & ((1 << FACES) - 1)
    }

    /// The edge for the grid face with this least corner and pair of axes; `None` if the face is matched with a cube.
    #[inline(always)]
    fn face(&self, corner: usize, pair: usize) -> Option<Cell> {
        let (place, face) = owner_of_face(self.grid, corner, pair);
        let direction =
            self.directions[usize::from(self.gradient.code(self.grid, place))] >> (BITS * face) & FOREST;
        if direction == FOREST {
            return None;
        }
        Some(self.cell(place, direction as usize))
    }

    /// The direction of an edge from its owner, as a face of the grid.
    fn direction_on_grid(&self, edge: Cell) -> usize {
        let (place, direction) = (self.place(edge), edge.direction());
        if direction >= MATCHED {
            return self.gradient.star(self.grid, place).face_of(direction - MATCHED);
        }
        let mut faces = self.critical_faces(place);
        for _ in 0..direction {
            faces ^= 1 << faces.ilog2();
        }
        faces.ilog2() as usize
    }

    /// The edges of the face that is the grid edge `edge` of a place, without the edge `but`.
    #[inline(always)]
    fn edges(&self, place: usize, edge: usize, but: Option<Cell>) -> [Option<Cell>; 4] {
        let strides = self.grid.layout.strides;
        let axis = edge / 2;
        let end = if edge.is_multiple_of(2) { place - strides[axis] } else { place };
        std::array::from_fn(|k| {
            let other = if k / 2 < axis { k / 2 } else { k / 2 + 1 };
            let corner = if k.is_multiple_of(2) { end } else { end - strides[other] };
            self.face(corner, axis + other - 1).filter(|&face| Some(face) != but)
        })
    }
}

/// The owner of the grid face with this least corner and pair of axes, and the number of the face in the owner's star.
#[inline(always)]
pub(in super::super) fn owner_of_face(grid: &Grid, corner: usize, pair: usize) -> (usize, usize) {
    let (a, b) = PAIRS[pair];
    let strides = grid.layout.strides;
    let shifts = [0, strides[a], strides[b], strides[a] + strides[b]];
    let (owner, at) = grid.last_of(corner, &shifts);
    // Seen from its owner, the face lies in the opposite direction.
    (at, 4 * pair + 3 - owner)
}

/// The least corner of a face of the grid, given its owner and its number in the owner's star.
pub(in super::super) fn corner_of_face(grid: &Grid, place: usize, face: usize) -> usize {
    let (a, b) = edges_of_face(face);
    let back = |place, edge: usize| if edge.is_multiple_of(2) { grid.neighbour(place, edge) } else { place };
    back(back(place, a), b)
}

impl Incidence for OfDual<'_> {
    #[inline(always)]
    fn critical_edges(&self, place: usize) -> u32 {
        self.critical_faces(place).count_ones()
    }

    #[inline(always)]
    fn index(&self, edge: Cell) -> u32 {
        edge.direction() as u32
    }

    /// `face` is the grid edge in its direction.
    #[inline(always)]
    fn boundary(&self, face: Cell) -> [Option<Cell>; 4] {
        self.edges(self.grid.place(face), face.direction(), None)
    }

    #[inline(always)]
    fn rest_of_mate(&self, edge: Cell) -> [Option<Cell>; 4] {
        let (place, mate) = (self.place(edge), edge.direction() - MATCHED);
        debug_assert!(self.gradient.star(self.grid, place).goes_to_face(mate));
        self.edges(place, mate, Some(edge))
    }

    #[inline(always)]
    fn cell(&self, place: usize, direction: usize) -> Cell {
        self.packing.cell(self.grid.key(place), direction, place)
    }

    #[inline(always)]
    fn place(&self, edge: Cell) -> usize {
        self.packing.place(edge.entry())
    }

    /// The word is the place of the least corner, and the pair of axes of the face.
    #[inline(always)]
    fn word(&self, edge: Cell) -> u64 {
        let face = self.direction_on_grid(edge);
        let corner = corner_of_face(self.grid, self.place(edge), face);
        (corner as u64) << 2 | (2 - omitted_axis(face)) as u64
    }

    fn edge(&self, word: u64) -> Option<Cell> {
        let (corner, pair) = ((word >> 2) as usize, (word & 3) as usize);
        let opposite = corner.checked_add(self.grid.layout.strides.iter().sum::<usize>())?;
        // There is no fourth pair of axes.
        if pair < 3 && opposite < self.grid.places() { self.face(corner, pair) } else { None }
    }
}
