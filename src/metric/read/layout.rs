//! Tables that hold more than numbers: a header, names of rows, columns that are not asked for, quotes, decimal commas.
//!
//! What is left out becomes blanks of the same length, and a decimal comma becomes a point. So the parser of numbers
//! knows nothing of all this, and every place in the text stays where it is in the file.
//!
//! **What is understood** from the first rows, and said in a note:
//! - A first row of names is a header, and so is one of column numbers after a name or nothing (`,0,1,2`). The header
//!   has as many cells as the rows below it, or one less, as R writes it.
//! - The first column holds names of rows when it holds text, when the header has nothing above it, or calls it `id`,
//!   `index` and the like.
//! - `2,5` between semicolons, tabs or quotes is a decimal comma.
//!
//! Numbers that may be meant as a header or as names of rows are left to [`super::detect`], which knows what the rest
//! of the table looks like.

use super::error::{Place, Problem, quote};
use super::options::{Columns, Decimal};
use super::{Options, text};
use std::borrow::Cow;
use std::ops::Range;

/// Rows that are looked at, at most, to find out how a table is laid out.
const SAMPLE_ROWS: usize = 64;

/// Rows that are looked at however long they are, and bytes past which no other one is: what they hold is parsed again with the rest.
const LEAST_ROWS: usize = 4;
const SAMPLE_BYTES: usize = 1 << 12;

/// What a first column of names is called in a header.
const NAMES_OF_ROWS: [&str; 8] =
    ["id", "idx", "index", "label", "name", "rownames", "row_names", "unnamed: 0"];

/// A text of numbers only, and what had to be done for that.
#[derive(Debug)]
pub(super) struct NumbersOnly<'a> {
    pub(super) text: Cow<'a, [u8]>,
    /// The names that a header gives to the columns that are read.
    pub(super) names: Vec<String>,
    /// Whether a column of names of rows is left out.
    pub(super) rows_named: bool,
    /// What was left out or replaced, to be said.
    pub(super) notes: Vec<String>,
}

/// What stands between the cells of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    Blanks,
    Byte(u8),
}

/// A cell of a row: its content is `start..end`, quotes included, and the next cell begins at `next`.
#[derive(Debug, Clone, Copy)]
struct Cell {
    start: usize,
    end: usize,
    next: usize,
}

impl Cell {
    fn of<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        &line[self.start..self.end]
    }
}

/// Makes a text of numbers only of `text`.
pub(super) fn numbers_only<'a>(text: &'a [u8], options: &Options) -> Result<NumbersOnly<'a>, Problem> {
    let skipped = options.skip_rows.unwrap_or(0);
    let rows = sample_of(rows(text).skip_while(|row| row.0 < skipped));
    let sample: Vec<&[u8]> = rows.iter().map(|row| &text[row.1.clone()]).collect();
    let asked = options.columns.is_some() || options.decimal == Some(Decimal::Comma);
    if !asked && sample.iter().all(|line| is_plain(line)) {
        let edit = Edit { skipped, ..Edit::NONE };
        return Ok(NumbersOnly {
            text: edit.apply(text)?,
            names: Vec::new(),
            rows_named: false,
            notes: Vec::new(),
        });
    }
    let decimal = match options.decimal {
        Some(decimal) => decimal,
        None => decimal_of(&rows, &sample)?,
    };
    let mut notes = Vec::new();
    if decimal == Decimal::Comma && options.decimal.is_none() {
        notes.push("commas within numbers are decimal commas".to_owned());
    }
    let delimiter = delimiter_of(&sample, decimal);
    let look = Look { decimal, sample: sample.iter().map(|line| cells_of(line, delimiter)).collect() };
    let header = match look.header(&sample) {
        Header::Names => true,
        Header::None => false,
        Header::Unclear if options.skip_rows.is_some() => false,
        Header::Unclear => look.numbers_are_a_header(text, rows[0].0, &sample)?,
    };
    let header = header.then(|| rows[0].0);
    let names_of_rows =
        if options.columns.is_none() { look.names_of_rows(&sample, header.is_some()) } else { None };
    let columns = options.columns.clone().or_else(|| names_of_rows.map(|_| Columns::from(2)));
    let mut names = Vec::new();
    if let Some(line) = header {
        notes.push(format!("line {} is left out: a header", line + 1));
        // A header without a name for the names of rows is one cell short.
        let short = look.sample[0].len() < look.sample[1].len();
        let read =
            |k: &usize| columns.as_ref().is_none_or(|columns| columns.contains(k + 1 + usize::from(short)));
        let name = |k: usize| String::from_utf8_lossy(unquoted(look.sample[0][k].of(sample[0]))).into_owned();
        names = (0..look.sample[0].len()).filter(read).map(name).collect();
    }
    if names_of_rows.is_some() {
        notes.push("column 1 is left out: names of rows".to_owned());
    }
    let text_in_first = names_of_rows == Some(RowNames::Text);
    let edit = Edit { skipped, header, columns, delimiter, decimal, text_in_first };
    Ok(NumbersOnly { text: edit.apply(text)?, names, rows_named: names_of_rows.is_some(), notes })
}

