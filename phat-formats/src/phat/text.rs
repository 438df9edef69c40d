//! Parsing of a text: lines into words, words into numbers.

use crate::{FormatError, Place};

/// Maximum number of characters of a word that a message quotes.
const QUOTED: usize = 40;

/// Iterates over the lines of a text with their numbers, without line ends.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut rest = text;
    (1..).map_while(move |number| {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = &rest[(end + 1).min(rest.len())..];
        Some((number, line))
    })
}

/// Whether a byte separates words. Carriage returns do, so lines may end in CRLF.
#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// The unread words of a line.
#[derive(Clone)]
pub(super) struct Words<'a> {
    rest: &'a [u8],
    line: u64,
}

impl<'a> Words<'a> {
    pub(super) fn new(line: u64, text: &'a [u8]) -> Self {
        Words { rest: text, line }
    }

    /// The place of the line.
    pub(super) fn place(&self) -> Place {
        Place::Line(self.line)
    }

    /// Whether there are no more words.
    pub(super) fn is_empty(&self) -> bool {
        self.rest.iter().all(|&byte| is_blank(byte))
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|&byte| !is_blank(byte))?;
        let word = &self.rest[start..];
        let end = word.iter().position(|&byte| is_blank(byte)).unwrap_or(word.len());
        self.rest = &word[end..];
        Some(&word[..end])
    }

    /// Reads the next word as a number; `what` names it in errors.
    pub(super) fn number(&mut self, what: &'static str) -> Result<i64, FormatError> {
        match self.next() {
            None => Err(FormatError::new(self.place(), what, "the end of the line")),
            Some(word) => integer(word).ok_or_else(|| FormatError::new(self.place(), what, quote(word))),
        }
    }

    /// Reads the next word as a natural number; `what` names it in errors.
    pub(super) fn natural(&mut self, what: &'static str) -> Result<u64, FormatError> {
        let found = self.number(what)?;
        u64::try_from(found).map_err(|_| FormatError::new(self.place(), what, found))
    }

    /// Refuses a line with further words.
    pub(super) fn end(&mut self) -> Result<(), FormatError> {
        match self.next() {
            None => Ok(()),
            Some(word) => Err(FormatError::new(self.place(), "the end of the line", quote(word))),
        }
    }
}

/// Quotes a word for a message.
pub(super) fn quote(word: &[u8]) -> String {
    let word = String::from_utf8_lossy(word);
    match word.char_indices().nth(QUOTED) {
        None => format!("{word:?}"),
        Some((end, _)) => format!("{:?}…", &word[..end]),
    }
}

/// Parses a decimal number that fits 64 bits: digits after at most one minus sign.
#[inline]
pub(super) fn integer(word: &[u8]) -> Option<i64> {
    let (sign, digits) = match word {
        [b'-', digits @ ..] => (-1, digits),
        digits => (1, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut number = 0i64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number.checked_mul(10)?.checked_add(sign * i64::from(digit))?;
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_and_no_ends() {
        let read = |text: &'static [u8]| lines(text).collect::<Vec<_>>();
        assert_eq!(read(b""), []);
        assert_eq!(read(b"\n"), [(1, &b""[..])]);
        assert_eq!(read(b"a\n\nb"), [(1, &b"a"[..]), (2, b""), (3, b"b")]);
        assert_eq!(read(b"a\nb\n"), [(1, &b"a"[..]), (2, b"b")]);
    }

    #[test]
    fn integers_are_those_of_the_standard_library() {
        for word in ["0", "7", "-7", "007", "9223372036854775807", "-9223372036854775808"] {
            assert_eq!(integer(word.as_bytes()), word.parse().ok(), "{word}");
            assert!(integer(word.as_bytes()).is_some(), "{word}");
        }
        for word in ["", "-", "--1", "1-", "1.0", "1e3", "x", "9223372036854775808", "-9223372036854775809"] {
            assert_eq!(integer(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn long_words_are_quoted_in_part() {
        assert_eq!(quote(b"a\x00"), "\"a\\0\"");
        assert_eq!(quote("é".repeat(41).as_bytes()), format!("\"{}\"…", "é".repeat(40)));
    }
}
