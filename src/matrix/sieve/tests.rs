//! Every method for a block, alone and combined, against a transcription of the standard algorithm.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU32;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::matrix::index::AtomicIndex;
use crate::matrix::leftmost_ones::{note_leftmost, pair_stable};

/// A random filtration of all, or some, simplices with at most `max_dim + 1` of some vertices.
fn random_complex(rng: &mut Pcg64Mcg) -> BoundaryMatrix<u32> {
    let vertices = rng.random_range(1..=9);
    let max_dim = rng.random_range(0..=4);
    let levels = rng.random_range(1..=40);
    let keep = if rng.random_bool(0.5) { 1.0 } else { rng.random_range(0.3..1.0) };
    // Simplices are bitsets. Facets come first: a simplex is at least one level above one of them, or on the same
    // level and larger.
    let mut value = vec![None; 1 << vertices];
    let mut cells: Vec<(u32, u32, usize)> = Vec::new();
    for simplex in 1usize..1 << vertices {
        let size = simplex.count_ones();
        let facets: Vec<usize> =
            bits_of(simplex).map(|bit| simplex & !(1 << bit)).filter(|&f| f != 0).collect();
        let of_facets: Option<Vec<u32>> = facets.iter().map(|&facet| value[facet]).collect();
        let Some(of_facets) =
            of_facets.filter(|_| size <= max_dim + 1 && (size == 1 || rng.random_bool(keep)))
        else {
            continue;
        };
        let least = of_facets.iter().copied().max().unwrap_or(0);
        value[simplex] = Some(least + rng.random_range(0..levels));
        cells.push((value[simplex].unwrap_or(0), size, simplex));
    }
    cells.shuffle(rng);
    cells.sort_by_key(|&(value, size, _)| (value, size));
    let mut number = vec![0; 1 << vertices];
    let mut matrix = BoundaryMatrix::new();
    for (column, &(_, size, simplex)) in cells.iter().enumerate() {
        number[simplex] = column;
        let facets = bits_of(simplex).map(|bit| simplex & !(1 << bit)).filter(|&facet| facet != 0);
        let mut rows: Vec<usize> = facets.map(|facet| number[facet]).collect();
        rows.sort_unstable();
        matrix.push((size - 1) as Dimension, &rows).expect("a complex");
    }
    matrix
}

fn bits_of(set: usize) -> impl Iterator<Item = usize> {
    (0..usize::BITS as usize).filter(move |bit| set >> bit & 1 == 1)
}

fn standard(matrix: &BoundaryMatrix<u32>) -> Vec<(u32, u32)> {
    let mut reduced: Vec<(u32, BTreeSet<u32>)> = Vec::new();
    for column in 0..matrix.len() {
        let mut rows: BTreeSet<u32> = matrix.column(column).iter().copied().collect();
        while let Some((_, other)) =
            reduced.iter().find(|(_, other)| !rows.is_empty() && other.last() == rows.last())
        {
            rows = &rows ^ other;
        }
        if !rows.is_empty() {
            reduced.push((column as u32, rows));
        }
    }
    let mut pairs: Vec<_> =
        reduced.iter().map(|(column, rows)| (*rows.last().expect("not zero"), *column)).collect();
    pairs.sort_unstable();
    pairs
}

/// The block without a checkpoint.
fn kept_nowhere(dim: Dimension) -> Keeping<'static> {
    Keeping { progress: &(), dim, save_before: &|| () }
}

/// The pairs of a block.
fn of_block(pairs: &[(u32, u32)], matrix: &BoundaryMatrix<u32>, dim: Dimension) -> Vec<(u32, u32)> {
    pairs.iter().copied().filter(|&(_, column)| matrix.dim(column as usize) == dim).collect()
}

/// The column of the leftmost one of each row plus one.
fn leftmost_of(matrix: &BoundaryMatrix<u32>) -> Vec<AtomicU32> {
    let table = u32::zeros(matrix.len());
    note_leftmost(matrix, &table, |_| true);
    table
}

/// The known pairs of a matrix whose blocks are solved where `solved` holds.
fn known(
    matrix: &BoundaryMatrix<u32>,
    pairs: &[(u32, u32)],
    solved: impl Fn(Dimension) -> bool,
) -> Mates<u32> {
    let mates = pair_stable(matrix, &leftmost_of(matrix), |_| true);
    for &(i, j) in pairs.iter().filter(|(_, j)| solved(matrix.dim(*j as usize))) {
        mates.pair(i as usize, j as usize);
    }
    mates
}

/// Runs the sieve with a scan on the processor.
fn reduce(matrix: &BoundaryMatrix<u32>, dualize: Dualize) -> Pairs<u32> {
    super::reduce(matrix, dualize, &Scanner::processor(), &()).expect("the processor's scan does not fail")
}

fn complexes() -> impl Iterator<Item = (BoundaryMatrix<u32>, Vec<(u32, u32)>)> {
    let mut rng = Pcg64Mcg::seed_from_u64(20);
    (0..400).map(move |_| random_complex(&mut rng)).map(|matrix| {
        let pairs = standard(&matrix);
        (matrix, pairs)
    })
}

#[test]
fn the_whole_sieve() {
    for (matrix, pairs) in complexes() {
        matrix.check().expect("a complex");
        for dualize in [Dualize::Auto, Dualize::On, Dualize::Off] {
            for threads in [1, 2, 4] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                let found = pool.install(|| reduce(&matrix, dualize));
                assert_eq!(found.pairs, pairs, "{dualize:?}, {threads} threads: {matrix:?}");
            }
        }
    }
}

