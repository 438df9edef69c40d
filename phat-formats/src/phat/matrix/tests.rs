//! Tests of both formats, reading and writing, against a plain reader.

use super::ascii::read_parts;
use super::binary::read_blocks;
use super::*;
use crate::error::{END, binary};
use crate::{Index, MatrixSize, Source};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// PHAT's example, a triangle.
const TRIANGLE: &str = "# A simple matrix\n0\n0\n0\n1 0 1\n1 0 2\n1 1 2\n# Here is the triangle\n2 3 4 5\n\n";

fn triangle() -> BoundaryMatrix<u32> {
    let mut matrix = BoundaryMatrix::new();
    let columns: [(u8, &[usize]); 7] =
        [(0, &[]), (0, &[]), (0, &[]), (1, &[0, 1]), (1, &[0, 2]), (1, &[1, 2]), (2, &[3, 4, 5])];
    for (dim, rows) in columns {
        matrix.push(dim, rows).unwrap();
    }
    matrix
}

fn to_binary<I: Index>(matrix: &BoundaryMatrix<I>) -> Vec<u8> {
    let mut file = Vec::new();
    write_binary(&mut file, matrix).unwrap();
    file
}

fn words(file: &[u8]) -> Vec<i64> {
    file.as_chunks().0.iter().map(|&word| i64::from_le_bytes(word)).collect()
}

fn to_ascii<I: Index>(matrix: &BoundaryMatrix<I>) -> Vec<u8> {
    let mut file = Vec::new();
    write_ascii(&mut file, matrix).unwrap();
    file
}

/// Runs a check with 1, 2 and 4 threads.
fn with_threads(check: impl Fn() + Sync) {
    for threads in [1, 2, 4] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&check);
    }
}

/// A matrix with `columns` columns; the rows of each are chosen among all earlier cells of the right dimension.
fn random(random: &mut Pcg64, columns: usize) -> BoundaryMatrix<u32> {
    let mut matrix = BoundaryMatrix::new();
    let mut of_dim: Vec<Vec<usize>> = vec![Vec::new(); 4];
    for column in 0..columns {
        let dim = random.random_range(0..4);
        let mut rows = Vec::new();
        if dim > 0 && !of_dim[dim - 1].is_empty() {
            // Some columns have more rows than a small block has words.
            let most = if random.random_ratio(1, 20) { 60 } else { 5 };
            let below = &of_dim[dim - 1];
            rows = (0..random.random_range(0..most))
                .map(|_| below[random.random_range(0..below.len())])
                .collect();
            rows.sort_unstable();
            rows.dedup();
        }
        matrix.push(dim as u8, &rows).unwrap();
        of_dim[dim].push(column);
    }
    matrix
}

/// A plain reader: the matrix of a binary file's words, if they are valid; rows may be in any order.
fn plain(words: &[i64]) -> Option<BoundaryMatrix<u32>> {
    let mut words = words.iter().copied();
    let mut matrix = BoundaryMatrix::new();
    for _ in 0..words.next().filter(|&n| n >= 0)? {
        let dim = u8::try_from(words.next()?).ok()?;
        let count = usize::try_from(words.next()?).ok()?;
        let mut rows = Vec::new();
        for _ in 0..count {
            rows.push(usize::try_from(words.next()?).ok()?);
        }
        rows.sort_unstable();
        matrix.push(dim, &rows).ok()?;
    }
    words.next().is_none().then_some(matrix)
}

#[test]
fn the_triangle_of_phat() {
    let read = read_ascii::<u32>(TRIANGLE.as_bytes()).unwrap();
    assert_eq!(read, Read { matrix: triangle(), unsorted: 0, first_unsorted: None });
    let words = [7, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 1, 2, 0, 2, 1, 2, 1, 2, 2, 3, 3, 4, 5];
    let file = binary(&words);
    assert_eq!(read_binary::<u32>(&file).unwrap(), read);
    assert_eq!(to_binary(&triangle()), file);
    assert_eq!(to_ascii(&triangle()), b"0\n0\n0\n1 0 1\n1 0 2\n1 1 2\n2 3 4 5\n");
    assert_eq!(size(&file).unwrap(), MatrixSize { columns: 7, entries: 9 });
    let wide = read_binary::<u64>(&file).unwrap().matrix;
    assert_eq!(to_binary(&wide), file);
}