/// The text without its first row of numbers, without its first column, or without both.
pub(super) fn without(text: &[u8], first_row: bool, first_column: bool) -> Result<Vec<u8>, Problem> {
    let header = rows(text).next().filter(|_| first_row).map(|row| row.0);
    let columns = first_column.then(|| Columns::from(2));
    let sample: Vec<&[u8]> = sample_of(rows(text)).into_iter().map(|row| &text[row.1]).collect();
    let delimiter = delimiter_of(&sample, Decimal::Point);
    let edit = Edit { header, columns, delimiter, ..Edit::NONE };
    edit.apply(text).map(Cow::into_owned)
}

/// The line number, 0-based, and the range of every line that is neither blank nor a comment.
fn rows(text: &[u8]) -> impl Iterator<Item = (usize, Range<usize>)> {
    text::lines(text).enumerate().filter(|(_, range)| {
        let line = &text[range.clone()];
        let at = text::skip_blanks(line, 0);
        at < line.len() && !text::is_comment(line, at)
    })
}

/// The rows that are looked at.
fn sample_of(rows: impl Iterator<Item = (usize, Range<usize>)>) -> Vec<(usize, Range<usize>)> {
    let mut bytes = 0;
    let mut sample = Vec::new();
    for row in rows.take(SAMPLE_ROWS) {
        bytes += row.1.len();
        sample.push(row);
        if sample.len() >= LEAST_ROWS && bytes > SAMPLE_BYTES {
            break;
        }
    }
    sample
}

/// Whether a line holds nothing but numbers, and no comma that may be one of a decimal.
fn is_plain(line: &[u8]) -> bool {
    let mut after_comma = memchr::memchr_iter(b',', line).map(|at| line.get(at + 1));
    let other = line.trim_ascii().iter().any(|b| matches!(b, b';' | b'\t' | b' '));
    let suspicious = if other {
        after_comma.any(|next| next.is_some_and(u8::is_ascii_digit))
    } else {
        after_comma.any(|next| next == Some(&b'0'))
    };
    !suspicious && text::is_numbers(line)
}

/// What separates the cells of the rows, when commas may be decimal ones.
fn delimiter_of(sample: &[&[u8]], decimal: Decimal) -> Delimiter {
    let occurs = |byte: u8| sample.iter().any(|line| unquoted_bytes(line).any(|(_, b)| b == byte));
    let candidates: &[u8] = if decimal == Decimal::Comma { b";\t," } else { b";\t,|" };
    let among_quotes = |byte: u8| byte != b',' || decimal == Decimal::Point || has_quoted_commas(sample);
    match candidates.iter().find(|&&byte| occurs(byte) && among_quotes(byte)) {
        Some(&byte) => Delimiter::Byte(byte),
        None => Delimiter::Blanks,
    }
}

/// Whether some comma is between quotes.
fn has_quoted_commas(sample: &[&[u8]]) -> bool {
    sample.iter().any(|line| {
        let all = memchr::memchr_iter(b',', line).count();
        all > unquoted_bytes(line).filter(|&(_, b)| b == b',').count()
    })
}

/// The bytes of a line that are not between quotes, with their places.
fn unquoted_bytes(line: &[u8]) -> impl Iterator<Item = (usize, u8)> + '_ {
    let mut inside = false;
    line.iter().copied().enumerate().filter(move |&(_, byte)| {
        inside ^= byte == b'"';
        !inside && byte != b'"'
    })
}

fn cells_of(line: &[u8], delimiter: Delimiter) -> Vec<Cell> {
    let mut cells = Vec::new();
    split(line, delimiter, |cell| cells.push(cell));
    cells
}

