//! Cycles of the classes of boundary matrices of random complexes: checked by definition with the elimination in this
//! file, which shares no code with the library, for pairs from any algorithm.

use std::collections::BTreeSet;

use crate::common::complexes::Complex;
use crate::common::metrics::generator;
use lacuna::matrix::cycles::{ClassSelection, Cycle, Cycles, cycles};
use lacuna::matrix::{
    Algorithm, BoundaryMatrix, Dualize, Index, MatrixIndex, Pairs, Plan, Representation, reduce,
};
use rand::RngExt;
use rand_pcg::Pcg64;

/// A chain over Z/2.
type Chain = BTreeSet<usize>;

/// The sum of two chains.
fn sum(a: &Chain, b: &Chain) -> Chain {
    a.symmetric_difference(b).copied().collect()
}

/// The boundary of each cell.
fn boundaries<I: Index>(matrix: &BoundaryMatrix<I>) -> Vec<Chain> {
    (0..matrix.len()).map(|cell| matrix.column(cell).iter().map(|row| row.to_usize()).collect()).collect()
}

/// An echelon basis of a space of chains: no two chains have the same youngest cell.
#[derive(Default)]
struct Space(Vec<Chain>);

impl Space {
    /// The residue of a chain after adding basis chains wherever that cancels a youngest cell.
    fn residue(&self, mut chain: Chain) -> Chain {
        let mut bound = usize::MAX;
        while let Some(&youngest) = chain.range(..bound).next_back() {
            if let Some(found) = self.0.iter().find(|other| other.last() == Some(&youngest)) {
                chain = sum(&chain, found);
            }
            bound = youngest;
        }
        chain
    }

    fn add(&mut self, chain: Chain) {
        let rest = self.residue(chain);
        if !rest.is_empty() {
            self.0.push(rest);
        }
    }

    fn contains(&self, chain: &Chain) -> bool {
        self.residue(chain.clone()).is_empty()
    }
}

/// The span of the boundaries of the cells before `cell`.
fn bounding_before(boundaries: &[Chain], cell: usize) -> Space {
    let mut space = Space::default();
    boundaries[..cell].iter().for_each(|boundary| space.add(boundary.clone()));
    space
}

/// Checks that the cycles represent all classes of the matrix, in the documented order.
fn judge<I: Index>(matrix: &BoundaryMatrix<I>, pairs: &Pairs<I>, found: &Cycles<I>, what: &str) {
    let finite = pairs.pairs.iter().map(|&(birth, death)| (birth, Some(death)));
    let classes: Vec<(I, Option<I>)> =
        finite.chain(pairs.essential().into_iter().map(|birth| (birth, None))).collect();
    let told: Vec<(I, Option<I>)> = found.iter().map(|cycle| (cycle.birth, cycle.death)).collect();
    assert_eq!(told, classes, "{what}: the classes are not those of the pairs");
    let boundaries = boundaries(matrix);
    found.iter().for_each(|cycle| judge_cycle(matrix, &boundaries, &cycle, what));
    let ends = found.iter().scan(0, |end, cycle| {
        *end += cycle.cells.len();
        Some(*end)
    });
    assert!(found.offsets().iter().copied().eq([0].into_iter().chain(ends)), "{what}: offsets");
    assert!(found.iter().flat_map(|cycle| cycle.cells).eq(found.cells()), "{what}: cells");
}

fn judge_cycle<I: Index>(matrix: &BoundaryMatrix<I>, boundaries: &[Chain], cycle: &Cycle<'_, I>, what: &str) {
    let what = format!("{what}, cycle {cycle:?}");
    assert!(cycle.cells.is_sorted_by(|a, b| a < b), "{what}: cells do not ascend");
    assert_eq!(cycle.dim, matrix.dim(cycle.birth.to_usize()), "{what}");
    assert!(cycle.cells.iter().all(|cell| matrix.dim(cell.to_usize()) == cycle.dim), "{what}: dimension");
    let chain: Chain = cycle.cells.iter().map(|cell| cell.to_usize()).collect();
    let boundary = chain.iter().fold(Chain::new(), |total, &cell| sum(&total, &boundaries[cell]));
    assert_eq!(boundary, Chain::new(), "{what}: the boundary is not zero");
    assert_eq!(cycle.cells.last(), Some(&cycle.birth), "{what}: the youngest cell is not the birth");
    match cycle.death.map(Index::to_usize) {
        Some(death) => {
            let mut space = bounding_before(boundaries, death);
            assert!(!space.contains(&chain), "{what}: bounds before its death");
            space.add(boundaries[death].clone());
            assert!(space.contains(&chain), "{what}: does not bound at its death");
        }
        None => {
            let space = bounding_before(boundaries, boundaries.len());
            assert!(!space.contains(&chain), "{what}: bounds");
        }
    }
}

