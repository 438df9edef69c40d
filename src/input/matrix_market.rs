//! Matrix Market: matrices as text (Boisvert, Pozo, Remington 1996).
//!
//! ```text
//! %%MatrixMarket matrix coordinate real general
//! % comments
//! 3 3 2        rows, columns, entries
//! 1 2 0.5      row and column from 1, value
//! 3 1 1.0
//! ```
//!
//! | word | taken | refused |
//! |---|---|---|
//! | format | `coordinate`, `array` (every value, column after column) | |
//! | field | `real`, `double`, `integer`, `pattern` (no values: each is 1) | `complex` |
//! | symmetry | `general`, `symmetric` (the lower triangle only) | `skew-symmetric`, `hermitian` |

use super::Problem;
use super::text::{plain, quote, words};
use super::triplets::{Triplet, Triplets};

/// First word of every file, in upper or lower case.
const BANNER: &[u8] = b"%%MatrixMarket";

/// A matrix of a Matrix Market file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Matrix {
    /// A matrix of format `coordinate`: the entries that are not zero.
    Sparse(Triplets),
    /// A matrix of format `array`: every value.
    Dense(Dense),
}

/// A matrix with every value given.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dense {
    /// The number of rows.
    pub(crate) rows: usize,
    /// The number of columns.
    pub(crate) columns: usize,
    /// The values, column after column; the upper triangle of a symmetric matrix is filled in.
    pub(crate) values: Vec<f64>,
}

/// Whether a file begins with the banner of Matrix Market.
pub(crate) fn is_matrix_market(bytes: &[u8]) -> bool {
    // In UTF-16 the banner takes twice as many bytes, after the byte order mark.
    let start = plain(&bytes[..bytes.len().min(2 + 2 * BANNER.len())]);
    start.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

/// Reads a Matrix Market file.
///
/// # Errors
/// A malformed line, with its number; a kind of matrix that is not supported.
pub(crate) fn read(bytes: &[u8]) -> Result<Matrix, Problem> {
    let text = plain(bytes);
    let mut lines = Lines { lines: text.split(|&byte| byte == b'\n'), number: 1 };
    let banner = banner(lines.lines.next().unwrap_or_default())?;
    if banner.dense { dense(&mut lines, &banner) } else { sparse(&mut lines, &banner) }
}

/// Content of the first line.
struct Banner {
    dense: bool,
    values: Values,
    symmetric: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Real,
    Integer,
    Pattern,
}

fn banner(line: &[u8]) -> Result<Banner, Problem> {
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let (expected, found) = match words[..] {
        [_, "matrix", format @ ("coordinate" | "array"), field, symmetry @ ("general" | "symmetric")] => {
            let dense = format == "array";
            let values = match field {
                "real" | "double" => Some(Values::Real),
                "integer" => Some(Values::Integer),
                "pattern" if !dense => Some(Values::Pattern),
                _ => None,
            };
            match values {
                Some(values) => return Ok(Banner { dense, values, symmetric: symmetry == "symmetric" }),
                None if dense => ("an array of real, double or integer", field),
                None => ("a matrix of real, double, integer or pattern", field),
            }
        }
        [_, "matrix", "coordinate" | "array", _, symmetry] => {
            ("a matrix that is general or symmetric", symmetry)
        }
        [_, "matrix", format, ..] => ("the format coordinate or array", format),
        [_, object, _, _, _] => ("the object matrix", object),
        _ => ("%%MatrixMarket matrix, format, field and symmetry", &*line),
    };
    Err(Problem::line(1, expected, quote(found.as_bytes())))
}

/// The lines after the first, without comments and blank lines.
struct Lines<'a> {
    lines: std::slice::Split<'a, u8, fn(&u8) -> bool>,
    /// Number of the last line returned, counted from 1.
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        for line in &mut self.lines {
            self.number += 1;
            let line = line.trim_ascii();
            if !line.is_empty() && !line.starts_with(b"%") {
                return Some(line);
            }
        }
        None
    }

    /// Splits the next line into `N` words.
    fn words<const N: usize>(&mut self, expected: impl Fn() -> String) -> Result<[&'a [u8]; N], Problem> {
        let Some(line) = self.next() else {
            return Err(Problem::line(self.number, expected(), "the end of the file"));
        };
        let mut words = words(line);
        let found: [&[u8]; N] = std::array::from_fn(|_| words.next().unwrap_or_default());
        if found.iter().any(|word| word.is_empty()) || words.next().is_some() {
            return Err(self.problem(&expected(), line));
        }
        Ok(found)
    }

    /// Reads the extents of a matrix, and the number of its entries if it is sparse.
    fn sizes<const N: usize>(&mut self, what: &str, banner: &Banner) -> Result<[usize; N], Problem> {
        let mut sizes = [0; N];
        for (size, word) in sizes.iter_mut().zip(self.words::<N>(|| what.to_owned())?) {
            *size = whole(word).ok_or_else(|| self.problem(what, word))?;
        }
        let [rows, columns, ..] = sizes[..] else { return Ok(sizes) };
        if banner.symmetric && rows != columns {
            let found = format!("{rows} × {columns}");
            return Err(self.problem("as many rows as columns of a symmetric matrix", found.as_bytes()));
        }
        Ok(sizes)
    }

    /// Parses a row or column number, which is 1-based in the file, to a 0-based index.
    fn index(&self, word: &[u8], extent: usize, what: &str) -> Result<usize, Problem> {
        let found = whole(word).filter(|&number| number <= extent).and_then(|number| number.checked_sub(1));
        found.ok_or_else(|| self.problem(&format!("a {what} from 1 to {extent}"), word))
    }

    fn value(&self, word: &[u8], values: Values) -> Result<f64, Problem> {
        match values {
            Values::Pattern => Ok(1.0),
            Values::Integer => {
                let number = std::str::from_utf8(word).ok().and_then(|word| word.parse::<i64>().ok());
                let exact = number.filter(|&number| number as f64 as i128 == i128::from(number));
                let expected = "a whole number that double precision holds exactly";
                exact.map(|number| number as f64).ok_or_else(|| self.problem(expected, word))
            }
            Values::Real => {
                let number = fast_float2::parse::<f64, _>(word).ok();
                let written_infinite = word.iter().any(|byte| byte.eq_ignore_ascii_case(&b'n'));
                let sound = number.filter(|number| number.is_finite() || written_infinite);
                sound.ok_or_else(|| self.problem("a number that fits double precision", word))
            }
        }
    }

    /// Rejects further lines.
    fn end(&mut self, after: &str) -> Result<(), Problem> {
        let line = self.next();
        line.map_or(Ok(()), |line| Err(self.problem(&format!("the end of the file after {after}"), line)))
    }

    fn problem(&self, expected: &str, found: &[u8]) -> Problem {
        Problem::line(self.number, expected, quote(found))
    }
}