/// Gives every cell of a line to `emit`. An empty cell after the last separator is none.
fn split(line: &[u8], delimiter: Delimiter, mut emit: impl FnMut(Cell)) {
    let mut at = text::skip_blanks_but(line, 0, delimiter_byte(delimiter));
    while at < line.len() {
        let start = at;
        let mut inside = false;
        while at < line.len() && (inside || !ends_cell(line[at], delimiter)) {
            inside ^= line[at] == b'"';
            at += 1;
        }
        let end = start + line[start..at].trim_ascii_end().len();
        if delimiter != Delimiter::Blanks && at < line.len() {
            at += 1;
        }
        at = text::skip_blanks_but(line, at, delimiter_byte(delimiter));
        emit(Cell { start, end, next: at });
    }
}

fn delimiter_byte(delimiter: Delimiter) -> Option<u8> {
    match delimiter {
        Delimiter::Blanks => None,
        Delimiter::Byte(byte) => Some(byte),
    }
}

fn ends_cell(byte: u8, delimiter: Delimiter) -> bool {
    match delimiter {
        Delimiter::Blanks => byte.is_ascii_whitespace(),
        Delimiter::Byte(separator) => byte == separator,
    }
}

/// The content of a cell without quotes around it.
fn unquoted(cell: &[u8]) -> &[u8] {
    cell.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(cell).trim_ascii()
}

fn is_quoted(cell: &[u8]) -> bool {
    cell.len() >= 2 && cell.starts_with(b"\"") && cell.ends_with(b"\"")
}

/// Whether a cell holds a number.
fn is_number(cell: &[u8], decimal: Decimal) -> bool {
    let cell = unquoted(cell);
    match decimal {
        Decimal::Point => !cell.is_empty() && text::is_number(cell),
        Decimal::Comma => is_decimal(cell),
    }
}

/// Whether a cell holds a number whose decimal sign, if any, is a comma.
fn is_decimal(cell: &[u8]) -> bool {
    let with_point: Vec<u8> = cell.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect();
    !cell.is_empty() && !cell.contains(&b'.') && text::is_number(&with_point)
}

/// Whether a cell holds a name: it begins with a letter and is neither a number nor a word for a missing value; or it
/// is a date, year first.
fn is_name(cell: &[u8]) -> bool {
    const MISSING: [&str; 5] = ["nan", "na", "n/a", "null", "none"];
    let begins = cell.first().is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_' || b >= 0x80);
    let missing = MISSING.iter().any(|word| cell.eq_ignore_ascii_case(word.as_bytes()));
    let digits =
        |range: Range<usize>| cell.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    let date = cell.len() >= 10
        && digits(0..4)
        && cell[4] == b'-'
        && digits(5..7)
        && cell[7] == b'-'
        && digits(8..10);
    date || begins
        && !missing
        && !text::is_number(cell)
        && std::str::from_utf8(cell).map_or(true, begins_like_a_name)
}

/// Fractions such as ½ are no letters, though they are not ASCII either.
fn begins_like_a_name(cell: &str) -> bool {
    cell.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
}

/// How names of rows are told from numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowNames {
    /// They are text in every row.
    Text,
    /// The header says that they are names.
    Header,
}

/// What a first row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Header {
    /// A header.
    Names,
    /// A row of data.
    None,
    /// A header of column numbers, or a row of data that has a name.
    Unclear,
}

/// The first rows, cut into cells.
struct Look {
    decimal: Decimal,
    sample: Vec<Vec<Cell>>,
}

