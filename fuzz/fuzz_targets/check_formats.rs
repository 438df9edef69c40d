//! What has to hold for any bytes given to the readers of PHAT's and DIPHA's files: they give an answer or an error,
//! the same answer as readers that are plain and slow, and what they read can be written again and reads back. The fuzz
//! targets and the plain test of the corpus share it. Each check says whether the bytes could be read.

use phat_formats::dipha::{self, FileType, Flavour, Image, WeightedBoundaryMatrix};
use phat_formats::phat::{looks_ascii, matrix, pairs};
use phat_formats::{BoundaryMatrix, Index, Place};
use std::collections::HashSet;

type Matrix = BoundaryMatrix<u32>;
type Pairs = Vec<(u64, u64)>;

/// A boundary matrix, text or binary as the bytes look.
pub(crate) fn phat_matrix(file: &[u8]) -> bool {
    let (read, wide, plain) = if looks_ascii(file) {
        (matrix::read_ascii::<u32>(file), matrix::read_ascii::<u64>(file), plain_ascii(file))
    } else {
        (matrix::read_binary::<u32>(file), matrix::read_binary::<u64>(file), plain_binary(file))
    };
    assert_eq!(read.as_ref().ok().map(|read| &read.matrix), plain.as_ref());
    match (read, wide) {
        (Ok(read), Ok(wide)) => {
            assert_eq!(read.unsorted > 0, read.first_unsorted.is_some());
            assert_eq!((read.unsorted, read.first_unsorted), (wide.unsorted, wide.first_unsorted));
            assert_eq!(to_binary(&read.matrix), to_binary(&wide.matrix));
            matrix_again(&read.matrix);
            true
        }
        (read, wide) => {
            assert_eq!(read.unwrap_err(), wide.unwrap_err());
            false
        }
    }
}

fn matrix_again(matrix: &Matrix) {
    let mut text = Vec::new();
    matrix::write_ascii(&mut text, matrix).expect("writing to memory");
    let text = matrix::read_ascii::<u32>(&text).expect("what was written");
    let binary = matrix::read_binary::<u32>(&to_binary(matrix)).expect("what was written");
    for read in [text, binary] {
        assert_eq!((read.unsorted, &read.matrix), (0, matrix));
    }
    let mirrored = matrix.anti_transpose();
    let again = mirrored.anti_transpose();
    assert_eq!((again.offsets(), again.rows()), (matrix.offsets(), matrix.rows()));
    assert_eq!(mirrored.check().is_ok(), matrix.check().is_ok());
}

fn to_binary<I: Index>(matrix: &BoundaryMatrix<I>) -> Vec<u8> {
    let mut file = Vec::new();
    matrix::write_binary(&mut file, matrix).expect("writing to memory");
    file
}

/// The words of a line as numbers; a plus is not a part of one.
fn numbers(line: &[u8]) -> Option<Vec<i64>> {
    let words = line.split(|byte| b" \t\r\x0b\x0c".contains(byte)).filter(|word| !word.is_empty());
    words.map(|word| std::str::from_utf8(word).ok()?.parse().ok().filter(|_| word[0] != b'+')).collect()
}

fn column(matrix: &mut Matrix, dim: i64, rows: &[i64]) -> Option<()> {
    let mut rows: Vec<usize> = rows.iter().map(|&row| row.try_into().ok()).collect::<Option<_>>()?;
    rows.sort_unstable();
    matrix.push(dim.try_into().ok()?, &rows).ok()
}

fn plain_ascii(text: &[u8]) -> Option<Matrix> {
    let mut matrix = Matrix::new();
    for line in text.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b"#")) {
        if let Some((&dim, rows)) = numbers(line)?.split_first() {
            column(&mut matrix, dim, rows)?;
        }
    }
    (!text.is_empty()).then_some(matrix)
}

/// The 64-bit integers of a file that is made of nothing else.
fn words(bytes: &[u8]) -> Option<Vec<i64>> {
    let (words, rest) = bytes.as_chunks();
    rest.is_empty().then(|| words.iter().map(|&word| i64::from_le_bytes(word)).collect())
}

/// The next so many integers.
fn next<'a>(words: &mut &'a [i64], count: i64) -> Option<&'a [i64]> {
    let (first, rest) = words.split_at_checked(count.try_into().ok()?)?;
    *words = rest;
    Some(first)
}

fn plain_binary(bytes: &[u8]) -> Option<Matrix> {
    let words = words(bytes)?;
    let mut rest = words.as_slice();
    let mut matrix = Matrix::new();
    let columns = next(&mut rest, 1)?[0];
    for _ in 0..u64::try_from(columns).ok()? {
        let header = next(&mut rest, 2)?;
        column(&mut matrix, header[0], next(&mut rest, header[1])?)?;
    }
    rest.is_empty().then_some(matrix)
}

