//! Tiny filtered chain complexes over Z/2, as the cells of a boundary matrix: dimensions in any order, and any boundary
//! that is a cycle. They include simplicial and cubical complexes, and cells glued along arbitrary cycles.

use phat_formats::{BoundaryMatrix, Dimension, Index};

use super::spaces::pairs;
use lacuna::generate::Random;

/// A cell: its dimension, and its boundary as ascending indices of earlier cells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    pub(super) dim: Dimension,
    pub(super) boundary: Vec<usize>,
}

/// A filtered complex of at most [`MOST`] cells.
pub(super) type Complex = Vec<Cell>;

/// Number of cells in a row of bits.
pub(super) const MOST: usize = 256;

/// A set of cells as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Row([u64; MOST / 64]);

impl Row {
    fn of(cells: &[usize]) -> Row {
        let mut row = Row::default();
        cells.iter().for_each(|&cell| row.flip(cell));
        row
    }

    fn flip(&mut self, cell: usize) {
        self.0[cell / 64] ^= 1 << (cell % 64);
    }

    fn add(&mut self, other: &Row) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word ^= other);
    }

    /// Last cell of the set.
    fn low(&self) -> Option<usize> {
        let word = (0..self.0.len()).rev().find(|&word| self.0[word] != 0)?;
        Some(64 * word + 63 - self.0[word].leading_zeros() as usize)
    }

    fn cells(&self) -> Vec<usize> {
        (0..MOST).filter(|&cell| self.0[cell / 64] >> (cell % 64) & 1 == 1).collect()
    }
}

/// The standard algorithm, one cell at a time (Edelsbrunner, Letscher, Zomorodian 2002).
#[derive(Default)]
pub(super) struct Standard {
    /// Reduced columns R, each with its column of V.
    columns: Vec<(Row, Row)>,
    /// Column with a given lowest one.
    of_low: Vec<Option<usize>>,
    dims: Vec<Dimension>,
}

impl Standard {
    pub(super) fn push(&mut self, cell: &Cell) {
        let number = self.columns.len();
        let (mut column, mut sum) = (Row::of(&cell.boundary), Row::of(&[number]));
        while let Some(other) = column.low().and_then(|low| self.of_low[low]) {
            column.add(&self.columns[other].0);
            sum.add(&self.columns[other].1);
        }
        self.of_low.push(None);
        if let Some(low) = column.low() {
            self.of_low[low] = Some(number);
        }
        self.columns.push((column, sum));
        self.dims.push(cell.dim);
    }

    /// Pairs (birth, death), sorted by birth.
    pub(super) fn pairs(&self) -> Vec<(usize, usize)> {
        let pair = |(low, column): (usize, &Option<usize>)| column.map(|column| (low, column));
        self.of_low.iter().enumerate().filter_map(pair).collect()
    }

    /// A basis of the cycles of a dimension.
    fn cycles(&self, dim: Dimension) -> Vec<Row> {
        let is_cycle = |&k: &usize| self.dims[k] == dim && self.columns[k].0.low().is_none();
        (0..self.columns.len()).filter(is_cycle).map(|k| self.columns[k].1).collect()
    }
}

/// Pairs of a complex, sorted by birth.
pub(super) fn pairs_of(complex: &[Cell]) -> Vec<(usize, usize)> {
    let mut standard = Standard::default();
    complex.iter().for_each(|cell| standard.push(cell));
    standard.pairs()
}

/// Draws a complex of any kind.
pub(super) fn draw(random: &mut Random) -> Complex {
    match random.below(10) {
        0 if random.once_in(4) => Vec::new(),
        0..=4 => glued(random),
        5..=7 => flag(random),
        _ => grid(random),
    }
}

