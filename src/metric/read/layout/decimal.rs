//! Decides whether a comma separates numbers or is a decimal comma.

use super::cells::{cells_of, has_quoted_commas, is_decimal, is_name, unquoted, unquoted_bytes};
use crate::metric::read::{Decimal, Place, Problem, text};
use std::ops::Range;

/// Meaning of the commas within the cells of the rows.
pub(super) fn decimal_of(rows: &[(usize, Range<usize>)], sample: &[&[u8]]) -> Result<Decimal, Problem> {
    let has = |byte: u8| sample.iter().any(|line| unquoted_bytes(line).any(|(_, b)| b == byte));
    let refuse = |with_comma: &str, with_point: &str| {
        let found =
            format!("commas that may be decimal ones ({with_comma}) or separate numbers ({with_point})");
        let problem = Problem::new(first_line(rows), "numbers that can be read in one way only", found);
        Err(problem.note("--decimal comma or --decimal point decides"))
    };
    let comma_unless_thousands = |delimiter| match thousands(sample, delimiter) {
        Some(number) => Err(decimal_or_thousands(first_line(rows), number)),
        None => Ok(Decimal::Comma),
    };
    if has_quoted_commas(sample) && numbers_agree(sample, Some(b','), true) {
        return comma_unless_thousands(Some(b','));
    }
    if !has(b',') {
        return Ok(Decimal::Point);
    }
    if let Some(separator) = [b';', b'\t'].into_iter().find(|&byte| has(byte)) {
        let delimiter = Some(separator);
        return match (numbers_agree(sample, delimiter, true), numbers_agree(sample, delimiter, false)) {
            (true, _) => comma_unless_thousands(delimiter),
            (false, true) => refuse("2,5 is 2.5", "2,5 is 2 and 5, and some numbers have points"),
            (false, false) => Ok(Decimal::Point),
        };
    }
    let several = sample.iter().any(|line| cells_of(line, None).len() > 1);
    if several && numbers_agree(sample, None, true) {
        return refuse("numbers separated by blanks", "two numbers for each comma");
    }
    let whole_line = Some(b'\n');
    let padded =
        |line: &&[u8]| line.windows(3).any(|w| w[0] == b',' && w[1] == b'0' && w[2].is_ascii_digit());
    if !several && numbers_agree(sample, whole_line, true) && sample.iter().any(padded) {
        return refuse("a number a line", "two whole numbers a line, some with a 0 before them");
    }
    Ok(Decimal::Point)
}

fn first_line(rows: &[(usize, Range<usize>)]) -> Place {
    Place::Line(rows.first().map_or(1, |row| row.0 + 1))
}

/// The error for a table whose commas may be decimal or group thousands, with `number` as example.
fn decimal_or_thousands(place: Place, number: String) -> Problem {
    let (decimal, whole) = (number.replace(',', "."), number.replace(',', ""));
    let found = format!(
        "commas that may be decimal ones ({number} is {decimal}) or group thousands ({number} is {whole})"
    );
    Problem::new(place, "numbers that can be read in one way only", found)
        .note("--decimal comma says that they are decimal ones; thousands are to be written without commas")
}

/// The first number with a comma, if all such numbers may be integers with grouped thousands: one to three digits
/// without a leading 0, and three digits after the comma.
fn thousands(sample: &[&[u8]], delimiter: Option<u8>) -> Option<String> {
    let mut first = None;
    let mut all = true;
    for line in sample {
        cells_of(line, delimiter).into_iter().for_each(|cell| {
            let cell = unquoted(cell);
            let cell = cell.strip_prefix(b"-").or(cell.strip_prefix(b"+")).unwrap_or(cell);
            let Some(at) = memchr::memchr(b',', cell).filter(|_| !is_name(cell)) else { return };
            let (before, after) = (&cell[..at], &cell[at + 1..]);
            let are_digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
            let grouped = (1..=3).contains(&before.len()) && before[0] != b'0' && after.len() == 3;
            all &= grouped && are_digits(before) && are_digits(after);
            first.get_or_insert_with(|| String::from_utf8_lossy(cell).into_owned());
        });
    }
    first.filter(|_| all)
}

/// Whether every cell that is not a name is a number, any comma in it is followed by a digit, and at least one cell has
/// a comma. `strict`: and no cell has a point.
pub(super) fn numbers_agree(sample: &[&[u8]], delimiter: Option<u8>, strict: bool) -> bool {
    let mut commas = 0;
    let mut good = |cell: &[u8]| {
        let cell = unquoted(cell);
        if cell.is_empty() || is_name(cell) && !cell.contains(&b',') {
            return true;
        }
        let after = memchr::memchr(b',', cell).map(|at| cell.get(at + 1).is_some_and(u8::is_ascii_digit));
        commas += usize::from(after == Some(true));
        (is_decimal(cell) || !strict && text::is_number(cell)) && after != Some(false)
    };
    sample.iter().all(|line| cells_of(line, delimiter).into_iter().all(&mut good)) && commas > 0
}