/// Persistence pairs, text or binary as the bytes look.
pub(crate) fn phat_pairs(file: &[u8]) -> bool {
    let (read, plain) = if looks_ascii(file) {
        (pairs::read_ascii(file), plain_pairs_ascii(file))
    } else {
        (pairs::read_binary(file), plain_pairs_binary(file))
    };
    let Ok(read) = read else {
        assert_eq!(plain, None);
        return false;
    };
    assert_eq!(Some(&read), plain.as_ref());
    let (mut text, mut binary) = (Vec::new(), Vec::new());
    pairs::write_ascii(&mut text, read.iter().copied()).expect("writing to memory");
    pairs::write_binary(&mut binary, read.iter().copied()).expect("writing to memory");
    assert_eq!(pairs::read_ascii(&text).expect("what was written"), read);
    assert_eq!(pairs::read_binary(&binary).expect("what was written"), read);
    true
}

fn plain_pairs_ascii(text: &[u8]) -> Option<Pairs> {
    let lines: Vec<_> = text.split(|&byte| byte == b'\n').map(numbers).collect::<Option<_>>()?;
    let mut lines = lines.into_iter().filter(|line| !line.is_empty());
    let count = <[i64; 1]>::try_from(lines.next()?).ok()?[0];
    let numbers: Vec<[i64; 2]> = lines.map(|line| line.try_into().ok()).collect::<Option<_>>()?;
    plain_pairs(count, numbers.as_flattened())
}

fn plain_pairs_binary(bytes: &[u8]) -> Option<Pairs> {
    let words = words(bytes)?;
    plain_pairs(*words.first()?, &words[1..])
}

fn plain_pairs(count: i64, numbers: &[i64]) -> Option<Pairs> {
    let numbers: Vec<u64> = numbers.iter().map(|&number| number.try_into().ok()).collect::<Option<_>>()?;
    let distinct = numbers.iter().collect::<HashSet<_>>().len() == numbers.len();
    let (pairs, rest) = numbers.as_chunks();
    let pairs: Pairs = pairs.iter().map(|&[birth, death]| (birth, death)).collect();
    let good = distinct && rest.is_empty() && pairs.len() as i64 == count;
    (good && pairs.iter().all(|(birth, death)| birth < death)).then_some(pairs)
}

/// A weighted boundary matrix, an image or a diagram.
pub(crate) fn dipha_formats(file: &[u8]) -> bool {
    match dipha::file_type(file) {
        Ok(FileType::BoundaryMatrix) => boundary_matrix(file),
        Ok(FileType::Image) => image(file),
        Ok(FileType::Diagram) => diagram(file),
        _ => false,
    }
}

fn boundary_matrix(file: &[u8]) -> bool {
    let read = dipha::read_boundary_matrix::<u32>(file);
    assert_eq!(read.as_ref().ok(), plain_boundary_matrix(file).as_ref());
    let Ok(read) = read else { return false };
    for flavour in [Flavour::Boundary, Flavour::Coboundary] {
        let mut again = Vec::new();
        dipha::write_boundary_matrix(&mut again, &read, flavour).expect("writing to memory");
        assert_eq!(dipha::read_boundary_matrix(&again).as_ref(), Ok(&read));
    }
    true
}

/// The cells of a complex as a file lists them.
struct Cells<'a> {
    boundary: bool,
    dims: &'a [i64],
    values: Vec<f64>,
}

impl Cells<'_> {
    /// Whether an entry may be in the list of a cell.
    fn has(&self, cell: usize, entry: usize) -> bool {
        let (coface, face) = if self.boundary { (cell, entry) } else { (entry, cell) };
        self.dims[face] + 1 == self.dims[coface] && self.values[face] <= self.values[coface]
    }
}

