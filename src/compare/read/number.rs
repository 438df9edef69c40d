//! Values and dimensions of bars.

use phat_formats::dipha::DiagramPoint;

/// The expected token, in words.
pub(super) type Expected = &'static str;

const NUMBER: Expected = "a number";
const DOUBLE: Expected = "a number that fits double precision (below 1.7976931348623157e308)";
/// The expected dimension, in words.
pub(super) const DIMENSION: Expected = "a dimension: a whole number from 0 to 4294967295";

/// Parses a decimal or an infinity as the nearest double.
pub(super) fn value(token: &[u8]) -> Result<f64, Expected> {
    let value: f64 = fast_float2::parse(token).map_err(|_| NUMBER)?;
    if value.is_nan() {
        return Err(NUMBER);
    }
    let spelt_out = token.iter().any(|b| matches!(b, b'i' | b'I'));
    if value.is_infinite() && !spelt_out { Err(DOUBLE) } else { Ok(value) }
}

/// A bar; one that dies at an infinite value is essential.
pub(super) fn bar(dim: u32, birth: f64, death: f64) -> DiagramPoint {
    DiagramPoint { dim, birth, death, essential: death.is_infinite() }
}

/// Whether a death in CubicalRipser's tables means an essential bar: infinity, or the greatest double.
pub(super) fn is_never(death: f64) -> bool {
    death.is_infinite() || death == f64::MAX
}

/// Numbers of columns of CubicalRipser's tables: dimension, birth, death, and the coordinates of two voxels, three each
/// or four.
pub(super) const CRIPSER_COLUMNS: [usize; 2] = [9, 11];

/// Converts a number to a dimension if it is one.
pub(super) fn dimension(value: f64) -> Option<u32> {
    let whole = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
    whole.then_some(value as u32)
}

/// Whether a token is written like a cell: a whole number from 0 that is exact as a double.
pub(super) fn is_cell(token: &[u8]) -> bool {
    const DIGITS: usize = 15;
    (1..=DIGITS).contains(&token.len()) && token.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for (token, expected) in [
            ("0.1", Ok(0.1)),
            ("-1e300", Ok(-1e300)),
            ("inf", Ok(f64::INFINITY)),
            ("-Infinity", Ok(f64::NEG_INFINITY)),
            ("1e400", Err(DOUBLE)),
            ("nan", Err(NUMBER)),
            ("", Err(NUMBER)),
            ("1 ", Err(NUMBER)),
            ("0x1", Err(NUMBER)),
        ] {
            assert_eq!(value(token.as_bytes()), expected, "{token:?}");
        }
    }

    #[test]
    fn dimensions() {
        assert_eq!(dimension(-0.0), Some(0));
        assert_eq!(dimension(4_294_967_295.0), Some(u32::MAX));
        for bad in [-1.0, 0.5, 4_294_967_296.0, f64::INFINITY, f64::NAN] {
            assert_eq!(dimension(bad), None, "{bad}");
        }
    }
}
