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

use super::Symmetrize;
use super::diagonal::{self, BIRTH, Entries};
use super::error::{Place, Problem};
use super::text::{self, Fault};
use crate::input::text::lines;
use crate::metric::SparseDistances;
use crate::metric::square::{DISTANCE, Rounding, Tolerance};
use std::cmp::Reverse;
use std::ops::Range;

/// Exclusive upper bound on point ids.
const IDS: u32 = 1 << 24;

const ID: &str = "a point id, a whole number from 0 to 16777215";

/// Remedy for a pair with two distances.
const TWO_DISTANCES: &str = "--symmetrize lower, upper, mean, max or min says which of the two counts";

/// A line of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triplet {
    pub(super) i: u32,
    pub(super) j: u32,
    pub(super) distance: f32,
}

impl Triplet {
    /// Key of the pair of points, independent of their order.
    fn key(self) -> u64 {
        u64::from(self.i.max(self.j)) << 32 | u64::from(self.i.min(self.j))
    }

    /// Whether the line joins a point to itself.
    pub(super) fn is_loop(self) -> bool {
        self.i == self.j
    }
}

/// Multiplicity of the pairs in a list of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    /// Every pair occurs once.
    Once,
    /// Some pairs occur in both directions, with the same distance up to rounding.
    BothWays {
        /// Whether all pairs do.
        all: bool,
    },
    /// Some pair occurs twice in one direction, or with two distances.
    Again,
}

/// Parses the lines of `text` that are neither blank nor comments.
pub(super) fn triplets(text: &[u8]) -> Result<Vec<Triplet>, Problem> {
    let mut listed = Vec::new();
    // Number of entries in the first line.
    let mut entries = None;
    for line in lines(text) {
        let found = row(&text[line.clone()])
            .map_err(|fault| text::fault_problem(text, Fault { at: fault.at + line.start, ..fault }))?;
        let Some((triplet, width)) = found else { continue };
        let first = *entries.get_or_insert(width);
        if width != first {
            let expected = format!("{} as in line {}", text::entries(first), text::row_line(text, 0));
            let place = Place::Line(text::row_line(text, listed.len()));
            return Err(Problem::new(place, expected, text::entries(width)));
        }
        listed.push(triplet);
    }
    Ok(listed)
}

/// Whether the first line is an edge without a length.
fn is_unweighted(text: &[u8]) -> bool {
    let width = |line| row(&text[line]).ok().flatten().map(|(_, width)| width);
    lines(text).find_map(width) == Some(2)
}

/// Determines the multiplicity of the pairs of distinct points.
pub(super) fn listed(triplets: &[Triplet]) -> Listed {
    let mut sorted: Vec<Triplet> = triplets.iter().copied().filter(|t| !t.is_loop()).collect();
    let tolerance = Tolerance::of(sorted.iter().map(|t| t.distance));
    sorted.sort_unstable_by_key(|t| (t.key(), t.i));
    let (mut once, mut twice) = (false, false);
    for of_pair in sorted.chunk_by(|a, b| a.key() == b.key()) {
        match of_pair {
            [_] => once = true,
            [a, b] if a.i != b.i && tolerance.agree(a.distance, b.distance) => twice = true,
            _ => return Listed::Again,
        }
    }
    if twice { Listed::BothWays { all: !once } } else { Listed::Once }
}

/// Reads the edges of `text`, with a note on corrections.
pub(super) fn read(text: &[u8], asked: Entries) -> Result<(SparseDistances<f32>, Option<String>), Problem> {
    let mut listed = triplets(text)?;
    if asked.has_births() && is_unweighted(text) {
        let expected = "lines of two point ids and a birth";
        return Err(Problem::new(Place::Whole, expected, "lines of two point ids"));
    }
    listed.retain(|t| !t.is_loop() || asked.has_births());
    if listed.is_empty() {
        let found = if text.is_empty() { "an empty file" } else { "none" };
        return Err(Problem::new(Place::Whole, "at least one edge between two points", found));
    }
    let greatest = listed.iter().map(|t| t.i.max(t.j)).max().unwrap_or(0);
    let (listed, rounded) = one_of_each_pair(text, listed, asked.symmetrize)?;
    let n = greatest as usize + 1;
    let mut edges: Vec<(u32, u32, f32)> =
        listed.iter().filter(|e| !e.is_loop()).map(|e| (e.i, e.j, e.distance)).collect();
    if !asked.has_births() {
        return Ok((SparseDistances::new(n, edges).map_err(super::metric_problem)?, rounded));
    }
    let mut births = vec![0.0; n];
    listed.iter().filter(|e| e.is_loop()).for_each(|e| births[e.i as usize] = e.distance);
    let tolerance = Tolerance::of(edges.iter().map(|&(_, _, d)| d));
    let points = edges.iter_mut().map(|(i, j, d)| (*i as usize, *j as usize, d));
    let note = diagonal::raise(&births, points, tolerance).map_err(|early| {
        let is_it = |t: &Triplet| (t.i as usize, t.j as usize) == (early.i, early.j);
        let at = |line: Range<usize>| triplet(&text[line]).ok().flatten();
        let number = lines(text).position(|line| at(line).is_some_and(|t| is_it(&t)));
        let found = listed.iter().find(|t| is_it(t)).map_or(f32::NAN, |t| t.distance);
        Problem::new(Place::Line(number.map_or(0, |index| index + 1)), early.expected, found.to_string())
    })?;
    let graph = SparseDistances::new(n, edges).and_then(|graph| graph.with_births(births));
    Ok((graph.map_err(super::metric_problem)?, diagonal::joined(rounded, note)))
}