fn plain_boundary_matrix(bytes: &[u8]) -> Option<WeightedBoundaryMatrix<u32>> {
    let words = words(bytes)?;
    let mut rest = words.as_slice();
    let header = next(&mut rest, 5)?;
    let n = header[3];
    let max_dim = u8::try_from(header[4]).ok()?;
    let dims = next(&mut rest, n)?;
    let values = next(&mut rest, n)?.iter().map(|&word| f64::from_bits(word as u64)).collect();
    let starts = next(&mut rest, n)?;
    let ends = &[starts.get(1..).unwrap_or(&[]), next(&mut rest, 1)?].concat();
    let cells = Cells { boundary: header[2] == 0, dims, values };
    let good_cells =
        dims.iter().all(|dim| (0..=header[4]).contains(dim)) && !cells.values.iter().any(|v| v.is_nan());
    let first = *starts.first().unwrap_or(&0);
    if !(0..2).contains(&header[2]) || !good_cells || first != 0 || *ends.last()? != rest.len() as i64 {
        return None;
    }
    let mut faces = vec![Vec::new(); dims.len()];
    for (cell, (&start, &end)) in starts.iter().zip(ends).enumerate() {
        let list = rest.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
        if list.iter().collect::<HashSet<_>>().len() < list.len() {
            return None;
        }
        for &entry in list {
            let entry = usize::try_from(entry).ok().filter(|&entry| entry < dims.len())?;
            let (coface, face) = if cells.boundary { (cell, entry) } else { (entry, cell) };
            cells.has(cell, entry).then(|| faces[coface].push(face))?;
        }
    }
    // No cell, no entry.
    let cells_for_entries = !dims.is_empty() || rest.is_empty();
    cells_for_entries.then(|| filtration(&cells, &faces, max_dim))
}

fn filtration(cells: &Cells, faces: &[Vec<usize>], max_dim: u8) -> WeightedBoundaryMatrix<u32> {
    let mut order: Vec<usize> = (0..faces.len()).collect();
    let key = |cell: usize| (cells.values[cell], cells.dims[cell], cell);
    order.sort_by(|&a, &b| key(a).partial_cmp(&key(b)).expect("numbers"));
    let mut place = vec![0; faces.len()];
    order.iter().enumerate().for_each(|(k, &cell)| place[cell] = k as i64);
    let mut matrix = Matrix::new();
    for &cell in &order {
        let rows: Vec<i64> = faces[cell].iter().map(|&face| place[face]).collect();
        column(&mut matrix, cells.dims[cell], &rows).expect("the cells were checked");
    }
    WeightedBoundaryMatrix { matrix, values: order.iter().map(|&cell| cells.values[cell]).collect(), max_dim }
}

fn image(file: &[u8]) -> bool {
    let read = Image::from_bytes(file);
    let plain = plain_image(file);
    let Ok(read) = read else {
        assert_eq!(plain, None);
        return false;
    };
    let Image { shape, values } = read;
    let mut again = Vec::new();
    dipha::write_image(&mut again, &shape, values.iter().copied()).expect("writing to memory");
    assert_eq!(Some((shape, values)), plain);
    assert_eq!(again, file);
    true
}

fn plain_image(bytes: &[u8]) -> Option<(Vec<usize>, Vec<f64>)> {
    let words = words(bytes)?;
    let mut rest = words.get(2..)?;
    let header = next(&mut rest, 2)?;
    let extents = next(&mut rest, header[1])?;
    let product = extents.iter().map(|&extent| i128::from(extent)).try_fold(1i128, i128::checked_mul)?;
    let values: Vec<f64> = rest.iter().map(|&word| f64::from_bits(word as u64)).collect();
    let good_values = values.len() as i64 == header[0] && !values.iter().any(|value| value.is_nan());
    let good = !extents.is_empty() && extents.iter().all(|&extent| extent > 0) && product == header[0].into();
    (good && good_values).then(|| (extents.iter().map(|&extent| extent as usize).collect(), values))
}

fn diagram(file: &[u8]) -> bool {
    match dipha::read_diagram(file) {
        Ok(points) => {
            assert!(points.iter().all(|point| point.birth <= point.death));
            let mut again = Vec::new();
            dipha::write_diagram(&mut again, points.into_iter()).expect("writing to memory");
            assert_eq!(again, file);
            true
        }
        Err(error) => {
            let length = file.len();
            let cut = error.found == "the end of the file";
            assert!(cut || error.place < Place::Byte(length as u64), "{error}");
            assert!(!plain_diagram(file), "{error}");
            false
        }
    }
}

/// Whether a file is a diagram.
fn plain_diagram(bytes: &[u8]) -> bool {
    let point = |point: &[i64; 3]| {
        let dim = if point[0] < 0 { -(point[0] + 1) } else { point[0] };
        let value = |k: usize| f64::from_bits(point[k] as u64);
        dim <= i64::from(u32::MAX) && value(1) <= value(2)
    };
    words(bytes).is_some_and(|words| {
        let (header, points) = words.split_at(words.len().min(3));
        let (points, rest) = points.as_chunks();
        let counted = header.get(2) == Some(&(points.len() as i64));
        counted && rest.is_empty() && points.iter().all(point)
    })
}
