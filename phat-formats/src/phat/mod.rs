//! PHAT files: lines of numbers, or little-endian 64-bit integers, without a header.
//!
//! | content | text | binary |
//! |---|---|---|
//! | boundary matrices | [`matrix::read_ascii`] | [`matrix::read_binary`] |
//! | persistence pairs | [`pairs::read_ascii`] | [`pairs::read_binary`] |
//!
//! PHAT's files do not state their format; [`looks_ascii`] tells text from binary files.

pub mod matrix;
pub mod pairs;
mod text;

/// Whether the first bytes of a file, at least a dozen, look like text. A binary file begins with a count, and so has
/// a zero byte among its first eight. A text has no control characters except blanks and line ends, and no byte that
/// is invalid in UTF-8. An empty file is not text.
pub fn looks_ascii(first: &[u8]) -> bool {
    let is_text = |&byte: &u8| byte == b'\n' || text::is_blank(byte) || !matches!(byte, ..b' ' | 0x7f | 0xff);
    !first.is_empty() && first.iter().all(is_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_binary_files() {
        for text in ["0\n", "# un triangle équilatéral\r\n", "\t1 2\n", "x"] {
            assert!(looks_ascii(text.as_bytes()), "{text:?}");
        }
        assert!(!looks_ascii(b""));
        for count in [0, 1, 0x0a0a_0a0a, 16_581_375, i64::MAX >> 8, -1] {
            assert!(!looks_ascii(&i64::to_le_bytes(count)), "{count}");
        }
    }
}
