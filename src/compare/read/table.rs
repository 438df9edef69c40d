//! `gudhi` and `perseus`: one line per bar, with numbers separated by blanks.
//!
//! | numbers in a line | meaning |
//! |---|---|
//! | 4 | GUDHI: the characteristic of the field, dimension, birth, death |
//! | 3 | GUDHI: dimension, birth, death |
//! | 2 | Perseus: birth and death; the dimension is at the end of the file's name, such as `name_1.txt` |
//!
//! Essential bars die at `inf`, and in `perseus` at −1. All lines have as many numbers as the first. Lines that begin
//! with `#` are skipped.

use super::Problem;
use super::number::{self, DIMENSION};
use crate::compare::Bars;
use crate::input::text::{lines, quote, words};

/// Reads the bars of a text of GUDHI or, if `is_perseus`, of Perseus; `name` is that of the file.
pub(super) fn read(text: &[u8], name: &str, is_perseus: bool) -> Result<Bars, Problem> {
    let named = dimension_of(name);
    let mut bars = Vec::new();
    let mut width = None;
    for (index, range) in lines(text).enumerate() {
        let line = text[range].trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let problem = |expected: &str, found: &[u8]| Problem::line(index + 1, expected, quote(found));
        let words: Vec<&[u8]> = words(line).collect();
        let most = if is_perseus { 2 } else { 4 };
        let is_width = (2..=most).contains(&words.len());
        if !is_width || words.len() != *width.get_or_insert(words.len()) {
            let expected = match width.filter(|_| is_width) {
                Some(width) => &format!("{width} numbers, as in the first line"),
                None if is_perseus => "birth and death",
                None => "dimension, birth and death, or the characteristic before them",
            };
            return Err(problem(expected, line));
        }
        let value = |word: &[u8]| number::value(word).map_err(|expected| problem(expected, word));
        let [.., birth, death] = words[..] else { continue };
        let (birth, mut death) = (value(birth)?, value(death)?);
        let dim = match words.len() {
            2 => named.ok_or_else(|| {
                Problem::whole("a name that ends with the dimension, as name_1.txt", format!("{name:?}"))
            })?,
            length => {
                let word = words[length - 3];
                number::dimension(value(word)?).ok_or_else(|| problem(DIMENSION, word))?
            }
        };
        if is_perseus && death == -1.0 {
            death = f64::INFINITY;
        }
        bars.push(number::bar(dim, birth, death));
    }
    let mut bars = Bars::new(bars);
    bars.dims.extend(named.filter(|_| width.is_none_or(|width| width == 2)));
    Ok(bars)
}

/// The number after the last `_` of a file's name without extension.
pub(super) fn dimension_of(name: &str) -> Option<u32> {
    let file = name.rsplit(['/', '\\']).next()?;
    let file = file.strip_suffix(".gz").unwrap_or(file);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.rsplit_once('_')?.1.parse().ok()
}