impl Look {
    fn cell<'a>(&self, sample: &[&'a [u8]], row: usize, k: usize) -> Option<&'a [u8]> {
        self.sample.get(row)?.get(k).map(|cell| cell.of(sample[row]))
    }

    /// Whether cell `k` of a row is the name of something; `below` is the cell of the next row in its place.
    fn names(cell: &[u8], below: Option<&[u8]>) -> bool {
        is_name(unquoted(cell)) || is_quoted(cell) && !below.is_some_and(is_quoted)
    }

    /// Whether the first row is a header.
    fn header(&self, sample: &[&[u8]]) -> Header {
        let [first, second, ..] = &self.sample[..] else { return Header::None };
        let short = match second.len().checked_sub(first.len()) {
            Some(short @ (0 | 1)) => short,
            _ => return Header::None,
        };
        // Rows that grow by one are a triangle, whose first row has a name only.
        if short == 1 && self.sample.get(2).is_some_and(|third| third.len() == second.len() + 1) {
            return Header::None;
        }
        let any_number = (0..second.len()).any(|k| is_number(second[k].of(sample[1]), self.decimal));
        if !any_number {
            return Header::None;
        }
        let cell = |k: usize| first[k].of(sample[0]);
        let below = |k: usize| self.cell(sample, 1, k + short);
        let is_empty = |k: usize| unquoted(cell(k)).is_empty();
        let is_name = |k: usize| is_empty(k) || Look::names(cell(k), below(k));
        if (0..first.len()).all(is_name) && (0..first.len()).any(|k| !is_empty(k)) {
            return Header::Names;
        }
        let counts =
            |from: usize| first.len() > 1 && (1..first.len()).all(|k| whole(cell(k)) == Some(k - 1 + from));
        if short == 1 || !is_name(0) || !(counts(0) || counts(1)) {
            return Header::None;
        }
        // A name above names, beside numbers that count, may be the name of the first row.
        let above_names = Look::names(second[0].of(sample[1]), self.cell(sample, 1, 1));
        if above_names && !is_empty(0) && !calls_rows(cell(0)) { Header::Unclear } else { Header::Names }
    }

    /// Whether a first row of a name and numbers that count is a header, when the rows below have names, too: it is when
    /// the rows below make a square or all have fractions, and it is not when all rows make a square.
    fn numbers_are_a_header(&self, text: &[u8], line: usize, sample: &[&[u8]]) -> Result<bool, Problem> {
        let columns = self.sample[0].len() - 1;
        let all = rows(text).filter(|row| row.0 >= line).count();
        if all == columns || all == columns + 1 {
            return Ok(all == columns + 1);
        }
        let fraction = |row: usize, k: usize| {
            self.cell(sample, row, k).is_some_and(|cell| cell.iter().any(|b| b".,eE".contains(b)))
        };
        if columns >= 3 && (1..sample.len()).all(|row| (1..=columns).all(|k| fraction(row, k))) {
            return Ok(true);
        }
        let found = "a first line that may number the columns or be a row of data";
        let problem = Problem::new(Place::Line(line + 1), "numbers that can be read in one way only", found);
        Err(problem.note("--skip-rows 1 leaves it out, --skip-rows 0 keeps it"))
    }

    /// How the first column is known to hold names of rows; `None` when it does not.
    fn names_of_rows(&self, sample: &[&[u8]], header: bool) -> Option<RowNames> {
        let first = usize::from(header);
        // Names stand beside numbers.
        let wide = (first..sample.len()).any(|row| {
            let beside = self.sample[row].iter().skip(1);
            beside.into_iter().any(|cell| is_number(cell.of(sample[row]), self.decimal))
        });
        let text = |row: usize| {
            self.cell(sample, row, 0).is_some_and(|cell| Look::names(cell, self.cell(sample, row, 1)))
        };
        if wide && (first..sample.len()).all(text) {
            return Some(RowNames::Text);
        }
        if !header || !wide {
            return None;
        }
        let corner = self.sample[0][0].of(sample[0]);
        let short = self.sample[0].len() < self.sample[1].len();
        (short || unquoted(corner).is_empty() || calls_rows(corner)).then_some(RowNames::Header)
    }
}

/// Whether a cell of a header calls the column below it names of rows.
fn calls_rows(cell: &[u8]) -> bool {
    NAMES_OF_ROWS.iter().any(|name| unquoted(cell).eq_ignore_ascii_case(name.as_bytes()))
}

/// The whole number that a cell holds, quoted or not.
fn whole(cell: &[u8]) -> Option<usize> {
    std::str::from_utf8(unquoted(cell)).ok()?.parse().ok()
}