#[test]
fn what_is_written_reads_back_in_blocks_of_any_size_and_its_sizes_are_shown() {
    let mut rng = Pcg64::seed_from_u64(1);
    let matrices: Vec<_> = [0, 1, 2, 10, 500].map(|columns| random(&mut rng, columns)).into();
    with_threads(|| {
        for matrix in &matrices {
            let read = Ok(Read { matrix: matrix.clone(), unsorted: 0, first_unsorted: None });
            let file = to_binary(matrix);
            let text = to_ascii(matrix);
            // The same columns with descending rows.
            let mut words = vec![matrix.len() as i64];
            for column in 0..matrix.len() {
                let rows = matrix.column(column);
                words.extend([i64::from(matrix.dim(column)), rows.len() as i64]);
                words.extend(rows.iter().rev().map(|&row| i64::from(row)));
            }
            let reversed = binary(&words);
            for block in [16, 24, 64, 1000, 1 << 20] {
                let shown = [AtomicUsize::new(0), AtomicUsize::new(0)];
                let show = |size: MatrixSize| {
                    shown[0].fetch_add(size.columns, Relaxed);
                    shown[1].fetch_add(size.entries, Relaxed);
                };
                assert_eq!(read_blocks(&file, block, &show), read, "{block}");
                assert_eq!(shown.map(AtomicUsize::into_inner), [matrix.len(), matrix.entries()], "{block}");
                assert_eq!(read_parts(&text, block / 16), read, "{block}");
                assert_eq!(read_blocks(&reversed, block, &|_| {}).unwrap().matrix, *matrix, "{block}");
            }
        }
    });
}

#[test]
fn rows_in_any_order_are_sorted_and_counted() {
    let shuffled = "0\n0\n0\n1 1 0\n1 0 2\n1 2 1\n2 5 3 4\n";
    let read = read_ascii::<u32>(shuffled.as_bytes()).unwrap();
    let first_unsorted = Some(Unsorted { column: 3, place: Place::Line(4) });
    assert_eq!(read, Read { matrix: triangle(), unsorted: 3, first_unsorted });
    let words = [7, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 1, 2, 2, 0, 1, 2, 1, 2, 2, 3, 4, 3, 5];
    let read = read_binary::<u32>(&binary(&words)).unwrap();
    let first_unsorted = Some(Unsorted { column: 4, place: Place::Byte(8 * 13) });
    assert_eq!(read, Read { matrix: triangle(), unsorted: 2, first_unsorted });
}

#[test]
fn wrong_words() {
    let vertices = [3, 0, 0, 0, 0];
    let edge = |rest: &[i64]| [&vertices[..], rest].concat();
    for (words, message) in [
        (vec![], "byte 0: expected 8 bytes of a number of columns from byte 0 on, found the end of the file"),
        (vec![-1], "byte 0: expected a number of columns, found -1"),
        (vec![1], "byte 8: expected 16 bytes of columns from byte 8 on, found the end of the file"),
        (
            vec![1_000_000_000, 0],
            "byte 16: expected 16000000000 bytes of columns from byte 8 on, found the end of the file",
        ),
        (
            // 2⁶³ bytes, one more than an offset can be.
            vec![1 << 59, 0],
            "byte 16: expected more bytes of columns from byte 8 on than any file has, found the end of the file",
        ),
        (
            vec![i64::MAX, 0],
            "byte 16: expected more bytes of columns from byte 8 on than any file has, found the end of the file",
        ),
        (vec![0, 0], "byte 8: expected the end of the file, found 8 more bytes"),
        (edge(&[1, 2, 0, 1, 0]), "byte 72: expected the end of the file, found 8 more bytes"),
        (edge(&[-1, 2, 0, 1]), "byte 40: expected a dimension from 0 to 255, found -1"),
        (edge(&[300, 2, 0, 1]), "byte 40: expected a dimension from 0 to 255, found 300"),
        (edge(&[1, -2, 0, 1]), "byte 48: expected a number of rows, found -2"),
        (
            edge(&[1, 3, 0, 1]),
            "byte 72: expected 24 bytes of rows and later columns from byte 56 on, found the end of the file",
        ),
        (
            edge(&[1, i64::MAX, 0, 1]),
            "byte 72: expected more bytes of rows and later columns from byte 56 on than any file has, \
             found the end of the file",
        ),
        (
            // The count says four columns, and the header of the fourth is missing.
            [&[4], &edge(&[1, 2, 0, 1])[1..]].concat(),
            "byte 72: expected 32 bytes of rows and later columns from byte 56 on, found the end of the file",
        ),
        (edge(&[1, 2, 0, 2]), "byte 64: expected a row of column 2 that is from 0 on and below 2, found 2"),
        (edge(&[1, 2, 7, 1]), "byte 56: expected a row of column 2 that is from 0 on and below 2, found 7"),
        (edge(&[1, 2, 0, -1]), "byte 64: expected a row of column 2 that is from 0 on and below 2, found -1"),
        (edge(&[1, 2, 1, 1]), "byte 64: expected a row that column 2 does not have yet, found row 1 again"),
        (
            edge(&[1, 3, 1, 0, 1]),
            "byte 72: expected a row that column 2 does not have yet, found row 1 again",
        ),
        (
            edge(&[2, 2, 0, 1]),
            "byte 56: expected a boundary cell one dimension below 2, that of column 2, found row 0 of dimension 0",
        ),
        (
            edge(&[0, 2, 0, 1]),
            "byte 56: expected a boundary cell one dimension below 0, that of column 2, found row 0 of dimension 0",
        ),
    ] {
        assert_refused(&words, message);
    }
}

