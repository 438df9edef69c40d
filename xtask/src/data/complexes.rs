//! Filtered cell complexes: surfaces given by triangles, and an image given by voxels.

use std::collections::BTreeSet;

/// A filtered cell complex, with cells in filtration order.
#[derive(Clone)]
pub(super) struct Complex {
    pub(super) cells: Vec<Cell>,
}

/// A cell: dimension, boundary cells by ascending place in the filtration, and value.
#[derive(Clone)]
pub(super) struct Cell {
    pub(super) dim: u8,
    pub(super) boundary: Vec<usize>,
    pub(super) value: f64,
}

/// A cell with a name, before it has a place.
struct Named<N> {
    dim: u8,
    name: N,
    boundary: Vec<N>,
    value: f64,
}

/// Sorts cells by (value, dimension, name).
fn in_order<N: Ord + Clone>(mut cells: Vec<Named<N>>) -> Complex {
    let key = |cell: &Named<N>| (cell.dim, cell.name.clone());
    cells.sort_by(|a, b| a.value.total_cmp(&b.value).then_with(|| key(a).cmp(&key(b))));
    let place = |name: &N| cells.iter().position(|cell| cell.name == *name);
    let numbered = cells.iter().map(|cell| {
        let mut boundary: Vec<usize> = cell.boundary.iter().filter_map(place).collect();
        boundary.sort_unstable();
        Cell { dim: cell.dim, boundary, value: cell.value }
    });
    Complex { cells: numbered.collect() }
}

/// The complex of triangles in which a simplex enters with its last vertex; `height` is the value of a vertex.
fn surface(triangles: &[[usize; 3]], height: impl Fn(usize) -> f64) -> Complex {
    let faces = triangles.iter().flat_map(|&[a, b, c]| {
        [vec![a], vec![b], vec![c], vec![a, b], vec![a, c], vec![b, c], vec![a, b, c]]
    });
    let sorted = faces.map(|mut face| {
        face.sort_unstable();
        face
    });
    let simplices: BTreeSet<Vec<usize>> = sorted.collect();
    let facets = |simplex: &[usize]| match simplex.len() {
        1 => Vec::new(),
        n => (0..n).map(|k| [&simplex[..k], &simplex[k + 1..]].concat()).collect(),
    };
    let named = simplices.into_iter().map(|name| Named {
        dim: name.len() as u8 - 1,
        boundary: facets(&name),
        value: name.iter().map(|&vertex| height(vertex)).fold(f64::NEG_INFINITY, f64::max),
        name,
    });
    in_order(named.collect())
}

/// A triangle with its faces, sorted by dimension.
pub(super) fn triangle() -> Complex {
    surface(&[[0, 1, 2]], |_| 0.0)
}

/// The octahedron's surface, sorted by dimension.
pub(super) fn octahedron() -> Complex {
    octahedron_by(|_| 0.0)
}

/// The octahedron's surface by height: south pole 0, equator 1, north pole 2.5.
pub(super) fn octahedron_by_height() -> Complex {
    octahedron_by(|vertex| [0.0, 1.0, 1.0, 1.0, 1.0, 2.5][vertex])
}

/// The octahedron's surface: south pole 0, equator 1–4, north pole 5.
fn octahedron_by(height: impl Fn(usize) -> f64) -> Complex {
    let triangles = [0, 5].into_iter().flat_map(|pole| (0..4).map(move |k| [pole, 1 + k, 1 + (k + 1) % 4]));
    surface(&triangles.collect::<Vec<_>>(), height)
}

/// The torus of a 3 × 3 grid with glued sides, each square divided into two triangles, with vertices row by row.
pub(super) fn torus() -> Complex {
    let vertex = |i: usize, j: usize| 3 * (i % 3) + j % 3;
    let squares = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
    let halves = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [vertex(i, j), vertex(i, j + 1), vertex(i + 1, j), vertex(i + 1, j + 1)];
        [[a, b, d], [a, c, d]]
    });
    surface(&halves.collect::<Vec<_>>(), |vertex| (vertex / 3) as f64)
}

/// The projective plane with six vertices, sorted by dimension.
pub(super) fn projective_plane() -> Complex {
    const TRIANGLES: [[usize; 3]; 10] = [
        [0, 1, 2],
        [0, 2, 3],
        [0, 3, 4],
        [0, 4, 5],
        [0, 1, 5],
        [1, 2, 4],
        [2, 3, 5],
        [1, 3, 4],
        [2, 4, 5],
        [1, 3, 5],
    ];
    surface(&TRIANGLES, |_| 0.0)
}

/// An image: its width, and the values of its pixels row by row.
pub(super) struct Image {
    pub(super) width: usize,
    pub(super) values: Vec<f64>,
}

