//! Reading and writing files of persistence pairs.
//!
//! A pair consists of the cell that creates a class and the cell that destroys it, by their places in the filtration,
//! from 0 on. Essential classes are not in the file. PHAT sorts pairs by birth; here readers and writers keep the
//! given order.
//!
//! Text:
//!
//! | line | content |
//! |---|---|
//! | the first | p, the number of pairs |
//! | the next p | `birth death` |
//!
//! Blank lines are skipped, words may be separated by any blanks, and lines may end in CRLF.
//!
//! Binary:
//!
//! | bytes | type | content |
//! |---|---|---|
//! | 0–7 | `i64` | p, the number of pairs |
//! | 8–(8 + 16p − 1) | `i64` | birth and death of pair 0, of pair 1, … |
//!
//! ```
//! use phat_formats::phat::pairs;
//! let mut file = Vec::new();
//! pairs::write_ascii(&mut file, [(1, 3), (2, 4)].into_iter())?;
//! assert_eq!(file, b"2\n1 3\n2 4\n");
//! assert_eq!(pairs::read_ascii(&file).unwrap(), [(1, 3), (2, 4)]);
//! # Ok::<(), std::io::Error>(())
//! ```

use super::text::{Words, lines, quote};
use crate::block::{Block, signed};
use crate::error::END;
use crate::fields::Fields;
use crate::{FormatError, Place};
use hashbrown::HashSet;
use rayon::slice::ParallelSliceMut;
use std::io::{self, Write};

/// Birth and death.
type Pair = (u64, u64);

const COUNT: &str = "a number of pairs";
const BIRTH: &str = "the cell of a birth";
const DEATH: &str = "the cell of a death";

/// Reads the pairs of a text file in the order of the file.
///
/// # Errors
/// A word that is not a number or exceeds 63 bits; a line that has not exactly two words; more or fewer lines than
/// the count says; a death that is not above its birth; and last, a cell that is in two pairs.
pub fn read_ascii(text: &[u8]) -> Result<Vec<Pair>, FormatError> {
    let mut lines = lines(text).filter(|(line, text)| Words::new(*line, text).next().is_some());
    let Some((line, first)) = lines.next() else {
        return Err(FormatError::new(Place::Line(1), COUNT, END));
    };
    let mut words = Words::new(line, first);
    let count = words.natural(COUNT)?;
    words.end()?;
    // A pair takes at least four bytes, which bounds the capacity for any count.
    let most = usize::try_from(count).unwrap_or(usize::MAX).min(text.len() / 4 + 1);
    let mut pairs = Vec::with_capacity(most);
    let mut places = Vec::with_capacity(most);
    for (line, text) in lines {
        if pairs.len() as u64 == count {
            let expected = format!("the end of the file after {count} pairs");
            return Err(FormatError::new(Place::Line(line), expected, quote(text.trim_ascii())));
        }
        pairs.push(line_pair(Words::new(line, text))?);
        places.push(line);
    }
    if (pairs.len() as u64) < count {
        let line = 1 + memchr::memchr_iter(b'\n', text).count() as u64;
        let found = format!("the end of the file after {}", pairs.len());
        return Err(FormatError::new(Place::Line(line), format!("{count} pairs"), found));
    }
    no_cell_twice(&pairs, |k, _| Place::Line(places[k]))?;
    Ok(pairs)
}

fn line_pair(mut words: Words) -> Result<Pair, FormatError> {
    let birth = words.natural(BIRTH)?;
    let death = words.natural(DEATH)?;
    words.end()?;
    in_order(birth, death, words.place())
}

/// Reads the pairs of a binary file in the order of the file.
///
/// # Errors
/// The file is truncated or continues after the pairs; a negative number; a death that is not above its birth; and
/// last, a cell that is in two pairs.
pub fn read_binary(bytes: &[u8]) -> Result<Vec<Pair>, FormatError> {
    let mut fields = Fields::new(bytes);
    let count = fields.count(COUNT)?;
    let words = fields.words(count.saturating_mul(2), "pairs")?;
    let natural = |k: usize, what| {
        let found = i64::from_le_bytes(words[k]);
        u64::try_from(found).map_err(|_| FormatError::new(byte_of(k), what, found))
    };
    let pair = |k| in_order(natural(2 * k, BIRTH)?, natural(2 * k + 1, DEATH)?, byte_of(2 * k + 1));
    let pairs = (0..count).map(pair).collect::<Result<Vec<_>, _>>()?;
    fields.end()?;
    no_cell_twice(&pairs, |k, part| byte_of(2 * k + part))?;
    Ok(pairs)
}

