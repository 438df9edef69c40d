//! Encodes complexes and their answers in each format by independent code, so that the library's writers do not vouch
//! for its readers.

use std::fmt::Write as _;
use std::io;

use lacuna::matrix::read::MatrixFormat;

use super::arrays::{npy, npy_text, npz};
use super::complexes::{Complex, Image};
use super::reductions::{Answer, Input, Shape};

/// DIPHA's magic number.
const MAGIC: i64 = 8_067_171_840;

/// Encodes the file of an input.
pub(super) fn input(input: &Input) -> io::Result<Vec<u8>> {
    Ok(match (&input.shape, input.format) {
        (Shape::Image(image), _) => dipha_image(image),
        (Shape::Complex(complex), MatrixFormat::PhatAscii) => phat_text(complex).into_bytes(),
        (Shape::Complex(complex), MatrixFormat::PhatBinary) => phat_words(complex),
        (Shape::Complex(complex), MatrixFormat::Dipha) => dipha_matrix(complex),
        (Shape::Complex(complex), MatrixFormat::Npz) => scipy_archive(complex)?,
        (Shape::Complex(complex), MatrixFormat::MatrixMarket) => matrix_market(complex).into_bytes(),
    })
}

/// The entries (row, column), column by column, counted from 0.
fn ones(complex: &Complex) -> Vec<(usize, usize)> {
    let column = |(j, cell): (usize, &super::complexes::Cell)| {
        cell.boundary.iter().map(move |&row| (row, j)).collect::<Vec<_>>()
    };
    complex.cells.iter().enumerate().flat_map(column).collect()
}

/// A coordinate matrix of Matrix Market: numbers of rows, columns and entries; then one line per entry, with indices
/// from 1.
fn matrix_market(complex: &Complex) -> String {
    let (n, ones) = (complex.cells.len(), ones(complex));
    let head = format!("%%MatrixMarket matrix coordinate integer general\n{n} {n} {}\n", ones.len());
    ones.into_iter().fold(head, |text, (row, column)| format!("{text}{} {} 1\n", row + 1, column + 1))
}

/// The archive that `scipy.sparse.save_npz` writes for a `coo_matrix`.
fn scipy_archive(complex: &Complex) -> io::Result<Vec<u8>> {
    let (n, ones) = (complex.cells.len(), ones(complex));
    let order = npyz::Order::C;
    let (rows, columns) = ones.iter().map(|&(row, column)| (row as i32, column as i32)).unzip();
    npz(&[
        ("row", npy::<i32>(&[ones.len()], order, rows)?),
        ("col", npy::<i32>(&[ones.len()], order, columns)?),
        ("format", npy_text("coo")?),
        ("shape", npy(&[2], order, vec![n as i64; 2])?),
        ("data", npy(&[ones.len()], order, vec![1_i8; ones.len()])?),
    ])
}

/// Encodes the file of an answer.
pub(super) fn answer(complex: &Complex, answer: Answer) -> Vec<u8> {
    match answer {
        Answer::PhatAscii => pairs_text(complex).into_bytes(),
        Answer::PhatBinary => pairs_words(complex),
        Answer::Csv => csv(complex).into_bytes(),
        Answer::Dipha => dipha_diagram(complex),
    }
}

/// Encodes little-endian 64-bit integers.
fn words(numbers: impl IntoIterator<Item = i64>) -> Vec<u8> {
    numbers.into_iter().flat_map(i64::to_le_bytes).collect()
}

fn doubles(numbers: impl IntoIterator<Item = f64>) -> Vec<u8> {
    numbers.into_iter().flat_map(f64::to_le_bytes).collect()
}

/// PHAT's text, one line per cell: dimension, boundary.
fn phat_text(complex: &Complex) -> String {
    complex.cells.iter().fold(String::new(), |mut text, cell| {
        let _ = write!(text, "{}", cell.dim);
        for row in &cell.boundary {
            let _ = write!(text, " {row}");
        }
        text + "\n"
    })
}

/// PHAT's binary file: the number of cells, then dimension, boundary size and boundary of each cell.
fn phat_words(complex: &Complex) -> Vec<u8> {
    let cell = complex.cells.iter().flat_map(|cell| {
        let head = [i64::from(cell.dim), cell.boundary.len() as i64];
        head.into_iter().chain(cell.boundary.iter().map(|&row| row as i64))
    });
    words([complex.cells.len() as i64].into_iter().chain(cell))
}

/// DIPHA's file type 0: boundary, n, greatest dimension, dimensions, values, offsets, number of entries, entries.
fn dipha_matrix(complex: &Complex) -> Vec<u8> {
    let cells = || complex.cells.iter();
    let greatest = cells().map(|cell| cell.dim).max().unwrap_or(0);
    let mut entries = 0;
    let offsets = cells().map(|cell| {
        entries += cell.boundary.len() as i64;
        entries - cell.boundary.len() as i64
    });
    let offsets: Vec<i64> = offsets.collect();
    [
        words([MAGIC, 0, 0, complex.cells.len() as i64, greatest.into()]),
        words(cells().map(|cell| cell.dim.into())),
        doubles(cells().map(|cell| cell.value)),
        words(offsets),
        words([entries]),
        words(cells().flat_map(|cell| &cell.boundary).map(|&row| row as i64)),
    ]
    .concat()
}

/// DIPHA's file type 1: n, the number of axes, their lengths, values.
fn dipha_image(image: &Image) -> Vec<u8> {
    let pixels = image.values.len() as i64;
    let head = words([MAGIC, 1, pixels, 2, image.width as i64, image.height() as i64]);
    [head, doubles(image.values.iter().copied())].concat()
}

/// PHAT's pairs as text: the number of pairs, then one line per pair.
fn pairs_text(complex: &Complex) -> String {
    let pairs = complex.pairs();
    pairs
        .iter()
        .fold(format!("{}\n", pairs.len()), |text, (birth, death)| text + &format!("{birth} {death}\n"))
}

fn pairs_words(complex: &Complex) -> Vec<u8> {
    let pairs = complex.pairs();
    let count = [pairs.len() as i64];
    words(count.into_iter().chain(pairs.into_iter().flat_map(|(birth, death)| [birth as i64, death as i64])))
}

/// A header, then one line per bar; whole numbers are written with `.0`.
fn csv(complex: &Complex) -> String {
    let line = |(dim, birth, death): (u8, f64, f64)| format!("{dim},{birth:?},{death:?}\n");
    "dim,birth,death\n".to_owned() + &complex.bars().into_iter().map(line).collect::<String>()
}

/// DIPHA's file type 2: the number of points, then dimension, birth and death of each point, sorted by these three.
/// An essential class has dimension −d − 1 and dies at the greatest value; those of the greatest dimension are left
/// out.
fn dipha_diagram(complex: &Complex) -> Vec<u8> {
    let top = complex.cells.iter().map(|cell| cell.dim).max().unwrap_or(0);
    let end = complex.cells.iter().map(|cell| cell.value).fold(f64::NEG_INFINITY, f64::max);
    let kept = complex.bars().into_iter().filter(|&(dim, _, death)| dim < top || death.is_finite());
    let mut points: Vec<(i64, f64, f64)> = kept
        .map(|(dim, birth, death)| match death {
            f64::INFINITY => (-i64::from(dim) - 1, birth, end),
            _ => (dim.into(), birth, death),
        })
        .collect();
    points.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2)));
    let point = |(dim, birth, death)| [words([dim]), doubles([birth, death])].concat();
    let head = words([MAGIC, 2, points.len() as i64]);
    [head, points.into_iter().flat_map(point).collect()].concat()
}