fn whole(word: &[u8]) -> Option<usize> {
    std::str::from_utf8(word).ok().and_then(|word| word.parse().ok())
}

fn sparse(lines: &mut Lines<'_>, banner: &Banner) -> Result<Matrix, Problem> {
    let [rows, columns, count] = lines.sizes("the numbers of rows, columns and entries", banner)?;
    let mut found = Triplets { rows, columns, symmetric: banner.symmetric, ..Triplets::default() };
    for entry in 1..=count {
        let expected = |kind: &str| format!("a row, a column{kind} for entry {entry} of {count}");
        let [row, column, value] = if banner.values == Values::Pattern {
            let [row, column] = lines.words(|| expected(""))?;
            [row, column, &[]]
        } else {
            lines.words(|| expected(" and a value"))?
        };
        let row = lines.index(row, rows, "row")?;
        let column = lines.index(column, columns, "column")?;
        if banner.symmetric && row < column {
            let expected = "an entry on or below the diagonal of a symmetric matrix";
            return Err(lines.problem(expected, format!("{} {}", row + 1, column + 1).as_bytes()));
        }
        let value = lines.value(value, banner.values)?;
        found.entries.push(Triplet { row, column, value });
        found.lines.push(lines.number);
    }
    lines.end(&format!("{count} entries"))?;
    Ok(Matrix::Sparse(found))
}