/// Checks the error message for a binary file of the given words, for several numbers of threads and sizes of blocks.
fn assert_refused(words: &[i64], message: &str) {
    let file = binary(words);
    with_threads(|| {
        for block in [16, 1 << 16] {
            let error = read_blocks::<u32>(&file, block, &|_| {}).unwrap_err();
            assert_eq!(error.to_string(), message, "{words:?}");
        }
    });
    assert_eq!(plain(words), None, "{words:?}");
}

#[test]
fn repeated_rows_of_long_columns() {
    let mut words = vec![101];
    words.extend([0; 200]);
    words.extend([1, 100]);
    words.extend(0..100);
    assert!(read_binary::<u32>(&binary(&words)).is_ok());
    words[280] = 5;
    assert_eq!(
        read_binary::<u32>(&binary(&words)).unwrap_err().to_string(),
        format!("byte {}: expected a row that column 100 does not have yet, found row 5 again", 8 * 280)
    );
}

#[test]
fn dimensions_reach_255() {
    let mut text = String::from("0\n");
    for dim in 1..=255 {
        text += &format!("{dim} {}\n", dim - 1);
    }
    let read = read_ascii::<u32>(text.as_bytes()).unwrap();
    assert_eq!(read.matrix.max_dim(), Some(255));
    assert_eq!(read_binary::<u32>(&to_binary(&read.matrix)).unwrap(), read);
    // One dimension below 0 is not 255.
    text += "0 255\n";
    assert_eq!(
        read_ascii::<u32>(text.as_bytes()).unwrap_err().to_string(),
        "line 257: expected a boundary cell one dimension below 0, that of column 256, found row 255 of dimension 255"
    );
}

#[test]
fn every_cut_and_every_tail_is_an_error() {
    let mut file = to_binary(&triangle());
    for length in 0..file.len() {
        let error = read_binary::<u32>(&file[..length]).unwrap_err();
        let place = Place::Byte(length as u64);
        assert!(error.found == END && error.place == place, "{length}: {error}");
    }
    let end = file.len() as u64;
    file.push(0);
    assert_eq!(
        read_binary::<u32>(&file).unwrap_err().to_string(),
        format!(
            "byte {}: expected 8 bytes of an integer from byte {end} on, found the end of the file",
            end + 1
        )
    );
    file.extend([0; 7]);
    assert_eq!(read_binary::<u32>(&file), Err(FormatError::trailing(end, 8)));
}

#[test]
fn wrong_texts() {
    for (text, message) in [
        ("", "line 1: expected a column, found the end of the file"),
        ("0\n0 # a vertex\n", "line 2: expected a row, found \"#\""),
        ("0\n # a comment after a blank\n", "line 2: expected a dimension from 0 to 255, found \"#\""),
        ("0\nx\n", "line 2: expected a dimension from 0 to 255, found \"x\""),
        ("0\n\n# a comment\r\n1 0,1\r\n", "line 4: expected a row, found \"0,1\""),
        ("0\n1 0.0\n", "line 2: expected a row, found \"0.0\""),
        ("0\n1 9223372036854775808\n", "line 2: expected a row, found \"9223372036854775808\""),
        ("-1\n", "line 1: expected a dimension from 0 to 255, found -1"),
        ("0\n300\n", "line 2: expected a dimension from 0 to 255, found 300"),
        ("0\n1 -1\n", "line 2: expected a row of column 1 that is from 0 on and below 1, found -1"),
        ("0\n1 1\n", "line 2: expected a row of column 1 that is from 0 on and below 1, found 1"),
        ("0\n1 2\n0\n", "line 2: expected a row of column 1 that is from 0 on and below 1, found 2"),
        ("0\n\n1 0 0\n", "line 3: expected a row that column 1 does not have yet, found row 0 again"),
        (
            "0\n0\n2 1 0\n",
            "line 3: expected a boundary cell one dimension below 2, that of column 2, found row 1 of dimension 0",
        ),
    ] {
        with_threads(|| {
            for part in [1, 6, 1 << 16] {
                let error = read_parts::<u32>(text.as_bytes(), part).unwrap_err();
                assert_eq!(error.to_string(), message, "{text:?}");
            }
        });
    }
}