#[test]
fn graphs_solve_their_blocks() {
    let mut solved = [0; 2];
    for (matrix, pairs) in complexes() {
        let max_dim = matrix.max_dim().unwrap_or(0);
        let survey = graph::Survey::of(&matrix, max_dim);
        let widest = |wide: fn(&BoundaryMatrix<u32>, usize) -> usize, dim| {
            (0..matrix.len())
                .filter(|&cell| matrix.dim(cell) == dim)
                .map(|cell| wide(&matrix, cell))
                .max()
                .unwrap_or(0)
        };
        let ones = |matrix: &BoundaryMatrix<u32>, column: usize| matrix.column(column).len();
        let cofacets = |matrix: &BoundaryMatrix<u32>, row: usize| {
            (0..matrix.len()).filter(|&column| matrix.column(column).contains(&(row as u32))).count()
        };
        assert_eq!(survey.bottom, max_dim >= 1 && widest(ones, 1) <= 2);
        assert_eq!(survey.top, max_dim >= 2 && widest(cofacets, max_dim - 1) <= 2);
        let leftmost = leftmost_of(&matrix);
        for (row, (found, expected)) in survey.columns.iter().zip(&leftmost).enumerate() {
            if survey.scanned(matrix.dim(row) + 1, max_dim) {
                assert_eq!(found.peek(), expected.peek());
            }
        }
        if survey.bottom {
            let mates = Mates::new(matrix.len());
            graph::pair_by_columns(&matrix, 1, &survey.nodes, &mates);
            assert_eq!(mates.pairs(), of_block(&pairs, &matrix, 1));
            solved[0] += 1;
        }
        if survey.top {
            let mates = Mates::new(matrix.len());
            graph::pair_by_rows(&matrix, max_dim, &survey.columns, &survey.nodes, &mates);
            assert_eq!(mates.pairs(), of_block(&pairs, &matrix, max_dim));
            solved[1] += 1;
        }
    }
    assert!(solved.iter().all(|&solved| solved > 50), "{solved:?}");
}

#[test]
fn annotations_solve_any_block_above_a_solved_one() {
    for (matrix, pairs) in complexes() {
        for dim in 1..=matrix.max_dim().unwrap_or(0) {
            for above in [false, true] {
                let mates = known(&matrix, &pairs, |d| d == dim - 1 || above && d == dim + 1);
                let creators = mates.open(matrix.dims(), dim - 1);
                if creators.len() > 64 {
                    continue;
                }
                annotations::pair(&matrix, dim, &creators, &mates, &()).expect("classes few enough");
                assert_eq!(of_block(&mates.pairs(), &matrix, dim), of_block(&pairs, &matrix, dim));
            }
        }
    }
}

#[test]
fn annotations_give_up_and_leave_no_trace() {
    // A star of 70 triangles at a vertex: 70 cycles live before the first triangle comes.
    let mut matrix = BoundaryMatrix::<u32>::new();
    let mut push = |dim, rows: &[usize]| {
        matrix.push(dim, rows).expect("a complex");
        matrix.len() - 1
    };
    let tip = push(0, &[]);
    let ends: Vec<(usize, usize)> = (0..70).map(|_| (push(0, &[]), push(0, &[]))).collect();
    let spokes: Vec<(usize, usize)> =
        ends.iter().map(|&(a, b)| (push(1, &[tip, a]), push(1, &[tip, b]))).collect();
    let rims: Vec<usize> = ends.iter().map(|&(a, b)| push(1, &[a, b])).collect();
    for (&rim, &(a, b)) in rims.iter().zip(&spokes) {
        push(2, &[a, b, rim]);
    }
    // The triangles' stable pairs are withheld, so all 70 classes live.
    let mates = Mates::new(matrix.len());
    graph::pair_by_columns(&matrix, 1, &u32::zeros(matrix.len() + 1), &mates);
    let before = mates.pairs();
    let creators = mates.open(matrix.dims(), 1);
    assert_eq!(creators.len(), 70);
    assert!(annotations::pair(&matrix, 2, &creators, &mates, &()).is_none());
    assert_eq!(mates.pairs(), before);
    assert_eq!(reduce(&matrix, Dualize::Auto).pairs, standard(&matrix));
}

#[test]
fn residues_solve_any_block_whatever_is_known_around_it() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    for (matrix, pairs) in complexes() {
        let dual = matrix.anti_transpose();
        for dim in 1..=matrix.max_dim().unwrap_or(0) {
            for (below, above) in [(false, false), (false, true), (true, false), (true, true)] {
                let known = || known(&matrix, &pairs, |d| below && d + 1 == dim || above && d == dim + 1);
                let mates = known();
                let open = mates.open(matrix.dims(), dim);
                pool.install(|| residue::reduce(&matrix, &open, &mates, &kept_nowhere(dim)).unwrap());
                assert_eq!(of_block(&mates.pairs(), &matrix, dim), of_block(&pairs, &matrix, dim));
                let mates = known();
                let open = mates.open(matrix.dims(), dim - 1);
                pool.install(|| {
                    residue::reduce_dual(&matrix, &dual, &open, &mates, &kept_nowhere(dim)).unwrap()
                });
                assert_eq!(of_block(&mates.pairs(), &matrix, dim), of_block(&pairs, &matrix, dim));
            }
        }
    }
}
