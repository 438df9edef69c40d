//! Whether a comma separates numbers or a whole part from its fraction.

use super::cells::{
    Delimiter, cells_of, has_quoted_commas, is_decimal, is_name, split, unquoted, unquoted_bytes,
};
use crate::metric::read::{Decimal, Place, Problem, text};
use std::ops::Range;

/// What commas within the cells of the rows stand for.
pub(super) fn decimal_of(rows: &[(usize, Range<usize>)], sample: &[&[u8]]) -> Result<Decimal, Problem> {
    let has = |byte: u8| sample.iter().any(|line| unquoted_bytes(line).any(|(_, b)| b == byte));
    let refuse = |with_comma: &str, with_point: &str| {
        let found =
            format!("commas that may be decimal ones ({with_comma}) or separate numbers ({with_point})");
        let place = Place::Line(rows.first().map_or(1, |row| row.0 + 1));
        let problem = Problem::new(place, "numbers that can be read in one way only", found);
        Err(problem.note("--decimal comma or --decimal point decides"))
    };
    if has_quoted_commas(sample) && numbers_agree(sample, Delimiter::Byte(b','), true) {
        return Ok(Decimal::Comma);
    }
    if !has(b',') {
        return Ok(Decimal::Point);
    }
    if let Some(separator) = [b';', b'\t'].into_iter().find(|&byte| has(byte)) {
        let delimiter = Delimiter::Byte(separator);
        return match (numbers_agree(sample, delimiter, true), numbers_agree(sample, delimiter, false)) {
            (true, _) => Ok(Decimal::Comma),
            (false, true) => refuse("2,5 is 2.5", "2,5 is 2 and 5, and some numbers have points"),
            (false, false) => Ok(Decimal::Point),
        };
    }
    let several = sample.iter().any(|line| cells_of(line, Delimiter::Blanks).len() > 1);
    if several && numbers_agree(sample, Delimiter::Blanks, true) {
        return refuse("numbers separated by blanks", "two numbers for each comma");
    }
    let whole_line = Delimiter::Byte(b'\n');
    let padded =
        |line: &&[u8]| line.windows(3).any(|w| w[0] == b',' && w[1] == b'0' && w[2].is_ascii_digit());
    if !several && numbers_agree(sample, whole_line, true) && sample.iter().any(padded) {
        return refuse("a number a line", "two whole numbers a line, some with a 0 before them");
    }
    Ok(Decimal::Point)
}

/// Whether every cell that is no name is a number whose comma, if any, has a digit after it, and some have one.
/// `strict`: and none has a point.
pub(super) fn numbers_agree(sample: &[&[u8]], delimiter: Delimiter, strict: bool) -> bool {
    let mut commas = 0;
    let good = |line: &&[u8]| {
        let mut all = true;
        split(line, delimiter, |cell| {
            let cell = unquoted(cell.of(line));
            if cell.is_empty() || is_name(cell) && !cell.contains(&b',') {
                return;
            }
            let after = memchr::memchr(b',', cell).map(|at| cell.get(at + 1).is_some_and(u8::is_ascii_digit));
            commas += usize::from(after == Some(true));
            let number = match strict {
                true => is_decimal(cell),
                false => is_decimal(cell) || text::is_number(cell),
            };
            all &= number && after != Some(false);
        });
        all
    };
    let all = sample.iter().map(good).fold(true, |all, good| all & good);
    all && commas > 0
}
