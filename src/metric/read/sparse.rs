//! `sparse`: a list of edges as text.
//!
//! `i j d` a line: two point ids, 0-based, and their distance; lines that are blank or a comment are
//! skipped. There are as many points as the greatest id of an edge says. Lines with i = j are checked and then
//! ignored, ids included, as Ripser does; where births are asked for they are those of their points, which count. A pair may be given once, either end first; pairs that are not given,
//! or given as `inf`, are never connected. Ids are below 2^24, so that a short file cannot ask for gigabytes.

use super::diagonal::{self, BIRTH, Entries};
use super::error::{Place, Problem};
use super::text::{self, Fault};
use crate::input::text::lines;
use crate::metric::SparseDistances;
use crate::metric::square::{DISTANCE, Tolerance};

/// Point ids are below this.
const IDS: u32 = 1 << 24;

const ID: &str = "a point id, a whole number from 0 to 16777215";

/// One line of the file.
#[derive(Debug, Clone, Copy)]
struct Triplet {
    i: u32,
    j: u32,
    distance: f32,
}

impl Triplet {
    /// The pair of points, whichever end comes first.
    fn key(self) -> u64 {
        u64::from(self.i.max(self.j)) << 32 | u64::from(self.i.min(self.j))
    }
}

/// The edges listed in `text`, and what there is to say of them.
pub(super) fn read(text: &[u8], asked: Entries) -> Result<(SparseDistances<f32>, Option<String>), Problem> {
    let mut listed = Vec::new();
    let mut greatest = 0;
    for line in lines(text) {
        let triplet = triplet(&text[line.clone()])
            .map_err(|fault| text::fault_problem(text, Fault { at: fault.at + line.start, ..fault }))?;
        if let Some(entry) = triplet.filter(|t| t.i != t.j || asked.has_births()) {
            greatest = greatest.max(entry.i).max(entry.j);
            listed.push(entry);
        }
    }
    if listed.is_empty() {
        let found = if text.is_empty() { "an empty file" } else { "none" };
        return Err(Problem::new(Place::Whole, "at least one edge between two points", found));
    }
    check_unique(text, &listed)?;
    let n = greatest as usize + 1;
    let of_two = |entry: &Triplet| entry.i != entry.j;
    let mut edges: Vec<(u32, u32, f32)> =
        listed.iter().filter(|e| of_two(e)).map(|e| (e.i, e.j, e.distance)).collect();
    if !asked.has_births() {
        return Ok((SparseDistances::new(n, edges).map_err(super::metric_problem)?, None));
    }
    let mut births = vec![0.0; n];
    listed.iter().filter(|e| !of_two(e)).for_each(|e| births[e.i as usize] = e.distance);
    let tolerance = Tolerance::of(edges.iter().map(|&(_, _, d)| d));
    let points = edges.iter_mut().map(|(i, j, d)| (*i as usize, *j as usize, d));
    let note = diagonal::raise(&births, points, tolerance).map_err(|early| {
        let is_it = |t: &Triplet| (t.i as usize, t.j as usize) == (early.i, early.j);
        let at = |line: std::ops::Range<usize>| triplet(&text[line]).ok().flatten();
        let number = lines(text).position(|line| at(line).is_some_and(|t| is_it(&t)));
        let found = listed.iter().find(|t| is_it(t)).map_or(f32::NAN, |t| t.distance);
        Problem::new(Place::Line(number.map_or(0, |index| index + 1)), early.expected, found.to_string())
    })?;
    let graph = SparseDistances::new(n, edges).and_then(|graph| graph.with_births(births));
    Ok((graph.map_err(super::metric_problem)?, note))
}

/// What a line holds; `None` for a blank one or a comment.
fn triplet(line: &[u8]) -> Result<Option<Triplet>, Fault> {
    let start = text::skip_blanks(line, 0);
    if start == line.len() || text::is_comment(line, start) {
        return Ok(None);
    }
    let (i, at) = id(line, start)?;
    let (j, at) = id(line, at)?;
    let (distance, after) = text::number(line, at)?;
    if distance < 0.0 {
        return Err(Fault { at, expected: if i == j { BIRTH } else { DISTANCE } });
    }
    match text::gap(line, after) {
        Some(end) if end == line.len() || line[end] == b'#' => Ok(Some(Triplet { i, j, distance })),
        Some(end) => Err(Fault { at: end, expected: "the end of the line after two ids and a distance" }),
        None => Err(Fault { at, expected: DISTANCE }),
    }
}

/// The id that starts at `at`, and where the next entry starts.
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

/// An error when two lines give the same pair.
fn check_unique(text: &[u8], edges: &[Triplet]) -> Result<(), Problem> {
    let mut keys: Vec<u64> = edges.iter().map(|e| e.key()).collect();
    keys.sort_unstable();
    let Some(twice) = keys.windows(2).find(|w| w[0] == w[1]).map(|w| w[0]) else { return Ok(()) };
    let mut same = lines(text)
        .enumerate()
        .filter(|(_, line)| matches!(triplet(&text[line.clone()]), Ok(Some(t)) if t.key() == twice));
    let mut next = || same.next().map_or(0, |(index, _)| index + 1);
    let (first, second) = (next(), next());
    let expected = format!("every pair of points once (line {first} has this one)");
    let found = format!("points {} and {} again", twice >> 32, twice & u64::from(u32::MAX));
    Err(Problem::new(Place::Line(second), expected, found))
}