/// A random complex of up to about 100 cells, with ties.
fn random_complex(rng: &mut Pcg64) -> Complex {
    let ties = [1, 3, 1000][rng.random_range(0..3)];
    match rng.random_range(0..6) {
        0 => Complex::flag(rng.random_range(1..8), 3, 0.7, ties, rng),
        1 => Complex::flag(rng.random_range(6..13), 2, 0.4, ties, rng),
        2 => Complex::random(rng.random_range(1..7), 4, 0.9, ties, rng),
        3 => Complex::random(rng.random_range(6..9), 3, 0.6, ties, rng),
        4 => Complex::cubical([rng.random_range(1..5), rng.random_range(1..5), 1], ties, rng),
        _ => Complex::with_many_classes(ties, rng),
    }
}

fn all<I: MatrixIndex>(matrix: &BoundaryMatrix<I>, plan: &Plan) -> (Pairs<I>, Cycles<I>) {
    let pairs = reduce(matrix, plan);
    let found =
        cycles(matrix, &pairs, &ClassSelection::All, &()).unwrap_or_else(|error| panic!("{plan:?}: {error}"));
    (pairs, found)
}

const SIEVE: Plan = Plan {
    algorithm: Algorithm::Sieve,
    columns: Representation::BitTree,
    dualize: Dualize::Auto,
    threads: 1,
};

fn represents<I: MatrixIndex>(seeds: std::ops::Range<u64>) {
    let mut additions = 0;
    for seed in seeds {
        let matrix: BoundaryMatrix<I> = random_complex(&mut generator(seed)).matrix();
        let (pairs, found) = all(&matrix, &SIEVE);
        judge(&matrix, &pairs, &found, &format!("seed {seed}"));
        additions += found.additions();
    }
    assert!(additions > 100, "columns are hardly added: {additions}");
}

#[test]
fn random_complexes() {
    represents::<u32>(0..800);
}

#[test]
fn random_complexes_with_wide_indices() {
    represents::<u64>(1000..1050);
}

/// The cycles do not depend on the algorithm that found the pairs.
#[test]
fn every_algorithm_leads_to_the_same_cycles() {
    for seed in 2000..2020 {
        let matrix: BoundaryMatrix<u32> = random_complex(&mut generator(seed)).matrix();
        let (_, expected) = all(&matrix, &SIEVE);
        for algorithm in Algorithm::ALL {
            for columns in Representation::ALL {
                for dualize in [Dualize::Off, Dualize::On, Dualize::Auto] {
                    for threads in [1, 4] {
                        let plan = Plan { algorithm, columns, dualize, threads };
                        let (pairs, found) = all(&matrix, &plan);
                        assert_eq!(found, expected, "seed {seed}, {plan:?}");
                        if threads == 4 && columns == Representation::Heap {
                            judge(&matrix, &pairs, &found, &format!("seed {seed}, {plan:?}"));
                        }
                    }
                }
            }
        }
    }
}

/// The columns of R and V of the standard algorithm, in order.
fn standard(boundaries: &[Chain]) -> (Vec<Chain>, Vec<Chain>) {
    let (mut reduced, mut added): (Vec<Chain>, Vec<Chain>) = (Vec::new(), Vec::new());
    for (cell, boundary) in boundaries.iter().enumerate() {
        let (mut r, mut v) = (boundary.clone(), Chain::from([cell]));
        while let Some(k) = reduced.iter().position(|other| r.last().is_some() && other.last() == r.last()) {
            r = sum(&r, &reduced[k]);
            v = sum(&v, &added[k]);
        }
        reduced.push(r);
        added.push(v);
    }
    (reduced, added)
}

/// The cycles are columns of R and V; for any selection of classes they are a subset of all cycles.
#[test]
fn cycles_are_the_columns_of_the_standard_algorithm() {
    for seed in 3000..3100 {
        let mut rng = generator(seed);
        let matrix: BoundaryMatrix<u32> = random_complex(&mut rng).matrix();
        let (reduced, added) = standard(&boundaries(&matrix));
        let (pairs, found) = all(&matrix, &SIEVE);
        for cycle in &found {
            let column = match cycle.death {
                Some(death) => &reduced[death.to_usize()],
                None => &added[cycle.birth.to_usize()],
            };
            let cells: Chain = cycle.cells.iter().map(|cell| cell.to_usize()).collect();
            assert_eq!(&cells, column, "seed {seed}, {cycle:?}");
        }
        let least = rng.random_range(0..20);
        let births = found.iter().map(|cycle| cycle.birth.to_usize());
        let some: Vec<usize> = births.filter(|_| rng.random_bool(0.2)).collect();
        let lasts = |cycle: &Cycle<'_, u32>| {
            cycle.death.is_none_or(|death| (death - cycle.birth).to_usize() >= least)
        };
        let named = |cycle: &Cycle<'_, u32>| some.contains(&cycle.birth.to_usize());
        let chosen = |selection: &ClassSelection| cycles(&matrix, &pairs, selection, &()).unwrap();
        let lasting = chosen(&ClassSelection::Persistence(least));
        assert!(lasting.iter().eq(found.iter().filter(lasts)), "seed {seed}, persistence {least}");
        let by_name = chosen(&ClassSelection::Named(some.clone()));
        assert!(by_name.iter().eq(found.iter().filter(named)), "seed {seed}, cells {some:?}");
    }
}
