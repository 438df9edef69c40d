//! Bars and pairs of cells in NumPy arrays.
//!
//! | array | shape | content |
//! |---|---|---|
//! | `npy`, or `bars` of `npz` | (bars, 3) | dim, birth, death |
//! | the same, of CubicalRipser | (bars, 9) | dim, birth, death, coordinates of two voxels |
//! | one array per dimension, whose name ends with it | (bars, 2) | birth, death |
//! | `pairs` | (pairs, 2) | birth and death cell, whole numbers |
//! | `essential`, beside `pairs` | (cells,) | essential cells |
//!
//! Elements are numbers of any type, in either byte order; the order of axes is C or Fortran.

use phat_formats::dipha::DiagramPoint;

use super::Problem;
use super::number::{self, CRIPSER_COLUMNS};
use crate::compare::{Barcode, Bars, CellPairs};
use crate::input::npy::Array;
use crate::input::npz::Archive;

pub(super) use crate::input::npy::MAGIC;

/// Number of columns: dim, birth, death.
const COLUMNS: u64 = 3;

/// Reads the bars of the file `bytes`.
pub(super) fn read(bytes: &[u8]) -> Result<Bars, Problem> {
    let array = Array::parse(bytes)?;
    let width = array.shape.get(1).copied().unwrap_or_default();
    let is_cripser = CRIPSER_COLUMNS.contains(&(width as usize));
    let width = if is_cripser { width } else { COLUMNS };
    let [dims, births, deaths] = columns(&array, width, "3 columns: dim, birth, death")?;
    let bar = |row: usize| {
        let dim = number::dimension(dims[row]);
        let dim = dim.ok_or_else(|| in_row(row, number::DIMENSION, &format!("{:?}", dims[row])))?;
        let is_essential = is_cripser && number::is_never(deaths[row]);
        checked(row, dim, births[row], if is_essential { f64::INFINITY } else { deaths[row] })
    };
    (0..dims.len()).map(bar).collect::<Result<_, _>>().map(Bars::new)
}

/// Reads the bars or pairs of an archive.
pub(super) fn read_archive(archive: &Archive<'_>) -> Result<Barcode, Problem> {
    if archive.contains("bars") {
        return read(&archive.read("bars")?).map(Barcode::Bars);
    }
    if archive.contains("pairs") {
        return read_pairs(archive).map(Barcode::CellPairs);
    }
    let dims: Vec<(u32, &str)> = archive
        .names()
        .filter_map(|name| {
            let digits = name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
            digits.parse().ok().map(|dim| (dim, name))
        })
        .collect();
    if dims.is_empty() || dims.len() != archive.names().count() {
        let names: Vec<&str> = archive.names().take(8).collect();
        let expected = "an array bars or pairs, or arrays whose names end with dimensions, as arr_0";
        return Err(Problem::whole(expected, names.join(", ")));
    }
    let mut points = Vec::new();
    for &(dim, name) in &dims {
        let file = archive.read(name)?;
        let expected = format!("2 columns in {name:?}: birth, death");
        let [births, deaths] = columns(&Array::parse(&file)?, 2, &expected)?;
        for row in 0..births.len() {
            points.push(checked(row, dim, births[row], deaths[row])?);
        }
    }
    let mut bars = Bars::new(points);
    bars.dims.extend(dims.iter().map(|&(dim, _)| dim));
    Ok(Barcode::Bars(bars))
}

fn read_pairs(archive: &Archive<'_>) -> Result<CellPairs, Problem> {
    let file = archive.read("pairs")?;
    let pairs = Array::parse(&file)?;
    let &[rows, 2] = &pairs.shape[..] else { return Err(shape("2 columns: birth, death", &pairs)) };
    let cells = cells(&pairs)?;
    let at = |row: usize| (cells[pairs.index(row, 0)], cells[pairs.index(row, 1)]);
    let essential = archive.contains("essential").then(|| {
        let file = archive.read("essential")?;
        let essential = Array::parse(&file)?;
        if essential.shape.len() == 1 { self::cells(&essential) } else { Err(shape("one axis", &essential)) }
    });
    Ok(CellPairs { pairs: (0..rows as usize).map(at).collect(), essential: essential.transpose()? })
}

/// The first `N` columns of an array of `width` columns.
fn columns<const N: usize>(array: &Array<'_>, width: u64, expected: &str) -> Result<[Vec<f64>; N], Problem> {
    let rows = match array.shape[..] {
        [rows, columns] if columns == width => rows as usize,
        _ => return Err(shape(expected, array)),
    };
    let numbers = array.numbers()?;
    Ok(std::array::from_fn(|column| (0..rows).map(|row| numbers[array.index(row, column)]).collect()))
}

/// The numbers of cells in the order of the file.
fn cells(array: &Array<'_>) -> Result<Vec<u64>, Problem> {
    let number =
        |cell: i64| u64::try_from(cell).map_err(|_| Problem::whole("numbers of cells, from 0", cell));
    array.integers()?.into_iter().map(number).collect()
}

/// The bar in a row, unless an end is NaN.
fn checked(row: usize, dim: u32, birth: f64, death: f64) -> Result<DiagramPoint, Problem> {
    if birth.is_nan() || death.is_nan() {
        return Err(in_row(row, "numbers", "NaN"));
    }
    Ok(number::bar(dim, birth, death))
}

fn in_row(row: usize, expected: &str, found: &str) -> Problem {
    Problem::whole(expected, format!("{found} in row {row}"))
}

fn shape(expected: &str, array: &Array<'_>) -> Problem {
    Problem::whole(format!("an array of {expected}"), format!("shape {:?}", array.shape))
}