/// What commas within the cells of the rows stand for.
fn decimal_of(rows: &[(usize, Range<usize>)], sample: &[&[u8]]) -> Result<Decimal, Problem> {
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
fn numbers_agree(sample: &[&[u8]], delimiter: Delimiter, strict: bool) -> bool {
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

/// What is to be blanked out and replaced.
struct Edit {
    /// Lines at the top.
    skipped: usize,
    /// The line of the header, 0-based.
    header: Option<usize>,
    /// The columns that stay.
    columns: Option<Columns>,
    delimiter: Delimiter,
    decimal: Decimal,
    /// Whether the first cell of every row must be a name.
    text_in_first: bool,
}

impl Edit {
    const NONE: Edit = Edit {
        skipped: 0,
        header: None,
        columns: None,
        delimiter: Delimiter::Blanks,
        decimal: Decimal::Point,
        text_in_first: false,
    };

    fn apply<'a>(&self, text: &'a [u8]) -> Result<Cow<'a, [u8]>, Problem> {
        let by_cells =
            self.columns.is_some() || self.decimal == Decimal::Comma || memchr::memchr(b'"', text).is_some();
        if self.skipped == 0 && self.header.is_none() && !by_cells {
            return Ok(Cow::Borrowed(text));
        }
        let mut edited = text.to_vec();
        for (number, range) in text::lines(text).enumerate() {
            if number < self.skipped || self.header == Some(number) {
                edited[range].fill(b' ');
            } else if by_cells {
                self.edit_row(number, &text[range.clone()], &mut edited[range])?;
            } else if self.header.is_none_or(|header| number > header) {
                break;
            }
        }
        Ok(Cow::Owned(edited))
    }

    fn edit_row(&self, number: usize, line: &[u8], edited: &mut [u8]) -> Result<(), Problem> {
        let at = text::skip_blanks(line, 0);
        if at == line.len() || text::is_comment(line, at) {
            return Ok(());
        }
        let (mut count, mut fault) = (0, None);
        split(line, self.delimiter, |cell| {
            count += 1;
            let content = cell.of(line);
            if count == 1 && self.text_in_first && is_number(content, self.decimal) && !is_quoted(content) {
                let place = Place::Entry { line: number + 1, entry: 1 };
                fault = Some(Problem::new(place, "the name of a row, as in the rows before", quote(content)));
            }
            if self.columns.as_ref().is_some_and(|columns| !columns.contains(count)) {
                edited[cell.start..cell.next].fill(b' ');
                return;
            }
            if is_quoted(content) {
                edited[cell.start] = b' ';
                edited[cell.end - 1] = b' ';
            }
            if self.decimal == Decimal::Comma {
                let points = content.contains(&b'.');
                if fault.is_none() && points {
                    let place = Place::Entry { line: number + 1, entry: count };
                    let problem = Problem::new(place, "a number with a decimal comma", quote(content));
                    fault = Some(problem.note("--decimal point takes commas for separators"));
                }
                for byte in edited[cell.start..cell.end].iter_mut().filter(|byte| **byte == b',') {
                    *byte = b'.';
                }
            }
        });
        let needed = self.columns.as_ref().map_or(0, Columns::needed);
        match fault {
            Some(fault) => Err(fault),
            None if count < needed && !self.text_in_first => {
                let columns = self.columns.as_ref().map(Columns::to_string).unwrap_or_default();
                let expected = format!("column {needed}, of columns {columns}");
                Err(Problem::new(Place::Line(number + 1), expected, text::entries(count)))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(text: &str) -> (String, Vec<String>) {
        let laid = numbers_only(text.as_bytes(), &Options::default()).unwrap();
        let text = String::from_utf8(laid.text.into_owned()).unwrap();
        let words: Vec<String> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        (words.join("/").trim_matches('/').to_owned(), laid.names)
    }

    #[test]
    fn headers_and_names_of_rows() {
        for (text, numbers, names) in [
            ("x,y\n1,2\n3,4\n", "1,2/3,4", &["x", "y"][..]),
            (",x,y\n0,1,2\n1,3,4\n", "1,2/3,4", &["x", "y"]),
            (",0,1\n0,0.0,1.0\n1,1.0,0.0\n", "0.0,1.0/1.0,0.0", &["0", "1"]),
            ("\"x\" \"y\"\n\"1\" 1 2\n\"2\" 3 4\n", "1 2/3 4", &["x", "y"]),
            ("\"\",\"a b\",\"c\"\"d\"\n\"a b\",0,1\n\"c,d\",1,0\n", "0,1/1,0", &["a b", "c\"\"d"]),
            ("id;x\nP1;1\nP2;2\n", "1/2", &["x"]),
            ("index\tx\n7\t1\n9\t2\n", "1/2", &["x"]),
            ("2024-01-31,1,2\n2024-02-29,3,4\n", "1,2/3,4", &[]),
            ("city,0,1\nUlm,0,5\nBonn,5,0\n", "0,5/5,0", &["0", "1"]),
            ("Ulm,0,1,2\nBonn,1,0,1\nPrag,2,1,0\n", "0,1,2/1,0,1/2,1,0", &[]),
            (
                "who,0,1,2\na,.5,.5,1.\nb,.5,.5,2.\nc,.5,.5,3.\nd,.5,.5,4.\n",
                ".5,.5,1./.5,.5,2./.5,.5,3./.5,.5,4.",
                &["0", "1", "2"],
            ),
            ("a\nb 1\nc 2 3\n", "1/2 3", &[]),
            ("größe, höhe\n1, 2\n", "1, 2", &["größe", "höhe"]),
            ("t,x\n0,1\n1,2\n", "0,1/1,2", &["t", "x"]),
        ] {
            assert_eq!(
                laid(text),
                (numbers.to_owned(), names.iter().map(|&n| n.to_owned()).collect()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn what_is_no_header() {
        for text in [
            "nan 1\n2 3\n",
            "0x1 y\n1 2\n",
            "1 x\n2 3\n",
            "½ ½\n1 2\n",
            "a b c\n1 2 3 4 5\n",
            "a b\n",
            "inf inf\n1 2",
        ] {
            assert_eq!(laid(text).0, text.trim().replace('\n', "/"), "{text:?}");
        }
    }

    #[test]
    fn a_first_row_with_a_name_that_counts() {
        let text = b"P1,1,2\nP2,3,4\nP3,5,6\nP4,7,8\n";
        let problem = numbers_only(text, &Options::default()).unwrap_err().to_string();
        assert!(problem.starts_with("line 1: ") && problem.contains("--skip-rows 0 keeps it"), "{problem}");
        for (skipped, want) in [(0, "1,2 3,4 5,6 7,8"), (1, "3,4 5,6 7,8")] {
            let options = Options { skip_rows: Some(skipped), ..Options::default() };
            let text = String::from_utf8(numbers_only(text, &options).unwrap().text.into_owned()).unwrap();
            assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), want);
        }
    }

    #[test]
    fn decimal_commas() {
        for (text, numbers) in [
            ("1;2,5\n3,25;4\n", "1;2.5/3.25;4"),
            ("1\t2,5\n,5\t-4e3\n", "1 2.5/.5 -4e3"),
            ("\"1,5\",\"2\"\n\"3\",\"4,25\"\n", "1.5 , 2/3 , 4.25"),
            ("a;b\n1,5;2\n", "1.5;2"),
            ("1,2,3;4,5,6\n", "1,2,3;4,5,6"),
            ("1, 2, 3\n4, 5, 6\n", "1, 2, 3/4, 5, 6"),
            ("1,\t2,\t3\n", "1, 2, 3"),
        ] {
            assert_eq!(laid(text).0, numbers, "{text:?}");
        }
        for text in ["1,5 2,5\n3 4,5\n", "1.5;2,5\n", "0,05\n0,1\n1,25\n"] {
            let problem = numbers_only(text.as_bytes(), &Options::default()).unwrap_err().to_string();
            assert!(problem.contains("--decimal comma or --decimal point"), "{text:?}: {problem}");
        }
        let comma = Options { decimal: Some(Decimal::Comma), ..Options::default() };
        let laid = numbers_only(b"1,5 2,5\n", &comma).unwrap();
        assert_eq!(&laid.text[..], b"1.5 2.5\n");
        let problem = numbers_only(b"1,5 2.5\n", &comma).unwrap_err();
        assert!(problem.to_string().starts_with("line 1, entry 2: expected a number with a decimal comma"));
    }

    #[test]
    fn lines_and_columns_that_are_asked_for() {
        let read = |text: &str, skip_rows, columns: &str| {
            let columns = Some(columns).filter(|c| !c.is_empty()).map(|c| c.parse().unwrap());
            let options = Options { skip_rows, columns, ..Options::default() };
            let laid = numbers_only(text.as_bytes(), &options);
            laid.map(|laid| String::from_utf8(laid.text.into_owned()).unwrap())
                .map_err(|problem| problem.to_string())
        };
        assert_eq!(read("a b\n1 2\n", Some(1), "").unwrap(), "   \n1 2\n");
        assert_eq!(read("5,x,6,7\n1,y,2,3\n", None, "1,3-").unwrap(), "5,  6,7\n1,  2,3\n");
        assert_eq!(read("w x y z\n5 x 6 7\n", None, "3-4").unwrap().trim(), "6 7");
        assert!(read("1 2\n", None, "3").unwrap_err().starts_with("line 1: expected column 3"));
        assert!(read("1 2\n3\n", None, "1-2").unwrap_err().starts_with("line 2: expected column 2"));
    }

    #[test]
    fn a_row_without_a_name() {
        let text: String =
            (0..100).map(|k| if k == 80 { "1 2\n".into() } else { format!("p{k} 7 2\n") }).collect();
        let problem = numbers_only(text.as_bytes(), &Options::default()).unwrap_err();
        assert_eq!(problem.place, Place::Entry { line: 81, entry: 1 });
    }
}
