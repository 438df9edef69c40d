//! `csv`: one line per bar, `dim,birth,death`, with or without that header. Two more columns may hold simplices.

use csv::{ByteRecord, ReaderBuilder, Trim};
use phat_formats::dipha::DiagramPoint;

use super::Problem;
use super::number::{self, CRIPSER_COLUMNS, DIMENSION};
use crate::compare::Bars;
use crate::input::Place;
use crate::input::text::quote;

const COLUMNS: [&str; 3] = ["dim", "birth", "death"];

/// Number of columns of a file with simplices.
const COLUMNS_WITH_SIMPLICES: usize = COLUMNS.len() + 2;

/// Reads the bars of a text.
pub(super) fn read(text: &[u8]) -> Result<Bars, Problem> {
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).from_reader(text);
    let mut record = ByteRecord::new();
    let mut bars = Vec::new();
    let mut whole = true;
    let mut first = true;
    while reader.read_byte_record(&mut record).map_err(unreadable)? {
        let start = record.position().map_or(0, |position| position.byte() as usize);
        if ![COLUMNS.len(), COLUMNS_WITH_SIMPLICES].iter().chain(&CRIPSER_COLUMNS).any(|&n| n == record.len())
        {
            return Err(Problem::line(line_of(text, start), "3 entries, dim,birth,death", record.len()));
        }
        let is_header =
            || record.iter().zip(COLUMNS).all(|(found, name)| found.eq_ignore_ascii_case(name.as_bytes()));
        if std::mem::take(&mut first) && is_header() {
            continue;
        }
        bars.push(bar(&record).map_err(|(entry, expected)| {
            let place = Place::Entry { line: line_of(text, start), entry: entry + 1 };
            Problem::new(place, expected, quote(&record[entry]))
        })?);
        let (birth, death) = (&record[1], &record[2]);
        whole &= number::is_cell(birth) && (number::is_cell(death) || death.eq_ignore_ascii_case(b"inf"));
    }
    Ok(Bars { whole, ..Bars::new(bars) })
}

/// Parses the bar of a record, or returns the invalid entry and what was expected.
fn bar(record: &ByteRecord) -> Result<DiagramPoint, (usize, &'static str)> {
    let value = |k: usize| number::value(&record[k]).map_err(|expected| (k, expected));
    let dim = value(0).ok().and_then(number::dimension).ok_or((0, DIMENSION))?;
    let (birth, mut death) = (value(1)?, value(2)?);
    if CRIPSER_COLUMNS.contains(&record.len()) && number::is_never(death) {
        death = f64::INFINITY;
    }
    Ok(number::bar(dim, birth, death))
}

/// The line number of a record that starts at byte `start`, or after the empty lines there.
fn line_of(text: &[u8], start: usize) -> usize {
    let empty = text[start..].iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
    1 + memchr::memchr_iter(b'\n', &text[..start + empty]).count()
}

/// Converts an error of the reader. None is known to occur when reading bytes from memory.
fn unreadable(error: csv::Error) -> Problem {
    let place = error.position().map_or(Place::Whole, |position| Place::Line(position.line() as usize));
    Problem::new(place, "comma-separated values", error)
}
