//! Reductions of boundary matrices: every algorithm on every representation, primal and dual, on several threads,
//! against the standard algorithm on rows of bits.

use std::collections::BTreeSet;

use lacuna::compare::{Barcode, CellPairs, compare, read};
use lacuna::matrix::cycles::{ClassSelection, cycles};
use lacuna::matrix::read::{AnyComplex, MatrixReadOptions, read_source};
use lacuna::matrix::{Algorithm, BoundaryMatrix, Dualize, MatrixIndex, Pairs, Plan, Representation, reduce};
use lacuna::output::pairs::{PairsFormat, Solution};

use super::complexes::{self, Complex, pairs_of};
use super::pools::{Machine, Pools};
use super::subject::{Subject, same};
use lacuna::generate::Random;

/// Reductions.
pub(super) struct Reductions;

/// A complex, and the settings of its reduction.
#[derive(Debug, Clone)]
pub(super) struct Case {
    complex: Complex,
    algorithm: Algorithm,
    columns: Representation,
    dualize: Dualize,
    /// Whether cells have 64-bit indices.
    wide: bool,
    machine: Machine,
    /// Format in which the matrix is first written and read, if any.
    written: Option<Written>,
    /// Format in which the pairs are written and read, if any.
    output: Option<PairsFormat>,
}

/// PHAT's two formats.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Written {
    Ascii,
    Binary,
}

impl Subject for Reductions {
    type Case = Case;
    const NAME: &'static str = "reduce";
    const CROSSED: &'static str =
        "algorithm, columns, dualize, index width, threads, vectors, formats of matrix and pairs; cycles";

    fn draw(random: &mut Random) -> Case {
        // Formats that need values cannot be used.
        let formats = [
            PairsFormat::PhatAscii,
            PairsFormat::PhatBinary,
            PairsFormat::Csv,
            PairsFormat::Json,
            PairsFormat::Npz,
        ];
        let random_format = random.pick(&formats);
        if random.once_in(20) {
            return Case::of_no_complex(random);
        }
        Case {
            complex: complexes::draw(random),
            // The default algorithm is drawn more often.
            algorithm: if random.once_in(4) { Algorithm::Sieve } else { random.pick(&Algorithm::ALL) },
            columns: random.pick(&Representation::ALL),
            dualize: random.pick(&[Dualize::Auto, Dualize::On, Dualize::Off]),
            wide: random.once_in(3),
            machine: Machine::draw(random),
            written: random.pick(&[None, None, None, Some(Written::Ascii), Some(Written::Binary)]),
            output: random.pick(&[None, None, Some(random_format)]),
        }
    }

    fn options(case: &Case) -> String {
        let Case { complex: _, algorithm, columns, dualize, wide, machine, written, output } = case;
        format!("{algorithm:?} {columns:?} {dualize:?} {wide} {machine:?} {written:?} {output:?}")
    }

    fn check(case: &Case, pools: &Pools) -> Result<(), String> {
        if case.wide { check::<u64>(case, pools) } else { check::<u32>(case, pools) }
    }

    fn smaller(case: &Case) -> Vec<Case> {
        let mut smaller = Vec::new();
        for complex in complexes::smaller(&case.complex) {
            smaller.push(Case { complex, ..case.clone() });
        }
        if case.written.is_some() {
            smaller.push(Case { written: None, ..case.clone() });
        }
        if case.output.is_some() {
            smaller.push(Case { output: None, ..case.clone() });
        }
        if case.wide {
            smaller.push(Case { wide: false, ..case.clone() });
        }
        if case.dualize != Dualize::Off {
            smaller.push(Case { dualize: Dualize::Off, ..case.clone() });
        }
        smaller.extend(case.machine.smaller().into_iter().map(|machine| Case { machine, ..case.clone() }));
        smaller
    }
}

impl Case {
    /// Draws a matrix with ∂∂ ≠ 0, for the one algorithm whose pairs are then defined.
    fn of_no_complex(random: &mut Random) -> Case {
        Case {
            complex: complexes::garbage(random),
            algorithm: Algorithm::Standard,
            columns: random.pick(&Representation::ALL),
            dualize: Dualize::Off,
            wide: random.once_in(3),
            machine: Machine::draw(random),
            written: None,
            output: None,
        }
    }
}

