//! Positions of numbers in a text, and error messages about them.

use super::{Fault, NUMBER, scan_line, token};
use crate::input::text::{lines, quote};
use crate::metric::read::{Place, Problem};

/// Line number (1-based) of the byte at `at`, and the offset of that line.
fn line_of(text: &[u8], at: usize) -> (usize, usize) {
    let before = &text[..at];
    let start = memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1);
    (1 + memchr::memchr_iter(b'\n', before).count(), start)
}

/// Makes the error of a fault, with its offset converted to line and entry.
pub(in crate::metric::read) fn fault_problem(text: &[u8], fault: Fault) -> Problem {
    let (line, start) = line_of(text, fault.at);
    let mut before = 0;
    // The entries before the fault are valid, so the scan ends at the fault itself.
    let _ = scan_line(&text[start..fault.at], |_, _| before += 1);
    let place = Place::Entry { line, entry: before + 1 };
    let token = match text.get(fault.at) {
        None | Some(b'\n') => return Problem::new(place, fault.expected, "the end of the line"),
        Some(_) => token(&text[fault.at..]),
    };
    let problem = Problem::new(place, fault.expected, quote(token));
    match token.first() {
        Some(_) if token.eq_ignore_ascii_case(b"nan") => problem,
        Some(first) if fault.expected == NUMBER && (first.is_ascii_alphabetic() || *first == b'"') => {
            problem.note("--skip-rows leaves out lines at the top, --columns says which columns to read")
        }
        _ => problem,
    }
}

/// The error for an unexpected number with index `k`.
pub(in crate::metric::read) fn value_problem(text: &[u8], k: usize, expected: impl Into<String>) -> Problem {
    let (place, token) = locate(text, k);
    Problem::new(place, expected, quote(token))
}

/// Place and token of the number with index `k`, in a text that was parsed without a fault.
pub(super) fn locate(text: &[u8], k: usize) -> (Place, &[u8]) {
    let mut seen = 0;
    for (index, line) in lines(text).enumerate() {
        let mut here = None;
        let first = seen;
        let _ = scan_line(&text[line.clone()], |at, _| {
            if seen == k {
                here = Some((Place::Entry { line: index + 1, entry: k - first + 1 }, line.start + at));
            }
            seen += 1;
        });
        if let Some((place, at)) = here {
            return (place, token(&text[at..]));
        }
    }
    (Place::Whole, b"")
}

/// Line number (1-based) of row `r`.
pub(in crate::metric::read) fn row_line(text: &[u8], r: usize) -> usize {
    let mut rows = 0;
    for (index, line) in lines(text).enumerate() {
        let mut any = false;
        let _ = scan_line(&text[line], |_, _| any = true);
        if any && rows == r {
            return index + 1;
        }
        rows += usize::from(any);
    }
    0
}