/// Cells of random dimensions, glued along random cycles: spheres, duplicates, dunce hats.
fn glued(random: &mut Random) -> Complex {
    let most = if random.once_in(5) { 150 } else { 30 };
    let count = random.below(most);
    let top = random.within(1, 4);
    let mut standard = Standard::default();
    let mut complex: Complex = Vec::new();
    for _ in 0..count {
        if !complex.is_empty() && random.once_in(10) {
            let twin = complex[random.below(complex.len())].clone();
            standard.push(&twin);
            complex.push(twin);
            continue;
        }
        // A cell without boundary may have any dimension.
        let dim = random.within(0, top) as Dimension;
        let cycles = if dim == 0 { Vec::new() } else { standard.cycles(dim - 1) };
        let terms = random.pick(&[0, 1, 1, 2, 2, 2, 3, 3, cycles.len()]);
        let mut boundary = Row::default();
        if !cycles.is_empty() {
            (0..terms).for_each(|_| boundary.add(&cycles[random.below(cycles.len())]));
        }
        let cell = Cell { dim, boundary: boundary.cells() };
        standard.push(&cell);
        complex.push(cell);
    }
    complex
}

/// Cliques of a random graph as simplices, sorted by dimension or mixed.
fn flag(random: &mut Random) -> Complex {
    let most = if random.once_in(6) { 11 } else { 7 };
    let n = 1 + random.below(most);
    let keep = random.within(1, 4) as usize;
    let mut neighbours = vec![0_u32; n];
    for (i, j) in pairs(n) {
        if !random.once_in(keep + 1) {
            neighbours[i] |= 1 << j;
            neighbours[j] |= 1 << i;
        }
    }
    let is_clique = |&set: &u32| (0..n).all(|v| set >> v & 1 == 0 || set & !(1 << v) & !neighbours[v] == 0);
    let top = random.within(1, 5) as u32;
    let cliques = (1..1 << n).filter(is_clique).filter(|set: &u32| set.count_ones() <= top + 1);
    let mut cliques: Vec<u32> = cliques.collect();
    // At most as many as fit in a row of bits, faces first.
    cliques.sort_by_key(|set| set.count_ones());
    cliques.truncate(MOST);
    let place = |set: u32| cliques.iter().position(|&other| other == set);
    let facets =
        |set: u32| (0..n).filter(move |v| set >> v & 1 == 1).filter_map(move |v| place(set & !(1 << v)));
    let cells = cliques.iter().map(|&set| {
        let mut boundary: Vec<usize> = facets(set).collect();
        boundary.sort_unstable();
        Cell { dim: (set.count_ones() - 1) as Dimension, boundary }
    });
    let cells: Complex = cells.collect();
    if random.once_in(4) { cells } else { mixed(&cells, random) }
}

/// Cells of a grid, mixed.
fn grid(random: &mut Random) -> Complex {
    let sides = random.pick(&[
        [4, 1, 1],
        [9, 1, 1],
        [2, 2, 1],
        [3, 2, 1],
        [4, 3, 1],
        [5, 5, 1],
        [2, 2, 2],
        [3, 2, 2],
    ]);
    let [w, h, d] = sides.map(|side: usize| 2 * side - 1);
    let mut cells: Vec<[usize; 3]> = (0..w * h * d).map(|at| [at % w, at / w % h, at / w / h]).collect();
    let dim = |cell: &[usize; 3]| cell.iter().filter(|x| *x % 2 == 1).count();
    cells.sort_by_key(dim);
    let place = |cell: [usize; 3]| cells.iter().position(|&other| other == cell);
    let complex = cells.iter().map(|cell| {
        let mut boundary = Vec::new();
        for axis in (0..3).filter(|&axis| cell[axis] % 2 == 1) {
            for end in [cell[axis] - 1, cell[axis] + 1] {
                let mut face = *cell;
                face[axis] = end;
                boundary.extend(place(face));
            }
        }
        boundary.sort_unstable();
        Cell { dim: dim(cell) as Dimension, boundary }
    });
    mixed(&complex.collect::<Vec<_>>(), random)
}

/// The cells in another order in which boundaries come first: sorted by random values, where that of a cell is at least
/// those of its boundary.
fn mixed(complex: &[Cell], random: &mut Random) -> Complex {
    let levels = random.pick(&[2, 4, 1000]);
    let mut values: Vec<usize> = Vec::new();
    for cell in complex {
        let of_boundary = cell.boundary.iter().map(|&face| values[face]).max().unwrap_or(0);
        values.push(of_boundary.max(random.below(levels)));
    }
    let mut order: Vec<usize> = (0..complex.len()).collect();
    // The sort is stable, so faces of the same value stay before their cofaces.
    order.sort_by_key(|&cell| values[cell]);
    let mut place = vec![0; complex.len()];
    order.iter().enumerate().for_each(|(at, &cell)| place[cell] = at);
    let renamed = |&cell: &usize| {
        let Cell { dim, boundary } = &complex[cell];
        let mut boundary: Vec<usize> = boundary.iter().map(|&face| place[face]).collect();
        boundary.sort_unstable();
        Cell { dim: *dim, boundary }
    };
    order.iter().map(renamed).collect()
}

