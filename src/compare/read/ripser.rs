//! `ripser`: the output of Ripser.
//!
//! ```text
//! file    := header* (heading bar*)*        blank lines anywhere
//! header  := any line before the first heading that is no bar
//! heading := "persistence intervals in dim " dimension ":"
//! bar     := "[" number "," number ")" | "[" number "," ")"     blanks around anything
//! ```
//!
//! Essential bars die at infinity; or at minus infinity if a header ends with `superlevel sets` or other bars
//! descend.
//!
//! Each dimension has one heading. After the first heading, any line that is neither heading nor bar is an error.

use std::collections::BTreeSet;

use phat_formats::dipha::DiagramPoint;

use super::Problem;
use super::number::{self, DIMENSION};
use crate::compare::Bars;
use crate::input::text::{lines, quote};

/// Beginning of a heading.
pub(super) const HEADING: &[u8] = b"persistence intervals in dim ";

/// End of the header that `lacuna cubical` writes for superlevel sets.
pub(in crate::compare) const SUPERLEVEL: &str = "superlevel sets";

/// Reads the bars of a text.
pub(super) fn read(text: &[u8]) -> Result<Bars, Problem> {
    let mut bars = Vec::new();
    let mut dims = BTreeSet::new();
    let mut current = None;
    let mut is_superlevel = false;
    for (index, range) in lines(text).enumerate() {
        let line = text[range].trim_ascii();
        let problem = |expected, found: &[u8]| Problem::line(index + 1, expected, quote(found));
        if let Some(rest) = line.strip_prefix(HEADING) {
            let dim = heading(rest).ok_or_else(|| problem(DIMENSION, rest))?;
            if !dims.insert(dim) {
                return Err(problem("a dimension that was not there before", rest));
            }
            current = Some(dim);
        } else if line.is_empty() || (current.is_none() && !line.starts_with(b"[")) {
            is_superlevel |= line.ends_with(SUPERLEVEL.as_bytes());
        } else if let Some(dim) = current {
            bars.push(bar(dim, line).map_err(|(expected, found)| problem(expected, found))?);
        } else {
            return Err(problem("the heading of a dimension before its bars", line));
        }
    }
    if dims.is_empty() {
        return Err(Problem::whole("a line `persistence intervals in dim 0:`", "none"));
    }
    Ok(Bars { dims, ..Bars::new(bars) }.going_down_if(is_superlevel))
}

/// The dimension in the rest of a heading.
fn heading(rest: &[u8]) -> Option<u32> {
    let digits = rest.strip_suffix(b":")?.trim_ascii();
    let digits = std::str::from_utf8(digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?;
    digits.parse().ok()
}

fn bar(dim: u32, line: &[u8]) -> Result<DiagramPoint, (&'static str, &[u8])> {
    let inner = line.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b")"));
    let comma = inner.and_then(|inner| inner.iter().position(|&b| b == b','));
    let (Some(inner), Some(comma)) = (inner, comma) else {
        return Err(("a bar, [birth,death) or [birth, )", line));
    };
    let (birth, death) = (inner[..comma].trim_ascii(), inner[comma + 1..].trim_ascii());
    let birth = number::value(birth).map_err(|expected| (expected, birth))?;
    let death = match death {
        b"" => f64::INFINITY,
        death => number::value(death).map_err(|expected| (expected, death))?,
    };
    Ok(DiagramPoint { dim, birth, death, essential: death == f64::INFINITY })
}
