//! Normalisation of text files, their lines, and quoting in messages.

use std::borrow::Cow;
use std::ops::Range;

/// Normalises a text for the readers: UTF-8 without byte order mark, with lines ended by LF or CRLF. UTF-16 is
/// recognised by its byte order mark. A CR without LF, the line end of old Macintosh programs, becomes LF.
pub(crate) fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => with_line_feeds(from_utf16(rest, u16::from_le_bytes).into()),
        [0xfe, 0xff, rest @ ..] => with_line_feeds(from_utf16(rest, u16::from_be_bytes).into()),
        _ => with_line_feeds(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).into()),
    }
}

/// Whether a file begins with the byte order mark of UTF-16.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
}

fn from_utf16(bytes: &[u8], unit: impl Fn([u8; 2]) -> u16) -> Vec<u8> {
    let units = bytes.chunks(2).map(|pair| unit([pair[0], *pair.get(1).unwrap_or(&0)]));
    let characters = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    characters.collect::<String>().into_bytes()
}

fn with_line_feeds(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let alone = |text: &[u8], at: usize| text.get(at + 1) != Some(&b'\n');
    if !memchr::memchr_iter(b'\r', &text).any(|at| alone(&text, at)) {
        return text;
    }
    let mut text = text.into_owned();
    for at in 0..text.len() {
        if text[at] == b'\r' && alone(&text, at) {
            text[at] = b'\n';
        }
    }
    Cow::Owned(text)
}

/// Whether the content begins like text: no control characters but white space, and either UTF-8 or, as in older
/// European encodings, mostly ASCII.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    let control = |&b: &u8| (b < b' ' && !(b'\t'..=b'\r').contains(&b)) || b == 0x7f;
    // A character cut by the end of the head is not an error.
    let utf8 = std::str::from_utf8(head).map_or_else(|e| e.error_len().is_none(), |_| true);
    let ascii = || head.len() >= 16 && 10 * head.iter().filter(|b| b.is_ascii()).count() >= 9 * head.len();
    !head.iter().any(control) && (utf8 || ascii())
}

/// Byte ranges of the lines of a text, without their line feeds.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', text).chain(std::iter::once(text.len())).map(move |end| {
        let line = start..end;
        start = end + 1;
        line
    })
}

/// Words of a line, separated by blanks.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Quotes a token for a message: control characters are escaped, long tokens are cut.
pub(crate) fn quote(found: &[u8]) -> String {
    const LONGEST: usize = 32;
    let text = String::from_utf8_lossy(&found[..found.len().min(4 * LONGEST)]);
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < found.len() && text.chars().count() > LONGEST {
        shown.push('…');
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_utf8_with_line_feeds() {
        for (bytes, want) in [
            (&b"1\r2\r"[..], &b"1\n2\n"[..]),
            (b"1\r\n2\r\n", b"1\r\n2\r\n"),
            (b"1\r\r\n2", b"1\n\r\n2"),
            (b"\xef\xbb\xbf1\n", b"1\n"),
            (b"\xff\xfe1\0\r\x002\0", b"1\n2"),
            (b"\xfe\xff\x001\0 \0\xe9", b"1 \xc3\xa9"),
        ] {
            assert_eq!(&plain(bytes)[..], want, "{bytes:?}");
        }
    }

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quote(b"abc"), "\"abc\"");
        assert_eq!(quote(b"\x00\xff"), "\"\\0\u{fffd}\"");
        assert_eq!(quote(&[b'x'; 1000]).chars().count(), 32 + 3);
    }
}
