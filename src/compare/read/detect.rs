//! Detection of the format of a barcode from its content, by the table in the parent module's docs.

use super::{BarcodeFormat, Problem, npy, number, ripser, table};
use crate::input::npz;
use crate::input::text::{is_text, is_utf16, lines, plain, quote, words};
use crate::names;

/// Detects the format and gives the reason.
pub(super) fn detect(name: &str, bytes: &[u8]) -> Result<(BarcodeFormat, &'static str), Problem> {
    if bytes.starts_with(npy::MAGIC) {
        return Ok((BarcodeFormat::Npy, "begins with NumPy's magic bytes"));
    }
    if bytes.starts_with(npz::MAGIC) {
        return Ok((BarcodeFormat::Npz, "begins as a zip archive"));
    }
    if phat_formats::dipha::has_magic(bytes) {
        return Ok((BarcodeFormat::Dipha, "begins with DIPHA's magic number"));
    }
    // A number of pairs may begin with the bytes of a byte order mark, but then zeros follow.
    let text = plain(bytes);
    if !(is_text(bytes) || is_utf16(bytes) && is_text(&text)) {
        return Ok((BarcodeFormat::PhatBinary, "is not text"));
    }
    by_lines(name, &text)
}

fn by_lines(name: &str, text: &[u8]) -> Result<(BarcodeFormat, &'static str), Problem> {
    let content = || lines(text).map(|line| text[line].trim_ascii()).enumerate();
    let Some((index, first)) = content().find(|(_, line)| !line.is_empty()) else {
        let found = if text.is_empty() { "an empty file" } else { "a file of blanks" };
        return Err(Problem::whole("a barcode", found));
    };
    if first.starts_with(b"{") {
        return Ok((BarcodeFormat::Json, "begins with {"));
    }
    if content().any(|(_, line)| line.starts_with(ripser::HEADING)) {
        return Ok((BarcodeFormat::Ripser, "has a line of persistence intervals"));
    }
    if first.contains(&b',') {
        return Ok((BarcodeFormat::Csv, "its first line has commas"));
    }
    if first.iter().all(u8::is_ascii_digit) {
        return Ok((BarcodeFormat::PhatAscii, "its first line is a number"));
    }
    let numbers: Option<Vec<f64>> = words(first).map(|word| number::value(word).ok()).collect();
    match numbers.as_deref() {
        Some([_, _]) if table::dimension_of(name).is_some() => {
            return Ok((
                BarcodeFormat::Perseus,
                "its first line has two numbers, and its name ends with a dimension",
            ));
        }
        Some([_, _, _] | [_, _, _, _]) => {
            return Ok((BarcodeFormat::Gudhi, "its first line has three or four numbers"));
        }
        _ => {}
    }
    let expected = "a barcode: a line of persistence intervals, commas, a number of pairs, or {";
    Err(Problem::line(index + 1, expected, quote(first))
        .note(format!("a format can be given: {}", names::list(&BarcodeFormat::ALL))))
}