/// Place of the k-th number after the count.
fn byte_of(k: usize) -> Place {
    Place::Byte(8 + 8 * k as u64)
}

#[inline]
fn in_order(birth: u64, death: u64, place: Place) -> Result<Pair, FormatError> {
    match birth < death {
        true => Ok((birth, death)),
        false => Err(FormatError::new(place, format!("a death above the birth {birth}"), death)),
    }
}

/// Checks that no cell is in two pairs. `place` returns the place of a birth (0) or a death (1) of a pair.
fn no_cell_twice(pairs: &[Pair], place: impl Fn(usize, usize) -> Place) -> Result<(), FormatError> {
    let mut cells: Vec<u64> = pairs.iter().flat_map(|&(birth, death)| [birth, death]).collect();
    cells.par_sort_unstable();
    if cells.is_sorted_by(|a, b| a < b) {
        return Ok(());
    }
    let mut seen = HashSet::with_capacity(cells.len());
    let cells = pairs.iter().enumerate().flat_map(|(k, &(birth, death))| [(k, 0, birth), (k, 1, death)]);
    match cells.into_iter().find(|&(_, _, cell)| !seen.insert(cell)) {
        Some((k, part, cell)) => {
            Err(FormatError::new(place(k, part), "a cell that is in no other pair", cell))
        }
        None => Ok(()),
    }
}

/// Writes a text file of pairs of birth and death.
///
/// # Errors
/// `out` cannot be written; a number exceeds 63 bits.
pub fn write_ascii(out: &mut impl Write, pairs: impl ExactSizeIterator<Item = Pair>) -> io::Result<()> {
    let mut block = Block::new(out);
    block.decimal(pairs.len() as u64, b'\n')?;
    for (birth, death) in pairs {
        signed(birth | death)?;
        block.decimal(birth, b' ')?;
        block.decimal(death, b'\n')?;
    }
    block.finish()
}