fn check<I: MatrixIndex>(case: &Case, pools: &Pools) -> Result<(), String> {
    let matrix = complexes::matrix::<I>(&case.complex);
    if let Some(format) = case.written {
        read_back(&case.complex, format)?;
    }
    let Case { algorithm, columns, dualize, machine, .. } = *case;
    let plan = Plan { algorithm, columns, dualize, threads: machine.threads };
    let pairs = pools.run(machine, || reduce(&matrix, &plan));
    let found: Vec<(usize, usize)> = pairs.pairs.iter().map(|(i, j)| (i.to_usize(), j.to_usize())).collect();
    let expected = pairs_of(&case.complex);
    same(&format!("pairs of {algorithm}"), &found, &expected)?;
    if let Some(format) = case.output {
        pairs_read_back(format, &matrix, &pairs)?;
    }
    if matrix.check().is_ok() {
        cycles_are_closed(&matrix, &pairs)?;
    }
    let essential: Vec<usize> = pairs.essential().iter().map(|cell| cell.to_usize()).collect();
    let is_paired = |cell: usize| expected.iter().any(|&(birth, death)| birth == cell || death == cell);
    let unpaired: Vec<usize> = (0..case.complex.len()).filter(|&cell| !is_paired(cell)).collect();
    same("essential cells", &(pairs.cells, essential), &(case.complex.len(), unpaired))
}

/// Checks that each class has a cycle: cells without boundary, whose youngest is the birth cell.
fn cycles_are_closed<I: MatrixIndex>(matrix: &BoundaryMatrix<I>, pairs: &Pairs<I>) -> Result<(), String> {
    let found =
        cycles(matrix, pairs, &ClassSelection::All, &()).map_err(|error| format!("no cycles: {error}"))?;
    same("number of cycles", &found.len(), &(pairs.pairs.len() + pairs.essential().len()))?;
    for cycle in &found {
        let mut boundary = BTreeSet::new();
        for &row in cycle.cells.iter().flat_map(|cell| matrix.column(cell.to_usize())) {
            if !boundary.remove(&row) {
                boundary.insert(row);
            }
        }
        same(&format!("boundary of {cycle:?}"), &boundary, &BTreeSet::new())?;
        same(&format!("youngest cell of {cycle:?}"), &cycle.cells.last(), &Some(&cycle.birth))?;
    }
    Ok(())
}

/// Checks that pairs survive writing and reading.
fn pairs_read_back<I: MatrixIndex>(
    format: PairsFormat,
    matrix: &BoundaryMatrix<I>,
    pairs: &Pairs<I>,
) -> Result<(), String> {
    let max_dim = matrix.max_dim().unwrap_or(0);
    let solution = Solution { matrix, pairs, values: None, max_dim, cut: false, cycles: None };
    let mut file = Vec::new();
    format.write(&solution, &mut file).map_err(|error| format!("{format} is not written: {error}"))?;
    let loaded =
        read::read_bytes("pairs", &file, None).map_err(|error| format!("{format} is not read: {error}"))?;
    let number = |cell: I| cell.to_usize() as u64;
    let expected = Barcode::CellPairs(CellPairs {
        pairs: pairs.pairs.iter().map(|&(birth, death)| (number(birth), number(death))).collect(),
        essential: Some(pairs.essential().into_iter().map(number).collect()),
    });
    let comparison =
        compare(&loaded.barcode, &expected, 0.0).map_err(|error| format!("{format}: {error}"))?;
    same(&format!("pairs read and written as {format}"), &comparison.differences(), &Vec::new())
}

/// Checks that the complex survives writing and reading.
fn read_back(complex: &Complex, format: Written) -> Result<(), String> {
    let file = match format {
        Written::Ascii => ascii(complex),
        Written::Binary => binary(complex),
    };
    if file.is_empty() {
        // Text without a line may be rejected.
        return Ok(());
    }
    let loaded = read_source("matrix", &file, &MatrixReadOptions::default())
        .map_err(|error| format!("{format:?} is not read: {error}"))?;
    let expected = complexes::matrix::<u32>(complex);
    match loaded.input {
        AnyComplex::Narrow(cells) => {
            same(&format!("the matrix read from {format:?}"), &cells.matrix, &expected)
        }
        AnyComplex::Wide(_) => Err("few cells are numbered by 64 bits".to_owned()),
    }
}

/// One line per column: its dimension, then its rows.
fn ascii(complex: &Complex) -> Vec<u8> {
    let line = |cell: &complexes::Cell| {
        let numbers = [usize::from(cell.dim)].into_iter().chain(cell.boundary.iter().copied());
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ") + "\n"
    };
    complex.iter().map(line).collect::<String>().into_bytes()
}

/// The number of columns; for each its dimension, its number of rows, and the rows: little-endian 64-bit integers.
fn binary(complex: &Complex) -> Vec<u8> {
    let column = |cell: &complexes::Cell| {
        let head = [usize::from(cell.dim), cell.boundary.len()];
        head.into_iter().chain(cell.boundary.clone()).collect::<Vec<_>>()
    };
    let numbers = [complex.len()].into_iter().chain(complex.iter().flat_map(column));
    numbers.flat_map(|number| (number as u64).to_le_bytes()).collect()
}