/// Columns of arbitrary cells of the dimension below, so that ∂∂ ≠ 0 in general.
pub(super) fn garbage(random: &mut Random) -> Complex {
    let count = random.below(30);
    let top = random.within(1, 3);
    let mut complex: Complex = Vec::new();
    for _ in 0..count {
        let dim = random.within(0, top) as Dimension;
        let is_facet = |cell: &Cell| dim > 0 && cell.dim == dim - 1;
        let facets: Vec<usize> = (0..complex.len()).filter(|&at| is_facet(&complex[at])).collect();
        let boundary = facets.into_iter().filter(|_| random.once_in(2)).collect();
        complex.push(Cell { dim, boundary });
    }
    complex
}

/// Boundary matrix of a complex.
pub(super) fn matrix<I: Index>(complex: &[Cell]) -> BoundaryMatrix<I> {
    let mut matrix = BoundaryMatrix::new();
    for Cell { dim, boundary } in complex {
        matrix.push(*dim, boundary).expect("boundaries come first");
    }
    matrix
}

/// The complex without one of the cells that are in no boundary, and the first half of the complex.
pub(super) fn smaller(complex: &[Cell]) -> Vec<Complex> {
    let mut smaller = Vec::new();
    if complex.len() > 2 {
        smaller.push(complex[..complex.len() / 2].to_vec());
    }
    for gone in (0..complex.len()).rev() {
        if complex.iter().any(|cell| cell.boundary.contains(&gone)) {
            continue;
        }
        let renamed = |face: &usize| face - usize::from(*face > gone);
        let kept = complex.iter().enumerate().filter(|&(at, _)| at != gone);
        let cell = |(_, cell): (usize, &Cell)| Cell {
            dim: cell.dim,
            boundary: cell.boundary.iter().map(renamed).collect(),
        };
        smaller.push(kept.map(cell).collect());
    }
    smaller
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complexes_are_complexes_and_awkward() {
        let mut random = Random::new(1);
        let (mut empty, mut descending, mut twins, mut many) = (0, 0, 0, 0);
        for _ in 0..1000 {
            let complex = draw(&mut random);
            assert_eq!(matrix::<u32>(&complex).check(), Ok(()));
            let dims: Vec<Dimension> = complex.iter().map(|cell| cell.dim).collect();
            empty += usize::from(complex.is_empty());
            many += usize::from(complex.len() > 128);
            descending += usize::from(!dims.is_sorted());
            let is_twin = |cell: &Cell| complex.iter().filter(|other| *other == cell).count() > 1;
            twins += usize::from(complex.iter().any(|cell| !cell.boundary.is_empty() && is_twin(cell)));
            for smaller in smaller(&complex) {
                assert_eq!(matrix::<u64>(&smaller).check(), Ok(()));
            }
        }
        assert!(
            empty > 5 && descending > 300 && twins > 50 && many > 5,
            "{empty} {descending} {twins} {many}"
        );
    }

    #[test]
    fn pairs_of_a_filled_triangle() {
        let cell = |dim, boundary: &[usize]| Cell { dim, boundary: boundary.to_vec() };
        let points = [cell(0, &[]), cell(0, &[]), cell(0, &[])];
        let edges = [cell(1, &[0, 1]), cell(1, &[0, 2]), cell(1, &[1, 2])];
        let triangle = [&points[..], &edges, &[cell(2, &[3, 4, 5])]].concat();
        assert_eq!(pairs_of(&triangle), [(1, 3), (2, 4), (5, 6)]);
        assert_eq!(Row::of(&[3, 70, 255]).cells(), [3, 70, 255]);
        assert_eq!((Row::of(&[3, 70]).low(), Row::default().low()), (Some(70), None));
    }
}
