//! Parsing shared by the readers of meshes and molecules: lines without comments, and vertex coordinates in them.

use super::text;
use crate::input::text::{lines, quote, words};
use crate::input::{Place, Problem};

/// Lines of a text with their 1-based numbers, without comments from `#` on; lines without a word are skipped.
pub(super) fn lines_without_comments(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let of_number = |(index, range): (usize, std::ops::Range<usize>)| {
        let line = &text[range];
        (index + 1, &line[..memchr::memchr(b'#', line).unwrap_or(line.len())])
    };
    lines(text).enumerate().map(of_number).filter(|(_, line)| words(line).next().is_some())
}

/// Appends `dimension` coordinates from the words of a line; the first word is entry number `first`, 1-based.
pub(super) fn push_point<'a>(
    mut words: impl Iterator<Item = &'a [u8]>,
    (line, first): (usize, usize),
    dimension: usize,
    coordinates: &mut Vec<f32>,
) -> Result<(), Problem> {
    for entry in first..first + dimension {
        let problem =
            |found: String| Problem::new(Place::Entry { line, entry }, "a finite coordinate", found);
        let word = words.next().ok_or_else(|| problem("the end of the line".to_owned()))?;
        match text::number(word, 0) {
            Ok((coordinate, length)) if length == word.len() && coordinate.is_finite() => {
                coordinates.push(coordinate);
            }
            _ => return Err(problem(quote(word))),
        }
    }
    Ok(())
}

/// Parses a word as a count.
pub(super) fn count(word: &[u8]) -> Option<usize> {
    std::str::from_utf8(word).ok().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

/// The error for a text that ends before the promised number of vertices or faces.
pub(super) fn too_few(promised: usize, what: &str, found: usize) -> Problem {
    Problem::whole(format!("{promised} lines of {what}"), format!("{found} before the file ends"))
}

/// Adds a note on faces that are left out.
pub(super) fn note_on_faces(faces: usize, notes: &mut Vec<String>) {
    if faces > 0 {
        let plural = if faces == 1 { "face is" } else { "faces are" };
        notes.push(format!("{faces} {plural} left out"));
    }
}