/// Parses a line; `None` for a blank line or a comment.
fn triplet(line: &[u8]) -> Result<Option<Triplet>, Fault> {
    row(line).map(|found| found.map(|(triplet, _)| triplet))
}

/// Parses a line, and counts its entries; `None` for a blank line or a comment.
fn row(line: &[u8]) -> Result<Option<(Triplet, usize)>, Fault> {
    let start = text::skip_blanks(line, 0);
    if start == line.len() || text::is_comment(line, start) {
        return Ok(None);
    }
    let (i, at) = id(line, start)?;
    let (j, at) = id(line, at)?;
    if at == line.len() || line[at] == b'#' {
        return Ok(Some((Triplet { i, j, distance: 1.0 }, 2)));
    }
    let (distance, after) = text::number(line, at)?;
    if distance < 0.0 {
        return Err(Fault { at, expected: if i == j { BIRTH } else { DISTANCE } });
    }
    match text::gap(line, after) {
        Some(end) if end == line.len() || line[end] == b'#' => Ok(Some((Triplet { i, j, distance }, 3))),
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

/// Merges the lines that give one pair in both directions, with a note on corrections.
fn one_of_each_pair(
    text: &[u8],
    listed: Vec<Triplet>,
    symmetrize: Option<Symmetrize>,
) -> Result<(Vec<Triplet>, Option<String>), Problem> {
    let mut keys: Vec<u64> = listed.iter().map(|t| t.key()).collect();
    keys.sort_unstable();
    if keys.windows(2).all(|w| w[0] != w[1]) {
        return match symmetrize {
            None => Ok((listed, None)),
            Some(_) => Err(super::nothing_to_symmetrize("one distance for each pair")),
        };
    }
    let tolerance = Tolerance::of(listed.iter().filter(|t| !t.is_loop()).map(|t| t.distance));
    let mut rounding = Rounding::default();
    let mut sorted = listed;
    // Sorted by pair; within a pair the line below the diagonal comes first.
    sorted.sort_by_key(|t| (t.key(), Reverse(t.i)));
    let mut edges = Vec::with_capacity(sorted.len());
    for of_pair in sorted.chunk_by(|a, b| a.key() == b.key()) {
        match *of_pair {
            [only] => edges.push(only),
            [below, above] if below.i != above.i => {
                if symmetrize.is_none() && !tolerance.agree(below.distance, above.distance) {
                    return Err(two_distances(text, below.key()));
                }
                let distance = rounding.choose(below.distance, above.distance, symmetrize);
                edges.push(Triplet { distance, ..below });
            }
            _ => return Err(given_again(text, of_pair[0].key())),
        }
    }
    Ok((edges, rounding.note(symmetrize)))
}

/// The lines that give a pair, with their 1-based numbers.
fn lines_of(text: &[u8], key: u64) -> Vec<(usize, Triplet)> {
    let of_line = |line: Range<usize>| triplet(&text[line]).ok().flatten().filter(|t| t.key() == key);
    lines(text).enumerate().filter_map(|(k, line)| Some((k + 1, of_line(line)?))).collect()
}

/// The error for a pair with two different distances.
fn two_distances(text: &[u8], key: u64) -> Problem {
    let of_pair = lines_of(text, key);
    let (first, second) = (of_pair[0], of_pair[1]);
    let expected = format!("the same distance as in line {}: {}", first.0, first.1.distance);
    Problem::new(Place::Line(second.0), expected, second.1.distance.to_string()).note(TWO_DISTANCES)
}

/// The error for a pair given twice in one direction.
fn given_again(text: &[u8], key: u64) -> Problem {
    let of_pair = lines_of(text, key);
    let earlier = |k: usize| of_pair[..k].iter().find(|other| other.1.i == of_pair[k].1.i);
    let (first, second) = (0..of_pair.len())
        .find_map(|k| Some((earlier(k)?, of_pair[k])))
        .map_or((0, 0), |(first, second)| (first.0, second.0));
    let expected = format!("every pair of points once in a direction (line {first} has this one)");
    let found = format!("points {} and {} again", key >> 32, key & u64::from(u32::MAX));
    Problem::new(Place::Line(second), expected, found)
}