/// Writes a binary file of pairs of birth and death.
///
/// # Errors
/// `out` cannot be written; a number exceeds 63 bits.
pub fn write_binary(out: &mut impl Write, pairs: impl ExactSizeIterator<Item = Pair>) -> io::Result<()> {
    let mut block = Block::new(out);
    block.integer(pairs.len() as u64)?;
    for (birth, death) in pairs {
        block.integer(birth)?;
        block.integer(death)?;
    }
    block.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{binary, check_cuts};

    /// PHAT's example, a triangle.
    const TRIANGLE: [Pair; 3] = [(1, 3), (2, 4), (5, 6)];

    fn ascii_error(text: &str) -> String {
        read_ascii(text.as_bytes()).unwrap_err().to_string()
    }

    fn binary_error(words: &[i64]) -> String {
        read_binary(&binary(words)).unwrap_err().to_string()
    }

    #[test]
    fn the_triangle_of_phat() {
        let text = b"3\n1 3\n2 4\n5 6\n";
        assert_eq!(read_ascii(text).unwrap(), TRIANGLE);
        let bytes = binary(&[3, 1, 3, 2, 4, 5, 6]);
        assert_eq!(read_binary(&bytes).unwrap(), TRIANGLE);
        let mut file = Vec::new();
        write_ascii(&mut file, TRIANGLE.into_iter()).unwrap();
        assert_eq!(file, text);
        file.clear();
        write_binary(&mut file, TRIANGLE.into_iter()).unwrap();
        assert_eq!(file, bytes);
    }

    #[test]
    fn what_is_written_reads_back() {
        // The sizes are around that of a block of the writers.
        for count in [0, 1, 2, 4095, 4096, 4097, 30_000] {
            let pairs: Vec<Pair> = (0..count).map(|k| (count - k - 1, count + 1_000 * k)).collect();
            let mut file = Vec::new();
            write_ascii(&mut file, pairs.iter().copied()).unwrap();
            assert_eq!(read_ascii(&file).unwrap(), pairs);
            file.clear();
            write_binary(&mut file, pairs.iter().copied()).unwrap();
            assert_eq!(read_binary(&file).unwrap(), pairs);
        }
    }

    #[test]
    fn the_greatest_numbers() {
        let most = i64::MAX as u64;
        let mut file = Vec::new();
        write_ascii(&mut file, [(most - 1, most)].into_iter()).unwrap();
        assert_eq!(read_ascii(&file).unwrap(), [(most - 1, most)]);
        file.clear();
        write_binary(&mut file, [(most - 1, most)].into_iter()).unwrap();
        assert_eq!(read_binary(&file).unwrap(), [(most - 1, most)]);
        for result in [
            write_ascii(&mut file, [(0, most + 1)].into_iter()),
            write_binary(&mut file, [(0, most + 1)].into_iter()),
        ] {
            assert_eq!(result.unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn blanks_and_ends_of_lines_do_not_matter() {
        for text in
            ["3\r\n1 3\r\n2 4\r\n5 6\r\n", "\n 3\n\n1\t3 \n2  4\n\n5 6", "3\n1 3\n2 4\n5 6\n\n \t\r\n"]
        {
            assert_eq!(read_ascii(text.as_bytes()).unwrap(), TRIANGLE, "{text:?}");
        }
    }

    #[test]
    fn wrong_texts() {
        for (text, message) in [
            ("", "line 1: expected a number of pairs, found the end of the file"),
            ("\n\n", "line 1: expected a number of pairs, found the end of the file"),
            ("# pairs\n0\n", "line 1: expected a number of pairs, found \"#\""),
            ("-1\n", "line 1: expected a number of pairs, found -1"),
            ("1 1 3\n", "line 1: expected the end of the line, found \"1\""),
            ("1\n1\n", "line 2: expected the cell of a death, found the end of the line"),
            ("1\n1 3 5\n", "line 2: expected the end of the line, found \"5\""),
            ("1\n1 x\n", "line 2: expected the cell of a death, found \"x\""),
            ("1\n1.0 3\n", "line 2: expected the cell of a birth, found \"1.0\""),
            (
                "1\n1 9223372036854775808\n",
                "line 2: expected the cell of a death, found \"9223372036854775808\"",
            ),
            ("1\n-1 3\n", "line 2: expected the cell of a birth, found -1"),
            ("2\n1 3\n\n4 4\n", "line 4: expected a death above the birth 4, found 4"),
            ("1\n4 3\n", "line 2: expected a death above the birth 4, found 3"),
            ("3\n1 3\n\n2 4\n", "line 5: expected 3 pairs, found the end of the file after 2"),
            ("1\n", "line 2: expected 1 pairs, found the end of the file after 0"),
            ("1", "line 1: expected 1 pairs, found the end of the file after 0"),
            (
                "9223372036854775807\n1 3\n",
                "line 3: expected 9223372036854775807 pairs, found the end of the file after 1",
            ),
            ("1\n1 3\n2 4\n", "line 3: expected the end of the file after 1 pairs, found \"2 4\""),
            ("2\n1 3\n\n2 3\n", "line 4: expected a cell that is in no other pair, found 3"),
            ("3\n1 3\n3 5\n1 6\n", "line 3: expected a cell that is in no other pair, found 3"),
        ] {
            assert_eq!(ascii_error(text), message, "{text:?}");
        }
    }

    #[test]
    fn wrong_words() {
        for (words, message) in [
            (
                &[][..],
                "byte 0: expected 8 bytes of a number of pairs from byte 0 on, found the end of the file",
            ),
            (&[-1], "byte 0: expected a number of pairs, found -1"),
            (&[1], "byte 8: expected 16 bytes of pairs from byte 8 on, found the end of the file"),
            (&[1, 2], "byte 16: expected 16 bytes of pairs from byte 8 on, found the end of the file"),
            (
                &[i64::MAX, 1, 3],
                "byte 24: expected more bytes of pairs from byte 8 on than any file has, found the end of the file",
            ),
            (&[0, 1], "byte 8: expected the end of the file, found 8 more bytes"),
            (&[1, 1, 3, 4], "byte 24: expected the end of the file, found 8 more bytes"),
            (&[1, -5, 3], "byte 8: expected the cell of a birth, found -5"),
            (&[1, 5, -3], "byte 16: expected the cell of a death, found -3"),
            (&[2, 1, 3, 4, 4], "byte 32: expected a death above the birth 4, found 4"),
            (&[2, 1, 3, 3, 4], "byte 24: expected a cell that is in no other pair, found 3"),
            (&[2, 1, 3, 2, 3], "byte 32: expected a cell that is in no other pair, found 3"),
        ] {
            assert_eq!(binary_error(words), message, "{words:?}");
        }
    }

    #[test]
    fn every_cut_and_every_tail_is_an_error() {
        let file = binary(&[3, 1, 3, 2, 4, 5, 6]);
        check_cuts(&file, &|bytes| read_binary(bytes).map(drop));
    }
}