#[test]
fn blanks_comments_and_ends_of_lines_do_not_matter() {
    let crlf = TRIANGLE.replace('\n', "\r\n");
    let blanks = TRIANGLE.replace(' ', " \t ").replace("\n1", " \n \n\t1");
    let unended = TRIANGLE.trim_end().to_owned();
    for text in [crlf, blanks, unended] {
        assert_eq!(read_ascii::<u32>(text.as_bytes()).unwrap().matrix, triangle(), "{text:?}");
    }
    for text in ["\n", "# nothing", " \r\n#\n"] {
        assert_eq!(read_ascii::<u32>(text.as_bytes()).unwrap().matrix, BoundaryMatrix::new(), "{text:?}");
    }
}

/// Random words are changed: the result is the plain reader's, and errors do not depend on blocks and threads.
#[test]
fn changed_files_are_judged_as_the_plain_reader_judges() {
    let mut rng = Pcg64::seed_from_u64(2);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..3000 {
        let columns = rng.random_range(1..40);
        let file = to_binary(&random(&mut rng, columns));
        let mut words = words(&file);
        for _ in 0..rng.random_range(0..4) {
            let at = rng.random_range(0..words.len());
            match rng.random_range(0..4) {
                0 => words[at] += rng.random_range(-2..3),
                1 => words[at] = rng.next_u64() as i64 >> rng.random_range(0..64),
                2 => {
                    let other = rng.random_range(at..(at + 3).min(words.len()));
                    words.swap(at, other);
                }
                _ => drop(words.remove(at)),
            }
            if words.is_empty() {
                break;
            }
        }
        let file = binary(&words);
        let read = read_binary::<u32>(&file);
        assert_eq!(read.as_ref().ok().map(|read| &read.matrix), plain(&words).as_ref(), "{words:?}");
        let count = if read.is_ok() { &mut right } else { &mut wrong };
        *count += 1;
        for block in [16, 48, 256] {
            assert_eq!(read_blocks(&file, block, &|_| {}), read);
        }
    }
    assert!(right > 500 && wrong > 500, "{right} right, {wrong} wrong");
}

/// The first of several violations is reported, whichever thread reads it.
#[test]
fn the_first_violation_is_the_error() {
    let mut rng = Pcg64::seed_from_u64(3);
    let good = random(&mut rng, 3000);
    let mut words = words(&to_binary(&good));
    let mut text: Vec<String> =
        String::from_utf8(to_ascii(&good)).unwrap().lines().map(str::to_owned).collect();
    let mut at = words.len();
    let mut line = text.len();
    let offsets = good.offsets();
    for column in (0..good.len()).rev().step_by(97).filter(|&column| good.low(column).is_some()) {
        at = 1 + 2 * (column + 1) + offsets[column] as usize;
        words[at] = column as i64;
        line = column;
        text[line] = format!("{} {column}", good.dim(column));
    }
    let (file, text) = (binary(&words), text.join("\n"));
    with_threads(|| {
        for block in [16, 512, 4096, 1 << 20] {
            let error = read_blocks::<u32>(&file, block, &|_| {}).unwrap_err();
            let expected = format!(
                "byte {}: expected a row of column {line} that is from 0 on and below {line}, found {line}",
                8 * at
            );
            assert_eq!(error.to_string(), expected);
            let error = read_parts::<u32>(text.as_bytes(), block).unwrap_err();
            assert_eq!(error.place, Place::Line(line as u64 + 1));
        }
    });
}

/// A file that is shorter than its reported size when it is read.
struct Shrunk(Vec<u8>);

impl Source for Shrunk {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64 + 8)
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(offset, buffer)
    }
}

#[test]
fn what_the_system_says_is_passed_on() {
    let mut file = to_binary(&triangle());
    file.truncate(file.len() - 8);
    let length = file.len();
    let error = read_binary::<u32>(&Shrunk(file)).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("byte 8: expected {length} bytes that can be read, found unexpected end of file")
    );
}

/// A source of a size that no test can hold, which is refused before anything is allocated.
struct Huge(i64, u64);

impl Source for Huge {
    fn size(&self) -> io::Result<u64> {
        Ok(self.1)
    }

    fn read_exact_at(&self, _: u64, buffer: &mut [u8]) -> io::Result<()> {
        buffer.copy_from_slice(&self.0.to_le_bytes()[..buffer.len()]);
        Ok(())
    }
}

#[test]
fn the_index_type_has_to_number_everything() {
    let most = i64::from(u32::MAX >> 1);
    let of = |columns: i64, entries: i64| Huge(columns, 8 * (1 + 2 * columns + entries) as u64);
    let fits = |columns, entries| size(&of(columns, entries)).unwrap().fits::<u32>();
    assert!(fits(most, most) && !fits(most + 1, 0) && !fits(0, most + 1));
    assert_eq!(
        read_binary::<u32>(&of(1, most + 1)).unwrap_err().to_string(),
        "byte 0: expected at most 2147483647 columns and entries, found 2147483648"
    );
}