fn dense(lines: &mut Lines<'_>, banner: &Banner) -> Result<Matrix, Problem> {
    let [rows, columns] = lines.sizes("the numbers of rows and columns", banner)?;
    let Some(count) = rows.checked_mul(columns) else {
        return Err(lines.problem("a matrix that fits memory", format!("{rows} × {columns}").as_bytes()));
    };
    let mut given = Vec::new();
    let stored = if banner.symmetric { (count + rows) / 2 } else { count };
    for number in 1..=stored {
        let [value] = lines.words(|| format!("value {number} of {stored}"))?;
        given.push(lines.value(value, banner.values)?);
    }
    lines.end(&format!("{stored} values"))?;
    if !banner.symmetric {
        return Ok(Matrix::Dense(Dense { rows, columns, values: given }));
    }
    // At most twice as many values as were read.
    let mut values = vec![0.0; count];
    let lower = (0..columns).flat_map(|column| (column..rows).map(move |row| (row, column)));
    for ((row, column), value) in lower.zip(given) {
        values[column * rows + row] = value;
        values[row * rows + column] = value;
    }
    Ok(Matrix::Dense(Dense { rows, columns, values }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn entries_and_their_lines() {
        let text =
            "%%MatrixMarket matrix coordinate real general\r\n% a comment\n\n2 3 2\n1 3 .5\n\n2 1 -1e2\n";
        assert!(is_matrix_market(text.as_bytes()));
        let expected = Triplets {
            rows: 2,
            columns: 3,
            entries: vec![
                Triplet { row: 0, column: 2, value: 0.5 },
                Triplet { row: 1, column: 0, value: -100.0 },
            ],
            symmetric: false,
            lines: vec![5, 7],
        };
        assert_eq!(read(text.as_bytes()), Ok(Matrix::Sparse(expected)));
        let pattern = "%%matrixmarket MATRIX Coordinate Pattern Symmetric\n2 2 1\n2 1\n";
        let Ok(Matrix::Sparse(pattern)) = read(pattern.as_bytes()) else { panic!("entries") };
        assert!(pattern.symmetric && pattern.entries == [Triplet { row: 1, column: 0, value: 1.0 }]);
    }

    #[test]
    fn every_value() {
        let dense = |text: &str| match read(text.as_bytes()) {
            Ok(Matrix::Dense(dense)) => dense.values,
            other => panic!("{other:?}"),
        };
        let general = "%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n4\n5\n6\n";
        assert_eq!(dense(general), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let symmetric = "%%MatrixMarket matrix array double symmetric\n2 2\n1\n2\n3\n";
        assert_eq!(dense(symmetric), [1.0, 2.0, 2.0, 3.0]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let of = |lines: &str| problem(&format!("%%MatrixMarket matrix coordinate integer general\n{lines}"));
        assert_eq!(of("2 2\n"), "line 2: expected the numbers of rows, columns and entries, found \"2 2\"");
        assert_eq!(of("2 2 1\n3 1 1\n"), "line 3: expected a row from 1 to 2, found \"3\"");
        assert_eq!(of("2 2 1\n1 0 1\n"), "line 3: expected a column from 1 to 2, found \"0\"");
        assert_eq!(
            of("2 2 1\n1 1 .5\n"),
            "line 3: expected a whole number that double precision holds exactly, found \".5\""
        );
        assert_eq!(
            of("2 2 2\n1 1 1\n"),
            "line 4: expected a row, a column and a value for entry 2 of 2, found the end of the file"
        );
        assert_eq!(
            of("2 2 1\n1 1 1\n2 2 2\n"),
            "line 4: expected the end of the file after 1 entries, found \"2 2 2\""
        );
        for (words, expected) in [
            ("vector coordinate real general", "the object matrix"),
            ("matrix coordinate complex general", "a matrix of real, double, integer or pattern"),
            ("matrix array pattern general", "an array of real, double or integer"),
            ("matrix coordinate real skew-symmetric", "a matrix that is general or symmetric"),
        ] {
            let found = problem(&format!("%%MatrixMarket {words}\n1 1 0\n"));
            assert!(found.starts_with(&format!("line 1: expected {expected}, found ")), "{found}");
        }
        let huge = "%%MatrixMarket matrix coordinate real general\n9 9 99999999999999\n1 1 1e999\n";
        assert_eq!(problem(huge), "line 3: expected a number that fits double precision, found \"1e999\"");
        let triangle = "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n";
        assert!(problem(triangle).contains("on or below the diagonal"));
    }
}
