//! `sparse`: a list of edges as text.
//!
//! Each line is `i j d`: two 0-based point ids and their distance. Alternatively every line is `i j`, an edge of
//! length 1. Blank lines and comments are skipped. The number of points is one more than the greatest id of an edge.
//! Lines with i = j are checked and then ignored, including their ids, as in Ripser; if births are requested, they
//! give the births of their points and do count.
//!
//! A pair may be given once, in either order, or once in each order, `i j d` and `j i d`, as by the entries of a
//! symmetric matrix. Both distances must then agree up to rounding, and the one below the diagonal, i > j, is used,
//! unless an option chooses otherwise. Pairs that are missing, or given as `inf`, are never connected. Ids are below
//! 2^24, so that a short file cannot ask for gigabytes.

use super::Context;
use super::text::{self, Fault};
use crate::input::text::lines;
use crate::input::{Place, Problem};
use crate::metric::SparseDistances;
use crate::metric::births::BIRTH;
use crate::metric::matrix::counted;
use crate::metric::pairs::{self, Entry};
use crate::metric::square::DISTANCE;

/// Exclusive upper bound on point ids.
const IDS: u32 = 1 << 24;

const ID: &str = "a point id, a whole number from 0 to 16777215";

/// Parses the lines of `text` that are neither blank nor comments, and counts the entries of one.
pub(super) fn parse(text: &[u8]) -> Result<(Vec<Entry<f32>>, usize), Problem> {
    let mut listed = Vec::new();
    // Number of entries in the first line.
    let mut entries = None;
    for line in lines(text) {
        let found = row(&text[line.clone()])
            .map_err(|fault| text::fault_problem(text, Fault { at: fault.at + line.start, ..fault }))?;
        let Some((edge, width)) = found else { continue };
        let first = *entries.get_or_insert(width);
        if width != first {
            let expected = format!("{} as in line {}", counted(first), text::row_line(text, 0));
            let place = Place::Line(text::row_line(text, listed.len()));
            return Err(Problem::new(place, expected, counted(width)));
        }
        listed.push(edge);
    }
    Ok((listed, entries.unwrap_or(0)))
}

/// Reads the edges of `text`, and adds notes on corrections.
pub(super) fn read(text: &[u8], context: &mut Context) -> Result<SparseDistances<f32>, Problem> {
    let (mut listed, width) = parse(text)?;
    if context.options.has_births() && width == 2 {
        return Err(Problem::whole("lines of two point ids and a birth", "lines of two point ids"));
    }
    if !context.options.has_births() {
        // Ripser ignores a line that joins a point to itself, whatever its length.
        listed.iter_mut().filter(|edge| edge.is_diagonal()).for_each(|edge| edge.value = 0.0);
    }
    let counts = |edge: &&Entry<f32>| context.options.has_births() || !edge.is_diagonal();
    let Some(greatest) = listed.iter().filter(counts).map(|edge| edge.pair().0).max() else {
        let found = if text.is_empty() { "an empty file" } else { "none" };
        return Err(Problem::whole("at least one edge between two points", found));
    };
    let problem =
        |k: usize, expected: &str| Problem::line(text::row_line(text, k), expected, listed[k].value);
    pairs::graph(greatest as usize + 1, &listed, context, &problem)
}

/// Parses a line, and counts its entries; `None` for a blank line or a comment.
fn row(line: &[u8]) -> Result<Option<(Entry<f32>, usize)>, Fault> {
    let start = text::skip_blanks(line, 0);
    if start == line.len() || text::is_comment(line, start) {
        return Ok(None);
    }
    let (row, at) = id(line, start)?;
    let (column, at) = id(line, at)?;
    if at == line.len() || line[at] == b'#' {
        return Ok(Some((Entry { row, column, value: 1.0 }, 2)));
    }
    let (value, after) = text::number(line, at)?;
    if value < 0.0 {
        return Err(Fault { at, expected: if row == column { BIRTH } else { DISTANCE } });
    }
    match text::gap(line, after) {
        Some(end) if end == line.len() || line[end] == b'#' => Ok(Some((Entry { row, column, value }, 3))),
        Some(end) => Err(Fault { at: end, expected: "the end of the line after two ids and a distance" }),
        None => Err(Fault { at, expected: DISTANCE }),
    }
}

/// Parses the id at `at`; returns it with the offset of the next entry.
fn id(line: &[u8], at: usize) -> Result<(u32, usize), Fault> {
    let fault = Fault { at, expected: ID };
    let digits = line[at..].iter().take_while(|b| b.is_ascii_digit());
    let (mut id, mut length) = (0u32, 0);
    for digit in digits {
        id = Some(10 * id + u32::from(digit - b'0')).filter(|&id| id < IDS).ok_or(fault)?;
        length += 1;
    }
    let next = text::gap(line, at + length).filter(|_| length > 0).ok_or(fault)?;
    Ok((id, next))
}