/// Two dark rings, one inside the other, and a dark dot in the middle.
pub(super) fn rings() -> Image {
    let side = 9;
    let ring = |i: usize, j: usize| i.abs_diff(4).max(j.abs_diff(4));
    let pixel = |k: usize| [0.5, 3.0, 1.0, 4.0, 0.25][ring(k / side, k % side)];
    Image { width: side, values: (0..side * side).map(pixel).collect() }
}

impl Image {
    pub(super) fn height(&self) -> usize {
        self.values.len() / self.width
    }

    /// The complex whose vertices are the pixels and whose cells have the greatest value of their vertices. A cell is
    /// named by its corner of least coordinates and the axes along which it extends.
    pub(super) fn complex(&self) -> Complex {
        let (w, h) = (self.width, self.height());
        let mut cells = Vec::new();
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            for y in 0..h - dy {
                for x in 0..w - dx {
                    cells.push(self.cell([x, y], [dx, dy]));
                }
            }
        }
        in_order(cells)
    }

    fn cell(&self, [x, y]: [usize; 2], [dx, dy]: [usize; 2]) -> Named<[usize; 4]> {
        let corners = [(x, y), (x + dx, y), (x, y + dy), (x + dx, y + dy)];
        let values = corners.iter().map(|&(x, y)| self.values[y * self.width + x]);
        let mut boundary = Vec::new();
        if dx == 1 {
            boundary.extend([[x, y, 0, dy], [x + 1, y, 0, dy]]);
        }
        if dy == 1 {
            boundary.extend([[x, y, dx, 0], [x, y + 1, dx, 0]]);
        }
        let value = values.fold(f64::NEG_INFINITY, f64::max);
        Named { dim: (dx + dy) as u8, name: [x, y, dx, dy], boundary, value }
    }
}

impl Complex {
    /// The pairs (birth, death) by birth, by the standard algorithm with sets of rows.
    pub(super) fn pairs(&self) -> Vec<(usize, usize)> {
        let mut reduced: Vec<BTreeSet<usize>> = Vec::new();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (death, cell) in self.cells.iter().enumerate() {
            let mut column: BTreeSet<usize> = cell.boundary.iter().copied().collect();
            while let Some(&low) = column.last() {
                let Some(&(_, other)) = pairs.iter().find(|&&(birth, _)| birth == low) else {
                    pairs.push((low, death));
                    break;
                };
                column = &column ^ &reduced[other];
            }
            reduced.push(column);
        }
        pairs.sort_unstable();
        pairs
    }

    /// The bars (dimension, birth, death), sorted, without those of length zero; essential bars die at infinity.
    pub(super) fn bars(&self) -> Vec<(u8, f64, f64)> {
        let pairs = self.pairs();
        let paired: BTreeSet<usize> = pairs.iter().flat_map(|&(birth, death)| [birth, death]).collect();
        let cell = |k: usize| &self.cells[k];
        let finite = pairs.iter().map(|&(birth, death)| (cell(birth), cell(death).value));
        let essential = (0..self.cells.len()).filter(|k| !paired.contains(k));
        let essential = essential.map(|birth| (cell(birth), f64::INFINITY));
        let bars = finite.chain(essential).map(|(birth, death)| (birth.dim, birth.value, death));
        let mut bars: Vec<_> = bars.filter(|&(_, birth, death)| birth < death).collect();
        bars.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2)));
        bars
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of cells, and of essential classes in dimensions 0, 1 and 2.
    fn counts(complex: &Complex) -> (usize, [usize; 3]) {
        let essential = complex.bars().into_iter().filter(|&(_, _, death)| death == f64::INFINITY);
        let mut betti = [0; 3];
        essential.for_each(|(dim, _, _)| betti[usize::from(dim)] += 1);
        (complex.cells.len(), betti)
    }

    #[test]
    fn betti_numbers_over_two_elements() {
        assert_eq!(counts(&triangle()), (7, [1, 0, 0]));
        assert_eq!(counts(&octahedron()), (26, [1, 0, 1]));
        assert_eq!(counts(&octahedron_by_height()), (26, [1, 0, 1]));
        assert_eq!(counts(&torus()), (54, [1, 2, 1]));
        assert_eq!(counts(&projective_plane()), (31, [1, 1, 1]));
        assert_eq!(counts(&rings().complex()), (17 * 17, [1, 0, 0]));
    }

    #[test]
    fn boundaries_have_no_boundary() {
        for complex in [octahedron_by_height(), torus(), projective_plane(), rings().complex()] {
            for (k, cell) in complex.cells.iter().enumerate() {
                let facets = cell.boundary.iter().map(|&facet| &complex.cells[facet]);
                assert!(cell.boundary.iter().all(|&facet| facet < k));
                assert!(facets.clone().all(|facet| facet.value <= cell.value && facet.dim + 1 == cell.dim));
                let mut left = BTreeSet::new();
                for ridge in facets.flat_map(|facet| &facet.boundary) {
                    if !left.insert(ridge) {
                        left.remove(ridge);
                    }
                }
                assert!(left.is_empty());
            }
        }
    }
}
